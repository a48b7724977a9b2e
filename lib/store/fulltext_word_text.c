/* Reads the words of messages without reading the messages' members, to remove the words
 * from the index. */
#include "store/fulltext_text.h"

#include "json/json.h"
#include "record/message.h"
#include "store/row.h"
#include "words/words.h"

/* Longer bodies can hold a lot that is not indexed, such as images. */
#define WHOLE_BODY ((size_t)16 << 10)

struct word_texts {
	struct ctx_store *st;
	struct ctx_db *derived;
	struct ctx_message message;
	struct ctx_buf text, spaced;
	ctx_index_row_fn *fn;
	void *arg;
};

static int
pass_spaced_text(
    struct word_texts *w, int64_t id, struct ctx_span text, struct ctx_err *err)
{
	ctx_buf_reset(&w->spaced);
	ctx_words_space(text.p == NULL ? ctx_span_of("") : text, &w->spaced);
	return w->fn(w->arg, id, ctx_buf_span(&w->spaced), err);
}

static int
pass_body_words(
    struct word_texts *w, int64_t id, struct ctx_span body, struct ctx_err *err)
{
	struct ctx_err ignored = CTX_ERR_INIT;

	ctx_buf_reset(&w->text);
	if (body.n > WHOLE_BODY && ctx_json_check(body, NULL, NULL, &ignored) == 0 &&
	    ctx_message_parse(&w->message, body, &ignored) == 0)
		ctx_message_text(&w->message, &w->text);
	else
		ctx_json_unescape(body, &w->text);
	return pass_spaced_text(w, id, ctx_buf_span(&w->text), err);
}

static int
pass_kept_words(void *arg, int64_t id, struct ctx_span text, int role, int64_t created_at,
    struct ctx_err *err)
{
	(void)role;
	(void)created_at;
	return pass_spaced_text(arg, id, text, err);
}

static int
pass_run_bodies(struct word_texts *w, struct ctx_session_run run, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(&w->st->db, "message",
	    "SELECT id, body "
	    "FROM message "
	    "WHERE id BETWEEN ?1 AND ?2 "
	    "ORDER BY id",
	    CTX_VALUES(CTX_RUN_ROWS(run)), err);

	while (ctx_rows_next(&r))
		r.rc = pass_body_words(
		    w, ctx_stmt_int64(r.q, 0), ctx_stmt_span(r.q, 1), err);
	return ctx_rows_end(&r);
}

/* Kept texts first: the caller wants one session after the other. */
static int
pass_run(struct word_texts *w, struct ctx_session_run run, struct ctx_err *err)
{
	struct ctx_value range[] = {CTX_RUN_ROWS(run)};
	int64_t kept = 0;
	int rc = ctx_stmt_ints(w->derived,
	    "SELECT EXISTS (SELECT 1 FROM fulltext_kept WHERE id BETWEEN ?1 AND ?2)",
	    range, 2, &kept, 1, err);

	if (rc >= 0 && kept == 0)
		return pass_run_bodies(w, run, err);
	for (int64_t no = run.first; rc >= 0 && no <= run.last; no++) {
		struct ctx_session_run one = {no, no};
		struct ctx_value rows[] = {CTX_RUN_ROWS(one)};
		rc = ctx_fulltext_each_kept(
		    w->derived, rows[0].number, rows[1].number, pass_kept_words, w, err);
		if (rc == 0)
			rc = pass_run_bodies(w, one, err);
	}
	return rc < 0 ? -1 : 0;
}

int
ctx_fulltext_each_word_text(struct ctx_store *st, const int64_t *sessions, size_t n,
    ctx_index_row_fn *fn, void *arg, struct ctx_err *err)
{
	struct word_texts w = {.st = st,
	    .derived = ctx_store_derived(st, err),
	    .message = CTX_MESSAGE_INIT,
	    .fn = fn,
	    .arg = arg};
	int rc = w.derived == NULL ? -1 : 0;

	for (size_t i = 0; rc == 0 && i < n;)
		rc = pass_run(&w, ctx_session_run_take(sessions, n, &i), err);
	ctx_message_release(&w.message);
	ctx_buf_release(&w.text);
	ctx_buf_release(&w.spaced);
	return rc;
}
