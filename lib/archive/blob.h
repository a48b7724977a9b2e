/* Storage for archives: named byte streams in a directory or under a prefix of a bucket,
 * with one interface. Names are relative paths ("2024/02/ID.ndjson.gz") that cannot lead
 * out of the place. */
#ifndef CTX_ARCHIVE_BLOB_H
#define CTX_ARCHIVE_BLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "archive/s3.h"
#include "base/buf.h"
#include "base/err.h"

struct ctx_blobs;
struct ctx_blob_put;
struct ctx_blob_get;

/* Opens a directory. path may contain symbolic links; below it none is followed. With
 * create, the directory and its parents are created (mode 0700). CTX_EIO when it does not
 * exist. */
int ctx_blobs_open_dir(
    struct ctx_blobs **blobs, const char *path, bool create, struct ctx_err *err);

/* Opens the keys of a bucket under prefix, which gets a trailing '/'; "" means all keys.
 * Takes over s3. Never fails. It is in a file of its own, so that programs that do not
 * call it need no libcurl. */
struct ctx_blobs *ctx_blobs_of_s3(struct ctx_s3 *s3, const char *prefix);

void ctx_blobs_close(struct ctx_blobs *blobs);

/* True if name is valid: 1 to 900 bytes, in components of 1 to 255 bytes that do not
 * start with a dot, without control characters. All functions below refuse other names
 * with CTX_EUSAGE. */
bool ctx_blob_name_ok(const char *name);

/* Appends the address of a blob: its path, or s3://BUCKET/KEY. */
void ctx_blob_address(
    const struct ctx_blobs *blobs, const char *name, struct ctx_buf *out);

/* ---- writing ---- A blob becomes visible under its name when commit returns 0, and is
 * durable then: the file and its directory are synced, or the server has acknowledged it.
 * With exclusive, an existing blob is not replaced. */
int ctx_blob_put_open(struct ctx_blobs *blobs, const char *name, bool exclusive,
    struct ctx_blob_put **put, struct ctx_err *err);
int ctx_blob_put_write(
    struct ctx_blob_put *put, const void *p, size_t n, struct ctx_err *err);
/* Returns 0 if stored, 1 if exclusive was set and the blob exists, -1 on error. Always
 * frees put. */
int ctx_blob_put_commit(struct ctx_blob_put *put, struct ctx_err *err);
/* Commits n puts of one place with shared syncs; all are durable when it returns. done[i]
 * holds the result of put i. */
struct ctx_blob_done {
	int rc;
	bool named; /* it has its name */
	struct ctx_err err;
};
void ctx_blob_puts_commit(
    struct ctx_blob_put *const puts[], size_t n, struct ctx_blob_done done[]);
/* Discards the put without a trace. NULL does nothing. */
void ctx_blob_put_abort(struct ctx_blob_put *put);

/* ---- reading ---- */
/* Returns 1 with *get open, 0 with *get NULL if there is no such blob, -1 on error. */
int ctx_blob_get_open(struct ctx_blobs *blobs, const char *name,
    struct ctx_blob_get **get, struct ctx_err *err);
/* Reads up to n bytes. Returns their number, 0 at the end, -1 on error. */
long ctx_blob_get_read(struct ctx_blob_get *get, void *p, size_t n, struct ctx_err *err);
int64_t ctx_blob_get_size(const struct ctx_blob_get *get);
void ctx_blob_get_close(struct ctx_blob_get *get);

/* ctx_blob_put_write as a ctx_gz_sink and ctx_blob_get_read as a ctx_gz_source; arg is
 * the put or the get. */
int ctx_blob_sink(void *put, const void *p, size_t n, struct ctx_err *err);
long ctx_blob_source(void *get, void *p, size_t n, struct ctx_err *err);

/* ---- the rest ---- */
struct ctx_blob {
	const char *name;
	int64_t size;     /* bytes */
	int64_t modified; /* ms since the epoch; CTX_TIME_NONE if unknown */
};

typedef int ctx_blob_each(void *arg, const struct ctx_blob *blob, struct ctx_err *err);

/* Returns 1 if the blob exists, with its size in *size (may be NULL), 0 if not, -1 on
 * error. */
int ctx_blob_exists(
    struct ctx_blobs *blobs, const char *name, int64_t *size, struct ctx_err *err);

/* Calls fn for every blob whose name starts with prefix, in byte order; fn returns -1 to
 * stop. Files that cannot be blobs (dot files, links) are skipped. */
int ctx_blob_list(struct ctx_blobs *blobs, const char *prefix, ctx_blob_each *fn,
    void *arg, struct ctx_err *err);

/* Deletes a blob, durably, and the temporary files that killed writers of it left.
 * Returns 0 even if it did not exist. */
int ctx_blob_delete(struct ctx_blobs *blobs, const char *name, struct ctx_err *err);
/* Deletes only the temporary files that killed writers of the blob left. */
int ctx_blob_delete_unfinished(
    struct ctx_blobs *blobs, const char *name, struct ctx_err *err);

/* Deletes what killed writers left: temporary files that no process has locked and that
 * are older than the instant before (ms), and incomplete multipart uploads. Adds their
 * number to *n. */
int ctx_blob_sweep(
    struct ctx_blobs *blobs, int64_t before, int64_t *n, struct ctx_err *err);

#endif
