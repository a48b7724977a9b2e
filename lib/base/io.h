/* Files and descriptors: whole reads and writes that retry what the system interrupts. */
#ifndef CTX_BASE_IO_H
#define CTX_BASE_IO_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/* read(2) of at most n bytes, retried on EINTR. Bytes read, 0 at the end, or -1 (errno). */
long ctx_io_read(int fd, void *p, size_t n);

/* Write all n bytes; EPIPE and the like end as an error of code CTX_EIO. what names the
 * target in the message. */
int ctx_io_write(int fd, const void *p, size_t n, const char *what, struct ctx_err *err);

/* Append the whole rest of fd to b; more than max bytes is an error (CTX_EINPUT). */
int ctx_io_read_fd(
    int fd, struct ctx_buf *b, size_t max, const char *what, struct ctx_err *err);

/* Append the contents of the file at path ("-" is standard input). A file that can't be
 * opened is CTX_EIO. */
int ctx_io_read_file(
    const char *path, struct ctx_buf *b, size_t max, struct ctx_err *err);

/* Replace the file at path by n bytes: temporary file beside it (mode 0600 & ~umask),
 * fsync, rename, fsync of the directory. Of a link, the file that it leads to is replaced.
 * Targets that are no regular file (a fifo) are written in place; what stands for a
 * descriptor of this process (/dev/fd/3, /dev/stderr) goes to that, whatever it is. */
int ctx_io_replace_file(const char *path, const void *p, size_t n, struct ctx_err *err);

/* Make the name of a file or directory durable: fsync of the directory that holds it. What
 * goes wrong is not told of, as some file systems cannot do it. */
void ctx_io_sync_parent(const char *path);

/* Make a directory and those above it that are missing (mode 0700), their names durable. */
int ctx_io_make_dirs(const char *path, struct ctx_err *err);

/* Is there input (or end of input) on fd right now, without waiting? */
bool ctx_io_ready(int fd);

#endif
