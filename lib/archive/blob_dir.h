/* Private to archive/blob_dir*.c: a directory as a place of archives. */
#ifndef CTX_ARCHIVE_BLOB_DIR_H
#define CTX_ARCHIVE_BLOB_DIR_H

#include <sys/types.h>

#include "archive/blob_ops.h"

struct dir_blobs {
	struct ctx_blobs base;
	char *path;
	int fd;
	char *ready; /* path of the last subdirectory that was created durably, or NULL */
	/* inode number of the directory whose path is the member ready; a different
	 * number now means that the directory was replaced */
	ino_t ready_ino;
};

/* Opens the directory that holds the blob name, without following links. Returns its file
 * descriptor and sets *leaf to the last component of name. With create = true, missing
 * directories are created durably. Returns -1 with errno set on error. */
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

/* leaf is the last component of a blob's name. Writes to out the prefix of the names of
 * this blob's temporary files. These files are deleted together with the blob. */
void ctx_blob_dir_temporary(const char *leaf, char out[40]);

#endif
