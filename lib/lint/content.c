/* Contents of types that no provider accepts, and OpenAI's calls from before
 * tool_calls. */
#include <stdlib.h>

#include "base/mem.h"
#include "json/json.h"
#include "lint/doc.h"

/* ---- contents ---- */

/* Returns what is wrong with a content that is neither absent, nor a string, nor a list
 * of objects; NULL if nothing is. */
static const char *
describe_content_fault(struct ctx_span content)
{
	enum ctx_json_type type = ctx_json_type(content);

	if (type == CTX_JSON_NONE || type == CTX_JSON_NULL || type == CTX_JSON_STRING)
		return NULL;
	if (type != CTX_JSON_ARRAY)
		return "neither a string nor a list of blocks";
	CTX_JSON_EACH(it, content)
		if (ctx_json_type(it.value) != CTX_JSON_OBJECT)
			return "a list with an element that is not a block";
	return NULL;
}

static bool
is_result(const struct lint_part *p)
{
	return p->block && p->type == LINT_RESULT;
}

/* Reports an unknown role. A message without a role is an item of another shape, or was
 * refused when it was read. */
static void
check_known_role(struct lint_doc *d, size_t i)
{
	struct ctx_span role = ctx_json_get(d->items[i].message, "role");

	if (ctx_json_type(role) == CTX_JSON_STRING && !ctx_json_is(role, "function") &&
	    ctx_lint_parse_role(role) == LINT_NO_ROLE)
		ctx_lint_note(d, "all-role", true, i, "unknown role %.*s",
		    (int)(role.n < 80 ? role.n : 80), role.p);
}

static void
check_lint_content(struct lint_doc *d, size_t i)
{
	const struct lint_item *it = &d->items[i];
	const char *wrong = describe_content_fault(it->content);

	if (wrong != NULL)
		ctx_lint_note(d, "all-content", true, i, "the content is %s", wrong);
	LINT_EACH_PART(p, d, it) {
		wrong = is_result(p) ? describe_content_fault(p->body) : NULL;
		if (wrong != NULL)
			ctx_lint_note(d, "all-content", true, i,
			    "the content of the result of tool call %.*s is %s",
			    LINT_KEY(p), wrong);
	}
}

/* Copies a string; other JSON becomes a string that contains it. */
static void
put_mended_string(struct ctx_buf *b, struct ctx_span value)
{
	if (ctx_json_type(value) == CTX_JSON_STRING)
		ctx_buf_addspan(b, value);
	else
		ctx_json_put_string(b, value);
}

static struct ctx_span
as_block(struct lint_doc *d, struct ctx_span value)
{
	struct ctx_buf b = CTX_BUF_INIT;

	ctx_buf_adds(&b, "{\"type\":\"text\",\"text\":");
	put_mended_string(&b, value);
	ctx_buf_addc(&b, '}');
	return ctx_lint_keep(d, &b);
}

static struct ctx_span
mended_list(struct lint_doc *d, struct ctx_span list)
{
	struct lint_element *e = NULL;
	struct ctx_buf b = CTX_BUF_INIT;
	size_t n = 0, cap = 0;

	CTX_JSON_EACH(it, list) {
		bool block = ctx_json_type(it.value) == CTX_JSON_OBJECT;
		CTX_MEM_GROW(e, n, cap);
		e[n].text = block ? it.value : as_block(d, it.value);
		e[n++].at = it.value.p;
	}
	ctx_lint_print_array(&b, list, e, n);
	free(e);
	return ctx_lint_keep(d, &b);
}

/* Returns the repaired content; absent if nothing is wrong with it. */
static struct ctx_span
mend_lint_content(struct lint_doc *d, struct ctx_span content)
{
	struct ctx_buf b = CTX_BUF_INIT;

	if (describe_content_fault(content) == NULL)
		return CTX_SPAN_NONE;
	if (ctx_json_type(content) == CTX_JSON_ARRAY)
		return mended_list(d, content);
	/* a block instead of a list of blocks */
	if (ctx_json_type(ctx_json_get(content, "type")) == CTX_JSON_STRING)
		ctx_json_print(&b, "[%j]", content);
	else
		put_mended_string(&b, content);
	return ctx_lint_keep(d, &b);
}

static struct ctx_span
mend_result(struct lint_doc *d, const struct lint_part *p, void *unused CTX_UNUSED)
{
	struct ctx_span good = is_result(p) ? mend_lint_content(d, p->body)
					    : CTX_SPAN_NONE;

	return good.p == NULL ? good : ctx_lint_splice(d, p->raw, p->body, good);
}

