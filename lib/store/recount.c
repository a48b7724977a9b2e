#include "store/recount.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "record/record.h"
#include "store/derived.h"
#include "store/purge.h"
#include "store/row.h"

#define CHUNK 10000 /* counts cached per transaction */
#define PAGE 1000   /* messages read per snapshot */

struct ctx_recount {
	struct ctx_store *st;
	struct ctx_tokenizer *t;
	int64_t no; /* number of the session */
	char *session_id;
	struct ctx_message scratch;
	bool asked; /* the counter was looked up */
	/* number of the row in table counter; 0: nothing is cached, or the file is
	 * unusable */
	int64_t counter;
	struct fresh {
		int64_t seq, tokens;
	} * fresh; /* new counts, to be cached */
	size_t n, cap;
	/* new total, to be cached, up to message total_seq; 0: none */
	int64_t total_seq, total;
};

struct ctx_recount *
ctx_recount_new(
    struct ctx_store *st, const struct ctx_session *s, struct ctx_tokenizer *t)
{
	struct ctx_recount *r = ctx_mem_new(sizeof(*r));

	r->st = st;
	r->t = t;
	r->no = s->no;
	r->session_id = ctx_mem_str(s->session_id);
	return r;
}

/* ---- looking up ---- */

/* ?1: name of the tokenizer, ?2: its vocabulary. */
#define COUNTER_VALUES(r) \
	CTX_VALUES(       \
	    ctx_str(ctx_tokenizer_name((r)->t)), ctx_text(ctx_tokenizer_source((r)->t)))

static int
find_counter(struct ctx_recount *r, struct ctx_err *err)
{
	int rc = ctx_stmt_ints(r->st->derived,
	    "SELECT no FROM counter WHERE tokenizer = ?1 AND source = ?2",
	    COUNTER_VALUES(r), &r->counter, 1, err);

	return rc < 0 ? -1 : 0;
}

static bool
is_kept(struct ctx_recount *r)
{
	struct ctx_err ignored = CTX_ERR_INIT;

	/* a store that was made to read an archive has neither a file nor a derived file */
	if (!r->asked && ctx_derived_exists(r->st) && !ctx_db_has_moved(&r->st->db) &&
	    ctx_store_derived(r->st, &ignored) != NULL)
		find_counter(r, &ignored);
	r->asked = true;
	return r->counter > 0;
}

static int
find_recounted_tokens(
    struct ctx_recount *r, int64_t seq, int64_t *tokens, struct ctx_err *err)
{
	struct ctx_row row = ctx_rows(r->st->derived, "recount",
	    "SELECT tokens FROM recount WHERE counter = ?1 AND id = ?2",
	    CTX_VALUES(ctx_int(r->counter), ctx_int(ctx_row_id(r->no, seq))), err);

	if (ctx_rows_next(&row))
		*tokens = ctx_row_whole(&row, 0, "tokens", 0, CTX_RECORD_TOKENS_MAX);
	ctx_rows_end(&row);
	/* an impossible value is counted again */
	return row.rc < 0 ? -1 : row.found && !row.wrong;
}

int64_t
ctx_recount_message(
    struct ctx_tokenizer *t, struct ctx_message *scratch, struct ctx_span message)
{
	struct ctx_err ignored;

	return ctx_message_parse(scratch, message, &ignored) < 0
		   ? ctx_tokens_json(t, message)
		   : ctx_tokens_message(t, scratch);
}

int64_t
ctx_recount_tokens(struct ctx_recount *r, const struct ctx_stored *m)
{
	struct ctx_err ignored;
	int64_t tokens = 0;

	if (strcmp(m->tokenizer, ctx_tokenizer_name(r->t)) == 0)
		return m->token_count;
	ignored = (struct ctx_err)CTX_ERR_INIT;
	if (is_kept(r)) {
		int rc = find_recounted_tokens(r, m->seq, &tokens, &ignored);
		if (rc == 1)
			return tokens;
		if (rc < 0)
			r->counter = 0;
	}
	tokens = ctx_recount_message(r->t, &r->scratch, m->message);
	if (r->st->db.times != NULL)
		r->st->db.times->recounted++;
	CTX_MEM_GROW(r->fresh, r->n, r->cap);
	r->fresh[r->n++] = (struct fresh){m->seq, tokens};
	return tokens;
}

/* ---- caching ---- */

/* Starts a transaction without waiting for another writer, because the messages can be
 * counted again. */
