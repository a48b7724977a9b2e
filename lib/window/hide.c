#include "record/record.h"
#include "window/hide.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "select/account.h"
#include "store/recount.h"
#include "store/summary.h"

#define PAGE 1000 /* messages read in one snapshot */

struct hide {
	const struct ctx_policy *policy;
	struct ctx_recognisers *recognisers; /* NULL: no strategy needs them */
	struct ctx_store *st;
	struct ctx_session session;
	/* the session's newest event when reading began; shows later changes */
	int64_t event;
	struct ctx_history history;
	struct ctx_arena arena;
	struct ctx_seq_range *hidden; /* already hidden */
	size_t n_hidden;
	int64_t *pins;
	size_t n_pins;
	struct ctx_tokenizer *t;
	struct ctx_recount *recount;
	/* the summary in use; n is 0 if there is none */
	struct ctx_store_summary summary;
	ctx_names_fn *names;
	void *names_arg;
	bool opening; /* only system messages so far */
};

/* Finds an active session. last_seq must equal the session's, unless it is -1. */
static int
find_active_session(struct ctx_store *st, const char *session_id, int64_t last_seq,
    struct ctx_session *s, struct ctx_err *err)
{
	int rc = ctx_store_session_active(st, session_id, s, err);

	if (rc == 0 && last_seq >= 0 && s->last_seq != last_seq)
		return ctx_err_set(err, CTX_EANSWER,
		    "session '%s' changed since it was listed: skipped", session_id);
	return rc;
}

/* Returns a copy of the message. If no strategy examines its content, a skeleton is
 * enough. */
static struct ctx_span
reduce_hide_message(struct hide *h, const struct ctx_stored *m)
{
	struct ctx_buf b = CTX_BUF_INIT;
	struct ctx_err ignored;
	struct ctx_span out;

	if (m->type == CTX_TYPE_TOOL_RESULT || m->type == CTX_TYPE_ERROR ||
	    ctx_role_is_system(m->role) ||
	    ctx_message_parse(&h->history.scratch, m->message, &ignored) < 0)
		return ctx_arena_copy(&h->arena, m->message);
	ctx_message_skeleton(&h->history.scratch, &b);
	out = ctx_arena_copy(&h->arena, ctx_buf_span(&b));
	ctx_buf_release(&b);
	return out;
}

bool
ctx_asks_names(const struct ctx_policy *policy)
{
	bool asked = false;

	for (size_t i = 0; i < policy->n_strategies; i++)
		asked |= policy->strategies[i] == CTX_STRATEGY_IMPORTANT ||
			 policy->strategies[i] == CTX_STRATEGY_COMPREHENSIVE;
	return asked;
}

bool
ctx_names_entity(struct ctx_recognisers *r, struct ctx_span message)
{
	struct ctx_mentions found = CTX_MENTIONS_INIT;
	struct ctx_message view = CTX_MESSAGE_INIT;
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_err ignored;
	bool any;

	if (r == NULL || ctx_message_parse(&view, message, &ignored) < 0)
		return false;
	ctx_message_text(&view, &text);
	ctx_recognise_scan(r, ctx_buf_span(&text), &found);
	any = found.n > 0;
	ctx_mentions_release(&found);
	ctx_buf_release(&text);
	ctx_message_release(&view);
	return any;
}

static int
add_hide_item(void *arg, const struct ctx_stored *m, struct ctx_err *err)
{
	struct hide *h = arg;
	struct ctx_item item = {.seq = m->seq,
	    .created_at = m->created_at,
	    .token_sum = m->token_sum,
	    .pinned = ctx_seq_among(h->pins, h->n_pins, m->seq)};

	h->opening = h->opening && ctx_role_is_system(m->role);
	/* messages covered by a summary are in no window, whether they are hidden or
	 * not */
	if (ctx_seq_range_at(h->hidden, h->n_hidden, m->seq) != NULL ||
	    (m->seq <= h->summary.last && !h->opening && !item.pinned))
		return 0;
	item.tokens = ctx_recount_tokens(h->recount, m);
	item.named = ctx_names_entity(h->recognisers, m->message) ||
		     ctx_record_tools_used(m->metadata, NULL, 0) > 0;
	if (!item.named && h->names != NULL && ctx_asks_names(h->policy)) {
		int rc = h->names(h->names_arg, &h->session, m->seq, err);
		if (rc < 0)
			return -1;
		item.named = rc == 1;
	}
	item.message = reduce_hide_message(h, m);
	return ctx_history_add(&h->history, &item, err);
}

