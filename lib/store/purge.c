#include "store/purge.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "store/derived.h"
#include "store/export.h"
#include "store/fulltext.h"
#include "store/row.h"
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
	struct ctx_session now = CTX_SESSION_INIT;
	int rc = ctx_store_session_get(st, s->no, &now, err);

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
	struct ctx_session found = CTX_SESSION_INIT;

	if (err->code != CTX_EMOVED)
		return false;
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

/* A statement that removes rows of the sessions with the numbers ?1 to ?2, and the member
 * of struct ctx_removed that counts the rows. */
struct removal {
	size_t counter; /* offset of the member, or NOT_COUNTED */
	const char *sql;
};
#define COUNTED(member) offsetof(struct ctx_removed, member)
#define NOT_COUNTED SIZE_MAX
#define IN_ROWS "BETWEEN (?1 << 32) AND (?2 << 32 | 4294967295)"
#define IN_SESSIONS "BETWEEN ?1 AND ?2"

static const struct removal clean_up[] = {
    {COUNTED(messages), "DELETE FROM message WHERE id " IN_ROWS},
    {NOT_COUNTED, "DELETE FROM pin WHERE id " IN_ROWS},
    /* a summary must not outlive its messages */
    {NOT_COUNTED,
	"UPDATE session SET summary = 0 WHERE no " IN_SESSIONS " AND summary != 0"},
    {NOT_COUNTED, "DELETE FROM summary WHERE id " IN_ROWS},
    {NOT_COUNTED, "DELETE FROM hidden WHERE first_id " IN_ROWS},
    {0, NULL},
};

/* The rows that clean_up leaves. */
static const struct removal erasure[] = {
    {COUNTED(additions), "DELETE FROM content WHERE session_no " IN_SESSIONS},
    {NOT_COUNTED, "DELETE FROM session_item WHERE id " IN_ROWS},
    {COUNTED(requests), "DELETE FROM request WHERE id " IN_ROWS},
    {COUNTED(events), "DELETE FROM event WHERE id " IN_ROWS},
    {NOT_COUNTED, "DELETE FROM archive_file WHERE session_no " IN_SESSIONS},
    {NOT_COUNTED, "DELETE FROM session_entity_link WHERE session_no " IN_SESSIONS},
    {NOT_COUNTED, "DELETE FROM share WHERE session_no " IN_SESSIONS},
    /* Reduces a session to the row that marks it as being purged. It stays until the
     * session's bytes are gone from the files, so that an interrupted purge is found and
     * repeated. */
    {NOT_COUNTED, "UPDATE session "
		  "SET status = 2, archive = '{\"purging\":true}', caller_id = NULL, "
		  "account_id = NULL, agent = NULL, title = NULL, topic = NULL, "
		  "preferences = NULL, metadata = NULL, parent_session_id = NULL, "
		  "parent_seq = NULL, last_seq = 0, last_turn = 0, message_count = 0, "
		  "tool_call_count = 0, token_count = 0, hidden_count = 0 "
		  "WHERE no " IN_SESSIONS},
    {0, NULL},
};

static int
remove_rows(struct ctx_store *st, const struct removal *list, struct ctx_session_run run,
    struct ctx_removed *removed, struct ctx_err *err)
{
	for (; list->sql != NULL; list++) {
		int n = ctx_stmt_change(&st->db, list->sql,
		    CTX_VALUES(ctx_int(run.first), ctx_int(run.last)), err);
		if (n < 0)
			return -1;
		if (list->counter != NOT_COUNTED)
			*(int64_t *)((char *)removed + list->counter) += n;
	}
	return 0;
}

int
ctx_store_clean(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_removed *removed, struct ctx_err *err)
{
	return remove_rows(
	    st, clean_up, (struct ctx_session_run){s->no, s->no}, removed, err);
}

int
ctx_store_mark_purging(struct ctx_store *st, struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_buf archive = CTX_BUF_INIT;

	/* keep the other members, in case this purge is interrupted */
	ctx_json_put_open(&archive, '{');
	ctx_json_put_members(&archive, ctx_span_of(s->archive_json), "purging");
	ctx_json_add_bool(&archive, "purging", true);
	ctx_json_put_close(&archive, '}');
	free(s->archive_json);
	s->archive_json = ctx_buf_detach(&archive);
	s->status = CTX_STATUS_DELETED;
	return ctx_stmt_do(&st->db,
	    "UPDATE session SET status = 2, archive = ?2 WHERE no = ?1",
	    CTX_VALUES(ctx_int(s->no), ctx_str(s->archive_json)), err);
}

int
ctx_store_bodies(struct ctx_store *st, const struct ctx_session *s,
    void (*fn)(void *arg, struct ctx_span body), void *arg, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(&st->db, "message",
	    "SELECT body FROM message WHERE id BETWEEN ?1 AND ?2",
	    CTX_VALUES(CTX_SESSION_ROWS(s)), err);

	while (ctx_rows_next(&r))
		fn(arg, ctx_stmt_span(r.q, 0));
	return ctx_rows_end(&r);
}

