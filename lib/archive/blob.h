/* Storage of archives: named byte streams ("blobs") in a place. A place is a directory,
 * or a key prefix in a bucket of object storage. Names of blobs are relative paths such
 * as "2024/02/ID.ndjson.gz" and cannot point outside the place. */
#ifndef CTX_ARCHIVE_BLOB_H
#define CTX_ARCHIVE_BLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct ctx_blobs;
struct ctx_blob_put;
struct ctx_blob_get;

/* Opens a directory that holds blobs. If create is true, creates the directory and its
 * missing parents (mode 0700). Symbolic links in path are followed; symbolic links inside
 * the directory are not. Fails with CTX_EIO if the directory does not exist. */
int ctx_blobs_open_dir(
    struct ctx_blobs **blobs, const char *path, bool create, struct ctx_err *err);

/* To open a place in object storage, call ctx_blobs_open_s3 (archive/s3.h). */

void ctx_blobs_close(struct ctx_blobs *blobs);

/* Returns true if name is valid: 1 to 900 bytes without control characters, in components
 * of 1 to 255 bytes that do not start with a dot. All functions below reject other names
 * with CTX_EUSAGE. */
bool ctx_blob_name_ok(const char *name);

/* Appends the address of a blob: the path of its file, or s3://BUCKET/KEY. */
void ctx_blob_address(
    const struct ctx_blobs *blobs, const char *name, struct ctx_buf *out);

/* ---- writing ----
 *
 * A blob becomes visible under its name when ctx_blob_put_commit returns 0. The blob is
 * then durable: the file and its directory are synced, or the server has acknowledged
 * it. */

/* Starts to write a blob. If exclusive is true, an existing blob of that name is not
 * replaced. To end the write, call ctx_blob_put_commit or ctx_blob_put_abort. */
int ctx_blob_put_open(struct ctx_blobs *blobs, const char *name, bool exclusive,
    struct ctx_blob_put **put, struct ctx_err *err);
/* Writes n bytes. put points to a struct ctx_blob_put; its type is void * because this
 * function is used as a ctx_gz_sink. */
int ctx_blob_put_write(void *put, const void *p, size_t n, struct ctx_err *err);
/* Completes the write. Returns 0 if the blob is stored, 1 if a blob of that name exists
 * and must not be replaced (see ctx_blob_put_open), -1 on error. Always frees *put. */
int ctx_blob_put_commit(struct ctx_blob_put *put, struct ctx_err *err);
/* The result for one blob of ctx_blob_puts_commit. rc: the value that ctx_blob_put_commit
 * would return; err: set if rc is -1. */
struct ctx_blob_done {
	int rc;
	/* true: the blob is visible under its name. If "rc" is -1 nevertheless, the
	 * blob's directory is perhaps not synced */
	bool named;
	struct ctx_err err;
};
/* Completes the writes of n blobs together, which needs fewer syncs to disk. All blobs
 * must be in the same place. Sets done[i] to the result for puts[i]. Frees all structs in
 * puts[]. */
void ctx_blob_puts_commit(
    struct ctx_blob_put *const puts[], size_t n, struct ctx_blob_done done[]);
/* Cancels the write, removes the data written so far, and frees *put. put may be NULL. */
void ctx_blob_put_abort(struct ctx_blob_put *put);

/* ---- reading ---- */
/* Opens a blob for reading. Returns 1 with *get set, 0 with *get NULL if there is no such
 * blob, -1 on error. */
int ctx_blob_get_open(struct ctx_blobs *blobs, const char *name,
    struct ctx_blob_get **get, struct ctx_err *err);
/* Reads up to n bytes. Returns the number of bytes read, 0 at the end, -1 on error. get
 * points to a struct ctx_blob_get; its type is void * because this function is used as a
 * ctx_gz_source. */
long ctx_blob_get_read(void *get, void *p, size_t n, struct ctx_err *err);
void ctx_blob_get_close(struct ctx_blob_get *get);

/* ---- listing and deleting ---- */
struct ctx_blob {
	const char *name;
	int64_t size; /* size in bytes */
	/* time of the last change in ms since the epoch; CTX_TIME_NONE if unknown */
	int64_t modified;
};

typedef int ctx_blob_each(void *arg, const struct ctx_blob *blob, struct ctx_err *err);

/* Tests whether a blob exists. If the blob exists, sets *size (size may be NULL) to the
 * blob's size in bytes and returns 1. Returns 0 if the blob does not exist, -1 on
 * error. */
int ctx_blob_exists(
    struct ctx_blobs *blobs, const char *name, int64_t *size, struct ctx_err *err);

/* Calls fn for every blob whose name starts with prefix, in byte order of the names. To
 * stop the listing, fn sets err and returns -1; ctx_blob_list then returns -1 too. Files
 * that cannot be blobs (dot files, links) are skipped. */
int ctx_blob_list(struct ctx_blobs *blobs, const char *prefix, ctx_blob_each *fn,
    void *arg, struct ctx_err *err);

/* Deletes a blob durably, and the temporary files of killed writers of this blob. Returns
 * 0 on success, even if the blob did not exist, and -1 on error. */
int ctx_blob_delete(struct ctx_blobs *blobs, const char *name, struct ctx_err *err);
/* Like ctx_blob_delete, but keeps the blob and deletes only the temporary files. */
int ctx_blob_delete_unfinished(
    struct ctx_blobs *blobs, const char *name, struct ctx_err *err);

/* Deletes what killed writers left in the place: temporary files that no process has
 * locked, and all temporary files and multipart uploads from before a given time. before:
 * this time, in ms since the epoch. Sets *n to the number of deleted files and
 * uploads. */
int ctx_blob_sweep(
    struct ctx_blobs *blobs, int64_t before, int64_t *n, struct ctx_err *err);

#endif
