/* Reads texts as they are indexed: those of messages in the store, and those kept for
 * archived sessions. */
#include "store/fulltext_text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"
#include "record/message.h"
#include "store/fulltext.h"
#include "store/row.h"

/* Appends the text of a message body as it is indexed; nothing if the body is damaged.
 * Returns the roles whose words the message contains. */
static unsigned
body_text(struct ctx_span body, int64_t crc, struct ctx_message *m, struct ctx_buf *out)
{
	struct ctx_err ignored = CTX_ERR_INIT;

	if (body.p == NULL || ctx_hash_crc32(body.p, body.n) != crc ||
	    ctx_json_check(body, NULL, NULL, &ignored) != 0 ||
	    ctx_message_parse(m, body, &ignored) != 0)
		return 0;
	if (out != NULL)
		ctx_message_text(m, out);
	return ctx_message_roles(m);
}

int
ctx_fulltext_each_body(struct ctx_store *st, int64_t first_id, int64_t last_id,
    int64_t max, ctx_fulltext_row_fn *fn, void *arg, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(&st->db, "message",
	    "SELECT id, body, crc, role, created_at "
	    "FROM message "
	    "WHERE id BETWEEN ?1 AND ?2 "
	    "ORDER BY id "
	    "LIMIT ?3",
	    CTX_VALUES(ctx_int(first_id), ctx_int(last_id), ctx_int(max)), err);
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_buf text = CTX_BUF_INIT;
	unsigned roles;

	while (ctx_rows_next(&r)) {
		int64_t role = ctx_row_whole(&r, 3, "role", 0, CTX_ROLE_TOOL);
		int64_t created_at = ctx_row_time(&r, 4, "created_at");
		ctx_buf_reset(&text);
		roles = body_text(
		    ctx_stmt_span(r.q, 1), ctx_stmt_int64(r.q, 2), &m, &text);
		if (!r.wrong)
			r.rc = fn(arg, ctx_stmt_int64(r.q, 0), ctx_buf_span(&text),
			    (int)role | (int)(roles << CTX_KEPT_ROLE_BITS), created_at,
			    err);
	}
	ctx_message_release(&m);
	ctx_buf_release(&text);
	return ctx_rows_end(&r);
}

int
ctx_fulltext_each_kept(struct ctx_db *db, int64_t first_id, int64_t last_id,
    ctx_fulltext_row_fn *fn, void *arg, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(db, "kept text",
	    CTX_KEPT_SELECT "WHERE id BETWEEN ?1 AND ?2 ORDER BY id",
	    CTX_VALUES(ctx_int(first_id), ctx_int(last_id)), err);
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_kept kept;

	while (ctx_rows_next(&r)) {
		ctx_buf_reset(&text);
		r.rc = ctx_kept_read(db, r.q, &kept, &text, err);
		if (r.rc == 0)
			r.rc = fn(arg, kept.id, ctx_buf_span(&text), kept.role_column,
			    kept.created_at, err);
	}
	ctx_buf_release(&text);
	return ctx_rows_end(&r);
}

int
ctx_fulltext_last_kept(
    struct ctx_store *st, int64_t session_no, int64_t *seq, struct ctx_err *err)
{
	return ctx_stmt_last_seq(
	    ctx_store_derived(st, err), "fulltext_kept", session_no, seq, err);
}

/* The session is indexed up to its mark. Earlier versions set no mark when they indexed
 * kept texts after a rebuild. */
int
ctx_fulltext_indexed(struct ctx_store *st, int64_t no, int64_t *seq, struct ctx_err *err)
{
	int64_t waits = 0;
	int rc = ctx_derived_mark(st, "fulltext", no, seq, err);

	if (rc == 0 && *seq == 0)
		rc = ctx_derived_mark(st, CTX_FULLTEXT_WAITS, no, &waits, err);
	if (rc == 0 && *seq == 0 && waits == 0)
		rc = ctx_fulltext_last_kept(st, no, seq, err);
	return rc;
}

/* ---- keeping texts ---- */

/* Compressing a short text would take longer than everything else that is done with it,
 * and save a third. It is stored in zlib's format for uncompressed data. */
#define SHORT_TEXT 1024
#define LEVEL 6

