/* Changes messages: shortens or clears texts. All other bytes stay the same. */
#include "select/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "json/json.h"

/* A text of a tool result within the message. */
struct text {
	struct ctx_span json; /* the JSON string */
	int64_t tokens;
};

struct texts {
	struct text *v;
	size_t n, cap;
};

static void
collect_change_text(struct texts *list, struct ctx_span string, struct ctx_tokenizer *t)
{
	if (ctx_json_type(string) != CTX_JSON_STRING)
		return;
	CTX_MEM_GROW(list->v, list->n, list->cap);
	list->v[list->n++] = (struct text){
	    string, t == NULL ? 0 : ctx_tokens_string(t, string)};
}

static void
collect_content(struct texts *list, struct ctx_span content, struct ctx_tokenizer *t)
{
	if (ctx_json_type(content) == CTX_JSON_STRING) {
		collect_change_text(list, content, t);
	} else if (ctx_json_type(content) == CTX_JSON_ARRAY) {
		CTX_JSON_EACH(it, content)
			collect_change_text(list, ctx_json_get(it.value, "text"), t);
	}
}

void
ctx_put_cut(
    struct ctx_buf *out, struct ctx_span text, size_t head, size_t tail, const char *end)
{
	ctx_buf_add(out, text.p, head);
	ctx_buf_addf(out, "\n[... %zu of %zu characters cut ...]%s",
	    ctx_utf8_length(text.p + head, tail - head), ctx_utf8_length(text.p, text.n),
	    end);
	ctx_buf_add(out, text.p + tail, text.n - tail);
}

/* Sets out to the start and the end of text with a marker between them; keep is the number
 * of bytes of text to keep. */
static void
write_shortened_text(struct ctx_buf *out, struct ctx_span text, size_t keep)
{
	size_t head = ctx_grapheme_before(text.p, text.n, keep - keep / 3);
	size_t tail = ctx_grapheme_after(text.p, text.n, text.n - keep / 3);

	ctx_buf_reset(out);
	ctx_put_cut(out, text, head, tail < head ? head : tail, "\n");
}

/* Appends the JSON string, cut to max tokens. It is copied unchanged if cutting, with the
 * marker, saves nothing. */
static void
put_cut(struct ctx_buf *out, struct ctx_span string, int64_t max, struct ctx_tokenizer *t)
{
	struct ctx_buf tmp = CTX_BUF_INIT, cut = CTX_BUF_INIT;
	struct ctx_span text = ctx_json_text(string, &tmp);
	size_t low = 0, high = text.n, widest = (size_t)(max > 0 ? max : 0) * 16;
	size_t chars = ctx_utf8_length(text.p, text.n);

	if (high > widest)
		high = widest;
	while (low < high) { /* find the most bytes that fit */
		size_t mid = low + (high - low + 1) / 2;
		write_shortened_text(&cut, text, mid);
		/* With the marker, it must not have more characters than before
		 * either. */
		if (ctx_tokens_text(t, cut.p, cut.n) <= max &&
		    ctx_utf8_length(cut.p, cut.n) <= chars)
			low = mid;
		else
			high = mid - 1;
	}
	write_shortened_text(&cut, text, low);
	if (ctx_tokens_text(t, cut.p, cut.n) < ctx_tokens_text(t, text.p, text.n))
		ctx_json_quote(out, ctx_buf_span(&cut));
	else
		ctx_buf_addspan(out, string);
	ctx_buf_release(&cut);
	ctx_buf_release(&tmp);
}

/* Returns the common size to which the texts must shrink so that together they cost at
 * most room. */
static int64_t
find_shrunk_text_size(const struct texts *list, int64_t room)
{
	int64_t low = 0, high = room > 0 ? room : 0;

	while (low < high) {
		int64_t mid = low + (high - low + 1) / 2, sum = 0;
		for (size_t i = 0; i < list->n; i++)
			sum += list->v[i].tokens < mid ? list->v[i].tokens : mid;
		if (sum <= room)
			low = mid;
		else
			high = mid - 1;
	}
	return low;
}

/* ---- splicing ---- */

/* Appends the replacement of a JSON string. Returns false to leave the string
 * unchanged. */
typedef bool put_fn(struct ctx_buf *out, const struct text *x, void *arg);

/* Copies the message with the listed strings replaced; they are in the order of the
 * message. */
