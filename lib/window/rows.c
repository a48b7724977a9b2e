#include "window/rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"
#include "provider/compaction.h"
#include "window/run.h"

/* How many messages beyond the limit are searched for the call of the oldest results. */
#define COMPLETE_MAX 256
/* Most results for which a call is searched at the same time; real conversations have
 * fewer. */
#define OPEN_MAX 1024
/* For fewer rows it does not pay to limit the memory that the store takes. */
#define MANY_ROWS 100

static void
take_window_row(struct ctx_window_rows *l, const struct ctx_stored *m, bool far)
{
	struct ctx_stored *row;

	CTX_MEM_GROW(l->rows, l->n, l->cap);
	l->rows[l->n] = (struct ctx_window_row){.m = *m, .far = far};
	row = &l->rows[l->n++].m;
	*ctx_map_at(&l->places, (uint64_t)m->seq, NULL, NULL) = l->n;
	row->message = ctx_arena_copy(&l->w->arena, m->message);
	row->id = ctx_arena_copy(&l->w->arena, m->id);
	row->metadata = ctx_arena_copy(&l->w->arena, m->metadata);
	row->token_count = ctx_recount_tokens(l->recount, m);
	l->recounted |= strcmp(m->tokenizer, ctx_tokenizer_name(l->t)) != 0;
	row->tokenizer = ctx_tokenizer_name(l->t);
}

static const struct ctx_seq_range *
hidden_at(const struct ctx_window_rows *l, int64_t seq)
{
	return ctx_seq_range_at(l->hidden, l->n_hidden, seq);
}

/* State while messages are read backward: the progress toward each limit, and results
 * whose call was not read yet. */
struct progress {
	int64_t messages, turns, tokens;
	struct ctx_span *open; /* ids of results whose call was not read yet */
	size_t n_open, cap_open;
	int64_t extra;
};

static bool
past_limits(
    const struct ctx_window_rows *l, const struct progress *p, const struct ctx_stored *m)
{
	const struct ctx_window_options *o = l->o;

	return (o->max_messages >= 0 && p->messages >= o->max_messages) ||
	       (o->max_turns >= 0 && p->turns >= o->max_turns) ||
	       (o->budget >= 0 && p->tokens > l->avail) ||
	       (o->since != CTX_TIME_NONE && m->created_at < o->since);
}

/* Handles a call or result. A call removes its results, which were read before it, from
 * the open ones. */
static void
follow_open_call(struct progress *p, const struct ctx_ref *call)
{
	if (call->result) {
		if (p->n_open == OPEN_MAX)
			return;
		CTX_MEM_GROW(p->open, p->n_open, p->cap_open);
		p->open[p->n_open++] = call->id;
		return;
	}
	for (size_t k = 0; k < p->n_open; k++)
		if (ctx_span_eq(p->open[k], call->id))
			p->open[k--] = p->open[--p->n_open];
}

/* Records the calls and results of a message, whose members are known. Messages come
 * newest first. */
static void
look_into(struct ctx_window_rows *l, struct progress *p, struct ctx_window_row *row,
    const struct ctx_message_members *found)
{
	struct ctx_message *view = &l->w->history.scratch;
	const struct ctx_stored *m = &row->m;
	struct ctx_err ignored;

	if (m->tool_calls == 0 && m->type != CTX_TYPE_TOOL_RESULT &&
	    m->type != CTX_TYPE_ERROR)
		return;
	if (ctx_message_parse_members(view, m->message, found, &ignored) < 0)
		return;
	row->known = true;
	row->first_call = l->n_calls;
	for (size_t i = 0; i < view->n; i++) {
		enum ctx_part_type type = view->parts[i].type;
		if (type != CTX_PART_TOOL_CALL && type != CTX_PART_TOOL_RESULT)
			continue;
		CTX_MEM_GROW(l->calls, l->n_calls, l->cap_calls);
		l->calls[l->n_calls] = (struct ctx_ref){
		    ctx_message_call_id(view->parts[i].id, &l->w->arena),
		    view->parts[i].name, type == CTX_PART_TOOL_RESULT,
		    view->parts[i].async};
		follow_open_call(p, &l->calls[l->n_calls++]);
	}
	row->n_calls = l->n_calls - row->first_call;
}

/* Reads messages downward from seq `from` until the limits are exceeded and every group
 * is complete, or up to the next hidden range. Sets *next to the seq at which to
 * continue, or to 0 at the end. */
static int
read_stretch(struct ctx_window_rows *l, struct progress *p, int64_t from, int64_t *next,
    struct ctx_err *err)
{
	struct ctx_cursor *c;
	struct ctx_stored m;
	int rc;