struct keeper {
	struct ctx_db *db;
	int64_t no, last; /* number of the session, and its last message */
	z_stream *z;      /* NULL until first used */
	struct ctx_buf packed;
};

/* Stores a text uncompressed in zlib's format (RFC 1950, RFC 1951 section 3.2.4). */
static void
wrap_short(struct keeper *k, struct ctx_span text)
{
	uLong sum = adler32(1, (const Bytef *)text.p, (uInt)text.n);
	unsigned low = text.n & 0xff, high = (unsigned)text.n >> 8;
	const unsigned char head[] = {0x78, 0x01, 1, (unsigned char)low,
	    (unsigned char)high, (unsigned char)~low, (unsigned char)~high};
	const unsigned char end[] = {(unsigned char)(sum >> 24),
	    (unsigned char)(sum >> 16), (unsigned char)(sum >> 8), (unsigned char)sum};

	ctx_buf_add(&k->packed, head, sizeof(head));
	ctx_buf_addspan(&k->packed, text);
	ctx_buf_add(&k->packed, end, sizeof(end));
}

/* Compresses a text into k->packed. Returns 0 or -1. */
static int
pack_text(struct keeper *k, struct ctx_span text)
{
	if (k->z == NULL) {
		k->z = ctx_mem_new(sizeof(*k->z));
		if (deflateInit(k->z, LEVEL) != Z_OK)
			ctx_mem_out();
	}
	if (text.n > INT_MAX || deflateReset(k->z) != Z_OK)
		return -1;
	ctx_buf_reserve(&k->packed, deflateBound(k->z, (uLong)text.n));
	/* NOLINTNEXTLINE(performance-no-int-to-ptr): zlib does not write there */
	k->z->next_in = (Bytef *)(uintptr_t)text.p;
	k->z->avail_in = (uInt)text.n;
	k->z->next_out = (Bytef *)k->packed.p;
	k->z->avail_out = (uInt)deflateBound(k->z, (uLong)text.n);
	if (deflate(k->z, Z_FINISH) != Z_STREAM_END)
		return -1;
	k->packed.n = (size_t)k->z->total_out;
	return 0;
}

static int
store_fulltext_text(void *arg, int64_t id, struct ctx_span text, int role,
    int64_t created_at, struct ctx_err *err)
{
	struct keeper *k = arg;

	ctx_buf_reset(&k->packed);
	if (text.n > SHORT_TEXT && pack_text(k, text) < 0)
		return ctx_err_set(err, CTX_EIO, "cannot compress a text");
	if (text.n > 0 && text.n <= SHORT_TEXT)
		wrap_short(k, text);
	k->last = ctx_row_seq(id);
	return ctx_stmt_do(k->db,
	    "INSERT INTO fulltext_kept (id, role, created_at, size, text) "
	    "VALUES (?1, ?2, ?3, ?4, ?5) "
	    "ON CONFLICT (id) "
	    "DO UPDATE SET role = excluded.role, created_at = excluded.created_at, "
	    "size = excluded.size, text = excluded.text",
	    CTX_VALUES(ctx_int(ctx_row_id(k->no, k->last)), ctx_int(role),
		ctx_int(created_at), ctx_int((int64_t)text.n),
		ctx_bytes(k->packed.n == 0 ? ctx_span_of("") : ctx_buf_span(&k->packed))),
	    err);
}

/* Keeps the texts of one session. Messages that are not indexed yet are marked to be
 * indexed from the kept texts. */
static int
keep_session(struct keeper *k, struct ctx_store *st, int64_t no, struct ctx_store *from,
    int64_t from_no, struct ctx_err *err)
{
	int64_t indexed;
	int rc = ctx_derived_wanted(st, no, err);

	if (rc != 1)
		return rc;
	k->no = no;
	k->last = 0;
	if (ctx_fulltext_indexed(st, no, &indexed, err) < 0 ||
	    ctx_fulltext_each_body(from, ctx_row_id(from_no, 1),
		ctx_row_id(from_no, CTX_SEQ_MAX), CTX_SEQ_MAX, store_fulltext_text, k,
		err) < 0)
		return -1;
	if (k->last <= indexed)
		return 0;
	if (indexed > 0 && ctx_derived_set_mark(st, "fulltext", no, indexed, err) < 0)
		return -1;
	return ctx_derived_set_mark(st, CTX_FULLTEXT_WAITS, no, k->last, err);
}

