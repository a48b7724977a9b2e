/* Counts the tokens of a body from the body itself. */
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "lint/doc.h"

/* Some APIs require an object as a result, and wrap other values. Returns the wrapped
 * value if it is the only member, otherwise the object. */
static struct ctx_span
unwrap_budget_response(struct ctx_span response)
{
	struct ctx_json_iter it = ctx_json_iter_of(response);
	struct ctx_span only;

	if (!it.object || !ctx_json_iter_next(&it))
		return response;
	only = it.value;
	return ctx_json_iter_next(&it) ? response : only;
}

static void
add_budget_part(struct ctx_message *m, enum ctx_part_type type, struct ctx_span raw,
    struct ctx_span body)
{
	struct ctx_part *to;

	CTX_MEM_GROW(m->parts, m->n, m->cap);
	to = &m->parts[m->n++];
	memset(to, 0, sizeof(*to));
	to->type = type;
	to->raw = raw;
	to->body = body;
}

/* Adds the content of a message among the items of Responses, element by element. */
static void
add_budget_content(struct ctx_message *m, struct ctx_span content)
{
	enum { TYPE, TEXT, REFUSAL, URL, DETAIL, N };
	static const char *const keys[N] = {
	    "type", "text", "refusal", "image_url", "detail"};
	struct ctx_span v[N];

	if (ctx_json_type(content) == CTX_JSON_STRING)
		add_budget_part(m, CTX_PART_TEXT, content, content);
	if (ctx_json_type(content) != CTX_JSON_ARRAY)
		return;
	CTX_JSON_EACH(it, content) {
		ctx_json_get_all(it.value, keys, v, N);
		if (ctx_json_is(v[TYPE], "input_image")) {
			add_budget_part(m, CTX_PART_IMAGE, it.value,
			    ctx_json_is(v[DETAIL], "low") ? it.value : v[URL]);
			m->parts[m->n - 1].openai = true;
		} else if (v[TEXT].p != NULL || v[REFUSAL].p != NULL) {
			add_budget_part(m, CTX_PART_TEXT, it.value,
			    v[TEXT].p != NULL ? v[TEXT] : v[REFUSAL]);
		} else {
			add_budget_part(m, CTX_PART_OTHER, it.value, CTX_SPAN_NONE);
		}
	}
}

static bool
is_audio(struct ctx_span data)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span mime = ctx_json_text(ctx_json_get(data, "mimeType"), &tmp);
	bool audio = mime.n > 6 && memcmp(mime.p, "audio/", 6) == 0;

	ctx_buf_release(&tmp);
	return audio;
}

/* Adds the parts of an item to m. */
static void
add_budget_item_parts(
    const struct lint_doc *d, const struct lint_item *it, struct ctx_message *m)
{
	static const enum ctx_part_type types[] = {[LINT_TEXT] = CTX_PART_TEXT,
	    [LINT_CALL] = CTX_PART_TOOL_CALL,
	    [LINT_RESULT] = CTX_PART_TOOL_RESULT,
	    [LINT_THINKING] = CTX_PART_THINKING,
	    [LINT_IMAGE] = CTX_PART_IMAGE,
	    [LINT_OTHER] = CTX_PART_OTHER};

	LINT_EACH_PART(p, d, it) {
		struct ctx_span data = d->shape == LINT_CONTENTS
					   ? ctx_json_get(p->raw, "inlineData")
					   : CTX_SPAN_NONE;
		struct ctx_part *to;
		if (d->shape == LINT_ITEMS && p->type == LINT_OTHER &&
		    p->body.p != NULL) {
			add_budget_content(m, p->body);
			continue;
		}
		add_budget_part(m, types[p->type], p->raw, p->body);
		to = &m->parts[m->n - 1];
		to->name = p->name;
		to->openai = p->type == LINT_IMAGE &&
			     ctx_json_has_type(p->raw, "image_url");
		if (d->shape == LINT_CONTENTS && p->type == LINT_RESULT)
			to->body = unwrap_budget_response(p->body);
		if (data.p != NULL && !is_audio(data)) {
			to->type = CTX_PART_IMAGE;
			to->body = data;
		}
	}
}

