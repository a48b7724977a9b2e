#include "show.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "carry/carry.h"
#include "json/json.h"
#include "render/transcript.h"
#include "store/export.h"
#include "store/purge.h"
#include "telemetry/otlp.h"
#include "window/context.h"
#include "window/window.h"

static struct {
	struct cli_list session;
	const char *format, *request;
	const char *directory;
	bool context, last, tools, follow, install, content;
} opt = {.format = "ndjson"};

static struct cli_option options[] = {
    {"session", 's', "SID",
	"this session (repeatable; default: the sessions that the input records name)",
	CLI_LIST, &opt.session, NULL},
    {"format", 'f', "NAME", NULL /* main adds the names */, CLI_STRING, &opt.format,
	NULL},
    {"request", 0, "ID",
	"print the window from which this request was rendered, as input for ctx-render",
	CLI_STRING, &opt.request, NULL},
    {"context", 0, NULL, "for each answer, print what was added to the request", CLI_FLAG,
	&opt.context, NULL},
    {"tools", 0, NULL, "print a record for each tool call with its result", CLI_FLAG,
	&opt.tools, NULL},
    {"follow", 0, NULL, "keep running and print new records as they are stored", CLI_FLAG,
	&opt.follow, NULL},
    {"content", 0, NULL, "with -f otlp: include texts, arguments and results", CLI_FLAG,
	&opt.content, NULL},
    {"install", 0, NULL,
	"with the format of another tool: write the file where that tool looks for sessions",
	CLI_FLAG, &opt.install, NULL},
    {"directory", 0, "DIR",
	"with the format of another tool: working directory of the session", CLI_STRING,
	&opt.directory, NULL},
    CLI_REDACT_OPTIONS,
    {"last", 0, NULL,
	"with --context: only the last answer; with --tools: only the last call of each tool",
	CLI_FLAG, &opt.last, NULL},
    CLI_QUIET_OPTION,
    CLI_STORE_OPTIONS,
    CLI_END,
};

static struct ctx_store *store;
static int
    format; /* enum ctx_transcript_format, or one of these; -1: the records themselves */
#define TRACES (INT_MAX - 1)
#define CARRIED INT_MAX
static int tool; /* format number of carry/carry.h, with CARRIED; -1: none */
static struct ctx_transcript shown;
static struct ctx_html html;
/* the error of the last session that cannot be printed in the format */
static struct ctx_err failed;

/* Number of records printed, and number of the next records that were printed before. */
struct progress {
	int64_t printed, again;
};

static int
print_shown_record(
    void *arg, enum ctx_kind kind, struct ctx_span line, struct ctx_err *err)
{
	struct progress *p = arg;

	if (p->again > 0) {
		p->again--;
		return 0;
	}
	p->printed++;
	line = ctx_span_trim(line);
	if (cli_redact_json(&line, err) < 0)
		return -1;
	if (format >= 0)
		return ctx_transcript_add(&shown, kind, line, err);
	ctx_buf_addspan(&cli_out.buf, line);
	ctx_buf_addc(&cli_out.buf, '\n');
	return cli_flush_some(err);
}

static int
print_part(const struct ctx_session *s, int part, struct ctx_err *err)
{
	struct progress p = {0, 0};

	return ctx_store_export(store, s, part, print_shown_record, &p, err);
}

/* Prints the messages that were not printed yet, in the order of the store. */
static int
print_messages(
    void *arg, struct ctx_store *from, const struct ctx_session *s, struct ctx_err *err)
{
	struct progress *p = arg;

	p->again = p->printed;
	return ctx_store_export(from, s, CTX_EXPORT_MESSAGES, print_shown_record, p, err);
}

/* ---- --request ---- */

/* Prints the window of a request of *s. arg: the request record, a string. */
static int
replay_request_window(
    void *arg, struct ctx_store *from, const struct ctx_session *s, struct ctx_err *err)
{
	ctx_buf_reset(&cli_out.buf);
	return ctx_replay_print(&cli_out.buf, from, s, ctx_span_of(arg), err);
}

/* Prints the additions of an answered request, or the request itself if it has no
 * answer. */
