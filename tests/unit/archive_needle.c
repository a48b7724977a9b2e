/* Needles: what was removed is found wherever it stands, and nothing else is. */
#include "archive/needle.h"

#include <stdlib.h>

#include "base/mem.h"
#include "random.h"
#include "test.h"

static struct ctx_span
random_text(char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (char)('a' + random_below(26));
	return (struct ctx_span){p, n};
}

static struct ctx_needle_counts
counts_of(const struct ctx_needles *n)
{
	struct ctx_needle_counts c;

	ctx_needles_count(n, &c);
	return c;
}

static void
found_wherever_it_stands(void)
{
	static char file[20000], text[3000];

	for (int round = 0; round < 200; round++) {
		struct ctx_needles *n = ctx_needles_new();
		struct ctx_needle_scan scan = {0};
		size_t size = CTX_NEEDLE_BYTES + random_below(2900),
		       at = random_below(17000), done = 0;

		random_text(file, sizeof(file));
		ctx_needles_add(n, random_text(text, size));
		ctx_needles_feed(n, &scan, file, sizeof(file), CTX_NEEDLE_FOUND);
		CHECK_INT(counts_of(n).survivors, 0);
		memcpy(file + at, text, size);
		memset(&scan, 0, sizeof(scan));
		while (done < sizeof(file)) { /* in pieces of any size */
			size_t piece = 1 + random_below(5000);
			if (piece > sizeof(file) - done)
				piece = sizeof(file) - done;
			ctx_needles_feed(n, &scan, file + done, piece, CTX_NEEDLE_FOUND);
			done += piece;
		}
		CHECK_INT(counts_of(n).survivors, counts_of(n).needles);
		ctx_needles_free(n);
	}
}

static void
a_part_that_is_left_is_found(void)
{
	static char text[4096];
	struct ctx_needles *n = ctx_needles_new();
	struct ctx_needle_scan scan = {0};

	ctx_needles_add(n, random_text(text, sizeof(text)));
	ctx_needles_feed(n, &scan, text + 1000, 1200, CTX_NEEDLE_FOUND);
	CHECK(counts_of(n).survivors > 0);
	CHECK(counts_of(n).survivors < counts_of(n).needles);
	ctx_needles_free(n);
}

static void
shared_texts_are_no_survivors(void)
{
	struct ctx_needles *n = ctx_needles_new();
	struct ctx_needle_scan a = {0}, b = {0};
	struct ctx_span kept = ctx_span_of(
	    "{\"role\":\"user\",\"content\":\"a text that both sessions have\"}");
	struct ctx_span gone = ctx_span_of(
	    "{\"role\":\"user\",\"content\":\"a text that only one of them had\"}");

	ctx_needles_add(n, kept);
	ctx_needles_add(n, gone);
	ctx_needles_add(n, ctx_span_of("{\"role\":\"user\"}"));
	ctx_needles_feed(n, &a, kept.p, kept.n, CTX_NEEDLE_FOUND);
	CHECK(counts_of(n).survivors > 0);
	ctx_needles_feed(n, &b, kept.p, kept.n, CTX_NEEDLE_SHARED);
	CHECK_INT(counts_of(n).survivors, 0);
	CHECK(counts_of(n).shared > 0);
	ctx_needles_feed(n, &a, gone.p, gone.n, CTX_NEEDLE_FOUND);
	CHECK(counts_of(n).survivors > 0);
	ctx_needles_unflag(n, CTX_NEEDLE_FOUND);
	CHECK_INT(counts_of(n).survivors, 0);
	CHECK_INT(counts_of(n).texts, 3);
	CHECK_INT(counts_of(n).too_short, 1);
	ctx_needles_free(n);
}

static void
memory_is_bounded_and_some_are_kept(void)
{
	struct ctx_needles *n = ctx_needles_new();
	char text[CTX_NEEDLE_BYTES];

	for (int i = 0; i < 2200000; i++)
		ctx_needles_add(n, random_text(text, sizeof(text)));
	CHECK(counts_of(n).needles <= 1 << 21);
	CHECK(counts_of(n).needles > 1 << 19);
	CHECK_INT(counts_of(n).texts, 2200000);
	ctx_needles_free(n);
}

int
main(void)
{
	RUN(found_wherever_it_stands);
	RUN(a_part_that_is_left_is_found);
	RUN(shared_texts_are_no_survivors);
	RUN(memory_is_bounded_and_some_are_kept);
	return TEST_END();
}
