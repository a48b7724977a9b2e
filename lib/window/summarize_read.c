/* Summarizes a stored session: reads the messages and decides which are replaced. */
#include "window/summarize_work.h"

#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "provider/compaction.h"

#define PAGE 1000 /* messages read in one snapshot */

bool
ctx_summarize_hidden(const struct ctx_summarize_work *w, int64_t seq)
{
	return ctx_seq_range_at(w->hidden, w->n_hidden, seq) != NULL;
}

bool
ctx_summarize_pinned(const struct ctx_summarize_work *w, int64_t seq)
{
	return ctx_seq_among(w->pins, w->n_pins, seq);
}

static struct ctx_span
copy_message_skeleton(
    struct ctx_summarize_work *w, struct ctx_span message, struct ctx_err *err)
{
	struct ctx_buf b = CTX_BUF_INIT;
	struct ctx_span out;

	if (ctx_message_parse(&w->history.scratch, message, err) < 0)
		return CTX_SPAN_NONE;
	ctx_message_skeleton(&w->history.scratch, &b);
	out = ctx_arena_copy(&w->arena, ctx_buf_span(&b));
	ctx_buf_release(&b);
	return out;
}

static int
add_envelope(void *arg, const struct ctx_stored *m, struct ctx_err *err)
{
	struct ctx_summarize_work *w = arg;
	struct ctx_item item = {.seq = m->seq,
	    .created_at = m->created_at,
	    .token_sum = m->token_sum,
	    .pinned = ctx_summarize_pinned(w, m->seq)};

	if (ctx_summarize_hidden(w, m->seq))
		return 0;
	item.tokens = ctx_recount_tokens(w->recount, m);
	item.message = copy_message_skeleton(w, m->message, err);
	return item.message.p == NULL ? -1 : ctx_history_add(&w->history, &item, err);
}

/* Counts the messages in the range of the summary in use that stay visible: opening
 * system messages and pinned messages. */
static int
count_staying(struct ctx_summarize_work *w, struct ctx_err *err)
{
	struct ctx_cursor *c = ctx_cursor_open(
	    w->st, &w->session, 1, w->prev.last, false, err);
	struct ctx_stored m;
	int64_t next = 1;
	int rc;

	while ((rc = ctx_cursor_next(c, &m, err)) == 1 && ctx_role_is_system(m.role)) {
		w->staying += ctx_summarize_hidden(w, m.seq)
				  ? 0
				  : ctx_recount_tokens(w->recount, &m);
		next = m.seq + 1;
	}
	ctx_cursor_close(c);
	for (size_t i = 0; rc >= 0 && i < w->n_pins && w->pins[i] <= w->prev.last; i++) {
		if (w->pins[i] < next || ctx_summarize_hidden(w, w->pins[i]))
			continue;
		c = ctx_cursor_open(
		    w->st, &w->session, w->pins[i], w->pins[i], false, err);
		if ((rc = ctx_cursor_next(c, &m, err)) == 1)
			w->staying += ctx_recount_tokens(w->recount, &m);
		ctx_cursor_close(c);
	}
	return rc < 0 ? -1 : 0;
}

static int
read_session(struct ctx_summarize_work *w, const char *session_id, struct ctx_err *err)
{
	if (ctx_store_session_active(w->st, session_id, &w->session, err) < 0 ||
	    ctx_store_event_last(w->st, &w->session, &w->event, err) < 0 ||
	    ctx_store_summary_current(w->st, &w->session, &w->prev, err) < 0 ||
	    ctx_store_hidden(w->st, &w->session, &w->hidden, &w->n_hidden, err) < 0 ||
	    ctx_store_pins(w->st, &w->session, 1, w->session.last_seq, &w->pins,
		&w->n_pins, err) < 0)
		return -1;
	w->recount = ctx_recount_new(w->st, &w->session, w->o->tokenizer);
	if (w->prev.n > 0) {
		w->prev_tokens = ctx_recount_message(
		    w->o->tokenizer, &w->history.scratch, ctx_span_of(w->prev.message));
		if (count_staying(w, err) < 0)
			return -1;
	}
	for (int64_t at = w->prev.last + 1; at <= w->session.last_seq; at += PAGE)
		if (ctx_store_messages(
			w->st, &w->session, at, at + PAGE - 1, add_envelope, w, err) < 0)
			return -1;
	ctx_history_group(&w->history);
	return 0;
}

int
ctx_summarize_read(
    struct ctx_summarize_work *w, const char *session_id, struct ctx_err *err)
{
	int rc = read_session(w, session_id, err);

	ctx_recount_free(w->recount);
	w->recount = NULL;
	return rc;
}

/* ---- which messages are summarized ---- */

/* Returns 1, or 0 if no summary is needed, with the reason in *reason. */
int
ctx_summarize_plan(struct ctx_summarize_work *w, struct ctx_err *reason)
{
	struct ctx_cover_options cover = w->o->cover;
	struct ctx_history *h = &w->history;
	struct ctx_span block;

	for (size_t i = 0; i < h->n; i++)
		w->visible += h->items[i].tokens;
	if (!ctx_summarize_due(w->o, ctx_cover_turns(h),
		w->visible + w->prev_tokens + w->staying + CTX_TOKENS_REPLY)) {
		ctx_err_set(reason, CTX_OK,
		    "session '%s' is not summarized: it has not reached --threshold",
		    w->session.session_id);
		return 0;
	}
	cover.continued = w->prev.n > 0;
	w->how = ctx_mem_new((h->n + 1) * sizeof(*w->how));
	if (ctx_cover_plan(h, &cover, w->how) == 0) {
		ctx_err_set(reason, CTX_OK,
		    "session '%s' is not summarized: no message is old enough",
		    w->session.session_id);
		return 0;
	}
	w->first = w->prev.first;
	for (size_t i = 0; i < h->n; i++) {
		const struct ctx_item *it = &h->items[i];
		if (w->how[i] != CTX_COVER_IN && w->how[i] != CTX_COVER_BOTH)
			continue;
		w->first = w->first > 0 ? w->first : it->seq;
		w->last = it->seq;
		w->originals = it->token_sum + it->tokens;
		w->in += w->how[i] == CTX_COVER_IN ? it->tokens : 0;
		w->messages += w->how[i] == CTX_COVER_IN;
	}
	/* a provider's own summary cannot be used as input for another one */
	w->from_summary = w->prev.n > 0 && w->originals > w->o->piece &&
			  ctx_compaction_find(ctx_span_of(w->prev.message), &block) < 0 &&
			  w->prev.generation < CTX_SUMMARIZE_GENERATIONS;
	return 1;
}
