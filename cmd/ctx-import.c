#include "import.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/mem.h"
#include "json/json.h"

static struct importing importing = {
    .opt = {.format = "auto", .max_record = (int64_t)CTX_READER_MAX}};

static struct cli_option options[] = {
    {"format", 'f', "NAME", "format of the transcripts (default auto)", CLI_STRING,
	&importing.opt.format, NULL},
    {"session", 's', "SID", "session id for a transcript that has none", CLI_STRING,
	&importing.opt.session, NULL},
    {"current", 0, NULL, "import only the branch that the tool showed last", CLI_FLAG,
	&importing.opt.current, NULL},
    {"append", 0, NULL, "store the records instead of printing them", CLI_FLAG,
	&importing.opt.append, NULL},
    {"sync", 0, NULL,
	"store the new messages of sessions that other tools keep on this machine",
	CLI_FLAG, &importing.opt.sync, NULL},
    {"sources", 0, NULL, "list the places where other tools keep their sessions",
	CLI_FLAG, &importing.opt.sources, NULL},
    {"report", 0, "FILE",
	"write a report record for each format to FILE (default: print totals on stderr)",
	CLI_STRING, &importing.opt.report, NULL},
    {"formats", 0, NULL, "list the known formats", CLI_FLAG, &importing.opt.formats,
	NULL},
    {"import-dir", 0, "DIR", "directory of additional formats", CLI_STRING,
	&importing.opt.dir, "CTX_IMPORT_DIR"},
    {"max-record", 0, "BYTES",
	"maximum size of one JSON value in the input (default 64 MiB)", CLI_COUNT,
	&importing.opt.max_record, "CTX_MAX_RECORD"},
    CLI_REDACT_OPTIONS,
    CLI_TOKENIZER_OPTION,
    {"store", 'S', "FILE", "path of the store, or address of a PostgreSQL database",
	CLI_STRING, &cli_common.store, "CTX_STORE"},
    {"tenant", 0, "ID", "show and create only this tenant's sessions", CLI_STRING,
	&cli_common.tenant, "CTX_TENANT"},
    {"busy-timeout", 0, "TIME", "how long to wait while other processes write",
	CLI_DURATION, &cli_common.busy_timeout, "CTX_BUSY_TIMEOUT"},
    CLI_QUIET_OPTION,
    CLI_END,
};

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
	int64_t total = 0, v;

	CTX_JSON_EACH(it, ctx_json_get(report, key))
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
			    "%s: records %lld, sessions %lld, messages %lld, skipped %lld, fields lost %lld (--report FILE lists them)",
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

static void
list_formats(void)
{
	struct ctx_span name, program = CTX_SPAN_NONE;

	while (ctx_import_format_next(&name, &program)) {
		ctx_buf_addspan(&cli_out.buf, name);
		ctx_buf_addc(&cli_out.buf, '\n');
	}
}

