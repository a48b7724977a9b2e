/* Repairs steps of an Interactions request. */

#include "json/json.h"
#include "provider/interactions/lint.h"

/* ---- content ---- */

/* Returns the content as a list if it is not a list: a block becomes the only element, a
 * string becomes a text block, and any other value a text block with its JSON. Absent if
 * the content need not change. */
static struct ctx_span
list_step_content(struct lint_doc *d, const struct lint_item *it)
{
	enum ctx_json_type type = ctx_json_type(it->content);
	struct ctx_buf b = CTX_BUF_INIT;

	if (it->content.p == NULL || type == CTX_JSON_ARRAY || type == CTX_JSON_NULL)
		return CTX_SPAN_NONE;
	ctx_json_put_open(&b, '[');
	if (type == CTX_JSON_OBJECT) {
		ctx_json_put_raw(&b, it->content);
	} else {
		ctx_json_print(&b, "{'type':'text'");
		if (type == CTX_JSON_STRING)
			ctx_json_add_raw(&b, "text", it->content);
		else
			ctx_json_add_string(&b, "text", it->content);
		ctx_json_put_close(&b, '}');
	}
	ctx_json_put_close(&b, ']');
	return ctx_lint_keep(d, &b);
}

/* Repairs the content of steps. Removes user steps without content, as messages without
 * content are removed, and model steps whose content is null. */
bool
ctx_interactions_fix_content(struct lint_doc *d)
{
	struct lint_list out = {NULL, 0, 0};
	bool any = false;

	for (size_t i = 0; i < d->n; i++) {
		struct lint_item it = d->items[i];
		struct ctx_span list = it.skip ? CTX_SPAN_NONE
					       : list_step_content(d, &it);
		bool user = ctx_json_has_type(it.message, "user_input");
		bool empty = list.p == NULL &&
			     (ctx_span_is(it.content, "null") || (user && it.n == 0));
		any |= list.p != NULL;
		if (!it.skip && empty) {
			any = true;
			continue;
		}
		if (list.p != NULL)
			ctx_lint_item_set(
			    d, &it, ctx_lint_set(d, it.message, "content", list));
		ctx_lint_list_add(&out, it);
	}
	return ctx_lint_list_end(d, &out, any);
}

/* ---- members of calls and results ---- */

/* Returns arguments as an object: the object that a string holds as JSON, otherwise
 * {"input": value}. */
static struct ctx_span
make_step_arguments(struct lint_doc *d, struct ctx_span given)
{
	struct ctx_buf text = CTX_BUF_INIT, b = CTX_BUF_INIT;
	struct ctx_err ignored = CTX_ERR_INIT;
	struct ctx_span inner = CTX_SPAN_NONE;

	if (given.p == NULL || ctx_span_is(given, "null") || ctx_span_is(given, "\"\""))
		return ctx_span_of("{}");
	if (ctx_json_type(given) == CTX_JSON_STRING) {
		ctx_json_decode(given, &text);
		if (ctx_json_check(ctx_buf_span(&text), &inner, NULL, &ignored) < 0 ||
		    ctx_json_type(inner) != CTX_JSON_OBJECT)
			inner = CTX_SPAN_NONE;
	}
	if (inner.p != NULL) {
		ctx_json_minify(inner, &b);
	} else {
		ctx_json_print(&b, "{'input':%j}", given);
	}
	ctx_buf_release(&text);
	return ctx_lint_keep(d, &b);
}

struct ctx_span
ctx_interactions_mend_step(struct lint_doc *d, const struct lint_item *it)
{
	struct ctx_span args = ctx_json_get(it->message, "arguments");

	if (ctx_json_has_type(it->message, "function_call") &&
	    ctx_json_type(args) != CTX_JSON_OBJECT)
		return ctx_lint_set(
		    d, it->message, "arguments", make_step_arguments(d, args));
	if (ctx_json_has_type(it->message, "function_result") &&
	    ctx_json_get(it->message, "result").p == NULL)
		return ctx_lint_set(
		    d, it->message, "result", ctx_span_of("\"" CTX_LINT_NO_RESULT "\""));
	return CTX_SPAN_NONE;
}
