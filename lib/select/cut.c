#include "select/select.h"

#include <stdlib.h>

#include "base/grapheme.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "json/json.h"

/* A text of a tool result, within the message. */
struct text {
	struct ctx_span json; /* the JSON string */
	int64_t tokens;
};

struct texts {
	struct text *v;
	size_t n, cap;
};

static void
collect(struct texts *list, struct ctx_span string, struct ctx_tokenizer *t)
{
	if (ctx_json_type(string) != CTX_JSON_STRING)
		return;
	CTX_MEM_GROW(list->v, list->n, list->cap);
	list->v[list->n++] = (struct text){string, ctx_tokens_string(t, string)};
}

static void
collect_content(struct texts *list, struct ctx_span content, struct ctx_tokenizer *t)
{
	struct ctx_json_iter it;

	if (ctx_json_type(content) == CTX_JSON_STRING) {
		collect(list, content, t);
	} else if (ctx_json_type(content) == CTX_JSON_ARRAY) {
		ctx_json_iter_init(&it, content);
		while (ctx_json_iter_next(&it))
			collect(list, ctx_json_get(it.value, "text"), t);
	}
}

/* head and tail of text with a marker between; keep counts bytes of text. */
static void
shorten(struct ctx_buf *out, struct ctx_span text, size_t keep)
{
	size_t head = ctx_grapheme_before(text.p, text.n, keep - keep / 3);
	size_t tail = ctx_grapheme_after(text.p, text.n, text.n - keep / 3);

	if (tail < head)
		tail = head;
	ctx_buf_reset(out);
	ctx_buf_add(out, text.p, head);
	ctx_buf_addf(out, "\n[... %zu of %zu characters cut ...]\n",
	    ctx_utf8_length(text.p + head, tail - head), ctx_utf8_length(text.p, text.n));
	ctx_buf_add(out, text.p + tail, text.n - tail);
}

/* Put the JSON string cut to max tokens; as it is when a cut, with its marker, saves
 * nothing. */
static void
put_cut(struct ctx_buf *out, struct ctx_span string, int64_t max, struct ctx_tokenizer *t)
{
	struct ctx_buf tmp = CTX_BUF_INIT, cut = CTX_BUF_INIT;
	struct ctx_span text = ctx_json_text(string, &tmp);
	size_t low = 0, high = text.n, widest = (size_t)(max > 0 ? max : 0) * 16;

	if (high > widest)
		high = widest;
	while (low < high) { /* the most bytes that fit */
		size_t mid = low + (high - low + 1) / 2;
		shorten(&cut, text, mid);
		if (ctx_tokens_text(t, cut.p, cut.n) <= max)
			low = mid;
		else
			high = mid - 1;
	}
	shorten(&cut, text, low);
	if (ctx_tokens_text(t, cut.p, cut.n) < ctx_tokens_text(t, text.p, text.n)) {
		ctx_buf_addc(out, '"');
		ctx_json_escape(out, ctx_buf_span(&cut));
		ctx_buf_addc(out, '"');
	} else {
		ctx_buf_addspan(out, string);
	}
	ctx_buf_release(&cut);
	ctx_buf_release(&tmp);
}

/* The common size to which texts shrink so that together they cost at most room. */
static int64_t
level(const struct texts *list, int64_t room)
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

void
ctx_cut_results(struct ctx_buf *out, struct ctx_span message, int64_t max_tokens,
    struct ctx_tokenizer *t)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_err ignored;
	struct texts list = {NULL, 0, 0};
	const char *done = message.p;
	int64_t total, room, each;

	if (ctx_message_parse(&m, message, &ignored) == 0)
		for (size_t i = 0; i < m.n; i++)
			if (m.parts[i].type == CTX_PART_TOOL_RESULT)
				collect_content(&list, m.parts[i].body, t);
	total = ctx_tokens_message(t, &m);
	room = max_tokens - total;
	for (size_t i = 0; i < list.n; i++)
		room += list.v[i].tokens;
	each = total <= max_tokens ? INT64_MAX : level(&list, room);
	for (size_t i = 0; i < list.n; i++) {
		struct ctx_span json = list.v[i].json;
		if (list.v[i].tokens <= each || json.p < done)
			continue;
		ctx_buf_add(out, done, (size_t)(json.p - done));
		put_cut(out, json, each, t);
		done = json.p + json.n;
	}
	ctx_buf_add(out, done, (size_t)(message.p + message.n - done));
	free(list.v);
	ctx_message_release(&m);
}
