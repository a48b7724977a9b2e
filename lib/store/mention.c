#include "store/mention.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/time.h"
#include "store/derived.h"
#include "store/link.h"
#include "store/row.h"

/* ---- mentions in a message ---- */

/* Appends a number: seven bits a byte, the lowest first, with zigzag encoding of the
 * sign. */
static void
write_mention_number(struct ctx_buf *b, int64_t v)
{
	uint64_t u = (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);

	for (; u >= 0x80; u >>= 7)
		ctx_buf_addc(b, (char)(u | 0x80));
	ctx_buf_addc(b, (char)u);
}

static bool
get_number(const unsigned char **p, const unsigned char *end, int64_t *v)
{
	uint64_t u = 0;

	for (int shift = 0; *p < end && shift < 64; shift += 7) {
		unsigned char c = *(*p)++;
		u |= (uint64_t)(c & 0x7f) << shift;
		if (c < 0x80) {
			*v = (int64_t)(u >> 1 ^ (u & 1 ? UINT64_MAX : 0));
			return true;
		}
	}
	return false;
}

int
ctx_mention_put(struct ctx_store *st, const struct ctx_session *s, int64_t seq,
    const struct ctx_mention_at *list, size_t n, struct ctx_err *err)
{
	struct ctx_buf b = CTX_BUF_INIT;
	int64_t before = 0;
	int rc;

	for (size_t i = 0; i < n; i++) {
		write_mention_number(&b, list[i].entity);
		write_mention_number(&b, list[i].offset - before);
		write_mention_number(&b, list[i].len);
		before = list[i].offset;
	}
	rc = ctx_stmt_do(st->derived,
	    "INSERT INTO mention (id, found) "
	    "VALUES (?1, ?2) "
	    "ON CONFLICT (id) "
	    "DO UPDATE SET found = excluded.found",
	    CTX_VALUES(ctx_int(ctx_row_id(s->no, seq)), ctx_bytes(ctx_buf_span(&b))),
	    err);
	ctx_buf_release(&b);
	return rc;
}

bool
ctx_mention_unpack(
    const void *bytes, size_t size, struct ctx_mention_at **list, size_t *n)
{
	const unsigned char *p = bytes, *end = p + size;
	int64_t before = 0;
	size_t cap = 0;

	*list = NULL;
	*n = 0;
	while (p < end) {
		struct ctx_mention_at m;
		if (!get_number(&p, end, &m.entity) || !get_number(&p, end, &m.offset) ||
		    !get_number(&p, end, &m.len) || m.entity == 0 ||
		    m.entity == INT64_MIN || m.offset < -before ||
		    m.offset > CTX_MENTION_END_MAX - before || m.len < 0)
			return false;
		before = m.offset += before;
		if (m.len > CTX_MENTION_END_MAX - m.offset)
			return false;
		CTX_MEM_GROW(*list, *n, cap);
		(*list)[(*n)++] = m;
	}
	return true;
}

int
ctx_mention_get(struct ctx_store *st, const struct ctx_session *s, int64_t seq,
    struct ctx_mention_at **list, size_t *n, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(ctx_store_derived(st, err), "mention",
	    "SELECT found FROM mention WHERE id = ?1",
	    CTX_VALUES(ctx_int(ctx_row_id(s->no, seq))), err);

	*list = NULL;
	*n = 0;
	if (ctx_rows_next(&r)) {
		struct ctx_span found = ctx_stmt_bytes(r.q, 0);
		if (!ctx_mention_unpack(found.p, found.n, list, n))
			ctx_row_refuse(&r, "found");
	}
	if (ctx_rows_end(&r) == 0)
		return 0;
	free(*list);
	*list = NULL;
	*n = 0;
	return -1;
}

int
ctx_mention_next(
    struct ctx_store *st, const struct ctx_session *s, int64_t *seq, struct ctx_err *err)
{
	int64_t id;
	int rc = ctx_stmt_ints(ctx_store_derived(st, err),
	    "SELECT id FROM mention WHERE id BETWEEN ?1 AND ?2 ORDER BY id LIMIT 1",
	    CTX_VALUES(ctx_int(ctx_row_id(s->no, *seq)),
		ctx_int(ctx_row_id(s->no, CTX_SEQ_MAX))),
	    &id, 1, err);

	if (rc == 1)
		*seq = ctx_row_seq(id);
	return rc;
}

/* ---- entities of a session ---- */

