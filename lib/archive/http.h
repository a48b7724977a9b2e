/* One HTTP request over libcurl, as plain transport: no redirects followed, nothing
 * retried, no credentials known. The only part that includes curl/curl.h. */
#ifndef CTX_ARCHIVE_HTTP_H
#define CTX_ARCHIVE_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct ctx_http;

struct ctx_http_options {
	const char *ca_bundle; /* file of certificates to trust instead of the system's */
	int64_t connect_ms;    /* longest wait for a connection; 0: 10 s */
	int64_t stall_s;       /* longest time without a byte; 0: 60 s */
};

struct ctx_http_request {
	const char *method;
	const char *url;            /* http:// or https://; sent as it stands */
	const char *const *headers; /* "name: value" */
	size_t n_headers;
	struct ctx_span body; /* of PUT and POST */
	size_t max_answer;    /* a longer body is an error */
};

/* What came back. Start zero-filled; used again and again; release it. */
struct ctx_http_answer {
	int status;
	struct ctx_buf headers; /* "name: value\n" each, names in lower case */
	struct ctx_buf body;
	bool retry; /* after -1: may another attempt fare better? */
};

void ctx_http_answer_release(struct ctx_http_answer *a);

/* The value of a header, or absent. Borrows from the answer. */
struct ctx_span ctx_http_header(const struct ctx_http_answer *a, const char *name);

/* Was this program built with libcurl? */
bool ctx_http_available(void);

/* Connections are kept between requests. Not to be called by two threads at once. Strings
 * in options are copied. CTX_EIO when libcurl is missing or can't start. */
int ctx_http_open(
    struct ctx_http **http, const struct ctx_http_options *options, struct ctx_err *err);
void ctx_http_close(struct ctx_http *http);

/* 0: an answer came, whatever its status. -1 (CTX_EIO): none did; the message names the
 * reason, the host at most of the URL, and nothing of the headers. */
int ctx_http_do(struct ctx_http *http, const struct ctx_http_request *request,
    struct ctx_http_answer *answer, struct ctx_err *err);

#endif
