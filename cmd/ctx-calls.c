/* ctx-calls: prints the tool calls of a conversation that wait for their results. */
#include "cli.h"

#include "json/json.h"
#include "record/stream.h"
#include "store/purge.h"
#include "store/waiting.h"

static struct cli_list sessions;

static struct cli_option options[] = {
    {"session", 's', "SID",
	"read this session (repeatable; '-': the sessions that the input records name)",
	CLI_LIST, &sessions, NULL},
    CLI_STORE_OPTIONS,
    CLI_END,
};

static struct ctx_store *store;

/* session_id is a JSON string, or absent. */
static int
print_calls(
    const struct ctx_calls *calls, struct ctx_span session_id, struct ctx_err *err)
{
	struct ctx_buf *b = &cli_out.buf;

	for (size_t i = 0; i < calls->n; i++) {
		const struct ctx_call *c = &calls->v[i];
		ctx_json_print(b, "{'kind':'call','session_id':%j", session_id);
		if (c->seq >= 0)
			ctx_json_add_int(b, "seq", c->seq);
		ctx_json_print(b, "'id':%j,'name':%j,'arguments':%j}\n", c->id, c->name,
		    c->arguments);
	}
	return cli_flush_some(err);
}

/* ---- windows ---- */

static int
print_window(void *arg CTX_UNUSED, struct ctx_stream *in, struct ctx_err *err)
{
	struct ctx_calls calls = CTX_CALLS_INIT;
	struct ctx_message view = CTX_MESSAGE_INIT;
	struct ctx_span session_id = CTX_SPAN_NONE;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < in->n; i++) {
		const struct ctx_record *r = &in->records[i];
		if (r->session_id.p != NULL)
			session_id = r->session_id;
		if (r->kind != CTX_KIND_MESSAGE || r->slot != CTX_SLOT_HISTORY)
			continue;
		rc = ctx_message_parse(&view, r->message, err);
		if (rc == 0)
			ctx_calls_add(&calls, &view, r->seq);
	}
	if (rc == 0)
		rc = print_calls(&calls, session_id, err);
	ctx_message_release(&view);
	ctx_calls_release(&calls);
	return rc;
}

/* ---- sessions ---- */

static int
print_stored(void *arg CTX_UNUSED, struct ctx_store *from, const struct ctx_session *s,
    struct ctx_err *err)
{
	struct ctx_calls calls = CTX_CALLS_INIT;
	struct ctx_buf id = CTX_BUF_INIT;
	int rc = s->status == CTX_STATUS_DELETED ? cli_deleted(s->session_id, err)
						 : ctx_store_calls(from, s, &calls, err);

	ctx_json_put_string(&id, ctx_span_of(s->session_id));
	if (rc == 0)
		rc = print_calls(&calls, ctx_buf_span(&id), err);
	ctx_buf_release(&id);
	ctx_calls_release(&calls);
	return rc;
}

static int
print_session(void *arg CTX_UNUSED, const struct cli_listed *listed, struct ctx_err *err)
{
	struct ctx_session s = CTX_SESSION_INIT;
	int rc = cli_session_open(store, listed->session_id, &s, err);

	if (rc == 0)
		rc = cli_read_messages(store, &s, print_stored, NULL, err);
	ctx_session_release(&s);
	return rc;
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	int rc;

	if (argc == 0)
		cli_sessions_default(&sessions);
	if (sessions.n == 0)
		return cli_windows(NULL, argc, argv, print_window, NULL, err);
	if (cli_no_operands(argc, argv, err) < 0 || cli_store_open(&store, 0, err) < 0)
		return -1;
	rc = cli_sessions(store, &sessions, print_session, NULL, err);
	ctx_store_close(store);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-calls",
    .synopsis = "[FILE ...]\n-s SID [OPTION ...]",
    .about = "Prints the tool calls of the model that wait for their results.",
    .options = options,
    .run = run,
};

CLI_MAIN(command)
