#include "store/mention.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/time.h"
#include "store/derived.h"
#include "store/link.h"
#include "store/row.h"
#include "store/rows.h"

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
	struct ctx_stmt *q = ctx_stmt_kept(st->derived, CTX_STMT_MENTION_ADD,
	    "INSERT INTO mention (id, found) "
	    "VALUES (?1, ?2) "
	    "ON CONFLICT (id) "
	    "DO UPDATE SET found = excluded.found",
	    NULL, 0, err);
	struct ctx_buf b = CTX_BUF_INIT;
	int64_t before = 0;
	int rc;

	for (size_t i = 0; i < n; i++) {
		write_mention_number(&b, list[i].entity);
		write_mention_number(&b, list[i].offset - before);
		write_mention_number(&b, list[i].len);
		before = list[i].offset;
	}
	ctx_stmt_bind(
	    q, CTX_VALUES(ctx_int(ctx_row_id(s->no, seq)), ctx_bytes(ctx_buf_span(&b))));
	rc = ctx_stmt_run(st->derived, q, err);
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
	struct ctx_db *db = ctx_store_derived(st, err);
	struct ctx_span found = CTX_SPAN_NONE;
	struct ctx_stmt *q;
	int rc;

	*list = NULL;
	*n = 0;
	if (db == NULL)
		return -1;
	q = ctx_stmt_kept(db, CTX_STMT_MENTION_GET,
	    "SELECT found FROM mention WHERE id = ?1",
	    CTX_VALUES(ctx_int(ctx_row_id(s->no, seq))), err);
	rc = ctx_stmt_step(db, q, err);
	if (rc == 1)
		found = ctx_stmt_bytes(q, 0);
	if (rc == 1 && !ctx_mention_unpack(found.p, found.n, list, n)) {
		struct ctx_row r = {db, q, "mention", err, false};
		ctx_row_refuse(&r, "found");
		free(*list);
		*list = NULL;
		*n = 0;
		rc = -1;
	}
	ctx_stmt_reset(q);
	return rc < 0 ? -1 : 0;
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
	struct ctx_stmt *q = ctx_stmt_kept(st->derived, CTX_STMT_MENTION_COUNT,
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

	return ctx_stmt_run(st->derived, q, err);
}

int
ctx_mention_forget(
    struct ctx_store *st, int64_t first_no, int64_t last_no, struct ctx_err *err)
{
	static const char seen_here_alone[] =
	    "DELETE FROM seen "
	    "WHERE no IN ("
	    "SELECT -entity "
	    "FROM session_entity "
	    "WHERE session_no BETWEEN ?1 AND ?2 AND entity < 0) "
	    "AND NOT EXISTS ("
	    "SELECT 1 "
	    "FROM session_entity o "
	    "WHERE o.entity = -seen.no AND o.session_no NOT BETWEEN ?1 AND ?2)";
	static const char marks[] = "DELETE FROM mark "
				    "WHERE session_no BETWEEN ?1 AND ?2 "
				    "AND kind IN ('entity', '" CTX_MARK_NAMES "')";
	static const char *const steps[] = {
	    "DELETE FROM mention WHERE id BETWEEN (?1 << 32) AND (?2 << 32 | 4294967295)",
	    seen_here_alone,
	    "DELETE FROM session_entity WHERE session_no BETWEEN ?1 AND ?2",
	    marks,
	};
	struct ctx_db *db = ctx_store_derived(st, err);

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (ctx_stmt_change(db, steps[i],
			CTX_VALUES(ctx_int(first_no), ctx_int(last_no)), err) < 0)
			return -1;
	return 0;
}

struct clearing {
	struct ctx_db *db;
	int64_t from; /* number of the first session whose rows were not cleared yet */
};

/* Deletes the rows of the sessions from c->from up to, but not including, no. */
static int
clear_mentions_until(struct clearing *c, int64_t no, struct ctx_err *err)
{
	static const char *const steps[] = {
	    "DELETE FROM mention WHERE id BETWEEN (?1 << 32) AND (?2 << 32 | 4294967295)",
	    "DELETE FROM session_entity WHERE session_no BETWEEN ?1 AND ?2",
	    "DELETE FROM mark "
	    "WHERE kind IN ('entity', '" CTX_MARK_NAMES "') "
	    "AND session_no BETWEEN ?1 AND ?2",
	};

	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (ctx_stmt_do(c->db, steps[i],
			CTX_VALUES(ctx_int(c->from), ctx_int(no - 1)), err) < 0)
			return -1;
	c->from = no + 1;
	return 0;
}

/* Called for each session without messages in the store: if its texts are not kept
 * either, its rows are preserved. */
static int
clear_before_lost(void *arg, struct ctx_stmt *q, struct ctx_err *err)
{
	struct clearing *c = arg;
	int64_t no = ctx_stmt_int64(q, 0), one;
	int kept = ctx_stmt_ints(c->db,
	    "SELECT 1 FROM fulltext_kept WHERE id BETWEEN ?1 AND ?2 LIMIT 1",
	    CTX_VALUES(ctx_int(ctx_row_id(no, 1)), ctx_int(ctx_row_id(no, CTX_SEQ_MAX))),
	    &one, 1, err);

	if (kept != 0)
		return kept < 0 ? -1 : 0;
	return clear_mentions_until(c, no, err);
}

