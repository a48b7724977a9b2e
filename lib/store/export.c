#include "store/export.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "store/content.h"
#include "store/link.h"
#include "store/purge.h"
#include "base/time.h"
#include "store/row.h"
#include "store/summary.h"

/* Most rows and bytes that are read before they are passed on. */
#define PAGE_ROWS 1024
#define PAGE_BYTES ((size_t)1 << 20)

struct export
{
	struct ctx_store *st;
	const struct ctx_session *s;
	ctx_export_fn *fn;
	void *arg;
	struct ctx_buf page; /* records, one per line */
};

/* Passes the records of the page to the caller, and empties it. */
static int
emit_export_page(struct export *e, enum ctx_kind kind, struct ctx_err *err)
{
	const char *p = e->page.p, *end = p + e->page.n;
	int rc = 0;

	while (rc == 0 && p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		rc = e->fn(e->arg, kind, (struct ctx_span){p, (size_t)(nl + 1 - p)}, err);
		p = nl + 1;
	}
	ctx_buf_reset(&e->page);
	return rc;
}

/* ---- messages ---- */

/* Reads a page of messages from *next on, at most up to the range for which pins were
 * read. Returns the number of rows read, or -1. *next is set to the message to continue
 * with. */
static int
read_export_messages(struct export *e, int64_t *next, struct ctx_err *err)
{
	int64_t *pins = NULL, reach = *next + PAGE_ROWS;
	struct ctx_cursor *c = NULL;
	struct ctx_stored m;
	size_t n_pins;
	int rc, n = 0;

	rc = ctx_store_pins(e->st, e->s, *next, reach - 1, &pins, &n_pins, err);
	if (rc == 0)
		c = ctx_cursor_open(e->st, e->s, *next, e->s->last_seq, false, err);
	while (rc == 0 && e->page.n < PAGE_BYTES &&
	       (rc = ctx_cursor_next(c, &m, err)) == 1) {
		rc = 0;
		n++;
		*next = m.seq;
		if (m.seq >= reach)
			break;
		m.pinned = ctx_seq_among(pins, n_pins, m.seq);
		ctx_stored_print(&e->page, e->s->session_id, &m, NULL, CTX_SPAN_NONE);
		++*next;
	}
	ctx_cursor_close(c);
	free(pins);
	return rc < 0 ? -1 : n;
}

/* Exports the messages after message *after, which is set to the last one exported. */
static int
export_messages(struct export *e, int64_t *after, struct ctx_err *err)
{
	int64_t next = *after + 1;
	int rc = 1;

	while (rc > 0 && next <= e->s->last_seq) {
		rc = read_export_messages(e, &next, err);
		if (rc > 0 && emit_export_page(e, CTX_KIND_MESSAGE, err) < 0)
			rc = -1;
		if (rc > 0)
			*after = next - 1;
	}
	return rc < 0 ? -1 : 0;
}

/* ---- other rows ---- */

static void
print_export_record(struct export *e, struct ctx_row *r)
{
	ctx_buf_addspan(&e->page, ctx_row_json(r, 1, "JSON"));
	ctx_buf_addc(&e->page, '\n');
}

/* Prints a request with all its texts, so that the export is complete by itself. */
static void
print_export_request(struct export *e, struct ctx_row *r)
{
	struct ctx_span record = ctx_row_json(r, 1, "JSON");

	if (!r->wrong)
		r->rc = ctx_content_unpack(e->st, e->s->no, record, &e->page, r->err);
	ctx_buf_addc(&e->page, '\n');
}

static void
open_record(struct export *e, const char *kind)
{
	ctx_json_put_open(&e->page, '{');
	ctx_json_add_str(&e->page, "kind", kind);
	ctx_json_add_str(&e->page, "session_id", e->s->session_id);
}

static void
close_record(struct export *e)
{
	ctx_json_put_close(&e->page, '}');
	ctx_buf_addc(&e->page, '\n');
}

static void
print_item(struct export *e, struct ctx_row *r)
{
	open_record(e, "item");
	ctx_json_add_string(&e->page, "type", ctx_stmt_span(r->q, 1));
	if (ctx_stmt_span(r->q, 2).n > 0)
		ctx_json_add_string(&e->page, "server_name", ctx_stmt_span(r->q, 2));
	ctx_json_add_string(&e->page, "name", ctx_stmt_span(r->q, 3));
	ctx_json_add_string(&e->page, "include_mode", ctx_stmt_span(r->q, 4));
	ctx_json_add_time(&e->page, "added_at", ctx_row_time(r, 5, "added_at"));
	close_record(e);
}

