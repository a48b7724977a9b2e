#include "summary/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"

/* True if there is no word boundary before byte at. Letters beyond ASCII count as
 * boundaries: Chinese has no spaces around numbers. */
bool
ctx_summary_inside_word(struct ctx_span text, size_t at)
{
	return at > 0 && at < text.n && ctx_is_word(text.p[at - 1]) &&
	       ctx_is_word(text.p[at]);
}

/* Number of bytes compared at each place. Facts are shorter, except a few URLs. */
#define KEY 256

static int
compare_text_bytes(const char *a, size_t n, const char *b, size_t m)
{
	int c = memcmp(a, b, n < m ? n : m);

	return c != 0 ? c : n < m ? -1 : n > m;
}

static int
compare_span_keys(const void *a, const void *b)
{
	const struct ctx_span *x = a, *y = b;
	int c = compare_text_bytes(
	    x->p, x->n < KEY ? x->n : KEY, y->p, y->n < KEY ? y->n : KEY);

	return c != 0 ? c : x->p < y->p ? -1 : x->p > y->p;
}

/* Returns the places of text where a fact can begin, sorted by the text from there on;
 * the caller frees the array. */
static struct ctx_span *
index_places(struct ctx_span text, size_t *n)
{
	struct ctx_span *v = NULL;
	size_t cap = 0;

	*n = 0;
	for (size_t i = 0; i < text.n; i++) {
		if (ctx_summary_inside_word(text, i) ||
		    ((unsigned char)text.p[i] & 0xc0) == 0x80 ||
		    (unsigned char)text.p[i] <= ' ')
			continue;
		CTX_MEM_GROW(v, *n, cap);
		v[(*n)++] = ctx_span_from(text, i);
	}
	if (*n > 0)
		qsort(v, *n, sizeof(*v), compare_span_keys);
	return v;
}

/* Number of places with the same beginning that are examined; there may be very many. */
#define LOOKS 1000

static bool
has_kept_fact(
    struct ctx_span text, const struct ctx_span *v, size_t n, struct ctx_span fact)
{
	size_t i, key = fact.n < KEY ? fact.n : KEY;

	CTX_BOUND(i, n,
	    compare_text_bytes(v[i].p, v[i].n < KEY ? v[i].n : KEY, fact.p, key) < 0);
	for (size_t end = i + LOOKS; i < n && i < end; i++) {
		if (v[i].n < key || memcmp(v[i].p, fact.p, key) != 0)
			return false;
		if (v[i].n >= fact.n && memcmp(v[i].p, fact.p, fact.n) == 0 &&
		    !ctx_summary_inside_word(text, (size_t)(v[i].p - text.p) + fact.n))
			return true;
	}
	return false;
}

struct ctx_fact_share
ctx_summary_facts_kept(struct ctx_span text, struct ctx_span candidate)
{
	struct ctx_fact_share share = {0, 0};
	struct ctx_facts facts = CTX_FACTS_INIT;
	struct ctx_map seen = {NULL, 0, 0};
	struct ctx_span *places, fact;
	size_t n;

	ctx_summary_facts(text, &facts);
	places = index_places(candidate, &n);
	for (size_t i = 0; i < facts.n; i++) {
		fact = (struct ctx_span){text.p + facts.v[i].offset, facts.v[i].n};
		if ((*ctx_map_at(&seen, ctx_summary_hash(facts.v[i].kind, fact.p, fact.n),
			NULL, NULL))++ > 0)
			continue;
		share.facts++;
		share.kept += has_kept_fact(candidate, places, n, fact);
	}
	ctx_map_release(&seen);
	free(places);
	ctx_facts_release(&facts);
	return share;
}
