/* JSON values under construction. */
#include "answer/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void
clear_answer_node(struct ctx_node *n)
{
	for (size_t i = 0; i < n->n; i++)
		ctx_node_release(&n->kids[i]);
	free(n->kids);
	n->kids = NULL;
	n->n = n->cap = 0;
	n->kind = CTX_NODE_LEAF;
	ctx_buf_reset(&n->text);
}

void
ctx_node_release(struct ctx_node *n)
{
	clear_answer_node(n);
	ctx_buf_release(&n->key);
	ctx_buf_release(&n->text);
	ctx_buf_release(&n->aside);
}

void
ctx_node_set(struct ctx_node *n, struct ctx_span json)
{
	clear_answer_node(n);
	if (json.p != NULL)
		ctx_json_minify(json, &n->text);
}

void
ctx_node_become(struct ctx_node *n, int kind)
{
	if ((int)n->kind != kind)
		clear_answer_node(n);
	n->kind = kind;
}

struct ctx_node *
ctx_node_add(struct ctx_node *n, struct ctx_span key)
{
	struct ctx_node *kid;

	if (n->n >= CTX_NODE_KIDS) {
		*n->full = true;
		ctx_node_release(&n->kids[--n->n]);
	}
	CTX_MEM_GROW(n->kids, n->n, n->cap);
	kid = &n->kids[n->n++];
	memset(kid, 0, sizeof(*kid));
	kid->full = n->full;
	ctx_buf_addspan(&kid->key, key);
	return kid;
}

struct ctx_node *
ctx_node_find(const struct ctx_node *n, const char *key)
{
	for (size_t i = 0; i < n->n; i++)
		if (ctx_json_is(ctx_buf_span(&n->kids[i].key), key))
			return &n->kids[i];
	return NULL;
}

bool
ctx_node_has(const struct ctx_node *n, const char *key, const char *value)
{
	const struct ctx_node *kid = ctx_node_find(n, key);

	return kid != NULL && ctx_json_is(ctx_buf_span(&kid->text), value);
}

struct ctx_node *
ctx_node_member(struct ctx_node *n, struct ctx_span key)
{
	for (size_t i = 0; i < n->n; i++)
		if (ctx_span_eq(ctx_buf_span(&n->kids[i].key), key))
			return &n->kids[i];
	return ctx_node_add(n, key);
}

void
ctx_node_put(struct ctx_node *n, const char *key, struct ctx_span json)
{
	struct ctx_buf quoted = CTX_BUF_INIT;

	ctx_json_put_string(&quoted, ctx_span_of(key));
	ctx_node_set(ctx_node_add(n, ctx_buf_span(&quoted)), json);
	ctx_buf_release(&quoted);
}

void
ctx_node_drop(struct ctx_node *n, const char *key)
{
	struct ctx_node *kid = ctx_node_find(n, key);
	size_t behind;

	if (kid == NULL)
		return;
	ctx_node_release(kid);
	behind = (size_t)(n->kids + n->n - (kid + 1));
	memmove(kid, kid + 1, behind * sizeof(*kid));
	n->n--;
}

void
ctx_node_extend(struct ctx_node *n, struct ctx_span inside)
{
	if (n->kind != CTX_NODE_LEAF || n->text.n < 2 || n->text.p[0] != '"') {
		clear_answer_node(n);
		ctx_buf_addc(&n->text, '"');
	} else {
		n->text.n--;
	}
	ctx_buf_addspan(&n->text, inside);
	ctx_buf_addc(&n->text, '"');
}

void
ctx_node_push(struct ctx_node *n, struct ctx_span json)
{
	if (n->kind != CTX_NODE_LEAF || n->text.n < 2 || n->text.p[0] != '[') {
		clear_answer_node(n);
		ctx_buf_addc(&n->text, '[');
	} else {
		n->text.n--;
		if (n->text.n > 1)
			ctx_buf_addc(&n->text, ',');
	}
	ctx_json_minify(json, &n->text);
	ctx_buf_addc(&n->text, ']');
}

void
ctx_node_print(const struct ctx_node *n, struct ctx_buf *out)
{
	bool object = n->kind == CTX_NODE_OBJECT;

	if (n->kind == CTX_NODE_LEAF) {
		ctx_buf_addspan(
		    out, n->text.n > 0 ? ctx_buf_span(&n->text) : ctx_span_of("null"));
		return;
	}
	ctx_buf_addc(out, object ? '{' : '[');
	for (size_t i = 0; i < n->n; i++) {
		if (i > 0)
			ctx_buf_addc(out, ',');
		if (object) {
			ctx_buf_addspan(out, ctx_buf_span(&n->kids[i].key));
			ctx_buf_addc(out, ':');
		}
		ctx_node_print(&n->kids[i], out);
	}
	ctx_buf_addc(out, object ? '}' : ']');
}
