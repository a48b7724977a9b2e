#include "store/restore.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/id.h"
#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"
#include "record/message.h"
#include "store/item.h"
#include "store/stmt.h"
#include "store/summary.h"

struct ctx_restore {
	struct ctx_store *st;
	struct ctx_session want; /* as the record says, under the id that it gets */
	struct ctx_session at;   /* counters up to the message that was last put */
	char *old_id;            /* the id in the records */
	int64_t have;            /* seq up to which messages may be there already */
	int64_t events;          /* that were put */
	int64_t left_out;
	char *archive;   /* while it is filled */
	char *tokenizer; /* of the last message */
	bool aside;      /* readers are sent to the archive */
	struct ctx_message view;
	struct ctx_buf text, record;
};

const struct ctx_session *
ctx_restore_session(const struct ctx_restore *r)
{
	return &r->want;
}

int64_t
ctx_restore_left_out(const struct ctx_restore *r)
{
	return r->left_out;
}

void
ctx_restore_free(struct ctx_restore *r)
{
	if (r == NULL)
		return;
	ctx_session_release(&r->want);
	ctx_session_release(&r->at);
	ctx_message_release(&r->view);
	ctx_buf_release(&r->text);
	ctx_buf_release(&r->record);
	free(r->old_id);
	free(r->archive);
	free(r->tokenizer);
	free(r);
}

/* ---- begin ---- */

static int
find_last(struct ctx_store *st, int64_t no, int64_t *seq, struct ctx_err *err)
{
	sqlite3_stmt *q = ctx_stmt_new(
	    &st->db, "SELECT max(id) FROM message WHERE id BETWEEN ?1 AND ?2", err);
	int rc;

	*seq = 0;
	if (q == NULL)
		return -1;
	ctx_stmt_bind_int(q, 1, ctx_row_id(no, 0));
	ctx_stmt_bind_int(q, 2, ctx_row_id(no, CTX_SEQ_MAX));
	rc = ctx_stmt_step(&st->db, q, err);
	if (rc == 1)
		*seq = ctx_row_seq(sqlite3_column_int64(q, 0));
	sqlite3_finalize(q);
	return rc < 0 ? -1 : 0;
}

static int
use_existing(struct ctx_restore *r, const struct ctx_session *old, struct ctx_err *err)
{
	if (old->status == CTX_STATUS_DELETED)
		return ctx_err_set(err, CTX_EANSWER,
		    "session '%s' is deleted (ctx-delete --restore takes that back)",
		    old->session_id);
	if (old->last_seq > r->want.last_seq)
		return ctx_err_set(err, CTX_EANSWER,
		    "session '%s' has newer messages (%lld) than the archive (%lld): "
		    "left alone",
		    old->session_id, (long long)old->last_seq,
		    (long long)r->want.last_seq);
	if (find_last(r->st, old->no, &r->have, err) < 0)
		return -1;
	r->want.no = old->no;
	if (old->hold != NULL) {
		free(r->want.hold);
		r->want.hold = ctx_mem_str(old->hold);
	}
	free(r->want.tenant_id);
	r->want.tenant_id = ctx_mem_str(old->tenant_id);
	return 0;
}

static int
make_session(struct ctx_restore *r, struct ctx_err *err)
{
	r->want.status = CTX_STATUS_ARCHIVED;
	free(r->want.archive_json);
	r->want.archive_json = ctx_mem_str(r->archive);
	r->aside = true;
	return ctx_store_session_create(r->st, &r->want, err);
}

static int
find_existing(struct ctx_restore *r, struct ctx_session *old, struct ctx_err *err)
{
	const char *shown = ctx_store_tenant(r->st);
	const char *tenant = r->want.tenant_id != NULL ? r->want.tenant_id : "";

	if (shown != NULL && strcmp(shown, tenant) != 0)
		return ctx_err_set(err, CTX_EANSWER,
		    *tenant == '\0' ? "session '%s' is of no tenant%s: left alone"
				    : "session '%s' is of tenant '%s': left alone",
		    r->want.session_id, tenant);
	return ctx_store_session_of(r->st, tenant, r->want.session_id, old, err);
}

static int
begin(struct ctx_restore *r, struct ctx_span record, const struct ctx_restore_options *o,
    struct ctx_err *err)
{
	struct ctx_session old;
	int rc;

