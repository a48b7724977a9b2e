/* The full-text index: however it came to be, it finds the same. */
#include "test.h"

#include <math.h>

#include "base/time.h"
#include "random.h"
#include "store/fulltext.h"
#include "store_help.h"

#define SESSIONS 6

static const char *const vocabulary[] = {"apple", "apples", "pear", "plum", "fig", "東京",
    "京都", "state-of-the-art", "don't", "running", "ran", "été"};
#define WORDS (sizeof(vocabulary) / sizeof(vocabulary[0]))

static struct ctx_session sessions[SESSIONS];
static struct ctx_err err = CTX_ERR_INIT;

static void
grow(struct ctx_store *st, uint32_t n)
{
	struct ctx_buf text = CTX_BUF_INIT;

	store_must(ctx_store_begin(st, &err), &err);
	while (n-- > 0) {
		struct ctx_session *s = &sessions[random_below(SESSIONS)];
		ctx_buf_reset(&text);
		for (uint32_t k = random_below(8); k > 0; k--)
			ctx_buf_addf(&text, "%s ", vocabulary[random_below(WORDS)]);
		store_say(st, s, random_below(2) ? CTX_ROLE_USER : CTX_ROLE_ASSISTANT,
		    NULL, text.n > 0 ? text.p : "", 0);
		store_must(ctx_store_session_count(st, s, 0, &err), &err);
	}
	store_must(ctx_store_commit(st, &err), &err);
	ctx_buf_release(&text);
}

/* Everything that each word finds, as text. */
static char *
findings(struct ctx_store *st)
{
	struct ctx_buf all = CTX_BUF_INIT, query = CTX_BUF_INIT;

	for (size_t i = 0; i < WORDS; i++) {
		struct ctx_fulltext_options o = {
		    .since = CTX_TIME_NONE, .until = CTX_TIME_NONE, .max = 100000};
		struct ctx_fulltext_hit *hits;
		size_t n;
		ctx_buf_reset(&query);
		ctx_fulltext_query(&query, ctx_span_of(vocabulary[i]), false);
		o.query = query.p;
		store_must(ctx_fulltext_search(st, &o, &hits, &n, &err), &err);
		ctx_buf_addf(&all, "%s:", vocabulary[i]);
		for (size_t k = 0; k < n; k++)
			ctx_buf_addf(&all, " %d/%d=%.6f", (int)hits[k].session_no,
			    (int)hits[k].seq, hits[k].score);
		free(hits);
	}
	ctx_buf_release(&query);
	return ctx_buf_detach(&all);
}

static void
incremental_is_rebuilt(void)
{
	struct ctx_store *st = store_open();

	for (int round = 0; round < 30; round++) {
		char *grown, *anew;
		grow(st, random_below(20));
		if (random_below(2)) {
			struct ctx_session *s = &sessions[random_below(SESSIONS)];
			store_must(ctx_fulltext_catch_up(st, s, &err), &err);
			store_must(ctx_fulltext_catch_up(st, s, &err), &err);
		}
		if (random_below(2))
			continue;
		store_must(ctx_fulltext_catch_up(st, NULL, &err), &err);
		grown = findings(st);
		store_must(ctx_fulltext_rebuild(st, &err), &err);
		anew = findings(st);
		CHECK_STR(grown, anew);
		free(grown);
		free(anew);
	}
	ctx_store_close(st);
}

/* Signs that are younger than FTS5's Unicode stand right behind words. */
static void
words_before_signs(void)
{
	static const char *const signs[] = {
	    "\xf0\x9f\xa4\x97", "\xf0\x9f\xab\xb6", "\xe2\xad\xb3", "\xe2\x82\xbf"};
	struct ctx_store *st = store_open();
	struct ctx_fulltext_options o = {.query = "thanks",
	    .since = CTX_TIME_NONE,
	    .until = CTX_TIME_NONE,
	    .max = 100};
	struct ctx_fulltext_hit *hits;
	struct ctx_session s;
	size_t n;

	store_must(ctx_store_begin(st, &err), &err);
	store_session(st, &s, "signs");
	for (size_t i = 0; i < 4; i++) {
		char text[40];
		snprintf(text, sizeof(text), "thanks%sbye", signs[i]);
		store_say(st, &s, CTX_ROLE_USER, NULL, text, 0);
	}
	store_must(ctx_store_session_count(st, &s, 0, &err), &err);
	store_must(ctx_store_commit(st, &err), &err);
	store_must(ctx_fulltext_catch_up(st, &s, &err), &err);
	store_must(ctx_fulltext_search(st, &o, &hits, &n, &err), &err);
	CHECK_INT(n, 4);
	free(hits);
	ctx_session_release(&s);
	ctx_store_close(st);
}

