/* ctx-import: reads files and passes their contents to the programs of their formats. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "import.h"
#include "json/json.h"
#include "store/foreign.h"
#include "store/llm.h"

#define TOLD 10 /* number of skipped values that are reported one by one */

int
print_record(void *arg, struct ctx_span record, struct ctx_err *err)
{
	struct importing *imp = arg;

	if (cli_redact_json(&record, err) < 0)
		return -1;
	if (imp->opt.append || imp->opt.sync)
		return store_import_record(imp, record, err);
	ctx_buf_addspan(&cli_out.buf, record);
	ctx_buf_addc(&cli_out.buf, '\n');
	return cli_flush_some(err);
}

static void
warn_import_failure(struct importing *imp, struct ctx_err *err)
{
	if (imp->at.no > 0 && imp->at.no != imp->at.line)
		ctx_err_prefix(err, "record %lld", (long long)imp->at.no);
	if (imp->at.line > 0)
		ctx_err_prefix(err, "%s:%lld", imp->at.name, (long long)imp->at.line);
	else
		ctx_err_prefix(err, "%s", imp->at.name);
	if (imp->failures++ < TOLD)
		cli_error(err);
	*err = (struct ctx_err)CTX_ERR_INIT;
}

void
tell_reason(void *arg, const char *reason)
{
	struct importing *imp = arg;
	struct ctx_err err = CTX_ERR_INIT;

	ctx_err_set(&err, CTX_EINPUT, "%s", reason);
	warn_import_failure(imp, &err);
}

/* Reports and counts a value that was skipped. Other errors end the run. */
static int
left_out(struct importing *imp, struct ctx_err *err)
{
	if (err->code != CTX_EINPUT)
		return -1;
	warn_import_failure(imp, err);
	return 0;
}

static int
import_value(struct importing *imp, struct ctx_import *im, struct ctx_span value,
    struct ctx_err *err)
{
	int rc;

	guard(imp->at.name, imp->at.line, imp->at.no);
	rc = ctx_import_add(im, value, err);
	guard_end();
	return rc < 0 ? left_out(imp, err) : 0;
}

static int
end_import_file(struct importing *imp, struct ctx_import *im, struct ctx_err *err)
{
	int rc;

	guard(imp->at.name, 0, 0);
	rc = ctx_import_end(im, err);
	guard_end();
	return rc;
}

static int
skip_row(void *arg, struct ctx_err *err)
{
	struct importing *imp = arg;

	imp->at.no++;
	ctx_import_skip(imp->into, "unreadable row");
	return left_out(imp, err);
}

static int
skip_import_row(struct importing *imp, struct ctx_import *im, struct ctx_err *err)
{
	if (err->code == CTX_EINPUT)
		ctx_import_skip(im, "no JSON");
	return left_out(imp, err);
}

/* Remembers the position after a value, if a later run can continue there. */
static void
note_point(const struct importing *imp, struct import_resume *r,
    const struct ctx_import *im, int64_t offset)
{
	if (r == NULL || offset < 0 || !ctx_import_point(im, &r->point))
		return;
	r->offset = offset;
	r->line = imp->at.line;
}

static int
add_peeked(struct importing *imp, struct ctx_import *im, struct ctx_cut *cut,
    struct peek *p, struct import_resume *r, struct ctx_err *err)
{
	struct ctx_json_iter it = ctx_json_iter_of(ctx_buf_span(&p->list));
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < p->n && ctx_json_iter_next(&it); i++) {
		imp->at.no++;
		imp->at.line = p->line[i];
		if (p->err[i].code == CTX_OK) {
			rc = import_value(imp, im, it.value, err);
			note_point(imp, r, im, p->offset[i]);
		} else if (r == NULL || i + 1 < p->n || !ctx_cut_is_partial(cut)) {
			*err = p->err[i];
			rc = skip_import_row(imp, im, err);
		}
	}
	return rc;
}

static int
import_rest(struct importing *imp, struct ctx_import *im, struct ctx_cut *cut,
    struct import_resume *r, struct ctx_err *err)
{
	struct ctx_span value;
	int64_t done;
	int rc = 0, got;