int
ctx_mention_count(struct ctx_store *st, const struct ctx_session *s,
    const struct ctx_entity_use *u, struct ctx_err *err)
{
	return ctx_stmt_do(st->derived,
	    "INSERT INTO session_entity (session_no, entity, first_seq, last_seq, "
	    "first_at, last_at, mentions) "
	    "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) "
	    "ON CONFLICT (session_no, entity) "
	    "DO UPDATE SET last_seq = excluded.last_seq, "
	    "last_at = CASE WHEN excluded.last_at > session_entity.last_at "
	    "THEN excluded.last_at ELSE session_entity.last_at END, "
	    "mentions = session_entity.mentions + excluded.mentions",
	    CTX_VALUES(ctx_int(s->no), ctx_int(u->entity), ctx_int(u->first_seq),
		ctx_int(u->last_seq), ctx_int(u->first_at), ctx_int(u->last_at),
		ctx_int(u->mentions)),
	    err);
}

/* Does not delete the rows of sessions whose messages and texts are not in the store,
 * because these rows cannot be rebuilt. */
int
ctx_mention_clear(struct ctx_store *st, struct ctx_err *err)
{
	struct ctx_db *db = ctx_store_derived(st, err);
	/* the first session whose rows were not cleared yet */
	int64_t from = 0;
	struct ctx_row r = ctx_rows(&st->db, "session",
	    "SELECT no FROM session WHERE status = 1 AND NOT " CTX_SESSION_HAS_BODIES
	    " ORDER BY no",
	    NULL, 0, err);

	while (ctx_rows_next(&r)) {
		int64_t no = ctx_stmt_int64(r.q, 0), one;
		int kept = ctx_stmt_ints(db,
		    "SELECT 1 FROM fulltext_kept WHERE id BETWEEN ?1 AND ?2 LIMIT 1",
		    CTX_VALUES(
			ctx_int(ctx_row_id(no, 1)), ctx_int(ctx_row_id(no, CTX_SEQ_MAX))),
		    &one, 1, err);
		if (kept == 0) {
			kept = ctx_mention_forget(st, from, no - 1, err);
			from = no + 1;
		}
		r.rc = kept < 0 ? -1 : 0;
	}
	if (ctx_rows_end(&r) < 0 ||
	    ctx_mention_forget(st, from, CTX_SESSION_NO_MAX, err) < 0)
		return -1;
	return ctx_stmt_exec(db,
	    "DELETE FROM seen "
	    "WHERE NOT EXISTS (SELECT 1 FROM session_entity WHERE entity = -seen.no)",
	    err);
}

static struct ctx_entity_use
read_use(struct ctx_row *r)
{
	struct ctx_entity_use u = {
	    .entity = ctx_row_whole(r, 0, "entity", -INT64_MAX, INT64_MAX),
	    .first_seq = ctx_row_whole(r, 1, "first_seq", 0, CTX_SEQ_MAX),
	    .last_seq = ctx_row_whole(r, 2, "last_seq", 0, CTX_SEQ_MAX),
	    .first_at = ctx_row_time(r, 3, "first_at"),
	    .last_at = ctx_row_time(r, 4, "last_at"),
	    .mentions = ctx_row_whole(r, 5, "mentions", 0, CTX_COUNT_MAX)};

	if (u.entity == 0)
		ctx_row_refuse(r, "entity");
	return u;
}

#define USE                                                                     \
	"SELECT entity, first_seq, last_seq, first_at, last_at, mentions FROM " \
	"session_entity "

struct uses {
	struct ctx_entity_use *list;
	size_t n, cap;
};

/* Adds a link of the session to its use of the entity. */
static void
add_link(struct ctx_entity_use *u, const struct ctx_link *l)
{
	if (u->mentions == 0)
		*u = (struct ctx_entity_use){.entity = l->entity,
		    .first_seq = l->seq,
		    .last_seq = l->seq,
		    .first_at = l->at,
		    .last_at = l->at};
	if (u->last_seq < l->seq)
		u->last_seq = l->seq;
	if (u->last_at < l->at)
		u->last_at = l->at;
	u->action_at = l->at;
	memcpy(u->action, l->action, sizeof(u->action));
}

/* Merges the session's links into the list of uses. Both lists, and the result, are
 * sorted by entity. */
static void
merge_links(struct uses *u, const struct ctx_link *links, size_t n)
{
	struct uses all = {NULL, 0, 0};
	size_t i = 0, k = 0;

	while (i < u->n || k < n) {
		struct ctx_entity_use use = {0};
		if (i < u->n && (k == n || u->list[i].entity <= links[k].entity))
			use = u->list[i++];
		if (k < n && (use.entity == 0 || use.entity == links[k].entity))
			add_link(&use, &links[k++]);
		CTX_MEM_GROW(all.list, all.n, all.cap);
		all.list[all.n++] = use;
	}
	free(u->list);
	u->list = all.list;
	u->n = all.n;
}