static int
add_hide_summary(struct hide *h, struct ctx_err *err)
{
	struct ctx_item item = {.message = ctx_span_of(h->summary.message),
	    .seq = -1,
	    .created_at = h->summary.created_at,
	    .slot = CTX_SLOT_SUMMARY};

	if (h->summary.n == 0)
		return 0;
	if (ctx_message_parse(&h->history.scratch, item.message, err) < 0)
		return -1;
	item.tokens = ctx_tokens_message(h->t, &h->history.scratch);
	return ctx_history_add(&h->history, &item, err);
}

static int
load_hide_history(
    struct hide *h, const char *session_id, int64_t last_seq, struct ctx_err *err)
{
	int64_t next = 1;

	if (find_active_session(h->st, session_id, last_seq, &h->session, err) < 0 ||
	    ctx_store_event_last(h->st, &h->session, &h->event, err) < 0 ||
	    ctx_store_hidden(h->st, &h->session, &h->hidden, &h->n_hidden, err) < 0 ||
	    ctx_store_summary_current(h->st, &h->session, &h->summary, err) < 0 ||
	    ctx_store_pins(h->st, &h->session, 1, h->session.last_seq, &h->pins,
		&h->n_pins, err) < 0)
		return -1;
	h->opening = true;
	if (add_hide_summary(h, err) < 0)
		return -1;
	h->recount = ctx_recount_new(h->st, &h->session, h->t);
	for (; next <= h->session.last_seq; next += PAGE)
		if (ctx_store_messages(h->st, &h->session, next, next + PAGE - 1,
			add_hide_item, h, err) < 0)
			return -1;
	ctx_history_group(&h->history);
	return 0;
}

/* Returns the messages to hide as ranges of consecutive messages. */
static struct ctx_seq_range *
collect_hidden_ranges(const struct hide *h, size_t *n)
{
	struct ctx_seq_range *r = NULL;
	size_t cap = 0;

	*n = 0;
	for (size_t i = 0; i < h->history.n; i++) {
		const struct ctx_item *it = &h->history.items[i];
		if (it->keep)
			continue;
		if (*n > 0 && r[*n - 1].last == it->seq - 1) {
			r[*n - 1].last = it->seq;
			continue;
		}
		CTX_MEM_GROW(r, *n, cap);
		r[(*n)++] = (struct ctx_seq_range){it->seq, it->seq};
	}
	return r;
}

static void
describe_hide_event(
    struct ctx_buf *b, const struct hide *h, const struct ctx_policy *p, int64_t now)
{
	struct ctx_request account = CTX_REQUEST_INIT;
	int64_t before = 0, after = ctx_history_kept(&h->history);

	ctx_account(&account, &h->history, NULL);
	for (size_t i = 0; i < h->history.n; i++)
		before += h->history.items[i].tokens;
	ctx_event_open(b, h->session.session_id, now, "prune");
	ctx_json_put_key(b, "strategy");
	ctx_buf_addc(b, '"');
	for (size_t i = 0; p != NULL && i < p->n_strategies; i++)
		ctx_buf_addf(
		    b, "%s%s", i > 0 ? "," : "", ctx_strategy_name(p->strategies[i]));
	ctx_buf_adds(b, p == NULL              ? "chosen\""
			: p->n_strategies == 0 ? "recent\""
					       : "\"");
	if (p != NULL && p->budget >= 0)
		ctx_json_add_int(b, "budget", p->budget);
	ctx_json_print(
	    b, "'tokens_before':%d,'tokens_after':%d,'hidden':[", before, after);
	ctx_buf_addspan(b, ctx_buf_span(&account.dropped));
	ctx_buf_adds(b, "]}\n");
	ctx_request_release(&account);
}

/* Stores the changes in a write transaction, after checking that the session was not
 * changed since it was read. */
static int
apply_hidden_ranges(struct hide *h, const struct ctx_seq_range *ranges, size_t n,
    struct ctx_span event, int64_t now, struct ctx_err *err)
{
	struct ctx_session s = CTX_SESSION_INIT;
	int64_t id, last = 0;
	int rc = ctx_store_begin(h->st, err);

