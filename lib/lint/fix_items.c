/* Pairs calls and results that are items of their own, or that become such items: by
 * their ids, however far apart they are. */
#include <stdlib.h>

#include "base/mem.h"
#include "json/json.h"
#include "lint/doc.h"

#define NONE SIZE_MAX

/* ---- checking items ---- */

/* Returns the index after the last part that is neither a call, a result, nor reasoning.
 * After it, calls of a history need not have results yet. */
static size_t
find_open_end(const struct lint_doc *d)
{
	size_t end = 0;

	if (d->request)
		return d->n_parts;
	LINT_EACH_ITEM(i, d) {
		const struct lint_item *it = &d->items[i];
		for (size_t k = it->first; k < it->first + it->n; k++) {
			enum lint_part_type type = d->parts[k].type;
			bool own = it->role == LINT_ASSISTANT &&
				   d->shape == LINT_MESSAGES;
			if (type != LINT_CALL && type != LINT_RESULT &&
			    type != LINT_THINKING)
				end = own ? it->first : k + 1;
		}
		if (it->n == 0)
			end = it->first;
	}
	return end;
}

void
ctx_lint_check_items(struct lint_doc *d)
{
	int *open = ctx_mem_new(d->n_ids * sizeof(*open));
	const struct ctx_lint_kind *kind = ctx_lint_kind(d->rules);
	bool stored = kind->refers(d);
	size_t end = find_open_end(d);

	LINT_EACH_ITEM(i, d)
		LINT_EACH_PART(p, d, &d->items[i]) {
			if (p->type == LINT_CALL && p->id >= 0)
				open[p->id]++;
			if (p->type != LINT_RESULT)
				continue;
			if (p->id >= 0 && open[p->id] > 0)
				open[p->id]--;
			else if (!stored || p->id < 0)
				ctx_lint_note(d, kind->orphan, true, i,
				    "tool output %.*s has no matching call before it",
				    LINT_KEY(p));
		}
	/* of calls with the same id, the last ones are open */
	for (size_t i = d->n; i-- > 0;) {
		const struct lint_item *it = &d->items[i];
		for (size_t k = it->first + it->n; !it->skip && k-- > it->first;) {
			const struct lint_part *p = &d->parts[k];
			if (p->type != LINT_CALL || (p->id >= 0 && open[p->id] == 0))
				continue;
			if (p->id >= 0)
				open[p->id]--;
			if (ctx_json_true(ctx_json_get(p->raw, "async")))
				continue; /* its output may come turns later */
			if (k < end)
				ctx_lint_note(d, kind->unanswered, true, i,
				    "call %.*s has no output", LINT_KEY(p));
		}
	}
	free(open);
}

/* ---- repairing items ---- */

/* How results are assigned to calls. A call or a result is the only part of its item. */
struct matching {
	struct lint_doc *d;
	bool *drop;    /* per item: an output without a call before it */
	size_t *early; /* per id: such an output, the first one of a chain, or NONE */
	size_t *next;  /* per item: the next output of its chain */
	size_t *give;  /* per call: the early output that is assigned to it */
	bool *make;    /* per call: an output must be created for it */
};

static const struct lint_part *
get_first_item_part(const struct lint_doc *d, size_t i)
{
	return d->items[i].n > 0 ? &d->parts[d->items[i].first] : NULL;
}

static bool
is_item_of_part_type(const struct lint_doc *d, size_t i, enum lint_part_type type)
{
	return !d->items[i].skip && d->items[i].n > 0 &&
	       get_first_item_part(d, i)->type == type;
}

static bool
can_make(const struct lint_doc *d, size_t i)
{
	struct ctx_buf b = CTX_BUF_INIT;
	bool can = ctx_lint_kind(d->rules)->put_result(&b, get_first_item_part(d, i));

	ctx_buf_release(&b);
	return can;
}

