#include "window/run.h"
#include "window/stable.h"

#include <stdlib.h>
#include <string.h>

#include "base/id.h"
#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"
#include "provider/provider.h"
#include "select/account.h"

void
ctx_window_release(struct ctx_window *w)
{
	ctx_session_release(&w->session);
	ctx_store_summary_release(&w->summary);
	ctx_history_release(&w->history);
	ctx_request_release(&w->request);
	ctx_arena_release(&w->arena);
	free(w->rows);
	free(w->loaded);
	free(w->sources);
	*w = (struct ctx_window)CTX_WINDOW_INIT;
}

/* ---- from rows to a history ---- */

const struct ctx_stored *
ctx_window_keep_row(struct ctx_window *w, const struct ctx_stored *row)
{
	struct ctx_span bytes = {(const char *)row, sizeof(*row)};

	return (const struct ctx_stored *)(const void *)ctx_arena_copy(&w->arena, bytes)
	    .p;
}

void
ctx_window_note_item(
    struct ctx_window *w, const struct ctx_stored *row, struct ctx_span source)
{
	size_t at = w->history.n - 1;

	if (w->history.n > w->cap_rows) {
		w->cap_rows = w->cap_rows == 0 ? 32 : w->cap_rows * 2;
		w->rows = ctx_mem_resize(w->rows, w->cap_rows, sizeof(*w->rows));
		w->sources = ctx_mem_resize(w->sources, w->cap_rows, sizeof(*w->sources));
	}
	w->rows[at] = row;
	w->sources[at] = source;
}

int
ctx_window_add(struct ctx_window_rows *l, struct ctx_item *item, int type,
    struct ctx_span id, struct ctx_span source, struct ctx_err *err)
{
	struct ctx_stored row = {.seq = -1,
	    .created_at = item->created_at,
	    .type = type,
	    .token_count = item->tokens,
	    .tokenizer = ctx_tokenizer_name(l->t),
	    .message = item->message,
	    .id = id,
	    .sent = item->sent};

	item->seq = -1;
	if (ctx_history_add(&l->w->history, item, err) < 0)
		return -1;
	ctx_window_note_item(l->w, ctx_window_keep_row(l->w, &row), source);
	return 0;
}

/* Adds a system message that is not stored in the session. */
static int
add_system(
    struct ctx_window_rows *l, const char *text, const char *name, struct ctx_err *err)
{
	struct ctx_buf b = CTX_BUF_INIT, source = CTX_BUF_INIT;
	struct ctx_item item = {.created_at = CTX_TIME_NONE, .slot = CTX_SLOT_PREFIX};
	int rc;

	ctx_json_print(&b, "{'role':'system','content':%s}", text);
	ctx_json_print(&source, "{'type':'prompt','name':%s}", name);
	item.message = ctx_arena_copy(&l->w->arena, ctx_buf_span(&b));
	item.tokens = ctx_recount_message(l->t, &l->w->history.scratch, item.message);
	rc = ctx_window_add(l, &item, -1, CTX_SPAN_NONE,
	    ctx_arena_copy(&l->w->arena, ctx_buf_span(&source)), err);
	ctx_buf_release(&b);
	ctx_buf_release(&source);
	return rc;
}

static int
add_window_summary(struct ctx_window_rows *l, struct ctx_err *err)
{
	const struct ctx_store_summary *m = &l->w->summary;
	struct ctx_item item = {.message = ctx_span_of(m->message),
	    .created_at = m->created_at,
	    .tokens = l->summary_tokens,
	    .slot = CTX_SLOT_SUMMARY};
	struct ctx_buf id = CTX_BUF_INIT;
	struct ctx_span kept;

	ctx_store_summary_id(&id, l->w->session.session_id, m);
	kept = ctx_arena_copy(&l->w->arena, ctx_buf_span(&id));
	ctx_buf_release(&id);
	return ctx_window_add(
	    l, &item, CTX_TYPE_SUMMARY, kept, ctx_span_of(m->source), err);
}

/* Returns whether the stored metadata suffices to say that the message has no calls or
 * results. */
static bool
is_plain_window_row(const struct ctx_stored *m)
{
	if (m->tool_calls > 0)
		return false;
	switch (m->role) {
	case CTX_ROLE_USER:
		return m->starts_turn;
	case CTX_ROLE_ASSISTANT:
		return m->type == CTX_TYPE_RESPONSE;
	case CTX_ROLE_TOOL:
		return false;
	default:
		return true;
	}
}

