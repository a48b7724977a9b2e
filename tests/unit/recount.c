/* Counts by another tokenizer: kept or not, they are what counting anew gives. */
#include "test.h"

#include "random.h"
#include "store/derived.h"
#include "store/purge.h"
#include "store/recount.h"
#include "store/row.h"
#include "store/stmt.h"
#include "store_help.h"

#define SESSIONS 4

static struct ctx_store_times times;
static struct ctx_session sessions[SESSIONS];
static struct ctx_tokenizer *chars4, *half, *approx;
static struct ctx_err err = CTX_ERR_INIT;

static struct ctx_store *
open_timed(void)
{
	struct ctx_store_options o = {
	    .path = store_path, .busy_ms = 1000, .sync = CTX_SYNC_OFF, .times = &times};
	struct ctx_store *st;

	store_must(ctx_store_open(&st, &o, &err), &err);
	return st;
}

/* Messages counted by one tokenizer or the other. */
static void
grow(struct ctx_store *st, uint32_t n)
{
	struct ctx_message view = CTX_MESSAGE_INIT;
	struct ctx_buf json = CTX_BUF_INIT;

	store_must(ctx_store_begin(st, &err), &err);
	while (n-- > 0) {
		struct ctx_session *s = &sessions[random_below(SESSIONS)];
		struct ctx_stored m = {.role = CTX_ROLE_USER, .starts_turn = true};
		struct ctx_tokenizer *t = random_below(3) ? approx : chars4;
		ctx_buf_reset(&json);
		ctx_buf_adds(&json, "{\"role\":\"user\",\"content\":\"");
		for (uint32_t k = random_below(30); k > 0; k--)
			ctx_buf_adds(&json, random_below(2) ? "word " : "\\u6f22 ");
		ctx_buf_adds(&json, "\"}");
		m.message = ctx_buf_span(&json);
		store_must(ctx_message_parse(&view, m.message, &err), &err);
		m.tokenizer = ctx_tokenizer_name(t);
		m.token_count = ctx_tokens_message(t, &view);
		store_must(ctx_store_append(st, s, &m, &err), &err);
		store_must(ctx_store_session_count(st, s, 0, &err), &err);
	}
	store_must(ctx_store_commit(st, &err), &err);
	ctx_message_release(&view);
	ctx_buf_release(&json);
}

struct sum {
	struct ctx_tokenizer *t;
	struct ctx_recount *r;
	int64_t anew, looked_up, foreign;
};

static int
add(void *arg, const struct ctx_stored *m, struct ctx_err *e)
{
	struct ctx_message view = CTX_MESSAGE_INIT;
	struct sum *sum = arg;
	int64_t anew;

	store_must(ctx_message_parse(&view, m->message, e), e);
	anew = ctx_tokens_message(sum->t, &view);
	ctx_message_release(&view);
	sum->anew += anew;
	sum->foreign += strcmp(m->tokenizer, ctx_tokenizer_name(sum->t)) != 0;
	if (sum->r != NULL) {
		int64_t tokens = ctx_recount_tokens(sum->r, m);
		CHECK_INT(tokens, anew);
		sum->looked_up += tokens;
	}
	return 0;
}

/* All of a session, or a stretch of it. */
static struct sum
read_session(struct ctx_store *st, struct ctx_session *s, struct ctx_tokenizer *t,
    int64_t first, int64_t last, bool counts)
{
	struct sum sum = {.t = t};

	sum.r = counts ? ctx_recount_new(st, s, t) : NULL;
	store_must(ctx_store_messages(st, s, first, last, add, &sum, &err), &err);
	ctx_recount_free(sum.r);
	return sum;
}

static struct ctx_tokenizer *
any(void)
{
	struct ctx_tokenizer *const all[] = {chars4, half, approx};

	return all[random_below(3)];
}

/* The kind of derived data that is tested here. */
static const struct ctx_derived_kind *
counts(void)
{
	const struct ctx_derived_kind *const *k = ctx_derived_kinds;

	while (strcmp((*k)->name, "tokens") != 0)
		k++;
	return *k;
}

/* In whatever order they are asked for, lost and rebuilt. */
static void
kept_is_anew(void)
{
	struct ctx_store *st = open_timed();

	for (int round = 0; round < 200; round++) {
		struct ctx_session *s = &sessions[random_below(SESSIONS)];
		struct ctx_tokenizer *t = any();
		int64_t first = 1 + random_below((uint32_t)s->last_seq + 1), tokens;
		if (random_below(3) == 0)
			grow(st, random_below(12));
		if (random_below(20) == 0) {
			store_must(ctx_derived_begin(st, &err), &err);
			store_must(counts()->clear(st, &err), &err);
			store_must(ctx_derived_end(st, 0, &err), &err);
		}
		switch (random_below(3)) {
		case 0:
			read_session(st, s, t, first, first + random_below(20), true);
			break;
		case 1:
			store_must(ctx_recount_catch_up(st, s, t, &err), &err);
			break;
		default:
			store_must(ctx_recount_total(st, s, t, &tokens, &err), &err);
			CHECK_INT(
			    tokens, read_session(st, s, t, 1, CTX_SEQ_MAX, false).anew);
		}
	}
	ctx_store_close(st);
}

