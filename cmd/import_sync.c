/* ctx-import --sync: stores what is new in the directories of other tools. The state of
 * the files is kept next to the store, so that a file that has not changed is not
 * opened. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/hash.h"
#include "base/io.h"
#include "base/mem.h"
#include "import.h"
#include "json/json.h"

#define STATE_MAX ((size_t)1 << 30)
#define SETTLED_MS \
	600000 /* a file that was not modified for this long counts as complete */

struct known_file {
	char *path;
	int64_t size, inode, changed; /* changed: microseconds since the epoch */
	struct import_resume resume;
	bool seen;
};

struct known_files {
	struct known_file *v;
	size_t n, cap;
	size_t loaded; /* number of them that were loaded, and are sorted by path */
};

struct sync_run {
	struct importing *imp;
	struct known_files known;
	bool open;            /* the store is open */
	struct ctx_buf state; /* path of the file with the state */
	struct ctx_buf store; /* the store's path or address */
	int64_t number;       /* number of a store on a server */
	int64_t files, read;
};

/* ---- the state of the files ---- */

static void
release_known_files(struct known_files *k)
{
	for (size_t i = 0; i < k->n; i++) {
		free(k->v[i].path);
		free(k->v[i].resume.format);
		ctx_import_point_release(&k->v[i].resume.point);
	}
	free(k->v);
}

static int
compare_known_files(const void *a, const void *b)
{
	return strcmp(
	    ((const struct known_file *)a)->path, ((const struct known_file *)b)->path);
}

static int
compare_path_to_known(const void *path, const void *file)
{
	return strcmp(path, ((const struct known_file *)file)->path);
}

static struct known_file *
find_known_file(struct known_files *k, const char *path)
{
	return k->loaded == 0
		   ? NULL
		   : bsearch(path, k->v, k->loaded, sizeof(*k->v), compare_path_to_known);
}

static struct known_file *
add_known_file(struct known_files *k, char *path)
{
	CTX_MEM_GROW(k->v, k->n, k->cap);
	k->v[k->n] = (struct known_file){.path = path};
	return &k->v[k->n++];
}

static void
take_known_line(struct known_files *k, struct ctx_span line)
{
	char *path = ctx_json_strdup(ctx_json_get(line, "path"));
	struct known_file *f;

	if (path == NULL)
		return;
	f = add_known_file(k, path);
	ctx_json_int(ctx_json_get(line, "size"), &f->size);
	ctx_json_int(ctx_json_get(line, "inode"), &f->inode);
	ctx_json_int(ctx_json_get(line, "changed"), &f->changed);
	ctx_json_int(ctx_json_get(line, "offset"), &f->resume.offset);
	ctx_json_int(ctx_json_get(line, "line"), &f->resume.line);
	ctx_json_int(ctx_json_get(line, "values"), &f->resume.point.no);
	f->resume.waits = ctx_json_true(ctx_json_get(line, "waits"));
	f->resume.format = ctx_json_strdup(ctx_json_get(line, "format"));
	f->resume.point.state = ctx_json_strdup(ctx_json_get(line, "state"));
	f->resume.point.own = ctx_json_strdup(ctx_json_get(line, "session"));
}

/* Appends the first line, which names the store and the tenant. The state is not valid
 * for others. */
static void
add_store_line(struct ctx_buf *b, const struct sync_run *run)
{
	struct stat st = {0};

	stat(run->store.p, &st);
	ctx_json_print(b, "{'store':%d,'tenant':%s}",
	    run->number != 0 ? run->number : (int64_t)st.st_ino, cli_common.tenant);
}

static int
load_known_files(struct sync_run *run, struct ctx_err *err)
{
	struct ctx_buf text = CTX_BUF_INIT, want = CTX_BUF_INIT;
	struct known_files *k = &run->known;
	const char *path = run->state.p;
	struct stat st;
	struct ctx_span rest, line;
	bool first = true;

	if (stat(path, &st) < 0)
		return errno == ENOENT
			   ? 0
			   : ctx_err_sys(err, CTX_EIO, errno, "cannot read '%s'", path);
	if (ctx_io_read_file(path, &text, STATE_MAX, err) < 0)
		return -1;
	add_store_line(&want, run);
	rest = ctx_buf_span(&text);
	while (ctx_span_split(&rest, '\n', &line)) {
		if (first && !ctx_span_eq(line, ctx_buf_span(&want)))
			break;
		if (!first)
			take_known_line(k, line);
		first = false;
	}
	if (k->n > 0)
		qsort(k->v, k->n, sizeof(*k->v), compare_known_files);
	k->loaded = k->n;
	ctx_buf_release(&text);
	ctx_buf_release(&want);
	return 0;
}

