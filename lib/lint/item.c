/* Parses a message, content or item of any shape into parts. */
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "lint/doc.h"
#include "record/message.h"

struct lint_part *
ctx_lint_add_part(struct lint_doc *d, struct lint_item *it, enum lint_part_type type,
    struct ctx_span raw)
{
	struct lint_part *p;

	CTX_MEM_GROW(d->parts, d->n_parts, d->cap_parts);
	p = &d->parts[d->n_parts++];
	memset(p, 0, sizeof(*p));
	p->type = type;
	p->raw = raw;
	p->id = -1;
	it->n++;
	return p;
}

static void
add_lint_text_part(struct lint_doc *d, struct lint_item *it, struct ctx_span raw,
    struct ctx_span text, bool block)
{
	struct lint_part *p = ctx_lint_add_part(d, it, LINT_TEXT, raw);

	p->body = text;
	p->block = block;
	p->blank = ctx_message_blank(text);
}

/* True for an empty list, or a list that contains a blank text. */
static bool
empty_list(struct ctx_span content)
{
	bool any = false, bad = false;

	if (ctx_json_type(content) != CTX_JSON_ARRAY)
		return false;
	CTX_JSON_EACH(it, content) {
		any = true;
		bad |= ctx_json_has_type(it.value, "text") &&
		       ctx_message_blank(ctx_json_get(it.value, "text"));
	}
	return bad || !any;
}

/* Adds one element of a content list. */
static void
add_lint_block_part(struct lint_doc *d, struct lint_item *it, struct ctx_span block)
{
	enum { TYPE, TEXT, ID, NAME, INPUT, USE_ID, CONTENT, SOURCE, IMAGE_URL, N };
	static const char *const keys[N] = {"type", "text", "id", "name", "input",
	    "tool_use_id", "content", "source", "image_url"};
	struct ctx_span v[N], thinking = ctx_json_get(block, "thinking");
	struct lint_part *p;

	ctx_json_get_all(block, keys, v, N);
	if (ctx_json_is(v[TYPE], "text")) {
		add_lint_text_part(d, it, block, v[TEXT], true);
		return;
	}
	p = ctx_lint_add_part(d, it, LINT_OTHER, block);
	p->block = true;
	if (ctx_json_is(v[TYPE], "tool_use")) {
		p->type = LINT_CALL;
		p->key = v[ID];
		p->name = v[NAME];
		p->body = v[INPUT];
	} else if (ctx_json_is(v[TYPE], "tool_result")) {
		p->type = LINT_RESULT;
		p->key = v[USE_ID];
		p->body = v[CONTENT];
		p->empty = empty_list(v[CONTENT]);
	} else if (ctx_json_is(v[TYPE], "thinking") &&
		   /* not Mistral's list */
		   ctx_json_type(thinking) != CTX_JSON_ARRAY) {
		p->type = LINT_THINKING;
		p->sign = ctx_json_get(block, "signature");
		p->body = thinking;
	} else if (ctx_json_is(v[TYPE], "redacted_thinking")) {
		p->type = LINT_THINKING;
		p->sign = ctx_json_get(block, "data");
	} else if (ctx_json_is(v[TYPE], "image") || ctx_json_is(v[TYPE], "image_url")) {
		p->type = LINT_IMAGE;
		p->body = v[SOURCE].p != NULL ? v[SOURCE] : v[IMAGE_URL];
	}
}

static void
add_lint_call_part(struct lint_doc *d, struct lint_item *it, struct ctx_span call)
{
	struct lint_part *p = ctx_lint_add_part(d, it, LINT_CALL, call);
	struct ctx_span f = ctx_json_get(call, "function");
	struct ctx_span custom = ctx_json_get(call, "custom");

	p->custom = ctx_json_type(custom) == CTX_JSON_OBJECT;
	p->key = ctx_json_get(call, "id");
	p->name = ctx_json_get(p->custom ? custom : f, "name");
	p->body = p->custom ? ctx_json_get(custom, "input")
			    : ctx_json_get(f, "arguments");
}

