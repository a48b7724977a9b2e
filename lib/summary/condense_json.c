#include "summary/internal.h"

#include "base/utf8.h"
#include "json/json.h"

/* How much is shown, from the most to the least. */
static const struct level {
	/* elements of an array, keys of an object, bytes of a string */
	size_t elements, keys, string;
	int depth;
} levels[] = {
    {20, 200, 1000, 16},
    {8, 100, 300, 12},
    {4, 60, 160, 10},
    {3, 40, 80, 8},
    {2, 30, 40, 6},
    {1, 24, 24, 5},
    {1, 16, 16, 4},
    {1, 12, 12, 3},
    {1, 8, 8, 2},
    {0, 8, 0, 1},
};

static void
put_marker(struct ctx_buf *out, const char *fmt, size_t n, size_t of)
{
	struct ctx_buf b = CTX_BUF_INIT;

	ctx_buf_addf(&b, fmt, n, of);
	ctx_json_put_string(out, ctx_buf_span(&b));
	ctx_buf_release(&b);
}

static void
put_condensed_string(struct ctx_buf *out, struct ctx_span value, size_t max)
{
	struct ctx_buf tmp = CTX_BUF_INIT, cut = CTX_BUF_INIT;
	struct ctx_span text = ctx_json_text(value, &tmp);
	size_t n = ctx_grapheme_before(text.p, text.n, max);

	ctx_buf_add(&cut, text.p, n);
	ctx_buf_addf(&cut, "[… %zu bytes left out]", text.n - n);
	if (text.n <= max || cut.n >= text.n)
		ctx_json_put_raw(out, value);
	else
		ctx_json_put_string(out, ctx_buf_span(&cut));
	ctx_buf_release(&cut);
	ctx_buf_release(&tmp);
}

static void put_condensed_json(
    struct ctx_buf *out, struct ctx_span value, const struct level *l, int depth);

static void
put_condensed_members(
    struct ctx_buf *out, struct ctx_span value, const struct level *l, int depth)
{
	bool object = ctx_json_type(value) == CTX_JSON_OBJECT;
	size_t n = 0, all = ctx_json_count(value), max = object ? l->keys : l->elements;

	ctx_json_put_open(out, object ? '{' : '[');
	CTX_JSON_EACH_WHILE(n < max, it, value) {
		if (object) {
			put_condensed_string(
			    out, it.key, l->string < 64 ? 64 : l->string);
			ctx_buf_addc(out, ':');
		}
		put_condensed_json(out, it.value, l, depth + 1);
		n++;
	}
	if (n < all && object) {
		ctx_json_put_string(out, ctx_span_of("…"));
		ctx_buf_addc(out, ':');
	}
	if (n < all)
		put_marker(out,
		    object ? "[… %zu of %zu keys left out]"
			   : "[… %zu of %zu elements left out]",
		    all - n, all);
	ctx_json_put_close(out, object ? '}' : ']');
}

static void
put_condensed_json(
    struct ctx_buf *out, struct ctx_span value, const struct level *l, int depth)
{
	enum ctx_json_type type = ctx_json_type(value);
	size_t n;

	if (type == CTX_JSON_STRING) {
		put_condensed_string(out, value, l->string);
	} else if (type != CTX_JSON_ARRAY && type != CTX_JSON_OBJECT) {
		ctx_json_put_raw(out, value);
	} else if (depth >= l->depth && (n = ctx_json_count(value)) > 0) {
		put_marker(out,
		    type == CTX_JSON_ARRAY ? "[… %zu elements left out]"
					   : "{… %zu keys left out}",
		    n, n);
	} else {
		put_condensed_members(out, value, l, depth);
	}
}

bool
ctx_summary_condense_json(
    struct ctx_buf *out, struct ctx_span text, struct ctx_tokenizer *t, int64_t max)
{
	struct ctx_buf b = CTX_BUF_INIT;
	bool fits = false;

	text = ctx_span_trim(text);
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]) && !fits; i++) {
		ctx_buf_reset(&b);
		put_condensed_json(&b, text, &levels[i], 0);
		fits = ctx_tokens_text(t, b.p, b.n) <= max;
	}
	if (fits)
		ctx_buf_add(out, b.p, b.n);
	ctx_buf_release(&b);
	return fits;
}
