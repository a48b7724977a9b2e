/* Properties of all readers, over the fixtures; and input that is no answer. */
#include "answer_read.h"

static const struct {
	const char *name;
	enum ctx_provider provider;
	const char *end; /* a stream that holds this is complete */
} fixtures[] = {
    {"openai-text", CTX_PROVIDER_OPENAI, "\"finish_reason\":\"stop\"}],\"usage\":null}"},
    {"openai-tools", CTX_PROVIDER_OPENAI,
	"\"finish_reason\":\"tool_calls\"}],\"usage\":null}"},
    {"anthropic-text", CTX_PROVIDER_ANTHROPIC,
	"\"stop_sequence\":null},\"usage\":{\"output_tokens\":89}}"},
    {"anthropic-tools", CTX_PROVIDER_ANTHROPIC,
	"\"stop_sequence\":null},\"usage\":{\"output_tokens\":89}}"},
    {"gemini-text", CTX_PROVIDER_GEMINI, "\"responseId\":\"Il0taoSYJ5Cez7IP\"}\r\n\r\n"},
    {"gemini-tools", CTX_PROVIDER_GEMINI, "\"responseId\":\"Il0taoSYJ5Cez7IP\"}\r\n\r\n"},
};
#define COUNT (sizeof(fixtures) / sizeof(fixtures[0]))

static struct ctx_buf
load(size_t i, const char *ext)
{
	struct ctx_buf path = CTX_BUF_INIT, b = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;

	ctx_buf_addf(&path, "tests/fixtures/answers/%s.%s", fixtures[i].name, ext);
	if (ctx_io_read_file(path.p, &b, 1 << 20, &err) < 0)
		CHECK_STR(err.msg, "");
	ctx_buf_release(&path);
	return b;
}

static bool
same(const struct got *a, const struct got *b)
{
	return a->rc == b->rc && strcmp(a->err.msg, b->err.msg) == 0 && !a->torn &&
	       !b->torn &&
	       ctx_span_eq(ctx_buf_span(&a->a.message), ctx_buf_span(&b->a.message)) &&
	       ctx_span_eq(ctx_buf_span(&a->a.usage), ctx_buf_span(&b->a.usage)) &&
	       ctx_span_eq(ctx_buf_span(&a->text), ctx_buf_span(&b->text)) &&
	       strcmp(name(a->a.id), name(b->a.id)) == 0 &&
	       strcmp(name(a->a.model), name(b->a.model)) == 0 &&
	       strcmp(name(a->a.stop_reason), name(b->a.stop_reason)) == 0 &&
	       a->a.input_tokens == b->a.input_tokens &&
	       a->a.output_tokens == b->a.output_tokens;
}

static void
compare(size_t i, const char *ext)
{
	enum ctx_provider p = fixtures[i].provider;
	struct ctx_buf body = load(i, "json"), other = load(i, ext);
	struct got a = read_cut(p, ctx_buf_span(&body), 1 << 20, 0),
		   b = read_cut(p, ctx_buf_span(&other), 1 << 20, 0);
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_buf text = CTX_BUF_INIT;

	CHECK_INT(a.rc, 0);
	CHECK_STR(str(&b.a.message), str(&a.a.message));
	CHECK_STR(str(&b.text), str(&a.text));
	CHECK(same(&a, &b));
	CHECK(ctx_json_check(ctx_buf_span(&a.a.message), NULL, NULL, &a.err) == 0);
	CHECK(ctx_message_parse(&m, ctx_buf_span(&a.a.message), &a.err) == 0);
	ctx_message_text(&m, &text);
	CHECK_STR(str(&text), str(&a.text));
	CHECK(a.a.input_tokens > 0 && a.a.output_tokens > 0);
	got_free(&a);
	got_free(&b);
	ctx_message_release(&m);
	ctx_buf_release(&text);
	ctx_buf_release(&body);
	ctx_buf_release(&other);
}

static void
streamed_equals_whole(void)
{
	for (size_t i = 0; i < COUNT; i++) {
		compare(i, "sse");
		if (fixtures[i].provider == CTX_PROVIDER_GEMINI)
			compare(i, "array");
	}
}

