#include "window/window.h"

#include <stdlib.h>
#include <string.h>

#include "base/id.h"
#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"
#include "select/account.h"
#include "store/recount.h"

/* How far beyond the limit to look for the call of a result at the border. */
#define COMPLETE_MAX 256
/* Results whose call is looked for at once; more of them are of no real history. */
#define OPEN_MAX 1024

void
ctx_window_init(struct ctx_window *w)
{
	memset(w, 0, sizeof(*w));
	ctx_session_init(&w->session);
	ctx_request_init(&w->request);
}

void
ctx_window_release(struct ctx_window *w)
{
	ctx_session_release(&w->session);
	ctx_store_summary_release(&w->summary);
	ctx_history_release(&w->history);
	ctx_request_release(&w->request);
	ctx_arena_release(&w->arena);
	free(w->rows);
	free(w->sources);
	ctx_window_init(w);
}

/* ---- loading: newest first, then what must be there from further up ---- */

struct load {
	struct ctx_window *w;
	struct ctx_store *st;
	const struct ctx_window_options *o;
	struct ctx_tokenizer *t;
	struct ctx_recount *recount;
	int64_t avail, cut_base; /* tokens */
	struct ctx_stored *rows; /* in the order of reading */
	bool *far;
	size_t n, cap, cap_far;
	struct ctx_seq_range *hidden;
	size_t n_hidden;
	int64_t lowest;  /* seq down to which all was read */
	int64_t covered; /* seq up to which the summary stands for all; 0 */
	int64_t summary_tokens;
};

static int64_t
count_tokens(
    struct ctx_tokenizer *t, struct ctx_message *scratch, struct ctx_span message)
{
	struct ctx_err ignored;

	return ctx_message_parse(scratch, message, &ignored) < 0
		   ? ctx_tokens_json(t, message)
		   : ctx_tokens_message(t, scratch);
}

static void
take(struct load *l, const struct ctx_stored *m, bool far)
{
	struct ctx_stored *row;

	if (l->n == l->cap_far) {
		l->cap_far = l->cap_far == 0 ? 32 : l->cap_far * 2;
		l->far = ctx_mem_resize(l->far, l->cap_far, sizeof(*l->far));
	}
	CTX_MEM_GROW(l->rows, l->n, l->cap);
	l->far[l->n] = far;
	row = &l->rows[l->n++];
	*row = *m;
	row->message = ctx_arena_copy(&l->w->arena, m->message);
	row->id = ctx_arena_copy(&l->w->arena, m->id);
	row->metadata = ctx_arena_copy(&l->w->arena, m->metadata);
	row->token_count = ctx_recount_tokens(l->recount, m);
	row->tokenizer = ctx_tokenizer_name(l->t);
}

static const struct ctx_seq_range *
hidden_at(const struct load *l, int64_t seq)
{
	for (size_t i = 0; i < l->n_hidden; i++)
		if (l->hidden[i].first <= seq && seq <= l->hidden[i].last)
			return &l->hidden[i];
	return NULL;
}

/* What reading backwards keeps track of: the limits, and results that lack their call. */
struct progress {
	int64_t messages, turns, tokens;
	struct ctx_span *open; /* ids of results whose call was not met yet */
	size_t n_open, cap_open;
	int64_t extra;
};

static bool
past_limits(const struct load *l, const struct progress *p, const struct ctx_stored *m)
{
	const struct ctx_window_options *o = l->o;

	return (o->max_messages >= 0 && p->messages >= o->max_messages) ||
	       (o->max_turns >= 0 && p->turns >= o->max_turns) ||
	       (o->budget >= 0 && p->tokens > l->avail) ||
	       (o->since != CTX_TIME_NONE && m->created_at < o->since);
}

