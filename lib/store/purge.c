#include "store/purge.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "store/content.h"
#include "store/derived.h"
#include "store/export.h"
#include "store/fulltext.h"
#include "store/link.h"
#include "store/owner.h"
#include "store/rows.h"
#include "store/summary.h"

static char *
archive_member(const struct ctx_session *s, const char *key)
{
	return s->archive_json == NULL
		   ? NULL
		   : ctx_json_strdup(ctx_json_get(ctx_span_of(s->archive_json), key));
}

char *
ctx_archive_uri(const struct ctx_session *s)
{
	return archive_member(s, "uri");
}

char *
ctx_archive_sha256(const struct ctx_session *s)
{
	return archive_member(s, "sha256");
}

static bool
archive_says(const struct ctx_session *s, const char *key)
{
	return s->archive_json != NULL &&
	       ctx_json_true(ctx_json_get(ctx_span_of(s->archive_json), key));
}

bool
ctx_archive_cleaned(const struct ctx_session *s)
{
	return archive_says(s, "cleaned");
}

bool
ctx_archive_forgotten(const struct ctx_session *s)
{
	return archive_says(s, "forgotten");
}

bool
ctx_session_purging(const struct ctx_session *s)
{
	return archive_says(s, "purging");
}

int
ctx_session_left(struct ctx_store *st, const struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_session now;
	int rc;

	ctx_session_init(&now);
	rc = ctx_store_session_get(st, s->no, &now, err);
	if (rc == 0 ||
	    (rc == 1 && (strcmp(now.session_id, s->session_id) != 0 ||
			    ctx_session_purging(&now) > ctx_session_purging(s))))
		rc = CTX_LEFT_ALL;
	else if (rc == 1)
		rc = ctx_archive_cleaned(&now) > ctx_archive_cleaned(s)
			 ? CTX_LEFT_MESSAGES
			 : 0;
	ctx_session_release(&now);
	return rc;
}

int
ctx_session_left_error(const struct ctx_session *s, int left, struct ctx_err *err)
{
	if (left == CTX_LEFT_ALL)
		return ctx_err_set(err, CTX_EANSWER,
		    "session '%s' was purged while it was read", s->session_id);
	return ctx_err_set(err, CTX_EMOVED, "session '%s' was archived while it was read",
	    s->session_id);
}

bool
ctx_session_moved(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_session *now, struct ctx_err *err)
{
	struct ctx_err ignored = CTX_ERR_INIT;
	struct ctx_session found;

	if (err->code != CTX_EMOVED)
		return false;
	ctx_session_init(&found);
	if (ctx_store_session_get(st, s->no, &found, &ignored) != 1 ||
	    strcmp(found.session_id, s->session_id) != 0 || ctx_session_purging(&found)) {
		ctx_session_release(&found);
		return false;
	}
	ctx_session_release(now);
	*now = found;
	err->code = CTX_OK;
	return true;
}

/* Runs a DELETE or UPDATE in which ?1 and ?2 are the session's first and last possible
 * row id. Adds the number of rows to *rows unless rows is NULL. */
static int
delete_range(struct ctx_store *st, const char *sql, const struct ctx_session *s,
    int64_t *rows, struct ctx_err *err)
{
	int n = ctx_stmt_change(&st->db, sql, CTX_VALUES(CTX_SESSION_ROWS(s)), err);

	if (n > 0 && rows != NULL)
		*rows += n;
	return n < 0 ? -1 : 0;
}

int
ctx_store_clean(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_removed *removed, struct ctx_err *err)
{
	if (delete_range(st, "DELETE FROM message WHERE id BETWEEN ?1 AND ?2", s,
		&removed->messages, err) < 0 ||
	    delete_range(st, "DELETE FROM pin WHERE id BETWEEN ?1 AND ?2", s, NULL, err) <
		0 ||
	    ctx_store_summary_purge(st, s, err) < 0)
		return -1;
	return delete_range(
	    st, "DELETE FROM hidden WHERE first_id BETWEEN ?1 AND ?2", s, NULL, err);
}

/* Reduces a session to the row that marks it as being purged. It stays until the
 * session's bytes are gone from the files, so that an interrupted purge is found and
 * repeated. */
