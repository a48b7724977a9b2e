/* A copy of a store in use. */
#include "store/check.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "store/stmt.h"

/* All pages in one step: they are read in one snapshot, so that writers neither wait nor
 * make it begin again. */
static int
copy_pages(struct ctx_store *st, const char *path, struct ctx_err *err)
{
	sqlite3 *to = NULL;
	sqlite3_backup *b;
	int rc;

	if (sqlite3_open_v2(
		path, &to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) != SQLITE_OK)
		goto fail;
	b = sqlite3_backup_init(to, "main", st->db.h, "main");
	if (b == NULL)
		goto fail;
	sqlite3_backup_step(b, -1);
	if (sqlite3_backup_finish(b) != SQLITE_OK)
		goto fail;
	if (sqlite3_close(to) == SQLITE_OK)
		return 0;
	return ctx_err_set(err, CTX_EIO, "cannot write '%s'", path);
fail:
	rc = ctx_err_set(err, CTX_EIO, "cannot write '%s': %s", path, sqlite3_errmsg(to));
	sqlite3_close(to);
	return rc;
}

static int
sync_path(const char *path, int flags, struct ctx_err *err)
{
	int fd = open(path, flags | O_CLOEXEC), rc;

	rc = fd < 0 ? -1 : fsync(fd);
	if (rc < 0)
		ctx_err_sys(err, CTX_EIO, errno, "cannot write '%s'", path);
	if (fd >= 0)
		close(fd);
	return rc;
}

/* A copy under the name of a store that was written to would be read with that one's log. */
static int
check_place(const struct ctx_store *st, const char *path, struct ctx_err *err)
{
	struct ctx_buf log = CTX_BUF_INIT;
	struct stat store, there;
	int rc = 0;

	if (stat(path, &there) == 0 && stat(st->db.path, &store) == 0 &&
	    there.st_dev == store.st_dev && there.st_ino == store.st_ino)
		return ctx_err_set(err, CTX_EUSAGE, "'%s' is the store itself", path);
	ctx_buf_addf(&log, "%s-wal", path);
	if (stat(log.p, &there) == 0 && there.st_size > 0)
		rc = ctx_err_set(err, CTX_EIO,
		    "'%s' holds what was written to '%s': not replaced", log.p, path);
	ctx_buf_release(&log);
	return rc;
}

/* What readers of the last copy have made beside it is not of this one. */
static int
clear_place(const char *path, struct ctx_err *err)
{
	static const char *const ends[] = {
	    "-wal", "-shm", "-derived", "-derived-wal", "-derived-shm", "-names"};
	struct ctx_buf b = CTX_BUF_INIT;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(ends) / sizeof(ends[0]); i++) {
		ctx_buf_reset(&b);
		ctx_buf_addf(&b, "%s%s", path, ends[i]);
		if (unlink(b.p) < 0 && errno != ENOENT)
			rc = ctx_err_sys(err, CTX_EIO, errno, "cannot remove '%s'", b.p);
	}
	ctx_buf_release(&b);
	return rc;
}

int
ctx_store_backup(struct ctx_store *st, const char *path, struct ctx_err *err)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	char *copy = ctx_mem_str(path);
	int fd, rc = check_place(st, path, err);

	if (rc < 0)
		goto done;
	ctx_buf_addf(&tmp, "%s.tmp-XXXXXX", path);
	fd = mkstemp(tmp.p);
	if (fd < 0) {
		rc = ctx_err_sys(err, CTX_EIO, errno, "cannot create '%s'", tmp.p);
		goto done;
	}
	close(fd);
	rc = copy_pages(st, tmp.p, err);
	if (rc == 0)
		rc = sync_path(tmp.p, O_RDWR, err);
	if (rc == 0)
		rc = clear_place(path, err);
	if (rc == 0 && rename(tmp.p, path) < 0)
		rc = ctx_err_sys(err, CTX_EIO, errno, "cannot create '%s'", path);
	if (rc == 0)
		rc = sync_path(dirname(copy), O_RDONLY | O_DIRECTORY, err);
	else
		unlink(tmp.p);
done:
	free(copy);
	ctx_buf_release(&tmp);
	return rc;
}