/* Note the calls and results of a message, newest first: a call closes its results. */
static void
follow_ids(struct load *l, struct progress *p, const struct ctx_stored *m)
{
	struct ctx_message *view = &l->w->history.scratch;
	struct ctx_err ignored;

	if (m->tool_calls == 0 && m->type != CTX_TYPE_TOOL_RESULT &&
	    m->type != CTX_TYPE_ERROR)
		return;
	if (ctx_message_parse(view, m->message, &ignored) < 0)
		return;
	for (size_t i = 0; i < view->n; i++) {
		struct ctx_span id = ctx_message_call_id(view->parts[i].id, &l->w->arena);
		if (view->parts[i].type == CTX_PART_TOOL_RESULT) {
			if (p->n_open == OPEN_MAX)
				continue;
			CTX_MEM_GROW(p->open, p->n_open, p->cap_open);
			p->open[p->n_open++] = id;
		} else if (view->parts[i].type == CTX_PART_TOOL_CALL) {
			for (size_t k = 0; k < p->n_open; k++)
				if (ctx_span_eq(p->open[k], id))
					p->open[k--] = p->open[--p->n_open];
		}
	}
}

/* Read down from seq `from` until the limits are passed and no group is torn, or to the
 * next hidden range; *next is where to go on, 0: done. */
static int
read_stretch(
    struct load *l, struct progress *p, int64_t from, int64_t *next, struct ctx_err *err)
{
	struct ctx_cursor *c;
	struct ctx_stored m;
	int rc;

	*next = 0;
	if (ctx_cursor_open(&c, l->st, &l->w->session, l->covered + 1, from, true, err) <
	    0)
		return -1;
	while ((rc = ctx_cursor_next(c, &m, err)) == 1) {
		const struct ctx_seq_range *hole = hidden_at(l, m.seq);
		bool past;
		if (hole != NULL) {
			*next = hole->first - 1;
			l->lowest = hole->first;
			break;
		}
		/* the newest message says which turn is the current one: it is always read */
		past = l->n > 0 && past_limits(l, p, &m);
		if (past && (p->n_open == 0 || p->extra++ >= COMPLETE_MAX))
			break;
		take(l, &m, past);
		follow_ids(l, p, &l->rows[l->n - 1]);
		l->lowest = m.seq;
		p->messages++;
		p->turns += m.starts_turn;
		p->tokens += l->cut_base >= 0 && m.type == CTX_TYPE_TOOL_RESULT &&
				     4 * l->rows[l->n - 1].token_count > l->cut_base
				 ? l->cut_base / 4
				 : l->rows[l->n - 1].token_count;
	}
	ctx_cursor_close(c);
	return rc < 0 ? -1 : 0;
}

static bool
is_loaded(const struct load *l, int64_t seq)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->rows[i].seq == seq)
			return true;
	return false;
}

/* One more message, unless it is there or hidden. */
static int
read_one(struct load *l, int64_t seq, struct ctx_err *err)
{
	struct ctx_cursor *c;
	struct ctx_stored m;
	int rc;

	if (seq < 1 || is_loaded(l, seq) || hidden_at(l, seq) != NULL)
		return 0;
	if (ctx_cursor_open(&c, l->st, &l->w->session, seq, seq, true, err) < 0)
		return -1;
	rc = ctx_cursor_next(c, &m, err);
	if (rc == 1)
		take(l, &m, true);
	ctx_cursor_close(c);
	return rc < 0 ? -1 : 0;
}

/* One stretch of the opening, from seq *next up: system messages and the first message
 * that is none, which shows selection where the opening ends. *next is where to go on
 * behind a hidden range, 0: done. */
static int
read_opening_stretch(struct load *l, int64_t *next, struct ctx_err *err)
{
	const struct ctx_seq_range *hole;
	struct ctx_cursor *c;
	struct ctx_stored m;
	int rc;

	if (ctx_cursor_open(&c, l->st, &l->w->session, *next, l->lowest - 1, false, err) <
	    0)
		return -1;
	*next = 0;
	while ((rc = ctx_cursor_next(c, &m, err)) == 1) {
		hole = hidden_at(l, m.seq);
		if (hole != NULL) {
			*next = hole->last + 1;
			break;
		}
		if (!is_loaded(l, m.seq))
			take(l, &m, true);
		if (m.role != CTX_ROLE_SYSTEM && m.role != CTX_ROLE_DEVELOPER)
			break;
	}
	ctx_cursor_close(c);
	return rc < 0 ? -1 : 0;
}

