/* A copy of a store in use. */
#include "store/check.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
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

int
ctx_store_backup(struct ctx_store *st, const char *path, struct ctx_err *err)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	char *copy = ctx_mem_str(path);
	int fd, rc;

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
