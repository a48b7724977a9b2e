/* Repairs contents with parts, in which calls and responses are matched by position. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "lint/doc.h"

static bool
is_empty_part(const struct lint_doc *d CTX_UNUSED, const struct lint_part *p,
    const void *unused CTX_UNUSED)
{
	return p->empty;
}

bool
ctx_lint_fix_gemini_empty(struct lint_doc *d)
{
	return ctx_lint_drop_parts(d, is_empty_part, NULL, true);
}

/* Pointers to the parts of a new list. The parts in made were created here and are freed
 * with the struct. */
struct built {
	const struct lint_part **p;
	size_t n;
	struct lint_part *made;
	size_t n_made;
};

static const struct lint_part *
make_response(struct lint_doc *d, struct built *b, const struct lint_part *call)
{
	struct lint_part *p = &b->made[b->n_made++];
	struct ctx_buf text = CTX_BUF_INIT;

	ctx_json_print(&text,
	    "{'functionResponse':{'id':%j,'name':%j,'response':{'result':%s}}}",
	    ctx_json_type(call->key) == CTX_JSON_STRING ? call->key : CTX_SPAN_NONE,
	    ctx_json_type(call->name) == CTX_JSON_STRING ? call->name
							 : ctx_span_of("\"\""),
	    CTX_LINT_NO_RESULT);
	memset(p, 0, sizeof(*p));
	p->type = LINT_RESULT;
	p->block = true;
	p->raw = ctx_lint_keep(d, &text);
	return p;
}

/* Builds a list of the responses in content it (NULL: no content) in the order of the
 * calls in content before (NULL: no calls), followed by the other parts. Calls without a
 * response get a made one unless open is set. */
static void
build_gemini_responses(struct lint_doc *d, const struct lint_item *before,
    const struct lint_item *it, bool open, struct built *b)
{
	size_t calls = before == NULL ? 0 : before->n, parts = it == NULL ? 0 : it->n;
	bool *used = ctx_mem_new(parts);

	b->p = ctx_mem_new((calls + parts) * sizeof(struct lint_part *));
	b->made = ctx_mem_new(calls * sizeof(*b->made));
	b->n = b->n_made = 0;
	for (size_t c = 0; c < calls; c++) {
		const struct lint_part *call = &d->parts[before->first + c];
		size_t k = 0;
		if (call->type != LINT_CALL)
			continue;
		while (k < parts &&
		       (used[k] || d->parts[it->first + k].type != LINT_RESULT ||
			   !ctx_lint_answers(d, &d->parts[it->first + k], call)))
			k++;
		if (k < parts) {
			used[k] = true;
			b->p[b->n++] = &d->parts[it->first + k];
		} else if (!open) {
			b->p[b->n++] = make_response(d, b, call);
		}
	}
	for (size_t k = 0; k < parts; k++)
		if (d->parts[it->first + k].type != LINT_RESULT)
			b->p[b->n++] = &d->parts[it->first + k];
	free(used);
}

static bool
same_parts(const struct lint_doc *d, const struct lint_item *it, const struct built *b)
{
	if (b->n != it->n)
		return false;
	for (size_t k = 0; k < b->n; k++)
		if (b->p[k] != &d->parts[it->first + k])
			return false;
	return true;
}

static bool
only_results(const struct lint_doc *d, const struct lint_item *it)
{
	LINT_EACH_PART(p, d, it)
		if (p->type != LINT_RESULT)
			return false;
	return it->n > 0;
}

static struct lint_item
response_item(struct lint_doc *d, const struct built *b)
{
	struct ctx_buf text = CTX_BUF_INIT;

	ctx_json_print(&text, "{'role':'user','parts':[");
	for (size_t k = 0; k < b->n; k++)
		ctx_json_put_raw(&text, b->p[k]->raw);
	ctx_json_print(&text, "]}");
	return ctx_lint_item_new(d, NULL, ctx_lint_keep(d, &text));
}

static bool
fix_content(struct lint_doc *d, size_t i, struct lint_list *out)
{
	struct lint_item it = d->items[i];
	const struct lint_item *before = i > 0 ? &d->items[i - 1] : NULL;
	bool last = i + 1 == d->n && !d->request, changed = false;
	struct built b;

	if (it.role == LINT_ASSISTANT) {
		changed = ctx_lint_list_add_without(d, out, it, ctx_lint_is_result, NULL);
		if (last || (i + 1 < d->n && d->items[i + 1].role != LINT_ASSISTANT))
			return changed;
		/* no turn with responses follows */
		build_gemini_responses(d, &it, NULL, false, &b);
		if (b.n > 0) {
			ctx_lint_list_add(out, response_item(d, &b));
			changed = true;
		}
	} else {
		if (before != NULL && before->role != LINT_ASSISTANT)
			before = NULL;
		build_gemini_responses(d, before, &it, last && only_results(d, &it), &b);
		changed = !same_parts(d, &it, &b);
		if (changed && b.n > 0)
			ctx_lint_item_set(d, &it, ctx_lint_with_parts(d, &it, b.p, b.n));
		if (!changed || b.n > 0)
			ctx_lint_list_add(out, it);
	}
	free(b.p);
	free(b.made);
	return changed;
}

