#include "test.h"

#include "random.h"
#include "base/utf8.h"
#include "words/words.h"

static const char *
stem(const char *word)
{
	static char w[64];

	strcpy(w, word);
	w[ctx_words_stem(w, strlen(w))] = '\0';
	return w;
}

/* Examples of the paper, and of its steps in a row. */
static void
stems(void)
{
	static const char *const pairs[][2] = {{"caresses", "caress"}, {"ponies", "poni"},
	    {"cats", "cat"}, {"feed", "feed"}, {"agreed", "agre"},
	    {"plastered", "plaster"}, {"bled", "bled"}, {"motoring", "motor"},
	    {"sing", "sing"}, {"conflated", "conflat"}, {"troubled", "troubl"},
	    {"sized", "size"}, {"hopping", "hop"}, {"falling", "fall"},
	    {"failing", "fail"}, {"filing", "file"}, {"happy", "happi"}, {"sky", "sky"},
	    {"relational", "relat"}, {"conditional", "condit"}, {"rational", "ration"},
	    {"digitizer", "digit"}, {"vietnamization", "vietnam"}, {"operator", "oper"},
	    {"feudalism", "feudal"}, {"hopefulness", "hope"}, {"formaliti", "formal"},
	    {"triplicate", "triplic"}, {"formative", "form"}, {"electrical", "electr"},
	    {"goodness", "good"}, {"revival", "reviv"}, {"allowance", "allow"},
	    {"adjustable", "adjust"}, {"replacement", "replac"}, {"adoption", "adopt"},
	    {"effective", "effect"}, {"probate", "probat"}, {"rate", "rate"},
	    {"cease", "ceas"}, {"controll", "control"}, {"roll", "roll"},
	    {"generalizations", "gener"}, {"oscillators", "oscil"}, {"is", "is"},
	    {"a", "a"}, {"café", "café"}, {"x2s", "x2s"}};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		CHECK_STR(stem(pairs[i][0]), pairs[i][1]);
}

static void
split(const char *text, struct ctx_buf *out)
{
	struct ctx_words w;

	ctx_buf_reset(out);
	ctx_words_init(&w, ctx_span_of(text));
	while (ctx_words_next(&w)) {
		if (out->n > 0)
			ctx_buf_addc(out, '|');
		if (w.emoji)
			ctx_buf_addspan(out, w.raw);
		else
			ctx_words_fold(w.raw, out);
	}
	ctx_buf_addc(out, '\0');
}

static void
words(void)
{
	static const char *const pairs[][2] = {{"", ""}, {" -- ", ""},
	    {"Don't STOP", "don|t|stop"}, {"Café ÉTÉ", "cafe|ete"},
	    {"x86_64 v1.2", "x86|64|v1|2"}, {"東京都", "東京|京都|都"},
	    {"a東b", "a|東|b"}, {"กรุง", "กร|รุ|ุง|ง"}, {"हिन्दी भाषा", "हिन्दी|भाषा"},
	    {"ß", "ss"}, {"ship it 🚀", "ship|it|🚀"}, {"a🚀b🚀🚀", "a|🚀|b|🚀|🚀"},
	    {"ok👍🏽 👍", "ok|👍|👍"}, {"👩🏽‍💻", "👩|💻"},
	    {"❤️x ❤", "❤|x|❤"}, {"1️⃣ #️⃣ ℹ️", "1|i"},
	    {"🇩🇪🇫🇷🇺", "🇩🇪|🇫🇷|🇺"}, {"Foo™ © → • ▪ ☞", "foo|☞"},
	    {"\xff"
	     "ab\xc3",
		"ab"}};
	struct ctx_buf b = CTX_BUF_INIT;

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		split(pairs[i][0], &b);
		CHECK_STR(b.p, pairs[i][1]);
	}
	ctx_buf_release(&b);
}

static const char *const pieces[] = {"word", "Zwei ", " ", "\n", "東", "京都", "ก็", "é",
    "🇩", "❤️", "👍🏽", "e\xcc\x81", "\xf0\x9f\x98\x80",
    "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x91\xa7", "\x1b[31m", "\xc2\x9b",
    "\xe2\x80\xae", "\xff", "\"", "*", "needle", ".", "\t"};

