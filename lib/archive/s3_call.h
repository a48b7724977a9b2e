/* Private to archive/s3*.c: one signed request with its retries. */
#ifndef CTX_ARCHIVE_S3_CALL_H
#define CTX_ARCHIVE_S3_CALL_H

#include "archive/http.h"
#include "archive/s3.h"
#include "archive/sigv4.h"

struct ctx_s3_call {
	const char *method;
	const char *key; /* key of the object; NULL: the request is about the bucket */
	struct ctx_sigv4_pair query[6];
	size_t n_query;
	struct ctx_sigv4_pair headers[4];
	size_t n_headers;
	struct ctx_span body;
	size_t max_answer; /* maximum length of the response body in bytes; 0: 16 MiB */
	/* true: a response with status 200 can have an error in its body */
	bool fails_late;
};

void ctx_s3_query(struct ctx_s3_call *call, const char *name, const char *value);
void ctx_s3_header(struct ctx_s3_call *call, const char *name, const char *value);

/* Sends the request, with retries. Returns 0 with the last response in *answer, whose
 * status can still be an error; -1 if no response was received. After the call,
 * answer->retry is true if the request was sent more than once. */
int ctx_s3_do(struct ctx_s3 *s3, const struct ctx_s3_call *call,
    struct ctx_http_answer *answer, struct ctx_err *err);

/* Sets err for a response with an unexpected status. Returns -1. */
int ctx_s3_fail(struct ctx_s3 *s3, const struct ctx_s3_call *call,
    const struct ctx_http_answer *answer, struct ctx_err *err);

const char *ctx_s3_region(const struct ctx_s3 *s3);
/* returns the maximum number of keys in a response to a list request; 0: the server's
 * choice */
int ctx_s3_list_page(const struct ctx_s3 *s3);

/* Removes the parts of a multipart upload. Returns 0, also if the upload no longer
 * exists, or -1. */
int ctx_s3_abort_upload(
    struct ctx_s3 *s3, const char *key, const char *upload, struct ctx_err *err);

/* Returns true if the body of the response names this error code of S3 ("NoSuchBucket",
 * ...). */
bool ctx_s3_is(const struct ctx_http_answer *answer, const char *code);

#endif
