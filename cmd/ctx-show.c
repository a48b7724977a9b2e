#include "cli.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"
#include "record/message.h"
#include "record/record.h"
#include "window/context.h"
#include "window/replay.h"

/* Messages read at once, so that no snapshot is held while printing. */
#define PAGE_MESSAGES 1024
#define PAGE_BYTES ((size_t)1 << 20)

static struct {
	struct cli_list session;
	const char *request;
	bool context;
} opt;

static struct cli_option options[] = {
    {"session", 's', "SID", "the session (repeatable); else those of the records read",
	CLI_LIST, &opt.session, NULL},
    {"request", 0, "ID", "the window of this request again, for ctx-render", CLI_STRING,
	&opt.request, NULL},
    {"context", 0, NULL, "for people: what each answer was given", CLI_FLAG, &opt.context,
	NULL},
    CLI_STORE_OPTIONS,
    CLI_END,
};

static struct ctx_store *store;

/* A page of messages from seq *next up: 1 when there may be more. */
static int
print_page(const struct ctx_session *s, int64_t *next, const int64_t *pins, size_t n_pins,
    struct ctx_err *err)
{
	struct ctx_cursor *c;
	struct ctx_stored m;
	int rc, n = 0;

	if (ctx_cursor_open(&c, store, s, *next, s->last_seq, false, err) < 0)
		return -1;
	while (n < PAGE_MESSAGES && cli_out.buf.n < PAGE_BYTES &&
	       (rc = ctx_cursor_next(c, &m, err)) == 1) {
		while (n_pins > 0 && *pins < m.seq) {
			pins++;
			n_pins--;
		}
		m.pinned = n_pins > 0 && *pins == m.seq;
		ctx_stored_print(&cli_out.buf, s->session_id, &m, NULL, CTX_SPAN_NONE);
		*next = m.seq + 1;
		n++;
	}
	ctx_cursor_close(c);
	return n > 0 && rc >= 0 ? 1 : rc < 0 ? -1 : 0;
}

static int
print_messages(const struct ctx_session *s, struct ctx_err *err)
{
	int64_t *pins = NULL, next = 1;
	size_t n_pins = 0;
	int rc;

	rc = ctx_store_pins(store, s, 1, s->last_seq, &pins, &n_pins, err);
	if (rc == 0)
		rc = 1;
	while (rc == 1 && next <= s->last_seq) {
		rc = print_page(s, &next, pins, n_pins, err);
		if (rc >= 0 && cli_flush(err) < 0)
			rc = -1;
	}
	free(pins);
	return rc < 0 ? -1 : 0;
}

static int
print_record(void *arg, struct ctx_span record, int64_t response_seq, struct ctx_err *err)
{
	(void)arg;
	(void)response_seq;
	(void)err;
	ctx_buf_addspan(&cli_out.buf, record);
	ctx_buf_addc(&cli_out.buf, '\n');
	return 0;
}

/* ---- --context ---- */

/* What each answered request was given, by the seq of its answer. */
struct contexts {
	struct context {
		int64_t seq;
		char *text;
	} *list;
	size_t n, cap;
};

static int
note_context(void *arg, struct ctx_span record, int64_t response_seq, struct ctx_err *err)
{
	struct contexts *c = arg;
	struct ctx_buf text = CTX_BUF_INIT;

	(void)err;
	if (response_seq == 0)
		return 0;
	ctx_context_print(&text, record);
	CTX_MEM_GROW(c->list, c->n, c->cap);
	c->list[c->n++] = (struct context){response_seq, ctx_buf_detach(&text)};
	return 0;
}

