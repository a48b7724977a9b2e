/* Longest common subsequence: the longest chain of pairs that ascends on both sides. */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "diff/diff.h"

/* A pair of equal elements, which ends a chain. */
struct pair {
	size_t a, b;
	size_t before; /* index of the previous pair of the chain, or CTX_DIFF_NONE */
};

struct matcher {
	struct pair *pairs;
	size_t n, cap;
	/* ends[i]: the pair with the lowest b that ends a chain of i + 1 pairs */
	size_t *ends;
	size_t longest;
	size_t *first;  /* for each element, the index in places of its first position */
	size_t *places; /* positions in b, sorted by element, then ascending */
	size_t *rank;   /* for each element, how often it has occurred in a so far */
};

/* Computes the positions of each element in b by counting. */
static void
index_places(struct matcher *m, const size_t *b, size_t n, size_t elements)
{
	m->first = ctx_mem_new((elements + 2) * sizeof(*m->first));
	m->places = ctx_mem_new(n * sizeof(*m->places));
	for (size_t i = 0; i < n; i++)
		m->first[b[i] + 2]++;
	for (size_t i = 2; i < elements + 2; i++)
		m->first[i] += m->first[i - 1];
	for (size_t i = 0; i < n; i++)
		m->places[m->first[b[i] + 1]++] = i;
}

static void
extend_chain(struct matcher *m, size_t a, size_t b)
{
	size_t i;

	CTX_BOUND(i, m->longest, m->pairs[m->ends[i]].b < b);
	if (i < m->longest && m->pairs[m->ends[i]].b == b)
		return;
	CTX_MEM_GROW(m->pairs, m->n, m->cap);
	m->pairs[m->n] = (struct pair){a, b, i == 0 ? CTX_DIFF_NONE : m->ends[i - 1]};
	m->ends[i] = m->n++;
	if (i == m->longest)
		m->longest++;
}

/* Tries to pair an element of a with its positions in b. The last position is tried
 * first, so that a chain never has two of them. */
static void
try_places(struct matcher *m, size_t a, size_t element)
{
	size_t first = m->first[element], n = m->first[element + 1] - first;
	size_t rank = m->rank[element]++;

	if (n > CTX_DIFF_PLACES) {
		size_t skip = rank < CTX_DIFF_PLACES / 2 ? 0 : rank - CTX_DIFF_PLACES / 2;
		if (skip > n - CTX_DIFF_PLACES)
			skip = n - CTX_DIFF_PLACES;
		first += skip;
		n = CTX_DIFF_PLACES;
	}
	while (n > 0)
		extend_chain(m, a, m->places[first + --n]);
}

static void
match_middle(const size_t *a, size_t na, const size_t *b, size_t nb, size_t elements,
    size_t offset, size_t *match)
{
	struct matcher m = {0};

	index_places(&m, b, nb, elements);
	m.ends = ctx_mem_new((na < nb ? na : nb) * sizeof(*m.ends));
	m.rank = ctx_mem_new(elements * sizeof(*m.rank));
	for (size_t i = 0; i < na; i++)
		try_places(&m, i, a[i]);
	if (m.longest > 0)
		for (size_t i = m.ends[m.longest - 1]; i != CTX_DIFF_NONE;
		     i = m.pairs[i].before)
			match[m.pairs[i].a] = m.pairs[i].b + offset;
	free(m.pairs);
	free(m.ends);
	free(m.first);
	free(m.places);
	free(m.rank);
}

void
ctx_diff_match(const size_t *a, size_t na, const size_t *b, size_t nb, size_t *match)
{
	size_t elements = na + nb, first = 0;

	for (size_t i = 0; i < na; i++)
		match[i] = CTX_DIFF_NONE;
	while (first < na && first < nb && a[first] == b[first]) {
		match[first] = first;
		first++;
	}
	while (na > first && nb > first && a[na - 1] == b[nb - 1])
		match[--na] = --nb;
	if (na > first && nb > first)
		match_middle(a + first, na - first, b + first, nb - first, elements,
		    first, match + first);
}
