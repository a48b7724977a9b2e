/* Functions shared by the parsers of all providers. */
#include "answer/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

#define MERGE_DEPTH 6 /* deeper objects in a fragment replace the old value as a whole */
#define REPLACEMENT "\xef\xbf\xbd"
#define SHOWN 600 /* maximum length in bytes of a provider's message in an error */

struct ctx_span
ctx_answer_raw(const struct ctx_answer_reader *r, struct ctx_span v)
{
	if (r->original == NULL || v.p == NULL)
		return v;
	return (struct ctx_span){r->original + (v.p - r->mask.p), v.n};
}

struct ctx_span
ctx_answer_inside(const struct ctx_answer_reader *r, struct ctx_span v)
{
	v = ctx_answer_raw(r, v);
	return (struct ctx_span){v.p + 1, v.n - 2};
}

void
ctx_answer_set(const struct ctx_answer_reader *r, struct ctx_node *n, struct ctx_span v)
{
	ctx_node_set(n, ctx_answer_raw(r, v));
}

static bool
set_once(struct ctx_span key)
{
	return CTX_JSON_IS_ANY(key, "id", "type", "role");
}

static void
merge_members(
    const struct ctx_answer_reader *r, struct ctx_node *n, struct ctx_span v, int depth)
{
	CTX_JSON_EACH_WHILE(!r->full, it, v) {
		struct ctx_node *kid = ctx_node_member(n, ctx_answer_raw(r, it.key));
		if (kid->text.n > 2 && kid->text.p[0] == '"') {
			if (set_once(it.key))
				continue;
			/* some servers repeat the name in every fragment */
			if (ctx_json_is(it.key, "name") &&
			    ctx_span_eq(
				ctx_buf_span(&kid->text), ctx_answer_raw(r, it.value)))
				continue;
		}
		ctx_answer_merge(r, kid, it.value, depth + 1);
	}
}

void
ctx_answer_merge(
    const struct ctx_answer_reader *r, struct ctx_node *n, struct ctx_span v, int depth)
{
	enum ctx_json_type type = ctx_json_type(v);

	if (type == CTX_JSON_NULL && (n->kind != CTX_NODE_LEAF || n->text.n > 0))
		return;
	if (type == CTX_JSON_STRING) {
		ctx_node_extend(n, ctx_answer_inside(r, v));
	} else if (type == CTX_JSON_ARRAY && n->text.n > 0 && n->text.p[0] == '[') {
		CTX_JSON_EACH(it, v)
			ctx_node_push(n, ctx_answer_raw(r, it.value));
	} else if (type == CTX_JSON_OBJECT && depth < MERGE_DEPTH) {
		ctx_node_become(n, CTX_NODE_OBJECT);
		merge_members(r, n, v, depth);
	} else {
		ctx_answer_set(r, n, v);
	}
}

void
ctx_answer_merge_delta(
    const struct ctx_answer_reader *r, struct ctx_node *n, struct ctx_span delta)
{
	CTX_JSON_EACH_WHILE(!r->full, it, delta) {
		struct ctx_node *kid;
		if (ctx_json_is(it.key, "type"))
			continue;
		kid = ctx_node_member(n, ctx_answer_raw(r, it.key));
		if (ctx_json_is(it.key, "signature"))
			ctx_answer_set(r, kid, it.value);
		else
			ctx_answer_merge(r, kid, it.value, 1);
	}
}

void
ctx_answer_copy(const struct ctx_answer_reader *r, struct ctx_node *n,
    struct ctx_span object, const char *const skip[])
{
	size_t own = n->n;

	CTX_JSON_EACH_WHILE(!r->full, it, object) {
		bool skipped = skip != NULL && ctx_json_is_any(it.key, skip);
		for (size_t i = 0; i < own && !skipped; i++)
			skipped = ctx_span_eq(ctx_buf_span(&n->kids[i].key), it.key);
		if (!skipped)
			ctx_answer_set(
			    r, ctx_node_member(n, ctx_answer_raw(r, it.key)), it.value);
	}
}

