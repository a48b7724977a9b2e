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

/* Opens for reading a file that is found by its place and not named by the user. A FIFO,
 * which would block until somebody writes to it, is refused with EINVAL. Returns the
 * descriptor, or -1 with errno. */
int ctx_io_open_found(const char *path);

/* ctx_io_read_file of such a file. */
int ctx_io_read_found(
    const char *path, struct ctx_buf *b, size_t max, struct ctx_err *err);

/* Replace the file at path by n bytes: temporary file beside it (mode 0600 & ~umask),
 * fsync, rename, fsync of the directory. Of a link, the file that it leads to is replaced.
 * Targets that are no regular file (a fifo) are written in place; what stands for a
 * descriptor of this process (/dev/fd/3, /dev/stderr) goes to that, whatever it is.
 * CTX_EUSAGE for "-". */
int ctx_io_replace_file(const char *path, const void *p, size_t n, struct ctx_err *err);

/* Open for reading and writing a file that belongs to another one beside it, and make it if
 * it is missing. It gets that one's owner, group and permissions (without execution) as far
 * as the process may give them, so that root locks nobody out. A link is not followed.
 * Returns the descriptor, or -1 with errno. */
int ctx_io_open_beside(const char *path, const char *like);
/* Give such a file, if it is there, what ctx_io_open_beside would give it. This process must
 * not hold locks on it. */
void ctx_io_mend_beside(const char *path, const char *like);
/* Whether files can be made beside this one: 0, or the errno of its directory. */
int ctx_io_check_beside(const char *path);

/* Replace such a file. */
int ctx_io_replace_beside(
    const char *path, const char *like, const void *p, size_t n, struct ctx_err *err);

/* Gives a file or directory that this process has just made, with mode 0600 or 0700, to the
 * owner of the directory that it is in: what root makes for a user locks nobody out. With
 * group, members of the directory's group may do with it what they may do there, if it is a
 * directory that a group shares: with the set-group-ID bit, or writable for the group. In one
 * that everybody may write to, as /tmp, nothing is changed. Both are descriptors. */
void ctx_io_take_after(int fd, int directory, bool group);

/* Which of a database's files refuses this process: the file, the log, its index or the
 * directory? With write also for writing. Returns the errno value and appends the path; 0
 * when none does. */
int ctx_io_find_refused(const char *database, bool write, struct ctx_buf *path);

/* Make the name of a file or directory durable: fsync of the directory that holds it. What
 * goes wrong is not told of, as some file systems cannot do it. */
void ctx_io_sync_parent(const char *path);

/* Make a directory and those above it that are missing (mode 0700), their names durable. Each
 * takes after the one that it is in. */
int ctx_io_make_dirs(const char *path, bool group, struct ctx_err *err);

/* Is there input (or end of input) on fd right now, without waiting? */
bool ctx_io_ready(int fd);

#endif
