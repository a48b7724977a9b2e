/* Private to archive/s3*.c: one signed request with its retries. */
#ifndef CTX_ARCHIVE_S3_CALL_H
#define CTX_ARCHIVE_S3_CALL_H

#include "archive/blob_ops.h"
#include "archive/s3.h"
#include "archive/sigv4.h"

/* size of a part in bytes; larger objects are uploaded in several parts */
#define CTX_S3_PART (8 * 1024 * 1024)

/* Storage in a bucket; a kind of struct ctx_blobs. */
struct ctx_s3 {
	struct ctx_blobs base;
	char *prefix; /* "", or ends with '/' */
	struct ctx_http *http;
	char *bucket, *region, *access_key, *secret_key, *session_token;
	bool tls, path_style;
	char *host; /* host with port; NULL: Amazon's host for the region */
	/* path before the bucket: "", or "/..." without a trailing '/' */
	char *base_path;
	int attempts;
	/* maximum number of keys in a response to a list request; 0: the server's
	 * choice */
	int list_page;
	int64_t pause_ms;
};

struct ctx_s3_call {
	const char *method;
	/* key of the object; NULL: the request concerns the whole bucket */
	const char *key;
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

/* Sends the request, and repeats it as described in archive/s3.h. Returns 0 if a response
 * was received, whatever its status; *answer is then the last response. Returns -1 if no
 * response was received. answer->retry is true afterwards if the request was sent more
 * than once. */
int ctx_s3_do(struct ctx_s3 *s3, const struct ctx_s3_call *call,
    struct ctx_http_answer *answer, struct ctx_err *err);

/* Sets err for a response with an unexpected status. Returns -1. */
int ctx_s3_fail(struct ctx_s3 *s3, const struct ctx_s3_call *call,
    const struct ctx_http_answer *answer, struct ctx_err *err);

/* Reads an unsigned decimal number. Returns -1 if s is not such a number. */
int64_t ctx_s3_number(struct ctx_span s);

/* Returns the key of the blob with this name; the caller frees the key. */
char *ctx_s3_key(const struct ctx_s3 *s3, const char *name);

/* Tests whether the object exists. Returns 1 if the object exists, with *size (size may
 * be NULL) set to the object's size in bytes. Returns 0 if the object or the bucket does
 * not exist, -1 on error. */
int ctx_s3_head(struct ctx_s3 *s3, const char *key, int64_t *size, struct ctx_err *err);

/* Creates the bucket. Returns 0 on success, also if the bucket exists and is owned by the
 * same account, and -1 on error. */
int ctx_s3_create_bucket(struct ctx_s3 *s3, struct ctx_err *err);

/* Aborts a multipart upload and thereby removes the uploaded parts. upload: the id of the
 * upload. Returns 0 on success, also if the upload no longer exists, and -1 on error. */
int ctx_s3_abort_upload(
    struct ctx_s3 *s3, const char *key, const char *upload, struct ctx_err *err);

/* Returns true if the body of the response contains this S3 error code, such as
 * "NoSuchBucket". */
bool ctx_s3_is(const struct ctx_http_answer *answer, const char *code);

/* Implementations of the members of struct ctx_blob_ops, for buckets. ctx_s3_list fails
 * if the server returns the same part of the list again. ctx_s3_sweep aborts the
 * multipart uploads of killed writers, which the bucket's owner would have to pay for;
 * ctx_s3_sweep does nothing if the server cannot list uploads. */
int ctx_s3_exists(
    struct ctx_blobs *blobs, const char *name, int64_t *size, struct ctx_err *err);
int ctx_s3_list(struct ctx_blobs *blobs, const char *prefix, ctx_blob_each *fn, void *arg,
    struct ctx_err *err);
int ctx_s3_delete(
    struct ctx_blobs *blobs, const char *name, bool unfinished_only, struct ctx_err *err);
int ctx_s3_sweep(
    struct ctx_blobs *blobs, int64_t before, int64_t *n, struct ctx_err *err);
int ctx_s3_get_open(struct ctx_blobs *blobs, const char *name, struct ctx_blob_get **get,
    struct ctx_err *err);
long ctx_s3_get_read(struct ctx_blob_get *get, void *p, size_t n, struct ctx_err *err);
void ctx_s3_get_close(struct ctx_blob_get *get);
int ctx_s3_put_open(struct ctx_blobs *blobs, const char *name, bool exclusive,
    struct ctx_blob_put **put, struct ctx_err *err);
int ctx_s3_put_write(
    struct ctx_blob_put *put, const void *p, size_t n, struct ctx_err *err);
void ctx_s3_puts_commit(
    struct ctx_blob_put *const puts[], size_t n, struct ctx_blob_done done[]);
void ctx_s3_put_abort(struct ctx_blob_put *put);

#endif
