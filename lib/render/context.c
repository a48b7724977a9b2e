/* HTML: the context of an answer, from its request record. */
#include "base/buf.h"
#include "json/json.h"
#include "record/usage.h"
#include "render/internal.h"
#include "term/term.h"

static int64_t
read_context_number(struct ctx_span object, const char *key)
{
	int64_t v = -1;

	ctx_json_int(ctx_json_get(object, key), &v);
	return v;
}

static void
write_context_range(struct ctx_buf *out, struct ctx_span item)
{
	int64_t first = read_context_number(item, "first_seq"),
		last = read_context_number(item, "last_seq");

	if (first < 0)
		return;
	ctx_buf_addf(out, " <a href=\"#m%lld\">%lld", (long long)first, (long long)first);
	if (last > first)
		ctx_buf_addf(out, "–%lld", (long long)last);
	ctx_buf_adds(out, "</a>");
}

/* Appends the type and name of an addition, or "messages". */
static void
put_what(struct ctx_buf *out, struct ctx_span item)
{
	struct ctx_span source = ctx_json_get(item, "source"), type, name;

	if (ctx_json_type(source) != CTX_JSON_OBJECT)
		source = item;
	type = ctx_json_get(source, "type");
	name = ctx_json_get(source, "name");
	if (ctx_json_type(type) == CTX_JSON_STRING)
		ctx_render_html_string(out, type);
	else
		ctx_buf_adds(out, read_context_number(item, "first_seq") ==
					  read_context_number(item, "last_seq")
				      ? "message"
				      : "messages");
	if (ctx_json_type(name) == CTX_JSON_STRING) {
		ctx_buf_addc(out, ' ');
		ctx_render_html_string(out, name);
	}
	write_context_range(out, item);
}

static void
put_badges(struct ctx_buf *out, struct ctx_span list, bool dropped)
{
	CTX_JSON_EACH(it, list) {
		struct ctx_span reason = ctx_json_get(it.value, "reason");
		int64_t tokens = read_context_number(it.value, "token_count");
		bool changed = CTX_JSON_IS_ANY(reason, "cut", "truncated", "cleared");
		ctx_buf_adds(out, dropped ? "<li class=\"out\">" : "<li>");
		ctx_buf_adds(out, dropped && !changed ? "without " : "");
		put_what(out, it.value);
		if (ctx_json_type(reason) == CTX_JSON_STRING) {
			ctx_buf_adds(out, ": ");
			ctx_render_html_string(out, reason);
		}
		if (tokens >= 0)
			ctx_buf_addf(
			    out, ", %lld token%s", (long long)tokens, CTX_PLURAL(tokens));
		ctx_buf_adds(out, "</li>");
	}
}

static void
write_context_tokens(struct ctx_buf *out, struct ctx_span tokens)
{
	CTX_JSON_EACH(it, tokens) {
		int64_t v;
		if (!ctx_json_int(it.value, &v) || v <= 0 || ctx_json_is(it.key, "total"))
			continue;
		ctx_buf_adds(out, "<li>");
		ctx_render_html_string(out, it.key);
		ctx_buf_adds(out, ": ");
		ctx_render_count(out, v, "token");
		ctx_buf_adds(out, "</li>");
	}
}

/* Appends the request's number within its run and, if it is the first one, why the run
 * began. */
static void
write_context_run(struct ctx_buf *out, struct ctx_span request)
{
	struct ctx_span run = ctx_json_get(request, "run");
	struct ctx_span cut = ctx_json_get(run, "cut");
	int64_t n = read_context_number(run, "n");

	if (n < 1)
		return;
	ctx_buf_addf(out, "<li>request %lld of its run", (long long)n);
	if (n == 1 && ctx_json_type(cut) == CTX_JSON_STRING) {
		ctx_buf_adds(out, ", after a cut: ");
		ctx_render_html_string(out, cut);
		ctx_usage_put_cut(out, ctx_json_get(request, "usage"));
	}
	ctx_buf_adds(out, "</li>");
}

void
ctx_render_html_context(struct ctx_buf *out, struct ctx_span request)
{
	struct ctx_span tokens = ctx_json_get(request, "tokens");
	int64_t total = read_context_number(tokens, "total"),
		budget = read_context_number(request, "budget");

	ctx_buf_adds(out, "<details class=\"context\"><summary>Context used");
	if (total >= 0) {
		ctx_buf_adds(out, ": ");
		ctx_render_count(out, total, "token");
	}
	if (total >= 0 && budget > 0) {
		ctx_buf_adds(out, " of ");
		ctx_term_count(out, budget);
		ctx_buf_addf(out,
		    " <meter min=\"0\" max=\"%lld\" high=\"%lld\" value=\"%lld\"></meter>%lld %%",
		    (long long)budget, (long long)(budget - budget / 5), (long long)total,
		    (long long)((total * 100 + budget / 2) / budget));
	}
	ctx_buf_adds(out, "</summary>\n<ul class=\"badges\">");
	write_context_run(out, request);
	write_context_tokens(out, tokens);
	put_badges(out, ctx_json_get(request, "messages"), false);
	put_badges(out, ctx_json_get(request, "dropped"), true);
	ctx_buf_adds(out, "</ul></details>\n");
}
