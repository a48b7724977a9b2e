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

/* 0: an answer, whose status is not worth another attempt or still bad after the last one;
 * -1: none. answer->retry tells whether there was more than one attempt. */
int ctx_s3_do(struct ctx_s3 *s3, const struct ctx_s3_call *call,
    struct ctx_http_answer *answer, struct ctx_err *err);

/* Make an error of an answer that was not what call needed. Returns -1. */
int ctx_s3_fail(struct ctx_s3 *s3, const struct ctx_s3_call *call,
    const struct ctx_http_answer *answer, struct ctx_err *err);

const char *ctx_s3_region(const struct ctx_s3 *s3);
int ctx_s3_list_page(const struct ctx_s3 *s3); /* 0: the server's choice */

/* Remove the parts of an upload; 0 also when it is gone. */
int ctx_s3_abort_upload(
    struct ctx_s3 *s3, const char *key, const char *upload, struct ctx_err *err);

/* Is it this error of S3's (NoSuchBucket, …)? */
bool ctx_s3_is(const struct ctx_http_answer *answer, const char *code);

#endif
