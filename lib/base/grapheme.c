#include "base/grapheme.h"

#include <stdint.h>
#include <utf8proc.h>

#include "base/utf8.h"

#define LOOK_BACK 4096 /* bytes; clusters in real text are shorter */

/* Returns a position at or before at from which boundaries can be computed: every ASCII
 * character except LF begins a cluster. */
static size_t
clean_start(const char *p, size_t at)
{
	size_t low = at > LOOK_BACK ? at - LOOK_BACK : 0, i = at;

	while (i > low && !((unsigned char)p[i] < 0x80 && p[i] != '\n'))
		i--;
	while (i > 0 && ((unsigned char)p[i] & 0xc0) == 0x80)
		i--;
	return i;
}

/* Finds the boundaries around at: *before <= at <= *after. */
static void
find_grapheme_borders(const char *p, size_t n, size_t at, size_t *before, size_t *after)
{
	utf8proc_int32_t state = 0;
	uint32_t prev = 0xfffd, cp;
	size_t i, len;

	if (at >= n) {
		*before = *after = n;
		return;
	}
	i = clean_start(p, at > 0 ? at - 1 : 0);
	*before = i;
	len = ctx_utf8_decode(p + i, n - i, &prev);
	for (i += len > 0 ? len : 1; i < n; i += len, prev = cp) {
		len = ctx_utf8_decode(p + i, n - i, &cp);
		if (len == 0) {
			cp = 0xfffd;
			len = 1;
		}
		if (!utf8proc_grapheme_break_stateful(
			(utf8proc_int32_t)prev, (utf8proc_int32_t)cp, &state))
			continue;
		if (i <= at)
			*before = i;
		if (i >= at) {
			*after = i;
			return;
		}
	}
	*after = n;
}

size_t
ctx_grapheme_before(const char *p, size_t n, size_t at)
{
	size_t before, after;

	find_grapheme_borders(p, n, at, &before, &after);
	return at == 0 ? 0 : before;
}

size_t
ctx_grapheme_after(const char *p, size_t n, size_t at)
{
	size_t before, after;

	find_grapheme_borders(p, n, at, &before, &after);
	return at == 0 ? 0 : after;
}
