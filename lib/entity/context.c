#include "entity/mention.h"

#include <stdbool.h>

#include "base/grapheme.h"

static bool
is_context_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Returns true if the text may be cut at i: at white space that no combining mark
 * follows. */
static bool
is_context_gap(struct ctx_span text, size_t i)
{
	if (i == 0 || i == text.n)
		return true;
	return (is_context_space(text.p[i - 1]) || is_context_space(text.p[i])) &&
	       ctx_grapheme_before(text.p, text.n, i) == i;
}

/* Returns a position in [low, high] where the text may be cut: the first one if forward
 * is true, otherwise the last. A cut between words is preferred to one between grapheme
 * clusters. Returns fallback if there is neither. */
static size_t
find_context_cut(
    struct ctx_span text, size_t low, size_t high, bool forward, size_t fallback)
{
	for (size_t n = 0; n <= high - low; n++)
		if (is_context_gap(text, forward ? low + n : high - n))
			return forward ? low + n : high - n;
	if (forward)
		low = ctx_grapheme_after(text.p, text.n, low);
	else
		high = ctx_grapheme_before(text.p, text.n, high);
	return low > high ? fallback : forward ? low : high;
}

void
ctx_mention_context(struct ctx_span text, size_t offset, size_t len, size_t side,
    size_t *start, size_t *end)
{
	size_t last = offset + len, low = offset > side ? offset - side : 0;
	size_t high = text.n - last > side ? last + side : text.n;

	*start = low == 0 ? 0 : find_context_cut(text, low, offset, true, offset);
	*end = high == text.n ? text.n : find_context_cut(text, last, high, false, last);
	while (*start < offset && is_context_space(text.p[*start]))
		++*start;
	while (*end > last && is_context_space(text.p[*end - 1]))
		--*end;
}
