#include "store/restore_records.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/id.h"
#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"
#include "store/restore_check.h"
#include "store/row.h"

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
	r->st->db.asks_each = false;
	ctx_session_release(&r->want);
	ctx_session_release(&r->at);
	ctx_message_release(&r->view);
	ctx_buf_release(&r->text);
	ctx_buf_release(&r->record);
	free(r->old_id);
	free(r->archive);
	free(r->row);
	free(r->tokenizer);
	free(r);
}

/* Reads the session's record into *row, which the caller frees; NULL if the session does
 * not exist or is deleted. */
static int
read_session_record(struct ctx_restore *r, char **row, struct ctx_err *err)
{
	struct ctx_buf b = CTX_BUF_INIT;
	struct ctx_session now = CTX_SESSION_INIT;
	int rc;

	*row = NULL;
	rc = ctx_store_session_get(r->st, r->want.no, &now, err);
	if (rc == 1 && now.status != CTX_STATUS_DELETED &&
	    ctx_session_is_same(&now, &r->want)) {
		ctx_session_print(&b, &now);
		*row = ctx_buf_detach(&b);
	}
	ctx_session_release(&now);
	return rc < 0 ? -1 : 0;
}

static int
note_row(struct ctx_restore *r, struct ctx_err *err)
{
	free(r->row);
	return read_session_record(r, &r->row, err);
}

/* ---- begin ---- */

