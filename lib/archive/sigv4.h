/* AWS Signature Version 4 in the Authorization header, for a payload that is sent in one
 * piece (Amazon S3 API Reference, "Authenticating Requests: Using the Authorization
 * Header"). Pure functions. */
#ifndef CTX_ARCHIVE_SIGV4_H
#define CTX_ARCHIVE_SIGV4_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define CTX_SIGV4_TIME 16 /* strlen("20150830T123600Z") */

struct ctx_sigv4_pair {
	const char *name, *value;
};

/* The parts of a request that are signed. Header names are in lower case, in any order;
 * "host" and "x-amz-date" must be among them. */
struct ctx_sigv4_request {
	const char *method;
	const char *path;  /* path of the URL, percent-encoded as it is sent */
	const char *query; /* the query string, made with ctx_sigv4_query; "": no query */
	const struct ctx_sigv4_pair *headers;
	size_t n_headers;
	/* SHA-256 of the body in hexadecimal, or "UNSIGNED-PAYLOAD" */
	const char *payload_sha256;
	const char *time; /* value of the header x-amz-date */
};

struct ctx_sigv4_key {
	const char *access, *secret;
	const char *region, *service;
};

/* Appends a text in percent-encoding: each byte except A-Z a-z 0-9 - . _ ~ becomes %XX
 * with upper-case digits. With slash = true, '/' is not encoded. */
void ctx_sigv4_encode(struct ctx_buf *out, struct ctx_span text, bool slash);

/* Appends the query string of n pairs. Each pair is encoded as NAME=VALUE; the pairs are
 * sorted by name, and then by value. */
void ctx_sigv4_query(struct ctx_buf *out, const struct ctx_sigv4_pair *pairs, size_t n);

/* Writes a time (ms since the epoch) in the format of the header x-amz-date. */
void ctx_sigv4_time(int64_t ms, char out[CTX_SIGV4_TIME + 1]);

/* Appends the value of the Authorization header. */
void ctx_sigv4_sign(struct ctx_buf *out, const struct ctx_sigv4_request *request,
    const struct ctx_sigv4_key *key);

#endif