bool
ctx_lint_fix_gemini_responses(struct lint_doc *d)
{
	struct lint_list out = {NULL, 0, 0};
	bool any = false;

	if (d->shape != LINT_CONTENTS)
		return false;
	for (size_t i = 0; i < d->n; i++)
		any |= fix_content(d, i, &out);
	return ctx_lint_list_end(d, &out, any);
}

/* Returns the first call with the signature that Google documents for calls without a
 * signature. arg: the first call. */
static struct ctx_span
sign_first_call(struct lint_doc *d, const struct lint_part *p, void *arg)
{
	static const char none[] = "\"skip_thought_signature_validator\"";

	return p != arg || p->sign.p != NULL
		   ? CTX_SPAN_NONE
		   : ctx_lint_set(d, p->raw, "thoughtSignature", ctx_span_of(none));
}

bool
ctx_lint_fix_signature(struct lint_doc *d)
{
	bool any = false;

	for (size_t i = ctx_lint_current(d); i < d->n; i++) {
		struct lint_item *it = &d->items[i];
		any |= ctx_lint_mend_item_parts(d, it, sign_first_call,
		    (void *)ctx_lint_first_part(d, it, LINT_CALL));
	}
	return any;
}

/* ---- stored messages that will be sent to Gemini ---- */

/* A result in a turn. call: the position of its call, by which results are sorted. */
struct placed {
	size_t call, part, item;
};

static int
by_call(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;

	if (x->call != y->call)
		return x->call < y->call ? -1 : 1;
	return x->part < y->part ? -1 : x->part > y->part;
}

static size_t
place_results(const struct lint_doc *d, const struct lint_turn *t, const size_t *rank,
    struct placed **out, bool *sorted)
{
	struct placed *p = NULL;
	size_t n = 0, cap = 0;

	*sorted = true;
	for (size_t i = t->first; i < t->end; i++) {
		if (!ctx_lint_in_turn(d, &d->items[i]))
			continue;
		LINT_EACH_PART(r, d, &d->items[i]) {
			if (r->type != LINT_RESULT || r->id < 0)
				continue;
			CTX_MEM_GROW(p, n, cap);
			p[n] = (struct placed){rank[r->id], (size_t)(r - d->parts), i};
			*sorted = *sorted && (n == 0 || p[n - 1].call <= p[n].call);
			n++;
		}
	}
	*out = p;
	return n;
}

/* Adds the turn to out: first each of the n results, sorted, in its own message, then the
 * rest of the turn. */
static void
spread_gemini_turn_results(struct lint_doc *d, const struct lint_turn *t,
    const struct placed *p, size_t n, struct lint_list *out)
{
	struct ctx_buf b = CTX_BUF_INIT;

	for (size_t i = 0; i < n; i++) {
		const struct lint_item *it = &d->items[p[i].item];
		if (it->n == 1) {
			ctx_lint_list_add(out, *it);
			continue;
		}
		ctx_json_print(
		    &b, "{'role':'user','content':[%j]}", d->parts[p[i].part].raw);
		ctx_lint_list_add(out, ctx_lint_item_new(d, it, ctx_lint_keep(d, &b)));
	}
	for (size_t i = t->first; i < t->end; i++) {
		if (ctx_lint_in_turn(d, &d->items[i]))
			ctx_lint_list_add_without(
			    d, out, d->items[i], ctx_lint_is_result, NULL);
		else
			ctx_lint_list_add(out, d->items[i]);
	}
}

bool
ctx_lint_fix_gemini_order(struct lint_doc *d)
{
	struct lint_list out = {NULL, 0, 0};
	size_t *rank = ctx_mem_new(d->n_ids * sizeof(*rank)), n, next = 0;
	struct lint_turn *t = ctx_lint_turns(d, &n);
	bool any = false;

	for (size_t i = 0; d->shape == LINT_MESSAGES && i < d->n_parts; i++)
		if (d->parts[i].type == LINT_CALL && d->parts[i].id >= 0)
			rank[d->parts[i].id] = i;
	for (size_t i = 0; d->shape == LINT_MESSAGES && i < n; i++) {
		struct placed *p = NULL;
		size_t count;
		bool sorted;
		if (t[i].assistant)
			continue;
		count = place_results(d, &t[i], rank, &p, &sorted);
		if (!sorted) {
			qsort(p, count, sizeof(*p), by_call);
			while (next < t[i].first)
				ctx_lint_list_add(&out, d->items[next++]);
			spread_gemini_turn_results(d, &t[i], p, count, &out);
			next = t[i].end;
			any = true;
		}
		free(p);
	}
	while (any && next < d->n)
		ctx_lint_list_add(&out, d->items[next++]);
	ctx_lint_list_end(d, &out, any);
	free(t);
	free(rank);
	return any;
}