static int
use_existing(struct ctx_restore *r, const struct ctx_session *old, struct ctx_err *err)
{
	if (old->status == CTX_STATUS_DELETED)
		return ctx_err_set(err, CTX_EANSWER,
		    "session '%s' is deleted (ctx-delete --restore restores it)",
		    old->session_id);
	if (old->last_seq > r->want.last_seq)
		return ctx_err_set(err, CTX_EANSWER,
		    "session '%s' has newer messages (up to %lld) than the archive (up to %lld): skipped",
		    old->session_id, (long long)old->last_seq,
		    (long long)r->want.last_seq);
	if (ctx_stmt_last_seq(&r->st->db, "message", old->no, &r->have, err) < 0)
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
create_restored_session(struct ctx_restore *r, struct ctx_err *err)
{
	r->want.status = CTX_STATUS_ARCHIVED;
	free(r->want.archive_json);
	r->want.archive_json = ctx_mem_str(r->archive);
	r->aside = true;
	return r->trial ? 0 : ctx_store_session_create(r->st, &r->want, err);
}

static int
find_existing(struct ctx_restore *r, struct ctx_session *old, struct ctx_err *err)
{
	const char *shown = ctx_store_tenant(r->st);
	const char *tenant = r->want.tenant_id != NULL ? r->want.tenant_id : "";

	if (shown != NULL && strcmp(shown, tenant) != 0)
		return *tenant == '\0'
			   ? ctx_err_set(err, CTX_EANSWER,
				 "session '%s' has no tenant: skipped",
				 r->want.session_id)
			   : ctx_err_set(err, CTX_EANSWER,
				 "session '%s' belongs to tenant '%s': skipped",
				 r->want.session_id, tenant);
	return ctx_store_session_of(r->st, tenant, r->want.session_id, old, err);
}

static int
begin_restore(struct ctx_restore *r, struct ctx_span record,
    const struct ctx_restore_options *o, struct ctx_err *err)
{
	struct ctx_session old = CTX_SESSION_INIT;
	int rc;

	if (ctx_session_parse(&r->want, record, err) < 0)
		return -1;
	if (r->want.session_id == NULL || r->want.created_at == CTX_TIME_NONE)
		return ctx_err_set(err, CTX_EINPUT,
		    "the session record has no session_id or no created_at");
	if (r->want.updated_at == CTX_TIME_NONE)
		r->want.updated_at = r->want.created_at;
	r->old_id = ctx_mem_str(r->want.session_id);
	r->archive = ctx_mem_str(o->archive);
	if (o->as != NULL) {
		free(r->want.session_id);
		r->want.session_id = ctx_mem_str(o->as);
	}
	if (ctx_id_check(ctx_span_of(r->want.session_id), "session id", err) < 0)
		return -1;
	rc = find_existing(r, &old, err);
	if (rc == 1 && o->as != NULL)
		rc = ctx_err_set(err, CTX_EANSWER, "session '%s' already exists", o->as);
	else if (rc == 1)
		rc = use_existing(r, &old, err);
	else if (rc == 0)
		rc = create_restored_session(r, err);
	ctx_session_release(&old);
	r->at.no = r->want.no;
	r->at.session_id = ctx_mem_str(r->want.session_id);
	return rc < 0 ? -1 : r->trial ? 0 : note_row(r, err);
}

int
ctx_restore_begin(struct ctx_restore **out, struct ctx_store *st,
    struct ctx_span session_record, const struct ctx_restore_options *o,
    struct ctx_err *err)
{
	struct ctx_restore *r = ctx_mem_new(sizeof(*r));

	*out = NULL;
	r->st = st;
	st->db.asks_each = true;
	r->trial = o->trial;
	ctx_session_init(&r->want);
	ctx_session_init(&r->at);
	if (begin_restore(r, session_record, o, err) < 0) {
		ctx_restore_free(r);
		return -1;
	}
	*out = r;
	return 0;
}

int
ctx_restore_go_on(struct ctx_restore *r, struct ctx_err *err)
{
	char *now;
	int rc = read_session_record(r, &now, err);

	if (rc == 0 && (now == NULL || strcmp(now, r->row) != 0))
		rc = ctx_err_set(err, CTX_EANSWER,
		    now == NULL
			? "session '%s' was deleted while it was restored"
			: "session '%s' was changed while it was restored: skipped",
		    r->want.session_id);
	free(now);
	return rc;
}

/* ---- messages ---- */

/* Returns the name of the record's tokenizer, cached because it is mostly that of the
 * message before; NULL if the record has none. */
static const char *
tokenizer_of(struct ctx_restore *r, const struct ctx_record *rec)
{
	if (r->tokenizer == NULL || !ctx_json_is(rec->tokenizer, r->tokenizer)) {
		free(r->tokenizer);
		r->tokenizer = ctx_json_strdup(rec->tokenizer);
	}
	return r->tokenizer;
}

/* Marks an active session as archived before messages are added to it, so that it is read
 * from the archive and stays complete if the restore is interrupted. Called after all
 * messages that it has were found to be equal. */
static int
archive_active_session(struct ctx_restore *r, struct ctx_err *err)
{
	struct ctx_session s = CTX_SESSION_INIT;
	int rc = ctx_store_session_get(r->st, r->want.no, &s, err);

	if (rc == 1 && s.status == CTX_STATUS_ACTIVE) {
		s.status = CTX_STATUS_ARCHIVED;
		free(s.archive_json);
		s.archive_json = ctx_mem_str(r->archive);
		rc = ctx_store_session_update(r->st, &s, err);
	}
	ctx_session_release(&s);
	r->aside = true;
	return rc < 0 ? -1 : note_row(r, err);
}

static int
put_new(struct ctx_restore *r, struct ctx_stored *m, int64_t seq, struct ctx_err *err)
{
	if (!r->aside && archive_active_session(r, err) < 0)
		return -1;
	r->at.last_seq = seq - 1;
	if (ctx_store_append(r->st, &r->at, m, err) == 0)
		return 0;
	if (ctx_db_failure(&r->st->db) == CTX_DB_DUPLICATE ||
	    ctx_db_failure(&r->st->db) == CTX_DB_CONSTRAINT)
		ctx_err_set(err, CTX_EANSWER,
		    "message %lld has the same id as another message", (long long)seq);
	return -1;
}

/* Counts a message that is in the store already. Its pin is not changed. */
static void
count_restored_message(struct ctx_restore *r, const struct ctx_stored *m, int64_t seq)
{
	r->at.last_seq = seq;
	r->at.last_turn = m->starts_turn ? seq : r->at.last_turn;
	r->at.has_pins |= m->pinned;
	r->at.message_count++;
	r->at.tool_call_count += m->tool_calls;
	r->at.token_count += m->token_count;
}

static int
restore_message(struct ctx_restore *r, const struct ctx_record *rec,
    const struct ctx_restore_facts *facts, struct ctx_err *err)
{
	struct ctx_stored m = {.created_at = rec->created_at,
	    .type = rec->message_type,
	    .message = rec->message,
	    .metadata = rec->metadata,
	    .pinned = rec->pinned == 1,
	    .token_count = rec->token_count,
	    .id = ctx_record_given_id(rec, r->old_id, &r->text),
	    .tokenizer = tokenizer_of(r, rec),
	    .role = facts->role,
	    .starts_turn = facts->starts_turn,
	    .tool_calls = facts->tool_calls};
	int rc = 0;

	if (rec->seq <= r->have) /* the stored token count is used */
		rc = ctx_store_holds(
		    r->st, &r->want, rec->seq, rec->message, &m.token_count, err);
	if (rc == 0 && !r->trial)
		rc = put_new(r, &m, rec->seq, err);
	else if (rc >= 0)
		count_restored_message(r, &m, rec->seq);
	return rc < 0 ? -1 : 0;
}

int
ctx_restore_put(struct ctx_restore *r, const struct ctx_record *rec,
    const struct ctx_restore_facts *checked, struct ctx_err *err)
{
	struct ctx_restore_facts facts;

	if (checked == NULL) {
		checked = &facts;
		if (ctx_restore_check(
			&r->want, r->at.last_seq, rec, &r->view, &facts, err) < 0)
			return -1;
	}
	return rec->kind == CTX_KIND_MESSAGE ? restore_message(r, rec, checked, err)
					     : ctx_restore_record(r, rec, err);
}

/* ---- finish ---- */

int
ctx_restore_finish(struct ctx_restore *r, struct ctx_err *err)
{
	if (r->at.message_count != r->want.message_count ||
	    r->at.last_seq != r->want.last_seq)
		return ctx_err_set(err, CTX_EANSWER,
		    "the archive of session '%s' contains %lld messages, not %lld",
		    r->want.session_id, (long long)r->at.message_count,
		    (long long)r->want.message_count);
	if (!r->trial && ctx_stmt_ints(&r->st->db,
			     "SELECT sum(last_id - first_id + 1) "
			     "FROM hidden "
			     "WHERE first_id BETWEEN ?1 AND ?2",
			     CTX_VALUES(CTX_SESSION_ROWS(&r->want)),
			     &r->want.hidden_count, 1, err) < 0)
		return -1;
	r->want.status = CTX_STATUS_ACTIVE;
	r->want.last_turn = r->at.last_turn;
	r->want.has_pins |= r->at.has_pins;
	r->want.tool_call_count = r->at.tool_call_count;
	r->want.token_count = r->at.token_count;
	free(r->want.archive_json);
	r->want.archive_json = NULL;
	return r->trial ? 0 : ctx_store_session_update(r->st, &r->want, err);
}
