#include "entity/mention.h"

#include <utf8proc.h>

#include "base/utf8.h"

/* bytes after which the search for the start of a grapheme cluster gives up */
#define LOOK_BACK 256

static bool
is_context_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static size_t
char_at(struct ctx_span text, size_t i, uint32_t *cp)
{
	size_t len = ctx_utf8_decode(text.p + i, text.n - i, cp);

	if (len == 0) {
		*cp = 0xfffd;
		len = 1;
	}
	return len;
}

static bool
is_context_continuation(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/* Returns a position at or before i where a grapheme cluster certainly starts, or one
 * LOOK_BACK bytes before. */
static size_t
safe_start(struct ctx_span text, size_t i)
{
	size_t low = i > LOOK_BACK ? i - LOOK_BACK : 0;

	while (i > low && !(is_context_space(text.p[i]) && text.p[i] != '\n'))
		i--;
	while (i > 0 && i < text.n && is_context_continuation(text.p[i]))
		i--;
	return i;
}

/* Returns a position in [low, high] where the text may be cut: the first one if forward
 * is true, otherwise the last. A cut between words is preferred to one between grapheme
 * clusters. Returns fallback if there is neither. */
static size_t
find_context_cut(
    struct ctx_span text, size_t low, size_t high, bool forward, size_t fallback)
{
	size_t i = safe_start(text, low), word = SIZE_MAX, cluster = SIZE_MAX;
	utf8proc_int32_t state = 0;
	uint32_t cp, before = 0;
	bool started = false;

	while (i <= high) {
		size_t len = 0;
		bool edge = i >= text.n;

		if (!edge) {
			len = char_at(text, i, &cp);
			edge = !started ||
			       utf8proc_grapheme_break_stateful((utf8proc_int32_t)before,
				   (utf8proc_int32_t)cp, &state);
		}
		if (edge && i >= low && (started || i == 0)) {
			bool gap = i == 0 || i == text.n ||
				   is_context_space(text.p[i - 1]) ||
				   is_context_space(text.p[i]);

			if (cluster == SIZE_MAX || !forward)
				cluster = i;
			if (gap && (word == SIZE_MAX || !forward))
				word = i;
		}
		if (i >= text.n)
			break;
		before = cp;
		started = true;
		i += len;
	}
	return word != SIZE_MAX ? word : cluster != SIZE_MAX ? cluster : fallback;
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
