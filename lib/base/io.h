/* Reads and writes whole files and descriptors; retries interrupted system calls. */
#ifndef CTX_BASE_IO_H
#define CTX_BASE_IO_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/* Reads up to n bytes as read(2) does, and retries on EINTR. Returns the number of bytes
 * read, 0 at end of file, or -1 with errno set. */
long ctx_io_read(int fd, void *p, size_t n);

/* Writes all n bytes. Fails with CTX_EIO, also for EPIPE. what: the name of the target in
 * the error message. */
int ctx_io_write(int fd, const void *p, size_t n, const char *what, struct ctx_err *err);

/* Appends to *b everything up to end of file. Fails with CTX_EINPUT if there are more
 * than max bytes. what: the name of the source in the error message. */
int ctx_io_read_fd(
    int fd, struct ctx_buf *b, size_t max, const char *what, struct ctx_err *err);

/* Appends the contents of the file at path to *b; "-" means stdin. Fails with CTX_EIO if
 * the file cannot be opened, and with CTX_EINPUT if the file is larger than max bytes. */
int ctx_io_read_file(
    const char *path, struct ctx_buf *b, size_t max, struct ctx_err *err);

/* Opens a file for reading. Use this function for a file that the program found in a
 * directory, not for a file that the user named. Refuses a FIFO with EINVAL, since
 * opening a FIFO would block until a writer opens it too. Returns the descriptor, or -1
 * with errno. */
int ctx_io_open_found(const char *path);

/* Like ctx_io_read_file, but opens the file with ctx_io_open_found, and "-" is an
 * ordinary name. */
int ctx_io_read_found(
    const char *path, struct ctx_buf *b, size_t max, struct ctx_err *err);

/* Replaces the contents of the file at path with the n bytes at p, atomically and
 * durably: writes a temporary file in the same directory (mode 0600 & ~umask) and renames
 * it. If path is a symbolic link, replaces the file to which it points. Fails with
 * CTX_EUSAGE for "-".
 *
 * If the target is not a regular file (a FIFO, for example), writes to it directly. If
 * path names a descriptor of this process (/dev/fd/3, /dev/stderr), writes to that
 * descriptor. */
int ctx_io_replace_file(const char *path, const void *p, size_t n, struct ctx_err *err);

/* Opens the file at path for reading and writing, and creates it if it is missing. Does
 * not follow a symbolic link. Returns the descriptor, or -1 with errno.
 *
 * like: path of another file in the same directory. A new file gets the owner, group and
 * permissions of that other file (without execute bits), so that the owner of the other
 * file can use a file that root creates. An existing file is changed in the same way if
 * the user of this process owns it. A process of root changes only files of root that are
 * empty or SQLite databases. */
int ctx_io_open_beside(const char *path, const char *like);
/* Adjusts the file at path as ctx_io_open_beside does; does nothing if the file does not
 * exist. like: path of another file, as for ctx_io_open_beside. This process must not
 * hold locks on the file at path, because this function opens and closes the file, which
 * would release the locks. */
void ctx_io_mend_beside(const char *path, const char *like);
/* Returns 0 if this process may create files in the directory that contains path,
 * otherwise the errno value. */
int ctx_io_check_beside(const char *path);

/* Like ctx_io_replace_file, but does not follow symbolic links. like: path of another
 * file, whose owner, group and permissions the file gets; may be NULL. */
int ctx_io_replace_beside(
    const char *path, const char *like, const void *p, size_t n, struct ctx_err *err);

/* Adjusts the owner, group and permissions of a new file (or directory), so that they fit
 * the directory that contains the file. fd: descriptor of the file; directory: descriptor
 * of the directory. The file was just created with mode 0600 or 0700.
 * - If the process runs as root, the file gets the directory's owner and group.
 * - If group is true and a group shares the directory (the directory is writable by its
 * group or has the set-group-ID bit), the group gets the same access to the file as to
 * the directory.
 * - If everybody may write to the directory and the directory has the sticky bit, like
 * /tmp, nothing is changed. */
void ctx_io_take_after(int fd, int directory, bool group);

/* Checks access to the files of a SQLite database: the database, its -wal, its -shm, and
 * their directory. Missing files are ignored. Returns 0 if this process may read the
 * files and search the directory and, if write is true, may also write to them. Otherwise
 * returns the errno value, and sets *path to the path that the process may not access. */
int ctx_io_find_refused(const char *database, bool write, struct ctx_buf *path);

/* Syncs the directory that contains path, so that a new or renamed entry is durable.
 * Errors are ignored, because some file systems do not support this. */
void ctx_io_sync_parent(const char *path);

/* Creates the directory at path and its missing parents durably, with mode 0700. Calls
 * ctx_io_take_after for each new directory; group: argument for these calls. */
int ctx_io_make_dirs(const char *path, bool group, struct ctx_err *err);

/* Returns true if a read from fd would not block, because input is available or the end
 * of file is reached. */
bool ctx_io_ready(int fd);

#endif
