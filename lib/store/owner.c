#include "store/owner.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"
#include "store/row.h"

int
ctx_owner_get(struct ctx_store *st, struct ctx_owner *owner, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(&st->db, "identity",
	    "SELECT id, origin IS NOT NULL FROM identity", NULL, 0, err);

	memset(owner, 0, sizeof(*owner));
	if (ctx_rows_next(&r)) {
		char *id = ctx_row_given(&r, 0, "id");
		if (strlen(id) == CTX_ID_UUID)
			memcpy(owner->id, id, CTX_ID_UUID);
		else
			ctx_row_refuse(&r, "id");
		owner->copied = ctx_stmt_int64(r.q, 1) != 0;
		free(id);
	}
	return ctx_rows_end(&r);
}

/* ---- runs ---- */

static int
make_identity(struct ctx_store *st, int64_t now, struct ctx_err *err)
{
	char id[CTX_ID_UUID + 1];

	if (ctx_id_new(now, id, err) < 0)
		return -1;
	return ctx_stmt_do(&st->db,
	    "INSERT INTO identity (id) "
	    "SELECT ?1 "
	    "WHERE NOT EXISTS (SELECT 1 FROM identity)",
	    CTX_VALUES(ctx_str(id)), err);
}

int
ctx_owner_begin_run(struct ctx_store *st, const char *place, int64_t now,
    struct ctx_owner *owner, struct ctx_err *err)
{
	int n = -1;

	if (ctx_store_begin(st, err) == 0 && make_identity(st, now, err) == 0)
		n = ctx_stmt_change(&st->db,
		    "INSERT INTO archive_run (place) VALUES (?1) ON CONFLICT DO NOTHING",
		    CTX_VALUES(ctx_str(place)), err);
	return ctx_store_end(st, n < 0 ? -1 : 0, err) < 0 ||
		       ctx_owner_get(st, owner, err) < 0
		   ? -1
		   : n == 0;
}

int
ctx_owner_end_run(struct ctx_store *st, const char *place, struct ctx_err *err)
{
	return ctx_store_begin(st, err) < 0
		   ? -1
		   : ctx_store_end(st,
			 ctx_stmt_do(&st->db, "DELETE FROM archive_run WHERE place = ?1",
			     CTX_VALUES(ctx_str(place)), err),
			 err);
}

int
ctx_owner_adopt(struct ctx_store *st, const char *id, struct ctx_err *err)
{
	int rc = ctx_store_begin(st, err) < 0 ||
			 ctx_stmt_exec(&st->db, "DELETE FROM identity", err) < 0
		     ? -1
		     : ctx_stmt_do(&st->db, "INSERT INTO identity (id) VALUES (?1)",
			   CTX_VALUES(ctx_str(id)), err);

	return ctx_store_end(st, rc, err);
}

int
ctx_owner_mark_copy(struct ctx_db *copy, const char *id, struct ctx_err *err)
{
	if (ctx_stmt_exec(copy, "BEGIN", err) < 0 ||
	    ctx_stmt_exec(copy,
		"INSERT INTO identity (id) SELECT '' WHERE NOT EXISTS (SELECT 1 FROM identity)",
		err) < 0 ||
	    ctx_stmt_do(copy, "UPDATE identity SET origin = id, id = ?1",
		CTX_VALUES(ctx_str(id)), err) < 0)
		return -1;
	return ctx_stmt_exec(copy, "COMMIT", err);
}

/* ---- archives ---- */

int
ctx_owner_add(struct ctx_store *st, int64_t session_no, const struct ctx_owner_file *file,
    struct ctx_err *err)
{
	return ctx_stmt_do(&st->db,
	    "INSERT INTO archive_file (session_no, uri, sha256, state) "
	    "VALUES (?1, ?2, ?3, ?4) "
	    "ON CONFLICT (session_no, uri) "
	    "DO UPDATE SET sha256 = coalesce(excluded.sha256, archive_file.sha256), "
	    "state = CASE WHEN excluded.state > archive_file.state "
	    "THEN excluded.state ELSE archive_file.state END",
	    CTX_VALUES(ctx_int(session_no), ctx_str(file->uri), ctx_str(file->sha256),
		ctx_int((int64_t)file->state)),
	    err);
}

