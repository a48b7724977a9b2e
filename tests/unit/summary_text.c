#include "test.h"

#include <stdlib.h>

#include "base/utf8.h"
#include "summary/internal.h"

/* Sentences joined by '|'. */
static const char *
split(const char *text)
{
	static struct ctx_buf out;
	struct ctx_summary_sentences it;
	struct ctx_span s;

	ctx_buf_reset(&out);
	ctx_summary_sentences_init(&it, ctx_span_of(text));
	while (ctx_summary_sentences_next(&it, &s)) {
		if (out.n > 0)
			ctx_buf_addc(&out, '|');
		ctx_buf_addspan(&out, s);
	}
	ctx_buf_addc(&out, '\0');
	return out.p;
}

static void
sentences_by_script(void)
{
	CHECK_STR(split("One. Two! Three? Four"), "One.|Two!|Three?|Four");
	CHECK_STR(
	    split("He said \"Stop.\" Then he left."), "He said \"Stop.\"|Then he left.");
	CHECK_STR(
	    split("今天下雨。你带伞了吗？带了！"), "今天下雨。|你带伞了吗？|带了！");
	CHECK_STR(split("雨です。「傘は？」はい。"), "雨です。|「傘は？」|はい。");
	CHECK_STR(split("यह पहला वाक्य है। यह दूसरा है।"), "यह पहला वाक्य है।|यह दूसरा है।");
	CHECK_STR(split("هل وصلت؟ نعم. شكرا"), "هل وصلت؟|نعم.|شكرا");
	CHECK_STR(split("Բարեւ։ Ինչպես ես"), "Բարեւ։|Ինչպես ես");
	CHECK_STR(split("ሰላም። ደህና"), "ሰላም።|ደህና");
}

static void
full_stops_that_end_nothing(void)
{
	CHECK_STR(split("See Dr. Smith, e.g. at 3.14 or foo.c. Then go."),
	    "See Dr. Smith, e.g. at 3.14 or foo.c.|Then go.");
	CHECK_STR(split("J. R. Tolkien wrote. it all"), "J. R. Tolkien wrote. it all");
	CHECK_STR(split("1. First\n2. Second"), "1. First|2. Second");
	CHECK_STR(split("https://a.b/c?d=e! Yes"), "https://a.b/c?d=e!|Yes");
	CHECK_STR(split(" \n\n  a\r\n\n b  \n"), "a|b");
	CHECK_STR(split(""), "");
}

static void
long_sentences_become_clauses(void)
{
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_summary_sentences it;
	struct ctx_span s;
	size_t n = 0, bytes = 0;

	for (int i = 0; i < 100; i++)
		ctx_buf_addf(&text, "\"key%d\": \"value %d\", ", i, i);
	for (int i = 0; i < 2000; i++)
		ctx_buf_adds(&text, "字");
	ctx_summary_sentences_init(&it, ctx_buf_span(&text));
	for (; ctx_summary_sentences_next(&it, &s); n++) {
		CHECK(s.n <= 240);
		CHECK(ctx_utf8_valid(s.p, s.n) == s.n);
		CHECK(it.fresh == (n == 0));
		bytes += s.n;
	}
	CHECK(n >= 8000 / 240);
	CHECK(bytes + n >= text.n && bytes <= text.n);
	ctx_buf_release(&text);
}

static void
questions(void)
{
	CHECK(ctx_summary_asks(ctx_span_of("Why?")));
	CHECK(ctx_summary_asks(ctx_span_of("为什么？")));
	CHECK(ctx_summary_asks(ctx_span_of("لماذا؟")));
	CHECK(!ctx_summary_asks(ctx_span_of("GET /a?b=c")));
	CHECK(!ctx_summary_asks(ctx_span_of("No.")));
}

static size_t
count_words(const char *text)
{
	struct ctx_buf scratch = CTX_BUF_INIT;
	struct ctx_summary_words it;
	struct ctx_summary_word w;
	size_t n = 0;

	ctx_summary_words_init(&it, ctx_span_of(text), &scratch);
	while (ctx_summary_words_next(&it, &w))
		n++;
	ctx_buf_release(&scratch);
	return n;
}

