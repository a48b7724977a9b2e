/* Inside of archive/s3*.c: one signed request with its retries. */
#ifndef CTX_ARCHIVE_S3_CALL_H
#define CTX_ARCHIVE_S3_CALL_H

#include "archive/http.h"
#include "archive/s3.h"
#include "archive/sigv4.h"

struct ctx_s3_call {
	const char *method;
	const char *key; /* NULL: the bucket itself */
	struct ctx_sigv4_pair query[6];
	size_t n_query;
	struct ctx_sigv4_pair headers[4];
	size_t n_headers;
	struct ctx_span body;
	size_t max_answer; /* 0: 16 MiB */
	bool fails_late;   /* status 200 may come with an error in the body */
};

void ctx_s3_query(struct ctx_s3_call *call, const char *name, const char *value);
void ctx_s3_header(struct ctx_s3_call *call, const char *name, const char *value);

/* Sends the request, with retries. Returns 0 with the last answer: its status is
 * either final, or still an error after the last attempt. Returns -1 if there was no
 * answer. answer->retry says whether there was more than one attempt. */
int ctx_s3_do(struct ctx_s3 *s3, const struct ctx_s3_call *call,
    struct ctx_http_answer *answer, struct ctx_err *err);

/* Sets the error for an answer with an unexpected status. Returns -1. */
int ctx_s3_fail(struct ctx_s3 *s3, const struct ctx_s3_call *call,
    const struct ctx_http_answer *answer, struct ctx_err *err);

const char *ctx_s3_region(const struct ctx_s3 *s3);
int ctx_s3_list_page(const struct ctx_s3 *s3); /* 0: the server's choice */

/* Removes the parts of an upload. Returns 0, also if it no longer exists, or -1. */
int ctx_s3_abort_upload(
    struct ctx_s3 *s3, const char *key, const char *upload, struct ctx_err *err);

/* True if the answer is this error of S3 (NoSuchBucket, …). */
bool ctx_s3_is(const struct ctx_http_answer *answer, const char *code);

#endif