struct ctx_node *
ctx_answer_add_block(struct ctx_answer_reader *r, const char *type, int64_t tag)
{
	struct ctx_node *block = ctx_node_add(&r->parts, CTX_SPAN_NONE);

	block->kind = CTX_NODE_OBJECT;
	block->tag = tag;
	if (type != NULL) {
		ctx_json_put_string(&block->aside, ctx_span_of(type));
		ctx_node_put(block, "type", ctx_buf_span(&block->aside));
		ctx_buf_reset(&block->aside);
	}
	return block;
}

struct ctx_node *
ctx_answer_find_block(struct ctx_answer_reader *r, int64_t tag)
{
	for (size_t i = r->parts.n; i-- > 0;)
		if (r->parts.kids[i].tag == tag)
			return &r->parts.kids[i];
	return NULL;
}

void
ctx_answer_keep(
    struct ctx_answer_reader *r, struct ctx_span object, const char *const keys[])
{
	struct ctx_buf key = CTX_BUF_INIT;

	for (size_t i = 0; keys[i] != NULL; i++) {
		struct ctx_span v = ctx_json_get(object, keys[i]);
		if (v.p == NULL || ctx_span_is(v, "null") || ctx_span_is(v, "\"\"") ||
		    ctx_span_is(v, "[]") || ctx_span_is(v, "{}"))
			continue;
		ctx_buf_reset(&key);
		ctx_buf_addf(&key, "\"%s\"", keys[i]);
		r->details.kind = CTX_NODE_OBJECT;
		ctx_answer_set(r, ctx_node_member(&r->details, ctx_buf_span(&key)), v);
	}
	ctx_buf_release(&key);
}

void
ctx_answer_note(char **field, struct ctx_span v)
{
	if (!ctx_json_is_text(v) || v.n == 2)
		return;
	free(*field);
	*field = ctx_json_strdup(v);
}

void
ctx_answer_note_all(struct ctx_answer_reader *r, struct ctx_span id,
    struct ctx_span model, struct ctx_span stop_reason, struct ctx_span usage)
{
	ctx_answer_note(&r->id, id);
	ctx_answer_note(&r->model, model);
	ctx_answer_note(&r->stop_reason, stop_reason);
	if (ctx_json_type(usage) == CTX_JSON_OBJECT)
		ctx_answer_set(r, &r->usage, usage);
}

struct ctx_span
ctx_answer_first(struct ctx_answer_reader *r, struct ctx_span array, bool whole)
{
	struct ctx_span first = CTX_SPAN_NONE, chosen = CTX_SPAN_NONE;
	size_t n = 0;
	int64_t index;

	if (ctx_json_type(array) != CTX_JSON_ARRAY)
		return first;
	CTX_JSON_EACH(it, array) {
		n++;
		if (!ctx_json_int(ctx_json_get(it.value, "index"), &index))
			index = 0;
		if (index == 0 && chosen.p == NULL)
			chosen = it.value;
		if (first.p == NULL)
			first = it.value;
		if (index > 0 && (size_t)index >= r->choices)
			r->choices = (size_t)index + 1;
	}
	if (n > r->choices)
		r->choices = n;
	return chosen.p != NULL || !whole ? chosen : first;
}

/* ---- text while it arrives ---- */

static unsigned
parse_utf16_unit(const char *p)
{
	char hex[5] = {p[2], p[3], p[4], p[5], 0};

	return (unsigned)strtoul(hex, NULL, 16);
}

/* Returns the bytes of the escape at p, or 0 if its other half may still arrive. */
static size_t
escape_length(const char *p, const char *end, bool *lone)
{
	unsigned u;

	*lone = false;
	if (p[1] != 'u')
		return 2;
	u = parse_utf16_unit(p);
	if (u < 0xd800 || u > 0xdfff)
		return 6;
	if (u < 0xdc00 && end - p == 6)
		return 0;
	if (u < 0xdc00 && end - p >= 12 && p[6] == '\\' && p[7] == 'u' &&
	    parse_utf16_unit(p + 6) >= 0xdc00 && parse_utf16_unit(p + 6) <= 0xdfff)
		return 12;
	*lone = true;
	return 6;
}