static void
print_context(const struct contexts *c, const struct ctx_stored *m)
{
	char at[CTX_TIME_LEN + 1];

	if (m->role != CTX_ROLE_ASSISTANT)
		return;
	ctx_time_format(m->created_at, at);
	ctx_buf_addf(&cli_out.buf, "Answer %lld, %s:\n", (long long)m->seq, at);
	for (size_t i = 0; i < c->n; i++)
		if (c->list[i].seq == m->seq) {
			ctx_buf_addf(&cli_out.buf, "%s\n", c->list[i].text);
			return;
		}
	ctx_context_print(&cli_out.buf, CTX_SPAN_NONE);
	ctx_buf_addc(&cli_out.buf, '\n');
}

static int
show_context(const struct ctx_session *s, struct ctx_err *err)
{
	struct contexts c = {NULL, 0, 0};
	struct ctx_stored m;
	int rc = ctx_store_requests(store, s, note_context, &c, err);

	for (int64_t next = 1; rc == 0 && next <= s->last_seq;) {
		struct ctx_cursor *cursor;
		int got = 1, n = 0;
		rc = ctx_cursor_open(&cursor, store, s, next, s->last_seq, false, err);
		while (rc == 0 && n++ < PAGE_MESSAGES &&
		       (got = ctx_cursor_next(cursor, &m, err)) == 1) {
			print_context(&c, &m);
			next = m.seq + 1;
		}
		ctx_cursor_close(rc == 0 ? cursor : NULL);
		rc = rc < 0 || got < 0 || cli_flush(err) < 0 ? -1 : 0;
		if (got == 0)
			break;
	}
	for (size_t i = 0; i < c.n; i++)
		free(c.list[i].text);
	free(c.list);
	return rc;
}

static int
show_request(struct ctx_err *err)
{
	struct ctx_session s;
	char *record = NULL;
	int rc;

	ctx_session_init(&s);
	rc = ctx_store_request_find(store, opt.request, &s, &record, err);
	if (rc == 0)
		rc = ctx_err_set(err, CTX_EANSWER, "no request '%s'", opt.request);
	else if (rc == 1 && s.status == CTX_STATUS_DELETED)
		rc = ctx_err_set(err, CTX_EANSWER, "session '%s' is deleted", s.session_id);
	else if (rc == 1)
		rc = ctx_replay_print(&cli_out.buf, store, &s, ctx_span_of(record), err);
	if (rc == 0)
		rc = cli_flush(err);
	else
		ctx_buf_reset(&cli_out.buf);
	free(record);
	ctx_session_release(&s);
	return rc;
}

static int
show(const char *session_id, struct ctx_err *err)
{
	struct ctx_session s;
	int rc;

	ctx_session_init(&s);
	rc = cli_session_find(store, session_id, &s, err);
	if (rc == 0 && s.status == CTX_STATUS_DELETED)
		rc = ctx_err_set(err, CTX_EANSWER, "session '%s' is deleted", session_id);
	if (rc == 0 && opt.context) {
		rc = show_context(&s, err);
		ctx_session_release(&s);
		return rc;
	}
	if (rc == 0) {
		ctx_session_print(&cli_out.buf, &s);
		rc = print_messages(&s, err);
	}
	if (rc == 0)
		rc = ctx_store_requests(store, &s, print_record, NULL, err);
	if (rc == 0)
		rc = ctx_store_events(store, &s, print_record, NULL, err);
	if (rc == 0)
		rc = cli_flush(err);
	ctx_session_release(&s);
	return rc;
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	int rc;

	if (cli_no_operands(argc, argv, err) < 0)
		return -1;
	if (opt.session.n == 0 && opt.request == NULL)
		cli_input_wait();
	if (cli_store_open(&store, false, false, err) < 0)
		return -1;
	rc = opt.request != NULL ? show_request(err) : cli_sessions(&opt.session, show, err);
	ctx_store_close(store);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-show",
    .synopsis = "[-s SID] [--context] [OPTION ...]\n--request ID [OPTION ...]",
    .about = "Prints everything about sessions: their records, messages, requests and events.",
    .options = options,
    .run = run,
};

int
main(int argc, char **argv)
{
	return cli_main(&command, argc, argv);
}