static int
keeper_open(struct keeper *k, struct ctx_store *st, struct ctx_err *err)
{
	*k = (struct keeper){.db = ctx_store_derived(st, err)};
	return k->db == NULL ? -1 : ctx_db_begin(k->db, err);
}

static int
keeper_close(struct keeper *k, int rc, struct ctx_err *err)
{
	if (k->db == NULL)
		return -1;
	rc = ctx_db_end(k->db, rc, err);
	if (k->z != NULL)
		deflateEnd(k->z);
	free(k->z);
	ctx_buf_release(&k->packed);
	return rc;
}

int
ctx_fulltext_keep_from(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_store *from, int64_t from_no, struct ctx_err *err)
{
	struct keeper k;
	int rc = keeper_open(&k, st, err);

	if (rc == 0)
		rc = keep_session(&k, st, s->no, from, from_no, err);
	return keeper_close(&k, rc, err);
}

int
ctx_fulltext_keep(
    struct ctx_store *st, const int64_t *sessions, size_t n, struct ctx_err *err)
{
	struct keeper k;
	int rc = keeper_open(&k, st, err);

	if (rc == 0)
		rc = ctx_store_begin_read(st, err);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = keep_session(&k, st, sessions[i], st, sessions[i], err);
	ctx_store_end_read(st);
	return keeper_close(&k, rc, err);
}

int
ctx_fulltext_keeps(struct ctx_store *st, const struct ctx_session *s, struct ctx_err *err)
{
	int64_t last;

	return ctx_fulltext_last_kept(st, s->no, &last, err) < 0 ? -1
								 : last >= s->last_seq;
}

int
ctx_fulltext_kept_bytes(struct ctx_store *st, const struct ctx_session *s,
    void (*fn)(void *arg, struct ctx_span bytes), void *arg, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(ctx_store_derived(st, err), "kept text",
	    "SELECT text "
	    "FROM fulltext_kept "
	    "WHERE id BETWEEN ?1 AND ?2",
	    CTX_VALUES(CTX_SEQ_ROWS(s, 1, CTX_SEQ_MAX)), err);

	while (ctx_rows_next(&r))
		fn(arg, ctx_stmt_bytes(r.q, 0));
	return ctx_rows_end(&r);
}

int
ctx_fulltext_kept_all(struct ctx_store *st, void (*fn)(void *arg, struct ctx_span bytes),
    void *arg, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(
	    ctx_store_derived(st, err), "kept text", CTX_KEPT_SELECT, NULL, 0, err);
	struct ctx_err damage = CTX_ERR_INIT;
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_kept kept;

	while (ctx_rows_next(&r)) {
		fn(arg, ctx_stmt_bytes(r.q, 4));
		ctx_buf_reset(&text);
		if (ctx_kept_read(r.db, r.q, &kept, &text, &damage) == 0)
			fn(arg, ctx_buf_span(&text));
	}
	ctx_buf_release(&text);
	return ctx_rows_end(&r);
}

static int
find_kept(struct ctx_store *st, int64_t id, struct ctx_kept *kept, struct ctx_buf *text,
    struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(ctx_store_derived(st, err), "kept text",
	    CTX_KEPT_SELECT "WHERE id = ?1", CTX_VALUES(ctx_int(id)), err);

	if (ctx_rows_next(&r))
		r.rc = ctx_kept_read(r.db, r.q, kept, text, err);
	return ctx_rows_found(&r);
}

int
ctx_fulltext_kept(struct ctx_store *st, int64_t session_no, int64_t seq,
    struct ctx_buf *text, int *role, int64_t *created_at, struct ctx_err *err)
{
	struct ctx_kept kept;
	int rc = find_kept(st, ctx_row_id(session_no, seq), &kept, text, err);

	if (rc == 1) {
		*role = kept.role;
		*created_at = kept.created_at;
	}
	return rc;
}