/* The system messages that the session opens with. Most have none, which the statement
 * that is prepared can tell from the first. */
static int
read_opening(struct load *l, struct ctx_err *err)
{
	int64_t next = 1;

	if (l->lowest <= 1)
		return 0;
	if (read_one(l, 1, err) < 0)
		return -1;
	for (size_t i = 0; i < l->n; i++)
		if (l->rows[i].seq == 1 && l->rows[i].role != CTX_ROLE_SYSTEM &&
		    l->rows[i].role != CTX_ROLE_DEVELOPER)
			return 0;
	while (next > 0 && next < l->lowest)
		if (read_opening_stretch(l, &next, err) < 0)
			return -1;
	return 0;
}

/* A pinned message with the message that begins its turn and, where it makes or answers
 * calls, everything between the two ends of its turn that completes its group. */
static int
read_pinned(struct load *l, int64_t seq, struct ctx_err *err)
{
	struct ctx_stored *m;
	int64_t turn, first, last;

	if (read_one(l, seq, err) < 0)
		return -1;
	for (size_t i = 0; i < l->n; i++) {
		m = &l->rows[i];
		if (m->seq != seq)
			continue;
		turn = m->turn;
		first = last = seq;
		if (m->tool_calls > 0)
			last = seq + COMPLETE_MAX;
		if (m->type == CTX_TYPE_TOOL_RESULT || m->type == CTX_TYPE_ERROR) {
			first = seq > COMPLETE_MAX ? seq - COMPLETE_MAX : 1;
			last = seq + COMPLETE_MAX;
		}
		if (last >= l->lowest)
			last = l->lowest - 1;
		for (int64_t k = first < turn ? turn : first; k <= last; k++)
			if (read_one(l, k, err) < 0)
				return -1;
		return read_one(l, turn, err);
	}
	return 0;
}

static int
read_pins(struct load *l, int64_t until, struct ctx_err *err)
{
	int64_t *pins = NULL;
	size_t n = 0;
	int rc;

	rc = ctx_store_pins(l->st, &l->w->session, 1, until, &pins, &n, err);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = read_pinned(l, pins[i], err);
	for (size_t i = 0; rc == 0 && i < n; i++)
		for (size_t k = 0; k < l->n; k++)
			if (l->rows[k].seq == pins[i])
				l->rows[k].pinned = true;
	free(pins);
	return rc;
}

static int64_t
oldest_near(const struct load *l)
{
	int64_t seq = INT64_MAX;

	for (size_t i = 0; i < l->n; i++)
		if (!l->far[i] && l->rows[i].seq < seq)
			seq = l->rows[i].seq;
	return seq;
}

/* The summary in use, unless it stands for messages that are not looked at. */
static int
read_summary(struct load *l, int64_t until, struct ctx_err *err)
{
	struct ctx_store_summary *m = &l->w->summary;
	int rc;

	if (l->o->no_summary || l->st == NULL || until == 0)
		return 0;
	rc = ctx_store_summary_current(l->st, &l->w->session, m, err);
	if (rc == 1 && m->last >= until) /* the current turn is never summarised */
		ctx_store_summary_release(m);
	if (m->n == 0)
		return rc < 0 ? -1 : 0;
	l->covered = m->last;
	l->summary_tokens = count_tokens(
	    l->t, &l->w->history.scratch, ctx_span_of(m->message));
	return 0;
}

