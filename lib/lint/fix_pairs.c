/* Pairs calls and results by their ids. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "lint/doc.h"

#define NONE SIZE_MAX

/* Where results belong. A group is an assistant message with calls (or the turn that
 * contains it); its number is the index of its last item. */
struct pairing {
	struct lint_doc *d;
	bool turns;         /* adjacent items of one role share a group */
	size_t *numbers;    /* the memory of the arrays of numbers */
	size_t *group;      /* per item: the group of an assistant item, or NONE */
	size_t *insert;     /* per group: results are inserted after this item */
	size_t *group_here; /* per item: the group whose results are inserted after it */
	size_t *zone;       /* per part: the group at whose place it is */
	size_t *call_group; /* per id: the group of its call; NONE without a call */
	size_t *call_part;  /* per id: the part that is its call */
	bool *answered;     /* per id: its call has a result */
	bool *stays;        /* per part: a result that stays in its place */
	size_t *next, *head, *tail; /* results to move: per part, and per group */
	size_t open;                /* groups from this item on may lack results */
};

static size_t *
fill_none(size_t n)
{
	size_t *a = ctx_mem_new(n * sizeof(*a));

	for (size_t i = 0; i < n; i++)
		a[i] = NONE;
	return a;
}

static void
pairing_init(struct pairing *g, struct lint_doc *d)
{
	memset(g, 0, sizeof(*g));
	g->d = d;
	g->turns = d->merged && ctx_lint_kind(d->rules)->by_turns;
	g->numbers = g->group = fill_none(5 * d->n + 2 * d->n_parts + 2 * d->n_ids);
	g->insert = g->group + d->n;
	g->group_here = g->insert + d->n;
	g->head = g->group_here + d->n;
	g->tail = g->head + d->n;
	g->zone = g->tail + d->n;
	g->next = g->zone + d->n_parts;
	g->call_group = g->next + d->n_parts;
	g->call_part = g->call_group + d->n_ids;
	g->answered = ctx_mem_new(d->n_ids);
	g->stays = ctx_mem_new(d->n_parts);
}

/* True for an item that may be between a call and its results. */
static bool
is_transparent_pair_item(const struct pairing *g, const struct lint_item *it)
{
	return it->skip || (g->turns && it->role == LINT_SYSTEM);
}

static void
find_groups(struct pairing *g)
{
	const struct lint_doc *d = g->d;
	size_t last = NONE;

	for (size_t i = d->n; i-- > 0;) {
		const struct lint_item *it = &d->items[i];
		if (is_transparent_pair_item(g, it))
			continue;
		if (it->role != LINT_ASSISTANT) {
			last = NONE;
			continue;
		}
		if (last == NONE || !g->turns)
			last = i;
		g->group[i] = last;
		for (size_t k = it->first; k < it->first + it->n; k++) {
			if (d->parts[k].type != LINT_CALL || d->parts[k].id < 0)
				continue;
			g->call_group[d->parts[k].id] = last;
			g->call_part[d->parts[k].id] = k;
		}
	}
}

/* Finds the results that follow group l, and where more of them are inserted. */
static void
find_zone(struct pairing *g, size_t l)
{
	const struct lint_doc *d = g->d;

	g->insert[l] = l;
	for (size_t i = l + 1; i < d->n; i++) {
		const struct lint_item *it = &d->items[i];
		size_t k = it->first;
		if (is_transparent_pair_item(g, it))
			continue;
		if (it->role == LINT_ASSISTANT || it->n == 0)
			break;
		for (; k < it->first + it->n && d->parts[k].type == LINT_RESULT; k++)
			g->zone[k] = l;
		if (k < it->first + it->n)
			break;
		g->insert[l] = i;
		if (d->request && ctx_lint_kind(d->rules)->results_next)
			break;
	}
	g->group_here[g->insert[l]] = l;
}

static void
append_paired_result(struct pairing *g, size_t part, size_t l)
{
	if (g->head[l] == NONE)
		g->head[l] = part;
	else
		g->next[g->tail[l]] = part;
	g->tail[l] = part;
}

/* Gives each call the result at its place; otherwise the first one after the call,
 * otherwise the first one before it. */
static void
assign_call_results(struct pairing *g)
{
	enum { IN_PLACE, BEHIND, ANYWHERE, TRIES };

	for (int try = IN_PLACE; try < TRIES; try++)
		for (size_t i = 0; i < g->d->n; i++) {
			const struct lint_item *it = &g->d->items[i];
			for (size_t k = it->first; !it->skip && k < it->first + it->n;
			     k++) {
				const struct lint_part *p = &g->d->parts[k];
				size_t l = p->id < 0 ? NONE : g->call_group[p->id];
				if (p->type != LINT_RESULT || l == NONE ||
				    g->answered[p->id] ||
				    (try == IN_PLACE && g->zone[k] != l) ||
				    (try == BEHIND && k < g->call_part[p->id]))
					continue;
				g->answered[p->id] = true;
				if (try == IN_PLACE)
					g->stays[k] = true;
				else
					append_paired_result(g, k, l);
			}
		}
}

static void
find_open(struct pairing *g)
{
	const struct lint_doc *d = g->d;

	g->open = d->n;
	for (size_t i = d->n; !d->request && i-- > 0;) {
		const struct lint_item *it = &d->items[i];
		bool only = it->n > 0;
		LINT_EACH_PART(p, d, it)
			only = only && p->type == LINT_RESULT;
		if (is_transparent_pair_item(g, it) ||
		    (only && it->role != LINT_ASSISTANT))
			continue;
		g->open = i;
		break;
	}
}

