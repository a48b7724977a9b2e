/* ctx-view: prints a session as a readable transcript, for people. */
#include "cli_term.h"

#include "render/transcript.h"
#include "store/export.h"
#include "store/purge.h"

static struct {
	struct cli_list session;
	int64_t turns;
	bool full;
} opt;

static struct cli_option options[] = {
    {"session", 's', "SID", "show this session (repeatable; operands are sessions, too)",
	CLI_LIST, &opt.session, NULL},
    {"turns", 0, "N", "print only the newest N turns", CLI_INT, &opt.turns, NULL},
    {"full", 0, NULL, "print results, arguments, thinking and long texts in full",
	CLI_FLAG, &opt.full, NULL},
    CLI_REDACT_OPTIONS,
    CLI_TERM_OPTIONS,
    CLI_STORE_OPTIONS,
    CLI_END,
};

static struct ctx_store *store;
static struct ctx_term term;
static struct ctx_transcript shown;
static size_t printed; /* number of sessions printed */

static int
take_record(void *arg, enum ctx_kind kind, struct ctx_span line, struct ctx_err *err)
{
	int64_t *again = arg;

	if (*again > 0) {
		(*again)--;
		return 0;
	}
	line = ctx_span_trim(line);
	if (cli_redact_json(&line, err) < 0)
		return -1;
	return ctx_transcript_add(&shown, kind, line, err);
}

/* Keeps failed requests only, which are shown with the part of the answer that
 * arrived. */
static int
take_request(void *arg CTX_UNUSED, struct ctx_span record, int64_t response_seq,
    struct ctx_err *err)
{
	if (response_seq > 0)
		return 0;
	if (cli_redact_json(&record, err) < 0)
		return -1;
	return ctx_transcript_add(&shown, CTX_KIND_REQUEST, record, err);
}

/* Reads the messages that were not read yet. */
static int
read_messages(void *arg CTX_UNUSED, struct ctx_store *from, const struct ctx_session *s,
    struct ctx_err *err)
{
	int64_t again = (int64_t)(shown.n + shown.n_marks);

	return ctx_store_export(from, s, CTX_EXPORT_MESSAGES, take_record, &again, err);
}

static int
read_viewed_session(const char *session_id, struct ctx_err *err)
{
	struct ctx_buf record = CTX_BUF_INIT;
	struct ctx_session s = CTX_SESSION_INIT;
	int64_t none = 0;
	int rc = cli_session_open(store, session_id, &s, err);

	if (rc == 0) {
		ctx_session_print(&record, &s);
		rc = take_record(&none, CTX_KIND_SESSION, ctx_buf_span(&record), err);
	}
	if (rc == 0)
		rc = ctx_store_requests_stored(store, &s, take_request, NULL, err);
	if (rc == 0)
		rc = cli_read_messages(store, &s, read_messages, NULL, err);
	ctx_buf_release(&record);
	ctx_session_release(&s);
	return rc;
}

static int
view_session(void *arg CTX_UNUSED, const struct cli_listed *listed, struct ctx_err *err)
{
	struct ctx_view_options o = {&term, opt.full, opt.turns};
	int rc = read_viewed_session(listed->session_id, err);

	if (rc == 0) {
		if (printed++ > 0)
			ctx_buf_adds(&cli_out.buf, "\n\n");
		rc = ctx_transcript_view(&shown, &o, &cli_out.buf, err);
	}
	ctx_transcript_release(&shown);
	return rc < 0 ? -1 : cli_flush(err);
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	int rc;

	for (int i = 0; i < argc; i++)
		cli_list_add(&opt.session, argv[i]);
	if (opt.session.n == 0 && cli_session_default() != NULL)
		cli_list_add(&opt.session, cli_session_default());
	if (opt.session.n == 0)
		return ctx_err_set(err, CTX_EUSAGE,
		    "no session given: use ctx-view SID or CTX_SESSION (ctx-ls lists sessions)");
	if (cli_term_open(&term, err) < 0 || cli_redact_start(err) < 0 ||
	    cli_store_open(&store, 0, err) < 0)
		return -1;
	cli_term_page();
	rc = cli_sessions(store, &opt.session, view_session, NULL, err);
	ctx_store_close(store);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-view",
    .synopsis = "[--turns N] [--full] [OPTION ...] [SID ...]",
    .about = "Prints sessions as readable transcripts.",
    .options = options,
    .run = run,
};

CLI_MAIN(command)