/* True if item i continues a message that the model gave as several items. The price of a
 * call includes what frames it. */
static bool
is_continued_budget_item(const struct lint_doc *d, size_t i)
{
	return ctx_lint_has_items(d) && i > 0 && d->items[i].role == LINT_ASSISTANT &&
	       d->items[i - 1].role == LINT_ASSISTANT;
}

/* Returns the tokens of item i, whose parts m has. */
static int64_t
count_budget_item(const struct lint_doc *d, size_t i, const struct ctx_message *m,
    struct ctx_tokenizer *t)
{
	static const struct ctx_message frame = CTX_MESSAGE_INIT;
	int64_t tokens = ctx_tokens_message(t, m);

	return is_continued_budget_item(d, i) ? tokens - ctx_tokens_message(t, &frame)
					      : tokens;
}

/* Calls fn for each item of the list, or for the input if it is a text. */
static void
walk_budget_items(
    const struct lint_doc *d, struct ctx_tokenizer *t, ctx_lint_item_fn *fn, void *arg)
{
	static const enum ctx_role roles[] = {[LINT_SYSTEM] = CTX_ROLE_SYSTEM,
	    [LINT_USER] = CTX_ROLE_USER,
	    [LINT_ASSISTANT] = CTX_ROLE_ASSISTANT,
	    [LINT_TOOL] = CTX_ROLE_TOOL,
	    [LINT_NO_ROLE] = CTX_ROLE_USER};
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_span input = ctx_json_get(d->body, "input");

	if (d->array.p == NULL && input.p != NULL) {
		add_budget_part(&m, CTX_PART_TEXT, input, input);
		fn(arg, input, &m, ctx_tokens_message(t, &m));
	}
	for (size_t i = 0; i < d->n; i++) {
		m.n = 0;
		m.role = roles[d->items[i].role];
		add_budget_item_parts(d, &d->items[i], &m);
		fn(arg, d->items[i].value, &m, count_budget_item(d, i, &m, t));
	}
	ctx_message_release(&m);
}

static void
sum_budget_item(void *arg, struct ctx_span value CTX_UNUSED,
    const struct ctx_message *m CTX_UNUSED, int64_t tokens)
{
	*(int64_t *)arg += tokens;
}

int
ctx_lint_body_items(struct ctx_span body, struct ctx_tokenizer *t, ctx_lint_item_fn *fn,
    void *arg, struct ctx_err *err)
{
	struct ctx_lint_options o = CTX_LINT_OPTIONS_INIT;
	struct lint_file f;
	int rc = 0;

	if (ctx_lint_file_parse(&f, body, &o, err) < 0)
		return -1;
	if (f.n == 1 && f.docs[0].form == LINT_BODY)
		walk_budget_items(&f.docs[0], t, fn, arg);
	else
		rc = ctx_err_set(err, CTX_EINPUT, "not a request body");
	ctx_lint_file_release(&f);
	return rc;
}

int64_t
ctx_lint_body_tokens(struct ctx_span body, struct ctx_tokenizer *t, struct ctx_err *err)
{
	int64_t sum = CTX_TOKENS_REPLY;

	if (ctx_lint_body_items(body, t, sum_budget_item, &sum, err) < 0)
		return -1;
	return sum + ctx_tokens_params(t, body);
}

void
ctx_lint_budget(struct lint_doc *d, const struct ctx_lint_options *o)
{
	int64_t sum = CTX_TOKENS_REPLY;

	if (o->tokenizer == NULL || o->budget < 0 ||
	    !(d->form == LINT_BODY ? d->request : o->whole_histories))
		return;
	if (o->count_for != NULL)
		o->count_for(o->tokenizer, ctx_json_get(d->body, "model"));
	if (d->form == LINT_BODY)
		sum += ctx_tokens_params(o->tokenizer, d->body);
	walk_budget_items(d, o->tokenizer, sum_budget_item, &sum);
	if (sum > o->budget)
		ctx_lint_note(d, "all-budget", true, LINT_NO_ITEM,
		    "the input has %lld tokens, %lld more than the budget of %lld",
		    (long long)sum, (long long)(sum - o->budget), (long long)o->budget);
}
