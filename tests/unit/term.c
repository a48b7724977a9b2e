/* Text for terminals: widths, cutting, wrapping, Markdown, ages. */
#include "test.h"

#include "base/buf.h"
#include "record/short_id.h"
#include "term/term.h"

static const struct ctx_term wide = {.columns = 80, .utf8 = true};

static size_t
width_of(const char *s)
{
	return ctx_term_width(ctx_span_of(s));
}

static void
test_width(void)
{
	CHECK(width_of("abc") == 3);
	CHECK(width_of("naïve") == 5);
	CHECK(width_of("nai\xcc\x88ve") == 5); /* a combining mark */
	CHECK(width_of("漢字") == 4);
	CHECK(width_of("👍🏽") == 4);           /* a skin tone, and a family: */
	CHECK(width_of("👩‍👩‍👧") == 6); /* at most the sum */
	CHECK(width_of("🇩🇪") == 2);                 /* a flag */
	CHECK(width_of("✔\xef\xb8\x8f") == 2);      /* as a picture */
	CHECK(width_of("") == 0);
}

static void
check_cut(const char *s, size_t columns, const char *want)
{
	struct ctx_buf out = CTX_BUF_INIT;
	size_t used = ctx_term_put_cut(&out, &wide, ctx_span_of(s), columns);

	CHECK_STR(out.n > 0 ? out.p : "", want);
	CHECK(used == width_of(want) && used <= columns);
	ctx_buf_release(&out);
}

static void
test_cut(void)
{
	check_cut("short", 10, "short");
	check_cut("exactly", 7, "exactly");
	check_cut("too long", 5, "too…");
	check_cut("漢字漢字", 5, "漢字…");
	check_cut("漢字漢字", 4, "漢…");
	check_cut("abc", 1, "…");
	check_cut("abc", 0, "");
}

static void
check_clean(bool utf8, const char *s, const char *want)
{
	struct ctx_term t = {.utf8 = utf8};
	struct ctx_buf out = CTX_BUF_INIT;

	ctx_term_clean_line(&out, &t, ctx_span_of(s));
	CHECK_STR(out.n > 0 ? out.p : "", want);
	ctx_buf_release(&out);
}

static void
test_clean(void)
{
	check_clean(true, " a \n\n b\tc ", "a b c");
	check_clean(true, "\033[31mred\033[0m", "\\x1b[31mred\\x1b[0m");
	check_clean(true,
	    "abc\xe2\x80\xae"
	    "def",
	    "abcdef"); /* right-to-left override */
	check_clean(false, "“Naïve” — café…", "\"Naive\" -- cafe...");
	check_clean(false, "漢 → ß", "? -> ss");
}

static void
check_age(int64_t s, const char *want)
{
	struct ctx_buf out = CTX_BUF_INIT;

	ctx_term_age(&out, 0, -s * 1000);
	CHECK_STR(out.p, want);
	ctx_buf_release(&out);
}

static void
test_age(void)
{
	check_age(0, "now");
	check_age(59, "now");
	check_age(60, "1 minute");
	check_age(89 * 60, "89 minutes");
	check_age(2 * 3600, "2 hours");
	check_age(30 * 3600, "30 hours");
	check_age(36 * 3600, "2 days");
	check_age(13 * 86400, "13 days");
	check_age(14 * 86400, "2 weeks");
	check_age(90 * 86400, "3 months");
	check_age(3 * 31557600, "3 years");
	check_age(-7200, "in 2 hours");
}

static void
test_counts(void)
{
	static const struct {
		int64_t n;
		const char *want;
	} t[] = {{0, "0"}, {999, "999"}, {1000, "1.0k"}, {12345, "12.3k"},
	    {99949, "99.9k"}, {99950, "100k"}, {999499, "999k"}, {999500, "1.0M"},
	    {4500000, "4.5M"}};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct ctx_buf out = CTX_BUF_INIT;
		ctx_term_short_count(&out, t[i].n);
		CHECK_STR(out.p, t[i].want);
		ctx_buf_release(&out);
	}
}

static void
check_markdown(int columns, bool colour, const char *text, const char *want)
{
	struct ctx_term t = {.columns = columns, .utf8 = true, .colour = colour};
	struct ctx_buf out = CTX_BUF_INIT;
	struct ctx_flow f;

	ctx_flow_init(&f, &out, &t, "  ");
	ctx_flow_markdown(&f, ctx_span_of(text));
	ctx_flow_release(&f);
	CHECK_STR(out.n > 0 ? out.p : "", want);
	ctx_buf_release(&out);
}

