/* Sends single HTTP requests with libcurl: no redirects, no retries, no credentials. Only
 * the file that implements this header includes curl/curl.h. */
#ifndef CTX_ARCHIVE_HTTP_H
#define CTX_ARCHIVE_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct ctx_http;

struct ctx_http_options {
	/* file of trusted certificates; NULL: use the system's certificates */
	const char *ca_bundle;
	int64_t connect_ms; /* how long to wait for a connection, in ms; 0: 10 s */
	/* how long a transfer of fewer than 500 bytes per second is tolerated, in
	 * seconds; 0: 60 s */
	int64_t stall_s;
};

struct ctx_http_request {
	const char *method;
	const char *url; /* an http:// or https:// URL, sent unchanged */
	/* header lines without line ends, each "name: value" */
	const char *const *headers;
	size_t n_headers;
	struct ctx_span body; /* body of the request, for PUT and POST */
	/* maximum length of the response body in bytes; a longer body is an error */
	size_t max_answer;
};

/* A response. Zero-fill the struct before the first use. It can be reused; release it at
 * the end. */
struct ctx_http_answer {
	int status;
	struct ctx_buf headers; /* "name: value\n" for each header, names in lower case */
	struct ctx_buf body;
	/* set after ctx_http_do returned -1: true if sending the request again may
	 * succeed */
	bool retry;
};

void ctx_http_answer_release(struct ctx_http_answer *a);

/* Returns the value of a header, borrowed from the response; an absent span if the
 * response has no such header. name: the header's name, in lower case. */
struct ctx_span ctx_http_header(const struct ctx_http_answer *a, const char *name);

/* Opens an HTTP client, which keeps connections open between requests. Only one thread at
 * a time may use the client. The strings in *options are copied. Fails with CTX_EIO if
 * libcurl is missing or cannot start. */
int ctx_http_open(
    struct ctx_http **http, const struct ctx_http_options *options, struct ctx_err *err);
void ctx_http_close(struct ctx_http *http);

/* Sends the request. Returns 0 if a response was received, whatever its status. Returns
 * -1 with CTX_EIO if no response was received. The error message contains the reason and
 * perhaps the host, but nothing else from the URL or the headers. */
int ctx_http_do(struct ctx_http *http, const struct ctx_http_request *request,
    struct ctx_http_answer *answer, struct ctx_err *err);

#endif
