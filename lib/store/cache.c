/* Marks and caches in the derived file. */
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "json/json.h"
#include "store/derived.h"
#include "store/row.h"

int
ctx_derived_mark(struct ctx_store *st, const char *kind, int64_t session_no, int64_t *seq,
    struct ctx_err *err)
{
	bool names = strcmp(kind, CTX_MARK_NAMES) == 0;
	struct ctx_row r = ctx_rows(ctx_store_derived(st, err), "mark",
	    "SELECT seq FROM mark WHERE session_no = ?2 AND kind = ?1",
	    CTX_VALUES(ctx_str(kind), ctx_int(session_no)), err);

	*seq = 0;
	if (ctx_rows_next(&r))
		*seq = ctx_row_whole(&r, 0, "seq", 0, names ? INT64_MAX : CTX_SEQ_MAX);
	return ctx_rows_end(&r);
}

int
ctx_derived_set_mark(struct ctx_store *st, const char *kind, int64_t session_no,
    int64_t seq, struct ctx_err *err)
{
	return ctx_stmt_do(ctx_store_derived(st, err),
	    "INSERT INTO mark (kind, session_no, seq) "
	    "VALUES (?1, ?2, ?3) "
	    "ON CONFLICT (session_no, kind) "
	    "DO UPDATE SET seq = excluded.seq",
	    CTX_VALUES(ctx_str(kind), ctx_int(session_no), ctx_int(seq)), err);
}

int
ctx_derived_wanted(struct ctx_store *st, int64_t session_no, struct ctx_err *err)
{
	int64_t wanted = 0;
	int rc = ctx_stmt_ints(&st->db, "SELECT status <> 2 FROM session WHERE no = ?1",
	    CTX_VALUES(ctx_int(session_no)), &wanted, 1, err);

	return rc < 0 ? -1 : wanted == 1;
}

int
ctx_derived_begin(struct ctx_store *st, struct ctx_err *err)
{
	struct ctx_db *db = ctx_store_derived(st, err);

	return db == NULL ? -1 : ctx_db_begin(db, err);
}

int
ctx_derived_end(struct ctx_store *st, int rc, struct ctx_err *err)
{
	return st->derived == NULL ? rc : ctx_db_end(st->derived, rc, err);
}

void
ctx_derived_rollback(struct ctx_store *st)
{
	if (st->derived != NULL)
		ctx_db_rollback(st->derived);
}

/* ---- caches ---- */

int
ctx_cache_count(struct ctx_store *st, const char *kind, int64_t hits, int64_t misses,
    struct ctx_err *err)
{
	return ctx_stmt_do(ctx_store_derived(st, err),
	    "INSERT INTO cache_use (kind, hits, misses) "
	    "VALUES (?1, ?2, ?3) "
	    "ON CONFLICT (kind) "
	    "DO UPDATE SET hits = cache_use.hits + excluded.hits, "
	    "misses = cache_use.misses + excluded.misses",
	    CTX_VALUES(ctx_str(kind), ctx_int(hits), ctx_int(misses)), err);
}

/* Returns true if a tool of ctx can have stored the value. Any other value counts as
 * missing, so that it is made again. */
static bool
is_cached_value(const char *kind, struct ctx_span value)
{
	struct ctx_err ignored = CTX_ERR_INIT;
	struct ctx_span json;

	if (strcmp(kind, "embed") == 0)
		return value.n > 0 && value.n % 4 == 0;
	if (strcmp(kind, "summary") == 0)
		return value.n > 0 && ctx_utf8_valid(value.p, value.n) == value.n &&
		       memchr(value.p, '\0', value.n) == NULL;
	return ctx_json_check(value, &json, NULL, &ignored) == 0;
}

int
ctx_cache_peek(struct ctx_store *st, const char *kind, const char *key, int64_t now,
    struct ctx_buf *value, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(ctx_store_derived(st, err), "cache",
	    "SELECT value FROM cache WHERE kind = ?1 AND key = ?2 AND expires_at > ?3",
	    CTX_VALUES(ctx_str(kind), ctx_str(key), ctx_int(now)), err);
	bool valid = false;

	if (ctx_rows_next(&r)) {
		struct ctx_span found = ctx_stmt_span(r.q, 0);
		valid = is_cached_value(kind, found);
		if (valid)
			ctx_buf_addspan(value, found);
	}
	return ctx_rows_end(&r) < 0 ? -1 : valid;
}

int
ctx_cache_get(struct ctx_store *st, const char *kind, const char *key, int64_t now,
    struct ctx_buf *value, struct ctx_err *err)
{
	int rc = ctx_cache_peek(st, kind, key, now, value, err);

	if (rc >= 0 && ctx_cache_count(st, kind, rc == 1, rc == 0, err) < 0)
		return -1;
	return rc;
}

static int
store_cache_value(struct ctx_db *db, const char *kind, const char *key,
    int64_t session_no, int64_t now, int64_t ttl_ms, struct ctx_span value,
    struct ctx_err *err)
{
	/* Each new value removes up to 20 expired ones, so that the cache does not grow
	 * beyond what is in use. */
	if (ctx_stmt_change(db,
		"DELETE FROM cache "
		"WHERE (kind, key) IN ("
		"SELECT kind, key "
		"FROM cache "
		"WHERE expires_at <= ?1 "
		"LIMIT 20)",
		CTX_VALUES(ctx_int(now)), err) < 0)
		return -1;
	return ctx_stmt_do(db,
	    "INSERT INTO cache (kind, key, session_no, expires_at, value) "
	    "VALUES (?1, ?2, ?3, ?4, ?5) "
	    "ON CONFLICT (kind, key) "
	    "DO UPDATE SET session_no = excluded.session_no, "
	    "expires_at = excluded.expires_at, value = excluded.value",
	    CTX_VALUES(ctx_str(kind), ctx_str(key), ctx_int(session_no),
		ctx_int(now + ttl_ms), ctx_bytes(value)),
	    err);
}

int
ctx_cache_put(struct ctx_store *st, const char *kind, const char *key, int64_t session_no,
    int64_t now, int64_t ttl_ms, struct ctx_span value, struct ctx_err *err)
{
	struct ctx_db *db = ctx_store_derived(st, err);
	bool own = db != NULL && !db->writing;
	int rc;

	if (db == NULL || (own && ctx_db_begin(db, err) < 0))
		return -1;
	rc = session_no == 0 ? 1 : ctx_derived_wanted(st, session_no, err);
	if (rc == 1)
		rc = store_cache_value(
		    db, kind, key, session_no, now, ttl_ms, value, err);
	return own ? ctx_db_end(db, rc, err) : rc;
}
