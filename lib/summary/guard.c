#include "summary/internal.h"

#include <string.h>
#include <unictype.h>

#include "base/utf8.h"

static bool
has_visible_char(struct ctx_span text)
{
	uint32_t c;
	size_t n;

	for (size_t i = 0; i < text.n; i += n) {
		n = ctx_utf8_decode(text.p + i, text.n - i, &c);
		if (!uc_is_general_category_withtable(
			c, UC_CATEGORY_MASK_Z | UC_CATEGORY_MASK_C | UC_CATEGORY_MASK_M))
			return true;
	}
	return false;
}

bool
ctx_summary_contains(struct ctx_span text, struct ctx_span part)
{
	const char *end = text.p + text.n, *p = text.p;

	while ((size_t)(end - p) >= part.n &&
	       (p = memchr(p, part.p[0], (size_t)(end - p) - part.n + 1)) != NULL) {
		size_t at = (size_t)(p - text.p);
		if (memcmp(p, part.p, part.n) == 0 &&
		    !ctx_summary_inside_word(text, at) &&
		    !ctx_summary_inside_word(text, at + part.n))
			return true;
		p++;
	}
	return false;
}

bool
ctx_summary_contains_any(struct ctx_span text, const char *list)
{
	struct ctx_span part;

	while (ctx_list_next(&list, &part))
		if (ctx_summary_contains(text, part))
			return true;
	return false;
}

enum ctx_summary_verdict
ctx_summary_check(
    struct ctx_span candidate, const struct ctx_summary_guard *g, struct ctx_err *why)
{
	size_t valid = ctx_utf8_valid(candidate.p, candidate.n);
	int64_t tokens;

	if (valid < candidate.n) {
		ctx_err_set(why, CTX_EANSWER,
		    "the summary is not valid UTF-8 at byte %zu", valid + 1);
		return CTX_SUMMARY_NOT_UTF8;
	}
	if (!has_visible_char(candidate)) {
		ctx_err_set(why, CTX_EANSWER, "the summary is empty");
		return CTX_SUMMARY_EMPTY;
	}
	tokens = ctx_tokens_text(g->tokenizer, candidate.p, candidate.n);
	if (tokens > g->replaces) {
		ctx_err_set(why, CTX_EANSWER,
		    "the summary has %lld tokens, more than the %lld tokens that it replaces",
		    (long long)tokens, (long long)g->replaces);
		return CTX_SUMMARY_TOO_LONG;
	}
	for (size_t i = 0; i < g->n_required; i++) {
		struct ctx_span r = ctx_span_trim(g->required[i]);
		if (r.n == 0 || ctx_summary_contains(candidate, r))
			continue;
		ctx_err_set(why, CTX_EANSWER, "the summary does not contain '%.*s'",
		    (int)ctx_grapheme_before(r.p, r.n, 200), r.p);
		return CTX_SUMMARY_MISSES;
	}
	return CTX_SUMMARY_GOOD;
}

void
ctx_summary_truncate(struct ctx_buf *out, const struct ctx_summary_input *in,
    struct ctx_tokenizer *t, int64_t max_tokens)
{
	struct ctx_buf text = CTX_BUF_INIT;

	ctx_summary_input_text(in, &text);
	if (text.n > 0)
		text.n--; /* the last newline */
	ctx_summary_condense_text(out, ctx_buf_span(&text), t, max_tokens);
	ctx_buf_release(&text);
}
