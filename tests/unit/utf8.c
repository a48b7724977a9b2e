#include "test.h"

#include <stdbool.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "random.h"

/* The grammar of RFC 3629, section 4, as a table: the reference. */
static size_t
reference(const unsigned char *p, size_t n)
{
	static const struct {
		size_t len;
		unsigned char first_lo, first_hi, second_lo, second_hi;
	} rows[] = {{1, 0x00, 0x7f, 0, 0}, {2, 0xc2, 0xdf, 0x80, 0xbf},
	    {3, 0xe0, 0xe0, 0xa0, 0xbf}, {3, 0xe1, 0xec, 0x80, 0xbf},
	    {3, 0xed, 0xed, 0x80, 0x9f}, {3, 0xee, 0xef, 0x80, 0xbf},
	    {4, 0xf0, 0xf0, 0x90, 0xbf}, {4, 0xf1, 0xf3, 0x80, 0xbf},
	    {4, 0xf4, 0xf4, 0x80, 0x8f}};

	for (size_t i = 0; n > 0 && i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (p[0] < rows[i].first_lo || p[0] > rows[i].first_hi)
			continue;
		if (n < rows[i].len)
			return 0;
		if (rows[i].len > 1 &&
		    (p[1] < rows[i].second_lo || p[1] > rows[i].second_hi))
			return 0;
		for (size_t j = 2; j < rows[i].len; j++)
			if (p[j] < 0x80 || p[j] > 0xbf)
				return 0;
		return rows[i].len;
	}
	return 0;
}

static void
every_character(void)
{
	uint32_t cp, got;
	char c[4];

	for (cp = 0; cp < 0x110000; cp++) {
		size_t len = ctx_utf8_encode(cp, c);
		if (cp >= 0xd800 && cp < 0xe000) {
			CHECK_INT(ctx_utf8_decode(c, len, NULL), 0);
			continue;
		}
		got = 0;
		if (ctx_utf8_decode(c, len, &got) != len || got != cp ||
		    reference((unsigned char *)c, len) != len)
			CHECK_INT(got, cp);
		for (size_t cut = 0; cut < len; cut++)
			if (ctx_utf8_decode(c, cut, NULL) != 0)
				CHECK(!"a cut character is accepted");
	}
}

/* All first three bytes, with a fourth from the edges of its range. */
static void
every_sequence(void)
{
	static const unsigned char edges[] = {0x00, 0x7f, 0x80, 0xbf, 0xc0, 0xff};

	for (uint32_t v = 0; v < 1u << 24 && !test_bad; v++) {
		unsigned char b[4] = {(unsigned char)(v >> 16), (unsigned char)(v >> 8),
		    (unsigned char)v, edges[v % sizeof(edges)]};
		if (ctx_utf8_decode((char *)b, 4, NULL) != reference(b, 4)) {
			printf("# %02x %02x %02x %02x\n", b[0], b[1], b[2], b[3]);
			CHECK(!"differs from RFC 3629");
		}
	}
}

static void
prefixes(void)
{
	unsigned char b[64];

	for (int i = 0; i < 200000 && !test_bad; i++) {
		size_t n = random_below(sizeof(b)), good = 0, len, count = 0;
		for (size_t j = 0; j < n;
		     j++) /* mostly ASCII, so that the fast path runs */
			b[j] = (unsigned char)(random_below(30) ? 'a' + j % 26
								: random_next());
		while ((len = reference(b + good, n - good)) > 0) {
			good += len;
			count++;
		}
		CHECK_INT(ctx_utf8_valid((char *)b, n), good);
		CHECK_INT(ctx_utf8_length((char *)b, good), count);
	}
}

int
main(void)
{
	RUN(every_character);
	RUN(every_sequence);
	RUN(prefixes);
	return TEST_END();
}
