#include "test.h"

#include "random.h"
#include "recall/recall.h"
#include "store_help.h"

#define MINUTE INT64_C(60000)
#define DAY (24 * 60 * MINUTE)

static struct ctx_err err = CTX_ERR_INIT;

/* ---- the ranking alone ---- */

static struct ctx_recall_turn turns[64];
static size_t n_turns;

static void
say(const char *speaker, int64_t at, const char *text)
{
	struct ctx_recall_turn *t = &turns[n_turns++];

	memset(t, 0, sizeof(*t));
	t->seq = (int64_t)n_turns;
	t->created_at = at;
	t->speaker = ctx_span_of(speaker);
	t->text = ctx_span_of(text);
	t->cost = 10;
}

/* Three sittings. */
static void
talk(void)
{
	int64_t may = INT64_C(1683500000000), june = may + 30 * DAY,
		july = june + 30 * DAY;

	n_turns = 0;
	say("Ann", may, "Hello, how are you?");                             /* 0 */
	say("Bob", may + MINUTE, "Busy with the garden all week.");         /* 1 */
	say("Ann", may + 2 * MINUTE, "Which vegetables are you growing?");  /* 2 */
	say("Bob", may + 3 * MINUTE, "Tomatoes, mostly, and a few beans."); /* 3 */
	say("Bob", june, "I adopted a puppy yesterday!");                   /* 4 */
	say("Ann", june + MINUTE, "What is its name?");                     /* 5 */
	say("Bob", june + 2 * MINUTE, "Biscuit, because of the colour.");   /* 6 */
	say("Ann", july, "My sister paints landscapes.");                   /* 7 */
	say("Bob", july + MINUTE, "Does she sell them?");                   /* 8 */
	say("Ann", july + 2 * MINUTE, "She sold two to a hotel.");          /* 9 */
	say("Ann", july + 3 * MINUTE, "I myself only paint walls.");        /* 10 */
	say("Bob", july + 4 * MINUTE, "I only paint walls too.");           /* 11 */
}

static size_t
best(const char *query)
{
	size_t top = 0;

	ctx_recall_rank(turns, n_turns, ctx_span_of(query));
	for (size_t i = 1; i < n_turns; i++)
		if (turns[i].score > turns[top].score)
			top = i;
	return top;
}

static void
words_in_any_form(void)
{
	talk();
	CHECK_INT(best("adopting puppies"), 4);
	CHECK_INT(best("tomato"), 3);
}

/* Long words that begin and end alike are different words. */
static void
long_words_alike(void)
{
	talk();
	turns[1].text = ctx_span_of("Busy with the transmogrification all week.");
	turns[9].text = ctx_span_of("The transportification of two to a hotel.");
	best("transmogrification");
	CHECK(turns[1].score > turns[9].score);
	best("transportification");
	CHECK(turns[9].score > turns[1].score);
}

/* The answer holds no word of the question, the turn before it does. */
static void
neighbours_count(void)
{
	talk();
	best("What is the name of the puppy?");
	CHECK(turns[6].score > turns[3].score);
	CHECK(turns[6].score > turns[9].score);
	CHECK(turns[5].score > turns[0].score);
}

static void
speakers_count(void)
{
	talk();
	CHECK_INT(best("What does Ann paint, walls?"), 10);
	CHECK_INT(best("What does Bob paint, walls?"), 11);
}

/* A user without a name talks with an assistant. */
static void
consult(void)
{
	n_turns = 0;
	say("user", 0, "I want to paint the hall. Which paint shall I take?");
	say("assistant", 0, "For the hall I recommend a washable paint.");
	say("user", 0, "Thanks, so the hall needs a washable paint?");
	say("assistant", 0, "Yes, a washable paint suits a hall.");
	say("user", 0, "I bought the washable paint for the hall.");
	say("user", 0, "Good, it is a washable paint for the hall.");
}

static void
who_said_it(void)
{
	consult();
	CHECK_INT(best("Which paint did you recommend for the hall?"), 1);
	CHECK_INT(best("Which washable paint did you recommend to me for my hall?"), 1);
	CHECK_INT(best("Which washable paint did I buy for the hall?"), 4);
	CHECK_INT(best("Could you list the washable paint I bought for the hall?"), 4);
	CHECK_INT(best("Did I say that I bought a washable paint for the hall?"), 4);
}

/* The same words say less in a reaction or a question than in a statement. */
static void
statements_count(void)
{
	consult();
	best("washable paint for the hall");
	CHECK(turns[4].score > turns[5].score);
	CHECK(turns[4].score > turns[2].score);
}