	if (ctx_session_parse(&r->want, record, err) < 0)
		return -1;
	if (r->want.session_id == NULL || r->want.created_at == CTX_TIME_NONE)
		return ctx_err_set(
		    err, CTX_EINPUT, "the session record lacks its id or its time");
	r->old_id = ctx_mem_str(r->want.session_id);
	r->archive = ctx_mem_str(o->archive);
	if (o->as != NULL) {
		free(r->want.session_id);
		r->want.session_id = ctx_mem_str(o->as);
	}
	if (ctx_id_check(ctx_span_of(r->want.session_id), "session id", err) < 0)
		return -1;
	ctx_session_init(&old);
	rc = find_existing(r, &old, err);
	if (rc == 1 && o->as != NULL)
		rc = ctx_err_set(err, CTX_EANSWER, "session '%s' exists already", o->as);
	else if (rc == 1)
		rc = use_existing(r, &old, err);
	else if (rc == 0)
		rc = make_session(r, err);
	ctx_session_release(&old);
	r->at.no = r->want.no;
	r->at.session_id = ctx_mem_str(r->want.session_id);
	return rc;
}

int
ctx_restore_begin(struct ctx_restore **out, struct ctx_store *st,
    struct ctx_span session_record, const struct ctx_restore_options *o,
    struct ctx_err *err)
{
	struct ctx_restore *r = ctx_mem_new(sizeof(*r));

	*out = NULL;
	r->st = st;
	ctx_session_init(&r->want);
	ctx_session_init(&r->at);
	if (begin(r, session_record, o, err) < 0) {
		ctx_restore_free(r);
		return -1;
	}
	*out = r;
	return 0;
}

/* ---- messages ---- */

/* The id that was given when the message was stored; one made of its place was not. */
static struct ctx_span
given_id(struct ctx_restore *r, const struct ctx_record *rec)
{
	struct ctx_span id = ctx_json_text(rec->id, &r->text);

	ctx_buf_reset(&r->record);
	ctx_buf_adds(&r->record, r->old_id);
	ctx_buf_addc(&r->record, '/');
	ctx_buf_addi(&r->record, rec->seq);
	return id.p != NULL && ctx_span_eq(id, ctx_buf_span(&r->record)) ? CTX_SPAN_NONE
									 : id;
}

/* Its tokenizer's name, which is mostly that of the message before. NULL: it has none. */
static const char *
tokenizer_of(struct ctx_restore *r, const struct ctx_record *rec)
{
	if (r->tokenizer == NULL || !ctx_json_is(rec->tokenizer, r->tokenizer)) {
		free(r->tokenizer);
		r->tokenizer = ctx_json_strdup(rec->tokenizer);
	}
	return r->tokenizer;
}

/* While a session that is active is filled up, it is read from the archive: a restore that
 * stops half-way leaves it whole. Only once all that was there has been found to be the
 * same. */
static int
set_aside(struct ctx_restore *r, struct ctx_err *err)
{
	struct ctx_session s;
	int rc;

	ctx_session_init(&s);
	rc = ctx_store_session_get(r->st, r->want.no, &s, err);
	if (rc == 1 && s.status == CTX_STATUS_ACTIVE) {
		s.status = CTX_STATUS_ARCHIVED;
		free(s.archive_json);
		s.archive_json = ctx_mem_str(r->archive);
		rc = ctx_store_session_update(r->st, &s, err);
	}
	ctx_session_release(&s);
	r->aside = true;
	return rc < 0 ? -1 : 0;
}

static int
put_new(struct ctx_restore *r, struct ctx_stored *m, int64_t seq, struct ctx_err *err)
{
	if (!r->aside && set_aside(r, err) < 0)
		return -1;
	r->at.last_seq = seq - 1;
	if (ctx_store_append(r->st, &r->at, m, err) == 0)
		return 0;
	if ((sqlite3_errcode(r->st->db.h) & 0xff) == SQLITE_CONSTRAINT)
		ctx_err_set(err, CTX_EANSWER, "message %lld has the id of another",
		    (long long)seq);
	return -1;
}

/* One that is there keeps its pin. */
static void
pass_over(struct ctx_restore *r, const struct ctx_stored *m, int64_t seq)
{
	r->at.last_seq = seq;
	r->at.last_turn = m->starts_turn ? seq : r->at.last_turn;
	r->at.has_pins |= m->pinned;
	r->at.message_count++;
	r->at.tool_call_count += m->tool_calls;
	r->at.token_count += m->token_count;
}

static int
put_message(struct ctx_restore *r, const struct ctx_record *rec, struct ctx_err *err)
{
	struct ctx_stored m = {.created_at = rec->created_at,
	    .type = rec->message_type,
	    .message = rec->message,
	    .metadata = rec->metadata,
	    .pinned = rec->pinned == 1,
	    .token_count = rec->token_count,
	    .id = given_id(r, rec),
	    .tokenizer = tokenizer_of(r, rec)};
	int rc;

	if (rec->seq <= r->at.last_seq || rec->seq > r->want.last_seq ||
	    m.tokenizer == NULL || rec->bare || m.created_at == CTX_TIME_NONE ||
	    m.token_count < 0 || m.type < 0)
		rc = ctx_err_set(err, CTX_EINPUT, "not the record of a stored message");
	else
		rc = ctx_message_parse(&r->view, rec->message, err);
	if (rc == 0) {
		m.role = (int)r->view.role;
		m.starts_turn = ctx_message_starts_turn(&r->view);
		m.tool_calls = (int64_t)ctx_message_count(&r->view, CTX_PART_TOOL_CALL);
		rc = rec->seq <= r->have
			 ? ctx_store_holds(r->st, &r->want, rec->seq, rec->message, err)
			 : 0;
	}
	if (rc == 0)
		rc = put_new(r, &m, rec->seq, err);
	else if (rc == 1)
		pass_over(r, &m, rec->seq);
	return rc < 0 ? -1 : 0;
}