int
ctx_mention_clear(struct ctx_store *st, struct ctx_err *err)
{
	struct clearing c = {ctx_store_derived(st, err), 0};

	if (c.db == NULL ||
	    ctx_stmt_rows(&st->db,
		"SELECT no FROM session WHERE status = 1 AND NOT " CTX_SESSION_HAS_BODIES
		" ORDER BY no",
		NULL, 0, clear_before_lost, &c, err) < 0 ||
	    clear_mentions_until(&c, CTX_SESSION_NO_MAX + 1, err) < 0)
		return -1;
	return ctx_stmt_exec(c.db,
	    "DELETE FROM seen "
	    "WHERE NOT EXISTS (SELECT 1 FROM session_entity WHERE entity = -seen.no)",
	    err);
}

static int
read_use(
    struct ctx_db *db, struct ctx_stmt *q, struct ctx_entity_use *u, struct ctx_err *err)
{
	struct ctx_row r = {db, q, "session_entity", err, false};

	*u = (struct ctx_entity_use){0};
	u->entity = ctx_row_whole(&r, 0, "entity", -INT64_MAX, INT64_MAX);
	if (u->entity == 0)
		ctx_row_refuse(&r, "entity");
	u->first_seq = ctx_row_whole(&r, 1, "first_seq", 0, CTX_SEQ_MAX);
	u->last_seq = ctx_row_whole(&r, 2, "last_seq", 0, CTX_SEQ_MAX);
	u->first_at = ctx_row_whole(&r, 3, "first_at", -CTX_TIME_MAX, CTX_TIME_MAX);
	u->last_at = ctx_row_whole(&r, 4, "last_at", -CTX_TIME_MAX, CTX_TIME_MAX);
	u->mentions = ctx_row_whole(&r, 5, "mentions", 0, CTX_COUNT_MAX);
	return ctx_row_end(&r);
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
	struct ctx_db *db = ctx_store_derived(st, err);
	/* not all statements have ?2 */
	struct ctx_stmt *q = ctx_stmt_query(db,
	    max < 0 ? USE "WHERE session_no = ?1 ORDER BY entity"
		    : "SELECT * FROM (" USE "WHERE session_no = ?1 "
		      "ORDER BY last_seq DESC "
		      "LIMIT ?2) newest UNION SELECT * FROM (" USE
		      "WHERE session_no = ?1 "
		      "ORDER BY mentions DESC "
		      "LIMIT ?2) most ORDER BY 1",
	    (const struct ctx_value[]){ctx_int(s->no), ctx_int(max)}, max < 0 ? 1 : 2,
	    err);
	int rc = 0;
	struct ctx_link *links = NULL;
	size_t n_links = 0;

	while (rc == 0 && (rc = ctx_stmt_step(db, q, err)) == 1) {
		CTX_MEM_GROW(u.list, u.n, u.cap);
		rc = read_use(db, q, &u.list[u.n++], err);
	}
	ctx_stmt_free(db, q);
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
	struct ctx_db *db = ctx_store_derived(st, err);
	struct ctx_stmt *q = ctx_stmt_query(db,
	    USE "WHERE session_no = ?1 AND entity = ?2",
	    CTX_VALUES(ctx_int(s->no), ctx_int(entity)), err);
	struct ctx_link link;
	int rc = ctx_stmt_step(db, q, err);

	*out = (struct ctx_entity_use){0};
	if (rc == 1)
		rc = read_use(db, q, out, err);
	ctx_stmt_free(db, q);
	if (rc < 0)
		return -1;
	rc = ctx_link_get(st, s, entity, &link, err);
	if (rc == 1)
		add_link(out, &link);
	return rc < 0 ? -1 : out->entity != 0;
}

int
ctx_mention_sessions(struct ctx_store *st, int64_t entity, int64_t after, int64_t out[],
    int max, struct ctx_err *err)
{
	static const struct ctx_whole what = {
	    "session_entity", "session_no", 1, CTX_SESSION_NO_MAX};
	int64_t *linked = ctx_mem_new((size_t)max * sizeof(*linked));
	struct ctx_numbers found = {NULL, 0, 0};
	const char
	    *sql = ctx_db_is_whole(&st->db)
		       ? "SELECT session_no "
			 "FROM session_entity "
			 "WHERE entity = ?1 AND ctx_spread(session_no) > ctx_spread(?2) "
			 "ORDER BY ctx_spread(session_no) "
			 "LIMIT ?3"
		       : "SELECT session_no "
			 "FROM session_entity "
			 "WHERE entity = ?1 AND session_no > ?2 "
			 "ORDER BY session_no "
			 "LIMIT ?3";
	int rc = ctx_stmt_list(ctx_store_derived(st, err), sql,
	    CTX_VALUES(ctx_int(entity), ctx_int(after), ctx_int(max)), what, &found, err);
	int n = (int)found.n;
	int m = rc < 0 ? -1 : ctx_link_sessions(st, entity, after, linked, max, err);

	if (n > 0)
		memcpy(out, found.v, found.n * sizeof(*out));
	free(found.v);
	for (int i = 0, at = 0; i < m; i++) {
		while (at < n && ctx_store_session_order(st, out[at]) <
				     ctx_store_session_order(st, linked[i]))
			at++;
		if (at == max || (at < n && out[at] == linked[i]))
			continue;
		n += n < max;
		memmove(out + at + 1, out + at, (size_t)(n - at - 1) * sizeof(*out));
		out[at] = linked[i];
	}
	free(linked);
	return m < 0 ? -1 : n;
}