static void
match_item_outputs(struct matching *m)
{
	struct lint_doc *d = m->d;
	int *open = ctx_mem_new(d->n_ids * sizeof(*open));
	bool stored = ctx_lint_kind(d->rules)->refers(d);
	size_t end = find_open_end(d);

	for (size_t i = 0; i < d->n; i++) {
		int id = is_item_of_part_type(d, i, LINT_CALL) ||
				 is_item_of_part_type(d, i, LINT_RESULT)
			     ? get_first_item_part(d, i)->id
			     : -1;
		if (is_item_of_part_type(d, i, LINT_CALL) && id >= 0)
			open[id]++;
		if (!is_item_of_part_type(d, i, LINT_RESULT))
			continue;
		if (id >= 0 && open[id] > 0) {
			open[id]--;
		} else if (!stored || id < 0) {
			m->drop[i] = true;
			if (id >= 0) {
				m->next[i] = m->early[id];
				m->early[id] = i;
			}
		}
	}
	for (size_t i = d->n; i-- > 0;) {
		int id = is_item_of_part_type(d, i, LINT_CALL)
			     ? get_first_item_part(d, i)->id
			     : -1;
		if (id < 0 || open[id] == 0)
			continue;
		open[id]--;
		if (m->early[id] != NONE) {
			m->give[i] = m->early[id];
			m->early[id] = m->next[m->early[id]];
		} else {
			m->make[i] = d->items[i].first < end && can_make(d, i);
		}
	}
	free(open);
}

static void
emit_matched_outputs(struct matching *m, size_t i, struct lint_list *out)
{
	struct ctx_buf b = CTX_BUF_INIT;

	if (m->give[i] != NONE)
		ctx_lint_list_add(out, m->d->items[m->give[i]]);
	if (!m->make[i])
		return;
	ctx_lint_kind(m->d->rules)->put_result(&b, get_first_item_part(m->d, i));
	ctx_lint_list_add(
	    out, ctx_lint_item_new(m->d, &m->d->items[i], ctx_lint_keep(m->d, &b)));
}

/* Outputs are inserted after the parallel calls of which theirs is one, and after the
 * outputs that follow those. */
static bool
apply_item_matching(struct matching *m)
{
	struct lint_doc *d = m->d;
	struct lint_list out = {NULL, 0, 0};
	size_t from = NONE;
	bool any = false;

	for (size_t i = 0; i <= d->n; i++) {
		bool ends = i == d->n ||
			    !(is_item_of_part_type(d, i, LINT_CALL) ||
				is_item_of_part_type(d, i, LINT_RESULT)) ||
			    (is_item_of_part_type(d, i, LINT_CALL) && i > 0 &&
				is_item_of_part_type(d, i - 1, LINT_RESULT));
		if (ends && from != NONE) {
			for (size_t k = from; k < i; k++) {
				any |= m->drop[k] || m->make[k] || m->give[k] != NONE;
				emit_matched_outputs(m, k, &out);
			}
			from = NONE;
		}
		if (i == d->n)
			break;
		if (from == NONE && is_item_of_part_type(d, i, LINT_CALL))
			from = i;
		any |= m->drop[i];
		if (!m->drop[i])
			ctx_lint_list_add(&out, d->items[i]);
	}
	return ctx_lint_list_end(d, &out, any);
}

bool
ctx_lint_has_items(const struct lint_doc *d)
{
	return d->shape != LINT_MESSAGES &&
	       ctx_lint_kind(ctx_lint_owner(d->shape))->put_result != NULL;
}

bool
ctx_lint_fix_items(struct lint_doc *d)
{
	struct matching m = {d, NULL, NULL, NULL, NULL, NULL};
	bool any;

	if (!ctx_lint_has_items(d))
		return false;
	any = ctx_lint_fix_ids(d);
	if (any)
		ctx_lint_doc_index(d);
	m.drop = ctx_mem_new(d->n);
	m.make = ctx_mem_new(d->n);
	m.early = ctx_mem_new(d->n_ids * sizeof(*m.early));
	m.next = ctx_mem_new(d->n * sizeof(*m.next));
	m.give = ctx_mem_new(d->n * sizeof(*m.give));
	for (size_t i = 0; i < d->n; i++)
		m.give[i] = m.next[i] = NONE;
	for (size_t i = 0; i < d->n_ids; i++)
		m.early[i] = NONE;
	match_item_outputs(&m);
	any |= apply_item_matching(&m);
	free(m.drop);
	free(m.make);
	free(m.early);
	free(m.next);
	free(m.give);
	return any;
}