/* Reads the columns address, digest and state, starting at col; the caller frees both
 * texts. */
static void
read_file_row(
    struct ctx_row *r, int col, char **uri, char **sha256, enum ctx_owner_state *state)
{
	*uri = ctx_row_given(r, col, "uri");
	*sha256 = ctx_row_text(r, col + 1, "sha256");
	*state = (enum ctx_owner_state)ctx_row_whole(
	    r, col + 2, "state", CTX_OWNER_RESTORED, CTX_OWNER_GOING);
}

int
ctx_owner_each(struct ctx_store *st, const struct ctx_session *s, ctx_owner_fn *fn,
    void *arg, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(&st->db, "archive_file",
	    "SELECT uri, sha256, state "
	    "FROM archive_file "
	    "WHERE session_no = ?1 "
	    "ORDER BY uri",
	    CTX_VALUES(ctx_int(s->no)), err);

	while (ctx_rows_next(&r)) {
		char *uri, *sha256;
		enum ctx_owner_state state;
		read_file_row(&r, 0, &uri, &sha256, &state);
		if (!r.wrong)
			r.rc = fn(arg, &(struct ctx_owner_file){uri, sha256, state}, err);
		free(uri);
		free(sha256);
	}
	return ctx_rows_end(&r);
}

int
ctx_owner_each_run(
    struct ctx_store *st, ctx_owner_place_fn *fn, void *arg, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(&st->db, "archive_run",
	    "SELECT place FROM archive_run ORDER BY place", NULL, 0, err);

	while (ctx_rows_next(&r)) {
		char *place = ctx_row_given(&r, 0, "place");
		if (!r.wrong)
			r.rc = fn(arg, place, err);
		free(place);
	}
	return ctx_rows_end(&r);
}

int
ctx_owner_knows(struct ctx_store *st, const char *uri, struct ctx_err *err)
{
	int64_t one;

	return ctx_stmt_ints(&st->db, "SELECT 1 FROM archive_file WHERE uri = ?1 LIMIT 1",
	    CTX_VALUES(ctx_str(uri)), &one, 1, err);
}

/* ---- relocation ---- */

struct relocation {
	struct ctx_store *st;
	const char *from, *to;
	ctx_owner_moved_fn *fn;
	void *arg;
	struct moved {
		int64_t no;
		char *uri, *moved, *sha256;
		enum ctx_owner_state state;
		bool stays;
		bool told; /* only events name the archive, as older versions left them */
	} * rows;
	size_t n, cap;
	struct ctx_map seen; /* pairs of session and address that were added, as hashes */
};

/* Returns the new address of an archive in the place; NULL if it is not in the place. */
static char *
new_address(const struct relocation *r, const char *uri)
{
	size_t n = strlen(r->from);
	struct ctx_buf b = CTX_BUF_INIT;

	if (uri == NULL || strncmp(uri, r->from, n) != 0 || uri[n] != '/')
		return NULL;
	ctx_buf_addf(&b, "%s%s", r->to, uri + n);
	return ctx_buf_detach(&b);
}

/* Adds m if its address is in the place. Takes ownership of the texts of m. */
static void
keep_if_moved(struct relocation *r, struct moved m)
{
	size_t *seen = NULL;

	m.moved = new_address(r, m.uri);
	if (m.moved != NULL)
		seen = ctx_map_at(&r->seen,
		    ctx_hash_bytes((uint64_t)m.no, m.uri, strlen(m.uri)), NULL, NULL);
	if (m.moved == NULL || (m.told && *seen != 0)) {
		free(m.moved);
		free(m.uri);
		free(m.sha256);
		return;
	}
	*seen = 1;
	CTX_MEM_GROW(r->rows, r->n, r->cap);
	r->rows[r->n++] = m;
}

