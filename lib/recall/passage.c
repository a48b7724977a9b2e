/* Splits a long message into passages. */
#include <string.h>

#include "base/utf8.h"
#include "recall/internal.h"

#define WHOLE_MAX 600 /* bytes; a message up to this length is one passage */
#define PASSAGE_MIN 300
#define PASSAGE_MAX 400

/* Returns the length in bytes of the end of a sentence at p: its punctuation and the space
 * after the punctuation. Returns 0 if no sentence ends at p. */
static size_t
match_passage_sentence_end(const char *p, size_t n)
{
	if (*p == '\n')
		return 1;
	if ((*p == '.' || *p == '!' || *p == '?') && n > 1 &&
	    (p[1] == ' ' || p[1] == '\n'))
		return 2;
	return (unsigned char)*p < 0x80
		   ? 0
		   : ctx_span_begins_any((struct ctx_span){p, n}, "。|！|？");
}

size_t
ctx_recall_cut(struct ctx_span text, size_t from)
{
	size_t left = text.n - from, last = 0, at;

	if (left < PASSAGE_MIN + PASSAGE_MAX && (from > 0 || left <= WHOLE_MAX))
		return text.n;
	for (at = PASSAGE_MIN; at < PASSAGE_MAX; at++) {
		size_t end = match_passage_sentence_end(text.p + from + at, left - at);
		if (end > 0)
			return from + at + end;
		if (text.p[from + at] == ' ')
			last = at + 1;
	}
	if (last > 0)
		return from + last;
	for (at = from + PASSAGE_MAX; (text.p[at] & 0xc0) == 0x80 && at + 1 < text.n;
	     at++)
		;
	return at;
}