static struct ctx_span
mend_message(struct lint_doc *d, const struct lint_item *it)
{
	struct ctx_span good = mend_lint_content(d, ctx_json_get(it->message, "content"));

	return good.p == NULL ? good : ctx_lint_set(d, it->message, "content", good);
}

bool
ctx_lint_fix_content(struct lint_doc *d)
{
	bool results = ctx_lint_mend_parts(d, mend_result, NULL);

	return ctx_lint_mend_items(d, mend_message) || results;
}

/* ---- function_call ---- */

static bool
is_answer(const struct lint_item *it)
{
	return ctx_json_is(ctx_json_get(it->message, "role"), "function");
}

/* Reports old calls. In a request they are only a warning, because OpenAI's server still
 * accepts them. */
static void
check_old_call(struct lint_doc *d, size_t i)
{
	const struct lint_item *it = &d->items[i];
	bool error = !d->request;

	if (ctx_json_type(ctx_json_get(it->message, "function_call")) == CTX_JSON_OBJECT)
		ctx_lint_note(d, "all-function-call", error, i,
		    "\"function_call\" is obsolete and has no id: use \"tool_calls\"");
	if (is_answer(it))
		ctx_lint_note(d, "all-function-call", error, i,
		    "the role \"function\" is obsolete: use the role \"tool\"");
}

static struct ctx_span
fresh_id(struct lint_doc *d, size_t *tried)
{
	struct ctx_buf text = CTX_BUF_INIT, json = CTX_BUF_INIT;
	struct ctx_span key;

	do {
		ctx_buf_reset(&text);
		ctx_buf_addf(&text, "call_%zu", ++*tried);
	} while (ctx_lint_ids_has(d->ids, ctx_buf_span(&text)));
	ctx_json_put_string(&json, ctx_buf_span(&text));
	ctx_buf_release(&text);
	key = ctx_lint_keep(d, &json);
	ctx_lint_ids_add(d->ids, key);
	return key;
}

/* Returns the old call of an assistant message that has no other calls, if it can be
 * written as tool_calls. */
static struct ctx_span
old_call(const struct lint_doc *d, const struct lint_item *it)
{
	struct ctx_span f = ctx_json_get(it->message, "function_call");

	if (it->role != LINT_ASSISTANT || ctx_lint_first_part(d, it, LINT_CALL) != NULL ||
	    ctx_json_type(ctx_json_get(f, "name")) != CTX_JSON_STRING ||
	    ctx_json_type(ctx_json_get(f, "arguments")) != CTX_JSON_STRING)
		return CTX_SPAN_NONE;
	return f;
}

static void
set_call(struct lint_doc *d, struct lint_item *it, struct ctx_span f, struct ctx_span id)
{
	struct ctx_buf b = CTX_BUF_INIT;
	struct ctx_span calls, message;

	ctx_json_print(&b, "[{'id':%j,'type':'function','function':%j}]", id, f);
	calls = ctx_lint_keep(d, &b);
	message = ctx_lint_set(d, it->message, "tool_calls", calls);
	ctx_lint_item_set(d, it, ctx_lint_unset(d, message, "function_call"));
}

static void
set_answer(struct lint_doc *d, struct lint_item *it, struct ctx_span id)
{
	struct ctx_span message = ctx_lint_set(
	    d, it->message, "role", ctx_span_of("\"tool\""));

	ctx_lint_item_set(d, it, ctx_lint_set(d, message, "tool_call_id", id));
}

/* An old call was answered by the next message, which gives the name of the function. */
bool
ctx_lint_fix_old_calls(struct lint_doc *d)
{
	size_t tried = 0;
	bool any = false;

	for (size_t i = 0; !d->request && i < d->n; i++) {
		struct lint_item *it = &d->items[i];
		struct ctx_span f = it->skip ? CTX_SPAN_NONE : old_call(d, it), id;
		size_t next = i + 1;
		if (f.p == NULL)
			continue;
		while (next < d->n && d->items[next].skip)
			next++;
		id = fresh_id(d, &tried);
		if (next < d->n && is_answer(&d->items[next]) &&
		    ctx_lint_same(ctx_json_get(f, "name"),
			ctx_json_get(d->items[next].message, "name")))
			set_answer(d, &d->items[next], id);
		set_call(d, it, f, id);
		any = true;
	}
	return any;
}

void
ctx_lint_content(struct lint_doc *d)
{
	if (d->shape != LINT_MESSAGES)
		return;
	LINT_EACH_ITEM(i, d) {
		check_known_role(d, i);
		check_lint_content(d, i);
		check_old_call(d, i);
	}
}