/* Reads an archive row. Columns: session number, address, digest, state. */
static void
take_relocation_row(struct relocation *r, struct ctx_row *row)
{
	struct moved m = {.no = ctx_row_session(row, 0, "session_no")};

	read_file_row(row, 1, &m.uri, &m.sha256, &m.state);
	keep_if_moved(r, m);
}

/* Reads the archive that a session names. Columns: session number, member "archive",
 * which also says if the session is being restored. */
static void
take_relocation_member(struct relocation *r, struct ctx_row *row)
{
	struct moved m = {.no = ctx_row_session(row, 0, "no")};
	struct ctx_span archive = ctx_stmt_span(row->q, 1);
	struct ctx_err ignored = CTX_ERR_INIT;

	if (ctx_json_check(archive, NULL, NULL, &ignored) < 0)
		return;
	m.uri = ctx_json_strdup(ctx_json_get(archive, "uri"));
	m.sha256 = ctx_json_strdup(ctx_json_get(archive, "sha256"));
	m.state = ctx_json_get(archive, "restoring").p == NULL ? CTX_OWNER_WRITTEN
							       : CTX_OWNER_RESTORED;
	keep_if_moved(r, m);
}

/* Reads the archive that an event names. Columns: row id, record. */
static void
take_relocation_event(struct relocation *r, struct ctx_row *row)
{
	struct ctx_span record = ctx_stmt_span(row->q, 1), uri = CTX_SPAN_NONE;
	struct ctx_err ignored = CTX_ERR_INIT;

	if (ctx_json_check(record, NULL, NULL, &ignored) == 0)
		uri = ctx_json_get(record, "uri");
	if (ctx_json_type(uri) == CTX_JSON_STRING)
		keep_if_moved(r, (struct moved){.no = ctx_stmt_int64(row->q, 0) >> 32,
				     .uri = ctx_json_strdup(uri),
				     .told = true});
}

static void
put_moved(struct ctx_buf *out, struct ctx_span archive, const char *uri)
{
	struct ctx_buf json = CTX_BUF_INIT;

	ctx_json_put_string(&json, ctx_span_of(uri));
	ctx_json_put_changed(out, archive, "uri", ctx_buf_span(&json));
	ctx_buf_release(&json);
}

/* Changes the address in the session's member "archive", if it still has the old one. */
static int
move_member(struct ctx_store *st, const struct moved *m, struct ctx_err *err)
{
	struct ctx_session s = CTX_SESSION_INIT;
	struct ctx_buf b = CTX_BUF_INIT;
	int rc = ctx_store_session_get(st, m->no, &s, err);

	if (rc == 1 && s.archive_json != NULL &&
	    ctx_json_is(ctx_json_get(ctx_span_of(s.archive_json), "uri"), m->uri)) {
		put_moved(&b, ctx_span_of(s.archive_json), m->moved);
		rc = ctx_stmt_do(&st->db, "UPDATE session SET archive = ?2 WHERE no = ?1",
		    CTX_VALUES(ctx_int(m->no), ctx_str(b.p)), err);
	}
	ctx_buf_release(&b);
	ctx_session_release(&s);
	return rc < 0 ? -1 : 0;
}

/* Changes the address in events, because a purge searches for archives that events
 * name. */
static int
move_events(struct ctx_store *st, const struct moved *m, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(&st->db, "event",
	    "SELECT id, record FROM event WHERE id BETWEEN ?1 AND ?2",
	    CTX_VALUES(CTX_SESSION_ROWS(m)), err);
	struct {
		struct moved_event {
			int64_t id;
			char *record;
		} * v;
		size_t n, cap;
	} e = {NULL, 0, 0};
	int rc;

	while (ctx_rows_next(&r)) {
		struct ctx_span record = ctx_stmt_span(r.q, 1);
		struct ctx_err ignored = CTX_ERR_INIT;
		struct ctx_buf b = CTX_BUF_INIT;
		if (ctx_json_check(record, NULL, NULL, &ignored) < 0 ||
		    !ctx_json_is(ctx_json_get(record, "uri"), m->uri))
			continue;
		put_moved(&b, record, m->moved);
		CTX_MEM_GROW(e.v, e.n, e.cap);
		e.v[e.n++] = (struct moved_event){
		    ctx_stmt_int64(r.q, 0), ctx_buf_detach(&b)};
	}
	rc = ctx_rows_end(&r);
	for (size_t i = 0; i < e.n; i++) {
		if (rc == 0)
			rc = ctx_stmt_do(&st->db,
			    "UPDATE event SET record = ?2 WHERE id = ?1",
			    CTX_VALUES(ctx_int(e.v[i].id), ctx_str(e.v[i].record)), err);
		free(e.v[i].record);
	}
	free(e.v);
	return rc;
}