static void
print_hidden(struct export *e, struct ctx_row *r)
{
	int64_t event = ctx_row_whole(r, 2, "event", 0, INT64_MAX);

	open_record(e, "hidden");
	ctx_json_add_int(&e->page, "first_seq", ctx_row_of(r, 0, "first_id", e->s->no));
	ctx_json_add_int(&e->page, "last_seq", ctx_row_of(r, 1, "last_id", e->s->no));
	ctx_json_add_int(&e->page, "event", ctx_row_seq(event));
	close_record(e);
}

/* A query for rows to export. The first column is the row id, which is greater than ?1
 * and at most ?2, the largest row id of the session. */
struct exported {
	enum ctx_kind kind;
	const char *table;
	void (*print)(struct export *e, struct ctx_row *r);
	const char *sql;
};

static const struct exported items = {CTX_KIND_ITEM, "session_item", print_item,
    "SELECT id, type, server_name, name, include_mode, added_at "
    "FROM session_item "
    "WHERE id > ?1 AND id <= ?2 "
    "ORDER BY id"};
static const struct exported hidden = {CTX_KIND_OTHER, "hidden", print_hidden,
    "SELECT first_id, last_id, event "
    "FROM hidden "
    "WHERE first_id > ?1 AND first_id <= ?2 "
    "ORDER BY first_id"};
static const struct exported requests = {CTX_KIND_REQUEST, "record", print_export_request,
    "SELECT id, record "
    "FROM request "
    "WHERE id > ?1 AND id <= ?2 "
    "ORDER BY id"};
static const struct exported events = {CTX_KIND_EVENT, "record", print_export_record,
    "SELECT id, record "
    "FROM event "
    "WHERE id > ?1 AND id <= ?2 "
    "ORDER BY id"};

/* Exports the rows with numbers greater than *after, page by page. *after is set to the
 * number of the last exported row. */
static int
export_rows(
    struct export *e, const struct exported *x, int64_t *after, struct ctx_err *err)
{
	bool full = true;

	while (full) {
		struct ctx_row r = ctx_rows(&e->st->db, x->table, x->sql,
		    CTX_VALUES(CTX_SEQ_ROWS(e->s, *after, CTX_SEQ_MAX)), err);
		int64_t last = *after;
		int n = 0;
		full = false;
		while (!full && ctx_rows_next(&r)) {
			last = ctx_row_seq(ctx_stmt_int64(r.q, 0));
			x->print(e, &r);
			full = ++n == PAGE_ROWS || e->page.n >= PAGE_BYTES;
		}
		if (ctx_rows_end(&r) < 0 || emit_export_page(e, x->kind, err) < 0)
			return -1;
		*after = last;
	}
	return 0;
}

static int
export_shares(struct export *e, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(&e->st->db, "share",
	    "SELECT user_id FROM share WHERE session_no = ?1 ORDER BY user_id",
	    CTX_VALUES(ctx_int(e->s->no)), err);

	while (ctx_rows_next(&r)) {
		open_record(e, "share");
		ctx_json_add_string(&e->page, "user_id", ctx_stmt_span(r.q, 0));
		close_record(e);
	}
	return ctx_rows_end(&r) < 0 ? -1 : emit_export_page(e, CTX_KIND_OTHER, err);
}

static int
print_summary(
    void *arg, const struct ctx_store_summary *m, struct ctx_err *err CTX_UNUSED)
{
	struct export *e = arg;

	ctx_store_summary_print(&e->page, e->s->session_id, m);
	return 0;
}

/* Exports the session record and what describes the session. */
static int
export_session(struct export *e, struct ctx_err *err)
{
	int64_t item = 0;

	ctx_session_print(&e->page, e->s);
	if (emit_export_page(e, CTX_KIND_SESSION, err) < 0 || export_shares(e, err) < 0 ||
	    export_rows(e, &items, &item, err) < 0 ||
	    ctx_link_print(&e->page, e->st, e->s, err) < 0)
		return -1;
	return emit_export_page(e, CTX_KIND_ENTITY, err);
}

