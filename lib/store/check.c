#include "store/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "json/json.h"
#include "store/derived.h"
#include "store/fulltext.h"
#include "store/purge.h"
#include "store/row.h"

/* most findings kept per session; further ones are only counted */
#define FINDINGS_MAX 200

/* A finding, kept until the read snapshot is closed. */
struct found {
	const char *check; /* borrowed: a constant */
	char *message;
	int64_t seq;
};

struct check {
	struct ctx_store *st;
	struct ctx_session s;
	struct found *found;
	size_t n, cap, more;
};

static void add_check_finding(struct check *c, const char *check, int64_t seq,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

static void
add_check_finding(struct check *c, const char *check, int64_t seq, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	if (c->n == FINDINGS_MAX) {
		c->more++;
		return;
	}
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	CTX_MEM_GROW(c->found, c->n, c->cap);
	c->found[c->n++] = (struct found){check, ctx_mem_str(text), seq};
}

static void
free_check_findings(struct check *c)
{
	for (size_t i = 0; i < c->n; i++)
		free(c->found[i].message);
	free(c->found);
	c->found = NULL;
	c->n = c->cap = 0;
}

/* Reports the findings, and frees them. */
static int
report_check_findings(struct check *c, ctx_check_fn *fn, void *arg, struct ctx_err *err)
{
	int rc = 0;

	if (c->more > 0) {
		free(c->found[--c->n].message);
		c->more++;
		add_check_finding(c, "more", 0, "and %zu more findings", c->more);
		c->more = 0;
	}
	for (size_t i = 0; i < c->n; i++) {
		struct ctx_finding f = {c->found[i].check, c->s.session_id,
		    c->found[i].seq, c->found[i].message};
		if (rc == 0)
			rc = fn(arg, &f, err);
	}
	free_check_findings(c);
	return rc;
}

/* ---- the engine's own check ---- */

struct integrity {
	struct check *c;
	const char *what;
};

static void
add_damage(void *arg, struct ctx_span text)
{
	const struct integrity *i = arg;

	add_check_finding(i->c, "integrity", 0, "%s: %.*s", i->what, (int)text.n, text.p);
}

static int
integrity_of(struct check *c, struct ctx_db *db, const char *what, struct ctx_err *err)
{
	struct integrity i = {c, what};

	return ctx_db_check(db, add_damage, &i, err);
}

/* Checks the derived file; damage of that file never makes the store unreadable. */
static int
integrity_of_derived(struct check *c, struct ctx_db *db, struct ctx_err *err)
{
	struct ctx_err damage = CTX_ERR_INIT;
	size_t before = c->n;
	int rc = integrity_of(
	    c, db, "derived file of indexes (--rebuild rebuilds it)", &damage);

	if (rc == 0 && c->n == before) {
		rc = ctx_derived_fits(c->st, &damage);
		if (rc == 0)
			add_check_finding(c, "integrity", 0,
			    "derived file of indexes (--rebuild rebuilds it): the tables belong to another version of ctx");
		rc = rc < 0 ? -1 : 0;
	}
	if (rc < 0 && damage.code == CTX_ESTORE) {
		rc = 0;
		if (c->n == before)
			add_check_finding(c, "integrity", 0,
			    "derived file of indexes (--rebuild rebuilds it): %s",
			    damage.msg);
	}
	if (rc < 0)
		*err = damage;
	return rc;
}

int
ctx_derived_sound(struct ctx_store *st, struct ctx_err *err)
{
	struct check c = {.st = st, .s = CTX_SESSION_INIT};
	struct ctx_db *db;
	bool found;
	int rc;

	if (!ctx_derived_exists(st))
		return 1;
	db = ctx_store_derived(st, err);
	if (db == NULL)
		return -1;
	rc = integrity_of_derived(&c, db, err);
	found = c.n > 0;
	free_check_findings(&c);
	return rc < 0 ? -1 : !found;
}

int
ctx_check_integrity(
    struct ctx_store *st, ctx_check_fn *fn, void *arg, struct ctx_err *err)
{
	struct check c = {.st = st, .s = CTX_SESSION_INIT};
	struct ctx_db *derived = NULL;
	struct ctx_err refused = CTX_ERR_INIT;
	int rc = integrity_of(&c, &st->db, "store", err);

	if (rc == 0 && ctx_derived_exists(st)) {
		derived = ctx_store_derived(st, err);
		rc = derived == NULL ? -1 : integrity_of_derived(&c, derived, err);
		if (rc == 0 && ctx_derived_check_read(st, &refused) < 0)
			add_check_finding(&c, "integrity", 0,
			    "the derived file (indexes and caches) was not checked: %s",
			    refused.msg);
	}
	if (report_check_findings(&c, fn, arg, err) < 0)
		rc = -1;
	return rc;
}

/* ---- messages against their session ---- */

static int
check_messages(struct check *c, struct ctx_err *err)
{
	struct ctx_session *s = &c->s;
	int64_t messages = 0, calls = 0, tokens = 0, sum = 0, last = 0;
	bool cleaned = ctx_archive_cleaned(s);
	struct ctx_row r = ctx_rows(&c->st->db, "message",
	    "SELECT id, crc, body, tool_calls, token_count, token_sum "
	    "FROM message "
	    "WHERE id BETWEEN ?1 AND ?2 "
	    "ORDER BY id",
	    CTX_VALUES(CTX_SESSION_ROWS(s)), err);

	while (ctx_rows_next(&r)) {
		int64_t seq = ctx_row_seq(ctx_stmt_int64(r.q, 0));
		struct ctx_span body = ctx_stmt_span(r.q, 2);
		struct ctx_err bad = CTX_ERR_INIT;
		if (body.p == NULL ||
		    ctx_hash_crc32(body.p, body.n) != ctx_stmt_int64(r.q, 1))
			add_check_finding(c, "checksum", seq, "message %lld is damaged",
			    (long long)seq);
		else if (ctx_json_check(body, NULL, NULL, &bad) < 0)
			add_check_finding(c, "record", seq, "message %lld: %s",
			    (long long)seq, bad.msg);
		if (seq != last + 1 && !cleaned)
			add_check_finding(c, "sequence", last + 1,
			    "messages %lld to %lld are missing", (long long)last + 1,
			    (long long)seq - 1);
		if (ctx_stmt_int64(r.q, 5) != sum)
			add_check_finding(c, "counter", seq,
			    "token_sum of message %lld is %lld, but should be %lld",
			    (long long)seq, (long long)ctx_stmt_int64(r.q, 5),
			    (long long)sum);
		messages++;
		calls += ctx_stmt_int64(r.q, 3);
		tokens += ctx_stmt_int64(r.q, 4);
		/* continue from this row, so that each error is found once */
		sum = ctx_stmt_int64(r.q, 5) + ctx_stmt_int64(r.q, 4);
		last = seq;
	}
	if (ctx_rows_end(&r) < 0)
		return -1;
	if (cleaned && messages > 0)
		add_check_finding(c, "cleanup", 0,
		    "%lld messages of an archived session are in the store: a restore was interrupted (repeat the restore)",
		    (long long)messages);
	const struct {
		const char *name;
		int64_t stored;
		int64_t right;
	} counters[] = {
	    {"message_count", s->message_count, messages},
	    {"last_seq", s->last_seq, last},
	    {"tool_call_count", s->tool_call_count, calls},
	    {"token_count", s->token_count, tokens},
	};
	for (size_t i = 0; !cleaned && i < sizeof(counters) / sizeof(counters[0]); i++)
		if (counters[i].stored != counters[i].right)
			add_check_finding(c, "counter", 0,
			    "%s is %lld, but should be %lld", counters[i].name,
			    (long long)counters[i].stored, (long long)counters[i].right);
	return 0;
}

/* ---- references to messages ---- */

/* Reports each number that sql returns as an error. ?1 and ?2 are the session's first and
 * last row id, ?3 is its last sequence number. */
static int
check_session_rows(struct check *c, const char *check, const char *sql, const char *what,
    struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(&c->st->db, "row", sql,
	    CTX_VALUES(CTX_SESSION_ROWS(&c->s), ctx_int(c->s.last_seq)), err);

	while (ctx_rows_next(&r))
		add_check_finding(c, check, ctx_stmt_int64(r.q, 0), "%s %lld", what,
		    (long long)ctx_stmt_int64(r.q, 0));
	return ctx_rows_end(&r);
}

static int
check_references(struct check *c, struct ctx_err *err)
{
	int64_t hidden = 0;
	struct ctx_seq_range *ranges;
	size_t n;

	if (!ctx_archive_cleaned(&c->s) &&
	    check_session_rows(c, "reference",
		"SELECT id & 4294967295 "
		"FROM pin p "
		"WHERE id BETWEEN ?1 AND ?2 "
		"AND ?3 IS NOT NULL "
		"AND NOT EXISTS (SELECT 1 FROM message m WHERE m.id = p.id)",
		"a pinned message is missing:", err) < 0)
		return -1;
	if (!c->s.has_pins &&
	    check_session_rows(c, "counter",
		"SELECT id & 4294967295 "
		"FROM pin "
		"WHERE id BETWEEN ?1 AND ?2 AND ?3 IS NOT NULL",
		"the session is marked as having no pinned messages, but a message is pinned:",
		err) < 0)
		return -1;
	if (check_session_rows(c, "reference",
		"SELECT last_id & 4294967295 "
		"FROM hidden "
		"WHERE first_id BETWEEN ?1 AND ?2 AND (last_id - ?1 > ?3 OR last_id < first_id)",
		"a range of hidden messages ends at a missing message:", err) < 0 ||
	    check_session_rows(c, "reference",
		"SELECT CASE WHEN response_seq > for_seq THEN response_seq ELSE for_seq END "
		"FROM request "
		"WHERE id BETWEEN ?1 AND ?2 AND (for_seq > ?3 OR response_seq > ?3)",
		"a request refers to a missing message:", err) < 0)
		return -1;
	if (ctx_store_hidden(c->st, &c->s, &ranges, &n, err) < 0)
		return -1;
	for (size_t i = 0; i < n; i++)
		hidden += ranges[i].last - ranges[i].first + 1;
	free(ranges);
	if (hidden != c->s.hidden_count && !ctx_archive_cleaned(&c->s))
		add_check_finding(c, "counter", 0,
		    "hidden_count is %lld, but %lld messages are hidden",
		    (long long)c->s.hidden_count, (long long)hidden);
	return 0;
}

/* ---- JSON records and digests of texts ---- */

static void
check_json(struct check *c, struct ctx_row *r)
{
	struct ctx_err bad = CTX_ERR_INIT;
	struct ctx_span json = ctx_stmt_span(r->q, 2);

	if (ctx_json_check(json, NULL, NULL, &bad) < 0)
		add_check_finding(c, "record", 0, "%s %lld: %s", ctx_stmt_text(r->q, 0),
		    (long long)ctx_stmt_int64(r->q, 1), bad.msg);
	else if (ctx_json_is(ctx_json_get(json, "event"), "redact") &&
		 ctx_json_true(ctx_json_get(json, "unfinished")))
		add_check_finding(c, "cleanup", 0,
		    "a redaction was interrupted (repeat ctx-delete --redact)");
}

static void
check_attributes(struct check *c)
{
	for (size_t i = 0; i < ctx_session_field_count; i++) {
		const struct ctx_field *f = &ctx_session_fields[i];
		struct ctx_err bad = CTX_ERR_INIT;
		struct ctx_span text = CTX_SPAN_NONE;
		if (f->type == CTX_FIELD_TEXT || f->type == CTX_FIELD_JSON)
			text = ctx_span_of(*(char **)((char *)&c->s + f->offset));
		if (text.p == NULL)
			continue;
		if (f->type == CTX_FIELD_JSON)
			ctx_json_check(text, NULL, NULL, &bad);
		else if (ctx_utf8_valid(text.p, text.n) < text.n)
			ctx_err_set(&bad, CTX_EINPUT, "not valid UTF-8");
		if (bad.code != CTX_OK)
			add_check_finding(c, "record", 0, "its %s: %s", f->name, bad.msg);
	}
}

static int
check_records(struct check *c, struct ctx_err *err)
{
	static const char *const sql[] = {
	    "SELECT 'metadata of message', id & 4294967295, metadata "
	    "FROM message "
	    "WHERE id BETWEEN ?1 AND ?2 AND metadata IS NOT NULL",
	    "SELECT 'request', id & 4294967295, record "
	    "FROM request "
	    "WHERE id BETWEEN ?1 AND ?2",
	    "SELECT 'event', id & 4294967295, record "
	    "FROM event "
	    "WHERE id BETWEEN ?1 AND ?2",
	    "SELECT 'summary', id & 4294967295, body "
	    "FROM summary "
	    "WHERE id BETWEEN ?1 AND ?2",
	    "SELECT 'source of summary', id & 4294967295, source "
	    "FROM summary "
	    "WHERE id BETWEEN ?1 AND ?2"};

	check_attributes(c);
	for (size_t i = 0; i < sizeof(sql) / sizeof(sql[0]); i++) {
		struct ctx_row r = ctx_rows(&c->st->db, "record", sql[i],
		    CTX_VALUES(CTX_SESSION_ROWS(&c->s)), err);
		while (ctx_rows_next(&r))
			check_json(c, &r);
		if (ctx_rows_end(&r) < 0)
			return -1;
	}
	return 0;
}

/* Checks that the texts of a cleaned-up session are kept, since it can only be searched
 * by them. */
static int
check_kept(struct check *c, struct ctx_err *err)
{
	int rc;

	if (c->s.status != CTX_STATUS_ARCHIVED || !ctx_archive_cleaned(&c->s) ||
	    ctx_archive_forgotten(&c->s))
		return 0;
	rc = ctx_derived_exists(c->st) ? ctx_fulltext_keeps(c->st, &c->s, err)
				       : c->s.last_seq == 0;
	if (rc == 0)
		add_check_finding(c, "mark", 0,
		    "the session's archive is not in the full-text index yet, so searches ignore it (--catch-up adds it)");
	return rc < 0 ? -1 : 0;
}

/* Finds marks beyond the session's last message. The mark of entity-names is not a
 * message: it is the generation of names that were searched for, and may exceed the last
 * message of a short session. */
static int
check_marks(struct check *c, struct ctx_err *err)
{
	struct ctx_db *db;
	struct ctx_row r;

	if (!ctx_derived_exists(c->st))
		return check_kept(c, err);
	db = ctx_store_derived(c->st, err);
	if (db != NULL && c->st->derived_refused)
		return 0;
	r = ctx_rows(db, "mark",
	    "SELECT kind, seq "
	    "FROM mark "
	    "WHERE session_no = ?1 "
	    "AND seq > ?2 "
	    "AND kind != '" CTX_MARK_NAMES "'",
	    CTX_VALUES(ctx_int(c->s.no), ctx_int(c->s.last_seq)), err);
	while (ctx_rows_next(&r)) {
		struct ctx_span kind = ctx_stmt_span(r.q, 0);
		add_check_finding(c, "mark", ctx_stmt_int64(r.q, 1),
		    "the index '%.*s' claims to cover messages after the last message (--rebuild corrects it)",
		    (int)kind.n, kind.p);
	}
	return ctx_rows_end(&r) < 0 ? -1 : check_kept(c, err);
}

int
ctx_check_session(
    struct ctx_store *st, int64_t no, ctx_check_fn *fn, void *arg, struct ctx_err *err)
{
	struct check c = {.st = st, .s = CTX_SESSION_INIT};
	struct ctx_err derived = CTX_ERR_INIT;
	struct ctx_session_filter f = CTX_SESSION_FILTER_INIT;
	int rc;

	f.status[0] = f.status[1] = f.status[2] = true;
	f.no = no;
	rc = ctx_store_begin_read(st, err);
	if (rc == 0)
		rc = ctx_store_session_list(st, &f, &c.s, 1, err);
	/* marks first: the derived file is not part of the snapshot, and its marks only
	 * grow; its damage is reported by another check */
	if (rc == 1 && check_marks(&c, &derived) < 0 && derived.code != CTX_ESTORE) {
		*err = derived;
		rc = -1;
	}
	if (rc == 1 && (check_messages(&c, err) < 0 || check_references(&c, err) < 0 ||
			   check_records(&c, err) < 0))
		rc = -1;
	ctx_store_end_read(st);
	if (report_check_findings(&c, fn, arg, err) < 0)
		rc = -1;
	ctx_session_release(&c.s);
	return rc < 0 ? -1 : 0;
}

/* ---- rows without a session ---- */

/* Finds rows of a table whose session does not exist. Steps from session to session by
 * the row ids. */
static int
find_strays(struct check *c, const char *table, const char *id, struct ctx_err *err)
{
	struct ctx_buf sql = CTX_BUF_INIT;
	int64_t last = -1, next[2]; /* number of a session, and whether it exists */
	int rc;

	ctx_buf_addf(&sql,
	    "SELECT n, EXISTS (SELECT 1 FROM session WHERE no = n) "
	    "FROM (SELECT %s >> 32 AS n FROM %s WHERE %s > ?1 ORDER BY %s LIMIT 1) next",
	    id, table, id, id);
	while ((rc = ctx_stmt_ints(
		    &c->st->db, sql.p, CTX_VALUES(ctx_int(last)), next, 2, err)) == 1) {
		last = ctx_row_id(next[0], CTX_SEQ_MAX);
		if (next[1] == 0)
			add_check_finding(c, "reference", 0,
			    "table %s has rows of session number %lld, which does not exist",
			    table, (long long)next[0]);
	}
	ctx_buf_release(&sql);
	return rc;
}

static int
check_content_digests(struct check *c, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(
	    &c->st->db, "content", "SELECT sha256, body FROM content", NULL, 0, err);

	while (ctx_rows_next(&r)) {
		struct ctx_span sha256 = ctx_stmt_span(r.q, 0),
				body = ctx_stmt_span(r.q, 1);
		char is[CTX_HASH_HEX + 1];
		ctx_hash_sha256(body.p, body.n, is);
		if (!ctx_span_is(sha256, is))
			add_check_finding(c, "checksum", 0,
			    "the stored text with SHA-256 %.*s is damaged", (int)sha256.n,
			    sha256.p);
	}
	return ctx_rows_end(&r);
}

int
ctx_check_strays(struct ctx_store *st, ctx_check_fn *fn, void *arg, struct ctx_err *err)
{
	static const char *const tables[][2] = {{"message", "id"}, {"pin", "id"},
	    {"hidden", "first_id"}, {"event", "id"}, {"request", "id"}};
	struct check c = {.st = st, .s = CTX_SESSION_INIT};
	int rc;

	rc = ctx_store_begin_read(st, err);
	for (size_t i = 0; rc == 0 && i < sizeof(tables) / sizeof(tables[0]); i++)
		rc = find_strays(&c, tables[i][0], tables[i][1], err);
	if (rc == 0)
		rc = check_content_digests(&c, err);
	ctx_store_end_read(st);
	if (report_check_findings(&c, fn, arg, err) < 0)
		rc = -1;
	return rc;
}