	if (rc == 0)
		rc = find_active_session(h->st, h->session.session_id, -1, &s, err);
	if (rc == 0)
		rc = ctx_store_event_last(h->st, &s, &last, err);
	if (rc == 0 && (s.no != h->session.no || s.last_seq != h->session.last_seq ||
			   last != h->event))
		rc = ctx_err_set(err, CTX_EANSWER,
		    "session '%s' changed meanwhile: skipped", s.session_id);
	if (rc == 0 && (ctx_store_event_add(h->st, &s, now, event, &id, err) < 0 ||
			   ctx_store_hide(h->st, &s, ranges, n, id, err) < 0 ||
			   ctx_store_session_count(h->st, &s, now, err) < 0))
		rc = -1;
	rc = ctx_store_end(h->st, rc, err);
	ctx_session_release(&s);
	return rc;
}

/* Hides the messages that are not kept. p is the policy that decided, or NULL if the
 * caller chose the messages. */
static int
hide_dropped(struct hide *h, const struct ctx_policy *p, int64_t now, bool dry_run,
    struct ctx_buf *event, struct ctx_err *err)
{
	struct ctx_buf text = CTX_BUF_INIT;
	size_t n = 0;
	int rc = 0;
	struct ctx_seq_range *ranges = collect_hidden_ranges(h, &n);

	describe_hide_event(&text, h, p, now);
	if (n > 0 && !dry_run)
		rc = apply_hidden_ranges(
		    h, ranges, n, ctx_span_trim(ctx_buf_span(&text)), now, err);
	if (rc == 0) /* print the event only if it was stored */
		ctx_buf_addspan(event, ctx_buf_span(&text));
	ctx_buf_release(&text);
	free(ranges);
	return rc;
}

static void
release_hide(struct hide *h)
{
	ctx_recognisers_free(h->recognisers);
	ctx_recount_free(h->recount);
	free(h->hidden);
	free(h->pins);
	ctx_store_summary_release(&h->summary);
	ctx_history_release(&h->history);
	ctx_arena_release(&h->arena);
	ctx_session_release(&h->session);
}

int
ctx_hide_session(struct ctx_store *st, const char *session_id, int64_t last_seq,
    const struct ctx_policy *policy, struct ctx_tokenizer *t, int64_t now, bool dry_run,
    ctx_names_fn *names, void *arg, struct ctx_buf *event, struct ctx_err *err)
{
	struct hide h = {.policy = policy,
	    .recognisers = ctx_asks_names(policy) ? ctx_recognisers_new() : NULL,
	    .st = st,
	    .t = t,
	    .session = CTX_SESSION_INIT,
	    .names = names,
	    .names_arg = arg};
	struct ctx_policy p = *policy;
	int rc;

	p.tokenizer = NULL;
	p.cut_base = -1;
	rc = load_hide_history(&h, session_id, last_seq, err);
	if (rc == 0)
		rc = ctx_select(&h.history, &p, err);
	if (rc == 0)
		rc = hide_dropped(&h, &p, now, dry_run, event, err);
	release_hide(&h);
	return rc;
}

/* ---- messages that the caller chose ---- */

/* Finds the range of messages for a choice. */
static int
find_chosen_range(const struct hide *h, const struct ctx_hide_choice *c,
    struct ctx_seq_range *range, struct ctx_err *err)
{
	const struct ctx_history *hist = &h->history;
	size_t turn = ctx_history_current_turn(hist);

	*range = c->range;
	if (c->what == CTX_HIDE_RANGE && c->range.last <= h->session.last_seq)
		return 0;
	if (c->what == CTX_HIDE_RANGE)
		return ctx_err_set(err, CTX_EANSWER, "session '%s' has no message %lld",
		    h->session.session_id, (long long)c->range.last);
	range->last = hist->n > 0 ? hist->items[hist->n - 1].seq : -1;
	range->first = c->what == CTX_HIDE_LAST ? range->last
		       : turn < hist->n         ? hist->items[turn].seq
						: -1;
	if (range->first <= 0)
		return ctx_err_set(err, CTX_EANSWER,
		    c->what == CTX_HIDE_LAST ? "session '%s' has no visible message"
					     : "session '%s' has no visible turn",
		    h->session.session_id);
	return 0;
}

