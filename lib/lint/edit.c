/* Edits JSON as text, so that everything else stays the same byte for byte. */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "json/json.h"
#include "lint/doc.h"
#include "record/message.h"

struct ctx_span
ctx_lint_keep(struct lint_doc *d, struct ctx_buf *b)
{
	struct ctx_span s = {NULL, b->n};
	char *p = ctx_buf_detach(b);

	CTX_MEM_GROW(d->arena, d->n_arena, d->cap_arena);
	d->arena[d->n_arena++] = p;
	s.p = p;
	return s;
}

struct ctx_span
ctx_lint_splice(
    struct lint_doc *d, struct ctx_span base, struct ctx_span sub, struct ctx_span by)
{
	struct ctx_buf b = CTX_BUF_INIT;
	size_t head = (size_t)(sub.p - base.p);

	ctx_buf_add(&b, base.p, head);
	ctx_buf_addspan(&b, by);
	ctx_buf_add(&b, sub.p + sub.n, base.n - head - sub.n);
	return ctx_lint_keep(d, &b);
}

struct ctx_span
ctx_lint_set(
    struct lint_doc *d, struct ctx_span object, const char *key, struct ctx_span value)
{
	struct ctx_span old = ctx_json_get(object, key);
	struct ctx_span head = {object.p, object.n - 1};
	struct ctx_buf b = CTX_BUF_INIT;

	if (old.p != NULL)
		return ctx_lint_splice(d, object, old, value);
	ctx_buf_addspan(&b, ctx_span_trim(head));
	ctx_json_add_raw(&b, key, value);
	ctx_buf_addc(&b, '}');
	return ctx_lint_keep(d, &b);
}

struct ctx_span
ctx_lint_unset(struct lint_doc *d, struct ctx_span object, const char *key)
{
	struct ctx_span cut = CTX_SPAN_NONE;
	const char *from = object.p + 1;
	bool first = true;

	CTX_JSON_EACH(it, object) {
		const char *end = it.value.p + it.value.n;
		if (cut.p != NULL) { /* the first member: cut up to the next key */
			cut.n = (size_t)(it.key.p - cut.p);
			break;
		}
		if (ctx_json_is(it.key, key)) {
			cut.p = first ? it.key.p : from;
			cut.n = (size_t)(end - cut.p);
			if (!first)
				break;
		}
		from = end;
		first = false;
	}
	if (cut.p == NULL)
		return object;
	return ctx_lint_unset(d, ctx_lint_splice(d, object, cut, CTX_SPAN_NONE), key);
}

/* Finds the white space around source i of a region. */
struct gaps {
	struct ctx_span region;
	const struct ctx_span *sources;
	size_t n;
	bool commas;
};

static struct ctx_span
get_edit_gap(const struct gaps *g, size_t i)
{
	const char *from = i == 0 ? g->region.p
				  : g->sources[i - 1].p + g->sources[i - 1].n;
	const char *to = i == g->n ? g->region.p + g->region.n : g->sources[i].p;

	return (struct ctx_span){from, (size_t)(to - from)};
}

static struct ctx_span
get_edit_gap_lead(const struct gaps *g, size_t i)
{
	struct ctx_span s = get_edit_gap(g, i);
	const char *comma;

	if (i == 0)
		return s;
	comma = g->commas ? memchr(s.p, ',', s.n) : NULL;
	if (comma == NULL)
		return CTX_SPAN_NONE;
	return (struct ctx_span){comma + 1, (size_t)(s.p + s.n - comma - 1)};
}

static struct ctx_span
get_edit_gap_tail(const struct gaps *g, size_t i)
{
	struct ctx_span s = get_edit_gap(g, i + 1);
	const char *comma = g->commas ? memchr(s.p, ',', s.n) : NULL;

	if (comma != NULL)
		s.n = (size_t)(comma - s.p);
	return s;
}

static size_t
source_at(const struct gaps *g, const char *at)
{
	size_t i;

	if (at == NULL)
		return SIZE_MAX;
	CTX_BOUND(i, g->n, (uintptr_t)g->sources[i].p < (uintptr_t)at);
	return i < g->n && g->sources[i].p == at ? i : SIZE_MAX;
}

static struct ctx_span
get_edited_item_lead(const struct gaps *g, size_t k, size_t source)
{
	if (g->n == 0)
		return CTX_SPAN_NONE;
	if (k == 0)
		return get_edit_gap_lead(g, 0);
	if (source != SIZE_MAX && source != 0)
		return get_edit_gap_lead(g, source);
	return g->n > 1    ? get_edit_gap_lead(g, 1)
	       : g->commas ? get_edit_gap_lead(g, 0)
			   : CTX_SPAN_NONE;
}