static int
make_history(struct ctx_window_rows *l, struct ctx_err *err)
{
	bool summary = l->covered > 0, any_system = l->o->system != NULL;

	for (size_t i = 0; i < l->n; i++) {
		any_system |= ctx_role_is_system(l->rows[i].m.role);
		/* if a run is cut inside a turn, the turn's additions stay, as they were
		 * sent */
		if (l->run != NULL && l->rows[i].m.starts_turn)
			l->carry_to = l->rows[i].m.seq;
	}
	if (l->o->system != NULL && add_system(l, l->o->system, "system", err) < 0)
		return -1;
	if (!any_system && l->o->default_system != NULL &&
	    add_system(l, l->o->default_system, "default-system", err) < 0)
		return -1;
	for (size_t i = 0; i < l->n; i++) {
		const struct ctx_window_row *row = &l->rows[i];
		const struct ctx_stored *m = &row->m;
		struct ctx_item item = {.message = m->message,
		    .seq = m->seq,
		    .created_at = m->created_at,
		    .tokens = m->token_count,
		    .token_sum = m->token_sum,
		    .slot = CTX_SLOT_HISTORY,
		    .pinned = m->pinned,
		    .known = row->known || is_plain_window_row(m),
		    .calls = row->n_calls > 0 ? l->calls + row->first_call : NULL,
		    .n_calls = row->n_calls,
		    .role = (enum ctx_role)m->role,
		    .starts_turn = m->starts_turn,
		    .far = m->seq < l->near,
		    .flawless = m->flawless};
		if (summary && m->seq > l->covered) {
			summary = false;
			if (add_window_summary(l, err) < 0)
				return -1;
		}
		if (m->seq == l->carry_to &&
		    ctx_run_add_carried(l->run, l, m->seq, err) < 0)
			return -1;
		if (ctx_history_add(&l->w->history, &item, err) < 0)
			return -1;
		ctx_window_note_item(l->w, m, CTX_SPAN_NONE);
	}
	if (summary && add_window_summary(l, err) < 0)
		return -1;
	ctx_history_group(&l->w->history);
	return 0;
}

/* ---- the request record ---- */