static int
make_tombstone(struct ctx_store *st, const struct ctx_session *s, struct ctx_err *err)
{
	return delete_range(st,
	    "UPDATE session "
	    "SET status = 2, archive = '{\"purging\":true}', caller_id = NULL, "
	    "account_id = NULL, agent = NULL, title = NULL, topic = NULL, "
	    "preferences = NULL, metadata = NULL, parent_session_id = NULL, "
	    "parent_seq = NULL, last_seq = 0, last_turn = 0, message_count = 0, "
	    "tool_call_count = 0, token_count = 0, hidden_count = 0 "
	    "WHERE no = (?1 >> 32) AND ?2 > 0",
	    s, NULL, err);
}

int
ctx_store_mark_purging(struct ctx_store *st, struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_buf archive = CTX_BUF_INIT;
	struct ctx_json_iter it;

	/* keep the other members, in case this purge is interrupted */
	ctx_json_put_open(&archive, '{');
	if (s->archive_json != NULL) {
		ctx_json_iter_init(&it, ctx_span_of(s->archive_json));
		while (ctx_json_iter_next(&it))
			if (!ctx_json_is(it.key, "purging")) {
				ctx_json_put_raw(&archive, it.key);
				ctx_buf_addc(&archive, ':');
				ctx_buf_addspan(&archive, it.value);
			}
	}
	ctx_json_add_bool(&archive, "purging", true);
	ctx_json_put_close(&archive, '}');
	free(s->archive_json);
	s->archive_json = ctx_buf_detach(&archive);
	s->status = CTX_STATUS_DELETED;
	return ctx_store_session_update(st, s, err);
}

int
ctx_store_erase(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_removed *removed, struct ctx_err *err)
{
	if (ctx_store_clean(st, s, removed, err) < 0 ||
	    ctx_content_forget(st, s, &removed->additions, err) < 0 ||
	    delete_range(st, "DELETE FROM session_item WHERE id BETWEEN ?1 AND ?2", s,
		NULL, err) < 0 ||
	    delete_range(st, "DELETE FROM request WHERE id BETWEEN ?1 AND ?2", s,
		&removed->requests, err) < 0 ||
	    delete_range(st, "DELETE FROM event WHERE id BETWEEN ?1 AND ?2", s,
		&removed->events, err) < 0 ||
	    ctx_owner_forget(st, s, err) < 0 || ctx_link_forget(st, s, err) < 0 ||
	    delete_range(st, "DELETE FROM share WHERE session_no = (?1 >> 32) AND ?2 > 0",
		s, NULL, err) < 0)
		return -1;
	return make_tombstone(st, s, err);
}

int
ctx_store_forget(struct ctx_store *st, const struct ctx_session *s, struct ctx_err *err)
{
	return delete_range(st,
	    "DELETE FROM session WHERE no = (?1 >> 32) AND ?2 > 0 AND status = 2", s,
	    NULL, err);
}

int
ctx_store_archive(struct ctx_store *st, int64_t no, const char *stamp,
    const char *archive, struct ctx_span event, int64_t now, bool clean,
    struct ctx_removed *removed, struct ctx_err *err)
{
	char seen[CTX_HASH_HEX + 1];
	struct ctx_session s;
	int64_t id;
	int rc;

	ctx_session_init(&s);
	rc = ctx_store_session_get(st, no, &s, err);
	if (rc == 1 && ctx_store_stamp(st, &s, seen, err) < 0)
		rc = -1;
	if (rc == 1 && strcmp(seen, stamp) != 0)
		rc = 0;
	if (rc == 1) {
		s.status = CTX_STATUS_ARCHIVED;
		free(s.archive_json);
		s.archive_json = ctx_mem_str(archive);
		if (ctx_store_event_add(st, &s, now, event, &id, err) < 0 ||
		    ctx_store_session_update(st, &s, err) < 0 ||
		    (clean && ctx_store_clean(st, &s, removed, err) < 0))
			rc = -1;
	}
	ctx_session_release(&s);
	return rc;
}

/* Returns the SQL condition for the user's rows in one table, of the tenant to which the
 * store is restricted or of all tenants; NULL after the last table. */
