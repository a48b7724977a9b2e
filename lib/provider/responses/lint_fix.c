/* Repair of Responses items. */
#include <stdlib.h>

#include "base/mem.h"
#include "json/json.h"
#include "lint/doc.h"
#include "record/client_item.h"

#define NONE SIZE_MAX

/* Every item is one part here, so parts and items share their numbers. */
struct matching {
	struct lint_doc *d;
	bool *drop;    /* outputs that no call before them takes */
	size_t *early; /* per id: such an output, the first of a chain, or NONE */
	size_t *next;  /* per item: the next of its chain */
	size_t *give;  /* per item: the early output that this call takes */
	bool *make;    /* per item: a call that gets an output made up */
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

static void
match_item_outputs(struct matching *m)
{
	struct lint_doc *d = m->d;
	int *open = ctx_mem_new(d->n_ids * sizeof(*open));
	bool stored = ctx_lint_refers(d);
	size_t end = ctx_lint_open_end(d);

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
			m->make[i] = d->items[i].first < end &&
				     !ctx_json_is(
					 ctx_json_get(d->items[i].message, "type"),
					 "computer_call");
		}
	}
	free(open);
}

/* The members of the output that a call lacks. A screenshot cannot be made up. */
static void
put_missing_output(struct ctx_buf *b, const struct lint_part *call)
{
	struct ctx_span type = ctx_json_get(call->raw, "type");
	const struct ctx_client_item *kind = ctx_client_item_find(type, false);

	ctx_json_add_str(b, "type",
	    kind != NULL   ? kind->output
	    : call->custom ? "custom_tool_call_output"
			   : "function_call_output");
	ctx_json_add_raw(b, kind != NULL ? kind->id : "call_id", call->key);
	if (ctx_json_is(type, "shell_call"))
		ctx_json_add_raw(b, "output",
		    ctx_span_of("[{\"stdout\":\"\",\"stderr\":\"" CTX_LINT_NO_RESULT
				"\",\"outcome\":{\"type\":\"timeout\"}}]"));
	else
		ctx_json_add_str(b, "output", CTX_LINT_NO_RESULT);
	if (ctx_json_is(type, "apply_patch_call"))
		ctx_json_add_str(b, "status", "failed");
}

static void
emit_matched_outputs(struct matching *m, size_t i, struct lint_list *out)
{
	const struct lint_part *call = get_first_item_part(m->d, i);
	struct ctx_buf b = CTX_BUF_INIT;

	if (m->give[i] != NONE)
		ctx_lint_list_add(out, m->d->items[m->give[i]]);
	if (!m->make[i])
		return;
	ctx_json_put_open(&b, '{');
	put_missing_output(&b, call);
	ctx_json_put_close(&b, '}');
	ctx_lint_list_add(
	    out, ctx_lint_item_new(m->d, &m->d->items[i], ctx_lint_keep(m->d, &b)));
}

/* Outputs go behind the parallel calls that theirs is one of, and behind the outputs
 * that follow them. */
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
	if (any)
		ctx_lint_list_commit(d, &out);
	free(out.items);
	return any;
}

bool
ctx_lint_fix_items(struct lint_doc *d)
{
	struct matching m = {d, NULL, NULL, NULL, NULL, NULL};
	bool any;

	if (d->shape != LINT_ITEMS)
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

bool
ctx_lint_fix_reasoning(struct lint_doc *d)
{
	struct lint_list out = {NULL, 0, 0};
	bool any = false;

	for (size_t i = 0; i < d->n; i++) {
		if (ctx_lint_dangling(d, i))
			any = true;
		else
			ctx_lint_list_add(&out, d->items[i]);
	}
	if (any)
		ctx_lint_list_commit(d, &out);
	free(out.items);
	return any;
}