static int64_t
choose_smaller_limit(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void
drop_window_range(struct ctx_request *r, int64_t first, int64_t last, enum ctx_reason why)
{
	if (first <= last)
		ctx_account_drop(r, first, last, why);
}

/* Records that messages covered by the summary were left out: hidden ones as hidden,
 * because the summary does not contain them, the others as summarized. */
static void
drop_covered(struct ctx_window_rows *l, int64_t first, int64_t last)
{
	struct ctx_request *r = &l->w->request;

	for (size_t i = ctx_seq_range_from(l->hidden, l->n_hidden, first);
	     i < l->n_hidden && l->hidden[i].first <= last; i++) {
		const struct ctx_seq_range *h = &l->hidden[i];
		drop_window_range(r, first, h->first - 1, CTX_REASON_SUMMARIZED);
		first = h->first > first ? h->first : first;
		drop_window_range(
		    r, first, choose_smaller_limit(h->last, last), CTX_REASON_HIDDEN);
		first = h->last + 1;
	}
	drop_window_range(r, first, last, CTX_REASON_SUMMARIZED);
}

/* Records the messages that were not read: gaps between the rows, and everything before
 * them. */
static void
drop_unread(struct ctx_window_rows *l, enum ctx_reason why)
{
	struct ctx_request *r = &l->w->request;
	int64_t next = 1;

	for (size_t i = 0; i <= l->n; i++) {
		int64_t seq = i < l->n ? l->rows[i].m.seq : r->for_seq + 1;
		int64_t last = choose_smaller_limit(seq, l->lowest) - 1;
		drop_covered(l, next, choose_smaller_limit(last, l->covered));
		drop_window_range(
		    r, next > l->covered ? next : l->covered + 1, last, why);
		next = seq + 1;
	}
	for (size_t i = ctx_seq_range_from(l->hidden, l->n_hidden, l->lowest);
	     i < l->n_hidden && l->hidden[i].first <= r->for_seq; i++)
		drop_window_range(r, l->hidden[i].first,
		    choose_smaller_limit(l->hidden[i].last, r->for_seq),
		    CTX_REASON_HIDDEN);
}

static int
make_request(struct ctx_window_rows *l, struct ctx_err *err)
{
	struct ctx_request *r = &l->w->request;
	const struct ctx_window_options *o = l->o;
	struct ctx_buf policy = CTX_BUF_INIT;

	r->session_id = ctx_mem_str(l->w->session.session_id);
	r->tenant_id = ctx_mem_str(l->w->session.tenant_id);
	r->request_id = ctx_mem_new(CTX_ID_UUID + 1);
	if (ctx_id_new(o->now, r->request_id, err) < 0)
		return -1;
	r->created_at = o->now;
	r->provider = ctx_mem_str(o->provider);
	r->mode = ctx_mem_str(o->mode);
	r->tokenizer = ctx_mem_str(ctx_tokenizer_name(l->t));
	r->budget = o->budget;
	r->reserve = o->budget >= 0 ? o->reserve : -1;
	ctx_json_print(&policy, "{'strategy':'recent'");
	if (o->stable)
		ctx_json_add_bool(&policy, "stable", true);
	if (o->max_messages >= 0)
		ctx_json_add_int(&policy, "messages", o->max_messages);
	if (o->max_turns >= 0)
		ctx_json_add_int(&policy, "turns", o->max_turns);
	ctx_json_add_time(&policy, "since", o->since);
	if (o->no_summary)
		ctx_json_add_bool(&policy, "summary", false);
	ctx_json_put_close(&policy, '}');
	r->policy_json = ctx_buf_detach(&policy);
	if (l->run != NULL && l->run->continues) {
		/* Messages that the run's last request left out stay out. Additions are
		 * chosen anew for each message. */
		CTX_JSON_EACH(it, ctx_json_get(ctx_buf_span(&l->run->record), "dropped"))
			if (ctx_json_get(it.value, "slot").p == NULL)
				ctx_json_put_raw(&r->dropped, it.value);
	} else {
		drop_unread(l, o->max_messages >= 0        ? CTX_REASON_COUNT
			       : o->max_turns >= 0         ? CTX_REASON_TURNS
			       : o->since != CTX_TIME_NONE ? CTX_REASON_SINCE
							   : CTX_REASON_BUDGET);
	}
	ctx_account(r, &l->w->history, l->w->sources);
	return 0;
}

/* Selects the messages. Messages that must stay are kept even if they exceed the budget:
 * ctx-prune can still cut the window, and ctx-render decides in the end. */
static int
choose_window_rows(struct ctx_window_rows *l, struct ctx_err *err)
{
	struct ctx_policy p;

	ctx_policy_init(&p);
	p.max_messages = l->o->max_messages;
	p.max_turns = l->o->max_turns;
	p.since = l->o->since;
	p.user_first = l->o->provider != NULL &&
		       ctx_provider_user_first(ctx_provider_parse(l->o->provider));
	p.cut_base = l->cut_base;
	p.budget = l->o->budget < 0 ? -1 : l->avail;
	if (l->o->stable && p.budget > 0) {
		p.stable_step = (int64_t)((1.0 - l->o->low_water) * (double)p.budget);
		p.stable_base = l->stable_base;
	}
	if (ctx_select(&l->w->history, &p, err) == 0)
		return 0;
	if (err->code != CTX_EANSWER)
		return -1;
	err->code = CTX_OK;
	p.budget = -1;
	p.max_messages = 0;
	p.beyond = CTX_REASON_BUDGET;
	return ctx_select(&l->w->history, &p, err);
}

static int
read_stable(struct ctx_window_rows *l, struct ctx_err *err)
{
	struct ctx_stable_options o = {.avail = l->avail - l->summary_tokens,
	    .cut_base = l->cut_base,
	    .factor = l->recounted ? ctx_tokenizer_factor(l->t) : 1000,
	    .until = l->w->request.for_seq,
	    .covered = l->covered,
	    .hidden = l->hidden,
	    .n_hidden = l->n_hidden};

	o.low = (int64_t)(l->o->low_water * (double)o.avail);
	return !l->o->stable || l->o->budget < 0
		   ? 0
		   : ctx_stable_base(&l->stable_base, l->st, &l->w->session, &o, err);
}

/* Sets the tokens available for messages. A run that is cut begins with a part of
 * them. */
static void
set_limits(struct ctx_window_rows *l)
{
	const struct ctx_window_options *o = l->o;

	l->avail = l->cut_base = -1;
	if (o->budget < 0)
		return;
	l->avail = o->budget - o->reserve - CTX_TOKENS_REPLY;
	if (l->run != NULL && l->run->cut != NULL)
		l->avail = (int64_t)(o->low_water * (double)o->budget) - l->run->extra -
			   CTX_TOKENS_REPLY;
	l->avail = l->avail < 0 ? 0 : l->avail;
	l->cut_base = o->budget;
}

/* Loads the messages of the last request of the run; loads nothing if the next request
 * does not continue it. */
static int
load_run(struct ctx_window_rows *l, struct ctx_err *err)
{
	int rc;

	if (l->run == NULL)
		return ctx_window_count_for_last(l, err);
	if (l->w->session.hidden_count > 0 &&
	    ctx_store_hidden(l->st, &l->w->session, &l->hidden, &l->n_hidden, err) < 0)
		return -1;
	rc = ctx_run_find(l->run, l, err);
	if (rc == 0)
		rc = ctx_window_count_for_last(l, err);
	while (rc == 0 && l->run->continues) {
		rc = ctx_run_load(l->run, l, err);
		if (rc != 2)
			break;
		rc = ctx_run_find_before(l->run, l, err);
	}
	return rc < 0 ? -1 : 0;
}

static int
read_window_rows(struct ctx_window_rows *l, struct ctx_err *err)
{
	int64_t until = l->w->session.last_seq;

	if (l->o->until >= 0 && l->o->until < until)
		until = l->o->until;
	l->w->request.for_seq = until;
	if (load_run(l, err) < 0)
		return -1;
	set_limits(l);
	if (l->run != NULL && l->run->continues)
		return 0;
	if (ctx_window_rows_read(l, err) < 0)
		return -1;
	return l->st == NULL ? 0 : read_stable(l, err);
}

/* Selects the messages to keep. All messages of a continued run are kept. */
static int
make_window(struct ctx_window_rows *l, struct ctx_err *err)
{
	if (l->run == NULL || !l->run->continues) {
		if (make_history(l, err) < 0 || choose_window_rows(l, err) < 0)
			return -1;
		/* messages that were read only to complete a group that was not kept, and
		 * that are summarized */
		for (size_t i = 0; i < l->w->history.n; i++) {
			struct ctx_item *it = &l->w->history.items[i];
			if (!it->keep && it->seq > 0 && it->seq <= l->covered)
				it->reason = CTX_REASON_SUMMARIZED;
		}
	}
	if (make_request(l, err) < 0)
		return -1;
	if (l->run != NULL)
		ctx_run_note(l->run, l);
	return 0;
}

int
ctx_window_load(struct ctx_window *w, struct ctx_store *st,
    const struct ctx_window_options *o, struct ctx_tokenizer *t, struct ctx_err *err)
{
	struct ctx_run run;
	struct ctx_window_rows l = {.w = w, .st = st, .o = o, .t = t, .carry_to = -1};
	int rc;

	ctx_run_init(&run);
	l.run = o->run == NULL ? NULL : &run;
	if (st != NULL)
		l.recount = ctx_recount_new(st, &w->session, t);
	rc = st == NULL ? 0 : ctx_store_begin_read(st, err);
	if (rc == 0)
		rc = read_window_rows(&l, err);
	if (st != NULL)
		ctx_store_end_read(st);
	ctx_recount_free(l.recount);
	if (rc == 0)
		rc = make_window(&l, err);
	w->loaded = l.rows;
	ctx_window_rows_release(&l);
	ctx_run_release(&run);
	return rc;
}

/* ---- printing ---- */

size_t
ctx_window_print(
    struct ctx_buf *out, const struct ctx_window *w, size_t from, size_t bytes)
{
	size_t start = out->n;

	if (from == 0)
		ctx_session_print(out, &w->session);
	for (size_t i = from; i < w->history.n; i++) {
		const struct ctx_item *it = &w->history.items[i];
		if (it->keep)
			ctx_stored_print(out, w->session.session_id, w->rows[i],
			    ctx_slot_name(it->slot), w->sources[i]);
		if (out->n - start >= bytes)
			return i + 1;
	}
	ctx_request_print(out, &w->request);
	return 0;
}