/* Exports messages, hidden ranges and summaries. */
static int
export_contents(struct export *e, int64_t *after, struct ctx_err *err)
{
	int64_t range = 0;

	/* summaries are few, with some thousand tokens each */
	if (export_messages(e, after, err) < 0 ||
	    export_rows(e, &hidden, &range, err) < 0 ||
	    ctx_store_summaries(e->st, e->s, print_summary, e, err) < 0)
		return -1;
	return emit_export_page(e, CTX_KIND_OTHER, err);
}

/* Checks that the session did not leave the store meanwhile. Missing messages are
 * detected at once, other missing rows only here. */
static int
check_there(const struct export *e, int parts, struct ctx_err *err)
{
	int left = ctx_session_left(e->st, e->s, err);

	if (left == CTX_LEFT_ALL || (left > 0 && (parts & CTX_EXPORT_MESSAGES)))
		return ctx_session_left_error(e->s, left, err);
	return left < 0 ? -1 : 0;
}

/* Exports the requests and events after those of *after. */
static int
export_records(struct export *e, struct ctx_export_after *after, struct ctx_err *err)
{
	return export_rows(e, &requests, &after->request, err) < 0
		   ? -1
		   : export_rows(e, &events, &after->event, err);
}

int
ctx_store_export_after(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_export_after *after, ctx_export_fn *fn, void *arg, struct ctx_err *err)
{
	struct export e = {.st = st, .s = s, .fn = fn, .arg = arg};
	int rc = export_messages(&e, &after->message, err);

	if (rc == 0)
		rc = export_records(&e, after, err);
	ctx_buf_release(&e.page);
	return rc;
}

int
ctx_store_export(struct ctx_store *st, const struct ctx_session *s, int parts,
    ctx_export_fn *fn, void *arg, struct ctx_err *err)
{
	struct export e = {.st = st, .s = s, .fn = fn, .arg = arg};
	struct ctx_export_after after = {0, 0, 0};
	int rc = 0;

	if (parts & CTX_EXPORT_SESSION)
		rc = export_session(&e, err);
	if (rc == 0 && (parts & CTX_EXPORT_MESSAGES))
		rc = export_contents(&e, &after.message, err);
	if (rc == 0 && (parts & CTX_EXPORT_RECORDS))
		rc = export_records(&e, &after, err);
	if (rc == 0 && parts != CTX_EXPORT_SESSION)
		rc = check_there(&e, parts, err);
	ctx_buf_release(&e.page);
	return rc;
}

/* ---- stamp ---- */

int
ctx_store_stamp(struct ctx_store *st, const struct ctx_session *s,
    char stamp[CTX_HASH_HEX + 1], struct ctx_err *err)
{
#define OF_ROWS "BETWEEN ?1 AND ?2"
	static const char *const values[] = {
	    "max(id) FROM event WHERE id " OF_ROWS,
	    "max(id) FROM request WHERE id " OF_ROWS,
	    "count(response_seq) FROM request WHERE id " OF_ROWS,
	    "count(*) FROM pin WHERE id " OF_ROWS,
	    "count(*) FROM hidden WHERE first_id " OF_ROWS,
	    "max(id) FROM summary WHERE id " OF_ROWS,
	    "summary FROM session WHERE no = ?3",
	    "max(id) FROM message WHERE id " OF_ROWS,
	    "count(*) FROM session_item WHERE id " OF_ROWS,
	    "max(id) FROM session_item WHERE id " OF_ROWS,
	    "count(*) FROM share WHERE session_no = ?3",
	};
	enum { N = sizeof(values) / sizeof(values[0]) };
	struct ctx_buf b = CTX_BUF_INIT;
	struct ctx_row r;
	int rc;

	for (int i = 0; i < N; i++)
		ctx_buf_addf(&b, "%s (SELECT %s)", i == 0 ? "SELECT" : ",", values[i]);
	r = ctx_rows(&st->db, "session", b.p,
	    CTX_VALUES(CTX_SESSION_ROWS(s), ctx_int(s->no)), err);
	ctx_buf_reset(&b);
	ctx_session_print(&b, s);
	if (ctx_rows_next(&r))
		for (int i = 0; i < N; i++)
			ctx_buf_addf(&b, "%lld ", (long long)ctx_stmt_int64(r.q, i));
	rc = ctx_rows_end(&r);
	if (rc == 0)
		rc = ctx_link_stamp(&b, st, s, err);
	ctx_hash_sha256(b.p, b.n, stamp);
	ctx_buf_release(&b);
	return rc < 0 ? -1 : 0;
}