static void
add_known_line(struct ctx_buf *b, const struct known_file *f)
{
	ctx_json_print(b, "\n{'path':%s,'format':%s,'size':%d,'inode':%d,'changed':%d",
	    f->path, f->resume.format, f->size, f->inode, f->changed);
	ctx_json_print(b, "'offset':%d,'line':%d,'values':%d", f->resume.offset,
	    f->resume.line, f->resume.point.no);
	if (f->resume.waits)
		ctx_json_add_bool(b, "waits", true);
	ctx_json_print(
	    b, "'state':%s,'session':%s}", f->resume.point.state, f->resume.point.own);
}

/* Saves the state. Files that no longer exist are removed from it, unless their tool was
 * not processed. */
static int
save_known_files(const struct sync_run *run, bool all, struct ctx_err *err)
{
	const struct known_files *k = &run->known;
	struct ctx_buf b = CTX_BUF_INIT;
	int rc;

	add_store_line(&b, run);
	for (size_t i = 0; i < k->n; i++)
		if (k->v[i].seen || !all)
			add_known_line(&b, &k->v[i]);
	ctx_buf_addc(&b, '\n');
	rc = ctx_io_replace_file(run->state.p, b.p, b.n, err);
	ctx_buf_release(&b);
	return rc;
}

/* ---- files ---- */

static int64_t
count_microseconds(const struct stat *st)
{
	return (int64_t)st->st_mtim.tv_sec * 1000000 + st->st_mtim.tv_nsec / 1000;
}

/* Reads size and time of a file, including the log of a database. Returns false if it is
 * not a file. */
static bool
look_at_file(struct known_file *f, const char *path)
{
	struct ctx_buf log = CTX_BUF_INIT;
	struct stat st, side;

	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode))
		return false;
	f->size = st.st_size;
	f->inode = (int64_t)st.st_ino;
	f->changed = count_microseconds(&st);
	ctx_buf_addf(&log, "%s-wal", path);
	if (stat(log.p, &side) == 0) {
		f->size += side.st_size;
		f->changed += count_microseconds(&side);
	}
	ctx_buf_release(&log);
	return true;
}

static bool
is_settled(const struct known_file *f)
{
	return cli_now() - f->changed / 1000 > SETTLED_MS;
}

static int
read_sync_file(struct sync_run *run, struct known_file *f, struct ctx_err *err)
{
	int rc = 0;

	if (!run->open) {
		run->open = true;
		rc = open_import_store(run->imp, err);
	}
	run->read++;
	cli_progress(1, "files read");
	f->resume.settled = is_settled(f);
	if (rc == 0)
		rc = import_file(run->imp, f->path, &f->resume, err);
	if (rc < 0 && (err->code == CTX_EINPUT || err->code == CTX_EIO)) {
		cli_error(err);
		run->imp->failures++;
		*err = (struct ctx_err)CTX_ERR_INIT;
		rc = 0;
	}
	return rc < 0 ? -1 : 0;
}

static int
sync_file(void *arg, const char *format, const char *path, struct ctx_err *err)
{
	struct sync_run *run = arg;
	struct known_file now = {0}, *f = find_known_file(&run->known, path);
	bool grown;

	if (!look_at_file(&now, path) || (f != NULL && f->seen))
		return 0;
	run->files++;
	if (f == NULL)
		f = add_known_file(&run->known, ctx_mem_str(path));
	f->seen = true;
	if (f->size == now.size && f->inode == now.inode && f->changed == now.changed &&
	    !(f->resume.waits && is_settled(f)))
		return 0;
	grown = f->inode == now.inode && now.size >= f->resume.offset;
	if (!grown) {
		ctx_import_point_release(&f->resume.point);
		f->resume.offset = f->resume.line = 0;
	}
	f->size = now.size;
	f->inode = now.inode;
	f->changed = now.changed;
	if (f->resume.format == NULL)
		f->resume.format = ctx_mem_str(format);
	return read_sync_file(run, f, err);
}

