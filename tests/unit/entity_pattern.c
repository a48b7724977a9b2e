#include "test.h"

#include "entity/pattern.h"

struct report {
	int n;
	char last[200];
};

static void
on_limit(void *arg, const char *type, const char *pattern, const char *why)
{
	struct report *r = arg;

	r->n++;
	snprintf(r->last, sizeof(r->last), "%s %s: %s", type, pattern, why);
}

static void
add(struct ctx_patterns *ps, const char *type, const char *pattern)
{
	struct ctx_err err = CTX_ERR_INIT;

	CHECK(ctx_patterns_add(ps, ctx_span_of(type), ctx_span_of(pattern), &err) == 0);
}

static void
found(struct ctx_patterns *ps, struct ctx_span text, const char *want)
{
	struct ctx_mentions m = CTX_MENTIONS_INIT;
	struct ctx_buf got = CTX_BUF_INIT;

	ctx_buf_adds(&got, "");
	ctx_patterns_scan(ps, text, &m);
	for (size_t i = 0; i < m.n; i++) {
		struct ctx_span name = ctx_mentions_name(&m, i);
		ctx_buf_addf(&got, "%s%s=%.*s@%zu+%zu", i ? " " : "", m.list[i].type,
		    (int)name.n, name.p, m.list[i].offset, m.list[i].len);
	}
	CHECK_STR(got.p, want);
	ctx_buf_release(&got);
	ctx_mentions_release(&m);
}

static void
matches(void)
{
	struct ctx_patterns *ps = ctx_patterns_new();

	found(ps, ctx_span_of("OPS-1"), "");
	add(ps, "ticket", "[A-Z]+-[0-9]+");
	add(ps, "order", "(?i)order\\s+#(?<name>\\d+)");
	add(ps, "empty", "x*");
	found(ps, ctx_span_of("see OPS-12, NET-7\nand Order #42."),
	    "ticket=OPS-12@4+6 ticket=NET-7@12+5 order=42@22+9");
	found(ps, ctx_span_of(""), "");
	ctx_patterns_free(ps);
}

static void
unicode(void)
{
	struct ctx_patterns *ps = ctx_patterns_new();

	add(ps, "name", "\\bÄ\\w+");
	found(ps, ctx_span_of("ein Ärger, xÄrger"), "name=Ärger@4+6");
	found(ps, ctx_span_of("Äh \xff Äh"), "name=Äh@0+3");
	ctx_patterns_free(ps);
}

static void
one_line_at_a_time(void)
{
	struct ctx_patterns *ps = ctx_patterns_new();

	add(ps, "line", "^a.*b$");
	add(ps, "two", "x\\s+y");
	found(ps, ctx_span_of("a1b\na2b\nx\ny x y\n"),
	    "line=a1b@0+3 line=a2b@4+3 two=x y@12+3");
	ctx_patterns_free(ps);
}

/* Nothing is lost of a long line. */
static void
long_line(void)
{
	struct ctx_patterns *ps = ctx_patterns_new();
	struct ctx_mentions m = CTX_MENTIONS_INIT;
	struct ctx_buf text = CTX_BUF_INIT;

	for (int i = 0; i < 20000; i++)
		ctx_buf_addf(&text, "OPS-%d ", i);
	for (int i = 0; i < 20000; i++)
		ctx_buf_adds(&text, "é");
	add(ps, "ticket", "[A-Z]+-[0-9]+");
	add(ps, "letter", "é");
	ctx_patterns_scan(ps, ctx_buf_span(&text), &m);
	CHECK_INT(m.n, 40000);
	ctx_mentions_release(&m);
	ctx_buf_release(&text);
	ctx_patterns_free(ps);
}

/* Every ticket of a long line without white space, whole, whatever stands before it. */
static void
long_line_of_json(void)
{
	for (size_t shift = 0; shift < 12; shift++) {
		struct ctx_patterns *ps = ctx_patterns_new();
		struct ctx_mentions m = CTX_MENTIONS_INIT;
		struct ctx_buf text = CTX_BUF_INIT;
		char want[16];

		for (size_t i = 0; i < shift; i++)
			ctx_buf_addc(&text, '[');
		for (int i = 0; i < 1000; i++)
			ctx_buf_addf(&text, "{\"id\":\"INC-%d\",\"é\":1},", 10000 + i);
		add(ps, "ticket", "[A-Z]+-[0-9]+");
		add(ps, "quoted", "(?<=\"id\":\")(?<name>[A-Z]+-[0-9]+)(?=\",)");
		ctx_patterns_scan(ps, ctx_buf_span(&text), &m);
		CHECK_INT(m.n, 2000);
		for (size_t i = 0; i < m.n; i++) {
			struct ctx_span name = ctx_mentions_name(&m, i);
			snprintf(want, sizeof(want), "INC-%d", (int)(10000 + i % 1000));
			CHECK(ctx_span_eq(name, ctx_span_of(want)));
		}
		ctx_mentions_release(&m);
		ctx_buf_release(&text);
		ctx_patterns_free(ps);
	}
}

/* Its ends are those of the line, and only those. */
static void
ends_of_a_long_line(void)
{
	struct ctx_patterns *ps = ctx_patterns_new();
	struct ctx_buf text = CTX_BUF_INIT;

	for (int i = 0; i < 1000; i++)
		ctx_buf_addf(&text, "%sz%d", i ? " " : "", i);
	add(ps, "last", "z[0-9]+$");
	add(ps, "first", "^z[0-9]+");
	add(ps, "line", "^z0.*(?<name>z999)$");
	found(ps, ctx_buf_span(&text), "last=z999@4885+4 first=z0@0+2 line=z999@0+4889");
	ctx_buf_release(&text);
	ctx_patterns_free(ps);
}