static int
show_answer(struct ctx_session *s, const char *record, struct ctx_err *err)
{
	int64_t seq = 0;

	if (ctx_json_int(ctx_json_get(ctx_span_of(record), "response_seq"), &seq))
		return show_context(store, s, seq, false, err);
	ctx_buf_addf(&cli_out.buf, "Request %s, not answered:\n", opt.request);
	ctx_context_print(&cli_out.buf, ctx_span_of(record), NULL);
	return 0;
}

/* Returns whether the session is one of --session, or --session is not given. */
static bool
is_asked_session(const struct ctx_session *s)
{
	for (size_t i = 0; i < opt.session.n; i++)
		if (strcmp(opt.session.v[i], s->session_id) == 0)
			return true;
	return opt.session.n == 0;
}

static int
show_request(struct ctx_err *err)
{
	struct ctx_session s = CTX_SESSION_INIT;
	char *record = NULL;
	int rc = ctx_store_request_find(store, opt.request, &s, &record, err);

	if (rc == 0 || (rc == 1 && !is_asked_session(&s)))
		rc = ctx_err_set(err, CTX_EANSWER, "no request '%s'%s%s", opt.request,
		    rc == 0 ? "" : " in session ", rc == 0 ? "" : opt.session.v[0]);
	else if (rc == 1 && s.status == CTX_STATUS_DELETED)
		rc = cli_deleted(s.session_id, err);
	else if (rc == 1)
		rc = opt.context ? show_answer(&s, record, err)
				 : cli_read_messages(
				       store, &s, replay_request_window, record, err);
	if (rc == 0)
		rc = cli_flush(err);
	else
		ctx_buf_reset(&cli_out.buf);
	free(record);
	ctx_session_release(&s);
	return rc;
}

/* Prints one transcript. If that fails, the error is printed and the others follow. */
static int
print_transcript(const char *session_id, struct ctx_err *err)
{
	const struct ctx_otlp_options traces = {CTX_VERSION, opt.content};
	size_t before = cli_out.buf.n;
	int rc;

	if (tool >= 0)
		rc = show_carry(tool, &shown, opt.directory, opt.install, err);
	else if (format == TRACES)
		rc = ctx_otlp_print(&shown, &traces, &cli_out.buf, err);
	else if (format == CTX_TRANSCRIPT_HTML)
		rc = ctx_transcript_html(&shown, &html, err);
	else
		rc = ctx_transcript_print(
		    &shown, (enum ctx_transcript_format)format, &cli_out.buf, err);

	if (rc == 0 || (err->code != CTX_EINPUT && err->code != CTX_EANSWER))
		return rc;
	cli_out.buf.n = before;
	ctx_err_prefix(err, "session '%s'", session_id);
	if (failed.code != CTX_OK)
		cli_error(&failed);
	failed = *err;
	*err = (struct ctx_err)CTX_ERR_INIT;
	return 0;
}

static int
show_session(void *arg CTX_UNUSED, const struct cli_listed *listed, struct ctx_err *err)
{
	struct ctx_session s = CTX_SESSION_INIT;
	struct progress p = {0, 0};
	int64_t no = 0;
	int rc = cli_session_open(store, listed->session_id, &s, err);

	if (rc == 0 && (opt.context || opt.tools)) {
		rc = opt.tools ? show_tools(store, &s, opt.last, err)
			       : show_context(store, &s, 0, opt.last, err);
		ctx_session_release(&s);
		return rc;
	}
	if (rc == 0) {
		no = s.no;
		rc = print_part(&s, CTX_EXPORT_SESSION, err);
	}
	if (rc == 0)
		rc = cli_read_messages(store, &s, print_messages, &p, err);
	if (rc == 0) {
		s.no = no;
		rc = print_part(&s, CTX_EXPORT_RECORDS, err);
	}
	if (rc == 0 && format >= 0)
		rc = print_transcript(listed->session_id, err);
	ctx_transcript_release(&shown);
	if (rc == 0)
		rc = cli_flush(err);
	ctx_session_release(&s);
	return rc;
}