int
ctx_store_erase(struct ctx_store *st, int64_t *nos, size_t n, struct ctx_removed *removed,
    struct ctx_err *err)
{
	ctx_session_nos_sort(nos, n);
	for (size_t i = 0; i < n;) {
		struct ctx_session_run run = ctx_session_run_take(nos, n, &i);
		if (remove_rows(st, clean_up, run, removed, err) < 0 ||
		    remove_rows(st, erasure, run, removed, err) < 0)
			return -1;
	}
	return 0;
}

int
ctx_store_commit_erased(
    struct ctx_store *st, struct ctx_removed *removed, struct ctx_err *err)
{
	return ctx_db_commit_smaller(&st->db, &removed->bytes, err);
}

int
ctx_store_forget(struct ctx_store *st, int64_t *nos, size_t n, struct ctx_err *err)
{
	ctx_session_nos_sort(nos, n);
	for (size_t i = 0; i < n;) {
		struct ctx_session_run run = ctx_session_run_take(nos, n, &i);
		if (ctx_stmt_do(&st->db,
			"DELETE FROM session WHERE no BETWEEN ?1 AND ?2 AND status = 2",
			CTX_VALUES(ctx_int(run.first), ctx_int(run.last)), err) < 0)
			return -1;
	}
	return 0;
}

int
ctx_store_archive(struct ctx_store *st, int64_t no, const char *stamp,
    const char *archive, struct ctx_span event, int64_t now, bool clean,
    struct ctx_removed *removed, struct ctx_err *err)
{
	char seen[CTX_HASH_HEX + 1];
	struct ctx_session s = CTX_SESSION_INIT;
	int rc = ctx_store_session_get(st, no, &s, err);

	if (rc == 1 && ctx_store_stamp(st, &s, seen, err) < 0)
		rc = -1;
	if (rc == 1 && strcmp(seen, stamp) != 0)
		rc = 0;
	if (rc == 1) {
		s.status = CTX_STATUS_ARCHIVED;
		free(s.archive_json);
		s.archive_json = ctx_mem_str(archive);
		if (ctx_store_event_add(st, &s, now, event, NULL, err) < 0 ||
		    ctx_store_session_set_state(st, &s, err) < 0 ||
		    (clean && ctx_store_clean(st, &s, removed, err) < 0))
			rc = -1;
	}
	ctx_session_release(&s);
	return rc;
}

/* Counts a user's rows outside of sessions, of the tenant to which the store is restricted
 * or of all tenants. Also deletes them if erase is true. */
static int
take_user_rows(struct ctx_store *st, const char *user_id, bool erase, int64_t *rows,
    struct ctx_err *err)
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
	struct ctx_buf sql = CTX_BUF_INIT;
	int rc = 0;

	for (size_t i = 0; rc >= 0 && i < sizeof(of_all) / sizeof(of_all[0]); i++) {
		struct ctx_value values[] = {ctx_str(user_id), ctx_str(st->tenant)};
		int64_t n = 0;
		ctx_buf_reset(&sql);
		ctx_buf_addf(&sql, "%s %s", erase ? "DELETE" : "SELECT count(*)",
		    st->tenant != NULL ? of_tenant[i] : of_all[i]);
		rc = erase ? ctx_stmt_change(&st->db, sql.p, values, 2, err)
			   : ctx_stmt_ints(&st->db, sql.p, values, 2, &n, 1, err);
		*rows += erase ? rc : n;
	}
	ctx_buf_release(&sql);
	return rc < 0 ? -1 : 0;
}

int
ctx_store_erase_user(
    struct ctx_store *st, const char *user_id, int64_t *rows, struct ctx_err *err)
{
	return take_user_rows(st, user_id, true, rows, err);
}

int
ctx_store_count_user(
    struct ctx_store *st, const char *user_id, int64_t *rows, struct ctx_err *err)
{
	return take_user_rows(st, user_id, false, rows, err);
}

/* ---- all texts ---- */

/* Passes each text that the query returns. Returns 1 if calls->enough returned true, 0 at
 * the end, -1 on error. */
static int
texts_of(struct ctx_db *db, const char *sql, const struct ctx_store_text_calls *calls,
    struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(db, "text", sql, NULL, 0, err);
	bool enough;

	while (!(enough = calls->enough(calls->arg)) && ctx_rows_next(&r))
		for (int c = 0; c < ctx_stmt_columns(r.q); c++) {
			struct ctx_span text = ctx_stmt_span(r.q, c);
			if (text.p != NULL)
				calls->fn(calls->arg, text);
		}
	return ctx_rows_end(&r) < 0 ? -1 : enough;
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
	    "SELECT DISTINCT action FROM session_entity_link",
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
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sizeof(sql) / sizeof(sql[0]); i++)
		rc = texts_of(&st->db, sql[i], calls, err);
	if (rc == 0)
		rc = derived_texts(st, calls, err);
	return rc < 0 ? -1 : 0;
}
