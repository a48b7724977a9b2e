/* Objects in S3 or a compatible service (Amazon S3 API Reference). Requests are signed
 * by archive/sigv4 and sent by archive/http. They are retried, with growing random
 * pauses, after 429, 5xx except 501, broken connections and time-outs; never after 403
 * or 404. Each body is sent with its signed SHA-256 and a Content-MD5, so that the
 * server refuses a damaged body. Messages name the object, the status and the server's
 * error code, never a credential. Functions return CTX_EIO unless another code is
 * named. */
#ifndef CTX_ARCHIVE_S3_H
#define CTX_ARCHIVE_S3_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "archive/http.h"
#include "base/buf.h"
#include "base/err.h"

#define CTX_S3_PART (8 * 1024 * 1024) /* bytes; larger objects are uploaded in parts */

struct ctx_s3;

/* Strings are copied. Zero or NULL selects the default, given as "default" below. */
struct ctx_s3_options {
	const char *bucket;
	const char *region; /* default us-east-1 */
	/* [https://]HOST[:PORT][/PATH], or http:// for an unencrypted connection;
	 * default: Amazon's endpoint for the region */
	const char *endpoint;
	/* "path", "virtual" or "auto" (default): path if an endpoint is given or the
	 * bucket is not a valid host label */
	const char *addressing;
	const char *access_key, *secret_key; /* required */
	const char *session_token;
	struct ctx_http_options http;
	int attempts; /* attempts of one request in all; default 5 */
	/* maximum of the first pause, doubled after each attempt; default 200 */
	int64_t pause_ms;
	int list_page; /* keys per answer; default: the server's choice */
};

/* Opens a handle; sends nothing. CTX_EUSAGE for invalid options. Only one thread may
 * use a handle; see ctx_http_open for threads. */
int ctx_s3_open(
    struct ctx_s3 **s3, const struct ctx_s3_options *options, struct ctx_err *err);
void ctx_s3_close(struct ctx_s3 *s3); /* wipes the credentials */
const char *ctx_s3_bucket(const struct ctx_s3 *s3);

/* Tests whether an object exists. A key is at most 1024 bytes, none of them NUL. *size
 * (may be NULL) is set to the size in bytes. Returns 1 if it exists, 0 if the object
 * or the bucket does not, -1 on error. */
int ctx_s3_head(struct ctx_s3 *s3, const char *key, int64_t *size, struct ctx_err *err);

/* Deletes the object. Returns 0, even if it did not exist, or -1. */
int ctx_s3_delete(struct ctx_s3 *s3, const char *key, struct ctx_err *err);

/* Creates the bucket. Returns 0, also if we own it already, or -1. */
int ctx_s3_create_bucket(struct ctx_s3 *s3, struct ctx_err *err);

struct ctx_s3_object {
	const char *key;
	int64_t size;     /* bytes */
	int64_t modified; /* ms since the epoch; CTX_TIME_NONE if unknown */
};

/* Lists the objects whose keys start with prefix, ordered by the bytes of their keys.
 * fn returns -1 (with err) to stop, and must not use the handle. A missing bucket
 * counts as empty. Keys outside the prefix are skipped. A listing that makes no
 * progress is an error. */
typedef int ctx_s3_each(
    void *arg, const struct ctx_s3_object *object, struct ctx_err *err);
int ctx_s3_list(struct ctx_s3 *s3, const char *prefix, ctx_s3_each *fn, void *arg,
    struct ctx_err *err);

/* Aborts multipart uploads of keys under prefix that began before the time before
 * (ms): killed processes leave them, and the owner pays for them. Sets *n to their
 * number, 0 if the server cannot list uploads. */
int ctx_s3_sweep(struct ctx_s3 *s3, const char *prefix, int64_t before, int64_t *n,
    struct ctx_err *err);

/* ---- reading ----
 *
 * Objects are read in ranges: memory stays bounded, a slow reader holds no connection,
 * and a broken connection costs only one range. Reading fails if the object changes
 * between two ranges. */

struct ctx_s3_get;

/* Opens an object. Returns 1, 0 with *get NULL if there is no such object, -1 on
 * error. */
int ctx_s3_get_open(
    struct ctx_s3 *s3, const char *key, struct ctx_s3_get **get, struct ctx_err *err);
int64_t ctx_s3_get_size(const struct ctx_s3_get *get);
/* Reads up to n bytes. Returns their number, 0 at the end, -1 on error. */
long ctx_s3_get_read(struct ctx_s3_get *get, void *p, size_t n, struct ctx_err *err);
void ctx_s3_get_close(struct ctx_s3_get *get);

/* ---- writing ----
 *
 * The object is not visible before commit. A missing bucket is created. */

struct ctx_s3_put;

/* Starts an upload. With exclusive, an existing object is not replaced: the server
 * checks that. If it cannot (501), we check before writing, which leaves a race
 * between two writers. */
struct ctx_s3_put *ctx_s3_put_open(struct ctx_s3 *s3, const char *key, bool exclusive);
int ctx_s3_put_write(
    struct ctx_s3_put *put, const void *p, size_t n, struct ctx_err *err);
/* Returns 0 if the object is stored, 1 if exclusive and it exists already, -1 on
 * error. Always frees put. */
int ctx_s3_put_commit(struct ctx_s3_put *put, struct ctx_err *err);
/* Cancels the upload and removes the parts that were sent. NULL is allowed. */
void ctx_s3_put_abort(struct ctx_s3_put *put);

#endif
