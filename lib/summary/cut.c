#include "summary/internal.h"

#include "base/grapheme.h"

static int64_t
count_cut_tokens(struct ctx_span text, struct ctx_tokenizer *t, bool tail, size_t n)
{
	return n == 0 ? 0 : ctx_tokens_text(t, tail ? text.p + text.n - n : text.p, n);
}

/* Returns the length of the longest prefix or suffix of at most n bytes that ends between
 * graphemes. */
static size_t
align_cut_length(struct ctx_span text, bool tail, size_t n)
{
	return tail && n < text.n
		   ? text.n - ctx_grapheme_after(text.p, text.n, text.n - n)
		   : ctx_grapheme_before(text.p, text.n, n);
}

static size_t
find_cut_length(struct ctx_span text, struct ctx_tokenizer *t, int64_t max, bool tail)
{
	size_t low = 0, high = 64, mid;

	if (max <= 0 || text.n == 0)
		return 0;
	while (high < text.n && count_cut_tokens(text, t, tail,
				    align_cut_length(text, tail, high)) <= max) {
		low = align_cut_length(text, tail, high);
		high *= 2;
	}
	if (high >= text.n) {
		high = text.n;
		if (count_cut_tokens(text, t, tail, text.n) <= max)
			return text.n;
	}
	while (high - low > 1) {
		mid = align_cut_length(text, tail, low + (high - low) / 2);
		if (mid > low && count_cut_tokens(text, t, tail, mid) <= max)
			low = mid;
		else
			high = low + (high - low) / 2;
	}
	return low;
}

size_t
ctx_summary_head(struct ctx_span text, struct ctx_tokenizer *t, int64_t max_tokens)
{
	return find_cut_length(text, t, max_tokens, false);
}

size_t
ctx_summary_tail(struct ctx_span text, struct ctx_tokenizer *t, int64_t max_tokens)
{
	return find_cut_length(text, t, max_tokens, true);
}