int
ctx_fulltext_roles(struct ctx_store *st, int64_t id, unsigned *roles, int64_t *created_at,
    struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(&st->db, "message",
	    "SELECT role, created_at, body, crc FROM message WHERE id = ?1",
	    CTX_VALUES(ctx_int(id)), err);
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_kept kept = {.roles = 0};
	int rc;

	*roles = 0;
	if (ctx_rows_next(&r)) {
		int64_t role = ctx_row_whole(&r, 0, "role", 0, CTX_ROLE_TOOL);
		*created_at = ctx_row_time(&r, 1, "created_at");
		/* the body is read only if the role alone does not determine the roles */
		if (role == CTX_ROLE_USER)
			*roles = body_text(
			    ctx_stmt_span(r.q, 2), ctx_stmt_int64(r.q, 3), &m, NULL);
		if (*roles == 0)
			*roles = 1U << role;
		ctx_message_release(&m);
	}
	rc = ctx_rows_found(&r);
	if (rc == 0 && (rc = find_kept(st, id, &kept, NULL, err)) == 1) {
		*created_at = kept.created_at;
		*roles = kept.roles;
	}
	return rc;
}

struct texts {
	ctx_fulltext_text_fn *fn;
	void *arg;
};

static int
pass_text(void *arg, int64_t id, struct ctx_span text, int role CTX_UNUSED,
    int64_t created_at, struct ctx_err *err)
{
	struct texts *t = arg;

	return t->fn(t->arg, ctx_row_seq(id), text, created_at, err);
}

int
ctx_fulltext_texts(struct ctx_store *st, const struct ctx_session *s, int64_t first_seq,
    ctx_fulltext_text_fn *fn, void *arg, struct ctx_err *err)
{
	struct ctx_db *db = ctx_store_derived(st, err);
	struct texts t = {fn, arg};

	return db == NULL ? -1
			  : ctx_fulltext_each_kept(db, ctx_row_id(s->no, first_seq),
				ctx_row_id(s->no, CTX_SEQ_MAX), pass_text, &t, err);
}

#define ROLES ((INT64_C(1) << (CTX_ROLE_TOOL + 1)) - 1)
#define TEXT_MAX INT64_C(0x7fffffff)
/* greatest compression ratio of DEFLATE, https://zlib.net/zlib_tech.html */
#define RATIO_MAX 1032

/* Appends the text in column 4, which has size bytes decompressed. An impossible size
 * must not allocate memory. */
static void
inflate_kept(struct ctx_row *r, int64_t size, struct ctx_buf *out)
{
	struct ctx_span bytes = ctx_stmt_bytes(r->q, 4);
	const void *data = bytes.p;
	int64_t packed = (int64_t)bytes.n;
	uLongf n = (uLongf)size;

	if (size == 0)
		return;
	if (data == NULL || size > packed * RATIO_MAX) {
		ctx_row_refuse(r, "size");
		return;
	}
	ctx_buf_reserve(out, n + 1);
	if (uncompress((Bytef *)out->p + out->n, &n, data, (uLong)packed) != Z_OK ||
	    n != (uLongf)size) {
		ctx_row_refuse(r, "text");
		return;
	}
	out->n += n;
	out->p[out->n] = '\0';
}

int
ctx_kept_read(struct ctx_db *db, struct ctx_stmt *q, struct ctx_kept *out,
    struct ctx_buf *text, struct ctx_err *err)
{
	struct ctx_row r = {.db = db, .q = q, .table = "kept text", .err = err};
	int64_t role = ctx_row_whole(
		    &r, 1, "role", 0, ROLES << CTX_KEPT_ROLE_BITS | CTX_ROLE_TOOL),
		size;

	out->id = ctx_row_whole(&r, 0, "id", 1, INT64_MAX);
	out->role_column = (int)role;
	out->role = (int)(role & ((1 << CTX_KEPT_ROLE_BITS) - 1));
	out->roles = (unsigned)(role >> CTX_KEPT_ROLE_BITS);
	if (out->role > CTX_ROLE_TOOL) {
		ctx_row_refuse(&r, "role");
		out->role = 0;
	}
	if (out->roles == 0)
		out->roles = 1U << out->role;
	out->created_at = ctx_row_time(&r, 2, "created_at");
	size = ctx_row_whole(&r, 3, "size", 0, TEXT_MAX);
	if (text != NULL && !r.wrong)
		inflate_kept(&r, size, text);
	return r.wrong ? -1 : 0;
}