/* A match as long as it may be is found whole; one that is longer, not at all. */
static void
reach(void)
{
	static const int lengths[] = {100, 2047, 2048, 2049, 4096, 8000, 9000, 30000};

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct ctx_patterns *ps = ctx_patterns_new();
		struct ctx_mentions m = CTX_MENTIONS_INIT;
		struct ctx_buf text = CTX_BUF_INIT;
		size_t len = (size_t)lengths[i];

		for (int k = 0; k < 1000; k++)
			ctx_buf_adds(&text, "x ");
		for (size_t k = 0; k < len; k++)
			ctx_buf_addc(&text, 'a');
		ctx_buf_adds(&text, "-1 ");
		for (int k = 0; k < 10000; k++)
			ctx_buf_adds(&text, "x ");
		ctx_buf_adds(&text, "b-2 c");
		add(ps, "id", "\\w+-[0-9]");
		ctx_patterns_scan(ps, ctx_buf_span(&text), &m);
		CHECK_INT(m.n, len < CTX_PATTERN_REACH - 2 ? 2 : 1);
		if (m.n == 2)
			CHECK(m.list[0].offset == 2000 && m.list[0].len == len + 2);
		CHECK(m.n > 0 && m.list[m.n - 1].len == 3);
		ctx_mentions_release(&m);
		ctx_buf_release(&text);
		ctx_patterns_free(ps);
	}
}

static void
bad_patterns(void)
{
	static const char *const bad[] = {
	    "(", "[a", "a{2,1}", "\\C", "(?<name>a)(?<name>b)", "*"};
	struct ctx_patterns *ps = ctx_patterns_new();
	struct ctx_buf huge = CTX_BUF_INIT;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ctx_err err = CTX_ERR_INIT;
		CHECK(ctx_patterns_add(ps, ctx_span_of("x"), ctx_span_of(bad[i]), &err) <
		      0);
		CHECK(err.code == CTX_EINPUT && strstr(err.msg, "at byte") != NULL);
	}
	while (huge.n <= CTX_PATTERN_LEN_MAX)
		ctx_buf_addc(&huge, 'a');
	CHECK(ctx_patterns_add(ps, ctx_span_of("x"), ctx_buf_span(&huge),
		  &(struct ctx_err)CTX_ERR_INIT) < 0);
	ctx_buf_release(&huge);
	ctx_patterns_free(ps);
}

/* Patterns that would run for years. Each ends, is reported at most once and left out, while a
 * good one beside it goes on. */
static void
hostile_patterns(void)
{
	static const char *const hostile[] = {"(a+)+$", "(a|aa)+$", "(a|a?)+$",
	    "^(([a-z])+.)+[A-Z]$", "(.*a){20}x", "(?:(?:a*)*)*b", "(?=(a+)+b)a",
	    "(a*)*(\\1)*c"};
	struct ctx_buf text = CTX_BUF_INIT;
	int reports = 0;

	for (int i = 0; i < 300; i++)
		ctx_buf_adds(
		    &text, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\n");
	ctx_buf_adds(&text, "OPS-1");
	for (size_t i = 0; i < sizeof(hostile) / sizeof(hostile[0]); i++) {
		struct ctx_patterns *ps = ctx_patterns_new();
		struct report r = {0};
		struct ctx_mentions m = CTX_MENTIONS_INIT;

		ctx_patterns_on_limit(ps, on_limit, &r);
		add(ps, "bad", hostile[i]);
		add(ps, "ticket", "OPS-[0-9]+");
		for (int k = 0; k < 2; k++) {
			ctx_mentions_reset(&m);
			ctx_patterns_scan(ps, ctx_buf_span(&text), &m);
			CHECK(m.n > 0 && strcmp(m.list[m.n - 1].type, "ticket") == 0);
		}
		/* some end early because PCRE2 sees that a letter is missing */
		CHECK(r.n == 0 || (r.n == 1 && strncmp(r.last, "bad ", 4) == 0));
		reports += r.n;
		ctx_mentions_release(&m);
		ctx_patterns_free(ps);
	}
	CHECK(reports >= 3);
	ctx_buf_release(&text);
}

/* Slow in a way that no limit of steps sees: a square of the line's length. */
static void
long_hostile_line(void)
{
	struct ctx_patterns *ps = ctx_patterns_new();
	struct ctx_mentions m = CTX_MENTIONS_INIT;
	struct ctx_buf text = CTX_BUF_INIT;

	while (text.n < 1000000)
		ctx_buf_addc(&text, 'a');
	add(ps, "square", "a*\\d");
	add(ps, "cube", "a*a*\\d");
	ctx_patterns_scan(ps, ctx_buf_span(&text), &m);
	CHECK_INT(m.n, 0);
	for (size_t i = 3000; i < text.n; i += 3000)
		text.p[i] = ' ';
	ctx_patterns_scan(ps, ctx_buf_span(&text), &m);
	CHECK_INT(m.n, 0);
	ctx_buf_release(&text);
	ctx_mentions_release(&m);
	ctx_patterns_free(ps);
}

int
main(void)
{
	RUN(matches);
	RUN(unicode);
	RUN(one_line_at_a_time);
	RUN(long_line);
	RUN(long_line_of_json);
	RUN(ends_of_a_long_line);
	RUN(reach);
	RUN(bad_patterns);
	RUN(hostile_patterns);
	RUN(long_hostile_line);
	return TEST_END();
}
