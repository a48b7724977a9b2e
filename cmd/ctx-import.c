#include "import.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "json/json.h"
#include "store/foreign.h"
#include "store/llm.h"

#define TOLD 10 /* of what was left out, so many by name */

static struct importing importing = {
    .opt = {.format = "auto", .max_record = (int64_t)CTX_READER_MAX}};

static struct cli_option options[] = {
    {"format", 'f', "NAME", "whose transcripts they are (default auto)", CLI_STRING,
	&importing.opt.format, NULL},
    {"session", 's', "SID", "the session's id, where the source has none", CLI_STRING,
	&importing.opt.session, NULL},
    {"current", 0, NULL, "of a conversation with branches only the one shown last",
	CLI_FLAG, &importing.opt.current, NULL},
    {"report", 0, "FILE", "write the report records there (else a line on stderr)",
	CLI_STRING, &importing.opt.report, NULL},
    {"formats", 0, NULL, "list the formats", CLI_FLAG, &importing.opt.formats, NULL},
    {"import-dir", 0, "DIR", "where more formats are", CLI_STRING, &importing.opt.dir,
	"CTX_IMPORT_DIR"},
    {"max-record", 0, "BYTES", "longest value that is accepted (default 64 MiB)", CLI_INT,
	&importing.opt.max_record, "CTX_MAX_RECORD"},
    CLI_REDACT_OPTIONS,
    CLI_QUIET_OPTION,
    CLI_END,
};