	*next = 0;
	c = ctx_cursor_open(l->st, &l->w->session, l->covered + 1, from, true, err);
	while ((rc = ctx_cursor_next(c, &m, err)) == 1) {
		const struct ctx_seq_range *hole = hidden_at(l, m.seq);
		bool past;
		if (hole != NULL) {
			*next = hole->first - 1;
			l->lowest = hole->first;
			break;
		}
		/* the newest message tells which turn is the current one, so it is always
		 * read */
		past = l->n > 0 && past_limits(l, p, &m);
		if (past && (p->n_open == 0 || p->extra++ >= COMPLETE_MAX))
			break;
		take_window_row(l, &m, past);
		if (l->n == MANY_ROWS && ctx_store_read_through(l->st, err) < 0) {
			rc = -1;
			break;
		}
		look_into(l, p, &l->rows[l->n - 1], ctx_cursor_members(c));
		l->lowest = m.seq;
		p->messages++;
		p->turns += m.starts_turn;
		p->tokens += l->cut_base >= 0 && m.type == CTX_TYPE_TOOL_RESULT &&
				     4 * l->rows[l->n - 1].m.token_count > l->cut_base
				 ? l->cut_base / 4
				 : l->rows[l->n - 1].m.token_count;
	}
	ctx_cursor_close(c);
	return rc < 0 ? -1 : 0;
}

static struct ctx_window_row *
find_window_row(const struct ctx_window_rows *l, int64_t seq)
{
	size_t place = ctx_map_get(&l->places, (uint64_t)seq, NULL, NULL);

	return place == 0 ? NULL : &l->rows[place - 1];
}

/* Reads the message at seq, unless it was read already or is hidden. */
static int
read_window_row(struct ctx_window_rows *l, int64_t seq, struct ctx_err *err)
{
	struct ctx_cursor *c;
	struct ctx_stored m;
	int rc;

	if (seq < 1 || seq >= l->lowest || find_window_row(l, seq) != NULL ||
	    hidden_at(l, seq) != NULL)
		return 0;
	c = ctx_cursor_open(l->st, &l->w->session, seq, seq, true, err);
	rc = ctx_cursor_next(c, &m, err);
	if (rc == 1)
		take_window_row(l, &m, true);
	ctx_cursor_close(c);
	return rc < 0 ? -1 : 0;
}

/* Reads a stretch of the session's opening, upward from seq *next: system messages and
 * the first other message, which tells selection where the opening ends. Sets *next to
 * the seq after a hidden range, at which to continue, or to 0 at the end. */
static int
read_opening_stretch(struct ctx_window_rows *l, int64_t *next, struct ctx_err *err)
{
	const struct ctx_seq_range *hole;
	struct ctx_cursor *c = ctx_cursor_open(
	    l->st, &l->w->session, *next, l->lowest - 1, false, err);
	struct ctx_stored m;
	int rc;

	*next = 0;
	while ((rc = ctx_cursor_next(c, &m, err)) == 1) {
		hole = hidden_at(l, m.seq);
		if (hole != NULL) {
			*next = hole->last + 1;
			break;
		}
		if (find_window_row(l, m.seq) == NULL)
			take_window_row(l, &m, true);
		if (!ctx_role_is_system(m.role))
			break;
	}
	ctx_cursor_close(c);
	return rc < 0 ? -1 : 0;
}

/* Reads the system messages at the session's beginning. Most sessions have none, which
 * the first message shows. */
static int
read_opening(struct ctx_window_rows *l, struct ctx_err *err)
{
	const struct ctx_window_row *first;
	int64_t next = 1;

	if (l->lowest <= 1)
		return 0;
	if (read_window_row(l, 1, err) < 0)
		return -1;
	first = find_window_row(l, 1);
	if (first != NULL && !ctx_role_is_system(first->m.role))
		return 0;
	while (next > 0 && next < l->lowest)
		if (read_opening_stretch(l, &next, err) < 0)
			return -1;
	return 0;
}

/* Reads a pinned message, the message that begins its turn and, if the pinned message has
 * calls or results, the messages of the turn that complete its group. */
static int
read_pinned(struct ctx_window_rows *l, int64_t seq, struct ctx_err *err)
{
	struct ctx_window_row *row;
	int64_t turn, first = seq, last = seq;

	if (read_window_row(l, seq, err) < 0)
		return -1;
	row = find_window_row(l, seq);
	if (row == NULL)
		return 0;
	row->m.pinned = true;
	turn = row->m.turn;
	if (row->m.tool_calls > 0)
		last = seq + COMPLETE_MAX;
	if (row->m.type == CTX_TYPE_TOOL_RESULT || row->m.type == CTX_TYPE_ERROR) {
		first = seq > COMPLETE_MAX ? seq - COMPLETE_MAX : 1;
		last = seq + COMPLETE_MAX;
	}
	if (last >= l->lowest)
		last = l->lowest - 1;
	for (int64_t k = first < turn ? turn : first; k <= last; k++)
		if (read_window_row(l, k, err) < 0)
			return -1;
	return read_window_row(l, turn, err);
}

static int
read_pins(struct ctx_window_rows *l, int64_t until, struct ctx_err *err)
{
	int64_t *pins = NULL;
	size_t n = 0;
	int rc = ctx_store_pins(l->st, &l->w->session, 1, until, &pins, &n, err);

	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = read_pinned(l, pins[i], err);
	free(pins);
	return rc;
}

