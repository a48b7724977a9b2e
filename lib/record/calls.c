#include "record/calls.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "record/record.h"

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

/* Tools that an imported message lists as used, without the calls themselves. */

static struct ctx_span
get_tool_name(struct ctx_span tool)
{
	static const char *const keys[] = {"name", "tool", "tool_name"};
	struct ctx_span v[3];

	if (ctx_json_type(tool) == CTX_JSON_STRING)
		return tool.n > 2 ? tool : CTX_SPAN_NONE;
	ctx_json_get_all(tool, keys, v, 3);
	for (int i = 0; i < 3; i++)
		if (ctx_json_type(v[i]) == CTX_JSON_STRING && v[i].n > 2)
			return v[i];
	return CTX_SPAN_NONE;
}

size_t
ctx_record_tools_used(struct ctx_span metadata, struct ctx_span names[], size_t max)
{
	static const char *const lists[] = {"tools_used", "mcp_tools_used"};
	struct ctx_span v[2], name;
	size_t n = 0;

	ctx_json_get_all(metadata, lists, v, 2);
	for (int i = 0; i < 2; i++) {
		if (ctx_json_type(v[i]) != CTX_JSON_ARRAY)
			continue;
		CTX_JSON_EACH(it, v[i]) {
			name = get_tool_name(it.value);
			if (name.p == NULL)
				continue;
			if (n < max)
				names[n] = name;
			n++;
		}
	}
	return n;
}

static const struct ctx_client_item items[] = {
    {"apply_patch_call", "apply_patch_call_output", "\"apply_patch\"", "operation",
	"call_id"},
    {"shell_call", "shell_call_output", "\"shell\"", "action", "call_id"},
    {"local_shell_call", "local_shell_call_output", "\"local_shell\"", "action", "id"},
    {"computer_call", "computer_call_output", "\"computer\"", "action", "call_id"},
};

const struct ctx_client_item *
ctx_client_item_find(struct ctx_span type, bool output)
{
	for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++)
		if (ctx_json_is(type, output ? items[i].output : items[i].call))
			return &items[i];
	return NULL;
}

bool
ctx_server_item_is_call(struct ctx_span block)
{
	return CTX_JSON_IS_ANY(
	    ctx_json_get(block, "type"), "server_tool_use", "mcp_tool_use");
}

bool
ctx_server_item_is_result(struct ctx_span block)
{
	static const char end[] = "_tool_result";
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span type = ctx_json_text(ctx_json_get(block, "type"), &tmp);
	size_t n = sizeof(end) - 1;
	bool is = type.n > n && memcmp(type.p + type.n - n, end, n) == 0;

	ctx_buf_release(&tmp);
	return is;
}