static int
check_show_options(struct ctx_err *err)
{
	format = ctx_transcript_parse(opt.format);
	tool = format < 0 ? ctx_carry_find(opt.format) : -1;
	if (tool >= 0)
		format = CARRIED;
	else if (strcmp(opt.format, "otlp") == 0)
		format = TRACES;
	if (opt.content && format != TRACES)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--content can be used only with -f otlp");
	if (show_carry_check(tool, opt.install, err) < 0 ||
	    cli_check_needs(&opt.directory, tool >= 0, "-f with a tool's format", err) <
		0)
		return -1;
	if (opt.directory != NULL && opt.directory[0] != '/')
		return ctx_err_set(err, CTX_EUSAGE,
		    "--directory: '%s' is not an absolute path", opt.directory);
	if (format < 0 && strcmp(opt.format, "ndjson") != 0)
		return ctx_err_set(err, CTX_EUSAGE,
		    "unknown format '%s' (--help lists them)", opt.format);
	if (format >= 0 && (opt.context || opt.request != NULL))
		return ctx_err_set(err, CTX_EUSAGE,
		    "--format cannot be used with --context or --request");
	if (cli_common.redact && opt.request != NULL)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--redact cannot be used with --request, which shows what was sent");
	if (opt.tools && (opt.context || opt.request != NULL || format >= 0))
		return ctx_err_set(err, CTX_EUSAGE,
		    "--tools cannot be used with --context, --request or --format");
	if (opt.last && ((!opt.context && !opt.tools) || opt.request != NULL))
		return ctx_err_set(err, CTX_EUSAGE,
		    "--last needs --context or --tools, and cannot be used with --request");
	if (opt.follow &&
	    (opt.context || opt.tools || opt.request != NULL || format >= 0))
		return ctx_err_set(err, CTX_EUSAGE,
		    "--follow cannot be used with --context, --tools, --request or --format");
	if (opt.follow && opt.session.n == 0 && cli_session_default() != NULL)
		cli_list_add(&opt.session, cli_session_default());
	if (opt.follow && opt.session.n != 1)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--follow needs exactly one session (-s SID)");
	if (opt.request != NULL)
		return cli_check_form("--request", "request session context format", err);
	return 0;
}

static int
show_all(struct ctx_err *err)
{
	struct progress p = {0, 0};
	int rc;

	if (opt.request != NULL)
		return show_request(err);
	if (opt.follow)
		return show_follow(store, opt.session.v[0], print_shown_record, &p, err);
	rc = cli_sessions(store, &opt.session, show_session, NULL, err);
	/* skipped sessions were reported; the page has the others */
	if (html.n > 0 && (rc == 0 || cli_refused(err))) {
		ctx_html_print(&html, &cli_out.buf);
		if (cli_flush(err) < 0)
			rc = -1;
	}
	if (rc == 0 && failed.code != CTX_OK) {
		*err = failed;
		rc = -1;
	}
	return rc;
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	int rc;

	if (cli_no_operands(argc, argv, err) < 0 || check_show_options(err) < 0 ||
	    cli_redact_start(err) < 0)
		return -1;
	if (opt.request == NULL)
		cli_sessions_default(&opt.session);
	if (opt.session.n == 0 && opt.request == NULL)
		cli_input_wait();
	if (cli_store_open(&store, 0, err) < 0)
		return -1;
	rc = show_all(err);
	ctx_html_release(&html);
	ctx_store_close(store);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-show",
    .synopsis =
	"[-s SID] [-f FORMAT | --context [--last] | --tools [--last]] [OPTION ...]\n"
	"--follow -s SID [OPTION ...]\n"
	"--request ID [--context] [OPTION ...]",
    .about = "Prints the records, messages, requests and events of sessions.",
    .options = options,
    .run = run,
};

int
main(int argc, char **argv)
{
	struct ctx_buf formats = CTX_BUF_INIT;
	int status;

	ctx_buf_adds(&formats, "ndjson (default); otlp, ");
	for (int i = 0; ctx_carry_name(i) != NULL; i++)
		ctx_buf_addf(&formats, "%s, ", ctx_carry_name(i));
	ctx_transcript_names(&formats);
	for (struct cli_option *o = options; o->name != NULL; o++)
		if (o->value == &opt.format)
			o->help = formats.p;
	status = cli_main(&command, argc, argv);
	ctx_buf_release(&formats);
	return status;
}
