/* Porter's stemmer. The steps have the numbers of the paper. */
#include "words/words.h"

#include <string.h>

struct stem {
	char *w;
	size_t n;
};

static bool
is_stem_consonant(const struct stem *s, size_t i)
{
	switch (s->w[i]) {
	case 'a':
	case 'e':
	case 'i':
	case 'o':
	case 'u':
		return false;
	case 'y':
		return i == 0 || !is_stem_consonant(s, i - 1);
	default:
		return true;
	}
}

/* Returns how often a vowel is followed by a consonant in the first n letters: m in
 * [C](VC)^m[V]. */
static int
measure_stem(const struct stem *s, size_t n)
{
	size_t i = 0;
	int m = 0;

	while (i < n && is_stem_consonant(s, i))
		i++;
	for (; i < n; m++) {
		while (i < n && !is_stem_consonant(s, i))
			i++;
		if (i == n)
			break;
		while (i < n && is_stem_consonant(s, i))
			i++;
	}
	return m;
}

static bool
has_vowel(const struct stem *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!is_stem_consonant(s, i))
			return true;
	return false;
}

static bool
has_doubled_consonant(const struct stem *s, size_t n)
{
	return n >= 2 && s->w[n - 1] == s->w[n - 2] && is_stem_consonant(s, n - 1);
}

/* Returns true if the word ends in consonant, vowel, consonant, and the last is not w, x
 * or y. */
static bool
has_cvc_ending(const struct stem *s, size_t n)
{
	return n >= 3 && is_stem_consonant(s, n - 3) && !is_stem_consonant(s, n - 2) &&
	       is_stem_consonant(s, n - 1) && strchr("wxy", s->w[n - 1]) == NULL;
}

static bool
has_stem_suffix(const struct stem *s, const char *suffix)
{
	size_t n = strlen(suffix);

	return s->n >= n && memcmp(s->w + s->n - n, suffix, n) == 0;
}

struct rule {
	const char *suffix, *put;
};

/* Applies the first rule whose suffix matches, provided that the rest has measure >
 * min. */
static void
apply_stem_rules(struct stem *s, const struct rule *r, size_t n, int min)
{
	for (size_t i = 0; i < n; i++) {
		size_t rest;
		if (!has_stem_suffix(s, r[i].suffix))
			continue;
		rest = s->n - strlen(r[i].suffix);
		if (measure_stem(s, rest) > min) {
			memcpy(s->w + rest, r[i].put, strlen(r[i].put));
			s->n = rest + strlen(r[i].put);
		}
		return;
	}
}

static void
remove_inflections(struct stem *s)
{
	bool cut = false;

	if (has_stem_suffix(s, "sses") || has_stem_suffix(s, "ies"))
		s->n -= 2;
	else if (has_stem_suffix(s, "s") && !has_stem_suffix(s, "ss"))
		s->n--;
	if (has_stem_suffix(s, "eed")) {
		if (measure_stem(s, s->n - 3) > 0)
			s->n--;
	} else if (has_stem_suffix(s, "ed") && has_vowel(s, s->n - 2)) {
		s->n -= 2;
		cut = true;
	} else if (has_stem_suffix(s, "ing") && has_vowel(s, s->n - 3)) {
		s->n -= 3;
		cut = true;
	}
	if (cut) {
		if (has_stem_suffix(s, "at") || has_stem_suffix(s, "bl") ||
		    has_stem_suffix(s, "iz"))
			s->w[s->n++] = 'e';
		else if (has_doubled_consonant(s, s->n) &&
			 strchr("lsz", s->w[s->n - 1]) == NULL)
			s->n--;
		else if (measure_stem(s, s->n) == 1 && has_cvc_ending(s, s->n))
			s->w[s->n++] = 'e';
	}
	if (has_stem_suffix(s, "y") && has_vowel(s, s->n - 1))
		s->w[s->n - 1] = 'i';
}

static void
remove_derived_suffix(struct stem *s)
{
	size_t
	    n = ctx_span_ends_any((struct ctx_span){s->w, s->n},
		"ement|ance|ence|able|ible|ment|ant|ent|ion|ism|ate|iti|ous|ive|ize|al|"
		"er|ic|ou"),
	    rest = s->n - n;

	if (n > 0 && measure_stem(s, rest) > 1 &&
	    (!has_stem_suffix(s, "ion") ||
		(rest > 0 && strchr("st", s->w[rest - 1]) != NULL)))
		s->n = rest;
}

static void
remove_final_letters(struct stem *s)
{
	if (has_stem_suffix(s, "e")) {
		int m = measure_stem(s, s->n - 1);
		if (m > 1 || (m == 1 && !has_cvc_ending(s, s->n - 1)))
			s->n--;
	}
	if (has_stem_suffix(s, "ll") && measure_stem(s, s->n) > 1)
		s->n--;
}

size_t
ctx_words_stem(char *word, size_t n)
{
	static const struct rule step2[] = {{"ational", "ate"}, {"ization", "ize"},
	    {"iveness", "ive"}, {"fulness", "ful"}, {"ousness", "ous"},
	    {"tional", "tion"}, {"biliti", "ble"}, {"entli", "ent"}, {"ousli", "ous"},
	    {"ation", "ate"}, {"alism", "al"}, {"aliti", "al"}, {"iviti", "ive"},
	    {"enci", "ence"}, {"anci", "ance"}, {"izer", "ize"}, {"abli", "able"},
	    {"alli", "al"}, {"ator", "ate"}, {"eli", "e"}};
	static const struct rule step3[] = {{"icate", "ic"}, {"ative", ""},
	    {"alize", "al"}, {"iciti", "ic"}, {"ical", "ic"}, {"ness", ""}, {"ful", ""}};
	struct stem s = {word, n};

	for (size_t i = 0; i < n; i++)
		if (word[i] < 'a' || word[i] > 'z')
			return n;
	if (n < 3)
		return n;
	remove_inflections(&s);
	apply_stem_rules(&s, step2, sizeof(step2) / sizeof(step2[0]), 0);
	apply_stem_rules(&s, step3, sizeof(step3) / sizeof(step3[0]), 0);
	remove_derived_suffix(&s);
	remove_final_letters(&s);
	return s.n;
}
