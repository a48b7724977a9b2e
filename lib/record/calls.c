#include "record/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"

void
ctx_calls_release(struct ctx_calls *c)
{
	free(c->v);
	ctx_arena_release(&c->arena);
	*c = (struct ctx_calls)CTX_CALLS_INIT;
}

static struct ctx_span
copy_span(struct ctx_calls *c, struct ctx_span s)
{
	return s.p == NULL ? s : ctx_arena_copy(&c->arena, s);
}

/* OpenAI's arguments are a JSON string that contains JSON: returns that JSON. If the
 * string does not contain JSON, or is the input of a custom tool, it stays a string. An
 * empty string means no arguments. */
static struct ctx_span
copy_arguments(struct ctx_calls *c, const struct ctx_part *call)
{
	struct ctx_buf text = CTX_BUF_INIT, out = CTX_BUF_INIT;
	struct ctx_span value = call->body, inner;

	if (value.p == NULL)
		value = ctx_span_of("{}");
	if (call->openai && !call->custom && ctx_json_type(value) == CTX_JSON_STRING) {
		ctx_json_decode(value, &text);
		if (ctx_span_trim(ctx_buf_span(&text)).n == 0)
			value = ctx_span_of("{}");
		else if (ctx_json_check(ctx_buf_span(&text), &inner, NULL, NULL) == 0)
			value = inner;
	}
	ctx_json_minify(value, &out);
	value = copy_span(c, ctx_buf_span(&out));
	ctx_buf_release(&text);
	ctx_buf_release(&out);
	return value;
}

static void
add_pending_tool_call(struct ctx_calls *c, const struct ctx_part *part, int64_t seq)
{
	struct ctx_call call = {.seq = seq, .openai = part->openai, .async = part->async};

	if (ctx_json_type(part->id) != CTX_JSON_STRING || part->id.n <= 2)
		return;
	call.id = copy_span(c, part->id);
	call.key = ctx_message_call_id(call.id, &c->arena);
	call.name = copy_span(c, part->name);
	call.arguments = copy_arguments(c, part);
	CTX_MEM_GROW(c->v, c->n, c->cap);
	c->v[c->n++] = call;
}

/* Returns the index of the newest call with this key, or c->n. */
static size_t
find_key(const struct ctx_calls *c, struct ctx_span key)
{
	size_t i = c->n;

	while (i > 0 && !ctx_span_eq(c->v[i - 1].key, key))
		i--;
	return i == 0 ? c->n : i - 1;
}

static void
answer_call(struct ctx_calls *c, struct ctx_span id)
{
	size_t i = find_key(c, ctx_message_call_id(id, &c->arena));

	if (i == c->n)
		return;
	c->n--;
	memmove(&c->v[i], &c->v[i + 1], (c->n - i) * sizeof(*c->v));
}

static void
keep_async_calls(struct ctx_calls *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		if (c->v[i].async)
			c->v[n++] = c->v[i];
	c->n = n;
}

void
ctx_calls_add(struct ctx_calls *c, const struct ctx_message *m, int64_t seq)
{
	bool assistant = m->role == CTX_ROLE_ASSISTANT;

	if (ctx_message_starts_turn(m) || (assistant && !c->answering))
		keep_async_calls(c);
	for (size_t i = 0; i < m->n; i++) {
		if (m->parts[i].type == CTX_PART_TOOL_CALL && assistant)
			add_pending_tool_call(c, &m->parts[i], seq);
		else if (m->parts[i].type == CTX_PART_TOOL_RESULT)
			answer_call(c, m->parts[i].id);
	}
	c->answering = assistant;
}

const struct ctx_call *
ctx_calls_find(const struct ctx_calls *c, struct ctx_span id)
{
	struct ctx_buf key = CTX_BUF_INIT;
	size_t i;

	ctx_json_put_string(&key, id);
	i = find_key(c, ctx_buf_span(&key));
	ctx_buf_release(&key);
	return i == c->n ? NULL : &c->v[i];
}