/* Looking for a few leaves most matches unscored: never one of the best. */
static void
the_few_best_are_the_first_of_all(void)
{
	static const char *const queries[] = {"apple", "apple OR pear", "pear plum",
	    "app* OR apple", "\"running ran\" OR fig", "plum OR fig OR pear OR don"};
	struct ctx_store *st = store_open();

	grow(st, 3000);
	store_must(ctx_fulltext_catch_up(st, NULL, &err), &err);
	for (size_t i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
		struct ctx_fulltext_options o = {.query = queries[i],
		    .since = CTX_TIME_NONE,
		    .until = CTX_TIME_NONE,
		    .max = 100000};
		struct ctx_fulltext_hit *all, *few;
		size_t n_all, n;
		store_must(ctx_fulltext_search(st, &o, &all, &n_all, &err), &err);
		CHECK(n_all > 50);
		for (o.max = 1; o.max < 50; o.max += 6) {
			store_must(ctx_fulltext_search(st, &o, &few, &n, &err), &err);
			CHECK_INT(n, o.max);
			for (size_t k = 0; k < n; k++)
				CHECK(few[k].session_no == all[k].session_no &&
				      few[k].seq == all[k].seq);
			free(few);
		}
		free(all);
	}
	ctx_store_close(st);
}

/* BM25 of three messages, worked out by hand: four words on average. */
static void
scores(void)
{
	static const char *const texts[] = {
	    "zebra quagga", "zebra zebra zebra lynx", "one two three four five six"};
	struct ctx_fulltext_options o = {.query = "zebra quagga",
	    .since = CTX_TIME_NONE,
	    .until = CTX_TIME_NONE,
	    .max = 10};
	struct ctx_store *st = store_open();
	struct ctx_fulltext_hit *hits;
	struct ctx_session s;
	size_t n;

	store_must(ctx_store_begin(st, &err), &err);
	store_session(st, &s, "scores");
	for (size_t i = 0; i < 3; i++)
		store_say(st, &s, CTX_ROLE_USER, NULL, texts[i], 0);
	store_must(ctx_store_session_count(st, &s, 0, &err), &err);
	store_must(ctx_store_commit(st, &err), &err);
	store_must(ctx_fulltext_catch_up(st, NULL, &err), &err);
	store_must(ctx_fulltext_search(st, &o, &hits, &n, &err), &err);
	/* "zebra" is in 2 of 3, its rarity is next to nothing; "quagga" in 1 of 3:
	 * ln(2.5 / 1.5) * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2 / 4)) */
	CHECK_INT(n, 1);
	CHECK_INT(hits[0].seq, 1);
	CHECK(fabs(hits[0].score - 0.642181) < 1e-5);
	free(hits);
	o.query = "zebra";
	store_must(ctx_fulltext_search(st, &o, &hits, &n, &err), &err);
	CHECK_INT(n, 2);
	CHECK_INT(hits[0].seq, 2);
	free(hits);
	ctx_session_release(&s);
	ctx_store_close(st);
}

/* More than one chunk, and a session that begins in one and ends in another. */
static void
long_catch_up(void)
{
	struct ctx_store *st = store_open();
	struct ctx_fulltext_options o = {.query = "common",
	    .since = CTX_TIME_NONE,
	    .until = CTX_TIME_NONE,
	    .max = 100000};
	struct ctx_fulltext_hit *hits;
	struct ctx_session s[3];
	size_t n;

	store_must(ctx_store_begin(st, &err), &err);
	for (int i = 0; i < 3; i++) {
		store_session(st, &s[i], i == 0 ? "l0" : i == 1 ? "l1" : "l2");
		for (int k = 0; k < 7001; k++)
			store_say(st, &s[i], CTX_ROLE_USER, NULL, "common", 0);
		store_must(ctx_store_session_count(st, &s[i], 0, &err), &err);
	}
	store_must(ctx_store_commit(st, &err), &err);
	store_must(ctx_fulltext_catch_up(st, NULL, &err), &err);
	store_must(ctx_fulltext_search(st, &o, &hits, &n, &err), &err);
	CHECK_INT(n, 3 * 7001);
	free(hits);
	for (int i = 0; i < 3; i++) {
		int64_t mark;
		store_must(ctx_derived_mark(st, "fulltext", s[i].no, &mark, &err), &err);
		CHECK_INT(mark, 7001);
		ctx_session_release(&s[i]);
	}
	ctx_store_close(st);
}

