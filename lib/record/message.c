#include "record/message.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "record/calls.h"

static const char *const roles[] = {
    [CTX_ROLE_SYSTEM] = "system",
    [CTX_ROLE_DEVELOPER] = "developer",
    [CTX_ROLE_USER] = "user",
    [CTX_ROLE_ASSISTANT] = "assistant",
    [CTX_ROLE_TOOL] = "tool",
};

const char *
ctx_role_name(enum ctx_role role)
{
	return roles[role];
}

int
ctx_role_parse(struct ctx_span s)
{
	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (ctx_json_is(s, roles[i]))
			return (int)i;
	return -1;
}

static struct ctx_part *
add_message_part(struct ctx_message *m, enum ctx_part_type type, struct ctx_span raw)
{
	struct ctx_part *p;

	CTX_MEM_GROW(m->parts, m->n, m->cap);
	p = &m->parts[m->n++];
	memset(p, 0, sizeof(*p));
	p->type = type;
	p->raw = raw;
	return p;
}

static void
omit_nulls(struct ctx_span values[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (ctx_json_type(values[i]) == CTX_JSON_NULL)
			values[i] = CTX_SPAN_NONE;
}

/* Finds the values of several members; null counts as absent. */
static void
find_members(
    struct ctx_span object, const char *const keys[], struct ctx_span out[], size_t n)
{
	ctx_json_get_all(object, keys, out, n);
	omit_nulls(out, n);
}

/* Adds a call of one of OpenAI's own tools, or its output. Returns false for any other
 * block. */
static bool
add_client_item(struct ctx_message *m, struct ctx_span block, struct ctx_span type)
{
	const struct ctx_client_item *kind = ctx_client_item_find(type, false);
	struct ctx_part *p;

	if (kind != NULL && m->role == CTX_ROLE_ASSISTANT) {
		p = add_message_part(m, CTX_PART_TOOL_CALL, block);
		p->id = ctx_json_get(block, "call_id");
		p->name = ctx_span_of(kind->name);
		p->body = ctx_json_get(block, kind->arguments);
		p->item = true;
		return true;
	}
	kind = ctx_client_item_find(type, true);
	if (kind == NULL)
		return false;
	p = add_message_part(m, CTX_PART_TOOL_RESULT, block);
	p->id = ctx_json_get(block, kind->id);
	p->body = ctx_json_get(block, "output");
	p->error = ctx_json_is(ctx_json_get(block, "status"), "failed");
	p->item = true;
	if (ctx_json_type(p->body) == CTX_JSON_OBJECT) /* a screenshot */
		p->body = CTX_SPAN_NONE;
	return true;
}

/* If the provider ran a tool itself, call and output are in the same answer. Marks both
 * as OTHER, because the client has nothing to do with them. */
static void
leave_server_items(struct ctx_message *m)
{
	for (size_t i = 0; m->role == CTX_ROLE_ASSISTANT && i < m->n; i++) {
		struct ctx_part *output = &m->parts[i];
		if (!output->item || output->type != CTX_PART_TOOL_RESULT)
			continue;
		for (size_t k = 0; k < i; k++)
			if (m->parts[k].item && ctx_span_eq(m->parts[k].id, output->id))
				m->parts[k].type = CTX_PART_OTHER;
		output->type = CTX_PART_OTHER;
	}
}

/* Adds one element of a content array, in either format. */
static void
add_message_block(struct ctx_message *m, struct ctx_span block)
{
	enum { TYPE, TEXT, ID, NAME, INPUT, USE_ID, IS_ERROR, SOURCE, IMAGE_URL, N };
	static const char *const keys[N] = {"type", "text", "id", "name", "input",
	    "tool_use_id", "is_error", "source", "image_url"};
	struct ctx_span v[N], inner = CTX_SPAN_NONE;
	struct ctx_part *p;

	find_members(block, keys, v, N);
	if (ctx_json_is(v[TYPE], "resource")) /* MCP */
		inner = ctx_json_get(ctx_json_get(block, "resource"), "text");
	if (CTX_JSON_IS_ANY(v[TYPE], "text", "input_text", "output_text")) {
		add_message_part(m, CTX_PART_TEXT, block)->body = v[TEXT];
	} else if (ctx_json_type(inner) == CTX_JSON_STRING) {
		add_message_part(m, CTX_PART_TEXT, block)->body = inner;
	} else if (ctx_json_is(v[TYPE], "refusal")) {
		p = add_message_part(m, CTX_PART_TEXT, block);
		p->body = ctx_json_find(block, "refusal");
	} else if (ctx_json_is(v[TYPE], "tool_use")) {
		p = add_message_part(m, CTX_PART_TOOL_CALL, block);
		p->id = v[ID];
		p->name = v[NAME];
		p->body = v[INPUT];
		p->async = ctx_json_true(ctx_json_get(block, "async"));
	} else if (ctx_json_is(v[TYPE], "tool_result")) {
		p = add_message_part(m, CTX_PART_TOOL_RESULT, block);
		p->id = v[USE_ID];
		p->body = ctx_json_get(block, "content");
		p->error = ctx_json_true(v[IS_ERROR]);
	} else if (ctx_json_is(v[TYPE], "image")) {
		add_message_part(m, CTX_PART_IMAGE, block)->body = v[SOURCE];
	} else if (CTX_JSON_IS_ANY(v[TYPE], "image_url", "input_image")) {
		p = add_message_part(m, CTX_PART_IMAGE, block);
		p->body = v[IMAGE_URL];
		p->openai = true;
	} else if (CTX_JSON_IS_ANY(v[TYPE], "thinking", "redacted_thinking")) {
		p = add_message_part(m, CTX_PART_THINKING, block);
		p->body = ctx_json_find(block, "thinking");
	} else if (!add_client_item(m, block, v[TYPE])) {
		add_message_part(m, CTX_PART_OTHER, block);
	}
}

/* Adds one element of OpenAI's tool_calls. */
static void
add_message_openai_call(struct ctx_message *m, struct ctx_span call)
{
	static const char *const keys[] = {"id", "function", "custom"};
	static const char *const inner[] = {"name", "arguments", "input"};
	struct ctx_span v[3], f[3];
	struct ctx_part *p = add_message_part(m, CTX_PART_TOOL_CALL, call);

	find_members(call, keys, v, 3);
	p->openai = true;
	p->custom = ctx_json_type(v[2]) == CTX_JSON_OBJECT;
	find_members(p->custom ? v[2] : v[1], inner, f, 3);
	p->id = v[0];
	p->name = f[0];
	p->body = p->custom ? f[2] : f[1];
}

/* If another model took over within an answer (Anthropic, "Refusals and fallback"), marks
 * the parts before that as superseded, except text and provider-run tools. */
static void
void_before_fallback(struct ctx_message *m)
{
	size_t last = m->n;

	while (last > 0 && !(m->parts[last - 1].type == CTX_PART_OTHER &&
			       ctx_json_has_type(m->parts[last - 1].raw, "fallback")))
		last--;
	for (size_t i = 0; i + 1 < last; i++) {
		struct ctx_part *p = &m->parts[i];
		if (p->type != CTX_PART_TOOL_CALL && p->type != CTX_PART_THINKING &&
		    !(p->type == CTX_PART_OTHER &&
			ctx_json_has_type(p->raw, "connector_text")))
			continue;
		p->type = CTX_PART_OTHER;
		p->superseded = true;
	}
}

static void
add_message_content(struct ctx_message *m, struct ctx_span content)
{
	if (ctx_json_type(content) == CTX_JSON_STRING) {
		add_message_part(m, CTX_PART_TEXT, content)->body = content;
	} else if (ctx_json_type(content) == CTX_JSON_ARRAY) {
		CTX_JSON_EACH(it, content)
			add_message_block(m, it.value);
		leave_server_items(m);
		void_before_fallback(m);
	} else if (content.p != NULL && ctx_json_type(content) != CTX_JSON_NULL) {
		add_message_part(m, CTX_PART_OTHER, content)->stray = true;
	}
}

void
ctx_message_parse_content(struct ctx_message *m, struct ctx_span content)
{
	m->json = m->name = CTX_SPAN_NONE;
	m->role = CTX_ROLE_USER;
	m->n = 0;
	add_message_content(m, content);
}

/* True if the content is not empty. If it is, the transcript of spoken audio is used. */
static bool
is_said(struct ctx_span content)
{
	enum ctx_json_type type = ctx_json_type(content);

	return (type == CTX_JSON_STRING || type == CTX_JSON_ARRAY) && content.n > 2;
}

static const char *const message_keys[CTX_KEYS] = {
    [CTX_KEY_ROLE] = "role",
    [CTX_KEY_CONTENT] = "content",
    [CTX_KEY_NAME] = "name",
    [CTX_KEY_CALLS] = "tool_calls",
    [CTX_KEY_CALL_ID] = "tool_call_id",
    [CTX_KEY_REFUSAL] = "refusal",
    [CTX_KEY_OLD_CALL] = "function_call",
    [CTX_KEY_AUDIO] = "audio",
};

int
ctx_message_check(
    struct ctx_message_members *found, struct ctx_span json, struct ctx_err *err)
{
	struct ctx_json_members members = {message_keys, found->v, CTX_KEYS};

	found->text = json.p;
	return ctx_json_check_get(json, NULL, NULL, &members, err);
}

/* Sets the role of a message. */
static int
read_message_role(struct ctx_message *m, struct ctx_span v, struct ctx_err *err)
{
	int role;

	if (v.p == NULL)
		return ctx_err_set(err, CTX_EINPUT, "the message has no role");
	role = ctx_role_parse(v);
	if (role < 0)
		return ctx_err_set(err, CTX_EINPUT,
		    "unknown role %.*s (system, developer, user, assistant or tool)",
		    (int)(v.n > 60 ? 60 : v.n), v.p);
	m->role = (enum ctx_role)role;
	return 0;
}

/* Adds the parts of a message whose role is not tool. */
static void
add_message_parts(struct ctx_message *m, const struct ctx_span v[CTX_KEYS])
{
	add_message_content(m, v[CTX_KEY_CONTENT]);
	if (ctx_json_type(v[CTX_KEY_REFUSAL]) == CTX_JSON_STRING)
		add_message_part(m, CTX_PART_TEXT, v[CTX_KEY_REFUSAL])
		    ->body = v[CTX_KEY_REFUSAL];
	if (m->role == CTX_ROLE_ASSISTANT && !is_said(v[CTX_KEY_CONTENT])) {
		struct ctx_span transcript = ctx_json_get(v[CTX_KEY_AUDIO], "transcript");
		if (ctx_json_type(transcript) == CTX_JSON_STRING)
			add_message_part(m, CTX_PART_TEXT, transcript)->body = transcript;
	}
	if (ctx_json_type(v[CTX_KEY_CALLS]) == CTX_JSON_ARRAY) {
		CTX_JSON_EACH(it, v[CTX_KEY_CALLS])
			add_message_openai_call(m, it.value);
	}
	/* it has no id to pair it with */
	if (ctx_json_type(v[CTX_KEY_OLD_CALL]) == CTX_JSON_OBJECT)
		add_message_part(m, CTX_PART_OTHER, v[CTX_KEY_OLD_CALL])->stray = true;
}

int
ctx_message_parse_members(struct ctx_message *m, struct ctx_span json,
    const struct ctx_message_members *found, struct ctx_err *err)
{
	struct ctx_span v[CTX_KEYS], content;

	m->json = json;
	m->n = 0;
	if (ctx_json_type(json) != CTX_JSON_OBJECT)
		return ctx_err_set(err, CTX_EINPUT, "a message must be a JSON object");
	for (size_t i = 0; i < CTX_KEYS; i++) {
		v[i] = found->v[i];
		if (v[i].p != NULL)
			v[i].p = json.p + (v[i].p - found->text);
	}
	content = v[CTX_KEY_CONTENT];
	omit_nulls(v, CTX_KEYS);
	if (read_message_role(m, v[CTX_KEY_ROLE], err) < 0)
		return -1;
	m->name = ctx_json_type(v[CTX_KEY_NAME]) == CTX_JSON_STRING ? v[CTX_KEY_NAME]
								    : CTX_SPAN_NONE;
	if (m->role == CTX_ROLE_TOOL) {
		struct ctx_part *p = add_message_part(m, CTX_PART_TOOL_RESULT, json);
		p->openai = true;
		p->id = v[CTX_KEY_CALL_ID];
		/* a null is kept, so that repair can replace it */
		p->body = content;
		return 0;
	}
	add_message_parts(m, v);
	return 0;
}

int
ctx_message_parse(struct ctx_message *m, struct ctx_span json, struct ctx_err *err)
{
	struct ctx_message_members found = {.text = json.p};

	ctx_json_get_all(json, message_keys, found.v, CTX_KEYS);
	return ctx_message_parse_members(m, json, &found, err);
}

void
ctx_message_release(struct ctx_message *m)
{
	free(m->parts);
	m->parts = NULL;
	m->n = m->cap = 0;
}

struct ctx_span
ctx_message_tool(const struct ctx_message *m)
{
	struct ctx_span tool = CTX_SPAN_NONE;

	if (m->role == CTX_ROLE_SYSTEM)
		tool = ctx_json_get(m->json, "tool_definition");
	return ctx_json_type(ctx_json_get(tool, "name")) == CTX_JSON_STRING &&
		       ctx_json_type(ctx_json_get(tool, "input_schema")) ==
			   CTX_JSON_OBJECT
		   ? tool
		   : CTX_SPAN_NONE;
}

size_t
ctx_message_count(const struct ctx_message *m, enum ctx_part_type type)
{
	size_t count = 0;

	for (size_t i = 0; i < m->n; i++)
		count += m->parts[i].type == type;
	return count;
}

/* True for a part of a user message that is sent to no provider: blank text, reasoning,
 * and calls and responses of other formats that did not become parts of their own. */
static bool
is_blank_user_part(const struct ctx_part *p)
{
	struct ctx_span type;

	if (p->type == CTX_PART_TEXT)
		return ctx_message_blank(p->body);
	if (p->type != CTX_PART_OTHER)
		return p->type == CTX_PART_THINKING;
	type = ctx_json_get(p->raw, "type");
	return ctx_json_is(type, "reasoning") || ctx_json_is(type, "thought") ||
	       (ctx_json_is(type, "part") && ctx_json_get(p->raw, "text").p == NULL &&
		   ctx_json_get(p->raw, "inlineData").p == NULL &&
		   ctx_json_get(p->raw, "fileData").p == NULL);
}

bool
ctx_message_starts_turn(const struct ctx_message *m)
{
	bool says = false;

	for (size_t i = 0; i < m->n; i++) {
		if (m->parts[i].type == CTX_PART_TOOL_RESULT)
			return false;
		says = says || !is_blank_user_part(&m->parts[i]);
	}
	return m->role == CTX_ROLE_USER && says;
}

enum ctx_role
ctx_message_shown_role(const struct ctx_message *m)
{
	bool results = m->n > 0 && ctx_message_count(m, CTX_PART_TOOL_RESULT) == m->n;

	return results ? CTX_ROLE_TOOL : m->role;
}

unsigned
ctx_message_roles(const struct ctx_message *m)
{
	unsigned results = 0, said = 0;

	if (m->role != CTX_ROLE_USER)
		return 1U << m->role;
	for (size_t i = 0; i < m->n; i++)
		if (m->parts[i].type == CTX_PART_TOOL_RESULT)
			results = 1U << CTX_ROLE_TOOL;
		else if (!is_blank_user_part(&m->parts[i]))
			said = 1U << CTX_ROLE_USER;
	return results == 0 ? 1U << CTX_ROLE_USER : results | said;
}

void
ctx_message_skeleton(const struct ctx_message *m, struct ctx_buf *out)
{
	ctx_json_print(out, "{'role':%s,'content':[",
	    ctx_role_name(m->role == CTX_ROLE_TOOL ? CTX_ROLE_USER : m->role));
	if (ctx_message_starts_turn(m))
		ctx_json_print(out, "{'type':'text','text':'?'}");
	for (size_t i = 0; i < m->n; i++) {
		const struct ctx_part *p = &m->parts[i];
		if (p->type == CTX_PART_TOOL_CALL)
			ctx_json_print(
			    out, "{'type':'tool_use','id':%j,'name':%j}", p->id, p->name);
		else if (p->type == CTX_PART_TOOL_RESULT)
			ctx_json_print(
			    out, "{'type':'tool_result','tool_use_id':%j}", p->id);
	}
	ctx_json_print(out, "]}");
}

static void
end_message_text_line(struct ctx_buf *out, size_t start)
{
	if (out->n > start)
		ctx_buf_addc(out, '\n');
}

/* True for a plain result such as 5 or true. */
static bool
is_scalar(struct ctx_span value)
{
	enum ctx_json_type type = ctx_json_type(value);

	return type == CTX_JSON_NUMBER || type == CTX_JSON_BOOL;
}

void
ctx_content_text(struct ctx_span content, struct ctx_buf *out)
{
	static const char *const keys[] = {"type", "text"};
	struct ctx_span v[2];
	struct ctx_buf type = CTX_BUF_INIT;
	size_t start = out->n;

	if (ctx_json_type(content) == CTX_JSON_STRING) {
		ctx_json_decode(content, out);
		return;
	}
	CTX_JSON_EACH(it, content) {
		if (it.object) /* an object instead of blocks: printed as JSON */
			break;
		end_message_text_line(out, start);
		ctx_json_get_all(it.value, keys, v, 2);
		if (CTX_JSON_IS_ANY(v[0], "text", "input_text", "output_text")) {
			ctx_json_decode(v[1], out);
		} else if (ctx_json_type(ctx_json_get(ctx_json_get(it.value, "resource"),
			       "text")) == CTX_JSON_STRING) {
			ctx_json_decode(
			    ctx_json_get(ctx_json_get(it.value, "resource"), "text"),
			    out);
		} else if (ctx_json_type(it.value) == CTX_JSON_STRING) {
			ctx_json_decode(it.value, out);
		} else if (is_scalar(it.value)) {
			ctx_buf_addspan(out, it.value);
		} else {
			ctx_buf_reset(&type);
			ctx_json_decode(v[0], &type);
			ctx_buf_addf(out, "[%s]", type.n > 0 ? type.p : "data");
		}
	}
	if (ctx_json_type(content) == CTX_JSON_OBJECT || is_scalar(content))
		ctx_buf_addspan(out, content);
	ctx_buf_release(&type);
}

void
ctx_message_text(const struct ctx_message *m, struct ctx_buf *out)
{
	size_t start = out->n;

	for (size_t i = 0; i < m->n; i++) {
		const struct ctx_part *p = &m->parts[i];
		if (p->type == CTX_PART_TEXT) {
			end_message_text_line(out, start);
			ctx_json_decode(p->body, out);
		} else if (p->type == CTX_PART_TOOL_RESULT) {
			end_message_text_line(out, start);
			ctx_content_text(p->body, out);
		}
	}
}

struct ctx_span
ctx_message_call_id(struct ctx_span id, struct ctx_arena *arena)
{
	struct ctx_buf text = CTX_BUF_INIT, one = CTX_BUF_INIT;

	if (ctx_json_type(id) != CTX_JSON_STRING || memchr(id.p, '\\', id.n) == NULL)
		return id;
	ctx_json_put_string(&one, ctx_json_text(id, &text));
	id = ctx_arena_copy(arena, ctx_buf_span(&one));
	ctx_buf_release(&text);
	ctx_buf_release(&one);
	return id;
}
