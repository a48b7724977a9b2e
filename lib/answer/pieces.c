/* Builds arrays that arrive in pieces in a stream: the content of servers that stream
 * blocks, and OpenRouter's reasoning_details. Adjacent elements of the same kind are
 * joined. */
#include "answer/internal.h"

static struct ctx_node *
add_object(const struct ctx_answer_reader *r, struct ctx_node *list, struct ctx_span v)
{
	struct ctx_node *n = ctx_node_add(list, CTX_SPAN_NONE);

	if (ctx_json_type(v) == CTX_JSON_OBJECT) {
		n->kind = CTX_NODE_OBJECT;
		ctx_answer_copy(r, n, v, NULL);
	} else {
		ctx_answer_set(r, n, v);
	}
	return n;
}

/* Returns whether the member is the same in both elements. If it is absent or null in one
 * of them, it counts as the same. */
static bool
is_same_piece_member(const struct ctx_node *n, struct ctx_span v, const char *key)
{
	const struct ctx_node *kid = ctx_node_find(n, key);
	struct ctx_span mine = ctx_json_get(v, key);

	return kid == NULL || mine.p == NULL || ctx_span_is(mine, "null") ||
	       ctx_span_is(ctx_buf_span(&kid->text), "null") ||
	       ctx_span_eq(ctx_buf_span(&kid->text), mine);
}

/* Extends an element: text is appended; other members are replaced by the last value that
 * is not null. */
static void
extend_answer_piece(
    const struct ctx_answer_reader *r, struct ctx_node *n, struct ctx_span v)
{
	CTX_JSON_EACH_WHILE(!r->full, it, v) {
		struct ctx_node *kid = ctx_node_member(n, ctx_answer_raw(r, it.key));
		if ((ctx_json_is(it.key, "text") || ctx_json_is(it.key, "summary")) &&
		    ctx_json_type(it.value) == CTX_JSON_STRING)
			ctx_node_extend(kid, ctx_answer_inside(r, it.value));
		else if (kid->text.n == 0 || !ctx_span_is(it.value, "null"))
			ctx_answer_set(r, kid, it.value);
	}
}

/* Returns the last element of the list if it is an object of this type, otherwise NULL. */
static struct ctx_node *
find_last_piece(const struct ctx_node *list, const char *type)
{
	struct ctx_node *last = list->n > 0 ? &list->kids[list->n - 1] : NULL;

	return last != NULL && ctx_node_has(last, "type", type) ? last : NULL;
}

void
ctx_answer_add_details(
    const struct ctx_answer_reader *r, struct ctx_node *list, struct ctx_span array)
{
	ctx_node_become(list, CTX_NODE_LIST);
	CTX_JSON_EACH(it, array) {
		struct ctx_span type = ctx_json_get(it.value, "type");
		struct ctx_node *last = NULL;
		if (ctx_json_is(type, "reasoning.text"))
			last = find_last_piece(list, "reasoning.text");
		else if (ctx_json_is(type, "reasoning.summary"))
			last = find_last_piece(list, "reasoning.summary");
		if (last != NULL && is_same_piece_member(last, it.value, "index") &&
		    is_same_piece_member(last, it.value, "id"))
			extend_answer_piece(r, last, it.value);
		else
			add_object(r, list, it.value);
	}
}

/* {"type":"thinking","thinking":[{"type":"text","text":…}]} (Mistral) */
static void
add_thinking(struct ctx_answer_reader *r, struct ctx_node *list, struct ctx_span v)
{
	struct ctx_node *last = find_last_piece(list, "thinking"), *inner;

	if (last == NULL) {
		inner = ctx_node_find(add_object(r, list, v), "thinking");
		if (inner != NULL)
			ctx_node_become(inner, CTX_NODE_LIST);
	} else {
		inner = ctx_node_find(last, "thinking");
	}
	if (inner == NULL || inner->kind != CTX_NODE_LIST) {
		add_object(r, list, v);
		return;
	}
	CTX_JSON_EACH(it, ctx_json_get(v, "thinking")) {
		struct ctx_node *end = ctx_json_has_type(it.value, "text")
					   ? find_last_piece(inner, "text")
					   : NULL;
		if (end != NULL)
			extend_answer_piece(r, end, it.value);
		else
			add_object(r, inner, it.value);
	}
}

/* Appends a text block. string is the text, a JSON string. */
static void
put_text_piece(struct ctx_node *list, struct ctx_span string)
{
	struct ctx_node *n = ctx_node_add(list, CTX_SPAN_NONE);

	n->kind = CTX_NODE_OBJECT;
	ctx_node_put(n, "type", ctx_span_of("\"text\""));
	ctx_node_put(n, "text", string);
}

static void
add_text_piece(struct ctx_answer_reader *r, struct ctx_node *list, struct ctx_span string)
{
	struct ctx_node *last = find_last_piece(list, "text");

	if (string.n == 2)
		return;
	if (last != NULL)
		ctx_node_extend(ctx_node_member(last, ctx_span_of("\"text\"")),
		    ctx_answer_inside(r, string));
	else
		put_text_piece(list, ctx_answer_raw(r, string));
	ctx_answer_say(r, list->n, ctx_answer_inside(r, string));
}

void
ctx_answer_add_content(
    struct ctx_answer_reader *r, struct ctx_node *content, struct ctx_span v)
{
	if (content->kind != CTX_NODE_LIST) {
		struct ctx_buf before = content->text;
		content->text = (struct ctx_buf)CTX_BUF_INIT;
		ctx_node_become(content, CTX_NODE_LIST);
		if (before.n > 2 && before.p[0] == '"')
			put_text_piece(content, ctx_buf_span(&before));
		ctx_buf_release(&before);
	}
	if (ctx_json_type(v) == CTX_JSON_STRING)
		add_text_piece(r, content, v);
	CTX_JSON_EACH(it, v) {
		struct ctx_span type = ctx_json_get(it.value, "type");
		struct ctx_span text = ctx_json_get(it.value, "text");
		if (ctx_json_is(type, "text") && ctx_json_type(text) == CTX_JSON_STRING)
			add_text_piece(r, content, text);
		else if (ctx_json_is(type, "thinking") &&
			 ctx_json_type(ctx_json_get(it.value, "thinking")) ==
			     CTX_JSON_ARRAY)
			add_thinking(r, content, it.value);
		else
			add_object(r, content, it.value);
	}
}