static void
sittings(void)
{
	talk();
	best("puppy");
	CHECK_INT(turns[3].sitting, 0);
	CHECK_INT(turns[4].sitting, 4);
	CHECK_INT(turns[6].sitting, 4);
	CHECK_INT(turns[11].sitting, 7);
	turns[9].gap = true;
	best("puppy");
	CHECK_INT(turns[9].sitting, 9);
}

static void
nothing_in_common(void)
{
	talk();
	ctx_recall_rank(turns, n_turns, ctx_span_of("xyzzy"));
	CHECK_INT(ctx_recall_fill(turns, n_turns, 1000, 0), 0);
	ctx_recall_rank(turns, n_turns, ctx_span_of(""));
	CHECK_INT(ctx_recall_fill(turns, n_turns, 1000, 0), 0);
	ctx_recall_rank(NULL, 0, ctx_span_of("puppy"));
	CHECK_INT(ctx_recall_fill(NULL, 0, 1000, 0), 0);
}

static void
fill_keeps_to_the_budget(void)
{
	talk();
	for (int round = 0; round < 500; round++) {
		int64_t budget = random_below(150), header = random_below(10), used = 0,
			got;
		bool open[64] = {false};
		for (size_t i = 0; i < n_turns; i++)
			turns[i].cost = random_below(40);
		ctx_recall_rank(
		    turns, n_turns, ctx_span_of("What did Bob paint in the garden?"));
		got = ctx_recall_fill(turns, n_turns, budget, header);
		for (size_t i = 0; i < n_turns; i++) {
			if (!turns[i].keep)
				continue;
			used += turns[i].cost + (open[turns[i].sitting] ? 0 : header);
			open[turns[i].sitting] = true;
		}
		CHECK_INT(got, used);
		CHECK(used <= budget);
	}
}

/* ---- with vectors ---- */

static void
order_of(size_t *order)
{
	for (size_t i = 0; i < n_turns; i++) {
		order[i] = 0;
		for (size_t k = 0; k < n_turns; k++)
			order[i] += turns[k].score > turns[i].score ||
				    (turns[k].score == turns[i].score && k > i);
	}
}

/* Both lists are worth the same: what is first in one of them is near the top. */
static void
fused_by_places(void)
{
	double similarity[64];
	size_t words[64], both[64];

	talk();
	for (size_t i = 0; i < n_turns; i++)
		similarity[i] = 0;
	similarity[9] = 0.9;
	best("tomatoes");
	order_of(words);
	CHECK_INT(words[3], 0);
	CHECK(words[9] > 1);
	ctx_recall_fuse(turns, n_turns, similarity);
	order_of(both);
	CHECK(both[9] < words[9]);
	CHECK(both[9] <= 1 || both[3] <= 1);
	for (size_t i = 0; i < n_turns; i++)
		CHECK(both[i] < n_turns);
}

/* Without any vector the order is that of words, and so are the scores. */
static void
fused_with_nothing(void)
{
	double similarity[64], scores[64];

	talk();
	for (size_t i = 0; i < n_turns; i++)
		similarity[i] = -1;
	best("What did Bob adopt?");
	for (size_t i = 0; i < n_turns; i++)
		scores[i] = turns[i].score;
	ctx_recall_fuse(turns, n_turns, similarity);
	for (size_t i = 0; i < n_turns; i++)
		CHECK(turns[i].score == scores[i]);
}

/* Words that nobody said: vectors rank alone, what has nothing of it is not recalled. */
static void
vectors_alone(void)
{
	double similarity[64];

	talk();
	for (size_t i = 0; i < n_turns; i++)
		similarity[i] = i < 4 ? 0 : -1;
	similarity[4] = 0.9;
	similarity[5] = 0.1;
	best("xyzzy");
	ctx_recall_fuse(turns, n_turns, similarity);
	CHECK(turns[4].score > turns[5].score);
	CHECK(turns[5].score > CTX_RECALL_NOTHING);
	CHECK(turns[3].score == CTX_RECALL_NOTHING);
	CHECK(turns[7].score == CTX_RECALL_NOTHING);
	CHECK(ctx_recall_fill(turns, n_turns, 1000, 0) > 0);
	CHECK(turns[4].keep && !turns[7].keep);
}

/* Scores change places, and none is made up. */
static void
fusing_keeps_the_scores(void)
{
	double similarity[64], sum = 0, after = 0;

	talk();
	for (int round = 0; round < 200; round++) {
		best("What did Bob paint in the garden?");
		sum = after = 0;
		for (size_t i = 0; i < n_turns; i++) {
			similarity[i] = (double)random_below(12) / 10 - 0.1;
			sum += turns[i].score;
		}
		ctx_recall_fuse(turns, n_turns, similarity);
		for (size_t i = 0; i < n_turns; i++)
			after += turns[i].score;
		CHECK(sum - after < 1e-9 && after - sum < 1e-9);
	}
}

