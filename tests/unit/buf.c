#include "test.h"

#include <stdlib.h>

#include "base/buf.h"
#include "random.h"

static void
spans(void)
{
	struct ctx_span none = CTX_SPAN_NONE, empty = ctx_span_of("");
	char *s;

	CHECK(ctx_span_of(NULL).p == NULL);
	CHECK(ctx_span_eq(none, none));
	CHECK(ctx_span_eq(empty, empty));
	CHECK(!ctx_span_eq(none, empty)); /* absent is not empty */
	CHECK(!ctx_span_is(none, ""));
	CHECK(ctx_span_is(empty, ""));
	CHECK(!ctx_span_is(ctx_span_of("ab"), "a"));
	CHECK(ctx_span_dup(none) == NULL);
	s = ctx_span_dup((struct ctx_span){"abc", 2});
	CHECK_STR(s, "ab");
	free(s);
}

static void
trim(void)
{
	CHECK(ctx_span_is(ctx_span_trim(ctx_span_of(" \t\r\na b\n ")), "a b"));
	CHECK(ctx_span_is(ctx_span_trim(ctx_span_of(" \n")), ""));
	CHECK(ctx_span_is(ctx_span_trim(ctx_span_of("\v")), "\v"));
	CHECK(ctx_span_trim(CTX_SPAN_NONE).p == NULL);
}

static void
numbers(void)
{
	struct ctx_buf b = CTX_BUF_INIT;
	char want[64];

	for (int i = 0; i < 10000; i++) {
		uint64_t bits = (uint64_t)random_next() << 32 | random_next();
		int64_t v = (int64_t)(bits >> random_below(64));
		ctx_buf_reset(&b);
		ctx_buf_addi(&b, i % 2 ? v : -(v >> 1));
		snprintf(want, sizeof(want), "%lld", (long long)(i % 2 ? v : -(v >> 1)));
		CHECK_STR(b.p, want);
	}
	ctx_buf_reset(&b);
	ctx_buf_addi(&b, INT64_MIN);
	ctx_buf_addi(&b, INT64_MAX);
	CHECK_STR(b.p, "-92233720368547758089223372036854775807");
	ctx_buf_release(&b);
}

/* Random pieces, compared with a plain array; a NUL stands behind them at every moment. */
static void
pieces(void)
{
	struct ctx_buf b = CTX_BUF_INIT;
	static char want[1 << 16];
	char piece[300];
	size_t n = 0;

	while (n < sizeof(want) - 2 * sizeof(piece)) {
		size_t len = random_below(sizeof(piece) - 1);
		for (size_t i = 0; i < len; i++)
			piece[i] = (char)(1 + random_below(255));
		piece[len] = '\0';
		switch (random_below(4)) {
		case 0:
			ctx_buf_addf(&b, "%s", piece);
			break;
		case 1:
			ctx_buf_adds(&b, piece);
			break;
		case 2:
			ctx_buf_addspan(&b, ctx_span_of(piece));
			break;
		default:
			for (size_t i = 0; i < len; i++)
				ctx_buf_addc(&b, piece[i]);
		}
		memcpy(want + n, piece, len);
		n += len;
		CHECK(b.n == n && (b.p == NULL || (b.p[n] == '\0' && b.cap > n)));
	}
	CHECK(memcmp(b.p, want, n) == 0);
	ctx_buf_release(&b);
	CHECK(b.p == NULL && b.n == 0 && b.cap == 0);
}

static void
detach(void)
{
	struct ctx_buf b = CTX_BUF_INIT;
	char *s = ctx_buf_detach(&b);

	CHECK_STR(s, "");
	free(s);
	CHECK(ctx_span_is(
	    ctx_buf_span(&b), "")); /* of an empty buffer: empty, not absent */
	ctx_buf_add(&b, "a\0b", 3);
	ctx_buf_addspan(&b, CTX_SPAN_NONE);
	CHECK_INT(b.n, 3);
	s = ctx_buf_detach(&b);
	CHECK(memcmp(s, "a\0b", 4) == 0);
	free(s);
	CHECK(b.p == NULL);
}

static void
shapes(void)
{
	CHECK(ctx_span_begins_like(ctx_span_of("2024/02/x"), "dddd/dd/"));
	CHECK(ctx_span_begins_like(ctx_span_of("aF-09"), "hh-dd"));
	CHECK(ctx_span_begins_like(ctx_span_of("x"), ""));
	CHECK(!ctx_span_begins_like(ctx_span_of("2024/0"), "dddd/dd/"));
	CHECK(!ctx_span_begins_like(ctx_span_of("2024-02-"), "dddd/dd/"));
	CHECK(!ctx_span_begins_like(ctx_span_of("ag"), "hh"));
	CHECK(!ctx_span_begins_like(CTX_SPAN_NONE, "d"));
}

static void
split(void)
{
	struct ctx_span rest = ctx_span_of("a\n\nb"), part;

	CHECK(ctx_span_split(&rest, '\n', &part) && ctx_span_is(part, "a"));
	CHECK(ctx_span_split(&rest, '\n', &part) && ctx_span_is(part, ""));
	CHECK(ctx_span_split(&rest, '\n', &part) && ctx_span_is(part, "b"));
	CHECK(!ctx_span_split(&rest, '\n', &part) && ctx_span_is(part, "b"));
	rest = ctx_span_of("a|"); /* nothing follows the last separator */
	CHECK(ctx_span_split(&rest, '|', &part) && ctx_span_is(part, "a"));
	CHECK(!ctx_span_split(&rest, '|', &part));
	rest = CTX_SPAN_NONE;
	CHECK(!ctx_span_split(&rest, '|', &part));
}

int
main(void)
{
	RUN(spans);
	RUN(trim);
	RUN(shapes);
	RUN(split);
	RUN(numbers);
	RUN(pieces);
	RUN(detach);
	return TEST_END();
}