/* Of a whole body nothing depends on the spelling of what is around it. */
static void
body_is_verbatim(void)
{
	struct ctx_buf body = load(0, "json"), min = CTX_BUF_INIT, want = CTX_BUF_INIT;
	struct got g = read_cut(CTX_PROVIDER_OPENAI, ctx_buf_span(&body), 1 << 20, 0);

	ctx_json_minify(ctx_span_trim(ctx_buf_span(&body)), &min);
	ctx_buf_addspan(&want,
	    ctx_json_get(
		ctx_json_first(ctx_json_get(ctx_buf_span(&min), "choices")), "message"));
	CHECK_STR(str(&g.a.message), str(&want));
	got_free(&g);
	ctx_buf_release(&body);
	ctx_buf_release(&min);
	ctx_buf_release(&want);
}

static void
cuts(size_t i, const char *ext)
{
	enum ctx_provider p = fixtures[i].provider;
	struct ctx_buf b = load(i, ext);
	struct got want = read_cut(p, ctx_buf_span(&b), 1 << 20, 0);

	CHECK_INT(want.rc, 0);
	for (unsigned seed = 0; seed < 60; seed++) {
		struct got g = read_cut(
		    p, ctx_buf_span(&b), seed == 0 ? 1 : 1 + seed * 3, seed);
		CHECK(same(&g, &want));
		got_free(&g);
	}
	got_free(&want);
	ctx_buf_release(&b);
}

static void
cuts_do_not_matter(void)
{
	for (size_t i = 0; i < COUNT; i++) {
		cuts(i, "sse");
		cuts(i, "json");
		if (fixtures[i].provider == CTX_PROVIDER_GEMINI)
			cuts(i, "array");
	}
}

/* A prefix is an error and leaves nothing, unless it holds the answer's end; then it is
 * the whole answer, or an error because a later line is cut. */
static void
prefixes(size_t i, const char *ext, const char *end)
{
	enum ctx_provider p = fixtures[i].provider;
	struct ctx_buf b = load(i, ext);
	struct got want = read_cut(p, ctx_buf_span(&b), 1 << 20, 0);
	size_t min, good = 0;

	min = strcmp(ext, "sse") == 0 ? 0 : ctx_span_trim(ctx_buf_span(&b)).n;
	for (const char *at = b.p; min == 0 && (at = strstr(at, end)) != NULL; at++)
		good = (size_t)(at - b.p) + strlen(end);
	if (min == 0)
		min = good - (strchr(end, '\r') != NULL ? 4 : 0);
	CHECK(min > 100 && min <= b.n);
	for (size_t n = 0; n <= b.n; n++) {
		struct got g = read_cut(p, (struct ctx_span){b.p, n}, 1 << 20, 0);
		if (n < min)
			CHECK_INT(g.rc, -1);
		if (g.rc < 0) {
			CHECK_INT(g.err.code, CTX_EIO);
			CHECK(g.err.msg[0] != '\0');
			CHECK(g.a.message.p == NULL && g.a.id == NULL &&
			      g.a.usage.p == NULL);
		} else {
			CHECK_STR(str(&g.a.message), str(&want.a.message));
		}
		got_free(&g);
	}
	got_free(&want);
	ctx_buf_release(&b);
}

static void
prefixes_are_errors(void)
{
	for (size_t i = 0; i < COUNT; i++) {
		prefixes(i, "sse", fixtures[i].end);
		prefixes(i, "json", NULL);
		if (fixtures[i].provider == CTX_PROVIDER_GEMINI)
			prefixes(i, "array", NULL);
	}
}