void
ctx_lint_print_list(struct ctx_buf *out, struct ctx_span region,
    const struct ctx_span *sources, size_t n_sources, const struct lint_element *elements,
    size_t n, bool commas)
{
	struct gaps g = {region, sources, n_sources, commas};

	for (size_t k = 0; k < n; k++) {
		size_t i = source_at(&g, elements[k].at);
		if (k > 0 && commas)
			ctx_buf_addc(out, ',');
		else if (k > 0 && out->p[out->n - 1] != '\n')
			ctx_buf_addc(out, '\n');
		ctx_buf_addspan(out, get_edited_item_lead(&g, k, i));
		ctx_buf_addspan(out, elements[k].text);
		if (k + 1 == n)
			i = n_sources == 0 ? SIZE_MAX : n_sources - 1;
		else if (i + 1 == n_sources) /* its white space belongs to the end */
			i = SIZE_MAX;
		if (i != SIZE_MAX)
			ctx_buf_addspan(out, get_edit_gap_tail(&g, i));
	}
}

void
ctx_lint_print_array(struct ctx_buf *out, struct ctx_span array,
    const struct lint_element *elements, size_t n)
{
	struct ctx_span *sources = NULL, region = {array.p + 1, array.n - 2};
	size_t n_sources = 0, cap = 0;

	CTX_JSON_EACH(it, array) {
		CTX_MEM_GROW(sources, n_sources, cap);
		sources[n_sources++] = it.value;
	}
	ctx_buf_addc(out, '[');
	ctx_lint_print_list(out, region, sources, n_sources, elements, n, true);
	ctx_buf_addc(out, ']');
	free(sources);
}

/* Appends a call in OpenAI's format as a block. */
static void
add_edited_call(struct ctx_buf *b, const struct lint_part *p)
{
	struct ctx_buf args = CTX_BUF_INIT;
	struct ctx_span input = ctx_json_text(p->body, &args), value = CTX_SPAN_NONE;

	if (input.p == NULL || ctx_json_check(input, &value, NULL, NULL) < 0 ||
	    ctx_json_type(value) != CTX_JSON_OBJECT)
		value = ctx_span_of("{}");
	ctx_json_print(b, "{'type':'tool_use','id':%j,'name':%j,'input':%j}", p->key,
	    p->name, value);
	ctx_buf_release(&args);
}

static void
add_edited_part(struct ctx_buf *b, const struct lint_doc *d, const struct lint_part *p)
{
	if (p->block || d->shape != LINT_MESSAGES ||
	    (p->type != LINT_TEXT && p->type != LINT_CALL)) {
		ctx_buf_addspan(b, p->raw);
	} else if (p->type == LINT_CALL) {
		add_edited_call(b, p);
	} else {
		ctx_message_put_text(b, p->raw);
	}
}

struct ctx_span
ctx_lint_with_parts(struct lint_doc *d, const struct lint_item *it,
    const struct lint_part *const *parts, size_t n)
{
	const char *key = ctx_lint_kind(ctx_lint_owner(d->shape))->parts;
	struct ctx_span old = ctx_json_get(it->message, key), array = ctx_span_of("[]");
	struct lint_element *e = ctx_mem_new(n * sizeof(*e));
	struct ctx_buf b = CTX_BUF_INIT;

	if (ctx_json_type(old) == CTX_JSON_ARRAY)
		array = old;
	for (size_t i = 0; i < n; i++) {
		add_edited_part(&b, d, parts[i]);
		e[i].text = ctx_lint_keep(d, &b);
		e[i].at = parts[i]->raw.p;
	}
	ctx_lint_print_array(&b, array, e, n);
	free(e);
	return ctx_lint_set(d, it->message, key, ctx_lint_keep(d, &b));
}

void
ctx_lint_item_set(struct lint_doc *d, struct lint_item *it, struct ctx_span message)
{
	struct ctx_span value;

	d->changed = true;
	if (it->message.p == it->value.p) {
		it->value = it->message = message;
		return;
	}
	value = ctx_lint_splice(d, it->value, it->message, message);
	/* The count was that of the old message. */
	value = ctx_lint_unset(d, value, "token_count");
	it->value = value;
	it->message = ctx_json_get(value, "message");
}

struct lint_item
ctx_lint_item_new(
    struct lint_doc *d, const struct lint_item *near, struct ctx_span message)
{
	struct lint_item it;
	struct ctx_buf b = CTX_BUF_INIT;

	memset(&it, 0, sizeof(it));
	it.value = it.message = message;
	if (near != NULL && near->message.p != near->value.p) {
		ctx_json_print(&b, "{'kind':'message','session_id':%j,'message':%j}",
		    ctx_json_get(near->value, "session_id"), message);
		it.value = ctx_lint_keep(d, &b);
		it.message = ctx_json_get(it.value, "message");
	}
	return it;
}

void
ctx_lint_list_add(struct lint_list *l, struct lint_item it)
{
	CTX_MEM_GROW(l->items, l->n, l->cap);
	l->items[l->n++] = it;
}

bool
ctx_lint_list_end(struct lint_doc *d, struct lint_list *l, bool changed)
{
	free(changed ? d->items : l->items);
	if (changed) {
		d->items = l->items;
		d->n = l->n;
		d->cap = l->cap;
		d->changed = true;
	}
	memset(l, 0, sizeof(*l));
	return changed;
}