static int
import_operand(struct importing *imp, const char *path, struct ctx_err *err)
{
	struct stat st;
	int rc;

	if (strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return import_directory(imp, path, err);
	rc = import_file(imp, path, NULL, err);
	if (rc < 0 && err->code == CTX_EINPUT) {
		/* continue with the other files */
		cli_error(err);
		imp->failures++;
		*err = (struct ctx_err)CTX_ERR_INIT;
		rc = 0;
	}
	return rc < 0 ? -1 : 0;
}

/* Bytes of a file; -1 for anything else, of which the size says nothing. */
static int64_t
measure_operand(const char *path)
{
	struct stat st;

	return strcmp(path, "-") != 0 && stat(path, &st) == 0 && S_ISREG(st.st_mode)
		   ? st.st_size
		   : -1;
}

static int
import_operands(struct importing *imp, int argc, char **argv, struct ctx_err *err)
{
	static char *stdin_only[] = {"-"};
	int rc = 0;

	if (argc == 0) {
		argc = 1;
		argv = stdin_only;
	}
	for (int i = 0; i < argc && imp->at.total >= 0; i++) {
		int64_t size = measure_operand(argv[i]);
		imp->at.total = size < 0 ? -1 : imp->at.total + size;
	}
	for (int i = 0; rc == 0 && i < argc; i++) {
		rc = import_operand(imp, argv[i], err);
		if (imp->at.total > 0)
			imp->at.before += measure_operand(argv[i]);
	}
	return rc;
}

/* Prints the report at the end of the work, even after an error. */
static int
end_import(struct importing *imp, int rc, struct ctx_err *err)
{
	struct ctx_err late = CTX_ERR_INIT;
	struct import_sums sums;

	if (imp->opt.append && flush_import_store(imp, rc == 0 ? err : &late) < 0)
		rc = -1;
	if (cli_flush(rc == 0 ? err : &late) < 0)
		rc = -1;
	if ((!imp->opt.sync || imp->opt.report != NULL) &&
	    print_import_report(imp, rc == 0 ? err : &late) < 0)
		rc = -1;
	if (imp->opt.append || imp->opt.sync) {
		read_import_sums(imp, &sums);
		cli_note("%lld new message%s, %lld already stored, %lld refused",
		    (long long)sums.added, CTX_PLURAL(sums.added),
		    (long long)sums.repeated, (long long)sums.refused);
		imp->failures += (size_t)sums.refused;
	}
	return rc;
}

/* Checks the options. The directory of --import-dir must exist; options of the store
 * require --append or --sync. */
static int
check_import_options(const struct importing *imp, struct ctx_err *err)
{
	const void *const of_store[] = {&cli_common.store, &cli_common.tenant,
	    &cli_common.busy_timeout, &cli_common.tokenizer};
	bool stores = imp->opt.append || imp->opt.sync;
	struct stat st;

	for (size_t i = 0; i < sizeof(of_store) / sizeof(*of_store); i++)
		if (cli_check_needs(of_store[i], stores, "--append or --sync", err) < 0)
			return -1;
	if (cli_check_alone("append sync", err) < 0)
		return -1;
	if (imp->opt.dir == NULL || (stat(imp->opt.dir, &st) == 0 && S_ISDIR(st.st_mode)))
		return 0;
	return ctx_err_sys(err, CTX_EIO,
	    access(imp->opt.dir, F_OK) == 0 ? ENOTDIR : errno,
	    "cannot open directory '%s'", imp->opt.dir);
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	struct importing *imp = &importing;
	int rc = 0;

	if (imp->opt.formats || imp->opt.sources) {
		if (cli_no_operands(argc, argv, err) < 0 ||
		    (imp->opt.sources ? cli_check_form("--sources", "sources", err)
				      : cli_check_form("--formats", "formats", err)) < 0)
			return -1;
		if (imp->opt.sources)
			return print_sources(err);
		list_formats();
		return 0;
	}
	if (imp->opt.session != NULL &&
	    cli_check_id(imp->opt.session, "session id", err) < 0)
		return -1;
	if (imp->opt.sync && (imp->opt.session != NULL || cli_flagged(&imp->opt.format)))
		return ctx_err_set(err, CTX_EUSAGE,
		    "--sync cannot be used with -f or -s (name formats as operands)");
	if (check_import_options(imp, err) < 0 || cli_redact_start(err) < 0 ||
	    (imp->opt.append && open_import_store(imp, err) < 0))
		return -1;
	rc = imp->opt.sync ? sync_places(imp, argc, argv, err)
			   : import_operands(imp, argc, argv, err);
	rc = end_import(imp, rc, err);
	release_importers(imp);
	close_import_store(imp);
	if (rc == 0 && imp->failures > 0)
		rc = ctx_err_set(err, CTX_EINPUT,
		    "%zu error%s: the invalid input was skipped", imp->failures,
		    CTX_PLURAL(imp->failures));
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-import",
    .synopsis = "[-f FORMAT] [-s SID] [--current] [--append] [--report FILE] [FILE ...]\n"
		"--sync [FORMAT ...]\n--sources\n--formats",
    .about = "Converts transcripts of other tools to session and message records.",
    .options = options,
    .run = run,
};

CLI_MAIN(command)