static void
no_answers(void)
{
	static const enum ctx_provider all[] = {
	    CTX_PROVIDER_OPENAI, CTX_PROVIDER_ANTHROPIC, CTX_PROVIDER_GEMINI};

	for (size_t i = 0; i < 3; i++) {
		check_error(all[i], "", "input is empty");
		check_error(all[i], " \r\n\t", "input is empty");
		check_error(all[i], "\xef\xbb\xbf", "input is empty");
		check_error(all[i],
		    "<!DOCTYPE html>\n<html><head><title>502 Bad Gateway</title></head>"
		    "<body>nginx and more words that nobody wants to see</body></html>",
		    "not a valid answer: <!DOCTYPE html> <html><head><title>502 Bad "
		    "Gateway</title>"
		    "</head><body>nginx and…");
		check_error(all[i], "upstream connect error",
		    "not a valid answer: upstream connect error");
		check_error(all[i], "dat", "not a valid answer: dat");
		check_error(all[i],
		    "\xff\xfe"
		    "a",
		    "not a valid answer: ??a");
		check_error(all[i], "{\"a\":", "damaged or incomplete");
		check_error(all[i], "{} {}", "more than one JSON value");
		check_error(all[i], "{\"a\":\"\xff\"}", "invalid UTF-8");
		check_error(all[i], "data: {\"a\":\n\n", "damaged");
		check_error(all[i], "data: 1\n\n", "not a JSON object");
		check_error(all[i], ": only a comment\n\n", "");
	}
}

static void
wrong_stays_wrong(void)
{
	struct ctx_answer_reader *r = ctx_answer_reader_new(
	    CTX_PROVIDER_OPENAI, NULL, NULL);
	struct ctx_err err = CTX_ERR_INIT, again = CTX_ERR_INIT;
	struct ctx_answer a = CTX_ANSWER_INIT;
	static const char bad[] = "data: {\"error\":\"x\"}\n\n";
	static const char good[] = "data: "
				   "{\"choices\":[{\"delta\":{\"content\":\"a\"},"
				   "\"finish_reason\":\"stop\"}]}\n\n";

	CHECK_INT(ctx_answer_feed(r, bad, strlen(bad), &err), -1);
	CHECK_INT(ctx_answer_feed(r, good, strlen(good), &again), -1);
	CHECK_STR(again.msg, err.msg);
	CHECK_INT(ctx_answer_finish(r, &a, &again), -1);
	CHECK_STR(again.msg, "openai: x");
	ctx_answer_reader_free(r);

	r = ctx_answer_reader_new(CTX_PROVIDER_OPENAI, NULL, NULL);
	CHECK_INT(ctx_answer_feed(r, good, strlen(good), &err), 0);
	CHECK_INT(ctx_answer_finish(r, &a, &err), 0);
	CHECK_INT(ctx_answer_finish(r, &a, &err), -1);
	ctx_answer_release(&a);
	ctx_answer_reader_free(r);
	ctx_answer_reader_free(NULL);
}

/* Hostile input that asks for much memory or for many parts. */
static void
limits(void)
{
	struct ctx_buf b = CTX_BUF_INIT;
	struct got g;

	for (int i = 0; i < 10100; i++)
		ctx_buf_addf(
		    &b, "data: {\"choices\":[{\"delta\":{\"k%d\":\"\"}}]}\n\n", i);
	g = read_cut(CTX_PROVIDER_OPENAI, ctx_buf_span(&b), 1 << 20, 0);
	CHECK_INT(g.rc, -1);
	CHECK(strstr(g.err.msg, "more than 10000 parts") != NULL);
	got_free(&g);
	ctx_buf_reset(&b);
	ctx_buf_adds(&b, "{\"choices\":[{\"message\":{\"content\":");
	for (int i = 0; i < 2000; i++)
		ctx_buf_addc(&b, '[');
	g = read_cut(CTX_PROVIDER_OPENAI, ctx_buf_span(&b), 1 << 20, 0);
	CHECK(strstr(g.err.msg, "nested too deeply") != NULL);
	got_free(&g);
	ctx_buf_release(&b);
}

int
main(void)
{
	RUN(streamed_equals_whole);
	RUN(body_is_verbatim);
	RUN(cuts_do_not_matter);
	RUN(prefixes_are_errors);
	RUN(no_answers);
	RUN(wrong_stays_wrong);
	RUN(limits);
	return TEST_END();
}
