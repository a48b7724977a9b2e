/* Repair: which pass repairs which rule, and functions that the passes share. A pass runs
 * only if its rule is violated, so correct parts are not changed. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "lint/doc.h"

#define ROUNDS 30 /* an upper limit; usually a few rounds are enough */

/* Repairs for all providers run first, then those of the provider. */
static const struct lint_step common_steps[] = {
    {"all-content", ctx_lint_fix_content, NULL},
    {"all-function-call", ctx_lint_fix_old_calls, NULL},
};
enum { COMMON = sizeof(common_steps) / sizeof(common_steps[0]), STEPS_MAX = 32 };

/* Returns step k of the document, or NULL after the last one. */
static const struct lint_step *
get_repair_step(const struct lint_doc *d, int k)
{
	const struct lint_step *step;

	if (k < COMMON)
		return &common_steps[k];
	step = &ctx_lint_kind(d->rules)->steps[k - COMMON];
	return step->rule == NULL || k >= STEPS_MAX ? NULL : step;
}

static void
forget_notes(struct lint_doc *d)
{
	for (size_t i = 0; i < d->n_notes; i++)
		free(d->notes[i].text);
	d->n_notes = 0;
}

/* Marks the steps that the notes require. Returns false if there are none. */
static bool
plan_repair_steps(const struct lint_doc *d, bool wanted[STEPS_MAX])
{
	const struct lint_step *step;
	const char *last = NULL;
	bool any = false;

	memset(wanted, 0, STEPS_MAX * sizeof(*wanted));
	for (size_t i = 0; i < d->n_notes; i++) {
		if (!d->notes[i].error || d->notes[i].rule == last)
			continue;
		last = d->notes[i].rule;
		for (int k = 0; (step = get_repair_step(d, k)) != NULL; k++)
			if (strcmp(step->rule, last) == 0)
				any = wanted[k] = true;
	}
	return any;
}

void
ctx_lint_doc_repair(struct lint_doc *d)
{
	bool wanted[STEPS_MAX], changed = true;
	const struct lint_step *step;
	struct ctx_err err = CTX_ERR_INIT;

	for (int round = 0; round < ROUNDS && changed; round++) {
		forget_notes(d);
		/* Parts that determined the shape may have been removed. */
		if (ctx_lint_doc_choose(d, &err) < 0)
			break;
		ctx_lint_rules_check(d);
		if (!plan_repair_steps(d, wanted))
			break;
		changed = false;
		for (int k = 0; (step = get_repair_step(d, k)) != NULL; k++) {
			if (!wanted[k] ||
			    !(step->pass != NULL ? step->pass(d)
						 : ctx_lint_mend_items(d, step->mend)))
				continue;
			changed = true;
			ctx_lint_doc_index(d);
		}
	}
	forget_notes(d);
}

struct place {
	struct ctx_span old, by;
};

static int
compare_repair_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return x->old.p < y->old.p ? -1 : x->old.p > y->old.p;
}

bool
ctx_lint_mend_items(struct lint_doc *d, lint_mend_item *mend)
{
	bool any = false;

	LINT_EACH_ITEM(i, d) {
		struct ctx_span message = mend(d, &d->items[i]);
		if (message.p != NULL)
			ctx_lint_item_set(d, &d->items[i], message);
		any |= message.p != NULL;
	}
	return any;
}

bool
ctx_lint_mend_item_parts(
    struct lint_doc *d, struct lint_item *it, lint_mend_part *mend, void *arg)
{
	struct place *places = ctx_mem_new(it->n * sizeof(*places));
	struct ctx_buf b = CTX_BUF_INIT;
	const char *from = it->message.p;
	size_t n = 0;

	LINT_EACH_PART(p, d, it) {
		struct ctx_span by = mend(d, p, arg);
		if (by.p != NULL)
			places[n++] = (struct place){p->raw, by};
	}
	if (n > 0) {
		qsort(places, n, sizeof(*places), compare_repair_places);
		for (size_t i = 0; i < n; i++) {
			ctx_buf_add(&b, from, (size_t)(places[i].old.p - from));
			ctx_buf_addspan(&b, places[i].by);
			from = places[i].old.p + places[i].old.n;
		}
		ctx_buf_add(&b, from, (size_t)(it->message.p + it->message.n - from));
		ctx_lint_item_set(d, it, ctx_lint_keep(d, &b));
	}
	free(places);
	return n > 0;
}

bool
ctx_lint_mend_parts(struct lint_doc *d, lint_mend_part *mend, void *arg)
{
	bool any = false;

	LINT_EACH_ITEM(i, d)
		any |= ctx_lint_mend_item_parts(d, &d->items[i], mend, arg);
	return any;
}

bool
ctx_lint_item_keep(struct lint_doc *d, struct lint_item *it, const bool *keep)
{
	const struct lint_part **left = ctx_mem_new(it->n * sizeof(struct lint_part *));
	size_t n = 0, others = 0, gone = 0;

	for (size_t i = 0; i < it->n; i++) {
		const struct lint_part *p = &d->parts[it->first + i];
		bool inside = p->block || p->raw.p == it->content.p;
		if (!keep[i])
			gone++;
		else if (inside)
			left[n++] = p;
		else
			others++;
	}
	if (gone > 0 && n > 0)
		ctx_lint_item_set(d, it, ctx_lint_with_parts(d, it, left, n));
	else if (gone > 0 && others > 0)
		ctx_lint_item_set(
		    d, it, ctx_lint_set(d, it->message, "content", ctx_span_of("null")));
	free(left);
	return n + others > 0;
}

bool
ctx_lint_list_add_without(struct lint_doc *d, struct lint_list *l, struct lint_item it,
    lint_drop_part *drop, const void *arg)
{
	bool *keep = ctx_mem_new(it.n), any = false;

	for (size_t i = 0; i < it.n; i++) {
		keep[i] = !drop(d, &d->parts[it.first + i], arg);
		any |= !keep[i];
	}
	if (!any || ctx_lint_item_keep(d, &it, keep))
		ctx_lint_list_add(l, it);
	free(keep);
	return any;
}

bool
ctx_lint_drop_parts(struct lint_doc *d, lint_drop_part *drop, const void *arg, bool empty)
{
	struct lint_list out = {NULL, 0, 0};
	bool any = false;

	for (size_t i = 0; i < d->n; i++) {
		if (empty && d->items[i].n == 0)
			any = true;
		else
			any |= ctx_lint_list_add_without(d, &out, d->items[i], drop, arg);
	}
	return ctx_lint_list_end(d, &out, any);
}

bool
ctx_lint_is_result(const struct lint_doc *d CTX_UNUSED, const struct lint_part *part,
    const void *unused CTX_UNUSED)
{
	return part->type == LINT_RESULT;
}

bool
ctx_lint_drop_items(
    struct lint_doc *d, bool (*drop)(const struct lint_doc *d, size_t item))
{
	struct lint_list out = {NULL, 0, 0};

	for (size_t i = 0; i < d->n; i++)
		if (!drop(d, i))
			ctx_lint_list_add(&out, d->items[i]);
	return ctx_lint_list_end(d, &out, out.n < d->n);
}
