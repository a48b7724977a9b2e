/* Private to archive/blob*.c: the operations that each kind of storage implements. The
 * functions of archive/blob.h check the names of blobs, and then call these
 * operations. */
#ifndef CTX_ARCHIVE_BLOB_OPS_H
#define CTX_ARCHIVE_BLOB_OPS_H

#include "archive/blob.h"

struct ctx_blob_ops {
	void (*close)(struct ctx_blobs *);
	void (*address)(const struct ctx_blobs *, const char *name, struct ctx_buf *);
	int (*put_open)(struct ctx_blobs *, const char *name, bool exclusive,
	    struct ctx_blob_put **, struct ctx_err *);
	int (*put_write)(struct ctx_blob_put *, const void *, size_t, struct ctx_err *);
	void (*puts_commit)(
	    struct ctx_blob_put *const[], size_t n, struct ctx_blob_done done[]);
	void (*put_abort)(struct ctx_blob_put *);
	int (*get_open)(struct ctx_blobs *, const char *name, struct ctx_blob_get **,
	    struct ctx_err *);
	long (*get_read)(struct ctx_blob_get *, void *, size_t, struct ctx_err *);
	void (*get_close)(struct ctx_blob_get *);
	int (*exists)(
	    struct ctx_blobs *, const char *name, int64_t *size, struct ctx_err *);
	int (*list)(struct ctx_blobs *, const char *prefix, ctx_blob_each *, void *,
	    struct ctx_err *);
	int (*remove)(
	    struct ctx_blobs *, const char *name, bool unfinished_only, struct ctx_err *);
	int (*sweep)(struct ctx_blobs *, int64_t before, int64_t *n, struct ctx_err *);
};

/* The common beginning of the structs of all kinds of storage. Directories and object
 * storage define larger structs, whose first member is one of these. */
struct ctx_blobs {
	const struct ctx_blob_ops *ops;
};
struct ctx_blob_put {
	const struct ctx_blob_ops *ops;
};
struct ctx_blob_get {
	const struct ctx_blob_ops *ops;
};

/* Prefix of the names of temporary files. No blob has such a name, because names of blobs
 * do not start with a dot. */
#define CTX_BLOB_TEMPORARY ".ctx-tmp-"

/* Implement ctx_blob_list and ctx_blob_sweep for an open directory. root: the directory's
 * file descriptor; path: the directory's path, for error messages. */
int ctx_blob_walk(int root, const char *path, const char *prefix, ctx_blob_each *fn,
    void *arg, struct ctx_err *err);
int ctx_blob_walk_sweep(
    int root, const char *path, int64_t before, int64_t *n, struct ctx_err *err);

#endif
