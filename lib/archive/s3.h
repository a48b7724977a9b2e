/* Objects in S3 or a compatible service (Amazon S3 API Reference). Requests are signed by
 * archive/sigv4 and sent by archive/http. A request is repeated, after a random pause
 * whose bound grows, if the status is 429 or 5xx except 501, or if the connection broke
 * or timed out; never after 403 or 404. Each body is sent with its signed SHA-256 and a
 * Content-MD5, so that the server rejects a damaged body. Error messages name the object,
 * the status and the server's error code, never a credential. Functions fail with CTX_EIO
 * unless another code is named. */
#ifndef CTX_ARCHIVE_S3_H
#define CTX_ARCHIVE_S3_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "archive/http.h"
#include "base/buf.h"
#include "base/err.h"

/* size of a part in bytes; larger objects are uploaded in several parts */
#define CTX_S3_PART (8 * 1024 * 1024)

struct ctx_s3;

/* Settings of a handle. Strings are copied. 0 and NULL select the default. */
struct ctx_s3_options {
	const char *bucket;
	const char *region; /* default: us-east-1 */
	/* [https://]HOST[:PORT][/PATH], or http://... for a connection without TLS;
	 * default: Amazon's endpoint for the region */
	const char *endpoint;
	/* how the bucket is addressed: in the "path", in the host name ("virtual"), or
	 * "auto" (the default), which means path if an endpoint is given or if the
	 * bucket's name cannot be part of a host name */
	const char *addressing;
	const char *access_key, *secret_key; /* both are required */
	const char *session_token;
	struct ctx_http_options http;
	int attempts; /* maximum number of times that a request is sent; default: 5 */
	/* upper bound of the first pause in ms, doubled after each attempt; default:
	 * 200 */
	int64_t pause_ms;
	/* maximum number of keys in a response to a list request; default: the server's
	 * choice */
	int list_page;
};

/* Opens a handle; no request is sent yet. CTX_EUSAGE for invalid options. Only one thread
 * at a time may use a handle. */
int ctx_s3_open(
    struct ctx_s3 **s3, const struct ctx_s3_options *options, struct ctx_err *err);
void ctx_s3_close(struct ctx_s3 *s3); /* also overwrites the credentials in memory */
const char *ctx_s3_bucket(const struct ctx_s3 *s3);

/* Tests whether an object exists. A key is at most 1024 bytes long and holds no NUL.
 * *size (may be NULL) is set to the object's size in bytes. Returns 1 if it exists, 0 if
 * the object or the bucket does not exist, -1 on error. */
int ctx_s3_head(struct ctx_s3 *s3, const char *key, int64_t *size, struct ctx_err *err);

/* Deletes the object. Returns 0, even if it did not exist, or -1. */
int ctx_s3_delete(struct ctx_s3 *s3, const char *key, struct ctx_err *err);

/* Creates the bucket. Returns 0 on success, also if the bucket exists and is owned by the
 * same account, and -1 on error. */
int ctx_s3_create_bucket(struct ctx_s3 *s3, struct ctx_err *err);

struct ctx_s3_object {
	const char *key;
	int64_t size; /* size in bytes */
	/* time of the last change in ms since the epoch; CTX_TIME_NONE if unknown */
	int64_t modified;
};

typedef int ctx_s3_each(
    void *arg, const struct ctx_s3_object *object, struct ctx_err *err);
/* Calls fn for each object whose key starts with prefix, in byte order of the keys. fn
 * returns -1 with err set to stop, and must not use the handle. A missing bucket counts
 * as empty. A listing that makes no progress is an error. */
int ctx_s3_list(struct ctx_s3 *s3, const char *prefix, ctx_s3_each *fn, void *arg,
    struct ctx_err *err);

/* Aborts the multipart uploads of keys that start with prefix, if the uploads are older
 * than the time given by the argument before (ms since the epoch). Killed processes leave
 * such uploads, and the bucket's owner pays for them. Sets *n to the number of aborted
 * uploads; 0 if the server does not list uploads. */
int ctx_s3_sweep(struct ctx_s3 *s3, const char *prefix, int64_t before, int64_t *n,
    struct ctx_err *err);

/* ---- reading ----
 *
 * Objects are read in ranges: memory stays bounded, a slow reader keeps no connection
 * open, and a broken connection costs only one range. Reading fails if the object changes
 * between two ranges. */

struct ctx_s3_get;

/* Opens an object for reading. Returns 1 with *get set, 0 with *get NULL if there is no
 * such object, -1 on error. */
int ctx_s3_get_open(
    struct ctx_s3 *s3, const char *key, struct ctx_s3_get **get, struct ctx_err *err);
int64_t ctx_s3_get_size(const struct ctx_s3_get *get);
/* Reads up to n bytes. Returns the number of bytes read, 0 at the end, -1 on error. */
long ctx_s3_get_read(struct ctx_s3_get *get, void *p, size_t n, struct ctx_err *err);
void ctx_s3_get_close(struct ctx_s3_get *get);

/* ---- writing ----
 *
 * The object becomes visible when ctx_s3_put_commit returns 0. A missing bucket is
 * created. */

struct ctx_s3_put;

/* Starts an upload. With exclusive = true, an existing object is not replaced. Normally
 * the server checks whether the object exists. If the server cannot do this (status 501),
 * a request before the upload checks it, and two concurrent writers can then both
 * succeed. */
struct ctx_s3_put *ctx_s3_put_open(struct ctx_s3 *s3, const char *key, bool exclusive);
int ctx_s3_put_write(
    struct ctx_s3_put *put, const void *p, size_t n, struct ctx_err *err);
/* Ends the upload. Returns 0 if the object is stored, 1 if exclusive was set and the
 * object exists already, -1 on error. Always frees put. */
int ctx_s3_put_commit(struct ctx_s3_put *put, struct ctx_err *err);
/* Cancels the upload, removes the parts that were sent, and frees put. NULL does
 * nothing. */
void ctx_s3_put_abort(struct ctx_s3_put *put);

#endif