/* Returns whether the bytes, at most three, could be the beginning of a character. */
static bool
is_start(const char *p, size_t n)
{
	unsigned char c = (unsigned char)*p;

	return c >= 0xc2 && c < 0xf5 && n < (c < 0xe0 ? 2u : c < 0xf0 ? 3u : 4u);
}

static void
decode_answer_escape(struct ctx_span escape, struct ctx_buf *out)
{
	char quoted[16] = "\"";

	memcpy(quoted + 1, escape.p, escape.n);
	quoted[escape.n + 1] = '"';
	ctx_json_decode((struct ctx_span){quoted, escape.n + 2}, out);
}

/* Decodes the complete characters of s into out. Returns the number of bytes used. */
static size_t
decode_answer_characters(struct ctx_span s, struct ctx_buf *out)
{
	const char *p = s.p, *end = s.p + s.n, *back = NULL;
	bool lone;
	size_t n;

	while (p < end) {
		if (back == NULL || back < p)
			back = memchr(p, '\\', (size_t)(end - p));
		if (back == NULL)
			back = end;
		n = ctx_utf8_valid(p, (size_t)(back - p));
		ctx_buf_add(out, p, n);
		p += n;
		if (p == end)
			break;
		if (p < back) {
			if (back == end && is_start(p, (size_t)(end - p)))
				break;
			ctx_buf_adds(out, REPLACEMENT);
			p++;
			continue;
		}
		n = escape_length(p, end, &lone);
		if (n == 0)
			break;
		if (lone)
			ctx_buf_adds(out, REPLACEMENT);
		else
			decode_answer_escape((struct ctx_span){p, n}, out);
		p += n;
	}
	return (size_t)(p - s.p);
}

void
ctx_answer_say(struct ctx_answer_reader *r, size_t source, struct ctx_span inside)
{
	struct ctx_buf text = CTX_BUF_INIT;
	size_t used;

	/* the text of a whole body is passed on at the end */
	if (r->text == NULL || r->mode == CTX_ANSWER_BODY)
		return;
	if (source != r->source) {
		ctx_buf_reset(&r->held);
		if (r->said)
			ctx_buf_addc(&text, '\n');
		r->source = source;
	}
	ctx_buf_addspan(&r->held, inside);
	used = decode_answer_characters(ctx_buf_span(&r->held), &text);
	memmove(r->held.p, r->held.p + used, r->held.n - used);
	r->held.n -= used;
	if (text.n > 0) {
		r->said = true;
		r->text(r->arg, ctx_buf_span(&text));
	}
	ctx_buf_release(&text);
}

/* ---- errors ---- */

/* Returns the type of the error, under any provider's name for it. */
static struct ctx_span
error_type(struct ctx_span error, struct ctx_buf *tmp)
{
	static const char *const keys[] = {"type", "status", "code"};

	for (size_t i = 0; i < 3; i++) {
		struct ctx_span v = ctx_json_get(error, keys[i]);
		if (ctx_json_type(v) == CTX_JSON_STRING && v.n > 2)
			return ctx_json_text(v, tmp);
		if (ctx_json_type(v) == CTX_JSON_NUMBER)
			return v;
	}
	return CTX_SPAN_NONE;
}

/* Shortens a provider's text to fit into an error message. */
static void
shorten_text(struct ctx_buf *text)
{
	size_t n = ctx_utf8_valid(
	    ctx_buf_span(text).p, text->n > SHOWN ? SHOWN : text->n);

	if (n < text->n) {
		text->n = n;
		text->p[n] = '\0';
	}
}

int
ctx_answer_fail(const char *what, struct ctx_buf *why, struct ctx_err *err)
{
	shorten_text(why);
	ctx_err_set(err, CTX_EIO, "%s%s", what, why->n > 0 ? why->p : "");
	ctx_buf_release(why);
	return -1;
}

