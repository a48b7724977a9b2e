/* For the tests of rendering: makes items from lines, renders bodies, and checks bodies.
 * The checks share only the JSON layer with the code under test. */
#ifndef CTX_TEST_RENDER_HELP_H
#define CTX_TEST_RENDER_HELP_H

#include <inttypes.h>
#include <stdlib.h>

#include "test.h"

#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"
#include "render/render.h"

#define MAX_ITEMS 8192

struct input {
	struct ctx_render_item item[MAX_ITEMS];
	size_t n;
};

/* Adds an item. line is a message, or a slot ("P", "S" or "V"), a space and a message. */
static inline void
add_line(struct input *in, struct ctx_span line)
{
	struct ctx_render_item *it = &in->item[in->n];

	memset(it, 0, sizeof(*it));
	it->seq = (int64_t)++in->n;
	it->created_at = CTX_TIME_NONE;
	if (line.n > 2 && line.p[1] == ' ') {
		it->slot = line.p[0] == 'P'   ? CTX_SLOT_PREFIX
			   : line.p[0] == 'S' ? CTX_SLOT_SUMMARY
					      : CTX_SLOT_VOLATILE;
		line.p += 2;
		line.n -= 2;
	}
	it->message = line;
}

/* Makes the input from text, whose lines are separated by newlines. The text must stay
 * valid as long as the input. */
static inline struct input *
input_of(const char *text)
{
	struct input *in = ctx_mem_new(sizeof(*in));

	while (*text != '\0') {
		size_t n = strcspn(text, "\n");
		if (n > 0)
			add_line(in, (struct ctx_span){text, n});
		text += n + (text[n] == '\n');
	}
	return in;
}

/* Adds the elements of an array as messages. */
static inline void
input_array(struct input *in, struct ctx_span array)
{
	CTX_JSON_EACH_WHILE(in->n < MAX_ITEMS, it, array)
		add_line(in, it.value);
}

static inline struct ctx_render_options
options(enum ctx_provider provider, const char *params)
{
	struct ctx_render_options o = {
	    .provider = provider, .params = ctx_span_of(params)};

	return o;
}

/* Returns the body, or "E<code> <message>" on error; the caller frees the result. */
static inline char *
body_with(const struct input *in, const struct ctx_render_options *o)
{
	struct ctx_buf b = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;

	ctx_buf_adds(&b, "x"); /* text that was in the buffer before must remain */
	if (ctx_render_body(&b, in->item, in->n, o, &err) < 0) {
		if (b.n != 1)
			return ctx_mem_str("something was added though it failed");
		ctx_buf_reset(&b);
		ctx_buf_addf(&b, "E%d %s", err.code, err.msg);
		return ctx_buf_detach(&b);
	}
	memmove(b.p, b.p + 1, b.n--);
	return ctx_buf_detach(&b);
}

static inline char *
body_of(const char *lines, enum ctx_provider provider, const char *params)
{
	struct ctx_render_options o = options(provider, params);
	struct input *in = input_of(lines);
	char *body = body_with(in, &o);

	free(in);
	return body;
}

static inline void
expect(
    const char *lines, enum ctx_provider provider, const char *params, const char *want)
{
	char *got = body_of(lines, provider, params);

	CHECK_STR(got, want);
	free(got);
}

/* ---- checks: each returns NULL, or a text that says what is wrong ---- */

static inline struct ctx_span
get(struct ctx_span object, const char *key)
{
	return ctx_json_get(object, key);
}

static inline bool
nonblank(struct ctx_span string)
{
	struct ctx_buf b = CTX_BUF_INIT;
	bool yes = false;

	ctx_json_decode(string, &b);
	for (size_t i = 0; i < b.n; i++)
		yes |= strchr(" \t\r\n", b.p[i]) == NULL;
	ctx_buf_release(&b);
	return yes;
}

#define MAX_IDS 4096
struct ids {
	struct ctx_span id[MAX_IDS];
	bool answered[MAX_IDS];
	/* the calls from index open on are those of the last assistant message */
	size_t n, open;
};

static inline const char *
ids_call(struct ids *s, struct ctx_span id)
{
	if (ctx_json_type(id) != CTX_JSON_STRING || id.n <= 2)
		return "call without id";
	for (size_t i = 0; i < s->n; i++)
		if (ctx_span_eq(s->id[i], id))
			return "call id twice";
	if (s->n == MAX_IDS)
		return "too many calls for the test";
	s->answered[s->n] = false;
	s->id[s->n++] = id;
	return NULL;
}

static inline const char *
ids_result(struct ids *s, struct ctx_span id)
{
	for (size_t i = s->open; i < s->n; i++)
		if (ctx_span_eq(s->id[i], id)) {
			if (s->answered[i])
				return "second result";
			if (i > s->open && !s->answered[i - 1])
				return "results not in the order of the calls";
			s->answered[i] = true;
			return NULL;
		}
	return "result without call just before";
}