int
ctx_mention_uses(struct ctx_store *st, const struct ctx_session *s, int64_t max,
    struct ctx_entity_use **list, size_t *n, struct ctx_err *err)
{
	struct uses u = {NULL, 0, 0};
	struct ctx_row r = ctx_rows(ctx_store_derived(st, err), "session_entity",
	    max < 0 ? USE "WHERE session_no = ?1 ORDER BY entity"
		    : "SELECT * FROM (" USE "WHERE session_no = ?1 "
		      "ORDER BY last_seq DESC "
		      "LIMIT ?2) newest UNION SELECT * FROM (" USE
		      "WHERE session_no = ?1 "
		      "ORDER BY mentions DESC "
		      "LIMIT ?2) most ORDER BY 1",
	    CTX_VALUES(ctx_int(s->no), ctx_int(max)), err);
	struct ctx_link *links = NULL;
	size_t n_links = 0;
	int rc;

	while (ctx_rows_next(&r)) {
		CTX_MEM_GROW(u.list, u.n, u.cap);
		u.list[u.n++] = read_use(&r);
	}
	rc = ctx_rows_end(&r);
	if (rc == 0)
		rc = ctx_link_list(st, s, &links, &n_links, err);
	if (n_links > 0)
		merge_links(&u, links, n_links);
	free(links);
	*list = u.list;
	*n = u.n;
	return rc;
}

int
ctx_mention_use(struct ctx_store *st, const struct ctx_session *s, int64_t entity,
    struct ctx_entity_use *out, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(ctx_store_derived(st, err), "session_entity",
	    USE "WHERE session_no = ?1 AND entity = ?2",
	    CTX_VALUES(ctx_int(s->no), ctx_int(entity)), err);
	struct ctx_link link;
	int rc;

	*out = (struct ctx_entity_use){0};
	if (ctx_rows_next(&r))
		*out = read_use(&r);
	if (ctx_rows_end(&r) < 0)
		return -1;
	rc = ctx_link_get(st, s, entity, &link, err);
	if (rc == 1)
		add_link(out, &link);
	return rc < 0 ? -1 : out->entity != 0;
}

/* Lists the sessions with a row for the entity in a table, in order of creation, after the
 * session with the number after. rows names the table and its column of entities. */
static int
list_sessions_of(struct ctx_store *st, struct ctx_db *db, const char *rows,
    int64_t entity, int64_t after, int max, struct ctx_numbers *list, struct ctx_err *err)
{
	static const struct ctx_whole what = {
	    "session_entity", "session_no", 1, CTX_SESSION_NO_MAX};
	bool whole = ctx_db_is_whole(&st->db);
	const char *order = whole ? "ctx_spread(session_no)" : "session_no";
	struct ctx_buf sql = CTX_BUF_INIT;
	int rc;

	ctx_buf_addf(&sql,
	    "SELECT session_no "
	    "FROM %s = ?1 AND %s > %s "
	    "ORDER BY %s "
	    "LIMIT ?3",
	    rows, order, whole ? "ctx_spread(?2)" : "?2", order);
	rc = ctx_stmt_list(db, sql.p,
	    CTX_VALUES(ctx_int(entity), ctx_int(after), ctx_int(max)), what, list, err);
	ctx_buf_release(&sql);
	return rc;
}

int
ctx_mention_sessions(struct ctx_store *st, int64_t entity, int64_t after, int64_t out[],
    int max, struct ctx_err *err)
{
	struct ctx_numbers found = {NULL, 0, 0}, linked = {NULL, 0, 0};
	int n = 0, rc = list_sessions_of(st, ctx_store_derived(st, err),
		       "session_entity WHERE entity", entity, after, max, &found, err);

	if (rc == 0)
		rc = list_sessions_of(st, &st->db, "session_entity_link WHERE entity_id",
		    entity, after, max, &linked, err);
	for (size_t i = 0, k = 0; n < max && (i < found.n || k < linked.n);) {
		bool first = k == linked.n ||
			     (i < found.n &&
				 ctx_store_session_order(st, found.v[i]) <=
				     ctx_store_session_order(st, linked.v[k]));
		int64_t no = first ? found.v[i++] : linked.v[k++];
		if (n == 0 || out[n - 1] != no)
			out[n++] = no;
	}
	free(found.v);
	free(linked.v);
	return rc < 0 ? -1 : n;
}
