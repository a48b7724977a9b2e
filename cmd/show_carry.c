/* ctx-show: writes sessions as files of other tools, to stdout or where the tool
 * looks. */
#include "show.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "carry/carry.h"

int
show_carry_check(int format, bool install, struct ctx_err *err)
{
	struct ctx_carry_home home;

	if (!install)
		return 0;
	if (format < 0)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--install needs the format of a tool that can resume sessions (such as -f claude-code)");
	home = ctx_carry_home(format);
	if (home.below_home == NULL && home.command == NULL)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--install cannot be used with -f %s: no tool reads such files from a fixed place",
		    ctx_carry_name(format));
	if (home.below_home == NULL)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--install cannot be used with -f %s: print the file and run '%s'",
		    ctx_carry_name(format), home.command);
	return 0;
}

/* Appends the tool's directory, from its environment variable or below the home
 * directory. */
static int
find_tool_home(int format, struct ctx_buf *path, struct ctx_err *err)
{
	struct ctx_carry_home home = ctx_carry_home(format);
	const char *own = home.variable == NULL ? NULL : getenv(home.variable);
	const char *user = getenv("HOME");

	if (own != NULL && *own != '\0') {
		ctx_buf_adds(path, own);
		return 0;
	}
	if (user == NULL || *user == '\0')
		return ctx_err_set(err, CTX_EUSAGE, "--install: HOME is not set");
	ctx_buf_adds(path, user);
	if (*home.below_home != '\0')
		ctx_buf_addf(path, "/%s", home.below_home);
	return 0;
}

/* Writes a file, which must not exist yet. */
static int
write_new_file(const char *path, struct ctx_span text, struct ctx_err *err)
{
	struct ctx_buf directory = CTX_BUF_INIT;
	int fd, rc;

	ctx_buf_add(&directory, path, (size_t)(strrchr(path, '/') - path));
	rc = ctx_io_make_dirs(directory.p, false, err);
	ctx_buf_release(&directory);
	if (rc < 0)
		return -1;
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 && errno == EEXIST)
		return ctx_err_set(
		    err, CTX_EANSWER, "'%s' already exists and is not replaced", path);
	if (fd < 0)
		return ctx_err_sys(err, CTX_EIO, errno, "cannot create '%s'", path);
	rc = ctx_io_write(fd, text.p, text.n, path, err);
	if (rc == 0 && fsync(fd) < 0)
		rc = ctx_err_sys(err, CTX_EIO, errno, "cannot write '%s'", path);
	if (close(fd) < 0 && rc == 0)
		rc = ctx_err_sys(err, CTX_EIO, errno, "cannot write '%s'", path);
	if (rc < 0)
		unlink(path);
	else
		ctx_io_sync_parent(path);
	return rc;
}

/* Returns whether the file contains the path of this directory and nothing else. */
static bool
names_directory(const char *file, const char *directory)
{
	struct ctx_buf text = CTX_BUF_INIT;
	bool same = ctx_io_read_found(file, &text, PATH_MAX + 64, NULL) == 0;

	while (same && text.n > 0 && strchr(" \t\r\n", text.p[text.n - 1]) != NULL)
		text.n--;
	same = same && ctx_span_eq(ctx_buf_span(&text), ctx_span_of(directory));
	ctx_buf_release(&text);
	return same;
}

/* Gemini CLI looks for chats in the first directory whose file .project_root names the
 * project. If such a directory exists, *path is changed to it. */
static void
find_project_root(struct ctx_buf *path, const char *directory)
{
	const char *chats = path->n == 0 ? NULL : strstr(path->p, "/chats/session-");
	struct ctx_buf file = CTX_BUF_INIT, found = CTX_BUF_INIT;
	struct dirent *d;
	size_t base;
	DIR *projects;

	if (chats == NULL)
		return;
	for (base = (size_t)(chats - path->p); base > 0 && path->p[base - 1] != '/';)
		base--;
	ctx_buf_add(&file, path->p, base);
	projects = opendir(file.p);
	while (projects != NULL && found.n == 0 && (d = readdir(projects)) != NULL) {
		ctx_buf_reset(&file);
		ctx_buf_addf(
		    &file, "%.*s%s/.project_root", (int)base, path->p, d->d_name);
		if (names_directory(file.p, directory))
			ctx_buf_addf(
			    &found, "%.*s%s%s", (int)base, path->p, d->d_name, chats);
	}
	if (projects != NULL)
		closedir(projects);
	if (found.n > 0) {
		ctx_buf_reset(path);
		ctx_buf_addspan(path, ctx_buf_span(&found));
	}
	ctx_buf_release(&found);
	ctx_buf_release(&file);
}

static int
write_project_root(const char *path, const char *directory, struct ctx_err *err)
{
	struct ctx_buf file = CTX_BUF_INIT;
	const char *chats = strstr(path, "/chats/session-");
	int rc = 0;

	if (chats != NULL) {
		ctx_buf_addf(&file, "%.*s/.project_root", (int)(chats - path), path);
		if (access(file.p, F_OK) < 0)
			rc = write_new_file(file.p, ctx_span_of(directory), err);
	}
	ctx_buf_release(&file);
	return rc;
}

static int
install_session(int format, const char *place, const char *directory,
    struct ctx_span text, struct ctx_err *err)
{
	struct ctx_buf path = CTX_BUF_INIT;
	int rc = find_tool_home(format, &path, err);

	if (rc == 0) {
		ctx_buf_addf(&path, "/%s", place);
		find_project_root(&path, directory);
		rc = write_new_file(path.p, text, err);
	}
	if (rc == 0)
		rc = write_project_root(path.p, directory, err);
	if (rc == 0)
		ctx_buf_addf(&cli_out.buf, "%s\n", path.p);
	ctx_buf_release(&path);
	return rc;
}

int
show_carry(int format, const struct ctx_transcript *t, const char *directory,
    bool install, struct ctx_err *err)
{
	char here[PATH_MAX];
	struct ctx_carry_options o = {.directory = directory, .now = cli_now()};
	struct ctx_carried carried = {0};
	struct ctx_buf text = CTX_BUF_INIT;
	int rc;

	o.fallback = getcwd(here, sizeof(here)) == NULL ? "/" : here;
	rc = ctx_carry_print(
	    format, t->session, t->messages, t->n, &o, &text, &carried, err);
	if (rc == 0 && carried.system)
		cli_note("%s does not support a system text: the system text is omitted",
		    ctx_carry_name(format));
	if (rc == 0 && install)
		rc = install_session(
		    format, carried.place, carried.directory, ctx_buf_span(&text), err);
	else if (rc == 0)
		ctx_buf_addspan(&cli_out.buf, ctx_buf_span(&text));
	ctx_carried_release(&carried);
	ctx_buf_release(&text);
	return rc;
}