static void
splice_message_texts(struct ctx_buf *out, struct ctx_span message,
    const struct texts *list, put_fn *put, void *arg)
{
	const char *done = message.p;

	for (size_t i = 0; i < list->n; i++) {
		const struct text *x = &list->v[i];
		size_t mark = out->n;
		if (x->json.p < done) /* out of order because of a duplicate key */
			continue;
		ctx_buf_add(out, done, (size_t)(x->json.p - done));
		if (put(out, x, arg)) {
			done = x->json.p + x->json.n;
		} else {
			out->n = mark;
		}
	}
	ctx_buf_add(out, done, (size_t)(message.p + message.n - done));
}

/* Parts of a message that are collected: its texts, the texts of its tool results, or the
 * whole contents of its tool results, in any format. */
enum { TEXTS = 1, RESULTS = 2, CONTENTS = 4 };

/* ---- cutting to a number of tokens ---- */

struct to_tokens {
	int64_t each;
	struct ctx_tokenizer *t;
};

static void
collect_parts(
    struct texts *list, const struct ctx_message *m, int what, struct ctx_tokenizer *t)
{
	for (size_t i = 0; i < m->n; i++) {
		const struct ctx_part *p = &m->parts[i];
		if (p->type == CTX_PART_TEXT && (what & TEXTS))
			collect_change_text(list, p->body, t);
		if (p->type == CTX_PART_TOOL_RESULT && (what & RESULTS))
			collect_content(list, p->body, t);
		if (p->type == CTX_PART_TOOL_RESULT && (what & CONTENTS) &&
		    p->body.n > 0) {
			CTX_MEM_GROW(list->v, list->n, list->cap);
			list->v[list->n++] = (struct text){p->body, 0};
		}
	}
}

/* Copies the message; put replaces the collected parts. */
static void
change_parts(
    struct ctx_buf *out, struct ctx_span message, int what, put_fn *put, void *arg)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_err ignored;
	struct texts list = {NULL, 0, 0};

	if (ctx_message_parse(&m, message, &ignored) == 0)
		collect_parts(&list, &m, what, NULL);
	splice_message_texts(out, message, &list, put, arg);
	free(list.v);
	ctx_message_release(&m);
}

static bool
write_text_cut_to_tokens(struct ctx_buf *out, const struct text *x, void *arg)
{
	const struct to_tokens *to = arg;

	if (x->tokens <= to->each)
		return false;
	put_cut(out, x->json, to->each, to->t);
	return true;
}

void
ctx_cut_results(struct ctx_buf *out, struct ctx_span message, int64_t max_tokens,
    struct ctx_tokenizer *t)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_err ignored;
	struct texts list = {NULL, 0, 0};
	struct to_tokens to = {INT64_MAX, t};
	int64_t total = 0, room;

	if (ctx_message_parse(&m, message, &ignored) == 0) {
		collect_parts(&list, &m, RESULTS, t);
		total = ctx_tokens_message(t, &m);
	}
	room = max_tokens - total;
	for (size_t i = 0; i < list.n; i++)
		room += list.v[i].tokens;
	if (total > max_tokens)
		to.each = find_shrunk_text_size(&list, room);
	splice_message_texts(out, message, &list, write_text_cut_to_tokens, &to);
	free(list.v);
	ctx_message_release(&m);
}

/* ---- cutting to a number of characters ---- */

/* Length of the marker with two numbers of nine digits. A smaller limit would replace a
 * text with a longer one, and cut markers again. */
#define MARKER_CHARS 50

struct to_chars {
	size_t max;
	bool head_tail;
};

/* Returns the byte offset of character n. */
static size_t
offset_of(struct ctx_span text, size_t n)
{
	size_t i = 0;

	while (i < text.n && n-- > 0) {
		size_t len = ctx_utf8_decode(text.p + i, text.n - i, NULL);
		i += len == 0 ? 1 : len;
	}
	return i;
}

static void
put_head_tail(struct ctx_buf *out, struct ctx_span text, size_t chars, size_t head_chars,
    size_t tail_chars)
{
	size_t head = ctx_grapheme_before(text.p, text.n, offset_of(text, head_chars));
	size_t tail = tail_chars == 0 ? text.n
				      : ctx_grapheme_after(text.p, text.n,
					    offset_of(text, chars - tail_chars));
	struct ctx_buf cut = CTX_BUF_INIT;

	ctx_put_cut(&cut, text, head, tail, tail_chars == 0 ? "" : "\n");
	ctx_json_quote(out, ctx_buf_span(&cut));
	ctx_buf_release(&cut);
}

