#include "test.h"

#include "summary/summary.h"

static struct ctx_tokenizer *t;
static struct ctx_err why;

static int
check(const char *text, int64_t replaces, const char *required)
{
	struct ctx_span r = ctx_span_of(required);
	struct ctx_summary_guard g = {t, replaces, &r, required != NULL};

	why = (struct ctx_err)CTX_ERR_INIT;
	return (int)ctx_summary_check(ctx_span_of(text), &g, &why);
}

static void
verdicts(void)
{
	CHECK_INT(check("a fine summary", 10, NULL), CTX_SUMMARY_GOOD);
	CHECK_INT(why.code, CTX_OK);
	CHECK_INT(check("", 10, NULL), CTX_SUMMARY_EMPTY);
	CHECK_STR(why.msg, "the summary is empty");
	CHECK_INT(why.code, CTX_EANSWER);
	CHECK_INT(check(" \t\r\n", 10, NULL), CTX_SUMMARY_EMPTY);
	CHECK_INT(check("\xe2\x80\x8b\xe3\x80\x80\xef\xbb\xbf\xc2\xa0", 10, NULL),
	    CTX_SUMMARY_EMPTY); /* zero-width, ideographic and no-break spaces, BOM */
	CHECK_INT(check("ab\xff", 10, NULL), CTX_SUMMARY_NOT_UTF8);
	CHECK_STR(why.msg, "the summary is not valid UTF-8 at byte 3");
	CHECK_INT(check("cut \xe6\x95", 10, NULL), CTX_SUMMARY_NOT_UTF8);
	CHECK_INT(
	    check("much too long for what it replaces", 3, NULL), CTX_SUMMARY_TOO_LONG);
	CHECK_INT(check("the port is 8080", 10, "8080"), CTX_SUMMARY_GOOD);
	CHECK_INT(check("the port is known", 10, "8080"), CTX_SUMMARY_MISSES);
	CHECK_STR(why.msg, "the summary does not contain '8080'");
	CHECK_INT(check("88080", 10, "8080"), CTX_SUMMARY_MISSES);
	CHECK_INT(check("808", 10, "8080"), CTX_SUMMARY_MISSES);
	CHECK_INT(check("88080 端口8080。", 20, "8080"), CTX_SUMMARY_GOOD);
	CHECK_INT(check("x", 10, " "), CTX_SUMMARY_GOOD);
}

static void
exactly_as_long_is_good(void)
{
	static const char text[] = "one two three four";
	int64_t n = ctx_tokens_text(t, text, strlen(text));

	CHECK_INT(check(text, n, NULL), CTX_SUMMARY_GOOD);
	CHECK_INT(check(text, n - 1, NULL), CTX_SUMMARY_TOO_LONG);
}

static void
truncation(void)
{
	struct ctx_summary_input *in = ctx_summary_input_new();
	struct ctx_buf out = CTX_BUF_INIT, line = CTX_BUF_INIT;

	for (int i = 0; i < 200; i++) {
		ctx_buf_reset(&line);
		ctx_buf_addf(&line, "this is message number %d of many", i);
		ctx_summary_input_add(
		    in, CTX_ROLE_USER, CTX_SPAN_NONE, ctx_buf_span(&line));
	}
	for (int64_t max = 0; max < 300; max++) {
		ctx_buf_reset(&out);
		ctx_summary_truncate(&out, in, t, max);
		CHECK(out.n == 0 || ctx_tokens_text(t, out.p, out.n) <= max);
		CHECK(max < 5 || out.n > 0);
	}
	CHECK(strstr(out.p, "user: this is message number 0 of many\n") == out.p);
	CHECK(strstr(out.p, "number 199 of many") != NULL);
	CHECK(strstr(out.p, " lines, ") != NULL &&
	      strstr(out.p, " bytes left out]") != NULL);
	ctx_buf_reset(&out);
	ctx_summary_truncate(&out, in, t, 1000000);
	CHECK(strstr(out.p, "left out") == NULL);
	ctx_buf_release(&out);
	ctx_buf_release(&line);
	ctx_summary_input_free(in);
}

int
main(void)
{
	struct ctx_err err = CTX_ERR_INIT;

	if (ctx_tokenizer_open(&t, "approx", NULL, &err) < 0)
		return 1;
	RUN(verdicts);
	RUN(exactly_as_long_is_good);
	RUN(truncation);
	ctx_tokenizer_close(t);
	return TEST_END();
}
