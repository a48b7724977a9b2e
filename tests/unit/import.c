/* Importing: values cut from files of any layout, payloads that keep their bytes, pieces
 * that are joined. */
#define _GNU_SOURCE /* memfd_create */
#include "test.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "import/import.h"
#include "json/jq.h"
#include "json/json.h"
#include "random.h"

/* ---- random values, as text ---- */

static void
add_number(struct ctx_buf *b)
{
	static const char *const odd[] = {"0", "-0", "1.0", "1.50", "1e2", "1E+2", "0.1",
	    "1e400", "-1e-400", "12345678901234567890", "12345678901234567891",
	    "9007199254740993", "100000000000000000000000000001",
	    "3.14159265358979323846", "5", "5.0", "-17", "999999999999999",
	    "1000000000000000", "0e0", "0.0", "2.5e-3"};

	ctx_buf_adds(b, odd[random_below(sizeof(odd) / sizeof(odd[0]))]);
}

static void
add_string(struct ctx_buf *b)
{
	static const char *const odd[] = {"\"\"", "\"a\"", "\"\\u0061\"", "\"\\/\"",
	    "\"/\"", "\"\\ud83d\\ude00\"", "\"\xf0\x9f\x98\x80\"", "\"\\u0000x\"",
	    "\"\\n\\t\\\\\"", "\"$json\"", "\"1\"", "\"\x7f\""};

	ctx_buf_adds(b, odd[random_below(sizeof(odd) / sizeof(odd[0]))]);
}

static void
add_value(struct ctx_buf *b, int depth)
{
	static const char *const keys[] = {
	    "\"a\"", "\"b\"", "\"\\u0061\"", "\"z\"", "\"$json\""};
	unsigned kind = (unsigned)random_below(depth > 0 ? 6 : 3), n;

	if (kind == 0) {
		add_number(b);
	} else if (kind == 1) {
		add_string(b);
	} else if (kind == 2) {
		static const char *const words[] = {"true", "false", "null"};
		ctx_buf_adds(b, words[random_below(3)]);
	} else {
		bool object = kind > 3;
		ctx_buf_addc(b, object ? '{' : '[');
		n = (unsigned)random_below(5);
		for (unsigned i = 0; i < n; i++) {
			if (i > 0)
				ctx_buf_addc(b, ',');
			if (object) {
				ctx_buf_adds(b, keys[random_below(5)]);
				ctx_buf_addc(b, ':');
			}
			add_value(b, depth - 1);
		}
		ctx_buf_addc(b, object ? '}' : ']');
	}
}

/* ---- programs ---- */

static int
collect(void *arg, struct ctx_span json, struct ctx_err *err)
{
	struct ctx_buf *b = arg;

	(void)err;
	if (b->n > 0)
		ctx_buf_addc(b, '\n');
	ctx_buf_addspan(b, json);
	return 0;
}

static char *
run(struct ctx_jq *q, const char *json)
{
	struct ctx_jq_input in = {"record", ctx_span_of(json)};
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_buf out = CTX_BUF_INIT;

	if (ctx_jq_run(q, &in, 1, collect, &out, &err) < 0) {
		ctx_buf_reset(&out);
		ctx_buf_adds(&out, err.msg);
	}
	return ctx_buf_detach(&out);
}

static struct ctx_jq *
program(const char *text)
{
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_jq *q = NULL;

	CHECK(ctx_jq_open(&q, ctx_span_of(text), "test", &err) == 0);
	CHECK_STR(err.msg, "");
	return q;
}

/* What is passed on keeps its bytes wherever it goes, and what is changed is changed. */
static void
bytes_stay(void)
{
	struct ctx_jq *same = program(".record");
	struct ctx_jq *moved = program(
	    ".record as $r | {x: [$r, $r], y: ($r | tojson | length > 0)}");
	struct ctx_jq *changed = program(
	    ".record as $r | [$r, ($r | if type == \"object\" then .new = 1 "
	    "elif type == \"array\" then . + [1] else 1 end), $r]");

	for (int i = 1; i <= 3000; i++) {
		struct ctx_buf json = CTX_BUF_INIT, want = CTX_BUF_INIT;
		char *got;
		random_state = (uint64_t)i << 20;
		add_value(&json, 5);
		got = run(same, json.p);
		CHECK_STR(got, json.p);
		free(got);
		ctx_buf_addf(&want, "{\"x\":[%s,%s],\"y\":true}", json.p, json.p);
		got = run(moved, json.p);
		CHECK_STR(got, want.p);
		free(got);
		got = run(changed, json.p);
		CHECK(strncmp(got + 1, json.p, json.n) == 0);
		CHECK(strlen(got) > 2 * json.n &&
		      strncmp(got + strlen(got) - 1 - json.n, json.p, json.n) == 0);
		CHECK(strlen(got) > 2 * json.n + 2 && got[json.n + 1] == ',' &&
		      strchr(got + json.n + 1, '1') != NULL);
		free(got);
		ctx_buf_release(&json);
		ctx_buf_release(&want);
	}
	ctx_jq_close(same);
	ctx_jq_close(moved);
	ctx_jq_close(changed);
}