static const char *
list_user_rows(const struct ctx_store *st, size_t table)
{
	static const char *const of_tenant[] = {
	    "FROM preference WHERE user_id = ?1 AND tenant_id = ?2",
	    "FROM share "
	    "WHERE user_id = ?1 "
	    "AND EXISTS (SELECT 1 FROM session WHERE no = session_no AND tenant_id = ?2)",
	};
	static const char *const of_all[] = {
	    "FROM preference WHERE user_id = ?1",
	    "FROM share WHERE user_id = ?1",
	};

	if (table >= sizeof(of_all) / sizeof(of_all[0]))
		return NULL;
	return st->tenant != NULL ? of_tenant[table] : of_all[table];
}

int
ctx_store_erase_user(
    struct ctx_store *st, const char *user_id, int64_t *rows, struct ctx_err *err)
{
	struct ctx_buf sql = CTX_BUF_INIT;
	const char *which;
	int n = 0;

	for (size_t i = 0; n >= 0 && (which = list_user_rows(st, i)) != NULL; i++) {
		ctx_buf_reset(&sql);
		ctx_buf_addf(&sql, "DELETE %s", which);
		n = ctx_stmt_change(&st->db, sql.p,
		    CTX_VALUES(ctx_str(user_id), ctx_str(st->tenant)), err);
		*rows += n;
	}
	ctx_buf_release(&sql);
	return n < 0 ? -1 : 0;
}

int
ctx_store_count_user(
    struct ctx_store *st, const char *user_id, int64_t *rows, struct ctx_err *err)
{
	struct ctx_buf sql = CTX_BUF_INIT;
	const char *which;
	int64_t n = 0;
	int rc = 0;

	for (size_t i = 0; rc >= 0 && (which = list_user_rows(st, i)) != NULL; i++) {
		ctx_buf_reset(&sql);
		ctx_buf_addf(&sql, "SELECT count(*) %s", which);
		rc = ctx_stmt_ints(&st->db, sql.p,
		    CTX_VALUES(ctx_str(user_id), ctx_str(st->tenant)), &n, 1, err);
		*rows += n;
	}
	ctx_buf_release(&sql);
	return rc < 0 ? -1 : 0;
}

/* ---- derived rows ---- */

static int
erase_mark(struct ctx_db *db, const char *kind, int64_t no, struct ctx_err *err)
{
	return ctx_stmt_do(db, "DELETE FROM mark WHERE session_no = ?2 AND kind = ?1",
	    CTX_VALUES(ctx_str(kind), ctx_int(no)), err);
}

static int
erase_marks(struct ctx_db *db, int64_t no, struct ctx_err *err)
{
	return ctx_stmt_do(
	    db, "DELETE FROM mark WHERE session_no = ?1", CTX_VALUES(ctx_int(no)), err);
}

static int
erase_kind(struct ctx_store *st, const struct ctx_derived_kind *k, const int64_t *no,
    size_t n, int64_t *rows, struct ctx_err *err)
{
	if (k->erase == NULL)
		return k->erase_all(st, no, n, rows, err);
	for (size_t i = 0; i < n; i++)
		if (k->erase(st, no[i], rows, err) < 0)
			return -1;
	return 0;
}

static int
erase_kinds(struct ctx_store *st, struct ctx_db *db, const int64_t *no, size_t n,
    bool keep, struct ctx_removed *removed, struct ctx_err *err)
{
	int rc = 0;

	for (const struct ctx_derived_kind *const *k = ctx_derived_kinds;
	     rc == 0 && *k != NULL; k++) {
		if (keep && (*k)->serves_archived)
			continue;
		rc = erase_kind(st, *k, no, n, &removed->derived, err);
		for (size_t i = 0; rc == 0 && i < n; i++)
			rc = erase_mark(db, (*k)->name, no[i], err);
	}
	/* marks of kinds that this version does not know */
	for (size_t i = 0; rc == 0 && !keep && i < n; i++)
		rc = erase_marks(db, no[i], err);
	return rc;
}