static int
move_row(struct ctx_store *st, const struct moved *m, struct ctx_err *err)
{
	struct ctx_owner_file file = {m->moved, m->sha256, m->state};

	if (move_events(st, m, err) < 0)
		return -1;
	if (m->told)
		return 0;
	return move_member(st, m, err) < 0 ||
		       ctx_stmt_do(&st->db,
			   "DELETE FROM archive_file WHERE session_no = ?1 AND uri = ?2",
			   CTX_VALUES(ctx_int(m->no), ctx_str(m->uri)), err) < 0
		   ? -1
		   : ctx_owner_add(st, m->no, &file, err);
}

static int
read_relocation_rows(struct relocation *r, struct ctx_err *err)
{
	static const struct {
		const char *table, *sql;
		void (*take)(struct relocation *r, struct ctx_row *row);
	} places[] = {
	    {"session", "SELECT no, archive FROM session WHERE archive IS NOT NULL",
		take_relocation_member},
	    {"archive_file", "SELECT session_no, uri, sha256, state FROM archive_file",
		take_relocation_row},
	    {"event", "SELECT id, record FROM event ORDER BY id", take_relocation_event},
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		struct ctx_row row = ctx_rows(
		    &r->st->db, places[i].table, places[i].sql, NULL, 0, err);
		while (ctx_rows_next(&row))
			places[i].take(r, &row);
		if (ctx_rows_end(&row) < 0)
			return -1;
	}
	return 0;
}

static int
move_rows(struct relocation *r, struct ctx_err *err)
{
	static const char *const runs[] = {
	    "INSERT INTO archive_run (place) "
	    "SELECT ?2 "
	    "WHERE EXISTS (SELECT 1 FROM archive_run WHERE place = ?1) "
	    "ON CONFLICT DO NOTHING",
	    "DELETE FROM archive_run WHERE place = ?1",
	    NULL,
	};
	int64_t ignored = 0;
	int rc = ctx_store_begin(r->st, err);

	for (size_t i = 0; rc == 0 && i < r->n; i++)
		if (!r->rows[i].stays)
			rc = move_row(r->st, &r->rows[i], err);
	if (rc == 0)
		rc = ctx_stmt_each(&r->st->db, runs,
		    CTX_VALUES(ctx_str(r->from), ctx_str(r->to)), &ignored, err);
	return ctx_store_end(r->st, rc, err);
}

int
ctx_owner_relocate(struct ctx_store *st, const char *from, const char *to,
    ctx_owner_moved_fn *fn, void *arg, bool dry_run, int64_t *n, struct ctx_err *err)
{
	struct relocation r = {.st = st, .from = from, .to = to, .fn = fn, .arg = arg};
	int rc = read_relocation_rows(&r, err);

	*n = 0;
	for (size_t i = 0; rc >= 0 && i < r.n; i++) {
		rc = fn(arg, r.rows[i].uri, r.rows[i].moved, err);
		r.rows[i].stays = rc == 1;
		*n += rc == 0;
	}
	if (rc >= 0 && !dry_run)
		rc = move_rows(&r, err);
	for (size_t i = 0; i < r.n; i++) {
		free(r.rows[i].uri);
		free(r.rows[i].moved);
		free(r.rows[i].sha256);
	}
	free(r.rows);
	ctx_map_release(&r.seen);
	return rc < 0 ? -1 : 0;
}