/* ---- from the store ---- */

static struct ctx_store *store;
static struct ctx_tokenizer *tokenizer;

static void
select_turns(struct ctx_recall *r, const struct ctx_session *s, const char *query,
    int64_t before, int64_t budget)
{
	struct ctx_recall_options o = {.query = ctx_span_of(query),
	    .before_seq = before,
	    .budget = budget,
	    .tokenizer = tokenizer};

	memset(r, 0, sizeof(*r));
	store_must(ctx_recall_select(r, store, s, &o, &err), &err);
}

static void
store_talk(struct ctx_session *s, const char *id)
{
	talk();
	store_must(ctx_store_begin(store, &err), &err);
	store_session(store, s, id);
	for (size_t i = 0; i < n_turns; i++)
		store_say(store, s,
		    turns[i].speaker.p[0] == 'A' ? CTX_ROLE_USER : CTX_ROLE_ASSISTANT,
		    turns[i].speaker.p, turns[i].text.p, turns[i].created_at);
	store_must(ctx_store_session_count(store, s, 0, &err), &err);
	store_must(ctx_store_commit(store, &err), &err);
}

static void
quoted_with_a_date_per_sitting(void)
{
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_session s;
	struct ctx_recall r;

	store_talk(&s, "talk");
	select_turns(
	    &r, &s, "Which vegetables does Bob grow, and how is the puppy?", 0, 10000);
	ctx_recall_format(&text, &r);
	CHECK(strncmp(text.p, "[2023-05-07 22:53]\nAnn: Hello, how are you?\nBob: Busy",
		  52) == 0);
	CHECK(
	    strstr(text.p,
		"\n[2023-06-06 22:53]\nBob: I adopted a puppy yesterday!\nAnn:") != NULL);
	ctx_recall_release(&r);
	ctx_buf_reset(&text);
	select_turns(&r, &s, "tomatoes", 5, 60);
	ctx_recall_format(&text, &r);
	CHECK(r.n > 0);
	for (size_t i = 0; i < r.n; i++)
		CHECK(r.turns[i].seq < 5);
	ctx_recall_release(&r);
	ctx_session_release(&s);
	ctx_buf_release(&text);
}

static void
what_is_printed_fits(void)
{
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_session s;
	struct ctx_recall r;

	store_talk(&s, "fits");
	for (int64_t budget = 0; budget < 250; budget += 3) {
		ctx_buf_reset(&text);
		select_turns(&r, &s, "paint the garden with the puppy", 0, budget);
		ctx_recall_format(&text, &r);
		CHECK(
		    text.n == 0 || ctx_tokens_text(tokenizer, text.p, text.n) <= budget);
		for (size_t i = 1; i < r.n; i++)
			CHECK(r.turns[i - 1].seq < r.turns[i].seq);
		ctx_recall_release(&r);
	}
	ctx_session_release(&s);
	ctx_buf_release(&text);
}

/* Turns chosen for a budget and then reduced fit in a smaller one, the best first. */
static void
fewer_turns_fit_in_less(void)
{
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_session s;
	struct ctx_recall r;

	store_talk(&s, "less");
	select_turns(&r, &s, "What is the name of the puppy?", 0, 10000);
	for (int64_t budget = 250; budget >= 0; budget -= 10) {
		ctx_recall_reduce(&r, budget);
		ctx_buf_reset(&text);
		ctx_recall_format(&text, &r);
		CHECK(
		    text.n == 0 || ctx_tokens_text(tokenizer, text.p, text.n) <= budget);
		if (budget == 60)
			CHECK(strstr(text.p, "puppy") != NULL);
	}
	CHECK_INT(r.n, 0);
	ctx_recall_release(&r);
	ctx_session_release(&s);
	ctx_buf_release(&text);
}

/* Of a long answer the passage that matters is quoted, with where it is, from the beginning of a
 * sentence to the end of one. */
