#include "stats/marks.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/hash.h"
#include "base/mem.h"
#include "words/words.h"

#define WORD_MIN 3 /* bytes */

/* Sorted. Includes words that are typical of rules, because every rule has them. */
static const char *const stop_words[] = {"about", "above", "after", "again", "all",
    "also", "always", "and", "another", "answer", "any", "are", "ask", "been", "before",
    "being", "below", "between", "both", "but", "can", "could", "did", "does", "doing",
    "done", "down", "during", "each", "either", "else", "ensure", "even", "ever", "every",
    "few", "first", "follow", "following", "for", "from", "get", "give", "given", "good",
    "had", "has", "have", "hello", "help", "her", "here", "him", "his", "how", "into",
    "its", "just", "keep", "know", "last", "least", "less", "let", "like", "made", "make",
    "many", "may", "might", "more", "most", "much", "must", "need", "never", "new", "nor",
    "not", "now", "off", "okay", "once", "one", "only", "other", "our", "out", "over",
    "own", "per", "please", "question", "rather", "reference", "reply", "request", "rule",
    "said", "same", "say", "see", "she", "should", "since", "some", "still", "such",
    "sure", "take", "tell", "than", "thank", "thanks", "that", "the", "their", "them",
    "then", "there", "these", "they", "thing", "this", "those", "though", "through",
    "time", "too", "tool", "two", "under", "unless", "until", "upon", "use", "used",
    "user", "using", "very", "want", "was", "way", "well", "were", "what", "when",
    "where", "whether", "which", "while", "who", "why", "will", "with", "within",
    "without", "would", "yes", "yet", "you", "your"};

void
ctx_marks_release(struct ctx_marks *m)
{
	free(m->list);
	*m = (struct ctx_marks)CTX_MARKS_INIT;
}

void
ctx_marks_reset(struct ctx_marks *m)
{
	m->n = 0;
}

static void
add_mark_word(struct ctx_marks *m, const char *p, size_t n, bool special)
{
	uint64_t h = CTX_HASH_START;

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)p[i];
		h = ctx_hash_add(h, c >= 'A' && c <= 'Z' ? c | 32 : c);
	}
	h = ctx_hash_end(h);
	CTX_MEM_GROW(m->list, m->n, m->cap);
	m->list[m->n++] = (h & ~UINT64_C(1)) | special;
}

/* ---- words ---- */

static int
compare_mark_stop_word(const void *key, const void *word)
{
	return strcmp(key, *(const char *const *)word);
}

static bool
is_mark_stop_word(const char *word)
{
	return bsearch(word, stop_words, sizeof(stop_words) / sizeof(stop_words[0]),
		   sizeof(stop_words[0]), compare_mark_stop_word) != NULL;
}

static void
add_words(struct ctx_marks *m, struct ctx_span text)
{
	struct ctx_buf folded = CTX_BUF_INIT;
	struct ctx_words w;

	ctx_words_init(&w, text);
	while (ctx_words_next(&w)) {
		if (w.raw.n < WORD_MIN && !w.pair)
			continue;
		ctx_buf_reset(&folded);
		ctx_words_fold(w.raw, &folded);
		if (folded.n < WORD_MIN || is_mark_stop_word(folded.p))
			continue;
		folded.n = ctx_words_stem(folded.p, folded.n);
		folded.p[folded.n] = '\0';
		if (!is_mark_stop_word(folded.p))
			add_mark_word(m, folded.p, folded.n, false);
	}
	ctx_buf_release(&folded);
}

/* ---- tokens ---- */

static bool
is_mark_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_mark_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool
is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool
is_mark_separator(char c)
{
	return (unsigned char)c <= ' ' || strchr("\"'`<>()[]{},;:=|!?*", c) != NULL;
}

/* Removes punctuation at both ends of a token. */
static struct ctx_span
trim_mark_token(struct ctx_span t)
{
	while (t.n > 0 && strchr(".-_#+&%$", t.p[t.n - 1]) != NULL)
		t.n--;
	while (t.n > 1 && strchr("-#+&%$", t.p[0]) != NULL) {
		t.p++;
		t.n--;
	}
	return t;
}

struct shape {
	int digits, letters, slashes, dots; /* dots: those as in file and host names */
	bool joined;                        /* several words joined into one */
};

static struct shape
measure_mark_shape(struct ctx_span t)
{
	struct shape s = {0};

	for (size_t i = 0; i < t.n; i++) {
		char c = t.p[i], next = i + 1 < t.n ? t.p[i + 1] : ' ';
		bool inside = i > 0 && i + 1 < t.n;
		s.digits += is_mark_digit(c);
		s.letters += ctx_mark_word_char(c) && !is_mark_digit(c);
		s.slashes += c == '/';
		s.dots += c == '.' && i >= 2 && ctx_mark_word_char(t.p[i - 2]) &&
			  ctx_mark_word_char(t.p[i - 1]) && ctx_mark_word_char(next) &&
			  !is_mark_upper(next);
		s.joined |= inside && (c == '_' || c == '@' || c == '\\');
		s.joined |= is_lower(c) && is_mark_upper(next);
	}
	return s;
}

static bool
is_special(struct ctx_span t)
{
	struct shape s;

	if (t.n < 3)
		return false;
	s = measure_mark_shape(t);
	if (s.digits >= 3)
		return true;
	if (t.n < 4 || s.letters == 0)
		return false;
	return s.digits > 0 || s.joined || s.dots > 0 || s.slashes > 1 || t.p[0] == '/' ||
	       (t.p[0] == '~' && t.p[1] == '/');
}

static void
add_mark_tokens(struct ctx_marks *m, struct ctx_span text)
{
	for (size_t i = 0; i < text.n;) {
		size_t begin;
		struct ctx_span t;

		while (i < text.n && is_mark_separator(text.p[i]))
			i++;
		begin = i;
		while (i < text.n && !is_mark_separator(text.p[i]))
			i++;
		t = trim_mark_token((struct ctx_span){text.p + begin, i - begin});
		if (is_special(t))
			add_mark_word(m, t.p, t.n, true);
	}
}

void
ctx_marks_add(struct ctx_marks *m, struct ctx_span text)
{
	if (text.n == 0)
		return;
	add_words(m, text);
	add_mark_tokens(m, text);
}

/* ---- sets ---- */

void
ctx_marks_settle(struct ctx_marks *m)
{
	size_t n = 0;

	if (m->n == 0)
		return;
	qsort(m->list, m->n, sizeof(*m->list), ctx_compare_uint64);
	for (size_t i = 0; i < m->n; i++)
		if (n == 0 || m->list[i] != m->list[n - 1])
			m->list[n++] = m->list[i];
	m->n = n;
}
