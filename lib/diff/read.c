/* Reads records or a request body into a list of entries. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "diff/diff.h"
#include "json/json.h"
#include "lint/lint.h"
#include "provider/provider.h"

#define WORDS_MAX 240 /* bytes of text kept for display */

struct reading {
	struct ctx_diff_side *side;
	struct ctx_tokenizer *tokenizer;
	struct ctx_message view;
	struct ctx_buf tmp, words;
	size_t turn;   /* entry of the message that begins the current turn */
	int turn_part; /* part to which its tokens are added until the end is known */
	bool session, filled; /* a session record was read; anything was read */
	bool body;
};

/* ---- text for display ---- */

static void
add_words(struct reading *r, struct ctx_span text)
{
	if (r->words.n > 0)
		ctx_buf_addc(&r->words, ' ');
	if (text.n > WORDS_MAX)
		for (text.n = WORDS_MAX; text.n > 0 && (text.p[text.n] & 0xc0) == 0x80;)
			text.n--;
	ctx_buf_addspan(&r->words, text);
}

/* Adds a JSON value to the text for display: a string as its text, another value
 * verbatim. */
static void
add_value_words(struct reading *r, struct ctx_span value)
{
	if (ctx_json_type(value) == CTX_JSON_STRING)
		value = ctx_json_text(value, &r->tmp);
	if (value.p != NULL)
		add_words(r, value);
}

static void
add_part_words(struct reading *r, const struct ctx_part *p)
{
	struct ctx_buf text = CTX_BUF_INIT;

	switch (p->type) {
	case CTX_PART_TEXT:
		add_value_words(r, p->body);
		break;
	case CTX_PART_TOOL_CALL:
		add_words(r, ctx_span_of("call"));
		add_value_words(r, p->name);
		add_value_words(r, p->body);
		break;
	case CTX_PART_TOOL_RESULT:
		if (ctx_json_type(p->body) == CTX_JSON_OBJECT)
			add_words(r, p->body);
		else if (p->body.p != NULL)
			ctx_content_text(p->body, &text);
		if (text.n > 0)
			add_words(r, ctx_buf_span(&text));
		break;
	case CTX_PART_IMAGE:
		add_words(r, ctx_span_of("[image]"));
		break;
	case CTX_PART_THINKING:
		add_words(r, ctx_span_of("[thinking]"));
		break;
	default:
		add_value_words(r, ctx_json_get(p->raw, "type"));
	}
	ctx_buf_release(&text);
}

static struct ctx_span
keep_words(struct reading *r, const struct ctx_message *m)
{
	ctx_buf_reset(&r->words);
	for (size_t i = 0; i < m->n && r->words.n < WORDS_MAX; i++)
		add_part_words(r, &m->parts[i]);
	if (m->n == 0 && ctx_message_tool(m).p != NULL)
		add_value_words(r, ctx_json_get(ctx_message_tool(m), "name"));
	return ctx_arena_copy(&r->side->arena,
	    (struct ctx_span){r->words.n == 0 ? "" : r->words.p, r->words.n});
}

/* ---- entries ---- */

static struct ctx_diff_entry *
add_diff_entry(struct reading *r, enum ctx_diff_type type, struct ctx_span json)
{
	struct ctx_diff_side *s = r->side;
	struct ctx_diff_entry *e;

	CTX_MEM_GROW(s->entries, s->n, s->cap);
	e = &s->entries[s->n++];
	*e = (struct ctx_diff_entry){.type = type, .seq = -1};
	if (type == CTX_DIFF_MESSAGE)
		e->position = ++s->messages;
	ctx_buf_reset(&r->tmp);
	ctx_json_minify(json, &r->tmp);
	e->json = ctx_arena_copy(&s->arena, ctx_buf_span(&r->tmp));
	return e;
}

static void
count_entry(struct reading *r, const struct ctx_diff_entry *e, int part)
{
	r->side->tokens[part] += e->tokens;
	r->side->total += e->tokens;
}

/* Completes the entry of a message: role, text for display and tokens. */
static void
fill_message_entry(struct reading *r, struct ctx_diff_entry *e,
    const struct ctx_message *m, struct ctx_span source, int64_t tokens)
{
	int part = (int)ctx_component_of(e->slot, m->role, source);

	e->role = ctx_span_of(ctx_role_name(ctx_message_shown_role(m)));
	e->words = keep_words(r, m);
	e->tokens = tokens;
	count_entry(r, e, part);
	if (e->slot == CTX_SLOT_HISTORY && ctx_message_starts_turn(m)) {
		r->turn = (size_t)(e - r->side->entries);
		r->turn_part = part;
	}
}

/* ---- records ---- */

