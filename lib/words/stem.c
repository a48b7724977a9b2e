/* Porter's stemmer. Steps are numbered as in the paper. */
#include "words/words.h"

#include <string.h>

struct stem {
	char *w;
	size_t n;
};

static bool
consonant(const struct stem *s, size_t i)
{
	switch (s->w[i]) {
	case 'a':
	case 'e':
	case 'i':
	case 'o':
	case 'u':
		return false;
	case 'y':
		return i == 0 || !consonant(s, i - 1);
	default:
		return true;
	}
}

/* How often vowels are followed by consonants in the first n letters: m in [C](VC)^m[V]. */
static int
measure(const struct stem *s, size_t n)
{
	size_t i = 0;
	int m = 0;

	while (i < n && consonant(s, i))
		i++;
	for (; i < n; m++) {
		while (i < n && !consonant(s, i))
			i++;
		if (i == n)
			break;
		while (i < n && consonant(s, i))
			i++;
	}
	return m;
}

static bool
has_vowel(const struct stem *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!consonant(s, i))
			return true;
	return false;
}

static bool
doubled(const struct stem *s, size_t n)
{
	return n >= 2 && s->w[n - 1] == s->w[n - 2] && consonant(s, n - 1);
}

/* consonant, vowel, consonant at the end, the last not w, x or y */
static bool
cvc(const struct stem *s, size_t n)
{
	return n >= 3 && consonant(s, n - 3) && !consonant(s, n - 2) &&
	       consonant(s, n - 1) && strchr("wxy", s->w[n - 1]) == NULL;
}

static bool
ends(const struct stem *s, const char *suffix)
{
	size_t n = strlen(suffix);

	return s->n >= n && memcmp(s->w + s->n - n, suffix, n) == 0;
}

struct rule {
	const char *suffix, *put;
};

/* The first rule whose suffix fits decides; it applies when the rest has measure > min. */
static void
apply(struct stem *s, const struct rule *r, size_t n, int min)
{
	for (size_t i = 0; i < n; i++) {
		size_t rest;
		if (!ends(s, r[i].suffix))
			continue;
		rest = s->n - strlen(r[i].suffix);
		if (measure(s, rest) > min) {
			memcpy(s->w + rest, r[i].put, strlen(r[i].put));
			s->n = rest + strlen(r[i].put);
		}
		return;
	}
}

static void
step1(struct stem *s)
{
	bool cut = false;

	if (ends(s, "sses") || ends(s, "ies"))
		s->n -= 2;
	else if (ends(s, "s") && !ends(s, "ss"))
		s->n--;
	if (ends(s, "eed")) {
		if (measure(s, s->n - 3) > 0)
			s->n--;
	} else if (ends(s, "ed") && has_vowel(s, s->n - 2)) {
		s->n -= 2;
		cut = true;
	} else if (ends(s, "ing") && has_vowel(s, s->n - 3)) {
		s->n -= 3;
		cut = true;
	}
	if (cut) {
		if (ends(s, "at") || ends(s, "bl") || ends(s, "iz"))
			s->w[s->n++] = 'e';
		else if (doubled(s, s->n) && strchr("lsz", s->w[s->n - 1]) == NULL)
			s->n--;
		else if (measure(s, s->n) == 1 && cvc(s, s->n))
			s->w[s->n++] = 'e';
	}
	if (ends(s, "y") && has_vowel(s, s->n - 1))
		s->w[s->n - 1] = 'i';
}

static void
step4(struct stem *s)
{
	static const char *const suffixes[] = {"ement", "ance", "ence", "able", "ible",
	    "ment", "ant", "ent", "ion", "ism", "ate", "iti", "ous", "ive", "ize", "al",
	    "er", "ic", "ou"};

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t rest;
		if (!ends(s, suffixes[i]))
			continue;
		rest = s->n - strlen(suffixes[i]);
		if (measure(s, rest) > 1 &&
		    (strcmp(suffixes[i], "ion") != 0 ||
			(rest > 0 && strchr("st", s->w[rest - 1]) != NULL)))
			s->n = rest;
		return;
	}
}

static void
step5(struct stem *s)
{
	if (ends(s, "e")) {
		int m = measure(s, s->n - 1);
		if (m > 1 || (m == 1 && !cvc(s, s->n - 1)))
			s->n--;
	}
	if (ends(s, "ll") && measure(s, s->n) > 1)
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
	step1(&s);
	apply(&s, step2, sizeof(step2) / sizeof(step2[0]), 0);
	apply(&s, step3, sizeof(step3) / sizeof(step3[0]), 0);
	step4(&s);
	step5(&s);
	return s.n;
}