	while (rc == 0 && (got = ctx_cut_next(cut, &value, err)) != 0) {
		imp->at.no++;
		imp->at.line = ctx_cut_line(cut);
		done = imp->at.before + (imp->at.size > 0 ? ctx_cut_offset(cut) : 0);
		if (imp->at.total > 0)
			cli_progress_part((double)done / (double)imp->at.total);
		cli_progress(1, "records");
		if (got == 1) {
			rc = import_value(imp, im, value, err);
			note_point(imp, r, im, ctx_cut_offset(cut));
		} else if (r != NULL && err->code == CTX_EINPUT &&
			   ctx_cut_is_partial(cut)) {
			*err = (struct ctx_err)CTX_ERR_INIT;
		} else {
			rc = skip_import_row(imp, im, err);
		}
	}
	imp->at.no = imp->at.line = 0;
	if (r != NULL)
		r->waits = !r->settled && ctx_import_drop_pieces(im);
	if (rc == 0 && end_import_file(imp, im, err) < 0)
		rc = left_out(imp, err);
	return rc;
}

/* Reads the lines of a text from its beginning. A pipe cannot be rewound once it was
 * read. */
static int
begin_text(struct importing *imp, struct ctx_cut **cut, struct opened *o, struct peek *p,
    const char *path, struct ctx_err *err)
{
	const char *name = imp->at.name;

	if (p->n > 0 && path == NULL)
		return ctx_err_set(err, CTX_EINPUT,
		    "%s: a plain text format cannot be detected in a pipe: use -f FORMAT",
		    name);
	if (p->n > 0 && (close_input(o, name, err) < 0 || open_input(o, path, err) < 0))
		return -1;
	ctx_cut_free(*cut);
	*cut = ctx_cut_new(o->fd, name, (size_t)imp->opt.max_record);
	ctx_cut_text(*cut);
	p->n = 0;
	return 0;
}

/* Continues where reading stopped, if the file can be read from there. */
static void
continue_file(struct importing *imp, struct ctx_import *im, struct ctx_cut *cut,
    const struct opened *o, const struct import_resume *r)
{
	if (r == NULL || r->offset == 0 || o->unpacker != NULL ||
	    lseek(o->fd, r->offset, SEEK_SET) < 0)
		return;
	ctx_cut_continue(cut, r->offset, r->line - 1);
	ctx_import_continue(im, &r->point);
	imp->at.no = r->point.no;
}

/* Imports the values of a file. path is the file's path, or NULL for a pipe; told is the
 * absolute path without the extension of a packed file. */
static int
import_values(struct importing *imp, struct opened *o, const char *path, const char *told,
    struct import_resume *r, struct ctx_err *err)
{
	const char *format = r != NULL && r->format != NULL ? r->format : imp->opt.format;
	struct ctx_cut *cut = ctx_cut_new(
	    o->fd, imp->at.name, (size_t)imp->opt.max_record);
	struct peek *p = ctx_mem_new(sizeof(*p));
	struct ctx_import *im = NULL;
	int rc = 1;

	if (strcmp(format, "auto") == 0) {
		rc = look(cut, p, err);
		if (rc == 0 && p->n == 0)
			goto done; /* the file is empty */
		if (rc >= 0)
			rc = detect(imp, &format, ctx_buf_span(&p->list), CTX_SPAN_NONE,
			    told == NULL ? imp->at.name : told, err);
	}
	if (rc >= 0)
		rc = find_detected(imp, &im, format, imp->at.name, err);
	if (rc >= 0 && ctx_import_reads_text(im))
		rc = begin_text(imp, &cut, o, p, path, err);
	if (rc < 0)
		goto done;
	ctx_import_begin(im, told);
	continue_file(imp, im, cut, o, r);
	rc = add_peeked(imp, im, cut, p, r, err);
	ctx_buf_release(&p->list);
	if (rc == 0)
		rc = import_rest(imp, im, cut, r, err);
done:
	ctx_buf_release(&p->list);
	free(p);
	ctx_cut_free(cut);
	return rc;
}

static int
import_json_row(void *arg, struct ctx_span json, struct ctx_err *err)
{
	struct importing *imp = arg;
	struct ctx_import *im = imp->into;
	struct ctx_span value;

	imp->at.no++;
	if (ctx_json_check(json, &value, NULL, err) < 0)
		return skip_import_row(imp, im, err);
	return import_value(imp, im, value, err);
}

/* Detects the format of a database by its tables. */
static int
detect_database(struct importing *imp, const char **format, struct ctx_foreign *db,
    const char *path, struct ctx_err *err)
{
	struct ctx_buf list = CTX_BUF_INIT;
	int rc = ctx_foreign_tables(db, &list, err);

	if (rc == 0)
		rc = detect(imp, format, CTX_SPAN_NONE, ctx_buf_span(&list), path, err);
	ctx_buf_release(&list);
	return rc;
}