/* Returns text such as "rule:refunds": the type, and the name or id if there is one. */
static struct ctx_span
keep_source(struct reading *r, struct ctx_span source)
{
	static const char *const keys[] = {"type", "name", "id"};
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_span v[3], kept = CTX_SPAN_NONE;

	ctx_json_get_all(source, keys, v, 3);
	if (ctx_json_type(v[0]) == CTX_JSON_STRING)
		ctx_json_decode(v[0], &text);
	v[1] = ctx_json_type(v[1]) == CTX_JSON_STRING ? v[1] : v[2];
	if (ctx_json_type(v[1]) == CTX_JSON_STRING) {
		ctx_buf_addc(&text, ':');
		ctx_json_decode(v[1], &text);
	}
	if (text.n > 0)
		kept = ctx_arena_copy(&r->side->arena, ctx_buf_span(&text));
	ctx_buf_release(&text);
	return kept;
}

static int
add_message_record(
    struct reading *r, const struct ctx_record *record, struct ctx_err *err)
{
	const char *name = ctx_tokenizer_name(r->tokenizer);
	struct ctx_diff_entry *e;

	if (ctx_message_parse(&r->view, record->message, err) < 0)
		return -1;
	e = add_diff_entry(r, CTX_DIFF_MESSAGE, record->message);
	e->id = ctx_arena_copy(&r->side->arena, record->id);
	e->slot = record->slot;
	e->seq = record->seq;
	e->source = keep_source(r, record->source);
	fill_message_entry(r, e, &r->view, record->source,
	    record->token_count >= 0 && !record->bare &&
		    ctx_json_is(record->tokenizer, name)
		? record->token_count
		: ctx_tokens_message(r->tokenizer, &r->view));
	return 0;
}

/* ---- bodies ---- */

static void
add_body_item(
    void *arg, struct ctx_span value, const struct ctx_message *m, int64_t tokens)
{
	struct reading *r = arg;
	struct ctx_diff_entry *e = add_diff_entry(r, CTX_DIFF_MESSAGE, value);

	fill_message_entry(r, e, m, CTX_SPAN_NONE, tokens);
}

/* Returns the tokens of a single member of a body. */
static int64_t
count_member(struct reading *r, struct ctx_span key, struct ctx_span value)
{
	struct ctx_buf body = CTX_BUF_INIT;
	int64_t tokens;

	ctx_json_put_open(&body, '{');
	ctx_json_put_member(&body, key, value);
	ctx_json_put_close(&body, '}');
	tokens = ctx_tokens_params(r->tokenizer, ctx_buf_span(&body));
	ctx_buf_release(&body);
	return tokens;
}

/* Some APIs wrap each declaration into an object; others group declarations. */
static struct ctx_span
find_tool_name(struct ctx_span tool)
{
	struct ctx_span name = ctx_json_get(tool, "name");

	if (name.p == NULL)
		name = ctx_json_get(ctx_json_get(tool, "function"), "name");
	if (name.p == NULL)
		name = ctx_json_get(ctx_json_get(tool, "custom"), "name");
	return name.p != NULL ? name : ctx_json_get(tool, "type");
}

static void
add_tool(struct reading *r, struct ctx_span key, struct ctx_span tool)
{
	struct ctx_diff_entry *e = add_diff_entry(r, CTX_DIFF_TOOL, tool);
	struct ctx_span name = find_tool_name(tool);
	struct ctx_buf list = CTX_BUF_INIT;

	e->role = ctx_span_of("tool def");
	if (ctx_json_type(name) == CTX_JSON_STRING)
		e->id = ctx_arena_copy(&r->side->arena, name);
	ctx_buf_addc(&list, '[');
	ctx_buf_addspan(&list, tool);
	ctx_buf_addc(&list, ']');
	e->tokens = count_member(r, key, ctx_buf_span(&list));
	ctx_buf_reset(&r->words);
	add_value_words(r, name.p != NULL ? name : tool);
	e->words = ctx_arena_copy(&r->side->arena, ctx_buf_span(&r->words));
	ctx_buf_release(&list);
}

static void
add_tools(struct reading *r, struct ctx_span key, struct ctx_span tools)
{
	int64_t tokens = count_member(r, key, tools);

	CTX_JSON_EACH(it, tools) {
		struct ctx_span list = ctx_json_get(it.value, "functionDeclarations");
		if (ctx_json_type(list) != CTX_JSON_ARRAY) {
			add_tool(r, key, it.value);
			continue;
		}
		CTX_JSON_EACH(declared, list)
			add_tool(r, key, declared.value);
	}
	/* not the sum over tools, because they share a frame */
	r->side->tokens[CTX_DIFF_TOOLS] += tokens;
	r->side->total += tokens;
}

/* Adds system text to the text for display: a string, blocks, or a content with
 * parts. */
