/* Builds arrays that arrive in pieces in a stream: the content of servers that stream
 * blocks, and OpenRouter's reasoning_details. Adjacent elements of the same kind are
 * joined. */
#include "answer/internal.h"

static struct ctx_node *
add_object(const struct ctx_answer_reader *r, struct ctx_node *list, struct ctx_span v,
    struct ctx_err *err)
{
	struct ctx_node *n = ctx_node_add(list, CTX_SPAN_NONE, err);

	if (n == NULL || ctx_json_type(v) != CTX_JSON_OBJECT) {
		if (n != NULL)
			ctx_answer_set(r, n, v);
		return n;
	}
	n->kind = CTX_NODE_OBJECT;
	CTX_JSON_EACH(it, v) {
		struct ctx_node *kid = ctx_node_member(n, ctx_answer_raw(r, it.key), err);
		if (kid == NULL)
			return NULL;
		ctx_answer_set(r, kid, it.value);
	}
	return n;
}

static bool
member_is(const struct ctx_node *n, const char *key, const char *value)
{
	const struct ctx_node *kid = ctx_node_find(n, key);

	return kid != NULL && ctx_json_is(ctx_buf_span(&kid->text), value);
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
static int
extend_answer_piece(const struct ctx_answer_reader *r, struct ctx_node *n,
    struct ctx_span v, struct ctx_err *err)
{
	CTX_JSON_EACH(it, v) {
		struct ctx_node *kid = ctx_node_member(n, ctx_answer_raw(r, it.key), err);
		if (kid == NULL)
			return -1;
		if ((ctx_json_is(it.key, "text") || ctx_json_is(it.key, "summary")) &&
		    ctx_json_type(it.value) == CTX_JSON_STRING)
			ctx_node_extend(kid, ctx_answer_inside(r, it.value));
		else if (kid->text.n == 0 || !ctx_span_is(it.value, "null"))
			ctx_answer_set(r, kid, it.value);
	}
	return 0;
}

static int
start_list(struct ctx_node *list)
{
	if (list->kind == CTX_NODE_LIST)
		return 0;
	ctx_node_set(list, CTX_SPAN_NONE);
	list->kind = CTX_NODE_LIST;
	return 0;
}

int
ctx_answer_add_details(const struct ctx_answer_reader *r, struct ctx_node *list,
    struct ctx_span array, struct ctx_err *err)
{
	start_list(list);
	CTX_JSON_EACH(it, array) {
		struct ctx_node *last = list->n > 0 ? &list->kids[list->n - 1] : NULL;
		struct ctx_span type = ctx_json_get(it.value, "type");
		bool joins = last != NULL && last->kind == CTX_NODE_OBJECT &&
			     ((ctx_json_is(type, "reasoning.text") &&
				  member_is(last, "type", "reasoning.text")) ||
				 (ctx_json_is(type, "reasoning.summary") &&
				     member_is(last, "type", "reasoning.summary"))) &&
			     is_same_piece_member(last, it.value, "index") &&
			     is_same_piece_member(last, it.value, "id");
		if (joins ? extend_answer_piece(r, last, it.value, err) < 0
			  : add_object(r, list, it.value, err) == NULL)
			return -1;
	}
	return 0;
}

/* {"type":"thinking","thinking":[{"type":"text","text":…}]} (Mistral) */
static int
add_thinking(struct ctx_answer_reader *r, struct ctx_node *list, struct ctx_span v,
    struct ctx_err *err)
{
	struct ctx_node *last = list->n > 0 ? &list->kids[list->n - 1] : NULL, *inner;

	if (last == NULL || !member_is(last, "type", "thinking")) {
		last = add_object(r, list, v, err);
		inner = last == NULL ? NULL : ctx_node_find(last, "thinking");
		if (inner == NULL)
			return -1;
		ctx_node_set(inner, CTX_SPAN_NONE);
		inner->kind = CTX_NODE_LIST;
	} else {
		inner = ctx_node_find(last, "thinking");
	}
	if (inner == NULL || inner->kind != CTX_NODE_LIST)
		return add_object(r, list, v, err) == NULL ? -1 : 0;
	CTX_JSON_EACH(it, ctx_json_get(v, "thinking")) {
		struct ctx_node *end = inner->n > 0 ? &inner->kids[inner->n - 1] : NULL;
		bool text = ctx_json_has_type(it.value, "text");
		if (text && end != NULL && member_is(end, "type", "text")
			? extend_answer_piece(r, end, it.value, err) < 0
			: add_object(r, inner, it.value, err) == NULL)
			return -1;
	}
	return 0;
}

static int
add_text_piece(struct ctx_answer_reader *r, struct ctx_node *list, struct ctx_span string,
    struct ctx_err *err)
{
	struct ctx_node *last = list->n > 0 ? &list->kids[list->n - 1] : NULL;

	if (string.n == 2)
		return 0;
	if (last != NULL && last->kind == CTX_NODE_OBJECT &&
	    member_is(last, "type", "text")) {
		last = ctx_node_member(last, ctx_span_of("\"text\""), err);
		if (last == NULL)
			return -1;
		ctx_node_extend(last, ctx_answer_inside(r, string));
	} else {
		last = ctx_node_add(list, CTX_SPAN_NONE, err);
		if (last == NULL)
			return -1;
		last->kind = CTX_NODE_OBJECT;
		if (ctx_node_put(last, "type", ctx_span_of("\"text\""), err) < 0 ||
		    ctx_node_put(last, "text", ctx_answer_raw(r, string), err) < 0)
			return -1;
	}
	ctx_answer_say(r, list->n, ctx_answer_inside(r, string));
	return 0;
}

int
ctx_answer_add_content(struct ctx_answer_reader *r, struct ctx_node *content,
    struct ctx_span v, struct ctx_err *err)
{
	struct ctx_span text;

	if (content->kind != CTX_NODE_LIST) {
		struct ctx_buf before = content->text;
		int rc = 0;
		content->text = (struct ctx_buf)CTX_BUF_INIT;
		start_list(content);
		if (before.n > 2 && before.p[0] == '"') {
			struct ctx_node *n = ctx_node_add(content, CTX_SPAN_NONE, err);
			rc = n == NULL ? -1 : 0;
			if (n != NULL) {
				n->kind = CTX_NODE_OBJECT;
				rc = ctx_node_put(
				    n, "type", ctx_span_of("\"text\""), err);
			}
			if (rc == 0)
				rc = ctx_node_put(n, "text", ctx_buf_span(&before), err);
		}
		ctx_buf_release(&before);
		if (rc < 0)
			return -1;
	}
	if (ctx_json_type(v) == CTX_JSON_STRING)
		return add_text_piece(r, content, v, err);
	CTX_JSON_EACH(it, v) {
		struct ctx_span type = ctx_json_get(it.value, "type");
		text = ctx_json_get(it.value, "text");
		if (ctx_json_is(type, "text") && ctx_json_type(text) == CTX_JSON_STRING) {
			if (add_text_piece(r, content, text, err) < 0)
				return -1;
		} else if (ctx_json_is(type, "thinking") &&
			   ctx_json_type(ctx_json_get(it.value, "thinking")) ==
			       CTX_JSON_ARRAY) {
			if (add_thinking(r, content, it.value, err) < 0)
				return -1;
		} else if (add_object(r, content, it.value, err) == NULL) {
			return -1;
		}
	}
	return 0;
}