static inline const char *
ids_close(struct ids *s)
{
	for (size_t i = s->open; i < s->n; i++)
		if (!s->answered[i])
			return "call without result";
	s->open = s->n;
	return NULL;
}

#define TRY(expr)                          \
	do {                               \
		const char *why_ = (expr); \
		if (why_ != NULL)          \
			return why_;       \
	} while (0)

static inline const char *
check_openai(struct ctx_span body)
{
	static struct ids s;
	struct ctx_span role = CTX_SPAN_NONE;
	bool user = false, system = false;

	memset(&s, 0, sizeof(s));
	CTX_JSON_EACH(it, get(body, "messages")) {
		struct ctx_span content = get(it.value, "content");
		role = get(it.value, "role");
		if (ctx_json_is(role, "tool")) {
			TRY(ids_result(&s, get(it.value, "tool_call_id")));
			if (ctx_json_type(content) != CTX_JSON_STRING &&
			    ctx_json_type(content) != CTX_JSON_ARRAY)
				return "tool message without content";
			continue;
		}
		TRY(ids_close(&s));
		system = ctx_json_is(role, "system") || ctx_json_is(role, "developer");
		if (system)
			continue; /* position in the history */
		if (ctx_json_is(role, "assistant")) {
			if (!user)
				return "assistant before user";
			CTX_JSON_EACH(calls, get(it.value, "tool_calls"))
				TRY(ids_call(&s, get(calls.value, "id")));
			if (s.open == s.n && ctx_json_type(content) != CTX_JSON_STRING &&
			    ctx_json_type(content) != CTX_JSON_ARRAY)
				return "empty assistant message";
		} else if (ctx_json_is(role, "user")) {
			user = true;
		} else {
			return "unknown role";
		}
	}
	TRY(ids_close(&s));
	if (!system && !ctx_json_is(role, "user") && !ctx_json_is(role, "tool"))
		return "last message is neither user nor tool";
	return NULL;
}

static inline const char *
check_anthropic_user(struct ids *s, struct ctx_span content)
{
	bool text = false;

	CTX_JSON_EACH(it, content) {
		struct ctx_span type = get(it.value, "type"),
				c = get(it.value, "content");
		if (ctx_json_is(type, "tool_result")) {
			if (text)
				return "tool result behind other blocks";
			TRY(ids_result(s, get(it.value, "tool_use_id")));
			if (c.p != NULL && c.n <= 2)
				return "empty tool result content";
			continue;
		}
		text = true;
		if (ctx_json_is(type, "text") && !nonblank(get(it.value, "text")))
			return "blank text";
		if (ctx_json_is(type, "tool_use") || ctx_json_is(type, "image_url"))
			return "wrong block for a user";
	}
	return ids_close(s);
}

static inline const char *
check_anthropic_assistant(struct ids *s, struct ctx_span content)
{
	CTX_JSON_EACH(it, content) {
		struct ctx_span type = get(it.value, "type");
		if (ctx_json_is(type, "tool_use")) {
			TRY(ids_call(s, get(it.value, "id")));
			if (ctx_json_type(get(it.value, "input")) != CTX_JSON_OBJECT)
				return "input is not an object";
		} else if (ctx_json_is(type, "text")) {
			if (!nonblank(get(it.value, "text")))
				return "blank text";
		} else if (!ctx_json_is(type, "thinking")) {
			return "wrong block for an assistant";
		}
	}
	return NULL;
}

static inline const char *
check_anthropic(struct ctx_span body)
{
	static struct ids s;
	size_t i = 0;

	memset(&s, 0, sizeof(s));
	CTX_JSON_EACH(it, get(body, "messages")) {
		struct ctx_span content = get(it.value, "content");
		if (!ctx_json_is(
			get(it.value, "role"), i++ % 2 == 0 ? "user" : "assistant"))
			return "roles do not alternate from user on";
		if (ctx_json_type(content) == CTX_JSON_STRING) {
			if (!nonblank(content))
				return "blank content";
		} else if (content.n <= 2) {
			return "no content";
		}
		if (i % 2 == 1)
			TRY(check_anthropic_user(&s, content));
		else
			TRY(check_anthropic_assistant(&s, content));
	}
	return i % 2 == 1 ? ids_close(&s) : "last message is not the user's";
}