static int
read_rows(struct load *l, struct ctx_err *err)
{
	struct progress p = {0, 0, 0, NULL, 0, 0, 0};
	int64_t until = l->w->session.last_seq, from;
	int rc = 0;

	if (l->o->until >= 0 && l->o->until < until)
		until = l->o->until;
	if (read_summary(l, until, err) < 0)
		return -1;
	p.tokens = l->summary_tokens;
	l->lowest = until + 1;
	if (l->w->session.hidden_count > 0 &&
	    ctx_store_hidden(l->st, &l->w->session, &l->hidden, &l->n_hidden, err) < 0)
		return -1;
	for (from = until; from > l->covered && rc == 0;)
		rc = read_stretch(l, &p, from, &from, err);
	free(p.open);
	/* the messages that begin the newest and the oldest turn */
	if (rc == 0 && l->n > 0)
		rc = read_one(l, l->rows[0].turn, err);
	for (size_t i = l->n; rc == 0 && i-- > 0;)
		if (!l->far[i] && l->rows[i].seq == oldest_near(l)) {
			rc = read_one(l, l->rows[i].turn, err);
			break;
		}
	if (rc == 0)
		rc = read_opening(l, err);
	if (rc == 0 && until > 0)
		rc = read_pins(l, until, err);
	l->w->request.for_seq = until;
	return rc;
}

static int
by_seq(const void *a, const void *b)
{
	const struct ctx_stored *x = a, *y = b;

	return (x->seq > y->seq) - (x->seq < y->seq);
}

/* They were read downwards, but for a few. */
static void
sort_rows(struct load *l)
{
	bool sorted = true;

	for (size_t i = 0; i < l->n / 2; i++) {
		struct ctx_stored m = l->rows[i];
		l->rows[i] = l->rows[l->n - 1 - i];
		l->rows[l->n - 1 - i] = m;
	}
	for (size_t i = 1; i < l->n; i++)
		sorted &= l->rows[i - 1].seq < l->rows[i].seq;
	if (!sorted)
		qsort(l->rows, l->n, sizeof(*l->rows), by_seq);
}

/* ---- from rows to a history ---- */

static void
note_item(struct ctx_window *w, const struct ctx_stored *row, struct ctx_span source)
{
	size_t at = w->history.n - 1;

	if (w->history.n > w->cap_rows) {
		w->cap_rows = w->cap_rows == 0 ? 32 : w->cap_rows * 2;
		w->rows = ctx_mem_resize(w->rows, w->cap_rows, sizeof(*w->rows));
		w->sources = ctx_mem_resize(w->sources, w->cap_rows, sizeof(*w->sources));
	}
	w->rows[at] = *row;
	w->sources[at] = source;
}

/* A system message that the session does not hold. */
static int
add_system(struct load *l, const char *text, const char *name, struct ctx_err *err)
{
	struct ctx_buf b = CTX_BUF_INIT, source = CTX_BUF_INIT;
	struct ctx_item item = {
	    .seq = -1, .created_at = CTX_TIME_NONE, .slot = CTX_SLOT_PREFIX};
	struct ctx_stored row = {.seq = -1, .created_at = CTX_TIME_NONE, .type = -1};
	struct ctx_span src;
	int rc;

	ctx_json_put_open(&b, '{');
	ctx_json_add_str(&b, "role", "system");
	ctx_json_add_str(&b, "content", text);
	ctx_json_put_close(&b, '}');
	ctx_json_put_open(&source, '{');
	ctx_json_add_str(&source, "type", "prompt");
	ctx_json_add_str(&source, "name", name);
	ctx_json_put_close(&source, '}');
	item.message = ctx_arena_copy(&l->w->arena, ctx_buf_span(&b));
	src = ctx_arena_copy(&l->w->arena, ctx_buf_span(&source));
	item.tokens = count_tokens(l->t, &l->w->history.scratch, item.message);
	row.message = item.message;
	row.token_count = item.tokens;
	row.tokenizer = ctx_tokenizer_name(l->t);
	rc = ctx_history_add(&l->w->history, &item, err);
	if (rc == 0)
		note_item(l->w, &row, src);
	ctx_buf_release(&b);
	ctx_buf_release(&source);
	return rc;
}

