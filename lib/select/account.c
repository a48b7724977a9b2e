#include "select/account.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/hash.h"
#include "base/mem.h"
#include "json/json.h"

/* Consecutive sequence numbers with the same reason (NONE: kept) form one range. */
struct range {
	int64_t first, last;
	enum ctx_reason reason;
};
#define NO_RANGE ((struct range){-1, -1, CTX_REASON_NONE})

/* Returns the name of the reason; NULL if there is none. */
static const char *
get_reason(enum ctx_reason reason)
{
	return reason == CTX_REASON_NONE ? NULL : ctx_reason_name(reason);
}

static void
write_account_range(struct ctx_buf *b, const struct range *r)
{
	if (r->first < 0)
		return;
	ctx_json_print(b, "{'first_seq':%d,'last_seq':%d,'reason':%s}", r->first, r->last,
	    get_reason(r->reason));
}

static void
extend_account_range(
    struct ctx_buf *b, struct range *r, int64_t seq, enum ctx_reason reason)
{
	if (r->first >= 0 && r->reason == reason && seq == r->last + 1) {
		r->last = seq;
		return;
	}
	write_account_range(b, r);
	*r = (struct range){seq, seq, reason};
}

void
ctx_account_drop(struct ctx_request *r, int64_t first, int64_t last, enum ctx_reason why)
{
	write_account_range(&r->dropped, &(struct range){first, last, why});
}

/* ---- dropped items in order ---- */

struct dropped {
	int64_t first, last; /* -1 for an addition */
	size_t place;        /* original position */
	struct ctx_span json;
};

static int
compare_dropped_places(const void *a, const void *b)
{
	const struct dropped *x = a, *y = b;

	/* additions (-1) come last */
	return (x->first < 0) != (y->first < 0) ? CTX_ORDER(x->first < 0, y->first < 0)
	       : x->first != y->first           ? CTX_ORDER(x->first, y->first)
						: CTX_ORDER(x->place, y->place);
}

static bool
same_reason(const struct dropped *a, const struct dropped *b)
{
	return ctx_span_eq(
	    ctx_json_get(a->json, "reason"), ctx_json_get(b->json, "reason"));
}

/* Sorts the ranges, merges adjacent ranges with the same reason, and puts additions after
 * them. */
static void
settle_dropped(struct ctx_buf *dropped)
{
	struct ctx_buf array = CTX_BUF_INIT, out = CTX_BUF_INIT;
	struct dropped *v = NULL;
	size_t n = 0, cap = 0;

	ctx_buf_addc(&array, '[');
	ctx_buf_addspan(&array, ctx_buf_span(dropped));
	ctx_buf_addc(&array, ']');
	CTX_JSON_EACH(it, ctx_buf_span(&array)) {
		CTX_MEM_GROW(v, n, cap);
		v[n] = (struct dropped){-1, -1, n, it.value};
		if (!ctx_json_int(ctx_json_get(it.value, "first_seq"), &v[n].first) ||
		    !ctx_json_int(ctx_json_get(it.value, "last_seq"), &v[n].last))
			v[n].first = -1;
		n++;
	}
	if (n > 1)
		qsort(v, n, sizeof(*v), compare_dropped_places);
	for (size_t i = 0; i < n; i++) {
		if (v[i].first < 0) {
			ctx_json_put_raw(&out, v[i].json);
			continue;
		}
		for (; i + 1 < n && v[i + 1].first == v[i].last + 1 &&
		       same_reason(&v[i], &v[i + 1]);
		     i++)
			v[i + 1].first = v[i].first;
		ctx_json_print(&out, "{'first_seq':%d,'last_seq':%d,'reason':%j}",
		    v[i].first, v[i].last, ctx_json_get(v[i].json, "reason"));
	}
	free(v);
	ctx_buf_release(&array);
	ctx_buf_release(dropped);
	*dropped = out;
}

/* Writes an addition or a message that was sent in a changed form; whole adds the text. */
static void
write_account_entry(
    struct ctx_buf *b, const struct ctx_sent *m, bool whole, enum ctx_reason reason)
{
	char sha[CTX_HASH_HEX + 1];

