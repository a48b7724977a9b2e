/* Repairs ids that several calls have, and missing ones. */
#include <stdlib.h>

#include "base/mem.h"
#include "json/json.h"
#include "lint/doc.h"

/* A call of the current group. */
struct call {
	int id;              /* number of the old id */
	bool used;           /* a result has been assigned to it */
	struct ctx_span key; /* the new id, JSON; absent if it keeps its id */
};

struct renaming {
	struct lint_doc *d;
	bool *seen; /* per id */
	/* number of names tried; per id, and last for calls without an id */
	size_t *count;
	struct call *calls;
	size_t n, cap;
};

/* Makes an unused id from the old one. Returns it as JSON. */
static struct ctx_span
make_fresh_call_id(struct renaming *r, const struct lint_part *p)
{
	struct ctx_buf base = CTX_BUF_INIT, text = CTX_BUF_INIT, json = CTX_BUF_INIT;
	size_t *count = &r->count[p->id >= 0 ? (size_t)p->id : r->d->n_ids];
	struct ctx_span key;

	if (p->id >= 0)
		ctx_json_decode(p->key, &base);
	else
		ctx_buf_adds(&base, "call");
	do {
		++*count;
		ctx_buf_reset(&text);
		ctx_buf_addspan(&text, ctx_buf_span(&base));
		ctx_buf_addf(&text, "_%zu", *count + (p->id >= 0));
	} while (ctx_lint_ids_has(r->d->ids, ctx_buf_span(&text)));
	ctx_json_put_string(&json, ctx_buf_span(&text));
	key = ctx_lint_keep(r->d, &json);
	ctx_lint_ids_add(r->d->ids, key);
	ctx_buf_release(&base);
	ctx_buf_release(&text);
	return key;
}

static struct ctx_span
read_call(struct renaming *r, const struct lint_part *p)
{
	struct call *c;

	CTX_MEM_GROW(r->calls, r->n, r->cap);
	c = &r->calls[r->n++];
	*c = (struct call){p->id, false, CTX_SPAN_NONE};
	/* In the Responses API the ids of calls need not be unique. */
	if (p->id < 0 || (r->seen[p->id] &&
			     (r->d->shape == LINT_MESSAGES || r->d->shape == LINT_STEPS)))
		c->key = make_fresh_call_id(r, p);
	if (p->id >= 0)
		r->seen[p->id] = true;
	return c->key;
}

static struct ctx_span
find_renamed_result_id(struct renaming *r, const struct lint_part *p)
{
	for (size_t i = 0; i < r->n; i++) {
		if (r->calls[i].used || r->calls[i].id != p->id)
			continue;
		r->calls[i].used = true;
		return r->calls[i].key;
	}
	return CTX_SPAN_NONE;
}

static const char *
get_call_id_member(const struct lint_doc *d, const struct lint_part *p)
{
	if (d->shape != LINT_MESSAGES)
		return p->type == LINT_CALL ? ctx_lint_kind(d->rules)->call_id
					    : ctx_lint_kind(d->rules)->result_id;
	if (p->type == LINT_CALL)
		return "id";
	return p->block ? "tool_use_id" : "tool_call_id";
}

static struct ctx_span
rename_part(struct lint_doc *d, const struct lint_part *p, void *arg)
{
	struct ctx_span key = p->type == LINT_CALL     ? read_call(arg, p)
			      : p->type == LINT_RESULT ? find_renamed_result_id(arg, p)
						       : CTX_SPAN_NONE;

	if (key.p == NULL || ctx_json_type(p->raw) != CTX_JSON_OBJECT)
		return CTX_SPAN_NONE;
	return ctx_lint_set(d, p->raw, get_call_id_member(d, p), key);
}

bool
ctx_lint_fix_ids(struct lint_doc *d)
{
	struct renaming r = {d, NULL, NULL, NULL, 0, 0};
	bool before = false, changed = false;
	bool joined = d->shape == LINT_STEPS ||
		      (d->merged && !ctx_lint_kind(d->rules)->apart);

	r.seen = ctx_mem_new(d->n_ids);
	r.count = ctx_mem_new((d->n_ids + 1) * sizeof(*r.count));
	LINT_EACH_ITEM(i, d) {
		bool assistant = d->items[i].role == LINT_ASSISTANT;
		if (assistant && !(before && joined))
			r.n = 0;
		changed |= ctx_lint_mend_item_parts(d, &d->items[i], rename_part, &r);
		before = assistant;
	}
	free(r.seen);
	free(r.count);
	free(r.calls);
	return changed;
}