static void
erase(struct ctx_store *st, const struct ctx_session *s)
{
	int64_t rows = 0;

	store_must(ctx_derived_begin(st, &err), &err);
	store_must(ctx_fulltext_kind->erase_all(st, &s->no, 1, &rows, &err), &err);
	store_must(ctx_derived_end(st, 0, &err), &err);
	store_must(ctx_fulltext_kind->scrub(st, false, &err), &err);
	CHECK_INT(rows, s->last_seq);
}

/* Erasing one session leaves what an index without it would hold; kept texts serve as
 * well as bodies. */
static void
erased_is_as_never_indexed(void)
{
	struct ctx_store *st = store_open();

	for (int i = 0; i < SESSIONS; i++) {
		struct ctx_session *s = &sessions[i];
		char *without, *anew;
		bool kept = i % 2 == 0;
		store_must(ctx_fulltext_catch_up(st, NULL, &err), &err);
		if (kept)
			store_must(ctx_fulltext_keep(st, &s->no, 1, &err), &err);
		store_must(ctx_store_begin(st, &err), &err);
		s->status = CTX_STATUS_DELETED;
		store_must(ctx_store_session_update(st, s, &err), &err);
		store_must(ctx_store_commit(st, &err), &err);
		erase(st, s);
		without = findings(st);
		store_must(ctx_fulltext_rebuild(st, &err), &err);
		anew = findings(st);
		CHECK_STR(without, anew);
		free(without);
		free(anew);
	}
	ctx_store_close(st);
}

static const char *
query(const char *typed, bool any)
{
	static struct ctx_buf b = CTX_BUF_INIT;

	ctx_buf_reset(&b);
	ctx_fulltext_query(&b, ctx_span_of(typed), any);
	ctx_buf_addc(&b, '\0');
	return b.p;
}

static void
queries(void)
{
	CHECK_STR(query("two words", false), "\"two\" \"words\"");
	CHECK_STR(query("two words", true), "\"two\" OR \"words\"");
	CHECK_STR(query("\"a phrase\" more*", false), "\"a phrase\" \"more\" *");
	CHECK_STR(query("state-of-the-art", false), "\"state of the art\"");
	CHECK_STR(query("AND (\"", false), "\"AND\"");
	CHECK_STR(query(" -- ** \"\" ", false), "");
	CHECK_STR(query("東京都", false), "\"東京 京都\"");
	CHECK_STR(query("東", false), "\"東\" *");
	CHECK_STR(query("東京x", false), "\"東京 京 x\"");
}

/* Whatever is typed, FTS5 understands what is made of it. */
static void
any_text_is_a_query(void)
{
	static const char pieces[] =
	    "ab \"*'()-+^:{}\\.,ANDORNOT\xe6\x9d\xb1\xe4\xba\xac\t\n\xc3\xa9";
	struct ctx_store *st = store_open();

	for (int round = 0; round < 2000; round++) {
		struct ctx_fulltext_options o = {
		    .since = CTX_TIME_NONE, .until = CTX_TIME_NONE, .max = 5};
		struct ctx_fulltext_hit *hits = NULL;
		char typed[24];
		size_t len = random_below(sizeof(typed)), n;
		for (size_t i = 0; i < len; i++)
			typed[i] = pieces[random_below(sizeof(pieces) - 1)];
		typed[len] = '\0';
		o.query = query(typed, random_below(2));
		if (o.query[0] == '\0')
			continue;
		if (ctx_fulltext_search(st, &o, &hits, &n, &err) < 0) {
			printf("# %s: %s\n", typed, err.msg);
			test_bad = 1;
		}
		free(hits);
	}
	ctx_store_close(st);
}

int
main(void)
{
	struct ctx_store *st = store_open();
	char id[] = "s0";

	store_must(ctx_store_begin(st, &err), &err);
	for (int i = 0; i < SESSIONS; i++, id[1]++)
		store_session(st, &sessions[i], id);
	store_must(ctx_store_commit(st, &err), &err);
	ctx_store_close(st);
	RUN(scores);
	RUN(queries);
	RUN(incremental_is_rebuilt);
	RUN(any_text_is_a_query);
	RUN(the_few_best_are_the_first_of_all);
	RUN(erased_is_as_never_indexed);
	RUN(words_before_signs);
	RUN(long_catch_up);
	for (int i = 0; i < SESSIONS; i++)
		ctx_session_release(&sessions[i]);
	store_remove();
	return TEST_END();
}
