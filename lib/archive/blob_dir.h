/* Private to archive/blob_dir*.c: a directory that holds archives. */
#ifndef CTX_ARCHIVE_BLOB_DIR_H
#define CTX_ARCHIVE_BLOB_DIR_H

#include <sys/types.h>

#include "archive/blob_ops.h"

struct dir_blobs {
	struct ctx_blobs base;
	char *path;
	int fd;
	/* path of the subdirectory that the last write used; this subdirectory is
	 * durable. May be NULL */
	char *ready;
	/* inode number of the subdirectory at the path "ready"; if the number is now a
	 * different one, the subdirectory was replaced */
	ino_t ready_ino;
};

/* Opens the directory that contains the blob with this name, without following links.
 * Returns the file descriptor and sets *leaf to the last component of the name. If create
 * is true, creates missing directories durably. Returns -1 with errno set on error. */
int ctx_blob_dir_parent(
    struct dir_blobs *d, const char *name, bool create, const char **leaf);
/* Sets err to "cannot WHAT 'ADDRESS'" and the reason in errno. Returns -1. */
int ctx_blob_dir_fail(
    struct dir_blobs *d, const char *what, const char *name, struct ctx_err *err);

/* Operations of struct ctx_blob_ops that write (blob_dir_put.c). */
int ctx_blob_dir_put_open(struct ctx_blobs *blobs, const char *name, bool exclusive,
    struct ctx_blob_put **put, struct ctx_err *err);
int ctx_blob_dir_put_write(
    struct ctx_blob_put *put, const void *p, size_t n, struct ctx_err *err);
void ctx_blob_dir_put_abort(struct ctx_blob_put *put);
void ctx_blob_dir_puts_commit(
    struct ctx_blob_put *const puts[], size_t n, struct ctx_blob_done done[]);

/* Writes to out the prefix that the temporary files of one blob have in common.
 * ctx_blob_delete deletes these files. leaf: the last component of the blob's name. */
void ctx_blob_dir_temporary(const char *leaf, char out[40]);

#endif
