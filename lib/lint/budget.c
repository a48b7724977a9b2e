/* What a body costs, counted on the body itself. */
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "lint/doc.h"

/* Gemini wraps a result into an object: what it wraps, when that is all. */
static struct ctx_span
unwrapped(struct ctx_span response)
{
	struct ctx_json_iter it;
	struct ctx_span only;

	ctx_json_iter_init(&it, response);
	if (!it.object || !ctx_json_iter_next(&it))
		return response;
	only = it.value;
	return ctx_json_iter_next(&it) ? response : only;
}

static void
as_message(const struct lint_doc *d, const struct lint_item *it, struct ctx_message *m)
{
	static const enum ctx_part_type types[] = {[LINT_TEXT] = CTX_PART_TEXT,
	    [LINT_CALL] = CTX_PART_TOOL_CALL,
	    [LINT_RESULT] = CTX_PART_TOOL_RESULT,
	    [LINT_THINKING] = CTX_PART_THINKING,
	    [LINT_IMAGE] = CTX_PART_IMAGE,
	    [LINT_OTHER] = CTX_PART_OTHER};

	m->n = 0;
	for (size_t k = it->first; k < it->first + it->n; k++) {
		const struct lint_part *p = &d->parts[k];
		struct ctx_part *to;
		CTX_MEM_GROW(m->parts, m->n, m->cap);
		to = &m->parts[m->n++];
		memset(to, 0, sizeof(*to));
		to->type = types[p->type];
		to->raw = p->raw;
		to->name = p->name;
		to->body = p->body;
		if (d->shape == LINT_CONTENTS && p->type == LINT_RESULT)
			to->body = unwrapped(p->body);
		if (d->shape == LINT_ITEMS && p->type == LINT_OTHER && p->body.p != NULL)
			to->type = CTX_PART_TOOL_RESULT; /* a message: string or blocks */
		if (d->shape == LINT_CONTENTS &&
		    ctx_json_get(p->raw, "inlineData").p != NULL)
			to->type = CTX_PART_IMAGE;
	}
}

/* System text: a string, blocks, or Gemini's content with parts; priced as a message. */
static int64_t
system_tokens(struct ctx_tokenizer *t, struct ctx_span v)
{
	struct ctx_part part = {.type = CTX_PART_TOOL_RESULT, .body = v};
	struct ctx_message m = CTX_MESSAGE_INIT;

	if (v.p == NULL)
		return 0;
	if (ctx_json_get(v, "parts").p != NULL)
		part.body = ctx_json_get(v, "parts");
	m.parts = &part;
	m.n = 1;
	return ctx_tokens_message(t, &m);
}

static int64_t
body_tokens(const struct lint_doc *d, struct ctx_tokenizer *t)
{
	enum { TOOLS, FUNCTIONS, SYSTEM, N = SYSTEM + 4 };
	static const char *const keys[N] = {"tools", "functions", "system",
	    "systemInstruction", "system_instruction", "instructions"};
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_span v[N];
	int64_t sum = CTX_TOKENS_REPLY;

	ctx_json_get_all(d->body, keys, v, N);
	for (int i = 0; i < N; i++)
		sum += i < SYSTEM ? ctx_tokens_tools(t, v[i]) : system_tokens(t, v[i]);
	if (d->array.p == NULL)
		sum += system_tokens(t, ctx_json_get(d->body, "input"));
	for (size_t i = 0; i < d->n; i++) {
		as_message(d, &d->items[i], &m);
		sum += ctx_tokens_message(t, &m);
	}
	ctx_message_release(&m);
	return sum;
}

void
ctx_lint_budget(struct lint_doc *d, const struct ctx_lint_options *o)
{
	int64_t sum;

	if (!d->request || o->tokenizer == NULL || o->budget <= 0)
		return;
	sum = body_tokens(d, o->tokenizer);
	if (sum > o->budget)
		ctx_lint_note(d, "all-budget", true, LINT_NO_ITEM,
		    "%lld tokens, %lld more than the budget of %lld", (long long)sum,
		    (long long)(sum - o->budget), (long long)o->budget);
}
