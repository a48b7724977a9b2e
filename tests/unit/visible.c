/* Text of others, for a terminal. */
#include "base/utf8.h"

#include "test.h"

static void
is(const char *in, const char *all, const char *line)
{
	struct ctx_buf b = CTX_BUF_INIT;

	ctx_visible_add(&b, ctx_span_of(in));
	CHECK_STR(b.p, all);
	ctx_buf_reset(&b);
	ctx_visible_add_line(&b, ctx_span_of(in));
	CHECK_STR(b.p, line);
	ctx_buf_release(&b);
}

static void
kinds(void)
{
	is("plain", "plain", "plain");
	is("a\tb\nc\r\nd\re", "a\tb\nc\nd\\x0de", "a b c d\\x0de");
	is("\x1b]0;x\x07", "\\x1b]0;x\\x07", "\\x1b]0;x\\x07");
	is("\xc2\x9b"
	   "31m \x7f",
	    "\\x9b31m \\x7f", "\\x9b31m \\x7f");
	is("\xc3\xa4 \xf0\x9f\x98\x80", "\xc3\xa4 \xf0\x9f\x98\x80",
	    "\xc3\xa4 \xf0\x9f\x98\x80");
	is("\xff\xc2", "\xef\xbf\xbd\xef\xbf\xbd", "\xef\xbf\xbd\xef\xbf\xbd");
}

int
main(void)
{
	RUN(kinds);
	return TEST_END();
}
