/* The longest common subsequence, against the quadratic one. */
#include "test.h"

#include <stdlib.h>

#include "diff/diff.h"
#include "random.h"

#define ROUNDS 5000
#define LENGTH 40
#define LONG 20000

/* The length of a longest common subsequence, by the table. */
static size_t
count_common(const size_t *a, size_t na, const size_t *b, size_t nb)
{
	size_t row[LENGTH + 1] = {0};

	for (size_t i = 0; i < na; i++) {
		size_t corner = 0;
		for (size_t j = 0; j < nb; j++) {
			size_t above = row[j + 1];
			row[j + 1] = a[i] == b[j]     ? corner + 1
				     : above > row[j] ? above
						      : row[j];
			corner = above;
		}
	}
	return row[nb];
}

/* The number of pairs, or SIZE_MAX if they are not a common subsequence. */
static size_t
count_pairs(const size_t *a, size_t na, const size_t *b, size_t nb, const size_t *match)
{
	size_t n = 0, next = 0;

	for (size_t i = 0; i < na; i++) {
		if (match[i] == CTX_DIFF_NONE)
			continue;
		if (match[i] < next || match[i] >= nb || a[i] != b[match[i]])
			return SIZE_MAX;
		next = match[i] + 1;
		n++;
	}
	return n;
}

static void
finds_a_longest(void)
{
	for (int round = 0; round < ROUNDS; round++) {
		size_t a[LENGTH], b[LENGTH], match[LENGTH];
		size_t na = random_below(LENGTH), nb = random_below(LENGTH);
		size_t kinds = na + nb == 0 ? 1 : 1 + random_below((unsigned)(na + nb));
		bool few = true; /* no element more often than is tried */
		size_t pairs;
		for (size_t i = 0; i < na; i++)
			a[i] = random_below((unsigned)kinds);
		for (size_t i = 0; i < nb; i++)
			b[i] = random_below((unsigned)kinds);
		few = nb <= CTX_DIFF_PLACES || kinds > 4;
		ctx_diff_match(a, na, b, nb, match);
		pairs = count_pairs(a, na, b, nb, match);
		CHECK(pairs != SIZE_MAX);
		CHECK(!few || pairs == count_common(a, na, b, nb));
	}
}

/* The same message many times, and one list the other reversed: neither takes long. */
static void
bears_the_worst(void)
{
	size_t *a = calloc(LONG, sizeof(*a)), *b = calloc(LONG, sizeof(*b));
	size_t *match = calloc(LONG, sizeof(*match));

	a[0] = b[LONG - 1] = 1;
	ctx_diff_match(a, LONG, b, LONG, match);
	CHECK_INT(count_pairs(a, LONG, b, LONG, match), LONG - 1);
	for (size_t i = 0; i < LONG; i++)
		a[i] = b[LONG - 1 - i] = i;
	ctx_diff_match(a, LONG, b, LONG, match);
	CHECK_INT(count_pairs(a, LONG, b, LONG, match), 1);
	free(a);
	free(b);
	free(match);
}

int
main(void)
{
	RUN(finds_a_longest);
	RUN(bears_the_worst);
	return TEST_END();
}