static int
add_summary(struct load *l, struct ctx_err *err)
{
	const struct ctx_store_summary *m = &l->w->summary;
	struct ctx_item item = {.message = ctx_span_of(m->message),
	    .seq = -1,
	    .created_at = m->created_at,
	    .tokens = l->summary_tokens,
	    .slot = CTX_SLOT_SUMMARY};
	struct ctx_stored row = {.seq = -1,
	    .created_at = m->created_at,
	    .type = CTX_TYPE_SUMMARY,
	    .token_count = l->summary_tokens,
	    .tokenizer = ctx_tokenizer_name(l->t),
	    .message = item.message};
	struct ctx_buf id = CTX_BUF_INIT;

	ctx_store_summary_id(&id, l->w->session.session_id, m);
	row.id = ctx_arena_copy(&l->w->arena, ctx_buf_span(&id));
	ctx_buf_release(&id);
	if (ctx_history_add(&l->w->history, &item, err) < 0)
		return -1;
	note_item(l->w, &row, ctx_span_of(m->source));
	return 0;
}

static bool
any_system(const struct load *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->rows[i].role == CTX_ROLE_SYSTEM ||
		    l->rows[i].role == CTX_ROLE_DEVELOPER)
			return true;
	return false;
}

/* Does the row alone tell that the message makes and answers no calls? */
static bool
is_plain(const struct ctx_stored *m)
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
make_history(struct load *l, struct ctx_err *err)
{
	/* rows were noted as far by position; after sorting, position tells nothing */
	int64_t near = oldest_near(l);
	bool summary = l->covered > 0;

	sort_rows(l);
	if (l->o->system != NULL && add_system(l, l->o->system, "system", err) < 0)
		return -1;
	if (l->o->system == NULL && l->o->default_system != NULL && !any_system(l) &&
	    add_system(l, l->o->default_system, "default-system", err) < 0)
		return -1;
	for (size_t i = 0; i < l->n; i++) {
		const struct ctx_stored *m = &l->rows[i];
		struct ctx_item item = {.message = m->message,
		    .seq = m->seq,
		    .created_at = m->created_at,
		    .tokens = m->token_count,
		    .token_sum = m->token_sum,
		    .slot = CTX_SLOT_HISTORY,
		    .pinned = m->pinned,
		    .plain = is_plain(m),
		    .role = (enum ctx_role)m->role,
		    .starts_turn = m->starts_turn,
		    .far = m->seq < near};
		if (summary && m->seq > l->covered) {
			summary = false;
			if (add_summary(l, err) < 0)
				return -1;
		}
		if (ctx_history_add(&l->w->history, &item, err) < 0)
			return -1;
		note_item(l->w, m, CTX_SPAN_NONE);
	}
	if (summary && add_summary(l, err) < 0)
		return -1;
	ctx_history_group(&l->w->history);
	return 0;
}

/* ---- the request record ---- */

static int64_t
least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static void
drop(struct ctx_request *r, int64_t first, int64_t last, enum ctx_reason why)
{
	if (first <= last)
		ctx_account_drop(r, first, last, why);
}

/* Of a stretch that the summary covers: what was hidden is not told in it. */
static void
drop_covered(struct load *l, int64_t first, int64_t last)
{
	struct ctx_request *r = &l->w->request;

	for (size_t i = 0; i < l->n_hidden && first <= last; i++) {
		const struct ctx_seq_range *h = &l->hidden[i];
		if (h->last < first || h->first > last)
			continue;
		drop(r, first, h->first - 1, CTX_REASON_SUMMARIZED);
		first = h->first > first ? h->first : first;
		drop(r, first, least(h->last, last), CTX_REASON_HIDDEN);
		first = h->last + 1;
	}
	drop(r, first, last, CTX_REASON_SUMMARIZED);
}

/* Stretches that were never read: between what was loaded, and before it. */
static void
drop_unread(struct load *l, enum ctx_reason why)
{
	struct ctx_request *r = &l->w->request;
	int64_t next = 1;

	for (size_t i = 0; i <= l->n; i++) {
		int64_t seq = i < l->n ? l->rows[i].seq : r->for_seq + 1;
		int64_t last = least(seq, l->lowest) - 1;
		drop_covered(l, next, least(last, l->covered));
		drop(r, next > l->covered ? next : l->covered + 1, last, why);
		next = seq + 1;
	}
	for (size_t i = 0; i < l->n_hidden; i++)
		if (l->hidden[i].last >= l->lowest && l->hidden[i].first <= r->for_seq)
			drop(r, l->hidden[i].first, least(l->hidden[i].last, r->for_seq),
			    CTX_REASON_HIDDEN);
}