	ctx_hash_sha256(m->message.p, m->message.n, sha);
	ctx_json_put_open(b, '{');
	if (m->seq >= 0)
		ctx_json_add_int(b, "seq", m->seq);
	ctx_json_print(b,
	    "'slot':%s,'source':%j,'token_count':%d,'sha256':%s,'message':%j,'reason':%s}",
	    ctx_slot_name(m->slot), m->source, m->tokens, sha,
	    whole ? m->message : CTX_SPAN_NONE, get_reason(reason));
}

const char *
ctx_component_name(enum ctx_component component)
{
	static const char *const names[CTX_COMPONENTS] = {
	    "system", "items", "entities", "summary", "history", "message"};

	return names[component];
}

enum ctx_component
ctx_component_of(enum ctx_slot slot, enum ctx_role role, struct ctx_span source)
{
	struct ctx_span type = ctx_json_get(source, "type");

	if (slot == CTX_SLOT_HISTORY) {
		if (ctx_role_is_system((int)role))
			return CTX_COMPONENT_SYSTEM;
		return CTX_COMPONENT_HISTORY;
	}
	if (slot == CTX_SLOT_SUMMARY || ctx_json_is(type, "summary"))
		return CTX_COMPONENT_SUMMARY;
	if (CTX_JSON_IS_ANY(type, "rule", "reference", "tool"))
		return CTX_COMPONENT_ITEMS;
	if (ctx_json_is(type, "entity") || ctx_json_is(type, "topic"))
		return CTX_COMPONENT_ENTITIES;
	return ctx_json_is(type, "history") ? CTX_COMPONENT_HISTORY
					    : CTX_COMPONENT_SYSTEM;
}

int64_t
ctx_account_total(const struct ctx_history *h)
{
	return ctx_history_kept(h) + CTX_TOKENS_REPLY;
}

static void
write_account_tokens(
    struct ctx_buf *b, const struct ctx_history *h, const struct ctx_span *sources)
{
	int64_t sum[CTX_COMPONENTS] = {0};
	size_t current = ctx_history_current_turn(h);

	for (size_t i = 0; i < h->n; i++) {
		const struct ctx_item *it = &h->items[i];
		if (!it->keep)
			continue;
		if (i == current)
			sum[CTX_COMPONENT_MESSAGE] += it->tokens;
		else
			sum[ctx_component_of(it->slot, it->role,
			    sources == NULL ? CTX_SPAN_NONE : sources[i])] += it->tokens;
	}
	ctx_buf_reset(b);
	for (int c = 0; c < CTX_COMPONENTS; c++)
		ctx_json_add_int(b, ctx_component_name((enum ctx_component)c), sum[c]);
	ctx_json_add_int(b, "total", ctx_account_total(h));
}

void
ctx_account(
    struct ctx_request *r, const struct ctx_history *h, const struct ctx_span *sources)
{
	struct range kept = NO_RANGE, left = NO_RANGE;

	ctx_buf_reset(&r->messages);
	for (size_t i = 0; i < h->n; i++) {
		const struct ctx_item *it = &h->items[i];
		struct ctx_buf *list = it->keep ? &r->messages : &r->dropped;
		struct range *range = it->keep ? &kept : &left;
		if (it->seq < 0) {
			struct ctx_sent addition = {it->message,
			    sources == NULL ? CTX_SPAN_NONE : sources[i], it->slot, -1,
			    it->tokens};
			write_account_range(list, range);
			*range = NO_RANGE;
			write_account_entry(list, &addition, false,
			    it->keep ? CTX_REASON_NONE : it->reason);
			continue;
		}
		if (it->keep)
			extend_account_range(
			    &r->messages, &kept, it->seq, CTX_REASON_NONE);
		if (!it->keep || it->reason != CTX_REASON_NONE)
			extend_account_range(&r->dropped, &left, it->seq, it->reason);
	}
	write_account_range(&r->messages, &kept);
	write_account_range(&r->dropped, &left);
	settle_dropped(&r->dropped);
	write_account_tokens(&r->tokens, h, sources);
}

/* ---- strategies and settings ---- */