/* ---- the other records ---- */

/* The record under the session's new id. */
static struct ctx_span
renamed(struct ctx_restore *r, struct ctx_span line)
{
	struct ctx_json_iter it;

	if (strcmp(r->old_id, r->want.session_id) == 0)
		return line;
	ctx_buf_reset(&r->record);
	ctx_json_put_open(&r->record, '{');
	for (ctx_json_iter_init(&it, line); ctx_json_iter_next(&it);) {
		if (r->record.p[r->record.n - 1] != '{')
			ctx_buf_addc(&r->record, ',');
		ctx_buf_addspan(&r->record, it.key);
		ctx_buf_addc(&r->record, ':');
		if (ctx_json_is(it.key, "session_id"))
			ctx_json_put_string(&r->record, ctx_span_of(r->want.session_id));
		else
			ctx_buf_addspan(&r->record, it.value);
	}
	ctx_json_put_close(&r->record, '}');
	return ctx_buf_span(&r->record);
}

static int64_t
int_of(struct ctx_span record, const char *key)
{
	int64_t v;

	return ctx_json_int(ctx_json_get(record, key), &v) ? v : 0;
}

static int64_t
time_of(struct ctx_restore *r, struct ctx_span record)
{
	struct ctx_span text = ctx_json_text(
	    ctx_json_get(record, "created_at"), &r->text);
	struct ctx_err ignored = CTX_ERR_INIT;
	int64_t ms;

	return ctx_time_parse(text, &ms, &ignored) == 0 ? ms : r->want.created_at;
}

/* An id is unique in a store: under another session's, the request is left out. */
static int
put_request(struct ctx_restore *r, struct ctx_span line, struct ctx_err *err)
{
	sqlite3_stmt *q = ctx_stmt_new(
	    &r->st->db, "SELECT id >> 32 FROM request WHERE request_id = ?1", err);
	int64_t created_at = time_of(r, line);
	struct ctx_span id = ctx_json_text(ctx_json_get(line, "request_id"), &r->text);
	int rc;

	if (q == NULL)
		return -1;
	ctx_stmt_bind_span(q, 1, id);
	rc = ctx_stmt_step(&r->st->db, q, err);
	if (rc == 1 && sqlite3_column_int64(q, 0) != r->want.no)
		r->left_out++;
	sqlite3_finalize(q);
	if (rc != 0)
		return rc < 0 ? -1 : 0;
	if (id.p == NULL)
		return ctx_err_set(
		    err, CTX_EINPUT, "a request record without request_id");
	return ctx_store_request_put(r->st, &r->want, id, int_of(line, "for_seq"),
	    int_of(line, "response_seq"), created_at, renamed(r, line), err);
}

/* Hidden ranges name their event by its number, so events keep theirs. */
static int
put_event(struct ctx_restore *r, struct ctx_span line, struct ctx_err *err)
{
	sqlite3_stmt *q = ctx_stmt_new(&r->st->db,
	    "INSERT INTO event (id, created_at, record) VALUES (?1, ?2, ?3) "
	    "ON CONFLICT DO NOTHING",
	    err);
	int rc;

	if (q == NULL)
		return -1;
	ctx_stmt_bind_int(q, 1, ctx_row_id(r->want.no, ++r->events));
	ctx_stmt_bind_int(q, 2, time_of(r, line));
	ctx_stmt_bind_span(q, 3, renamed(r, line));
	rc = ctx_stmt_run(&r->st->db, q, err);
	sqlite3_finalize(q);
	return rc;
}

static int
put_hidden(struct ctx_restore *r, struct ctx_span line, struct ctx_err *err)
{
	int64_t event = int_of(line, "event");
	struct ctx_seq_range range = {
	    int_of(line, "first_seq"), int_of(line, "last_seq")};

	sqlite3_stmt *q;
	int rc;

	if (range.first < 1 || range.last < range.first || range.last > r->want.last_seq)
		return ctx_err_set(err, CTX_EINPUT, "not the record of hidden messages");
	q = ctx_stmt_new(&r->st->db,
	    "INSERT INTO hidden (first_id, last_id, event) SELECT ?1, ?2, ?3 WHERE NOT "
	    "EXISTS "
	    "(SELECT 1 FROM hidden WHERE first_id BETWEEN ?4 AND ?2 AND last_id >= ?1)",
	    err);
	if (q == NULL)
		return -1;
	ctx_stmt_bind_int(q, 1, ctx_row_id(r->want.no, range.first));
	ctx_stmt_bind_int(q, 2, ctx_row_id(r->want.no, range.last));
	ctx_stmt_bind_int(q, 3, event > 0 ? ctx_row_id(r->want.no, event) : 0);
	ctx_stmt_bind_int(q, 4, ctx_row_id(r->want.no, 0));
	rc = ctx_stmt_run(&r->st->db, q, err);
	sqlite3_finalize(q);
	return rc;
}

