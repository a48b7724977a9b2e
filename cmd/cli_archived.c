/* Reads archived sessions for commands that treat them like other sessions. */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "archive/restore.h"
#include "base/io.h"
#include "base/mem.h"
#include "json/json.h"
#include "store/purge.h"

/* ---- running ctx-archive ---- */

/* Runs ctx-archive from this program's directory, or else from the PATH. */
static void
exec_archive(char **argv)
{
	char self[4096];
	long n = readlink("/proc/self/exe", self, sizeof(self) - sizeof("ctx-archive"));
	char *slash;

	if (n > 0) {
		self[n] = '\0';
		slash = strrchr(self, '/');
		memcpy(slash + 1, "ctx-archive", sizeof("ctx-archive"));
		execv(self, argv);
	}
	execvp("ctx-archive", argv);
	_exit(127);
}

static int
start_archive(
    const char *const arguments[], int out_fd, int err_fd, int *pid, struct ctx_err *err)
{
	char **argv = NULL;
	size_t n = 0, cap = 0;
	int null;

	CTX_MEM_GROW(argv, n, cap);
	argv[n++] = "ctx-archive";
	for (size_t i = 0; n == 1 || arguments[i - 1] != NULL; i++) {
		CTX_MEM_GROW(argv, n, cap);
		argv[n++] = (char *)arguments[i];
	}
	*pid = fork();
	if (*pid == 0) {
		null = open("/dev/null", O_RDWR);
		if (null < 0 || dup2(null, STDIN_FILENO) < 0 ||
		    dup2(out_fd >= 0 ? out_fd : null, STDOUT_FILENO) < 0 ||
		    (err_fd >= 0 && dup2(err_fd, STDERR_FILENO) < 0))
			_exit(4);
		exec_archive(argv);
	}
	free(argv);
	return *pid >= 0 ? 0 : ctx_err_sys(err, CTX_EIO, errno, "cannot run ctx-archive");
}

static int
end_archive(int pid, struct ctx_err *err)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return ctx_err_sys(
			    err, CTX_EIO, errno, "cannot wait for ctx-archive");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return ctx_err_set(
		    err, CTX_EIO, "cannot run ctx-archive to read the archive");
	return ctx_err_set(err,
	    WIFEXITED(status) && WEXITSTATUS(status) == 1 ? CTX_EANSWER : CTX_EIO,
	    "ctx-archive failed");
}

/* Copies the messages of ctx-archive to stderr. */
static void
pass_on(int fd)
{
	char chunk[4096];
	long n;

	lseek(fd, 0, SEEK_SET);
	while ((n = ctx_io_read(fd, chunk, sizeof(chunk))) > 0)
		ctx_io_write(STDERR_FILENO, chunk, (size_t)n, "stderr", NULL);
}

int
cli_run_archive(const char *const arguments[], struct ctx_err *err)
{
	int pid;

	if (start_archive(arguments, -1, -1, &pid, err) < 0)
		return -1;
	return end_archive(pid, err);
}

/* Reads records until the end, or until fn fails. */
static int
read_records(int fd, cli_record_fn *fn, void *arg, struct ctx_err *err)
{
	struct ctx_reader *r = ctx_reader_new(fd, "ctx-archive", CTX_ARCHIVE_LINE_MAX);
	struct ctx_record record;
	struct ctx_span line;
	int rc;

	while ((rc = ctx_reader_next(r, &line, err)) == 1)
		if (ctx_record_parse(&record, line, err) < 0 ||
		    fn(arg, &record, err) < 0) {
			rc = -1;
			break;
		}
	ctx_reader_free(r);
	return rc;
}

int
cli_read_archive(
    const char *const arguments[], cli_record_fn *fn, void *arg, struct ctx_err *err)
{
	struct ctx_err failure = CTX_ERR_INIT;
	int fds[2], pid, rc;

	if (pipe(fds) < 0 || fcntl(fds[0], F_SETFD, FD_CLOEXEC) < 0 ||
	    fcntl(fds[1], F_SETFD, FD_CLOEXEC) < 0)
		return ctx_err_sys(err, CTX_EIO, errno, "cannot create a pipe");
	rc = start_archive(arguments, fds[1], -1, &pid, err);
	close(fds[1]);
	if (rc < 0) {
		close(fds[0]);
		return -1;
	}
	rc = read_records(fds[0], fn, arg, err);
	close(fds[0]);
	if (end_archive(pid, &failure) < 0 && rc == 0) {
		*err = failure;
		rc = -1;
	}
	return rc;
}

int
cli_fetch_archive(const char *address, int *fd, struct ctx_err *err)
{
	const char *args[] = {"--cat", "--raw", "--quiet", "--", address, NULL};
	int said = cli_spool_new(err), pid, rc;

	*fd = said < 0 ? -1 : cli_spool_new(err);
	rc = *fd < 0 ? -1 : start_archive(args, *fd, said, &pid, err);
	if (rc == 0)
		rc = end_archive(pid, err);
	if (rc < 0 && err->code == CTX_EANSWER) {
		err->code = CTX_OK;
		rc = 1;
	} else if (rc < 0 && said >= 0) {
		pass_on(said);
	}
	if (said >= 0)
		close(said);
	if (rc != 0 && *fd >= 0)
		close(*fd);
	return rc < 0 ? -1 : rc == 0;
}

/* ---- temporary stores ---- */

static int
take_failure(void *arg CTX_UNUSED, const struct ctx_unarchived *u, struct ctx_err *err)
{
	if (u->failure == NULL)
		return 0;
	*err = *u->failure;
	return ctx_err_prefix(err, "%s", u->uri);
}

