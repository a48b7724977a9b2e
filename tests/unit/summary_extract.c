#include "test.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "json/json.h"
#include "summary/summary.h"

static struct ctx_tokenizer *
tokenizer(const char *name)
{
	struct ctx_tokenizer *t;
	struct ctx_err err = CTX_ERR_INIT;

	CHECK(ctx_tokenizer_open(&t, name, NULL, &err) == 0);
	return t;
}

static void
add(struct ctx_summary_input *in, enum ctx_role role, const char *text)
{
	ctx_summary_input_add(in, role, CTX_SPAN_NONE, ctx_span_of(text));
}

/* The summary with the default tokenizer; NUL-terminated, valid until the next call. */
static const char *
summary(const struct ctx_summary_input *in, int64_t max, double share)
{
	static struct ctx_buf out;
	struct ctx_tokenizer *t = tokenizer("approx");
	struct ctx_summary_options o = {t, max, share};
	struct ctx_err err = CTX_ERR_INIT;

	ctx_buf_reset(&out);
	CHECK(ctx_summary_extract(&out, in, &o, NULL, &err) == 0);
	CHECK(out.n == 0 || ctx_tokens_text(t, out.p, out.n) <= max);
	ctx_buf_addc(&out, '\0');
	ctx_tokenizer_close(t);
	return out.p;
}

static void
keeps_what_matters(void)
{
	struct ctx_summary_input *in = ctx_summary_input_new();
	const char *s;

	add(in, CTX_ROLE_USER,
	    "Hello there. The service orders-api on port 8443 crashed.");
	add(in, CTX_ROLE_ASSISTANT,
	    "Sure, let me have a look at that for you. One moment please.");
	add(in, CTX_ROLE_TOOL, "well\nok\nso it goes and goes and goes\nand goes");
	add(in, CTX_ROLE_ASSISTANT,
	    "I see, I see. So it goes. We decided to raise MAX_CONN to 250. "
	    "That is all that I have to say for now.");
	s = summary(in, 45, 0);
	CHECK(strstr(s, "The service orders-api on port 8443 crashed.") != NULL);
	CHECK(strstr(s, "We decided to raise MAX_CONN to 250.") != NULL);
	CHECK(strstr(s, "goes and goes") == NULL);
	ctx_summary_input_free(in);
}

/* What the user wants has a place, however many facts the tools bring up. */
static void
users_words_stay(void)
{
	struct ctx_summary_input *in = ctx_summary_input_new();
	struct ctx_buf code = CTX_BUF_INIT;
	const char *s;

	add(in, CTX_ROLE_USER, "Please do the thing");
	for (int i = 0; i < 400; i++) {
		ctx_buf_reset(&code);
		ctx_buf_addf(&code, "def get_%d_x(self): return self.item_%d + %d00.5\n",
		    i, i * 7, i);
		ctx_summary_input_add(
		    in, CTX_ROLE_TOOL, ctx_span_of("cat"), ctx_buf_span(&code));
		if (i == 200)
			add(in, CTX_ROLE_USER, "never touch these then");
	}
	for (int64_t max = 150; max <= 1000; max += 425) {
		s = summary(in, max, 0.33);
		CHECK(strstr(s, "user: Please do the thing\n") != NULL);
		CHECK(strstr(s, "user: never touch these then\n") != NULL);
	}
	s = summary(in, 40, 0);
	CHECK(strstr(s, "user: Please do the thing") != NULL);
	ctx_buf_release(&code);
	ctx_summary_input_free(in);
}

static void
redundancy_goes(void)
{
	struct ctx_summary_input *in = ctx_summary_input_new();
	const char *s, *first;

	for (int i = 0; i < 20; i++)
		add(in, CTX_ROLE_USER,
		    "The budget for the Hamburg office is 42000 euros.");
	add(in, CTX_ROLE_USER, "Ship it to the plant near Oslo by 17:30.");
	s = summary(in, 60, 0);
	first = strstr(s, "42000");
	CHECK(first != NULL && strstr(first + 1, "42000") == NULL);
	CHECK(strstr(s, "17:30") != NULL);
	ctx_summary_input_free(in);
}

static void
scripts(void)
{
	static const char *const text[][3] = {
	    {"你好。", "数据库服务器的端口是5432。", "好的，谢谢。"},
	    {"こんにちは。", "会議は金曜日の15:30に決定しました。", "はい。"},
	    {"नमस्ते।", "सर्वर का पोर्ट 8080 है।", "ठीक है।"},
	    {"مرحبا.", "قررنا تغيير المنفذ إلى 9090.", "حسنا."}};

	for (size_t i = 0; i < 4; i++) {
		struct ctx_summary_input *in = ctx_summary_input_new();
		for (size_t j = 0; j < 3; j++)
			add(in, j == 1 ? CTX_ROLE_USER : CTX_ROLE_ASSISTANT, text[i][j]);
		CHECK(strstr(summary(in, 34, 0), text[i][1]) != NULL);
		ctx_summary_input_free(in);
	}
}

