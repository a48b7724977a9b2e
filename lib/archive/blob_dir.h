/* Inside of archive/blob_dir*.c: a directory as a place. */
#ifndef CTX_ARCHIVE_BLOB_DIR_H
#define CTX_ARCHIVE_BLOB_DIR_H

#include <sys/types.h>

#include "archive/blob_ops.h"

struct dir_blobs {
	struct ctx_blobs base;
	char *path;
	int fd;
	char *ready;     /* a directory below it that was made durable; or NULL */
	ino_t ready_ino; /* its number: another may have its name by now */
};

/* Open the directory that holds name, through no link; *leaf is the last component of name.
 * With create it is made, durably. -1 with errno. */
int ctx_blob_dir_parent(
    struct dir_blobs *d, const char *name, bool create, const char **leaf);
/* Set err to errno: cannot do what to the blob. Returns -1. */
int ctx_blob_dir_fail(
    struct dir_blobs *d, const char *what, const char *name, struct ctx_err *err);

/* Writing (blob_dir_put.c). */
int ctx_blob_dir_put_open(struct ctx_blobs *blobs, const char *name, bool exclusive,
    struct ctx_blob_put **put, struct ctx_err *err);
int ctx_blob_dir_put_write(
    struct ctx_blob_put *put, const void *p, size_t n, struct ctx_err *err);
void ctx_blob_dir_put_abort(struct ctx_blob_put *put);
void ctx_blob_dir_puts_commit(
    struct ctx_blob_put *const puts[], size_t n, struct ctx_blob_done done[]);

/* How the temporary files of a blob start: they go with it when it is deleted. */
void ctx_blob_dir_temporary(const char *leaf, char out[40]);

#endif