/* Numbers by themselves, and what a program computes. */
static void
lone_numbers(void)
{
	struct ctx_jq *q = program(".record | [.[], (.[2] + .[2])]");
	char *got = run(q, "[12345678901234567890,12345678901234567891,5,5.0,1e400,0.1]");

	CHECK_STR(got, "[12345678901234567890,12345678901234567891,5,5.0,1e400,0.1,10]");
	free(got);
	ctx_jq_close(q);
}

static void
text_as_json(void)
{
	struct ctx_jq *q = program("{a: {\"$json\": .record}}");
	char *got = run(q, "\"{\\\"n\\\": 1.50, \\\"n\\\":[ ]}\"");

	CHECK_STR(got, "{\"a\":{\"n\":1.50,\"n\":[]}}");
	free(got);
	got = run(q, "\"{oops\"");
	CHECK_STR(got, "{\"a\":{\"$json\":\"{oops\"}}");
	free(got);
	ctx_jq_close(q);
}

/* The other way: JSON into a string, with the bytes that it had. */
static void
json_as_text(void)
{
	struct ctx_jq *q = program(
	    ".record as $r | {\"$text\": $r}, "
	    "{\"$text\": {new: $r}}, {\"$lines\": [\"a\\\"\", $r, {\"$text\": 1}]}, "
	    "{\"$lines\": []}, {\"$lines\": 1}, {\"$text\": 1, b: 2}");
	char *got = run(q, "{\"n\": 1.10, \"n\":\"\\u0041\"}");

	CHECK_STR(got,
	    "\"{\\\"n\\\":1.10,\\\"n\\\":\\\"\\\\u0041\\\"}\"\n"
	    "\"{\\\"new\\\":{\\\"n\\\":1.10,\\\"n\\\":\\\"\\\\u0041\\\"}}\"\n"
	    "\"a\\\"\\n{\\\"n\\\":1.10,\\\"n\\\":\\\"\\\\u0041\\\"}\\n\\\"1\\\"\"\n"
	    "\"\"\n{\"$lines\":1}\n{\"$text\":1,\"b\":2}");
	free(got);
	got = run(q, "12345678901234567890");
	CHECK(strncmp(got, "\"12345678901234567890\"\n", 23) == 0);
	free(got);
	ctx_jq_close(q);
}

static void
failures(void)
{
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_jq *q;
	char *got;

	CHECK_INT(ctx_jq_open(&q, ctx_span_of("oops("), "test", &err), -1);
	CHECK_INT(err.code, CTX_EUSAGE);
	CHECK(q == NULL);
	q = program("1, error(\"no\"), 2");
	got = run(q, "null");
	CHECK_STR(got, "test: no");
	free(got);
	ctx_jq_close(q);
	q = program("reduce range(5000) as $i (0; [.])");
	got = run(q, "null");
	CHECK(strstr(got, "too deep") != NULL);
	free(got);
	ctx_jq_close(q);
}

/* ---- cutting ---- */

/* What becomes of a value, rc > 0, or of text that is none. */
typedef void tell_fn(
    struct ctx_buf *out, const struct ctx_cut *c, int rc, struct ctx_span value);

static char *
cut_up(struct ctx_span text, size_t max, tell_fn *tell)
{
	struct ctx_buf out = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_span v = CTX_SPAN_NONE;
	struct ctx_cut *c;
	int fd = memfd_create("cut", 0), rc;

	CHECK(
	    write(fd, text.p, text.n) == (ssize_t)text.n && lseek(fd, 0, SEEK_SET) == 0);
	c = ctx_cut_new(fd, "test", max);
	while ((rc = ctx_cut_next(c, &v, &err)) != 0) {
		tell(&out, c, rc, v);
		err.code = CTX_OK;
	}
	ctx_cut_free(c);
	close(fd);
	return ctx_buf_detach(&out);
}