static inline const char *
check_gemini(struct ctx_span body)
{
	struct ctx_span names[64];
	size_t i = 0, calls = 0;

	CTX_JSON_EACH(it, get(body, "contents")) {
		size_t answers = 0, count = 0, now = 0;
		if (!ctx_json_is(get(it.value, "role"), i++ % 2 == 0 ? "user" : "model"))
			return "roles do not alternate from user on";
		CTX_JSON_EACH(parts, get(it.value, "parts")) {
			size_t at = count++;
			struct ctx_span call = get(parts.value, "functionCall");
			struct ctx_span answer = get(parts.value, "functionResponse");
			if (answer.p != NULL) {
				if (answers != at || answers == calls)
					return "response out of place";
				if (!ctx_span_eq(get(answer, "name"), names[answers++]))
					return "response of another function";
				if (ctx_json_type(get(answer, "response")) !=
				    CTX_JSON_OBJECT)
					return "response is not an object";
			} else if (call.p != NULL) {
				if (i % 2 == 1 || now == 64)
					return "call out of place";
				names[now++] = get(call, "name");
				if (ctx_json_type(get(call, "args")) != CTX_JSON_OBJECT)
					return "args are no object";
			}
		}
		if (count == 0)
			return "no parts";
		if (answers != calls)
			return "not as many responses as calls";
		calls = now;
	}
	return i % 2 == 1 ? NULL : "last content is not the user's";
}

/* ---- the contents of a body, whatever the provider: T text, C name args, R name text
 * ---- */

static inline void
say(struct ctx_buf *out, char what, struct ctx_span string)
{
	ctx_buf_addc(out, what);
	ctx_buf_addc(out, ' ');
	ctx_json_decode(string, out);
	ctx_buf_addc(out, '\n');
}

static inline void
say_text(struct ctx_buf *out, struct ctx_span string)
{
	if (ctx_json_type(string) == CTX_JSON_STRING && nonblank(string))
		say(out, 'T', string);
}

static inline void
say_result(struct ctx_buf *out, struct ctx_span content)
{
	struct ctx_buf b = CTX_BUF_INIT;

	if (content.p != NULL)
		ctx_content_text(content, &b);
	ctx_buf_adds(out, "R ");
	if (b.n >= 7 && strncmp(b.p, "Error: ", 7) == 0)
		ctx_buf_add(out, b.p + 7, b.n - 7);
	else if (ctx_span_trim(ctx_buf_span(&b)).n > 0)
		ctx_buf_add(out, b.p, b.n);
	ctx_buf_addc(out, '\n');
	ctx_buf_release(&b);
}

static inline void
say_call(struct ctx_buf *out, struct ctx_span name, struct ctx_span args)
{
	say(out, 'C', name);
	if (ctx_json_type(args) == CTX_JSON_STRING) {
		size_t start = out->n;
		ctx_json_decode(args, out);
		if (out->n == start)
			ctx_buf_adds(out, "{}");
	} else {
		ctx_buf_addspan(out, args);
	}
	ctx_buf_addc(out, '\n');
}

static inline void
say_block(struct ctx_buf *out, struct ctx_span block)
{
	struct ctx_span type = get(block, "type");
	struct ctx_span call = get(block, "functionCall");
	struct ctx_span answer = get(block, "functionResponse");

	if (ctx_json_is(type, "tool_use"))
		say_call(out, get(block, "name"), get(block, "input"));
	else if (ctx_json_is(type, "tool_result"))
		say_result(out, get(block, "content"));
	else if (call.p != NULL)
		say_call(out, get(call, "name"), get(call, "args"));
	else if (answer.p != NULL)
		say_result(out, get(get(answer, "response"), "output").p != NULL
				    ? get(get(answer, "response"), "output")
				    : get(get(answer, "response"), "error"));
	else
		say_text(out, get(block, "text"));
}

static inline char *
saying(struct ctx_span body)
{
	struct ctx_buf out = CTX_BUF_INIT;
	struct ctx_span list = get(body, "messages");
	bool begun = false;

	CTX_JSON_EACH(it, list.p != NULL ? list : get(body, "contents")) {
		struct ctx_span c = get(it.value, "content"),
				role = get(it.value, "role");
		if (!begun &&
		    (ctx_json_is(role, "system") || ctx_json_is(role, "developer")))
			continue;
		begun = true;
		if (ctx_json_is(role, "tool")) {
			say_result(&out, c);
			continue;
		}
		say_text(&out, c);
		CTX_JSON_EACH(in, c.p != NULL ? c : get(it.value, "parts"))
			say_block(&out, in.value);
		CTX_JSON_EACH(in, get(it.value, "tool_calls")) {
			struct ctx_span f = get(in.value, "function");
			say_call(&out, get(f, "name"), get(f, "arguments"));
		}
	}
	return ctx_buf_detach(&out);
}

/* Checks that the body is one line of strict JSON and obeys the rules of the provider. */
static inline const char *
check_body(const char *body, enum ctx_provider provider)
{
	static char text[1100];
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_span s = ctx_span_of(body);

	if (s.p[0] == 'E')
		return body;
	if (ctx_json_check(s, NULL, NULL, &err) < 0) {
		snprintf(text, sizeof(text), "not JSON: %s", err.msg);
		return text;
	}
	if (strchr(body, '\n') != NULL)
		return "more than one line";
	return provider == CTX_PROVIDER_OPENAI      ? check_openai(s)
	       : provider == CTX_PROVIDER_ANTHROPIC ? check_anthropic(s)
						    : check_gemini(s);
}

#endif