static void
a_passage_of_a_long_answer(void)
{
	struct ctx_buf text = CTX_BUF_INIT, quoted = CTX_BUF_INIT;
	struct ctx_session s;
	struct ctx_recall r;

	for (int i = 0; i < 60; i++)
		ctx_buf_addf(&text, "%s%s",
		    i == 40 ? "The wombat sleeps in a burrow. " : "",
		    "Nothing of note happened here, as usual. ");
	store_must(ctx_store_begin(store, &err), &err);
	store_session(store, &s, "passage");
	store_say(store, &s, CTX_ROLE_USER, NULL, "Tell me about the park.", 0);
	store_say(store, &s, CTX_ROLE_ASSISTANT, NULL, text.p, 1);
	store_must(ctx_store_session_count(store, &s, 0, &err), &err);
	store_must(ctx_store_commit(store, &err), &err);
	select_turns(&r, &s, "Where does the wombat sleep?", 0, 250);
	ctx_recall_format(&quoted, &r);
	CHECK(quoted.p != NULL);
	CHECK(strstr(quoted.p, "The wombat sleeps in a burrow. ") != NULL);
	CHECK(strstr(quoted.p, "assistant (part ") != NULL);
	CHECK(strstr(quoted.p, ": … Nothing") != NULL ||
	      strstr(quoted.p, ": … The wombat") != NULL);
	CHECK(strstr(quoted.p, "usual. …\n") != NULL ||
	      strstr(quoted.p, "burrow. …\n") != NULL);
	CHECK(quoted.n < 600);
	ctx_recall_release(&r);
	ctx_session_release(&s);
	ctx_buf_release(&text);
	ctx_buf_release(&quoted);
}

/* Tools are no speakers, and do not part those who speak. */
static void
tool_results_are_left_out(void)
{
	struct ctx_session s;
	struct ctx_recall r;

	store_must(ctx_store_begin(store, &err), &err);
	store_session(store, &s, "tools");
	store_say(store, &s, CTX_ROLE_USER, NULL, "look for the wombat", 0);
	store_say(store, &s, CTX_ROLE_TOOL, NULL, "wombat wombat wombat", 1);
	store_say(store, &s, CTX_ROLE_ASSISTANT, NULL, "there is one", 2);
	store_must(ctx_store_session_count(store, &s, 0, &err), &err);
	store_must(ctx_store_commit(store, &err), &err);
	select_turns(&r, &s, "wombat", 0, 1000);
	CHECK_INT(r.n, 2);
	CHECK_INT(r.turns[1].seq, 3);
	CHECK_INT(r.turns[1].sitting, r.turns[0].sitting);
	ctx_recall_release(&r);
	ctx_session_release(&s);
}

/* Of a long session only the surroundings of matches are read; they come with neighbours. */
static void
a_needle_in_a_long_session(void)
{
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_session s;
	struct ctx_recall r;
	bool question = false, answer = false;

	store_must(ctx_store_begin(store, &err), &err);
	store_session(store, &s, "long");
	for (int i = 0; i < 9000; i++) {
		ctx_buf_reset(&text);
		ctx_buf_addf(&text, "filler number %d about nothing in particular", i);
		store_say(store, &s, i % 2 ? CTX_ROLE_ASSISTANT : CTX_ROLE_USER, NULL,
		    i == 700   ? "Where does the okapi live?"
		    : i == 701 ? "In the Ituri forest."
			       : text.p,
		    i * MINUTE);
	}
	store_must(ctx_store_session_count(store, &s, 0, &err), &err);
	store_must(ctx_store_commit(store, &err), &err);
	select_turns(&r, &s, "tell me about okapis", 0, 100);
	CHECK(r.n > 0 && r.n < 20);
	for (size_t i = 0; i < r.n; i++) {
		question |= r.turns[i].seq == 701;
		answer |= r.turns[i].seq == 702;
	}
	CHECK(question && answer);
	ctx_recall_release(&r);
	select_turns(&r, &s, "the", 0, 100);
	CHECK_INT(r.n, 0);
	ctx_recall_release(&r);
	ctx_session_release(&s);
	ctx_buf_release(&text);
}

int
main(void)
{
	RUN(words_in_any_form);
	RUN(long_words_alike);
	RUN(neighbours_count);
	RUN(speakers_count);
	RUN(who_said_it);
	RUN(statements_count);
	RUN(sittings);
	RUN(nothing_in_common);
	RUN(fill_keeps_to_the_budget);
	RUN(fused_by_places);
	RUN(fused_with_nothing);
	RUN(vectors_alone);
	RUN(fusing_keeps_the_scores);
	store = store_open();
	store_must(ctx_tokenizer_open(&tokenizer, "approx", NULL, &err), &err);
	RUN(quoted_with_a_date_per_sitting);
	RUN(what_is_printed_fits);
	RUN(fewer_turns_fit_in_less);
	RUN(a_passage_of_a_long_answer);
	RUN(tool_results_are_left_out);
	RUN(a_needle_in_a_long_session);
	ctx_tokenizer_close(tokenizer);
	ctx_store_close(store);
	store_remove();
	return TEST_END();
}