/* Marks the visible messages of the range as not kept. Fails if there are none. */
static int
drop_chosen_range(struct hide *h, const struct ctx_seq_range *range, struct ctx_err *err)
{
	bool any = false;

	for (size_t i = 0; i < h->history.n; i++) {
		struct ctx_item *it = &h->history.items[i];
		if (it->seq < range->first || it->seq > range->last || it->seq <= 0)
			continue;
		it->keep = false;
		it->reason = CTX_REASON_HIDDEN;
		any = true;
	}
	if (any)
		return 0;
	return ctx_err_set(err, CTX_EANSWER,
	    ctx_seq_range_at(h->hidden, h->n_hidden, range->first) != NULL
		? "message %lld is already hidden"
		: "message %lld is covered by a summary (ctx-summarize --undo removes the summary)",
	    (long long)range->first);
}

/* Calls and results are hidden together, except at the end of the session: there a call
 * whose results are hidden waits for results again. Returns the number of messages that
 * are hidden in addition to the chosen ones. */
static size_t
drop_groups(struct ctx_history *hist)
{
	size_t end = hist->n, more = 0;
	bool *broken = ctx_mem_new(hist->n + 1);

	while (end > 0 && !hist->items[end - 1].keep)
		end--;
	for (size_t i = 0; i < end; i++)
		if (!hist->items[i].keep)
			broken[hist->items[i].group] = true;
	for (size_t i = 0; i < hist->n; i++) {
		struct ctx_item *it = &hist->items[i];
		if (!broken[it->group] || !it->keep || it->seq <= 0)
			continue;
		it->keep = false;
		it->reason = CTX_REASON_HIDDEN;
		more++;
	}
	free(broken);
	return more;
}

int
ctx_hide_chosen(struct ctx_store *st, const char *session_id,
    const struct ctx_hide_choice *choices, size_t n, struct ctx_tokenizer *t, int64_t now,
    bool dry_run, size_t *more, struct ctx_buf *event, struct ctx_err *err)
{
	struct ctx_policy none;
	struct hide h = {.policy = &none, .st = st, .t = t, .session = CTX_SESSION_INIT};
	int rc;

	ctx_policy_init(&none);
	rc = load_hide_history(&h, session_id, -1, err);
	for (size_t i = 0; rc == 0 && i < h.history.n; i++)
		h.history.items[i].keep = true;
	for (size_t i = 0; rc == 0 && i < n; i++) {
		struct ctx_seq_range range;
		rc = find_chosen_range(&h, &choices[i], &range, err);
		if (rc == 0)
			rc = drop_chosen_range(&h, &range, err);
	}
	if (rc == 0) {
		*more = drop_groups(&h.history);
		rc = hide_dropped(&h, NULL, now, dry_run, event, err);
	}
	release_hide(&h);
	return rc;
}

int
ctx_hide_undo(struct ctx_store *st, const char *session_id, int64_t last_seq, int64_t now,
    bool dry_run, struct ctx_buf *event, struct ctx_err *err)
{
	struct ctx_session s = CTX_SESSION_INIT;
	struct ctx_buf text = CTX_BUF_INIT;
	int64_t undone = 0, messages = 0;
	int rc = dry_run ? ctx_store_begin_read(st, err) : ctx_store_begin(st, err);

	if (rc == 0)
		rc = find_active_session(st, session_id, last_seq, &s, err);
	if (rc == 0)
		rc = ctx_store_hidden_last(st, &s, &undone, &messages, err);
	if (rc == 0)
		rc = ctx_err_set(
		    err, CTX_EANSWER, "no message of session '%s' is hidden", session_id);
	if (rc == 1) {
		ctx_event_open(&text, s.session_id, now, "undo");
		ctx_json_print(&text, "'undone':'prune','messages':%d}\n", messages);
		rc = 0;
	}
	if (rc == 0 && !dry_run) {
		s.hidden_count -= messages;
		if (ctx_store_unhide(st, &s, undone, err) < 0 ||
		    ctx_store_event_add(
			st, &s, now, ctx_span_trim(ctx_buf_span(&text)), NULL, err) < 0 ||
		    ctx_store_session_count(st, &s, now, err) < 0)
			rc = -1;
	}
	if (dry_run)
		ctx_store_end_read(st);
	else
		rc = ctx_store_end(st, rc, err);
	if (rc == 0)
		ctx_buf_addspan(event, ctx_buf_span(&text));
	ctx_buf_release(&text);
	ctx_session_release(&s);
	return rc;
}