/* name is the name of the original file, of which path may be an unpacked copy. */
static int
import_database(struct importing *imp, const char *path, const char *name,
    const struct import_resume *r, struct ctx_err *err)
{
	struct ctx_foreign *db = NULL;
	struct ctx_buf script = CTX_BUF_INIT;
	const char *format = r != NULL && r->format != NULL ? r->format : imp->opt.format;
	struct ctx_import *im;
	int rc = ctx_foreign_open(&db, path, (size_t)imp->opt.max_record, err);

	if (rc == 0 && strcmp(format, "auto") == 0)
		rc = detect_database(imp, &format, db, name, err);
	if (rc == 0)
		rc = find_detected(imp, &im, format, name, err);
	if (rc == 0 && strcmp(format, "llm") != 0)
		rc = read_script(imp, &script, format, err);
	if (rc == 0) {
		ctx_import_begin(im, name);
		imp->into = im;
		rc = strcmp(format, "llm") == 0
			 ? ctx_llm_read(db,
			       &(struct ctx_llm_sink){import_json_row, skip_row, imp},
			       err)
			 : ctx_foreign_run(
			       db, ctx_buf_span(&script), import_json_row, imp, err);
		if (end_import_file(
			imp, im, rc < 0 ? &(struct ctx_err)CTX_ERR_INIT : err) < 0)
			rc = -1;
	}
	ctx_foreign_close(db);
	ctx_buf_release(&script);
	return rc;
}

static bool
is_database(int fd)
{
	static const char magic[16] = "SQLite format 3";
	char head[16];

	return pread(fd, head, sizeof(head), 0) == sizeof(head) &&
	       memcmp(head, magic, 16) == 0;
}

/* Imports a packed database, which must be unpacked to a file first. */
static int
import_packed_database(
    struct importing *imp, struct opened *o, const char *path, struct ctx_err *err)
{
	struct ctx_buf copy = CTX_BUF_INIT;
	int rc = spool_database(o, &copy, err);

	if (rc == 0)
		rc = import_database(imp, copy.p, path, NULL, err);
	unlink(copy.p);
	ctx_buf_release(&copy);
	return rc;
}

static bool
names_database(const char *told)
{
	const char *dot = told == NULL ? NULL : strrchr(told, '.');

	return dot != NULL && (strcmp(dot, ".db") == 0 || strcmp(dot, ".vscdb") == 0 ||
				  strcmp(dot, ".sqlite") == 0);
}

/* Returns the absolute path of a file as a heap string; NULL for a pipe. */
static char *
find_path(int fd, const char *path, bool packed)
{
	struct stat st;
	char *real, *dot;

	if (!packed && (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)))
		return NULL;
	real = realpath(path, NULL);
	dot = real == NULL ? NULL : strrchr(real, '.');
	if (packed && dot != NULL && strchr(dot, '/') == NULL)
		*dot = '\0';
	return real;
}

int
import_file(
    struct importing *imp, const char *path, struct import_resume *r, struct ctx_err *err)
{
	struct opened o = {STDIN_FILENO, NULL, -1};
	struct ctx_err late = CTX_ERR_INIT;
	struct stat st;
	bool packed;
	char *told;
	int rc;

	imp->at.name = strcmp(path, "-") == 0 ? "stdin" : path;
	imp->at.no = imp->at.line = 0;
	imp->unknown = false;
	if (strcmp(path, "-") == 0) {
		cli_note_terminal();
		return import_values(imp, &o, NULL, NULL, NULL, err);
	}
	if (open_input(&o, path, err) < 0)
		return -1;
	packed = o.unpacker != NULL;
	imp->at.size = !packed && fstat(o.fd, &st) == 0 ? st.st_size : 0;
	told = find_path(o.fd, path, packed);
	if (!packed && is_database(o.fd))
		rc = import_database(imp, path, path, r, err);
	else if (packed && names_database(told))
		rc = import_packed_database(imp, &o, path, err);
	else if (strcmp(imp->opt.format, "llm") == 0)
		rc = ctx_err_set(
		    err, CTX_EINPUT, "'%s' is not a database of the tool llm", path);
	else
		rc = import_values(imp, &o, told == NULL ? NULL : path, told, r, err);
	free(told);
	if (o.fd >= 0 && close_input(&o, path, &late) < 0 && rc >= 0) {
		*err = late;
		rc = -1;
	}
	return rc;
}
