#include "cli.h"

#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "record/record.h"

/* Messages read at once, so that no snapshot is held while printing. */
#define PAGE_MESSAGES 1024
#define PAGE_BYTES ((size_t)1 << 20)

static struct {
	struct cli_list session;
} opt;

static struct cli_option options[] = {
    {"session", 's', "SID", "the session (repeatable); else those of the records read",
	CLI_LIST, &opt.session, NULL},
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

static int
show(const char *session_id, struct ctx_err *err)
{
	struct ctx_session s;
	int rc;

	ctx_session_init(&s);
	rc = cli_session_find(store, session_id, &s, err);
	if (rc == 0 && s.status == CTX_STATUS_DELETED)
		rc = ctx_err_set(err, CTX_EANSWER, "session '%s' is deleted", session_id);
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
	if (opt.session.n == 0)
		cli_input_wait();
	if (cli_store_open(&store, false, false, err) < 0)
		return -1;
	rc = cli_sessions(&opt.session, show, err);
	ctx_store_close(store);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-show",
    .synopsis = "[-s SID] [OPTION ...]",
    .about = "Prints everything about sessions: their records, messages, requests and events.",
    .options = options,
    .run = run,
};

int
main(int argc, char **argv)
{
	return cli_main(&command, argc, argv);
}