/* Creates results for the calls of item i that have none. */
static void
make_up(struct pairing *g, size_t i, struct lint_list *out, struct ctx_buf *blocks)
{
	struct lint_doc *d = g->d;
	struct ctx_buf b = CTX_BUF_INIT;

	LINT_EACH_PART(p, d, &d->items[i]) {
		if (p->type != LINT_CALL || p->id < 0 || g->answered[p->id])
			continue;
		if (p->block) {
			ctx_json_print(blocks,
			    "{'type':'tool_result','tool_use_id':%j,'content':%s}",
			    p->key, CTX_LINT_NO_RESULT);
			continue;
		}
		ctx_json_print(&b, "{'role':'tool','tool_call_id':%j,'content':%s}",
		    p->key, CTX_LINT_NO_RESULT);
		ctx_lint_list_add(
		    out, ctx_lint_item_new(d, &d->items[i], ctx_lint_keep(d, &b)));
	}
}

static struct lint_item
block_item(struct lint_doc *d, const struct lint_item *near, struct ctx_span blocks)
{
	struct ctx_buf b = CTX_BUF_INIT;

	ctx_json_print(&b, "{'role':'user','content':[%j]}", blocks);
	return ctx_lint_item_new(d, near, ctx_lint_keep(d, &b));
}

/* Adds everything that goes after the results that group l has already. */
static void
emit_group(struct pairing *g, size_t l, struct lint_list *out, const size_t *item_of)
{
	struct lint_doc *d = g->d;
	struct ctx_buf blocks = CTX_BUF_INIT;
	size_t first = l;

	for (size_t k = g->head[l]; k != NONE; k = g->next[k]) {
		if (d->parts[k].block)
			ctx_lint_list_add(
			    out, block_item(d, &d->items[l], d->parts[k].raw));
		else
			ctx_lint_list_add(out, d->items[item_of[k]]);
	}
	while (first > 0 && (g->group[first - 1] == l ||
				is_transparent_pair_item(g, &d->items[first - 1])))
		first--;
	for (size_t i = first; i <= l && l < g->open; i++)
		if (g->group[i] == l)
			make_up(g, i, out, &blocks);
	if (blocks.n > 0)
		ctx_lint_list_add(
		    out, block_item(d, &d->items[l], ctx_buf_span(&blocks)));
	ctx_buf_release(&blocks);
}

/* True for a result that is moved or dropped. arg: the pairing. */
static bool
leaves_its_place(const struct lint_doc *d, const struct lint_part *part, const void *arg)
{
	const struct pairing *g = arg;

	return part->type == LINT_RESULT && !g->stays[part - d->parts];
}

static bool
fix_pairs(struct lint_doc *d)
{
	struct pairing g;
	struct lint_list out = {NULL, 0, 0};
	size_t *item_of = ctx_mem_new(d->n_parts * sizeof(*item_of));
	bool changed = false;

	pairing_init(&g, d);
	find_groups(&g);
	for (size_t i = 0; i < d->n; i++) {
		for (size_t k = 0; k < d->items[i].n; k++)
			item_of[d->items[i].first + k] = i;
		if (g.group[i] == i)
			find_zone(&g, i);
	}
	assign_call_results(&g);
	find_open(&g);
	for (size_t i = 0; i < d->n; i++) {
		const struct lint_item *it = &d->items[i];
		if (it->skip)
			ctx_lint_list_add(&out, *it);
		else if (it->role == LINT_TOOL && it->n > 0 &&
			 leaves_its_place(d, &d->parts[it->first], &g))
			changed = true;
		else
			changed |= ctx_lint_list_add_without(
			    d, &out, *it, leaves_its_place, &g);
		if (g.group_here[i] != NONE) {
			size_t before = out.n;
			emit_group(&g, g.group_here[i], &out, item_of);
			changed |= out.n > before;
		}
	}
	ctx_lint_list_end(d, &out, changed);
	free(item_of);
	free(g.numbers);
	free(g.answered);
	free(g.stays);
	return changed;
}

/* Within each message, moves results before all other parts. */
static bool
fix_result_order(struct lint_doc *d)
{
	bool any = false;

	for (size_t i = 0; i < d->n; i++) {
		struct lint_item *it = &d->items[i];
		const struct lint_part **order;
		bool bad = false, other = false;
		size_t n = 0;
		LINT_EACH_PART(p, d, it) {
			bad |= other && p->type == LINT_RESULT;
			other |= p->type != LINT_RESULT;
		}
		if (it->skip || !bad || it->role == LINT_ASSISTANT)
			continue;
		order = ctx_mem_new(it->n * sizeof(struct lint_part *));
		for (int results = 1; results >= 0; results--)
			LINT_EACH_PART(p, d, it)
				if ((p->type == LINT_RESULT) == results)
					order[n++] = p;
		ctx_lint_item_set(d, it, ctx_lint_with_parts(d, it, order, n));
		free(order);
		any = true;
	}
	return any;
}

bool
ctx_lint_fix_pairs(struct lint_doc *d)
{
	bool any;

	if (d->shape != LINT_MESSAGES)
		return false;
	any = fix_result_order(d);
	if (any)
		ctx_lint_doc_index(d);
	/* Pairing needs unique ids. */
	if (ctx_lint_fix_ids(d)) {
		any = true;
		ctx_lint_doc_index(d);
	}
	return fix_pairs(d) || any;
}
