/* One HTTP request by libcurl: no redirects, no retries, no credentials. The only code
 * that includes curl/curl.h. */
#ifndef CTX_ARCHIVE_HTTP_H
#define CTX_ARCHIVE_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct ctx_http;

struct ctx_http_options {
	const char *ca_bundle; /* file of trusted certificates in place of the system's */
	int64_t connect_ms;    /* longest wait for a connection; 0: 10 s */
	int64_t stall_s;       /* longest time below 500 bytes a second; 0: 60 s */
};

struct ctx_http_request {
	const char *method;
	const char *url;            /* http:// or https://, sent unchanged */
	const char *const *headers; /* "name: value" */
	size_t n_headers;
	struct ctx_span body; /* of PUT and POST */
	size_t max_answer;    /* a longer body is an error */
};

/* A response. Start zero-filled; it can be reused; release it. */
struct ctx_http_answer {
	int status;
	struct ctx_buf headers; /* "name: value\n" for each, names in lower case */
	struct ctx_buf body;
	bool retry; /* after -1: a retry may succeed */
};

void ctx_http_answer_release(struct ctx_http_answer *a);

/* Returns the value of a header, borrowed from the answer, or an absent span. */
struct ctx_span ctx_http_header(const struct ctx_http_answer *a, const char *name);

/* Connections are kept between requests. Not for use by two threads at once. Strings in
 * options are copied. CTX_EIO when libcurl is missing or cannot start. */
int ctx_http_open(
    struct ctx_http **http, const struct ctx_http_options *options, struct ctx_err *err);
void ctx_http_close(struct ctx_http *http);

/* Returns 0 when a response came, whatever its status; -1 (CTX_EIO) when none did. The
 * message names the reason and at most the host of the URL, and nothing from the
 * headers. */
int ctx_http_do(struct ctx_http *http, const struct ctx_http_request *request,
    struct ctx_http_answer *answer, struct ctx_err *err);

#endif