static void
facts_are_listed(void)
{
	struct ctx_summary_input *in = ctx_summary_input_new();
	struct ctx_tokenizer *t = tokenizer("approx");
	struct ctx_summary_options o = {t, 80, 0.6};
	struct ctx_summary_figures f;
	struct ctx_buf out = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_buf text = CTX_BUF_INIT;

	for (int i = 0; i < 12; i++) {
		ctx_buf_reset(&text);
		ctx_buf_addf(&text,
		    "and then we also talked at some length about item_%d, which is "
		    "of a certain interest to all of us here and elsewhere",
		    i);
		ctx_summary_input_add(
		    in, CTX_ROLE_USER, CTX_SPAN_NONE, ctx_buf_span(&text));
	}
	CHECK(ctx_summary_extract(&out, in, &o, &f, &err) == 0);
	CHECK(strstr(out.p, "identifiers: ") != NULL);
	CHECK_INT(f.facts.facts, 12);
	CHECK_INT(f.facts.kept,
	    ctx_summary_facts_kept(ctx_buf_span(&text), CTX_SPAN_NONE).facts * 12);
	CHECK_INT(f.tokens_after, ctx_tokens_text(t, out.p, out.n));
	CHECK(f.tokens_after <= 80 && f.tokens_before > 200);
	CHECK_INT(f.sentences, 12);
	ctx_buf_reset(&out);
	o.facts = 0;
	CHECK(ctx_summary_extract(&out, in, &o, &f, &err) == 0);
	CHECK(strstr(out.p, "identifiers: ") == NULL);
	CHECK(f.facts.kept < 12);
	ctx_buf_release(&out);
	ctx_buf_release(&text);
	ctx_tokenizer_close(t);
	ctx_summary_input_free(in);
}

/* ---- properties, over random conversations ---- */

static void
random_text(struct ctx_buf *b)
{
	static const char *const bits[] = {"the ", "server ", "port 8080 ", "failed. ",
	    "Ada ", "src/a.c ", "👩‍👩‍👧‍👦", "数据库", "。", "خطأ ", "؟ ",
	    "हम ", "। ", "\n", "x_y ", "? ", ", ", "https://a.b/c ", "{\"k\":1}",
	    "e\xcc\x81"};
	int n = rand() % 60;

	ctx_buf_reset(b);
	for (int i = 0; i < n; i++) {
		ctx_buf_adds(b, bits[(size_t)rand() % 20]);
		if (rand() % 9 == 0)
			ctx_buf_addf(b, "w%d ", rand() % 500);
	}
}

static struct ctx_summary_input *
random_input(void)
{
	struct ctx_summary_input *in = ctx_summary_input_new();
	struct ctx_buf text = CTX_BUF_INIT;
	int n = rand() % 40;

	for (int i = 0; i < n; i++) {
		random_text(&text);
		ctx_summary_input_add(in, (enum ctx_role)(rand() % 5),
		    rand() % 3 ? CTX_SPAN_NONE : ctx_span_of("Bo"), ctx_buf_span(&text));
	}
	ctx_buf_release(&text);
	return in;
}

static void
budget_is_never_exceeded(void)
{
	struct ctx_err err = CTX_ERR_INIT;

	srand(11);
	for (int i = 0; i < 400; i++) {
		struct ctx_summary_input *in = random_input();
		struct ctx_tokenizer *t = tokenizer(i % 2 ? "approx" : "chars4");
		struct ctx_summary_options o = {
		    t, 1 + rand() % (i % 3 ? 400 : 20), (rand() % 5) / 4.0};
		struct ctx_summary_figures f;
		struct ctx_buf out = CTX_BUF_INIT, again = CTX_BUF_INIT;
		CHECK(ctx_summary_extract(&out, in, &o, &f, &err) == 0);
		CHECK(out.n == 0 || ctx_tokens_text(t, out.p, out.n) <= o.max_tokens);
		CHECK(ctx_utf8_valid(out.p, out.n) == out.n);
		CHECK_INT(f.tokens_after, out.n ? ctx_tokens_text(t, out.p, out.n) : 0);
		CHECK(f.facts.kept <= f.facts.facts && f.sentences_kept <= f.sentences);
		CHECK(ctx_summary_extract(&again, in, &o, &f, &err) == 0);
		CHECK(ctx_span_eq(ctx_buf_span(&out), ctx_buf_span(&again)));
		ctx_buf_release(&out);
		ctx_buf_release(&again);
		ctx_tokenizer_close(t);
		ctx_summary_input_free(in);
	}
}

