/* Repairs items: adds required members that carry no information, and converts members
 * that have the format of another API. */
#include <stdlib.h>

#include "base/mem.h"
#include "json/json.h"
#include "provider/responses/lint.h"

/* Converts an input_image whose image_url is an object, as in Chat Completions. Absent
 * for any other block. */
static struct ctx_span
flatten_image_url(struct lint_doc *d, struct ctx_span block)
{
	static const char *const keys[] = {"type", "image_url", "detail"};
	struct ctx_span v[3], url, detail, flat;

	ctx_json_get_all(block, keys, v, 3);
	url = ctx_json_get(v[1], "url");
	if (!ctx_json_is(v[0], "input_image") || ctx_json_type(v[1]) != CTX_JSON_OBJECT ||
	    ctx_json_type(url) != CTX_JSON_STRING)
		return CTX_SPAN_NONE;
	detail = ctx_json_get(v[1], "detail");
	flat = ctx_lint_set(d, block, "image_url", url);
	return v[2].p == NULL && ctx_json_type(detail) == CTX_JSON_STRING
		   ? ctx_lint_set(d, flat, "detail", detail)
		   : flat;
}

struct ctx_span
ctx_responses_flatten_images(struct lint_doc *d, const struct lint_item *it)
{
	struct lint_element *e = NULL;
	struct ctx_buf b = CTX_BUF_INIT;
	size_t n = 0, cap = 0;
	bool any = false;

	if (ctx_json_type(it->content) != CTX_JSON_ARRAY)
		return CTX_SPAN_NONE;
	CTX_JSON_EACH(in, it->content) {
		struct ctx_span flat = flatten_image_url(d, in.value);
		CTX_MEM_GROW(e, n, cap);
		e[n++] = (struct lint_element){
		    flat.p != NULL ? flat : in.value, in.value.p};
		any |= flat.p != NULL;
	}
	if (any)
		ctx_lint_print_array(&b, it->content, e, n);
	free(e);
	return any ? ctx_lint_set(d, it->message, "content", ctx_lint_keep(d, &b))
		   : CTX_SPAN_NONE;
}

struct ctx_span
ctx_responses_add_summary(struct lint_doc *d, const struct lint_item *it)
{
	if (!ctx_json_has_type(it->message, "reasoning") ||
	    ctx_json_get(it->message, "summary").p != NULL)
		return CTX_SPAN_NONE;
	return ctx_lint_set(d, it->message, "summary", ctx_span_of("[]"));
}

/* Converts arguments that are not a string to one. Missing arguments become {}. */
struct ctx_span
ctx_responses_quote_arguments(struct lint_doc *d, const struct lint_item *it)
{
	struct ctx_span args = ctx_json_get(it->message, "arguments");
	struct ctx_buf b = CTX_BUF_INIT;

	if (!ctx_json_has_type(it->message, "function_call") ||
	    ctx_json_type(args) == CTX_JSON_STRING)
		return CTX_SPAN_NONE;
	if (args.p == NULL || ctx_span_is(args, "null"))
		args = ctx_span_of("{}");
	ctx_json_put_string(&b, args);
	return ctx_lint_set(d, it->message, "arguments", ctx_lint_keep(d, &b));
}