static void
add_system_words(struct reading *r, struct ctx_span value)
{
	struct ctx_span parts = ctx_json_get(value, "parts");

	if (ctx_json_type(value) == CTX_JSON_STRING)
		add_value_words(r, value);
	CTX_JSON_EACH_WHILE(r->words.n < WORDS_MAX, it, parts.p != NULL ? parts : value)
		add_value_words(r, ctx_json_get(it.value, "text"));
}

/* True if an API has its system text in this member. */
static bool
is_system_member(struct ctx_span key)
{
	for (int i = 0; i < CTX_PROVIDER_COUNT; i++)
		if (ctx_json_is_any(
			key, ctx_provider_facts((enum ctx_provider)i)->system))
			return true;
	return false;
}

static void
add_member(struct reading *r, struct ctx_span key, struct ctx_span value)
{
	bool system = is_system_member(key);
	struct ctx_diff_entry *e = add_diff_entry(
	    r, system ? CTX_DIFF_SYSTEM : CTX_DIFF_PARAM, value);

	e->id = ctx_arena_copy(&r->side->arena, key);
	e->role = ctx_span_of(system ? "system" : "param");
	ctx_buf_reset(&r->words);
	if (system) {
		add_system_words(r, value);
		e->tokens = count_member(r, key, value);
	} else {
		add_value_words(r, key);
		add_value_words(r, value);
	}
	e->words = ctx_arena_copy(&r->side->arena, ctx_buf_span(&r->words));
	count_entry(r, e, CTX_COMPONENT_SYSTEM);
}

static int
add_body_members(struct reading *r, struct ctx_span body, struct ctx_err *err)
{
	CTX_JSON_EACH(it, body)
		if (ctx_json_is(it.key, "tools") || ctx_json_is(it.key, "functions"))
			add_tools(r, it.key, it.value);
		else if (!ctx_json_is(it.key, "messages") &&
			 !ctx_json_is(it.key, "contents") &&
			 !ctx_json_is(it.key, "input"))
			add_member(r, it.key, it.value);
	r->body = true;
	return ctx_lint_body_items(body, r->tokenizer, add_body_item, r, err);
}

/* ---- values ---- */

static int
add_record(struct reading *r, struct ctx_span value, struct ctx_err *err)
{
	struct ctx_record record;

	if (ctx_record_parse(&record, value, err) < 0)
		return -1;
	if (r->body || (record.kind == CTX_KIND_SESSION && r->filled))
		return ctx_err_set(err, CTX_EINPUT,
		    "the input contains more than one window or request body: each input must contain one");
	if (record.kindless && ctx_lint_begins(value)) {
		if (r->filled)
			return ctx_err_set(err, CTX_EINPUT,
			    "the input mixes a request body with records");
		return add_body_members(r, value, err);
	}
	if (record.kindless)
		return ctx_err_set(
		    err, CTX_EINPUT, "not a message, a record or a request body");
	return record.kind == CTX_KIND_MESSAGE ? add_message_record(r, &record, err) : 0;
}

static int
add_diff_value(struct reading *r, struct ctx_span value, struct ctx_err *err)
{
	int rc = 0;

	if (ctx_json_type(value) != CTX_JSON_ARRAY) {
		rc = add_record(r, value, err);
		r->filled = true;
		return rc;
	}
	CTX_JSON_EACH_WHILE(rc == 0, it, value) {
		rc = add_record(r, it.value, err);
		r->filled = true;
	}
	return rc;
}

int
ctx_diff_read(struct ctx_diff_side *side, struct ctx_span text, struct ctx_tokenizer *t,
    struct ctx_err *err)
{
	struct reading r = {
	    .side = side, .tokenizer = t, .view = CTX_MESSAGE_INIT, .turn = SIZE_MAX};
	struct ctx_span rest = ctx_span_trim(text), value;
	const char *at = rest.p;
	int rc;

	side->total = CTX_TOKENS_REPLY;
	while ((rc = ctx_json_check_next(rest, &value, &rest, err)) == 0 &&
	       value.p != NULL) {
		at = value.p;
		rc = add_diff_value(&r, value, err);
		if (rc < 0)
			break;
		at = rest.p;
	}
	text.n = (size_t)(at - text.p);
	if (rc < 0)
		ctx_err_prefix(err, "line %zu", ctx_span_count(text, '\n') + 1);
	else if (!r.filled)
		rc = ctx_err_set(err, CTX_EINPUT, "empty");
	if (r.turn != SIZE_MAX) {
		side->tokens[r.turn_part] -= side->entries[r.turn].tokens;
		side->tokens[CTX_COMPONENT_MESSAGE] += side->entries[r.turn].tokens;
	}
	ctx_message_release(&r.view);
	ctx_buf_release(&r.tmp);
	ctx_buf_release(&r.words);
	return rc;
}

void
ctx_diff_side_release(struct ctx_diff_side *side)
{
	ctx_arena_release(&side->arena);
	free(side->entries);
	memset(side, 0, sizeof(*side));
}
