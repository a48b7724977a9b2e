/* Messages that leave the store after a session was read: nobody takes what is missing for
 * nothing. */
#include "test.h"

#include "store/derived.h"
#include "store/export.h"
#include "store/purge.h"
#include "store/recount.h"
#include "store_help.h"
#include "entity/track.h"

#define MESSAGES 10

static struct ctx_store *st, *other;
static struct ctx_session session; /* as it was before others went to work */
static struct ctx_err err = CTX_ERR_INIT;

static void
make(void)
{
	store_must(ctx_store_begin(st, &err), &err);
	store_session(st, &session, "S");
	for (int i = 0; i < MESSAGES; i++)
		store_say(st, &session, CTX_ROLE_USER, NULL, "hello", i);
	store_must(ctx_store_session_count(st, &session, 1, &err), &err);
	store_must(ctx_store_commit(st, &err), &err);
}

/* What ctx-archive --cleanup does in the end. */
static void
clean_up(void)
{
	struct ctx_removed removed = {0};
	struct ctx_session s = CTX_SESSION_INIT;

	store_must(ctx_store_begin(other, &err), &err);
	store_must(ctx_store_session_find(other, "S", &s, &err), &err);
	s.status = CTX_STATUS_ARCHIVED;
	free(s.archive_json);
	s.archive_json = ctx_mem_str("{\"uri\":\"/nowhere\",\"cleaned\":true}");
	store_must(ctx_store_session_update(other, &s, &err), &err);
	store_must(ctx_store_clean(other, &s, &removed, &err), &err);
	store_must(ctx_store_commit(other, &err), &err);
	ctx_session_release(&s);
}

static void
erase(void)
{
	struct ctx_removed removed = {0};

	store_must(ctx_store_begin(other, &err), &err);
	store_must(ctx_store_erase(other, &session.no, 1, &removed, &err), &err);
	store_must(ctx_store_commit(other, &err), &err);
}

static int
next(const struct ctx_session *s, int64_t first, int64_t last)
{
	struct ctx_cursor *c = ctx_cursor_open(st, s, first, last, false, &err);
	struct ctx_stored m;
	int rc = ctx_cursor_next(c, &m, &err);

	ctx_cursor_close(c);
	return rc;
}

static void
fails(int rc, enum ctx_code code)
{
	CHECK_INT(rc, -1);
	CHECK_INT(err.code, code);
	err = (struct ctx_err)CTX_ERR_INIT;
}

static void
all_is_there(void)
{
	CHECK_INT(ctx_session_left(st, &session, &err), 0);
	CHECK_INT(next(&session, 1, MESSAGES), 1);
	CHECK_INT(next(&session, MESSAGES + 1, MESSAGES + 5), 0);
	CHECK_INT(next(&session, 3, 2), 0);
}

static int
ignore(void *arg, enum ctx_kind kind, struct ctx_span line, struct ctx_err *e)
{
	(void)arg;
	(void)kind;
	(void)line;
	(void)e;
	return 0;
}

static int
export_parts(int parts)
{
	return ctx_store_export(st, &session, parts, ignore, NULL, &err);
}

static void
the_messages_went_into_an_archive(void)
{
	struct ctx_tokenizer *chars4;
	struct ctx_session now = CTX_SESSION_INIT;
	int64_t tokens;

	clean_up();
	CHECK_INT(ctx_session_left(st, &session, &err), CTX_LEFT_MESSAGES);
	fails(next(&session, 1, MESSAGES), CTX_EMOVED);
	fails(export_parts(CTX_EXPORT_ALL), CTX_EMOVED);
	CHECK_INT(export_parts(CTX_EXPORT_RECORDS), 0);

	/* counts as of a session that was archived before */
	store_must(ctx_tokenizer_open(&chars4, "chars4", NULL, &err), &err);
	CHECK_INT(ctx_recount_total(st, &session, chars4, &tokens, &err), 0);
	CHECK_INT(tokens, session.token_count);
	ctx_tokenizer_close(chars4);

	fails(next(&session, 1, 1), CTX_EMOVED);
	ctx_err_set(&err, CTX_EANSWER, "x");
	CHECK(!ctx_session_moved(st, &session, &now, &err));
	ctx_err_set(&err, CTX_EMOVED, "x");
	CHECK(ctx_session_moved(st, &session, &now, &err));
	CHECK_INT(err.code, CTX_OK);
	CHECK(ctx_archive_cleaned(&now));
	CHECK_INT(next(&now, 1, MESSAGES), 0); /* as it tells */
	CHECK_INT(ctx_session_left(st, &now, &err), 0);
	ctx_session_release(&now);
}

/* Nothing was taken in, so nothing is marked as taken in. */
static void
tracking_waits_for_the_messages(void)
{
	struct ctx_tracker *t;
	int64_t mark;

	store_must(ctx_tracker_open(&t, st, "", NULL, NULL, &err), &err);
	CHECK_INT(ctx_tracker_catch_up(t, &session, &err), 0);
	CHECK_INT(ctx_derived_mark(st, "entity", session.no, &mark, &err), 0);
	CHECK_INT(mark, 0);
	ctx_tracker_free(t);
}

static void
the_session_was_purged(void)
{
	erase();
	CHECK_INT(ctx_session_left(st, &session, &err), CTX_LEFT_ALL);
	fails(next(&session, 1, MESSAGES), CTX_EANSWER);
	fails(export_parts(CTX_EXPORT_RECORDS), CTX_EANSWER);
}

/* Work that goes on leaves nothing of it in the derived file. */
static void
nothing_is_derived_from_it(void)
{
	struct ctx_buf value = CTX_BUF_INIT;
	struct ctx_tracker *t;
	int64_t mark;

	CHECK_INT(ctx_derived_wanted(st, session.no, &err), 0);
	store_must(ctx_tracker_open(&t, st, "", NULL, NULL, &err), &err);
	CHECK_INT(ctx_tracker_catch_up(t, &session, &err), 0);
	ctx_tracker_free(t);
	CHECK_INT(ctx_derived_mark(st, "entity", session.no, &mark, &err), 0);
	CHECK_INT(mark, 0);
	CHECK_INT(ctx_cache_put(
		      st, "enrich", "k", session.no, 0, 1000, ctx_span_of("{}"), &err),
	    0);
	CHECK_INT(ctx_cache_get(st, "enrich", "k", 0, &value, &err), 0);
	CHECK_INT(
	    ctx_cache_put(st, "enrich", "k", 0, 0, 1000, ctx_span_of("{}"), &err), 0);
	CHECK_INT(ctx_cache_get(st, "enrich", "k", 0, &value, &err), 1);
	ctx_buf_release(&value);
}

int
main(void)
{
	st = store_open();
	other = store_open();
	make();
	RUN(all_is_there);
	RUN(the_messages_went_into_an_archive);
	RUN(tracking_waits_for_the_messages);
	RUN(the_session_was_purged);
	RUN(nothing_is_derived_from_it);
	ctx_session_release(&session);
	ctx_store_close(st);
	ctx_store_close(other);
	store_remove();
	return TEST_END();
}
