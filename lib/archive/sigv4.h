/* AWS Signature Version 4 for the Authorization header, payload in one piece (Amazon S3
 * API Reference, "Authenticating Requests: Using the Authorization Header"). Pure. */
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

/* What is signed. Header names are in lower case and in any order; host and x-amz-date
 * are among them. */
struct ctx_sigv4_request {
	const char *method;
	const char *path;  /* percent-encoded, as it is sent */
	const char *query; /* as ctx_sigv4_query makes it; "" for none */
	const struct ctx_sigv4_pair *headers;
	size_t n_headers;
	const char *payload_sha256; /* hexadecimal, or UNSIGNED-PAYLOAD */
	const char *time;           /* as in x-amz-date */
};

struct ctx_sigv4_key {
	const char *access, *secret;
	const char *region, *service;
};

/* Append text percent-encoded: all but A-Z a-z 0-9 - . _ ~ (and '/' when slash is true)
 * as %XX in upper case. */
void ctx_sigv4_encode(struct ctx_buf *out, struct ctx_span text, bool slash);

/* Append the query of the pairs: encoded, sorted by name, then value; each with its '='. */
void ctx_sigv4_query(struct ctx_buf *out, const struct ctx_sigv4_pair *pairs, size_t n);

/* The instant ms (milliseconds since the epoch) as x-amz-date has it. */
void ctx_sigv4_time(int64_t ms, char out[CTX_SIGV4_TIME + 1]);

/* Append the value of the Authorization header. */
void ctx_sigv4_sign(struct ctx_buf *out, const struct ctx_sigv4_request *request,
    const struct ctx_sigv4_key *key);

#endif