static int
compare_session_nos(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static int
begin_derived_erase(struct ctx_store *st, const struct ctx_session *const s[], size_t n,
    bool keep, struct ctx_removed *removed, struct ctx_err *err)
{
	struct ctx_db *db = ctx_store_derived(st, err);
	int64_t *no;
	int rc;

	if (db == NULL || ctx_db_begin(db, err) < 0)
		return -1;
	no = ctx_mem_new(n * sizeof(*no));
	for (size_t i = 0; i < n; i++)
		no[i] = s[i]->no;
	qsort(no, n, sizeof(*no), compare_session_nos);
	rc = erase_kinds(st, db, no, n, keep, removed, err);
	free(no);
	if (rc < 0)
		ctx_db_rollback(db);
	return rc;
}

int
ctx_derived_erase(struct ctx_store *st, const struct ctx_session *const s[], size_t n,
    bool keep, struct ctx_removed *removed, struct ctx_err *err)
{
	int rc;

	if (n == 0 || !ctx_derived_exists(st))
		return 0;
	rc = begin_derived_erase(st, s, n, keep, removed, err);
	if (rc == 0)
		rc = ctx_derived_commit(st, err);
	ctx_derived_rollback(st);
	return rc;
}

int
ctx_derived_erase_begin(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_removed *removed, struct ctx_err *err)
{
	if (ctx_db_is_whole(&st->db) || !ctx_derived_exists(st))
		return 0;
	return begin_derived_erase(st, &s, 1, false, removed, err) < 0 ? -1 : 1;
}

/* ---- all texts ---- */

/* Passes each text that the query returns. Returns 1 if calls->enough returned true, 0 at
 * the end, -1 on error. */
static int
texts_of(struct ctx_db *db, const char *sql, const struct ctx_store_text_calls *calls,
    struct ctx_err *err)
{
	struct ctx_stmt *q = ctx_stmt_new(db, sql, err);
	int rc;

	if (q == NULL)
		return -1;
	while ((rc = calls->enough(calls->arg) ? 2 : ctx_stmt_step(db, q, err)) == 1)
		for (int c = 0; c < ctx_stmt_columns(q); c++) {
			struct ctx_span text = ctx_stmt_span(q, c);
			if (text.p != NULL)
				calls->fn(calls->arg, text);
		}
	ctx_stmt_free(db, q);
	return rc == 2 ? 1 : rc;
}

/* Passes the texts in the derived file. For archived sessions, no other file has them. */
static int
derived_texts(
    struct ctx_store *st, const struct ctx_store_text_calls *calls, struct ctx_err *err)
{
	struct ctx_db *db;
	int rc;

	if (!ctx_derived_exists(st))
		return 0;
	db = ctx_store_derived(st, err);
	if (db == NULL)
		return -1;
	rc = texts_of(db, "SELECT key, value FROM cache", calls, err);
	if (rc == 0)
		rc = texts_of(db, "SELECT name FROM seen", calls, err);
	return rc != 0 ? rc : ctx_fulltext_kept_all(st, calls->fn, calls->arg, err);
}

int
ctx_store_texts(
    struct ctx_store *st, const struct ctx_store_text_calls *calls, struct ctx_err *err)
{
	static const char *const sql[] = {
	    "SELECT body, record_id, metadata FROM message",
	    ("SELECT session_id, tenant_id, user_id, caller_id, account_id, agent, title, "
	     "topic, preferences, metadata, hold, archive, parent_session_id "
	     "FROM session"),
	    "SELECT record FROM request",
	    "SELECT record FROM event",
	    "SELECT body FROM content",
	    "SELECT source, body FROM summary",
	    "SELECT user_id, preferences FROM preference",
	    "SELECT agent, server_name, name, modes, content, schema FROM item",
	    "SELECT server_name, name FROM session_item",
	    "SELECT key, name, external_id, slug, action, data FROM entity",
	    "SELECT key, alias FROM entity_alias",
	    "SELECT pattern FROM entity_pattern",
	};
	int rc = ctx_link_texts(st, calls->fn, calls->arg, err);

	for (size_t i = 0; rc == 0 && i < sizeof(sql) / sizeof(sql[0]); i++)
		rc = texts_of(&st->db, sql[i], calls, err);
	if (rc == 0)
		rc = derived_texts(st, calls, err);
	return rc < 0 ? -1 : 0;
}