static int
put_summary(struct ctx_restore *r, struct ctx_span line, struct ctx_err *err)
{
	struct ctx_store_summary m = {0};
	int rc = ctx_store_summary_parse(&m, line, err);

	if (rc == 0 && m.last > r->want.last_seq)
		rc = ctx_err_set(
		    err, CTX_EINPUT, "a summary of more messages than there are");
	if (rc == 0)
		rc = ctx_store_summary_restore(r->st, &r->want, &m, err);
	ctx_store_summary_release(&m);
	return rc;
}

static int
put_share(struct ctx_restore *r, struct ctx_span line, struct ctx_err *err)
{
	char *user = ctx_json_strdup(ctx_json_get(line, "user_id"));
	int rc = user == NULL ? 0 : ctx_store_session_share(r->st, &r->want, user, err);

	free(user);
	return rc;
}

static int
put_item(struct ctx_restore *r, struct ctx_span line, struct ctx_err *err)
{
	struct ctx_span added = ctx_json_text(ctx_json_get(line, "added_at"), &r->text);
	struct ctx_err ignored = CTX_ERR_INIT;
	struct ctx_session_item item = {
	    .type = ctx_json_strdup(ctx_json_get(line, "type")),
	    .server_name = ctx_json_strdup(ctx_json_get(line, "server_name")),
	    .name = ctx_json_strdup(ctx_json_get(line, "name")),
	    .include_mode = ctx_json_strdup(ctx_json_get(line, "include_mode"))};
	int rc = 0;

	if (ctx_time_parse(added, &item.added_at, &ignored) < 0)
		item.added_at = r->want.created_at;
	if (item.server_name == NULL)
		item.server_name = ctx_mem_str("");
	if (item.type != NULL && item.name != NULL && item.include_mode != NULL)
		rc = ctx_session_item_add(r->st, &r->want, &item, err);
	free(item.type);
	free(item.server_name);
	free(item.name);
	free(item.include_mode);
	return rc < 0 ? -1 : 0;
}

int
ctx_restore_put(struct ctx_restore *r, const struct ctx_record *rec, struct ctx_err *err)
{
	struct ctx_span kind;

	switch (rec->kind) {
	case CTX_KIND_MESSAGE:
		return put_message(r, rec, err);
	case CTX_KIND_REQUEST:
		return put_request(r, rec->line, err);
	case CTX_KIND_EVENT:
		return put_event(r, rec->line, err);
	case CTX_KIND_ITEM:
		return put_item(r, rec->line, err);
	case CTX_KIND_OTHER:
		kind = ctx_json_get(rec->line, "kind");
		if (ctx_json_is(kind, "hidden"))
			return put_hidden(r, rec->line, err);
		if (ctx_json_is(kind, "summary"))
			return put_summary(r, rec->line, err);
		return ctx_json_is(kind, "share") ? put_share(r, rec->line, err) : 0;
	default:
		return 0;
	}
}

static int
count_hidden(struct ctx_restore *r, struct ctx_err *err)
{
	struct ctx_seq_range *ranges;
	size_t n;

	if (ctx_store_hidden(r->st, &r->want, &ranges, &n, err) < 0)
		return -1;
	r->want.hidden_count = 0;
	for (size_t i = 0; i < n; i++)
		r->want.hidden_count += ranges[i].last - ranges[i].first + 1;
	free(ranges);
	return 0;
}

int
ctx_restore_finish(struct ctx_restore *r, struct ctx_err *err)
{
	if (r->at.message_count != r->want.message_count ||
	    r->at.last_seq != r->want.last_seq)
		return ctx_err_set(err, CTX_EANSWER,
		    "the archive of session '%s' holds %lld messages, not %lld",
		    r->want.session_id, (long long)r->at.message_count,
		    (long long)r->want.message_count);
	if (count_hidden(r, err) < 0)
		return -1;
	r->want.status = CTX_STATUS_ACTIVE;
	r->want.last_turn = r->at.last_turn;
	r->want.has_pins |= r->at.has_pins;
	free(r->want.archive_json);
	r->want.archive_json = NULL;
	return ctx_store_session_update(r->st, &r->want, err);
}