static uint64_t
first_word(const char *text)
{
	struct ctx_buf scratch = CTX_BUF_INIT;
	struct ctx_summary_words it;
	struct ctx_summary_word w = {0};

	ctx_summary_words_init(&it, ctx_span_of(text), &scratch);
	ctx_summary_words_next(&it, &w);
	ctx_buf_release(&scratch);
	return w.hash;
}

static void
words_by_script(void)
{
	CHECK_INT(count_words("Don't panic, now."), 3);
	CHECK_INT(count_words("數據庫很慢"), 4); /* pairs of five letters */
	CHECK_INT(count_words("मैं घर गया"), 3);
	CHECK_INT(count_words("ذهبت إلى البيت"), 3);
	CHECK(first_word("ÉCOLE") == first_word("école"));
	CHECK(first_word("ОШИБКА") == first_word("ошибка"));
	CHECK(first_word("one") != first_word("two"));
}

static void
graphemes_stay_whole(void)
{
	static const char family[] = "👩‍👩‍👧‍👦", flag[] = "🇩🇪",
			  thumb[] = "👍🏽";
	struct ctx_buf text = CTX_BUF_INIT;
	size_t ends[6], n = 0;

	ends[n++] = 0;
	ctx_buf_adds(&text, family);
	ends[n++] = text.n;
	ctx_buf_adds(&text, flag);
	ends[n++] = text.n;
	ctx_buf_adds(&text, flag);
	ends[n++] = text.n;
	ctx_buf_adds(&text, thumb);
	ends[n++] = text.n;
	ctx_buf_adds(&text, "e\xcc\x81\xcc\x82");
	ends[n++] = text.n;
	for (size_t k = 0, at = 0; k <= text.n + 3; k++) {
		while (at + 1 < n && ends[at + 1] <= k)
			at++;
		CHECK_INT(ctx_grapheme_before(text.p, text.n, k), ends[at]);
	}
	for (size_t i = 0; i + 1 < n; i++)
		CHECK_INT(ctx_grapheme_after(text.p, text.n, ends[i] + 1), ends[i + 1]);
	CHECK_INT(ctx_grapheme_before("a\r\nb", 4, 2), 1);
	ctx_buf_release(&text);
}

static void
head_and_tail_fit(void)
{
	static const char *const bits[] = {"word ", "👩‍👩‍👧‍👦", "字",
	    "🇩🇪", "e\xcc\x81", "\n", "42", "हिन्दी", "각"};
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_tokenizer *t;
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_span s;
	size_t n;

	srand(7);
	for (int i = 0; i < 800; i++)
		ctx_buf_adds(&text, bits[(size_t)rand() % 9]);
	s = ctx_buf_span(&text);
	for (int which = 0; which < 2; which++) {
		CHECK(
		    ctx_tokenizer_open(&t, which ? "chars4" : "approx", NULL, &err) == 0);
		for (int64_t max = 0; max < 1500; max += 7) {
			n = ctx_summary_head(s, t, max);
			CHECK(n == 0 || ctx_tokens_text(t, s.p, n) <= max);
			CHECK_INT(ctx_grapheme_before(s.p, s.n, n), n);
			CHECK(max < 20 || n > 0);
			n = ctx_summary_tail(s, t, max);
			CHECK(n == 0 || ctx_tokens_text(t, s.p + s.n - n, n) <= max);
			CHECK_INT(ctx_grapheme_before(s.p, s.n, s.n - n), s.n - n);
			CHECK(max < 20 || n > 0);
		}
		CHECK_INT(ctx_summary_head(s, t, INT64_MAX), s.n);
		CHECK_INT(ctx_summary_tail(s, t, INT64_MAX), s.n);
		ctx_tokenizer_close(t);
	}
	ctx_buf_release(&text);
}

int
main(void)
{
	RUN(sentences_by_script);
	RUN(full_stops_that_end_nothing);
	RUN(long_sentences_become_clauses);
	RUN(questions);
	RUN(words_by_script);
	RUN(graphemes_stay_whole);
	RUN(head_and_tail_fit);
	return TEST_END();
}