static int
begin_at_once(struct ctx_db *db, struct ctx_err *err)
{
	int64_t busy_ms = db->busy_ms;
	int rc;

	db->busy_ms = 0;
	ctx_db_wait(db, 0);
	rc = ctx_db_begin(db, err);
	db->busy_ms = busy_ms;
	ctx_db_wait(db, busy_ms);
	return rc;
}

/* Returns 1 if the messages are still in the store, 0 if not, -1 on error. Erasing first
 * marks the session and then deletes its derived rows, in a transaction before or after
 * this one. */
static int
is_recount_content_there(struct ctx_recount *r, struct ctx_err *err)
{
	struct ctx_row row = ctx_rows(&r->st->db, "session",
	    "SELECT status <> 2, archive "
	    "FROM session "
	    "WHERE no = ?1 AND session_id = ?2",
	    CTX_VALUES(ctx_int(r->no), ctx_str(r->session_id)), err);
	bool there = false;

	if (ctx_rows_next(&row))
		there = ctx_stmt_int64(row.q, 0) != 0 &&
			!ctx_json_true(ctx_json_get(ctx_stmt_span(row.q, 1), "cleaned"));
	return ctx_rows_end(&row) < 0 ? -1 : there;
}

/* Finds the row in table counter, or inserts it. Counts by another vocabulary with the
 * same tokenizer name are deleted. */
static int
make_counter(struct ctx_recount *r, struct ctx_err *err)
{
	static const char *const sql[] = {
	    "DELETE FROM recount "
	    "WHERE counter IN ("
	    "SELECT no "
	    "FROM counter "
	    "WHERE tokenizer = ?1 AND source <> ?2)",
	    "DELETE FROM recount_total "
	    "WHERE counter IN ("
	    "SELECT no "
	    "FROM counter "
	    "WHERE tokenizer = ?1 AND source <> ?2)",
	    "DELETE FROM counter WHERE tokenizer = ?1 AND source <> ?2",
	    "INSERT INTO counter (tokenizer, source) VALUES (?1, ?2) RETURNING no",
	};

	if (find_counter(r, err) < 0)
		return -1;
	for (size_t i = 0; r->counter == 0 && i < sizeof(sql) / sizeof(sql[0]); i++)
		if (ctx_stmt_add(
			r->st->derived, sql[i], COUNTER_VALUES(r), &r->counter, err) < 0)
			return -1;
	return 0;
}

static int
put_total(struct ctx_recount *r, struct ctx_err *err)
{
	return ctx_stmt_do(r->st->derived,
	    "INSERT INTO recount_total (counter, session_no, seq, tokens) "
	    "VALUES (?1, ?2, ?3, ?4) "
	    "ON CONFLICT (counter, session_no) "
	    "DO UPDATE SET seq = excluded.seq, tokens = excluded.tokens "
	    "WHERE recount_total.seq < excluded.seq",
	    CTX_VALUES(ctx_int(r->counter), ctx_int(r->no), ctx_int(r->total_seq),
		ctx_int(r->total)),
	    err);
}

static int
put_counts(struct ctx_recount *r, size_t first, size_t last, struct ctx_err *err)
{
	int rc = 0;

	for (size_t i = first; rc == 0 && i < last; i++)
		rc = ctx_stmt_do(r->st->derived,
		    "INSERT INTO recount (counter, id, tokens) "
		    "VALUES (?1, ?2, ?3) "
		    "ON CONFLICT (counter, id) "
		    "DO UPDATE SET tokens = excluded.tokens",
		    CTX_VALUES(ctx_int(r->counter),
			ctx_int(ctx_row_id(r->no, r->fresh[i].seq)),
			ctx_int(r->fresh[i].tokens)),
		    err);
	return rc;
}

/* Caches the counts first to last - 1, and the total together with the last counts. */
static int
keep_some(struct ctx_recount *r, size_t first, size_t last, struct ctx_err *err)
{
	struct ctx_db *db = ctx_store_derived(r->st, err);
	int rc;

	if (db == NULL || begin_at_once(db, err) < 0)
		return -1;
	rc = is_recount_content_there(r, err) != 1 || make_counter(r, err) < 0 ||
		     put_counts(r, first, last, err) < 0 ||
		     (last == r->n && put_total(r, err) < 0)
		 ? -1
		 : 0;
	return ctx_db_end(db, rc, err);
}

void
ctx_recount_free(struct ctx_recount *r)
{
	struct ctx_err ignored = CTX_ERR_INIT;
	size_t next = 0, last;

	if (r == NULL)
		return;
	if ((r->n > 0 || r->total_seq > 0) && !ctx_db_has_moved(&r->st->db))
		do {
			last = r->n - next < CHUNK ? r->n : next + CHUNK;
			if (keep_some(r, next, last, &ignored) < 0)
				break;
			next = last;
		} while (next < r->n);
	ctx_message_release(&r->scratch);
	free(r->fresh);
	free(r->session_id);
	free(r);
}

