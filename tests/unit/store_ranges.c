/* Looking for messages among hidden ranges and pins, against looking at each. */
#include "test.h"

#include "random.h"
#include "store/store.h"

#define MOST 40

static size_t
make(struct ctx_seq_range ranges[], int64_t *end)
{
	size_t n = random_below(MOST);
	int64_t at = 0;

	for (size_t i = 0; i < n; i++) {
		ranges[i].first = at + 1 + (int64_t)random_below(3);
		ranges[i].last = ranges[i].first + (int64_t)random_below(4);
		at = ranges[i].last;
	}
	*end = at + 3;
	return n;
}

static void
ranges_are_found(void)
{
	struct ctx_seq_range ranges[MOST];
	int64_t end;

	for (int run = 0; run < 2000; run++) {
		size_t n = make(ranges, &end), from = 0;
		for (int64_t seq = 0; seq <= end; seq++) {
			const struct ctx_seq_range *at = ctx_seq_range_at(ranges, n, seq);
			while (from < n && ranges[from].last < seq)
				from++;
			CHECK_INT(ctx_seq_range_from(ranges, n, seq), from);
			CHECK(at == (from < n && ranges[from].first <= seq ? &ranges[from]
									   : NULL));
		}
	}
}

static void
numbers_are_found(void)
{
	struct ctx_seq_range ranges[MOST];
	int64_t seqs[MOST], end;

	for (int run = 0; run < 2000; run++) {
		size_t n = make(ranges, &end), next = 0;
		for (size_t i = 0; i < n; i++)
			seqs[i] = ranges[i].first;
		for (int64_t seq = 0; seq <= end; seq++) {
			bool is = next < n && seqs[next] == seq;
			CHECK(ctx_seq_among(seqs, n, seq) == is);
			next += is;
		}
	}
}

int
main(void)
{
	RUN(ranges_are_found);
	RUN(numbers_are_found);
	return TEST_END();
}