static void
test_markdown(void)
{
	check_markdown(80, false, "# Head\n\ntext **bold** and `code`\n\n\n- a\n- b\n",
	    "  Head\n\n  text bold and code\n\n  • a\n  • b\n");
	check_markdown(24, false, "one two three four five six",
	    "  one two three four\n  five six\n");
	check_markdown(24, false, "1. one two three four five",
	    "  1. one two three four\n     five\n");
	check_markdown(
	    24, false, "> one two three four five", "  │ one two three four\n  │ five\n");
	check_markdown(
	    80, false, "```c\n  int  x;\n\n```\nafter", "        int  x;\n\n  after\n");
	check_markdown(80, false, "see [the page](http://x.y/z) now",
	    "  see the page <http://x.y/z> now\n");
	check_markdown(80, false, "a * b and snake_case_name, 2 ** 3 and `open",
	    "  a * b and snake_case_name, 2 ** 3 and `open\n");
	check_markdown(22, false, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
	    "  aaaaaaaaaaaaaaaaaaaa\n  aaaaaaaaaa\n");
	check_markdown(
	    22, false, "漢字漢字漢字漢字漢字漢字", "  漢字漢字漢字漢字漢字\n  漢字\n");
	check_markdown(80, true, "**a** b", "  \033[0;1ma \033[0mb\n");
	/* a style ends with its line, and goes on in the next */
	check_markdown(22, true, "**one two three four five**",
	    "  \033[0;1mone two three four\033[0m\n  \033[0;1mfive\033[0m\n");
	check_markdown(0, false, "one two three four five six seven",
	    "  one two three four five six seven\n");
}

/* No line of any width is wider, unless it is code. */
static void
test_widths(void)
{
	static const char text[] =
	    "Words of *many* **lengths**, naïve 漢字漢字 and "
	    "supercalifragilisticexpialidocious-words `with code` "
	    "[links](http://example.org/a/long/address).\n"
	    "- items that go on and on and on\n> quotes, too, and so\n";

	for (int columns = 24; columns < 120; columns++) {
		struct ctx_term t = {.columns = columns, .utf8 = true};
		struct ctx_buf out = CTX_BUF_INIT;
		struct ctx_flow f;
		ctx_flow_init(&f, &out, &t, "  ");
		ctx_flow_markdown(&f, ctx_span_of(text));
		ctx_flow_release(&f);
		for (char *p = out.p, *nl; p < out.p + out.n; p = nl + 1) {
			nl = strchr(p, '\n');
			CHECK(ctx_term_width((struct ctx_span){p, (size_t)(nl - p)}) <=
			      (size_t)columns);
		}
		ctx_buf_release(&out);
	}
}

static void
test_short_ids(void)
{
	static const char *const all[] = {"019a0000-0000-7000-8000-0000aaaaaaaa",
	    "019a0000-0000-7000-8000-1111aaaaaaaa",
	    "019a0000-0000-7000-8000-000022222222",
	    "22222222-0000-7000-8000-000033333333", "demo", "demo",
	    "telegram:chat:1234567890", "telegram:chat:1234567891",
	    "telegram:chat:1234567891", "22222222-0000-7000-8000-000033333333~a881341",
	    "22222222-0000-7000-8000-000033333333~a9"};
	static const char *const want[] = {"0aaaaaaaa", "1aaaaaaaa", "022222222",
	    "33333333", "demo", "demo", "telegram:chat:1234567890",
	    "telegram:chat:1234567891", "telegram:chat:1234567891", "a881341",
	    "22222222-0000-7000-8000-000033333333~a9"};
	struct ctx_short_ids ids = {.n = 0};

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		ctx_short_ids_add(&ids, all[i]);
	ctx_short_ids_sort(&ids);
	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct ctx_span s = ctx_short_id(&ids, all[i]);
		CHECK(ctx_span_is(s, want[i]));
	}
	ctx_short_ids_release(&ids);
	ctx_short_ids_sort(&ids);
}

int
main(void)
{
	RUN(test_width);
	RUN(test_cut);
	RUN(test_clean);
	RUN(test_age);
	RUN(test_counts);
	RUN(test_markdown);
	RUN(test_widths);
	RUN(test_short_ids);
	return TEST_END();
}