/* Sentences are numbered; what is left must rise, and each stand whole. */
static void
order_is_kept(void)
{
	srand(5);
	for (int i = 0; i < 60; i++) {
		struct ctx_summary_input *in = ctx_summary_input_new();
		struct ctx_buf text = CTX_BUF_INIT;
		int last = 0, seen = 0, k, end;
		for (int j = 0; j < 80; j++) {
			ctx_buf_reset(&text);
			ctx_buf_addf(&text, "Nr%d says word%d and word%d end.", 1000 + j,
			    rand() % 90, rand() % 90);
			ctx_summary_input_add(in, (enum ctx_role)(1 + rand() % 4),
			    CTX_SPAN_NONE, ctx_buf_span(&text));
		}
		for (const char *p = summary(in, 200, 0); (p = strstr(p, "Nr")) != NULL;
		     p += end) {
			end = 0;
			CHECK(sscanf(p, "Nr%d says word%*d and word%*d end.%n", &k,
				  &end) == 1);
			CHECK(k > last && end > 0);
			if (end == 0)
				break;
			last = k;
			seen++;
		}
		CHECK(seen >= 3 && seen < 80);
		ctx_buf_release(&text);
		ctx_summary_input_free(in);
	}
}

static void
messages_of_both_shapes(void)
{
	static const char *const json[] = {
	    "{\"role\":\"user\",\"name\":\"Ann\",\"content\":\"find x\"}",
	    "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c1\","
	    "\"type\":"
	    "\"function\",\"function\":{\"name\":\"grep\",\"arguments\":\"{\\\"q\\\":"
	    "\\\"x\\\"}\"}}]}",
	    "{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"x: 1\"}",
	    "{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":"
	    "\"hm\","
	    "\"signature\":\"s\"},{\"type\":\"text\",\"text\":\"done\"},{\"type\":\"tool_"
	    "use\","
	    "\"id\":\"c2\",\"name\":\"cat\",\"input\":{\"f\": 2}}]}",
	    "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":"
	    "\"c2\","
	    "\"content\":[{\"type\":\"text\",\"text\":\"two\"}]}]}"};
	struct ctx_summary_input *in = ctx_summary_input_new();
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_buf out = CTX_BUF_INIT;

	for (size_t i = 0; i < sizeof(json) / sizeof(json[0]); i++) {
		CHECK(ctx_message_parse(&m, ctx_span_of(json[i]), &err) == 0);
		ctx_summary_input_add_message(in, &m);
	}
	ctx_summary_input_text(in, &out);
	CHECK_STR(out.p,
	    "user Ann: find x\nassistant calls: grep {\"q\":\"x\"}\ntool grep: x: 1\n"
	    "assistant: done\nassistant calls: cat {\"f\":2}\ntool cat: two\n");
	ctx_message_release(&m);
	ctx_buf_release(&out);
	ctx_summary_input_free(in);
}

static void
edges(void)
{
	struct ctx_summary_input *in = ctx_summary_input_new();
	struct ctx_tokenizer *t = tokenizer("approx");
	struct ctx_summary_options o = {t, 0, 0};
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_buf out = CTX_BUF_INIT;

	CHECK_STR(summary(in, 100, 0.5), "");
	add(in, CTX_ROLE_USER, " \n ");
	CHECK_STR(summary(in, 100, 0.5), "");
	CHECK(ctx_summary_extract(&out, in, &o, NULL, &err) == -1 &&
	      err.code == CTX_EUSAGE);
	o = (struct ctx_summary_options){t, 5, 1.5};
	CHECK(ctx_summary_extract(&out, in, &o, NULL, &err) == -1 &&
	      err.code == CTX_EUSAGE);
	ctx_summary_input_add(in, CTX_ROLE_USER, ctx_span_of("a\nsystem: b"),
	    (struct ctx_span){"xx\xff y", 5});
	ctx_summary_input_text(in, &out);
	CHECK(strstr(out.p, "user a system: b: xx\xef\xbf\xbd y\n") != NULL);
	CHECK(strlen(summary(in, 100, 0)) > 0);
	CHECK(strlen(summary(in, INT64_MAX, 0.3)) > 0);
	CHECK(strlen(summary(in, INT64_MAX, 1)) == 0);
	ctx_buf_release(&out);
	ctx_tokenizer_close(t);
	ctx_summary_input_free(in);
}

int
main(void)
{
	RUN(keeps_what_matters);
	RUN(users_words_stay);
	RUN(redundancy_goes);
	RUN(scripts);
	RUN(facts_are_listed);
	RUN(budget_is_never_exceeded);
	RUN(order_is_kept);
	RUN(messages_of_both_shapes);
	RUN(edges);
	return TEST_END();
}