enum lint_role
ctx_lint_parse_role(struct ctx_span role)
{
	static const char *const names[] = {
	    "system", "developer", "user", "assistant", "model", "tool"};
	static const enum lint_role roles[] = {LINT_SYSTEM, LINT_SYSTEM, LINT_USER,
	    LINT_ASSISTANT, LINT_ASSISTANT, LINT_TOOL};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (ctx_json_is(role, names[i]))
			return roles[i];
	return LINT_NO_ROLE;
}

static void
parse_message(struct lint_doc *d, struct lint_item *it)
{
	enum { ROLE, CONTENT, CALLS, CALL_ID, REFUSAL, FUNCTION_CALL, AUDIO, N };
	static const char *const keys[N] = {"role", "content", "tool_calls",
	    "tool_call_id", "refusal", "function_call", "audio"};
	struct ctx_span v[N];
	struct lint_part *p;

	ctx_json_get_all(it->message, keys, v, N);
	it->role = ctx_lint_parse_role(v[ROLE]);
	it->content = v[CONTENT];
	if (it->role == LINT_TOOL) {
		p = ctx_lint_add_part(d, it, LINT_RESULT, it->message);
		p->key = v[CALL_ID];
		p->body = v[CONTENT];
		return;
	}
	if (ctx_json_type(v[CONTENT]) == CTX_JSON_STRING) {
		add_lint_text_part(d, it, v[CONTENT], v[CONTENT], false);
	} else if (ctx_json_type(v[CONTENT]) == CTX_JSON_ARRAY) {
		CTX_JSON_EACH(e, v[CONTENT])
			add_lint_block_part(d, it, e.value);
	} else if (ctx_json_type(v[CONTENT]) > CTX_JSON_NULL) {
		ctx_lint_add_part(d, it, LINT_OTHER, v[CONTENT]);
	}
	if (ctx_json_type(v[REFUSAL]) == CTX_JSON_STRING)
		add_lint_text_part(d, it, v[REFUSAL], v[REFUSAL], false);
	if (ctx_json_type(v[CALLS]) == CTX_JSON_ARRAY) {
		CTX_JSON_EACH(e, v[CALLS])
			add_lint_call_part(d, it, e.value);
	}
	for (int i = FUNCTION_CALL; i <= AUDIO; i++)
		if (ctx_json_type(v[i]) == CTX_JSON_OBJECT)
			ctx_lint_add_part(d, it, LINT_OTHER, v[i])->body = v[i];
}

/* Adds the parts of one item. Ids and names are kept as spelled. */
static void
parse_lint_item(struct lint_doc *d, struct lint_item *it)
{
	it->first = d->n_parts;
	it->n = 0;
	it->content = CTX_SPAN_NONE;
	it->role = LINT_NO_ROLE;
	if (it->message.p == NULL)
		return;
	if (d->shape == LINT_MESSAGES)
		parse_message(d, it);
	else
		ctx_lint_kind(ctx_lint_owner(d->shape))->parse(d, it);
	for (size_t i = it->first; i < d->n_parts; i++) {
		struct lint_part *p = &d->parts[i];
		if (p->type == LINT_CALL && it->role != LINT_ASSISTANT)
			p->type = LINT_OTHER; /* only the model makes calls */
		if (!it->skip && (p->type == LINT_CALL || p->type == LINT_RESULT))
			p->id = ctx_lint_ids_add(d->ids, p->key);
	}
}

void
ctx_lint_doc_index(struct lint_doc *d)
{
	long index = 0;

	ctx_lint_ids_free(d->ids);
	d->ids = ctx_lint_ids_new();
	d->n_parts = 0;
	CTX_MEM_GROW(d->parts, d->n_parts, d->cap_parts); /* never NULL */
	for (size_t i = 0; i < d->n; i++) {
		parse_lint_item(d, &d->items[i]);
		d->items[i].index = d->items[i].message.p != NULL ? index++ : -1;
	}
	d->n_ids = ctx_lint_ids_count(d->ids);
}
