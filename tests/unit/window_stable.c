/* Stable windows: whoever asks finds the same cut, and cuts are few. */
#include "test.h"

#include "random.h"
#include "store_help.h"
#include "window/window.h"

#define BUDGET 1000
#define LONGEST 90 /* tokens of a message, at most */

static struct ctx_err err = CTX_ERR_INIT;
static struct ctx_tokenizer *chars4;

static void
say(struct ctx_store *st, struct ctx_session *s, enum ctx_role role, size_t chars)
{
	struct ctx_message view = CTX_MESSAGE_INIT;
	struct ctx_buf json = CTX_BUF_INIT;
	struct ctx_stored m = {.role = role,
	    .type = role == CTX_ROLE_ASSISTANT,
	    .tokenizer = "chars4",
	    .starts_turn = role == CTX_ROLE_USER};

	ctx_buf_addf(&json, "{\"role\":\"%s\",\"content\":\"%0*d\"}", ctx_role_name(role),
	    (int)chars, 1);
	m.message = ctx_buf_span(&json);
	store_must(ctx_message_parse(&view, m.message, &err), &err);
	m.token_count = ctx_tokens_message(chars4, &view);
	store_must(ctx_store_begin(st, &err), &err);
	store_must(ctx_store_append(st, s, &m, &err), &err);
	store_must(ctx_store_session_count(st, s, 0, &err), &err);
	store_must(ctx_store_commit(st, &err), &err);
	ctx_message_release(&view);
	ctx_buf_release(&json);
}

struct found {
	int64_t first, tokens; /* seq; of all that is kept */
};

static struct found
ask(struct ctx_store *st, const char *session_id, int64_t until, double low)
{
	struct ctx_window_options o = {.max_messages = -1,
	    .max_turns = -1,
	    .budget = BUDGET,
	    .since = CTX_TIME_NONE,
	    .until = until,
	    .stable = true,
	    .low_water = low};
	struct found f = {0, 0};
	struct ctx_window w = CTX_WINDOW_INIT;

	store_must(ctx_store_session_find(st, session_id, &w.session, &err), &err);
	store_must(ctx_window_load(&w, st, &o, chars4, &err), &err);
	for (size_t i = 0; i < w.history.n; i++) {
		if (!w.history.items[i].keep)
			continue;
		if (f.first == 0)
			f.first = w.history.items[i].seq;
		f.tokens += w.history.items[i].tokens;
	}
	ctx_window_release(&w);
	return f;
}

static void
cuts_are_few(void)
{
	static struct found found[1000];
	struct ctx_store *st = store_open();
	struct ctx_session s;

	for (int round = 0; round < 6; round++) {
		double low = 0.5 + 0.1 * (round % 4);
		int64_t appended = 0, cuts = 0, n = 300 + random_below(200), step;
		char id[8];

		snprintf(id, sizeof(id), "s%d", round);
		store_must(ctx_store_begin(st, &err), &err);
		store_session(st, &s, id);
		store_must(ctx_store_commit(st, &err), &err);
		for (int64_t i = 1; i <= n; i++) {
			say(st, &s, i % 2 ? CTX_ROLE_USER : CTX_ROLE_ASSISTANT,
			    1 + random_below(4 * (LONGEST - 8)));
			found[i] = ask(st, id, -1, low);
			CHECK(found[i].tokens + CTX_TOKENS_REPLY <= BUDGET);
			cuts += i > 1 && found[i].first != found[i - 1].first;
			CHECK(i == 1 || found[i].first >= found[i - 1].first);
		}
		appended = s.token_count;
		/* each frees what is between the marks, but for two messages at the border; at
		 * every fourth window one may come early */
		step = (int64_t)((1 - low) * BUDGET) - 2 * LONGEST;
		CHECK(cuts <=
		      appended / (step > 0 ? step : 1) + appended / (4 * BUDGET) + 1);
		CHECK(cuts >= (appended - BUDGET) / BUDGET);
		/* whoever asks later, of what was then */
		for (int64_t i = 1; i <= n; i += 7) {
			struct found again = ask(st, id, i, low);
			CHECK_INT(again.first, found[i].first);
			CHECK_INT(again.tokens, found[i].tokens);
		}
		ctx_session_release(&s);
	}
	ctx_store_close(st);
}

int
main(void)
{
	store_must(ctx_tokenizer_open(&chars4, "chars4", NULL, &err), &err);
	RUN(cuts_are_few);
	ctx_tokenizer_close(chars4);
	store_remove();
	return TEST_END();
}