static int
make_request(struct load *l, struct ctx_err *err)
{
	struct ctx_request *r = &l->w->request;
	const struct ctx_window_options *o = l->o;
	struct ctx_buf policy = CTX_BUF_INIT;

	r->session_id = ctx_mem_str(l->w->session.session_id);
	r->request_id = ctx_mem_new(CTX_ID_UUID + 1);
	if (ctx_id_new(o->now, r->request_id, err) < 0)
		return -1;
	r->created_at = o->now;
	r->provider = ctx_mem_str(o->provider);
	r->mode = ctx_mem_str(o->mode);
	r->tokenizer = ctx_mem_str(ctx_tokenizer_name(l->t));
	r->budget = o->budget;
	r->reserve = o->budget >= 0 ? o->reserve : -1;
	ctx_json_put_open(&policy, '{');
	ctx_json_add_str(&policy, "strategy", "recent");
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
	drop_unread(l, o->max_messages >= 0        ? CTX_REASON_COUNT
		       : o->max_turns >= 0         ? CTX_REASON_TURNS
		       : o->since != CTX_TIME_NONE ? CTX_REASON_SINCE
						   : CTX_REASON_BUDGET);
	ctx_account(r, &l->w->history, l->w->sources);
	return 0;
}

/* What was read only to complete something that did not stay, and is summarised. */
static void
explain_covered(struct load *l)
{
	for (size_t i = 0; i < l->w->history.n; i++) {
		struct ctx_item *it = &l->w->history.items[i];
		if (!it->keep && it->seq > 0 && it->seq <= l->covered)
			it->reason = CTX_REASON_SUMMARIZED;
	}
}

/* The window keeps what must stay even where it is over: ctx-prune can still cut it, and
 * ctx-render has the last word. */
static int
choose(struct load *l, struct ctx_err *err)
{
	struct ctx_policy p;

	ctx_policy_init(&p);
	p.max_messages = l->o->max_messages;
	p.max_turns = l->o->max_turns;
	p.since = l->o->since;
	p.cut_base = l->cut_base;
	p.budget = l->o->budget < 0 ? -1 : l->avail;
	if (l->o->stable && p.budget > 0)
		p.stable_step = (int64_t)((1.0 - l->o->low_water) * (double)p.budget);
	if (ctx_select(&l->w->history, &p, err) == 0)
		return 0;
	if (err->code != CTX_EANSWER)
		return -1;
	err->code = CTX_OK;
	p.budget = -1;
	p.max_messages = 0;
	return ctx_select(&l->w->history, &p, err);
}

int
ctx_window_load(struct ctx_window *w, struct ctx_store *st,
    const struct ctx_window_options *o, struct ctx_tokenizer *t, struct ctx_err *err)
{
	struct load l = {.w = w, .st = st, .o = o, .t = t, .avail = -1, .cut_base = -1};
	int rc;

	if (o->budget >= 0) {
		l.avail = o->budget - o->reserve - CTX_TOKENS_REPLY;
		l.avail = l.avail < 0 ? 0 : l.avail;
		l.cut_base = o->budget;
	}
	if (st != NULL)
		l.recount = ctx_recount_new(st, &w->session, t);
	rc = st == NULL ? 0 : ctx_store_begin_read(st, err);
	if (rc == 0)
		rc = read_rows(&l, err);
	if (st != NULL)
		ctx_store_end_read(st);
	ctx_recount_free(l.recount);
	if (rc == 0)
		rc = make_history(&l, err);
	if (rc == 0)
		rc = choose(&l, err);
	explain_covered(&l);
	if (rc == 0)
		rc = make_request(&l, err);
	free(l.rows);
	free(l.far);
	free(l.hidden);
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
			ctx_stored_print(out, w->session.session_id, &w->rows[i],
			    ctx_slot_name(it->slot), w->sources[i]);
		if (out->n - start >= bytes)
			return i + 1;
	}
	ctx_request_print(out, &w->request);
	return 0;
}