static int
report_provider_error(struct ctx_span error, struct ctx_span message, struct ctx_err *err)
{
	struct ctx_buf text = CTX_BUF_INIT, tmp = CTX_BUF_INIT;
	struct ctx_span type = error_type(error, &tmp);

	if (ctx_json_type(message) == CTX_JSON_STRING)
		ctx_json_decode(message, &text);
	else
		ctx_buf_addspan(&text, message);
	if (text.n == 0)
		ctx_buf_adds(&text, "the provider reports an error");
	shorten_text(&text);
	if (type.n > 0 && type.n < 100)
		ctx_buf_addf(&text, " (%.*s)", (int)type.n, type.p);
	ctx_err_set(err, CTX_EIO, "%s", text.p);
	ctx_buf_release(&text);
	ctx_buf_release(&tmp);
	return -1;
}

int
ctx_answer_error(struct ctx_span json, struct ctx_err *err)
{
	enum { ERROR, TYPE, OBJECT, MESSAGE, DETAIL, N };
	static const char *const keys[N] = {
	    "error", "type", "object", "message", "detail"};
	struct ctx_span v[N], message;

	ctx_json_get_all(json, keys, v, N);
	if (ctx_json_type(v[ERROR]) == CTX_JSON_OBJECT) {
		message = ctx_json_get(v[ERROR], "message");
		return report_provider_error(
		    v[ERROR], message.p == NULL ? v[ERROR] : message, err);
	}
	if (ctx_json_type(v[ERROR]) == CTX_JSON_STRING && v[ERROR].n > 2)
		return report_provider_error(CTX_SPAN_NONE, v[ERROR], err);
	if (v[ERROR].n > 2 && !ctx_span_is(v[ERROR], "null") &&
	    !ctx_span_is(v[ERROR], "false"))
		return report_provider_error(json, v[MESSAGE], err);
	/* compatible servers and gateways: {"object":"error","message":…},
	 * {"detail":…} */
	if (ctx_json_is(v[TYPE], "error") || ctx_json_is(v[OBJECT], "error"))
		return report_provider_error(CTX_SPAN_NONE, v[MESSAGE], err);
	if (v[DETAIL].p != NULL && !ctx_span_is(v[DETAIL], "null"))
		return report_provider_error(CTX_SPAN_NONE, v[DETAIL], err);
	return 0;
}

int
ctx_answer_take_input(
    struct ctx_answer_reader *r, struct ctx_node *block, struct ctx_err *err)
{
	struct ctx_buf quoted = CTX_BUF_INIT, input = CTX_BUF_INIT;
	struct ctx_err why = CTX_ERR_INIT;
	struct ctx_node *kid;
	struct ctx_span value = CTX_SPAN_NONE;
	int rc;

	if (block->aside.n == 0) {
		if (ctx_node_has(block, "type", "tool_use") &&
		    ctx_node_find(block, "input") == NULL)
			ctx_node_put(block, "input", ctx_span_of("{}"));
		return 0;
	}
	ctx_buf_addc(&quoted, '"');
	ctx_buf_addspan(&quoted, ctx_buf_span(&block->aside));
	ctx_buf_addc(&quoted, '"');
	rc = ctx_json_check(ctx_buf_span(&quoted), NULL, NULL, &why);
	if (rc == 0) {
		ctx_json_decode(ctx_buf_span(&quoted), &input);
		rc = ctx_json_check(ctx_buf_span(&input), &value, NULL, &why);
	}
	kid = ctx_node_member(block, ctx_span_of("\"input\""));
	if (rc == 0) {
		ctx_node_set(kid, value);
	} else if (input.n > 0) { /* keep the text received so far */
		ctx_node_set(kid, ctx_buf_span(&quoted));
		r->damaged = (size_t)(block - r->parts.kids) + 1;
		rc = 0;
	} else {
		rc = ctx_err_set(err, CTX_EIO,
		    "the input of a tool call is not valid JSON: %s", why.msg);
	}
	ctx_buf_release(&quoted);
	ctx_buf_release(&input);
	return rc;
}

void
ctx_answer_blocks(struct ctx_answer_reader *r)
{
	r->parts.kind = CTX_NODE_LIST;
	ctx_buf_adds(&r->message, "{\"role\":\"assistant\",\"content\":");
	ctx_node_print(&r->parts, &r->message);
	ctx_buf_addc(&r->message, '}');
}