static bool
put_chars(struct ctx_buf *out, const struct text *x, void *arg)
{
	const struct to_chars *to = arg;
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span text = ctx_json_text(x->json, &tmp);
	size_t chars = ctx_utf8_length(text.p, text.n), room;
	bool cut = chars > to->max;

	if (cut) {
		/* The marker counts toward the limit, so that a cut text is not cut
		 * again. */
		size_t digits = (size_t)snprintf(NULL, 0, "%zu", chars);
		size_t marker = strlen("\n[...  of  characters cut ...]\n") + 2 * digits;
		room = to->max > marker ? to->max - marker : 0;
		put_head_tail(out, text, chars, to->head_tail ? room - room / 3 : room,
		    to->head_tail ? room / 3 : 0);
	}
	ctx_buf_release(&tmp);
	return cut;
}

void
ctx_truncate_texts(struct ctx_buf *out, struct ctx_span message, int64_t max_chars,
    bool results_only, bool head_tail)
{
	struct to_chars to = {
	    max_chars < MARKER_CHARS ? MARKER_CHARS : (size_t)max_chars, head_tail};

	change_parts(
	    out, message, results_only ? RESULTS : TEXTS | RESULTS, put_chars, &to);
}

/* ---- clearing tool results ---- */

static bool
put_cleared(struct ctx_buf *out, const struct text *x, void *arg CTX_UNUSED)
{
	static const char marker[] = "\"[tool result cleared]\"";

	if (x->json.n <= sizeof(marker) - 1)
		return false;
	ctx_buf_add(out, marker, sizeof(marker) - 1);
	return true;
}

void
ctx_clear_results(struct ctx_buf *out, struct ctx_span message)
{
	change_parts(out, message, CONTENTS, put_cleared, NULL);
}

/* ---- removing tool calls ---- */

static bool
says_something(const struct ctx_message *m)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	bool said = false;

	for (size_t i = 0; i < m->n && !said; i++)
		said = m->parts[i].type == CTX_PART_TEXT &&
		       ctx_span_trim(ctx_json_text(m->parts[i].body, &tmp)).n > 0;
	ctx_buf_release(&tmp);
	return said;
}

static void
put_said(struct ctx_buf *out, const struct ctx_message *m)
{
	ctx_json_put_open(out, '[');
	for (size_t i = 0; i < m->n; i++)
		if (m->parts[i].type == CTX_PART_TEXT)
			ctx_json_put_raw(out, m->parts[i].raw);
	ctx_json_put_close(out, ']');
}

bool
ctx_keep_said(struct ctx_buf *out, struct ctx_span message)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_err ignored;
	bool said = ctx_message_parse(&m, message, &ignored) == 0 && says_something(&m);

	if (said) {
		ctx_json_put_open(out, '{');
		CTX_JSON_EACH(it, message) {
			if (!CTX_JSON_IS_ANY(
				it.key, "role", "content", "name", "id", "phase"))
				continue;
			ctx_json_put_name(out, it.key);
			if (ctx_json_is(it.key, "content") &&
			    ctx_json_type(it.value) == CTX_JSON_ARRAY)
				put_said(out, &m);
			else
				ctx_buf_addspan(out, it.value);
		}
		ctx_json_put_close(out, '}');
	}
	ctx_message_release(&m);
	return said;
}

/* ---- changing texts with a function of the caller ---- */

struct by_function {
	bool (*change)(struct ctx_buf *out, struct ctx_span text, void *arg);
	void *arg;
};

static bool
put_changed(struct ctx_buf *out, const struct text *x, void *arg)
{
	const struct by_function *by = arg;
	struct ctx_buf tmp = CTX_BUF_INIT, changed = CTX_BUF_INIT;
	bool did = by->change(&changed, ctx_json_text(x->json, &tmp), by->arg);

	if (did)
		ctx_json_quote(out, ctx_buf_span(&changed));
	ctx_buf_release(&changed);
	ctx_buf_release(&tmp);
	return did;
}

void
ctx_change_results(struct ctx_buf *out, struct ctx_span message,
    bool (*change)(struct ctx_buf *out, struct ctx_span text, void *arg), void *arg)
{
	struct by_function by = {change, arg};

	change_parts(out, message, RESULTS, put_changed, &by);
}