static void
tell_value(struct ctx_buf *out, const struct ctx_cut *c, int rc, struct ctx_span value)
{
	(void)c;
	if (rc > 0)
		ctx_json_minify(value, out);
	else
		ctx_buf_adds(out, "BAD");
	ctx_buf_addc(out, '\n');
}

static void
tell_line(struct ctx_buf *out, const struct ctx_cut *c, int rc, struct ctx_span value)
{
	(void)value;
	ctx_buf_addf(out, "%s%lld ", rc < 0 ? "!" : "", (long long)ctx_cut_line(c));
}

static char *
values_of(struct ctx_span text, size_t max)
{
	return cut_up(text, max, tell_value);
}

/* The same values come out of every layout. */
static void
layouts(void)
{
	for (int i = 1; i <= 500; i++) {
		struct ctx_buf lines = CTX_BUF_INIT, array = CTX_BUF_INIT,
			       spread = CTX_BUF_INIT;
		unsigned n = 1 + (unsigned)random_below(8);
		char *got;
		random_state = (uint64_t)i << 20;
		ctx_buf_adds(&array, "\xef\xbb\xbf [ ");
		for (unsigned k = 0; k < n; k++) {
			struct ctx_buf v = CTX_BUF_INIT;
			ctx_buf_adds(&v, "{\"v\":");
			add_value(&v, 4);
			ctx_buf_adds(&v, ",\"braces\":\"}]{[\\\"\"}");
			ctx_buf_addf(&lines, "%s\n", v.p);
			ctx_buf_addf(&array, "%s%s\n", k > 0 ? "," : "", v.p);
			ctx_buf_addf(&spread, "{\n%s\n", v.p + 1);
			ctx_buf_release(&v);
		}
		ctx_buf_adds(&array, "]\n");
		got = values_of(ctx_buf_span(&lines), 1 << 20);
		CHECK_STR(got, lines.p);
		free(got);
		got = values_of(ctx_buf_span(&array), 1 << 20);
		CHECK_STR(got, lines.p);
		free(got);
		got = values_of(ctx_buf_span(&spread), 1 << 20);
		CHECK_STR(got, lines.p);
		free(got);
		ctx_buf_release(&lines);
		ctx_buf_release(&array);
		ctx_buf_release(&spread);
	}
}

static void
check_values(const char *text, size_t max, const char *want)
{
	char *got = values_of(ctx_span_of(text), max);

	CHECK_STR(got, want);
	free(got);
}

static void
odd_files(void)
{
	check_values("", 100, "");
	check_values(" \n\t ", 100, "");
	check_values("[]", 100, "");
	check_values("[1,\"a\",null,[2],{}]", 100, "1\n\"a\"\nnull\n[2]\n{}\n");
	check_values("[1]\n[2]\n", 100, "[1]\n[2]\n");
	check_values("{\"a\":1}\n{broken\n{\"b\":2}", 100, "{\"a\":1}\nBAD\n{\"b\":2}\n");
	check_values("{\"a\":1}\n{\"long\":\"xxxxxxxxxxxxxxxxxxxx\"}\n{\"b\":2}\n", 12,
	    "{\"a\":1}\nBAD\n{\"b\":2}\n");
	check_values("[{\"a\":1},{\"b\":", 100, "{\"a\":1}\nBAD\n");
	check_values(
	    "[{\"a\":1},{\"long\":\"x]}xxxxxxxxxxxxxxxxxx\",\"k\":[{}]},{\"b\":2}]", 12,
	    "{\"a\":1}\nBAD\n{\"b\":2}\n");
	check_values("no json", 100, "BAD\n");
}

static void
check_lines(struct ctx_span text, const char *want)
{
	char *got = cut_up(text, 1 << 20, tell_line);

	CHECK_STR(got, want);
	free(got);
}

#define TEXT(s) ((struct ctx_span){s, sizeof(s) - 1})