static int
load_source(struct ctx_store *into, struct ctx_source *source, const char *uri,
    const char *sha256, struct ctx_err *err)
{
	struct ctx_unarchive_options o = {.now = 0};
	struct ctx_unarchive *u = ctx_unarchive_new(into, &o, take_failure, NULL);
	int rc = ctx_unarchive_add(u, source, uri, sha256, err);

	if (rc == 0)
		rc = ctx_unarchive_flush(u, err);
	ctx_unarchive_free(u);
	return rc;
}

/* Loads the archive from its address. Its checksum must be that of the file that was
 * archived. */
static int
load_archive(
    struct ctx_store *into, const char *uri, const char *sha256, struct ctx_err *err)
{
	struct ctx_places places = {.open = ctx_place_open_dir};
	struct ctx_source src = {.path = uri, .fd = -1};
	int rc = 1;

	if (ctx_place_is_remote(uri)) {
		rc = cli_fetch_archive(uri, &src.fd, err);
		src.held = rc == 1;
		if (rc == 0)
			rc = ctx_err_set(err, CTX_EANSWER, "%s: archive not found", uri);
	} else {
		rc = ctx_places_find(&places, uri, &src, err);
	}
	if (rc >= 0)
		rc = load_source(into, &src, uri, sha256, err);
	if (src.held)
		close(src.fd);
	ctx_places_close(&places);
	return rc;
}

int
cli_scratch_open(struct ctx_store **out, struct ctx_err *err)
{
	struct ctx_store_options o = {.path = "scratch",
	    .sync = CTX_SYNC_OFF,
	    .create = true,
	    .bulk = true,
	    .scratch = true};

	return ctx_store_open(out, &o, err);
}

static int
load_archived_session(
    struct ctx_store **out, const struct ctx_session *s, struct ctx_err *err)
{
	char *uri = ctx_archive_uri(s), *sha256 = ctx_archive_sha256(s);
	int rc = -1;

	if (uri == NULL)
		ctx_err_set(err, CTX_ESTORE, "session '%s' has no recorded archive",
		    s->session_id);
	else
		rc = cli_scratch_open(out, err);
	if (rc == 0 && (rc = load_archive(*out, uri, sha256, err)) < 0)
		ctx_err_prefix(err, "session '%s'", s->session_id);
	free(uri);
	free(sha256);
	return rc;
}

int
cli_archived_open(struct ctx_store **out, struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_session there = CTX_SESSION_INIT;
	int rc;

	ctx_store_close(*out);
	*out = NULL;
	if (!ctx_archive_cleaned(s))
		return 0;
	rc = load_archived_session(out, s, err);
	if (rc == 0)
		rc = cli_session_find(*out, s->session_id, &there, err);
	if (rc == 0) {
		char *archive = s->archive_json;
		there.status = s->status;
		there.archive_json = archive;
		s->archive_json = NULL;
		ctx_session_release(s);
		*s = there;
		ctx_session_init(&there);
	}
	if (rc < 0) {
		ctx_store_close(*out);
		*out = NULL;
	}
	ctx_session_release(&there);
	return rc;
}

bool
cli_session_moved(struct ctx_store *st, struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_session now = CTX_SESSION_INIT;

	if (!ctx_session_moved(st, s, &now, err))
		return false;
	ctx_session_release(s);
	*s = now;
	return true;
}

int
cli_read_messages(struct ctx_store *st, struct ctx_session *s, cli_messages_fn *fn,
    void *arg, struct ctx_err *err)
{
	struct ctx_store *archived = NULL;
	int rc;

	do {
		rc = cli_archived_open(&archived, s, err);
		if (rc == 0)
			rc = fn(arg, archived != NULL ? archived : st, s, err);
	} while (rc < 0 && cli_session_moved(st, s, err));
	ctx_store_close(archived);
	return rc;
}

/* ---- resuming ---- */

static int
read_archived_status(
    struct ctx_store *st, const char *session_id, int64_t *status, struct ctx_err *err)
{
	struct ctx_session s = CTX_SESSION_INIT;
	int rc = ctx_store_session_find(st, session_id, &s, err);

	*status = s.status;
	ctx_session_release(&s);
	return rc;
}

/* Another process may restore the session at the same time, which counts as success. */
static int
run_archive_restore(struct ctx_store *st, const char *session_id,
    const char *const arguments[], struct ctx_err *err)
{
	struct ctx_err ignored = CTX_ERR_INIT;
	int said = cli_spool_new(err), pid, rc;
	int64_t status;

	if (said < 0)
		return -1;
	rc = start_archive(arguments, -1, said, &pid, err);
	if (rc == 0)
		rc = end_archive(pid, err);
	if (rc < 0 && err->code == CTX_EANSWER &&
	    read_archived_status(st, session_id, &status, &ignored) == 1 &&
	    status == CTX_STATUS_ACTIVE) {
		err->code = CTX_OK;
		rc = 0;
	} else {
		pass_on(said);
	}
	close(said);
	return rc;
}

int
cli_archived_resume(struct ctx_store *st, const char *session_id, struct ctx_err *err)
{
	const char *args[10] = {"--restore", "--quiet", "--session", session_id};
	int64_t status;
	size_t n = 4;
	int rc;

	if (cli_common.store != NULL) {
		args[n++] = "--store";
		args[n++] = cli_common.store;
	}
	if (ctx_store_tenant(st) != NULL) {
		args[n++] = "--tenant";
		args[n++] = ctx_store_tenant(st);
	}
	rc = read_archived_status(st, session_id, &status, err);
	if (rc == 1 && status == CTX_STATUS_ARCHIVED)
		rc = run_archive_restore(st, session_id, args, err);
	return rc < 0 ? -1 : 0;
}
