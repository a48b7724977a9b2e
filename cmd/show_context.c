/* ctx-show: prints the additions to the request of each answer. */
#include "show.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/time.h"
#include "record/message.h"
#include "store/purge.h"
#include "window/context.h"

/* messages read at once, so that no snapshot is held while printing */
#define PAGE_MESSAGES 1024

/* The request records, by the sequence number of their answer. */
struct contexts {
	struct context {
		int64_t seq;
		char *text;
	} * list;
	size_t n, cap;
	int64_t only; /* sequence number of the only answer to print; 0: all */
	int64_t next; /* sequence number of the next message to print */
	bool last;    /* print only the last answer */
	struct ctx_context_log log;
};

static int
note_context(void *arg, struct ctx_span record, int64_t response_seq,
    struct ctx_err *err CTX_UNUSED)
{
	struct contexts *c = arg;
	struct ctx_buf text = CTX_BUF_INIT;

	if (response_seq == 0)
		return 0;
	ctx_context_print(&text, record, &c->log);
	CTX_MEM_GROW(c->list, c->n, c->cap);
	c->list[c->n++] = (struct context){response_seq, ctx_buf_detach(&text)};
	return 0;
}

static void
print_context(const struct contexts *c, const struct ctx_stored *m)
{
	char at[CTX_TIME_LEN + 1];

	if (m->role != CTX_ROLE_ASSISTANT || (c->only > 0 && m->seq != c->only))
		return;
	ctx_time_format(m->created_at, at);
	ctx_buf_addf(&cli_out.buf, "Answer %lld, %s:\n", (long long)m->seq, at);
	for (size_t i = 0; i < c->n; i++)
		if (c->list[i].seq == m->seq) {
			ctx_buf_addf(&cli_out.buf, "%s\n", c->list[i].text);
			return;
		}
	ctx_context_print(&cli_out.buf, CTX_SPAN_NONE, NULL);
	ctx_buf_addc(&cli_out.buf, '\n');
}

static int
print_contexts(struct ctx_store *st, const struct ctx_session *s, struct contexts *c,
    struct ctx_err *err)
{
	struct ctx_stored m;
	int rc = 0;
	int64_t last = c->only > 0 && c->only < s->last_seq ? c->only : s->last_seq;

	while (rc == 0 && c->next <= last) {
		struct ctx_cursor *cursor = ctx_cursor_open(
		    st, s, c->next, last, false, err);
		int got = 1, n = 0;
		while (n++ < PAGE_MESSAGES &&
		       (got = ctx_cursor_next(cursor, &m, err)) == 1) {
			print_context(c, &m);
			c->next = m.seq + 1;
		}
		ctx_cursor_close(cursor);
		rc = got < 0 || cli_flush(err) < 0 ? -1 : 0;
		if (got == 0)
			break;
	}
	return rc;
}

/* Finds the last message of the model. */
static int
find_last_answer_seq(
    struct ctx_store *st, const struct ctx_session *s, int64_t *seq, struct ctx_err *err)
{
	int64_t first = s->last_seq;
	int rc = 0;

	for (*seq = 0; rc == 0 && *seq == 0 && first > 0; first -= PAGE_MESSAGES) {
		int64_t from = first < PAGE_MESSAGES ? 1 : first - PAGE_MESSAGES + 1;
		struct ctx_cursor *cursor = ctx_cursor_open(
		    st, s, from, first, false, err);
		struct ctx_stored m;
		while ((rc = ctx_cursor_next(cursor, &m, err)) == 1)
			if (m.role == CTX_ROLE_ASSISTANT)
				*seq = m.seq;
		ctx_cursor_close(cursor);
	}
	if (rc == 0 && *seq == 0)
		return ctx_err_set(
		    err, CTX_EANSWER, "session '%s' has no answer", s->session_id);
	return rc;
}

static int
show_messages(
    void *arg, struct ctx_store *st, const struct ctx_session *s, struct ctx_err *err)
{
	struct contexts *c = arg;

	if (c->last && c->only == 0 && find_last_answer_seq(st, s, &c->only, err) < 0)
		return -1;
	if (c->only > c->next)
		c->next = c->only;
	return print_contexts(st, s, c, err);
}

int
show_context(struct ctx_store *store, struct ctx_session *s, int64_t only, bool last,
    struct ctx_err *err)
{
	struct contexts c = {.only = only, .next = only > 0 ? only : 1, .last = last};
	int rc = ctx_store_requests(store, s, note_context, &c, err);

	if (rc == 0)
		rc = cli_read_messages(store, s, show_messages, &c, err);
	for (size_t i = 0; i < c.n; i++)
		free(c.list[i].text);
	free(c.list);
	ctx_context_log_release(&c.log);
	return rc;
}