/* What is no value goes, and nothing behind it does. */
static void
odd_lines(void)
{
	struct ctx_buf far = CTX_BUF_INIT;

	check_lines(TEXT("{\"a\":1}\n\0\0\0\n{\"b\":2}\n"), "1 !2 3 ");
	check_lines(TEXT("\0\0{\"a\":1}\n{\"b\":2}\0\0\n{\"c\":3}"), "!1 1 2 !2 3 ");
	check_lines(TEXT("\0\0\n\0\n[{\"a\":1},\0\n{\"b\":2}]\0"), "!1 !2 3 !3 4 !4 ");
	check_lines(TEXT("{\"a\":\"x\0\"}\n{\"b\":2}\n"), "!1 2 ");
	check_lines(
	    TEXT("oops\n\noops, twice\n{\"a\":1}\n{broken\n{\"b\":2}"), "!1 !3 4 !5 6 ");
	check_lines(TEXT("oops\n[{\"a\":1},\n{\"b\":2}]"), "!1 2 3 ");
	check_lines(TEXT("{\"cut\":\"o\n{\"a\":1}\n{broken\n{\"b\":2}"), "!1 2 !3 4 ");
	check_lines(TEXT("{\"cut\":\"o\n{\"cut\":\"t\n{\"a\":1}\n"), "!1 !2 3 ");
	check_lines(
	    TEXT("{\"a\":\"\\ud800\"}\n{\"a\":1}\n{broken\n{\"b\":2}"), "!1 2 !3 4 ");
	check_lines(
	    TEXT("{\"a\":[\n{\"b\":1}\n]}\n{\"a\":[\n{\"b\":1},\n{}\n]}"), "1 4 ");
	/* across what is read at once */
	ctx_buf_adds(&far, "{\"a\":1}\n");
	for (int i = 0; i < 300000; i++)
		ctx_buf_addc(&far, '\0');
	for (int i = 0; i < 20000; i++)
		ctx_buf_adds(&far, "\n \t");
	ctx_buf_adds(&far, "{\"b\":2}\n");
	check_lines(ctx_buf_span(&far), "1 !2 20002 ");
	ctx_buf_release(&far);
}

/* ---- pieces ---- */

static int
keep(void *arg, struct ctx_span record, struct ctx_err *err)
{
	struct ctx_buf *b = arg, tmp = CTX_BUF_INIT;

	(void)err;
	ctx_buf_addspan(b, ctx_json_text(ctx_json_get(record, "id"), &tmp));
	ctx_buf_addc(b, '(');
	CTX_JSON_EACH(it, ctx_json_get(ctx_json_get(record, "message"), "content"))
		ctx_buf_addspan(b, it.value);
	ctx_buf_adds(b, ") ");
	ctx_buf_release(&tmp);
	return 0;
}

/* Each value: [session, id, join or null, between]. */
static void
pieces(void)
{
	static const char text[] = ".record as [$s, $id, $join, $between] | {kind: "
				   "\"message\", session_id: $s, id: $id, "
				   "join: $join, between: $between, message: {role: "
				   "\"user\", content: [1, $id]}}";
	static const char *const in[] = {"[\"s\",\"a\",\"k\",null]",
	    "[\"s\",\"r\",null,true]", "[\"t\",\"x\",\"k\",null]",
	    "[\"s\",\"b\",\"k\",null]", "[\"s\",\"q\",null,true]",
	    "[\"s\",\"c\",\"l\",null]", "[\"s\",\"u\",null,null]",
	    "[\"s\",\"d\",\"l\",null]"};
	struct ctx_import_options o = {
	    .format = "test", .program = ctx_span_of(text), .max_all = 1000};
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_buf out = CTX_BUF_INIT;
	struct ctx_import *im;

	CHECK(ctx_import_open(&im, &o, keep, &out, &err) == 0);
	ctx_import_begin(im, "dir/name.jsonl");
	for (size_t i = 0; i < sizeof(in) / sizeof(in[0]); i++)
		CHECK(ctx_import_add(im, ctx_span_of(in[i]), &err) == 0);
	CHECK(ctx_import_end(im, &err) == 0);
	CHECK_STR(err.msg, "");
	CHECK_STR(out.p, "a(1\"a\"1\"b\") r(1\"r\") q(1\"q\") c(1\"c\") u(1\"u\") "
			 "x(1\"x\") d(1\"d\") ");
	ctx_import_close(im);
	ctx_buf_release(&out);
}

int
main(void)
{
	RUN(bytes_stay);
	RUN(lone_numbers);
	RUN(text_as_json);
	RUN(json_as_text);
	RUN(failures);
	RUN(layouts);
	RUN(odd_files);
	RUN(odd_lines);
	RUN(pieces);
	return TEST_END();
}
