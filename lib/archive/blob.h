/* Where archives are kept: named streams of bytes in a directory or under a prefix of a
 * bucket, behind one interface. Names are relative paths ("2024/02/ID.ndjson.gz") that can
 * not lead out of the place. */
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

/* A directory, which may be reached through symbolic links; beneath it none is followed.
 * With create it and its parents are made (mode 0700). CTX_EIO when it isn't there. */
int ctx_blobs_open_dir(
    struct ctx_blobs **blobs, const char *path, bool create, struct ctx_err *err);

/* The keys of a bucket under prefix ("" for all; a '/' is put behind it). s3 belongs to
 * blobs from here on. Never fails. Kept apart from the rest, so that programs which don't
 * call it need no libcurl. */
struct ctx_blobs *ctx_blobs_of_s3(struct ctx_s3 *s3, const char *prefix);

void ctx_blobs_close(struct ctx_blobs *blobs);

/* Is it a name: 1 to 900 bytes of components of 1 to 255 bytes, none starting with a dot,
 * no control characters? All functions below refuse others with CTX_EUSAGE. */
bool ctx_blob_name_ok(const char *name);

/* Append the address of a blob: the path, or s3://BUCKET/KEY. */
void ctx_blob_address(
    const struct ctx_blobs *blobs, const char *name, struct ctx_buf *out);

/* ---- writing ----
 * Nothing is seen under the name before commit returned 0; then it is durable: the file
 * was synced, renamed and its directory synced, or the server has acknowledged it. With
 * exclusive, what is there already stays. */
int ctx_blob_put_open(struct ctx_blobs *blobs, const char *name, bool exclusive,
    struct ctx_blob_put **put, struct ctx_err *err);
int ctx_blob_put_write(
    struct ctx_blob_put *put, const void *p, size_t n, struct ctx_err *err);
/* 0: stored; 1: exclusive, and there is one already; -1. Frees put in every case. */
int ctx_blob_put_commit(struct ctx_blob_put *put, struct ctx_err *err);
/* The same for n puts of one place, which share their syncs: all are durable when it returns.
 * done[i].rc is the result of put i; err with -1. */
struct ctx_blob_done {
	int rc;
	bool named; /* it has its name */
	struct ctx_err err;
};
void ctx_blob_puts_commit(
    struct ctx_blob_put *const puts[], size_t n, struct ctx_blob_done done[]);
/* Leaves nothing behind. NULL is fine. */
void ctx_blob_put_abort(struct ctx_blob_put *put);

/* ---- reading ---- */
/* 1: open; 0: there is none, *get is NULL; -1. */
int ctx_blob_get_open(struct ctx_blobs *blobs, const char *name,
    struct ctx_blob_get **get, struct ctx_err *err);
/* 1 to n bytes; 0 at the end; -1. Fits ctx_gz_source after a cast of the argument. */
long ctx_blob_get_read(struct ctx_blob_get *get, void *p, size_t n, struct ctx_err *err);
int64_t ctx_blob_get_size(const struct ctx_blob_get *get);
void ctx_blob_get_close(struct ctx_blob_get *get);

/* The two above with the types of ctx_gz_sink and ctx_gz_source; arg is put or get. */
int ctx_blob_sink(void *put, const void *p, size_t n, struct ctx_err *err);
long ctx_blob_source(void *get, void *p, size_t n, struct ctx_err *err);

/* ---- the rest ---- */
struct ctx_blob {
	const char *name;
	int64_t size;     /* bytes */
	int64_t modified; /* ms since the epoch; CTX_TIME_NONE when not known */
};

typedef int ctx_blob_each(void *arg, const struct ctx_blob *blob, struct ctx_err *err);

/* 1: there is one, with its size in *size (may be NULL); 0: none; -1. */
int ctx_blob_exists(
    struct ctx_blobs *blobs, const char *name, int64_t *size, struct ctx_err *err);

/* Call fn for every blob whose name starts with prefix, in the order of their bytes; -1
 * of fn ends it. Files that can't be blobs (dot files, links) are passed over. */
int ctx_blob_list(struct ctx_blobs *blobs, const char *prefix, ctx_blob_each *fn,
    void *arg, struct ctx_err *err);

/* With what killed writers of it left behind. Durable when it returns. 0 also when there was
 * none. */
int ctx_blob_delete(struct ctx_blobs *blobs, const char *name, struct ctx_err *err);
/* What killed writers of it left behind, alone. */
int ctx_blob_delete_unfinished(
    struct ctx_blobs *blobs, const char *name, struct ctx_err *err);

/* Remove what killed writers left behind: temporary files that no process holds, and what
 * is from before the instant before (ms), uploads in parts too. Their number to *n. */
int ctx_blob_sweep(
    struct ctx_blobs *blobs, int64_t before, int64_t *n, struct ctx_err *err);

#endif