static void
counted_once(void)
{
	struct ctx_store *st = open_timed();
	struct ctx_session *s = &sessions[0];
	int64_t tokens, again;
	struct sum sum;

	grow(st, 40);
	sum = read_session(st, s, half, 1, CTX_SEQ_MAX, true);
	CHECK(sum.foreign > 0);
	times.recounted = 0;
	read_session(st, s, half, 1, CTX_SEQ_MAX, true);
	CHECK_INT(times.recounted, 0);
	store_must(ctx_recount_total(st, s, half, &tokens, &err), &err);
	CHECK_INT(times.recounted, 0);
	/* … in another process, too */
	ctx_store_close(st);
	st = open_timed();
	store_must(ctx_recount_total(st, s, half, &again, &err), &err);
	CHECK_INT(times.recounted, 0);
	CHECK_INT(again, tokens);
	/* what the tokenizer counted itself is never counted again */
	read_session(st, s, chars4, 1, CTX_SEQ_MAX, true);
	times.recounted = 0;
	grow(st, 10);
	sum = read_session(st, s, chars4, 1, CTX_SEQ_MAX, true);
	CHECK(times.recounted <= 10);
	ctx_store_close(st);
}

/* Who has the derived file, or has made it unusable, costs counting, and nothing else. */
static void
without_a_file(void)
{
	struct ctx_store *st = open_timed(), *other = open_timed();
	struct ctx_session *s = &sessions[1];
	struct sum sum;

	store_must(ctx_derived_begin(other, &err), &err);
	store_must(counts()->clear(other, &err), &err);
	times.recounted = 0;
	grow(st, 20); /* an append does not wait either */
	sum = read_session(st, s, half, 1, CTX_SEQ_MAX, true);
	CHECK_INT(sum.looked_up, sum.anew);
	ctx_derived_rollback(other);
	store_must(ctx_derived_begin(other, &err), &err);
	store_must(ctx_stmt_exec(ctx_store_derived(other, &err),
		       "DROP TABLE recount; DROP TABLE counter", &err),
	    &err);
	store_must(ctx_derived_end(other, 0, &err), &err);
	sum = read_session(st, s, half, 1, CTX_SEQ_MAX, true);
	CHECK_INT(sum.looked_up, sum.anew);
	ctx_store_close(other);
	ctx_store_close(st);
}

static int64_t
rows_of(struct ctx_store *st, const struct ctx_session *s)
{
	int64_t rows = 0;

	store_must(ctx_derived_begin(st, &err), &err);
	store_must(ctx_stmt_each(ctx_store_derived(st, &err), counts()->erase,
		       CTX_VALUES(ctx_int(s->no), ctx_int(s->no)), &rows, &err),
	    &err);
	ctx_derived_rollback(st);
	return rows;
}

/* Counts of a session that is being erased are not kept, and those that are go. */
static void
erased(void)
{
	struct ctx_store *st = open_timed();
	struct ctx_removed removed = {0};
	struct ctx_session *s = &sessions[2];
	struct sum sum = {.t = half};

	grow(st, 30);
	read_session(st, s, half, 1, CTX_SEQ_MAX, true);
	CHECK(rows_of(st, s) > 0);
	sum.r = ctx_recount_new(st, s, approx);
	sum.t = approx;
	store_must(ctx_store_messages(st, s, 1, CTX_SEQ_MAX, add, &sum, &err), &err);
	store_must(ctx_store_begin(st, &err), &err);
	s->status = CTX_STATUS_DELETED;
	store_must(ctx_store_session_update(st, s, &err), &err);
	store_must(ctx_store_commit(st, &err), &err);
	store_must(ctx_derived_erase(st, &s->no, 1, false, &removed, &err), &err);
	CHECK(removed.derived > 0);
	ctx_recount_free(sum.r);
	CHECK_INT(rows_of(st, s), 0);
	ctx_store_close(st);
}

/* Another vocabulary under a name that was used before. */
static void
other_vocabulary(void)
{
	struct ctx_store *st = open_timed();
	struct ctx_session *s = &sessions[3];
	struct sum sum;

	sum = read_session(st, s, half, 1, CTX_SEQ_MAX, true);
	store_must(ctx_derived_begin(st, &err), &err);
	store_must(ctx_stmt_exec(ctx_store_derived(st, &err),
		       "UPDATE counter SET source = 'another'; "
		       "UPDATE recount SET tokens = 999",
		       &err),
	    &err);
	store_must(ctx_derived_end(st, 0, &err), &err);
	sum = read_session(st, s, half, 1, CTX_SEQ_MAX, true);
	CHECK_INT(sum.looked_up, sum.anew);
	times.recounted = 0;
	read_session(st, s, half, 1, CTX_SEQ_MAX, true);
	CHECK_INT(times.recounted, 0);
	ctx_store_close(st);
}

int
main(void)
{
	struct ctx_store *st = store_open();

	store_must(ctx_store_begin(st, &err), &err);
	for (int i = 0; i < SESSIONS; i++) {
		char id[8];
		snprintf(id, sizeof(id), "s%d", i);
		store_session(st, &sessions[i], id);
	}
	store_must(ctx_store_commit(st, &err), &err);
	store_must(ctx_tokenizer_open(&chars4, "chars4", NULL, &err), &err);
	store_must(ctx_tokenizer_open(&half, "chars4*0.5", NULL, &err), &err);
	store_must(ctx_tokenizer_open(&approx, "approx", NULL, &err), &err);
	ctx_store_close(st);
	RUN(kept_is_anew);
	RUN(counted_once);
	RUN(other_vocabulary);
	RUN(erased);
	RUN(without_a_file);
	for (int i = 0; i < SESSIONS; i++)
		ctx_session_release(&sessions[i]);
	ctx_tokenizer_close(chars4);
	ctx_tokenizer_close(half);
	ctx_tokenizer_close(approx);
	store_remove();
	return TEST_END();
}
