/* Repair: which pass mends which rule, and what the passes share. A pass runs only when a
 * rule of its own is broken, so what is clean is never touched. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "lint/doc.h"

#define ROUNDS 30 /* a bound; a handful is usual */

/* In the order in which they run: what all providers want, roles and blanks first, then neighbours, ids, pairs,
 * and the ends last. */
static const struct step {
	const char *rule;
	lint_pass *pass;
} steps[] = {
    {"all-content", ctx_lint_fix_content},
    {"all-function-call", ctx_lint_fix_old_calls},
    {"an-no-tool-role", ctx_lint_fix_roles},
    {"an-nonempty", ctx_lint_fix_blank},
    {"oa-empty-assistant", ctx_lint_fix_empty_assistant},
    {"ge-alternate", ctx_lint_fix_gemini_empty},
    {"an-alternate", ctx_lint_fix_merge},
    {"ge-alternate", ctx_lint_fix_merge},
    {"ge-call-after", ctx_lint_fix_merge},
    {"oa-call-id-unique", ctx_lint_fix_ids},
    {"an-id-unique", ctx_lint_fix_ids},
    {"oa-orphan-result", ctx_lint_fix_pairs},
    {"oa-unanswered-call", ctx_lint_fix_pairs},
    {"an-orphan-result", ctx_lint_fix_pairs},
    {"an-result-next", ctx_lint_fix_pairs},
    {"ge-response-count", ctx_lint_fix_gemini_responses},
    {"ge-response-count", ctx_lint_fix_pairs},
    {"ge-response-count", ctx_lint_fix_gemini_order},
    {"ge-call-after", ctx_lint_fix_gemini_start},
    {"ge-signature", ctx_lint_fix_signature},
    {"re-orphan-output", ctx_lint_fix_items},
    {"re-unanswered-call", ctx_lint_fix_items},
    {"re-orphan-output", ctx_lint_fix_pairs},
    {"re-unanswered-call", ctx_lint_fix_pairs},
    {"re-reasoning-pair", ctx_lint_fix_reasoning},
    {"an-server-tool", ctx_lint_fix_server},
    {"an-thinking", ctx_lint_fix_thinking},
    {"an-first-user", ctx_lint_fix_ends},
    {"an-last-user", ctx_lint_fix_ends},
    {"oa-last-role", ctx_lint_fix_ends},
    {"ge-alternate", ctx_lint_fix_ends},
};

enum { STEPS = sizeof(steps) / sizeof(steps[0]) };

static void
forget_notes(struct lint_doc *d)
{
	for (size_t i = 0; i < d->n_notes; i++)
		free(d->notes[i].text);
	d->n_notes = 0;
}

/* Which steps the notes call for; false when none. */
static bool
plan_repair_steps(const struct lint_doc *d, bool wanted[STEPS])
{
	const char *last = NULL;
	bool any = false;

	memset(wanted, 0, STEPS * sizeof(*wanted));
	for (size_t i = 0; i < d->n_notes; i++) {
		if (!d->notes[i].error || d->notes[i].rule == last)
			continue;
		last = d->notes[i].rule;
		for (int k = 0; k < STEPS; k++)
			if (strcmp(steps[k].rule, last) == 0)
				any = wanted[k] = true;
	}
	return any;
}

void
ctx_lint_doc_repair(struct lint_doc *d)
{
	bool wanted[STEPS], changed = true;
	struct ctx_err err = CTX_ERR_INIT;

	for (int round = 0; round < ROUNDS && changed; round++) {
		forget_notes(d);
		/* what told the shape may have been dropped */
		if (ctx_lint_doc_choose(d, &err) < 0)
			break;
		ctx_lint_rules_check(d);
		if (!plan_repair_steps(d, wanted))
			break;
		changed = false;
		for (int k = 0; k < STEPS; k++) {
			if (!wanted[k] || !steps[k].pass(d))
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

struct ctx_span
ctx_lint_replace_parts(
    struct lint_doc *d, const struct lint_item *it, const struct ctx_span *by)
{
	struct place *places = ctx_mem_new(it->n * sizeof(*places));
	struct ctx_buf b = CTX_BUF_INIT;
	const char *from = it->message.p;
	size_t n = 0;

	for (size_t i = 0; i < it->n; i++)
		if (by[i].p != NULL)
			places[n++] = (struct place){d->parts[it->first + i].raw, by[i]};
	if (n > 0)
		qsort(places, n, sizeof(*places), compare_repair_places);
	for (size_t i = 0; i < n; i++) {
		ctx_buf_add(&b, from, (size_t)(places[i].old.p - from));
		ctx_buf_addspan(&b, places[i].by);
		from = places[i].old.p + places[i].old.n;
	}
	ctx_buf_add(&b, from, (size_t)(it->message.p + it->message.n - from));
	free(places);
	return ctx_lint_keep(d, &b);
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
