#include "words/words.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"

#define TERMS_MAX 64
#define HITS_MAX 4096

struct term {
	size_t at, n; /* byte range in terms.bytes */
	bool prefix;
};

struct terms {
	struct ctx_buf bytes;
	struct term v[TERMS_MAX];
	size_t n;
};

static void
read_terms(struct terms *t, struct ctx_span query)
{
	struct ctx_words w;

	ctx_words_init(&w, query);
	while (t->n < TERMS_MAX && ctx_words_next(&w)) {
		struct term *m = &t->v[t->n++];
		m->at = t->bytes.n;
		ctx_words_fold(w.raw, &t->bytes);
		m->n = t->bytes.n - m->at;
		m->prefix = w.raw.p + w.raw.n < w.end && w.raw.p[w.raw.n] == '*';
		if (!m->prefix)
			m->n = ctx_words_stem(t->bytes.p + m->at, m->n);
		t->bytes.n = m->at + m->n;
	}
}

/* Returns the index of the query term that matches the word, or t->n. */
static size_t
find_snippet_term(const struct terms *t, struct ctx_span raw, struct ctx_buf *tmp)
{
	size_t stem;

	ctx_buf_reset(tmp);
	ctx_words_fold(raw, tmp);
	for (size_t i = 0; i < t->n; i++)
		if (t->v[i].prefix && tmp->n >= t->v[i].n &&
		    memcmp(tmp->p, t->bytes.p + t->v[i].at, t->v[i].n) == 0)
			return i;
	stem = ctx_words_stem(tmp->p, tmp->n);
	for (size_t i = 0; i < t->n; i++)
		if (!t->v[i].prefix && t->v[i].n == stem &&
		    memcmp(tmp->p, t->bytes.p + t->v[i].at, stem) == 0)
			return i;
	return t->n;
}

static size_t
find_snippet_hits(
    const struct terms *t, struct ctx_span text, struct ctx_words_found *hits, size_t max)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_words w;
	size_t n = 0;

	ctx_words_init(&w, text);
	while (t->n > 0 && n < max && ctx_words_next(&w)) {
		size_t term = find_snippet_term(t, w.raw, &tmp);
		if (term < t->n) {
			hits[n].start = (size_t)(w.raw.p - text.p);
			hits[n].end = hits[n].start + w.raw.n;
			hits[n++].term = term;
		}
	}
	ctx_buf_release(&tmp);
	return n;
}

/* Returns the first hit of the stretch, at most max bytes long, that contains the most
 * different terms. */
static size_t
best_stretch(const struct ctx_words_found *hits, size_t n, size_t max)
{
	size_t best = 0;
	int most = 0;

	for (size_t i = 0; i < n && most < TERMS_MAX; i++) {
		uint64_t set = 0;
		int count;
		for (size_t k = i;
		     k < n && k < i + TERMS_MAX && hits[k].end <= hits[i].start + max;
		     k++)
			set |= UINT64_C(1) << hits[k].term;
		count = __builtin_popcountll(set);
		if (count > most) {
			most = count;
			best = i;
		}
	}
	return best;
}

static bool
is_unsafe_char(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || c == 0x200e ||
	       c == 0x200f || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}

static void
add_clean(struct ctx_buf *out, struct ctx_span s)
{
	bool space = true; /* no space at the beginning, and no two in a row */

	for (size_t i = 0, len; i < s.n; i += len) {
		uint32_t c;
		len = ctx_utf8_decode(s.p + i, s.n - i, &c);
		if (len == 0) {
			len = 1;
			c = 0;
		}
		if (c == ' ' || is_unsafe_char(c)) {
			if (!space)
				ctx_buf_addc(out, ' ');
			space = true;
		} else {
			ctx_buf_add(out, s.p + i, len);
			space = false;
		}
	}
}

/* Returns the start of a word near at, or at itself if no word begins within reach
 * bytes. */
static size_t
word_start(struct ctx_span text, size_t at, size_t reach)
{
	size_t from = at;

	if (at == 0)
		return 0;
	for (; from < text.n && from < at + reach; from++)
		if (text.p[from] == ' ' || text.p[from] == '\n')
			return from + 1;
	return ctx_grapheme_before(text.p, text.n, at);
}

void
ctx_words_snippet(
    struct ctx_span text, struct ctx_span query, size_t max, struct ctx_buf *out)
{
	struct terms t = {.n = 0};
	struct ctx_words_found *hits = ctx_mem_new(HITS_MAX * sizeof(*hits));
	size_t n, start = 0, end = text.n;

	read_terms(&t, query);
	n = find_snippet_hits(&t, text, hits, HITS_MAX);
	if (text.n > max) {
		size_t lead = max / 4;
		if (n > 0) {
			start = hits[best_stretch(hits, n, max - lead)].start;
			start = word_start(text, start > lead ? start - lead : 0, lead);
		}
		if (start + max < text.n)
			end = ctx_grapheme_before(text.p, text.n, start + max);
	}
	if (start > 0)
		ctx_buf_adds(out, "…");
	add_clean(out, (struct ctx_span){text.p + start, end - start});
	if (end < text.n)
		ctx_buf_adds(out, "…");
	ctx_buf_release(&t.bytes);
	free(hits);
}

size_t
ctx_words_find(struct ctx_span text, struct ctx_span query, struct ctx_words_found *found,
    size_t max)
{
	struct terms t = {.n = 0};
	size_t n;

	read_terms(&t, query);
	n = find_snippet_hits(&t, text, found, max);
	ctx_buf_release(&t.bytes);
	return n;
}
