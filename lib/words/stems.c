#include "words/stems.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/hash.h"
#include "base/mem.h"
#include "words/words.h"

/* English words that say nothing about a subject. */
static const char *const stop_words[] = {"a", "about", "all", "also", "am", "an", "and",
    "any", "are", "as", "at", "be", "been", "but", "by", "can", "could", "did", "do",
    "does", "doing", "don", "for", "from", "get", "give", "had", "has", "have", "he",
    "hello", "her", "here", "hi", "him", "his", "how", "i", "if", "in", "into", "is",
    "it", "its", "just", "let", "like", "ll", "may", "me", "more", "my", "need", "no",
    "not", "now", "of", "on", "one", "or", "our", "out", "please", "re", "s", "she",
    "should", "so", "some", "t", "than", "thank", "thanks", "that", "the", "their",
    "them", "then", "there", "these", "they", "this", "to", "too", "up", "us", "use",
    "used", "using", "ve", "very", "want", "was", "we", "were", "what", "when", "where",
    "which", "while", "who", "why", "will", "with", "without", "would", "you", "your"};

void
ctx_stems_release(struct ctx_stems *w)
{
	free(w->list);
	w->list = NULL;
	w->n = w->cap = 0;
}

static void
add_stem_word(struct ctx_stems *w, struct ctx_buf *folded, bool all)
{
	struct ctx_span word = ctx_buf_span(folded);

	if (word.n == 0 ||
	    (!all && ctx_words_listed(
			 stop_words, sizeof(stop_words) / sizeof(stop_words[0]), word)))
		return;
	CTX_MEM_GROW(w->list, w->n, w->cap);
	w->list[w->n++] = ctx_hash_bytes(0, word.p, ctx_words_stem(folded->p, word.n));
}

/* Returns the length of the word up to a capital that follows a small letter, or its
 * whole length. */
static size_t
measure_word_part(struct ctx_span word)
{
	for (size_t i = 1; i < word.n; i++) {
		char before = word.p[i - 1], c = word.p[i];
		if (before >= 'a' && before <= 'z' && c >= 'A' && c <= 'Z')
			return i;
	}
	return word.n;
}

void
ctx_stems_add(struct ctx_stems *w, struct ctx_span text, bool all)
{
	struct ctx_buf folded = CTX_BUF_INIT;
	struct ctx_words words;

	ctx_words_init(&words, text);
	while (ctx_words_next(&words)) {
		struct ctx_span left = words.raw;
		while (left.n > 0) {
			struct ctx_span part = {left.p, measure_word_part(left)};
			ctx_buf_reset(&folded);
			ctx_words_fold(part, &folded);
			add_stem_word(w, &folded, all);
			left.p += part.n;
			left.n -= part.n;
		}
	}
	ctx_buf_release(&folded);
}

void
ctx_stems_sort(struct ctx_stems *w)
{
	if (w->n > 0)
		qsort(w->list, w->n, sizeof(*w->list), ctx_compare_uint64);
}

size_t
ctx_stems_count(const struct ctx_stems *sorted, uint64_t word)
{
	const uint64_t *p, *first, *end;

	if (sorted->n == 0)
		return 0;
	p = bsearch(
	    &word, sorted->list, sorted->n, sizeof(*sorted->list), ctx_compare_uint64);
	if (p == NULL)
		return 0;
	end = sorted->list + sorted->n;
	for (first = p; first > sorted->list && first[-1] == word;)
		first--;
	while (p < end && *p == word)
		p++;
	return (size_t)(p - first);
}