int
print_record(void *arg, struct ctx_span record, struct ctx_err *err)
{
	(void)arg;
	if (cli_redact_json(&record, err) < 0)
		return -1;
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

/* A value that was left out is told and counted; all else ends the run. */
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

static int
add_peeked(
    struct importing *imp, struct ctx_import *im, struct peek *p, struct ctx_err *err)
{
	struct ctx_json_iter it;
	int rc = 0;

	ctx_json_iter_init(&it, ctx_buf_span(&p->list));
	for (size_t i = 0; rc == 0 && i < p->n && ctx_json_iter_next(&it); i++) {
		imp->at.no++;
		imp->at.line = p->line[i];
		if (p->err[i].code == CTX_OK) {
			rc = import_value(imp, im, it.value, err);
		} else {
			*err = p->err[i];
			rc = skip_import_row(imp, im, err);
		}
	}
	return rc;
}

static int
import_rest(struct importing *imp, struct ctx_import *im, struct ctx_cut *cut,
    struct ctx_err *err)
{
	struct ctx_span value;
	int rc = 0, got;

	while (rc == 0 && (got = ctx_cut_next(cut, &value, err)) != 0) {
		imp->at.no++;
		imp->at.line = ctx_cut_line(cut);
		cli_progress_line();
		rc = got == 1 ? import_value(imp, im, value, err)
			      : skip_import_row(imp, im, err);
	}
	imp->at.no = imp->at.line = 0;
	if (rc == 0 && end_import_file(imp, im, err) < 0)
		rc = left_out(imp, err);
	return rc;
}

static int
import_values(struct importing *imp, int fd, const char *name, const char *path,
    struct ctx_err *err)
{
	struct ctx_cut *cut = ctx_cut_new(fd, name, (size_t)imp->opt.max_record);
	struct peek *p = ctx_mem_new(sizeof(*p));
	const char *format = imp->opt.format;
	struct ctx_import *im = NULL;
	int rc = 1;

	imp->at.name = name;
	imp->at.no = imp->at.line = 0;
	if (strcmp(format, "auto") == 0) {
		rc = look(cut, p, err);
		if (rc == 0 && p->n == 0)
			goto done; /* an empty file */
		if (rc >= 0 &&
		    detect(imp, &format, ctx_buf_span(&p->list), name, err) < 0)
			rc = -1;
	}
	if (rc < 0 || find_detected(imp, &im, format, name, err) < 0) {
		rc = -1;
		goto done;
	}
	ctx_import_begin(im, path);
	rc = add_peeked(imp, im, p, err);
	ctx_buf_release(&p->list);
	if (rc == 0)
		rc = import_rest(imp, im, cut, err);
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

/* What a database is is told by its tables. */
static int
detect_database(struct importing *imp, const char **format, struct ctx_foreign *db,
    const char *path, struct ctx_err *err)
{
	struct ctx_buf list = CTX_BUF_INIT;
	int rc;

	ctx_json_put_open(&list, '[');
	rc = ctx_foreign_tables(db, &list, err);
	ctx_json_put_close(&list, ']');
	if (rc == 0)
		rc = detect(imp, format, ctx_buf_span(&list), path, err);
	ctx_buf_release(&list);
	return rc;
}

static int
import_database(struct importing *imp, const char *path, struct ctx_err *err)
{
	struct ctx_foreign *db = NULL;
	struct ctx_buf script = CTX_BUF_INIT;
	const char *format = imp->opt.format;
	struct ctx_import *im;
	int rc;

	imp->at.name = path;
	imp->at.no = imp->at.line = 0;
	rc = ctx_foreign_open(&db, path, (size_t)imp->opt.max_record, err);
	if (rc == 0 && strcmp(format, "auto") == 0)
		rc = detect_database(imp, &format, db, path, err);
	if (rc == 0)
		rc = find_detected(imp, &im, format, path, err);
	if (rc == 0 && strcmp(format, "llm") != 0)
		rc = read_script(imp, &script, format, err);
	if (rc == 0) {
		ctx_import_begin(im, path);
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

static int
import_file(
    struct importing *imp, int argc, char **argv, int operand, struct ctx_err *err)
{
	const char *path = argv[operand];
	struct stat st;
	char *real = NULL;
	int fd, rc;

	if (strcmp(path, "-") == 0) {
		cli_note_terminal();
		cli_progress_files(argc, argv, operand, STDIN_FILENO);
		return import_values(imp, STDIN_FILENO, "stdin", NULL, err);
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return ctx_err_sys(err, CTX_EIO, errno, "cannot open '%s'", path);
	cli_progress_files(argc, argv, operand, fd);
	/* a pipe has a number, no name */
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		real = realpath(path, NULL);
	if (is_database(fd))
		rc = import_database(imp, path, err);
	else if (strcmp(imp->opt.format, "llm") == 0)
		rc = ctx_err_set(err, CTX_EINPUT, "'%s' is not a database of llm", path);
	else
		rc = import_values(imp, fd, path, real, err);
	free(real);
	close(fd);
	return rc;
}

/* ---- the report ---- */

static int64_t
read_report_figure(struct ctx_span report, const char *key)
{
	int64_t v = 0;

	ctx_json_int(ctx_json_get(report, key), &v);
	return v;
}

static int64_t
sum_report_figures(struct ctx_span report, const char *key)
{
	struct ctx_json_iter it;
	int64_t total = 0, v;

	ctx_json_iter_init(&it, ctx_json_get(report, key));
	while (ctx_json_iter_next(&it))
		if (ctx_json_int(it.value, &v))
			total += v;
	return total;
}

static int
print_import_report(struct importing *imp, struct ctx_err *err)
{
	struct ctx_buf all = CTX_BUF_INIT, one = CTX_BUF_INIT;
	int rc = 0;

	for (struct importer *u = imp->importers; u != NULL; u = u->next) {
		struct ctx_span r;
		ctx_buf_reset(&one);
		ctx_import_report(u->im, &one);
		r = ctx_span_trim(ctx_buf_span(&one));
		ctx_buf_addspan(&all, ctx_buf_span(&one));
		if (imp->opt.report == NULL)
			cli_note(
			    "%s: records %lld, sessions %lld, messages %lld, skipped %lld, fields lost %lld (--report names them)",
			    u->format, (long long)read_report_figure(r, "records"),
			    (long long)read_report_figure(r, "sessions"),
			    (long long)read_report_figure(r, "messages"),
			    (long long)sum_report_figures(r, "skipped"),
			    (long long)sum_report_figures(r, "lost"));
	}
	if (imp->opt.report != NULL)
		rc = ctx_io_replace_file(
		    imp->opt.report, ctx_buf_span(&all).p, all.n, err);
	ctx_buf_release(&all);
	ctx_buf_release(&one);
	return rc;
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	struct importing *imp = &importing;
	static char *stdin_only[] = {"-"};
	struct ctx_err late = CTX_ERR_INIT;
	int rc = 0;

	if (imp->opt.formats) {
		if (cli_no_operands(argc, argv, err) < 0)
			return -1;
		for (size_t i = 0; ctx_import_formats[i] != NULL; i++)
			ctx_buf_addf(&cli_out.buf, "%s\n", ctx_import_formats[i]);
		return 0;
	}
	if (imp->opt.session != NULL &&
	    cli_check_id(imp->opt.session, "session id", err) < 0)
		return -1;
	if (cli_redact_start(err) < 0)
		return -1;
	if (argc == 0) {
		argc = 1;
		argv = stdin_only;
	}
	for (int i = 0; rc == 0 && i < argc; i++) {
		rc = import_file(imp, argc, argv, i, err);
		if (rc < 0 && err->code == CTX_EINPUT) {
			/* other files may be well */
			cli_error(err);
			imp->failures++;
			*err = (struct ctx_err)CTX_ERR_INIT;
			rc = 0;
		}
	}
	if (cli_flush(&late) < 0 && rc == 0) {
		*err = late;
		rc = -1;
	}
	if (print_import_report(imp, &late) < 0 && rc == 0) {
		*err = late;
		rc = -1;
	}
	release_importers(imp);
	if (rc == 0 && imp->failures > 0)
		rc = ctx_err_set(err, CTX_EINPUT, "%zu left out", imp->failures);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-import",
    .synopsis = "[-f FORMAT] [-s SID] [--current] [--report FILE] [FILE ...]\n--formats",
    .about = "Turns transcripts of other tools into session and message records.",
    .options = options,
    .run = run,
};

int
main(int argc, char **argv)
{
	return cli_main(&command, argc, argv);
}