static int64_t
oldest_near(const struct ctx_window_rows *l)
{
	int64_t seq = INT64_MAX;

	for (size_t i = 0; i < l->n; i++)
		if (!l->rows[i].far && l->rows[i].m.seq < seq)
			seq = l->rows[i].m.seq;
	return seq;
}

/* Returns whether the summary is one that only its own provider can read, and the window
 * is for another provider. */
static bool
is_foreign_summary(const struct ctx_window_rows *l, const struct ctx_store_summary *m)
{
	struct ctx_span block;
	int made;

	if (l->o->provider == NULL)
		return false;
	made = ctx_compaction_find(ctx_span_of(m->message), &block);
	return made >= 0 && !ctx_compaction_readable((enum ctx_provider)made) &&
	       ctx_provider_parse(l->o->provider) != made;
}

int
ctx_window_summary(const struct ctx_window_rows *l, int64_t until,
    struct ctx_store_summary *m, struct ctx_err *err)
{
	int64_t n = l->w->session.summary;
	int rc = 0;

	if (l->o->no_summary || l->st == NULL || until == 0)
		return 0;
	while (n > 0 &&
	       (rc = ctx_store_summary_get(l->st, &l->w->session, n, m, err)) == 1 &&
	       is_foreign_summary(l, m)) {
		n = m->previous;
		ctx_store_summary_release(m);
	}
	if (m->last >= until) /* the current turn is never summarized */
		ctx_store_summary_release(m);
	return rc < 0 ? -1 : m->n > 0;
}

static int
read_summary(struct ctx_window_rows *l, int64_t until, struct ctx_err *err)
{
	struct ctx_store_summary *m = &l->w->summary;
	int rc = ctx_window_summary(l, until, m, err);

	if (rc <= 0)
		return rc;
	l->covered = m->last;
	l->summary_tokens = ctx_recount_message(
	    l->t, &l->w->history.scratch, ctx_span_of(m->message));
	return 0;
}

/* Sorts the rows by seq. All but a few were read newest first. */
static void
sort_rows(struct ctx_window_rows *l)
{
	bool sorted = true;

	for (size_t i = 0; i < l->n / 2; i++) {
		struct ctx_window_row row = l->rows[i];
		l->rows[i] = l->rows[l->n - 1 - i];
		l->rows[l->n - 1 - i] = row;
	}
	for (size_t i = 1; i < l->n; i++)
		sorted &= l->rows[i - 1].m.seq < l->rows[i].m.seq;
	if (!sorted)
		qsort(l->rows, l->n, sizeof(*l->rows), ctx_compare_int64);
}

int
ctx_window_rows_read(struct ctx_window_rows *l, struct ctx_err *err)
{
	struct progress p = {0, 0, 0, NULL, 0, 0, 0};
	int64_t until = l->w->session.last_seq, from, near;
	int rc = 0;

	if (l->o->until >= 0 && l->o->until < until)
		until = l->o->until;
	if (read_summary(l, until, err) < 0)
		return -1;
	p.tokens = l->summary_tokens;
	l->lowest = until + 1;
	if (l->hidden == NULL && l->w->session.hidden_count > 0 &&
	    ctx_store_hidden(l->st, &l->w->session, &l->hidden, &l->n_hidden, err) < 0)
		return -1;
	for (from = until; from > l->covered && rc == 0;)
		rc = read_stretch(l, &p, from, &from, err);
	free(p.open);
	near = oldest_near(l);
	/* the messages that begin the newest and the oldest turn */
	if (rc == 0 && l->n > 0)
		rc = read_window_row(l, l->rows[0].m.turn, err);
	if (rc == 0 && near != INT64_MAX)
		rc = read_window_row(l, find_window_row(l, near)->m.turn, err);
	if (rc == 0)
		rc = read_opening(l, err);
	if (rc == 0 && until > 0)
		rc = read_pins(l, until, err);
	l->w->request.for_seq = until;
	l->near = near;
	sort_rows(l);
	return rc;
}

void
ctx_window_rows_release(struct ctx_window_rows *l)
{
	ctx_map_release(&l->places);
	free(l->calls);
	free(l->hidden);
}

/* How a window counts tokens. */

int
ctx_window_count_for_last(struct ctx_window_rows *l, struct ctx_err *err)
{
	const struct ctx_window_options *o = l->o;
	const struct ctx_request *q = l->run == NULL ? NULL : &l->run->last;
	struct ctx_buf last = CTX_BUF_INIT;
	struct ctx_span model = CTX_SPAN_NONE;
	int rc = 0;

	if (o->count_for == NULL)
		return 0;
	if (q != NULL && (o->provider == NULL || q->provider == NULL ||
			     strcmp(o->provider, q->provider) == 0))
		model = ctx_json_get(ctx_span_of(q->params_json), "model");
	if (model.p == NULL && l->st != NULL) {
		rc = ctx_store_last_model(l->st, &l->w->session, o->provider, &last, err);
		model = ctx_buf_span(&last);
	}
	if (rc == 0)
		rc = o->count_for(l->t, model, err);
	ctx_buf_release(&last);
	return rc;
}