/* Imports the new and grown files of a format. Prints a record if something was read. */
static int
sync_format(struct sync_run *run, const char *format, struct ctx_err *err)
{
	struct import_sums before, after;
	int64_t files = run->files, read = run->read;
	int rc;

	read_import_sums(run->imp, &before);
	rc = walk_places(format, sync_file, run, err);
	if (rc == 0 && run->open)
		rc = flush_import_store(run->imp, err);
	if (rc < 0 || run->read == read)
		return rc;
	read_import_sums(run->imp, &after);
	ctx_json_print(&cli_out.buf,
	    "{'kind':'sync','format':%s,'files':%d,'read':%d,'new':%d,'present':%d,'refused':%d}\n",
	    format, run->files - files, run->read - read, after.added - before.added,
	    after.repeated - before.repeated, after.refused - before.refused);
	return cli_flush_some(err);
}

static int
sync_formats(struct sync_run *run, int argc, char **argv, struct ctx_err *err)
{
	struct ctx_span name, program = CTX_SPAN_NONE;
	int rc = 0;

	for (int i = 0; rc == 0 && i < argc; i++)
		rc = sync_format(run, argv[i], err);
	while (rc == 0 && argc == 0 && ctx_import_format_next(&name, &program)) {
		char *format = ctx_span_dup(name);
		rc = sync_format(run, format, err);
		free(format);
	}
	return rc;
}

/* Finds the file with the state. It is next to the store; but for a store on a server,
 * which other machines use too, it is in the user's data directory. */
static int
find_sync_state(struct sync_run *run, struct ctx_err *err)
{
	char hash[CTX_HASH_HEX + 1];

	if (cli_store_path(&run->store, err) < 0)
		return -1;
	if (!ctx_store_is_remote(run->store.p)) {
		ctx_buf_addf(&run->state, "%s-sync", run->store.p);
		return 0;
	}
	if (cli_data_path(&run->state, "", err) < 0 ||
	    ctx_io_make_dirs(run->state.p, false, err) < 0)
		return -1;
	ctx_hash_sha256(run->store.p, run->store.n, hash);
	ctx_buf_addf(&run->state, "/%.16s-sync", hash);
	run->open = true;
	if (open_import_store(run->imp, err) < 0)
		return -1;
	return ctx_store_incarnation(run->imp->store, &run->number, err);
}

int
sync_places(struct importing *imp, int argc, char **argv, struct ctx_err *err)
{
	struct sync_run run = {.imp = imp};
	int rc = find_sync_state(&run, err);

	if (rc == 0)
		rc = load_known_files(&run, err);
	if (rc == 0)
		rc = sync_formats(&run, argc, argv, err);
	cli_progress_end();
	if (rc == 0 && run.read > 0)
		rc = save_known_files(&run, argc == 0, err);
	if (rc == 0)
		cli_note("%lld files found, %lld read", (long long)run.files,
		    (long long)run.read);
	release_known_files(&run.known);
	ctx_buf_release(&run.store);
	ctx_buf_release(&run.state);
	return rc;
}

/* ---- directories ---- */

static int
filter_entry(const struct dirent *e)
{
	static const char *const skipped[] = {".", "..", ".git", "node_modules"};

	for (size_t i = 0; i < sizeof(skipped) / sizeof(skipped[0]); i++)
		if (strcmp(e->d_name, skipped[i]) == 0)
			return false;
	return true;
}

static int
read_found_file(struct importing *imp, const char *path, struct ctx_err *err)
{
	int rc = import_file(imp, path, NULL, err);

	if (rc < 0 && err->code == CTX_EINPUT) {
		if (!imp->unknown) {
			cli_error(err);
			imp->failures++;
		}
		*err = (struct ctx_err)CTX_ERR_INIT;
		rc = 0;
	}
	return rc < 0 ? -1 : 0;
}

int
import_directory(struct importing *imp, const char *path, struct ctx_err *err)
{
	struct dirent **list = NULL;
	int n = scandir(path, &list, filter_entry, alphasort), rc = 0;

	if (n < 0)
		return ctx_err_sys(err, CTX_EIO, errno, "cannot read '%s'", path);
	for (int i = 0; i < n; i++) {
		struct ctx_buf full = CTX_BUF_INIT;
		struct stat st;
		ctx_buf_addf(&full, "%s/%s", path, list[i]->d_name);
		if (rc == 0 && lstat(full.p, &st) == 0) {
			if (S_ISDIR(st.st_mode))
				rc = import_directory(imp, full.p, err);
			else if (S_ISREG(st.st_mode))
				rc = read_found_file(imp, full.p, err);
		}
		ctx_buf_release(&full);
		free(list[i]);
	}
	free(list);
	return rc;
}
