/* Objects in S3 and what speaks its protocol (Amazon S3 API Reference). Requests are
 * signed by archive/sigv4, sent by archive/http, and tried again after 5xx (but 501), 429,
 * broken connections and time-outs, with growing random pauses; never after 403 or 404.
 * Every body goes out with its SHA-256 signed and with Content-MD5, so that a server which
 * received other bytes refuses them. Messages name the object, the status and the server's
 * error code, never a credential. Functions return CTX_EIO unless another code is named. */
#ifndef CTX_ARCHIVE_S3_H
#define CTX_ARCHIVE_S3_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "archive/http.h"
#include "base/buf.h"
#include "base/err.h"

#define CTX_S3_PART (8 * 1024 * 1024) /* bytes; what is larger goes up in parts */

struct ctx_s3;

/* Strings are copied. Zero and NULL ask for the default. */
struct ctx_s3_options {
	const char *bucket;
	const char *region; /* us-east-1 */
	const char
	    *endpoint; /* [https://]HOST[:PORT][/PATH]; http:// only when it says so.
	                            * Amazon's own for the region */
	const char *addressing; /* "path", "virtual" or "auto": path with an endpoint or a
	                            * bucket that is no host label */
	const char *access_key, *secret_key; /* must be there */
	const char *session_token;
	struct ctx_http_options http;
	int attempts;     /* of one request in all; 5 */
	int64_t pause_ms; /* longest first pause; doubles with every attempt; 200 */
	int list_page;    /* keys in an answer; the server's choice */
};

/* CTX_EUSAGE for options that make no sense; nothing is sent yet. See ctx_http_open for
 * threads; one handle serves one thread. */
int ctx_s3_open(
    struct ctx_s3 **s3, const struct ctx_s3_options *options, struct ctx_err *err);
void ctx_s3_close(struct ctx_s3 *s3); /* wipes the credentials */
const char *ctx_s3_bucket(const struct ctx_s3 *s3);

/* Keys are any bytes but NUL, at most 1024. Size in bytes goes to *size (may be NULL).
 * 1: it is there; 0: it (or the bucket) isn't; -1. */
int ctx_s3_head(struct ctx_s3 *s3, const char *key, int64_t *size, struct ctx_err *err);

/* 0 also when there was no such object. */
int ctx_s3_delete(struct ctx_s3 *s3, const char *key, struct ctx_err *err);

/* Create the bucket; 0 also when it is there and ours. */
int ctx_s3_create_bucket(struct ctx_s3 *s3, struct ctx_err *err);

struct ctx_s3_object {
	const char *key;
	int64_t size;     /* bytes */
	int64_t modified; /* ms since the epoch; CTX_TIME_NONE when not told */
};

/* Called for each object in the order of their keys' bytes; -1 (with err) ends it all. fn
 * must not use the handle. A bucket that doesn't exist is empty. Keys outside the prefix are
 * left out; a list that does not advance is an error. */
typedef int ctx_s3_each(
    void *arg, const struct ctx_s3_object *object, struct ctx_err *err);
int ctx_s3_list(struct ctx_s3 *s3, const char *prefix, ctx_s3_each *fn, void *arg,
    struct ctx_err *err);

/* Abort uploads in parts of keys under prefix that began before the instant before (ms):
 * what killed processes left behind and the owner pays for. Their number to *n. Servers
 * that can't list uploads have none. */
int ctx_s3_sweep(struct ctx_s3 *s3, const char *prefix, int64_t before, int64_t *n,
    struct ctx_err *err);

/* ---- reading ----
 * In ranges, so that memory stays bounded, a slow reader holds no connection, and a broken
 * one costs a range. All ranges are of one version of the object or reading fails. */

struct ctx_s3_get;

/* 1: open; 0: there is no such object, *get is NULL; -1. */
int ctx_s3_get_open(
    struct ctx_s3 *s3, const char *key, struct ctx_s3_get **get, struct ctx_err *err);
int64_t ctx_s3_get_size(const struct ctx_s3_get *get);
/* 1 to n bytes; 0 at the end; -1. */
long ctx_s3_get_read(struct ctx_s3_get *get, void *p, size_t n, struct ctx_err *err);
void ctx_s3_get_close(struct ctx_s3_get *get);

/* ---- writing ----
 * Nothing is seen under the key before commit. A missing bucket is created. */

struct ctx_s3_put;

/* With exclusive, an object that is there stays: the server is asked to check, and where
 * it can't (501) we look before we write, which two writers at once can slip through. */
struct ctx_s3_put *ctx_s3_put_open(struct ctx_s3 *s3, const char *key, bool exclusive);
int ctx_s3_put_write(
    struct ctx_s3_put *put, const void *p, size_t n, struct ctx_err *err);
/* 0: stored; 1: exclusive, and it is there already; -1. Frees put in every case. */
int ctx_s3_put_commit(struct ctx_s3_put *put, struct ctx_err *err);
/* Give up: parts that were sent are removed from the server. NULL is fine. */
void ctx_s3_put_abort(struct ctx_s3_put *put);

#endif
