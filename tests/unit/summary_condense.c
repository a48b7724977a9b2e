#include "test.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "json/json.h"
#include "summary/summary.h"

static struct ctx_tokenizer *t;

/* The condensed text, valid until the next call; checks what holds for all. */
static const char *
condense(struct ctx_span text, int64_t max, enum ctx_output_type *type)
{
	static struct ctx_buf out;
	struct ctx_buf again = CTX_BUF_INIT;
	bool cut;

	ctx_buf_reset(&out);
	ctx_buf_adds(&out, "");
	cut = ctx_summary_condense(&out, text, t, max, type);
	CHECK(out.n == 0 || ctx_tokens_text(t, out.p, out.n) <= max);
	CHECK_INT(ctx_utf8_valid(out.p, out.n), out.n);
	CHECK(cut == !ctx_span_eq(ctx_buf_span(&out), text));
	ctx_summary_condense(&again, ctx_buf_span(&out), t, max, NULL);
	CHECK(out.n == 0 || ctx_span_eq(ctx_buf_span(&out), ctx_buf_span(&again)));
	ctx_buf_release(&again);
	ctx_buf_addc(&out, '\0');
	return out.p;
}

static void
make_json(struct ctx_buf *b)
{
	ctx_buf_reset(b);
	ctx_buf_adds(b, "{\"total\": 12345678901234567890, \"users\": [");
	for (int i = 0; i < 300; i++)
		ctx_buf_addf(b,
		    "%s{\"id\": %d, \"name\": \"user \\u00e9 %d\", \"tags\": [\"a\", "
		    "\"b\"]}",
		    i ? ", " : "", i, i);
	ctx_buf_adds(b, "], \"note\": \"");
	for (int i = 0; i < 300; i++)
		ctx_buf_adds(b, "👩‍👩‍👧‍👦 text ");
	ctx_buf_adds(b, "\", \"ok\": true}");
}

static void
json_keeps_shape_and_sizes(void)
{
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	enum ctx_output_type type;
	const char *s;

	make_json(&text);
	s = condense(ctx_buf_span(&text), 250, &type);
	CHECK_INT(type, CTX_OUTPUT_JSON);
	CHECK(ctx_json_check(ctx_span_of(s), NULL, NULL, &err) == 0);
	CHECK(strstr(s, "\"total\":12345678901234567890") != NULL);
	CHECK(strstr(s, "{\"id\":0,\"name\":\"user \\u00e9 0\"") != NULL);
	CHECK(strstr(s, "of 300 elements left out]") != NULL);
	CHECK(strstr(s, "bytes left out]\"") != NULL);
	CHECK(strstr(s, "\"ok\":true") != NULL);
	for (int64_t max = 0; max < 3000; max += 13)
		condense(ctx_buf_span(&text), max, NULL);
	ctx_buf_release(&text);
}

static void
json_edges(void)
{
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	const char *s;

	CHECK_STR(condense(ctx_span_of("{\"a\": [1, 2]}"), 100, NULL), "{\"a\": [1, 2]}");
	for (int i = 0; i < 900; i++)
		ctx_buf_adds(&text, "[[],");
	ctx_buf_adds(&text, "1");
	for (int i = 0; i < 900; i++)
		ctx_buf_addc(&text, ']');
	s = condense(ctx_buf_span(&text), 60, NULL);
	CHECK(ctx_json_check(ctx_span_of(s), NULL, NULL, &err) == 0);
	ctx_buf_reset(&text);
	ctx_buf_addc(&text, '{');
	for (int i = 0; i < 500; i++)
		ctx_buf_addf(&text, "%s\"key%d\":%d", i ? "," : "", i, i);
	ctx_buf_addc(&text, '}');
	s = condense(ctx_buf_span(&text), 120, NULL);
	CHECK(ctx_json_check(ctx_span_of(s), NULL, NULL, &err) == 0);
	CHECK(strstr(s, "\"key0\":0") != NULL &&
	      strstr(s, "of 500 keys left out]") != NULL);
	ctx_buf_release(&text);
}

static void
logs_keep_ends_and_errors(void)
{
	struct ctx_buf text = CTX_BUF_INIT;
	enum ctx_output_type type;
	const char *s;

	for (int i = 0; i < 1000; i++) {
		const char *what = i == 500      ? "ERROR disk /dev/sda1 is full"
				   : i % 50 == 7 ? "ERROR retry 17 timed out"
						 : "INFO all is well";
		ctx_buf_addf(
		    &text, "2026-11-27T10:%02d:%02dZ %s\n", i / 60, i % 60, what);
	}
	s = condense(ctx_buf_span(&text), 200, &type);
	CHECK_INT(type, CTX_OUTPUT_LOG);
	CHECK(strstr(s, "2026-11-27T10:00:00Z INFO") == s);
	CHECK(strstr(s,
	    "2026-11-27T10:16:39Z INFO all is well\n[… log of 1000 lines, 21 errors; "));
	CHECK(strstr(s, "disk /dev/sda1 is full\n") != NULL);
	CHECK(strstr(s, "ERROR retry 17 timed out [20 lines alike]\n") != NULL);
	for (int64_t max = 0; max < 2000; max += 11)
		condense(ctx_buf_span(&text), max, NULL);
	ctx_buf_release(&text);
}