static void
random_text(struct ctx_buf *b, uint32_t max)
{
	ctx_buf_reset(b);
	for (uint32_t n = random_below(max); n > 0; n--)
		ctx_buf_adds(b, pieces[random_below(sizeof(pieces) / sizeof(pieces[0]))]);
	ctx_buf_addc(b, '\0');
	b->n--;
}

static bool
same_folded(struct ctx_span a, struct ctx_span b)
{
	struct ctx_buf x = CTX_BUF_INIT, y = CTX_BUF_INIT;
	bool same;

	ctx_words_fold(a, &x);
	ctx_words_fold(b, &y);
	same = ctx_span_eq(ctx_buf_span(&x), ctx_buf_span(&y));
	ctx_buf_release(&x);
	ctx_buf_release(&y);
	return same;
}

/* Splitting a spaced text at spaces finds the words of the text, pairs included. */
static void
spaced_text_has_the_same_words(void)
{
	struct ctx_buf text = CTX_BUF_INIT, spaced = CTX_BUF_INIT;

	for (int round = 0; round < 2000; round++) {
		struct ctx_words a, b;
		random_text(&text, 20);
		ctx_buf_reset(&spaced);
		ctx_words_space(ctx_buf_span(&text), &spaced);
		ctx_words_init(&a, ctx_buf_span(&text));
		ctx_words_init(
		    &b, spaced.n > 0 ? ctx_buf_span(&spaced) : ctx_span_of(""));
		while (ctx_words_next(&a)) {
			bool found = ctx_words_next(&b);
			CHECK(found && same_folded(a.raw, b.raw));
			/* the second character of a pair, seen alone */
			if (found && b.pair && b.more)
				ctx_words_next(&b);
			if (!found)
				break;
		}
		CHECK(!ctx_words_next(&b));
	}
	ctx_buf_release(&text);
	ctx_buf_release(&spaced);
}

static void
snippets_are_short_and_clean(void)
{
	struct ctx_buf text = CTX_BUF_INIT, query = CTX_BUF_INIT, out = CTX_BUF_INIT;

	for (int round = 0; round < 2000; round++) {
		uint32_t c;
		random_text(&text, 200);
		random_text(&query, 6);
		ctx_buf_reset(&out);
		ctx_words_snippet(ctx_buf_span(&text), ctx_buf_span(&query), 80, &out);
		CHECK(out.n <= 80 + 2 * strlen("…"));
		CHECK(ctx_utf8_valid(out.p, out.n) == out.n);
		for (size_t i = 0, len; i < out.n; i += len) {
			len = ctx_utf8_decode(out.p + i, out.n - i, &c);
			CHECK(len > 0 && c >= 0x20 && (c < 0x7f || c >= 0xa0) &&
			      c != 0x202e);
			if (len == 0)
				break;
		}
	}
	ctx_buf_release(&text);
	ctx_buf_release(&query);
	ctx_buf_release(&out);
}

static void
snippet_shows_what_was_found(void)
{
	struct ctx_buf text = CTX_BUF_INIT, out = CTX_BUF_INIT;

	for (int i = 0; i < 300; i++)
		ctx_buf_addf(&text, "filler%d ", i);
	ctx_buf_adds(&text, "a red herring swims ");
	for (int i = 0; i < 300; i++)
		ctx_buf_addf(&text, "filler%d red ", i);
	ctx_words_snippet(ctx_buf_span(&text), ctx_span_of("RED herrings"), 80, &out);
	CHECK(strstr(out.p, "red herring") != NULL);
	ctx_buf_reset(&out);
	ctx_words_snippet(ctx_buf_span(&text), ctx_span_of("swi*"), 80, &out);
	CHECK(strstr(out.p, "swims") != NULL);
	ctx_buf_release(&text);
	ctx_buf_release(&out);
}

int
main(void)
{
	RUN(stems);
	RUN(words);
	RUN(spaced_text_has_the_same_words);
	RUN(snippets_are_short_and_clean);
	RUN(snippet_shows_what_was_found);
	return TEST_END();
}