static void
add_strategy(struct ctx_buf *list, enum ctx_strategy strategy)
{
	const char *name = ctx_strategy_name(strategy);
	const char *comma = list->n == 0 ? NULL : strrchr(list->p, ',');

	if (list->n > 0 && strcmp(comma == NULL ? list->p : comma + 1, name) == 0)
		return;
	ctx_buf_addf(list, "%s%s", list->n > 0 ? "," : "", name);
}

void
ctx_account_strategies(struct ctx_request *r, const struct ctx_policy *p)
{
	struct ctx_buf list = CTX_BUF_INIT, policy = CTX_BUF_INIT;
	struct ctx_span before = ctx_json_get(ctx_span_of(r->policy_json), "strategy");

	if (ctx_json_type(before) == CTX_JSON_STRING)
		ctx_json_decode(before, &list);
	for (size_t i = 0; i < p->n_strategies; i++)
		add_strategy(&list, p->strategies[i]);
	if (p->n_strategies == 0)
		add_strategy(&list, CTX_STRATEGY_RECENT);
	ctx_json_put_open(&policy, '{');
	ctx_json_add_string(&policy, "strategy", ctx_buf_span(&list));
	ctx_json_put_members(&policy, ctx_span_of(r->policy_json), "strategy");
	ctx_json_put_close(&policy, '}');
	free(r->policy_json);
	r->policy_json = ctx_buf_detach(&policy);
	ctx_buf_release(&list);
}

/* ---- items that were sent in a changed form ---- */

static bool
is_changing_reason(struct ctx_span reason)
{
	return CTX_JSON_IS_ANY(reason, ctx_reason_name(CTX_REASON_CUT),
	    ctx_reason_name(CTX_REASON_TRUNCATED), ctx_reason_name(CTX_REASON_CLEARED));
}

/* Finds the ranges of messages that were sent in a changed form. Returns their number. */
static size_t
changed_ranges(const struct ctx_request *r, struct range **ranges)
{
	struct ctx_buf array = CTX_BUF_INIT;
	size_t n = 0, cap = 0;

	*ranges = NULL;
	ctx_buf_addc(&array, '[');
	ctx_buf_addspan(&array, ctx_buf_span(&r->dropped));
	ctx_buf_addc(&array, ']');
	CTX_JSON_EACH(it, ctx_buf_span(&array)) {
		struct range one = {0, 0, CTX_REASON_CUT};
		if (!is_changing_reason(ctx_json_get(it.value, "reason")) ||
		    !ctx_json_int(ctx_json_get(it.value, "first_seq"), &one.first) ||
		    !ctx_json_int(ctx_json_get(it.value, "last_seq"), &one.last))
			continue;
		CTX_MEM_GROW(*ranges, n, cap);
		(*ranges)[n++] = one;
	}
	ctx_buf_release(&array);
	return n;
}

void
ctx_account_sent(struct ctx_request *r, const struct ctx_sent sent[], size_t n)
{
	struct range kept = NO_RANGE, *changed;
	size_t n_changed = changed_ranges(r, &changed);

	ctx_buf_reset(&r->messages);
	for (size_t i = 0; i < n; i++) {
		bool whole = sent[i].seq < 0 || sent[i].slot != CTX_SLOT_HISTORY;
		for (size_t k = 0; k < n_changed && !whole; k++)
			whole = changed[k].first <= sent[i].seq &&
				sent[i].seq <= changed[k].last;
		if (!whole) {
			extend_account_range(
			    &r->messages, &kept, sent[i].seq, CTX_REASON_NONE);
			continue;
		}
		write_account_range(&r->messages, &kept);
		kept = NO_RANGE;
		write_account_entry(&r->messages, &sent[i], true, CTX_REASON_NONE);
	}
	write_account_range(&r->messages, &kept);
	free(changed);
}

void
ctx_account_leave(
    struct ctx_request *r, const struct ctx_sent *addition, enum ctx_reason why)
{
	struct ctx_sent unnumbered = *addition;

	unnumbered.seq = -1;
	write_account_entry(&r->dropped, &unnumbered, false, why);
}
