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

/* Appends the contents of the file at path to b; "-" means stdin. Fails with CTX_EIO if
 * the file cannot be opened, and with CTX_EINPUT if the file is larger than max bytes. */
int ctx_io_read_file(
    const char *path, struct ctx_buf *b, size_t max, struct ctx_err *err);

/* Opens a file for reading. Use this function for a file that the program found in a
 * directory, not for a file that the user named. Refuses a FIFO with EINVAL, since
 * opening a FIFO would block until a writer opens it too. Returns the descriptor, or -1
 * with errno. */
int ctx_io_open_found(const char *path);

/* Like ctx_io_read_file, but opens the file with ctx_io_open_found. */
int ctx_io_read_found(
    const char *path, struct ctx_buf *b, size_t max, struct ctx_err *err);

/* Replaces the contents of the file at path with the n bytes at p, atomically: writes a
 * temporary file in the same directory (mode 0600 & ~umask), syncs and renames it, and
 * syncs the directory. If path is a symbolic link, the file that the link points to is
 * replaced. A target that is not a regular file (a FIFO, for example) is written in
 * place, and a path that names a descriptor of this process (/dev/fd/3, /dev/stderr) is
 * written to that descriptor. "-" fails with CTX_EUSAGE. */
int ctx_io_replace_file(const char *path, const void *p, size_t n, struct ctx_err *err);

/* Opens the file at path for reading and writing, and creates it if it is missing. like:
 * the path of an existing file in the same directory. A new file gets the owner, group
 * and permissions (without execute bits) of that file, as far as the process may set
 * them. Therefore the owner of the existing file can use a file that root creates. Does
 * not follow a symbolic link. Returns the descriptor, or -1 with errno. */
int ctx_io_open_beside(const char *path, const char *like);
/* If the file at path exists, gives it the owner, group and permissions of another file.
 * like: the path of the other file. This process must not hold locks on the file at path:
 * this function opens and closes that file, which would release the locks. */
void ctx_io_mend_beside(const char *path, const char *like);
/* Returns 0 if files can be created in the directory of path; otherwise returns the errno
 * value. */
int ctx_io_check_beside(const char *path);

/* Like ctx_io_replace_file, but gives the file the owner and permissions of another file,
 * and does not follow links. like: the path of the other file. */
int ctx_io_replace_beside(
    const char *path, const char *like, const void *p, size_t n, struct ctx_err *err);

/* Adjusts the owner, group and permissions of a file or directory that this process has
 * just created with mode 0600 or 0700. fd and directory are descriptors of the new file
 * and of the directory that contains it. If the process runs as root, the file gets the
 * directory's owner and group. If group is true and the directory is shared by a group
 * (it is writable by the group or has the set-group-ID bit), members of the group get the
 * same access to the file that they have to the directory. Nothing is changed if the
 * directory is writable by everybody and has the sticky bit, like /tmp. */
void ctx_io_take_after(int fd, int directory, bool group);

/* Checks access to the files of a SQLite database: the database, its -wal, its -shm, and
 * their directory. Missing files are ignored. Returns 0 if this process may read the
 * files and search the directory and, if write is true, may also write to all of them.
 * Otherwise sets *path to the path of the first file, or of the directory, that the
 * process may not access, and returns the errno value. */
int ctx_io_find_refused(const char *database, bool write, struct ctx_buf *path);

/* Syncs the directory that contains path, so that a new or renamed entry is durable.
 * Errors are ignored, because some file systems do not support this. */
void ctx_io_sync_parent(const char *path);

/* Creates the directory at path and its missing parents with mode 0700, and syncs the
 * directory that contains each new directory. Each new directory is adjusted with
 * ctx_io_take_after, to which group is passed. */
int ctx_io_make_dirs(const char *path, bool group, struct ctx_err *err);

/* Returns true if a read from fd would not block, because input is available or the end
 * of file is reached. */
bool ctx_io_ready(int fd);

#endif