/* ---- totals ---- */

static int
read_total(
    struct ctx_recount *r, const struct ctx_session *s, int64_t *seq, int64_t *tokens)
{
	struct ctx_err ignored = CTX_ERR_INIT;
	struct ctx_row row;

	*seq = *tokens = 0;
	if (!is_kept(r))
		return 0;
	row = ctx_rows(r->st->derived, "recount_total",
	    "SELECT seq, tokens "
	    "FROM recount_total "
	    "WHERE counter = ?1 AND session_no = ?2",
	    CTX_VALUES(ctx_int(r->counter), ctx_int(r->no)), &ignored);
	if (ctx_rows_next(&row)) {
		*seq = ctx_row_whole(&row, 0, "seq", 0, s->last_seq);
		*tokens = ctx_row_whole(
		    &row, 1, "tokens", 0, *seq * CTX_RECORD_TOKENS_MAX);
	}
	if (ctx_rows_end(&row) < 0)
		*seq = *tokens = 0;
	return row.found;
}

static int
add_recount_message(void *arg, const struct ctx_stored *m, struct ctx_err *err CTX_UNUSED)
{
	struct ctx_recount *r = arg;

	r->total += ctx_recount_tokens(r, m);
	return 0;
}

static int
count_up(struct ctx_recount *r, const struct ctx_session *s, int64_t seq, int64_t tokens,
    struct ctx_err *err)
{
	r->total = tokens;
	for (int64_t at = seq + 1; at <= s->last_seq; at += PAGE) {
		int64_t last = at + PAGE - 1 < s->last_seq ? at + PAGE - 1 : s->last_seq;
		if (ctx_store_messages(r->st, s, at, last, add_recount_message, r, err) <
		    0)
			return -1;
		r->total_seq = last;
	}
	return 0;
}

/* Counts the messages after those of the cached total; with known = true, only if there is
 * a cached total. */
static int
compute_recount_total(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_tokenizer *t, bool known, int64_t *tokens, struct ctx_err *err)
{
	struct ctx_recount *r;
	int64_t seq, before;
	int rc = 0;

	*tokens = s->token_count;
	if (ctx_archive_cleaned(s))
		return 0;
	r = ctx_recount_new(st, s, t);
	if (read_total(r, s, &seq, &before) || !known)
		rc = count_up(r, s, seq, before, err);
	*tokens = r->total;
	ctx_recount_free(r);
	return rc;
}

int
ctx_recount_total(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_tokenizer *t, int64_t *tokens, struct ctx_err *err)
{
	struct ctx_session now = CTX_SESSION_INIT;
	int rc = compute_recount_total(st, s, t, false, tokens, err);

	while (rc < 0 && ctx_session_moved(st, s, &now, err))
		rc = compute_recount_total(st, &now, t, false, tokens, err);
	ctx_session_release(&now);
	return rc;
}

int
ctx_recount_catch_up(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_tokenizer *t, struct ctx_err *err)
{
	struct ctx_session now = CTX_SESSION_INIT;
	int64_t ignored;
	int rc = s->status == CTX_STATUS_DELETED
		     ? 0
		     : compute_recount_total(st, s, t, true, &ignored, err);

	if (rc < 0 && ctx_session_moved(st, s, &now, err))
		/* the session left the store, or its new state is counted by the next
		 * call */
		rc = 0;
	ctx_session_release(&now);
	return rc;
}

int
ctx_recount_names(
    struct ctx_store *st, ctx_recount_name_fn *fn, void *arg, struct ctx_err *err)
{
	char **names = NULL;
	size_t n = 0, cap = 0;
	struct ctx_row row;
	int rc;

	if (!ctx_derived_exists(st))
		return 0;
	row = ctx_rows(ctx_store_derived(st, err), "counter",
	    "SELECT tokenizer FROM counter ORDER BY no", NULL, 0, err);
	while (ctx_rows_next(&row)) {
		CTX_MEM_GROW(names, n, cap);
		names[n++] = ctx_row_given(&row, 0, "tokenizer");
	}
	rc = ctx_rows_end(&row); /* before fn is called, because it may write */
	for (size_t i = 0; i < n; i++) {
		if (rc == 0)
			rc = fn(arg, names[i], err);
		free(names[i]);
	}
	free(names);
	return rc;
}