static void
diffs_list_files(void)
{
	static const char head[] =
	    "diff --git a/src/a.c b/src/a.c\nindex 1..2 100644\n--- a/src/a.c\n+++ "
	    "b/src/a.c\n"
	    "@@ -1,3 +1,4 @@\n a\n--- looks like a header\n+++ so does this\n+two\n c\n"
	    "diff --git a/old b/old\ndeleted file mode 100644\n--- a/old\n+++ /dev/null\n"
	    "@@ -1 +0,0 @@\n-gone\n"
	    "diff --git a/x.png b/x.png\nBinary files a/x.png and b/x.png differ\n"
	    "diff --git a/n b/n\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,400 @@\n";
	struct ctx_buf text = CTX_BUF_INIT;
	enum ctx_output_type type;

	ctx_buf_adds(&text, head);
	for (int i = 0; i < 400; i++)
		ctx_buf_adds(&text, "+new line of text\n");
	CHECK_STR(condense(ctx_buf_span(&text), 100, &type),
	    "src/a.c +2 -1\nold +0 -1 (deleted)\nx.png +0 -0 (binary)\nn +400 -0 (new)\n"
	    "[… diff of 4 files, +402 -2, 3 hunks, 422 lines left out]");
	CHECK_INT(type, CTX_OUTPUT_DIFF);
	for (int64_t max = 0; max < 600; max += 7)
		condense(ctx_buf_span(&text), max, NULL);
	ctx_buf_release(&text);
}

static void
plain_diffs_and_many_files(void)
{
	struct ctx_buf text = CTX_BUF_INIT;
	const char *s;

	ctx_buf_adds(&text, "commit 1234\n\n    Why it was done\n\n");
	for (int i = 0; i < 100; i++)
		ctx_buf_addf(&text,
		    "--- dir/f%d.c\t2026-01-01\n+++ dir/f%d.c\t2026-01-02\n"
		    "@@ -1 +1 @@\n-a\n+b\n",
		    i, i);
	s = condense(ctx_buf_span(&text), 120, NULL);
	CHECK(strstr(s, "Why it was done") != NULL);
	CHECK(strstr(s, "dir/f0.c +1 -1\ndir/f1.c +1 -1\n") != NULL);
	CHECK(strstr(s, " of 100 files not listed]\n[… diff of 100 files, +100 -100, ") !=
	      NULL);
	ctx_buf_release(&text);
}

static void
text_keeps_head_and_tail(void)
{
	struct ctx_buf text = CTX_BUF_INIT;
	enum ctx_output_type type;
	const char *s;

	for (int i = 0; i < 300; i++)
		ctx_buf_addf(&text, "paragraph %d of a plain story\n", i);
	s = condense(ctx_buf_span(&text), 100, &type);
	CHECK_INT(type, CTX_OUTPUT_TEXT);
	CHECK(strstr(s, "paragraph 0 of a plain story\n") == s);
	CHECK(strstr(s, "paragraph 299 of a plain story\n") != NULL);
	CHECK(strstr(s, "\n[… 2") != NULL &&
	      strstr(s, " bytes left out]\nparagraph ") != NULL);
	ctx_buf_release(&text);
}

static void
one_long_line_of_emoji(void)
{
	static const char family[] = "👩‍👩‍👧‍👦";
	struct ctx_buf text = CTX_BUF_INIT;
	const char *s;
	size_t n;

	for (int i = 0; i < 500; i++)
		ctx_buf_adds(&text, family);
	for (int64_t max = 30; max < 400; max += 9) {
		s = condense(ctx_buf_span(&text), max, NULL);
		for (n = 0; strncmp(s, family, strlen(family)) == 0; n++)
			s += strlen(family);
		if (*s == ' ')
			s++;
		CHECK(max < 80 || n > 0);
		CHECK(*s == '\0' || strncmp(s, "[… ", strlen("[… ")) == 0);
		s += strcspn(s, "]");
		for (s += *s == ']';
		     *s == ' ' || strncmp(s, family, strlen(family)) == 0;)
			s += *s == ' ' ? 1 : strlen(family);
		CHECK(*s == '\0');
	}
	ctx_buf_release(&text);
}

static void
detection(void)
{
	CHECK_INT(ctx_summary_detect(ctx_span_of("")), CTX_OUTPUT_TEXT);
	CHECK_INT(ctx_summary_detect(ctx_span_of(" [1,2] ")), CTX_OUTPUT_JSON);
	CHECK_INT(ctx_summary_detect(ctx_span_of("[1,2")), CTX_OUTPUT_TEXT);
	CHECK_INT(ctx_summary_detect(ctx_span_of("--- a list\n+++ of signs\n")),
	    CTX_OUTPUT_TEXT);
	CHECK_INT(ctx_summary_detect(ctx_span_of("--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n")),
	    CTX_OUTPUT_DIFF);
	CHECK_INT(
	    ctx_summary_detect(ctx_span_of("[INFO] a\n[WARN] b\n[INFO] c\n[INFO] d\n")),
	    CTX_OUTPUT_LOG);
	CHECK_INT(ctx_summary_detect(
		      ctx_span_of("Jan  2 10:00:00 host x\nJan  2 10:00:01 host y\n"
				  "Jan  2 10:00:02 host z\nmore\nJan  2 10:00:03 h")),
	    CTX_OUTPUT_LOG);
}

int
main(void)
{
	struct ctx_err err = CTX_ERR_INIT;

	if (ctx_tokenizer_open(&t, "approx", NULL, &err) < 0)
		return 1;
	RUN(json_keeps_shape_and_sizes);
	RUN(json_edges);
	RUN(logs_keep_ends_and_errors);
	RUN(diffs_list_files);
	RUN(plain_diffs_and_many_files);
	RUN(text_keeps_head_and_tail);
	RUN(one_long_line_of_emoji);
	RUN(detection);
	ctx_tokenizer_close(t);
	return TEST_END();
}
