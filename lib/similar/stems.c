#include "similar/stems.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "entity/fold.h"

/* Words of English that say nothing about a subject. */
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

static int
compare_stem_stop_word(const void *key, const void *word)
{
	const struct ctx_span *k = key;
	const char *s = *(const char *const *)word;
	int c = strncmp(k->p, s, k->n);

	return c != 0 ? c : -(s[k->n] != '\0');
}

static bool
has_word_ending(const struct ctx_span *s, const char *with, size_t stem_min)
{
	size_t n = strlen(with);

	return s->n >= n + stem_min && memcmp(s->p + s->n - n, with, n) == 0;
}

/* Cut the usual endings, so that creates, created, creating and create are one. The
 * stem need not be a word. */
static struct ctx_span
cut_word_endings(struct ctx_span s)
{
	for (size_t i = 0; i < s.n; i++) {
		if ((unsigned char)s.p[i] >= 0x80)
			return s;
	}
	if (has_word_ending(&s, "ies", 3))
		s.n -= 2;
	else if (has_word_ending(&s, "sses", 1) || has_word_ending(&s, "xes", 2) ||
		 has_word_ending(&s, "ches", 2) || has_word_ending(&s, "shes", 2))
		s.n -= 2;
	else if (has_word_ending(&s, "s", 3) && !has_word_ending(&s, "ss", 1) &&
		 !has_word_ending(&s, "us", 1) && !has_word_ending(&s, "is", 1))
		s.n -= 1;
	if (has_word_ending(&s, "ing", 3))
		s.n -= 3;
	else if (has_word_ending(&s, "ed", 3))
		s.n -= 2;
	else if (has_word_ending(&s, "ly", 4))
		s.n -= 2;
	else if (has_word_ending(&s, "ation", 4))
		s.n -= 3; /* validation, validate: validat */
	if (s.n > 3 && s.p[s.n - 1] == s.p[s.n - 2] &&
	    strchr("bdgmnprt", s.p[s.n - 1]) != NULL)
		s.n--;
	if (s.n > 3 && s.p[s.n - 1] == 'e')
		s.n--;
	else if (s.n > 3 && s.p[s.n - 1] == 'y')
		s.n--;
	if (s.n > 3 && s.p[s.n - 1] == 'i') /* query, queries */
		s.n--;
	return s;
}

static bool
is_stem_stop_word(struct ctx_span word)
{
	return bsearch(&word, stop_words, sizeof(stop_words) / sizeof(stop_words[0]),
		   sizeof(stop_words[0]), compare_stem_stop_word) != NULL;
}

static void
add_stem_word(struct ctx_stems *w, struct ctx_span word, bool all)
{
	if (word.n == 0 || (!all && is_stem_stop_word(word)))
		return;
	word = cut_word_endings(word);
	CTX_MEM_GROW(w->list, w->n, w->cap);
	w->list[w->n++] = ctx_hash_bytes(0, word.p, word.n);
}

/* Where a part of the word at at ends: before '_' or a capital behind a small letter. */
static size_t
part_end(struct ctx_span text, size_t at, size_t end)
{
	size_t i = at;

	while (i < end && text.p[i] != '_') {
		char b = text.p[i], c = i + 1 < end ? text.p[i + 1] : '_';

		i++;
		if (b >= 'a' && b <= 'z' && c >= 'A' && c <= 'Z')
			break;
	}
	return i;
}

void
ctx_stems_add(struct ctx_stems *w, struct ctx_span text, bool all)
{
	struct ctx_buf tmp = CTX_BUF_INIT, folded = CTX_BUF_INIT;

	for (size_t at = 0; at < text.n;) {
		struct ctx_token t = ctx_fold_token(text, at, 0, &tmp), part = t;
		char c = text.p[at];
		bool word = (c & 0x80) != 0 || (c >= '0' && c <= '9') || c == '_' ||
			    ((c | 32) >= 'a' && (c | 32) <= 'z');

		for (size_t i = at; word && !t.space && i < t.end; i = part.end) {
			part.offset = i;
			part.end = part_end(text, i, t.end);
			ctx_buf_reset(&folded);
			if (part.end > i)
				ctx_fold_add(text, &part, &folded);
			else
				part.end++; /* the '_' */
			add_stem_word(w, ctx_buf_span(&folded), all);
		}
		at = t.end;
	}
	ctx_buf_release(&tmp);
	ctx_buf_release(&folded);
}

static int
compare_stem_hashes(const void *pa, const void *pb)
{
	const uint64_t *a = pa, *b = pb;

	return *a < *b ? -1 : *a > *b;
}

void
ctx_stems_sort(struct ctx_stems *w)
{
	if (w->n > 0)
		qsort(w->list, w->n, sizeof(*w->list), compare_stem_hashes);
}

size_t
ctx_stems_count(const struct ctx_stems *sorted, uint64_t word)
{
	const uint64_t *p, *first, *end;

	if (sorted->n == 0)
		return 0;
	p = bsearch(
	    &word, sorted->list, sorted->n, sizeof(*sorted->list), compare_stem_hashes);
	if (p == NULL)
		return 0;
	end = sorted->list + sorted->n;
	for (first = p; first > sorted->list && first[-1] == word;)
		first--;
	while (p < end && *p == word)
		p++;
	return (size_t)(p - first);
}
