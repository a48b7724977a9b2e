#include "ingest/ingest.h"

#include <stdlib.h>
#include <string.h>

#include "base/id.h"
#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"

#define BATCH_RECORDS 8192
#define BATCH_BYTES ((size_t)8 << 20)

void
ctx_ingest_init(
    struct ctx_ingest *in, const struct ctx_ingest_options *o, struct ctx_tokenizer *t)
{
	memset(in, 0, sizeof(*in));
	in->o = *o;
	in->tokenizer = t;
}

static void
forget_sessions(struct ctx_ingest *in)
{
	for (size_t i = 0; i < in->n_sessions; i++)
		ctx_session_release(&in->sessions[i]);
	in->n_sessions = 0;
}

void
ctx_ingest_release(struct ctx_ingest *in)
{
	forget_sessions(in);
	ctx_refused_release(&in->refused);
	free(in->sessions);
	free(in->pending);
	free(in->named);
	free(in->tenant);
	ctx_arena_release(&in->arena);
	ctx_message_release(&in->view);
}

/* ---- checking a line ---- */

static enum ctx_message_type
type_of(const struct ctx_message *m)
{
	bool result = false, error = false;

	for (size_t i = 0; i < m->n; i++) {
		result |= m->parts[i].type == CTX_PART_TOOL_RESULT;
		error |= m->parts[i].error;
	}
	if (result)
		return error ? CTX_TYPE_ERROR : CTX_TYPE_TOOL_RESULT;
	switch (m->role) {
	case CTX_ROLE_USER:
		return CTX_TYPE_QUERY;
	case CTX_ROLE_ASSISTANT:
		return CTX_TYPE_RESPONSE;
	default:
		return CTX_TYPE_NOTE;
	}
}

/* Decoded text of a JSON string, in the arena. */
static struct ctx_span
text_of(struct ctx_ingest *in, struct ctx_span json)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span s = ctx_arena_copy(&in->arena, ctx_json_text(json, &tmp));

	ctx_buf_release(&tmp);
	return s;
}

/* A value as it will be kept: without white space between its tokens. */
static struct ctx_span
compact(struct ctx_ingest *in, struct ctx_span json, bool spaced)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span s;

	if (!spaced || json.p == NULL)
		return json;
	ctx_json_minify(json, &tmp);
	s = ctx_arena_copy(&in->arena, ctx_buf_span(&tmp));
	ctx_buf_release(&tmp);
	return s;
}

static int
fill_message(struct ctx_ingest *in, struct ctx_pending *p, const struct ctx_record *r,
    struct ctx_err *err)
{
	struct ctx_message *view = &in->view;
	struct ctx_stored *m = &p->m;

	m->message = compact(in, r->message, r->spaced);
	m->metadata = compact(in, r->metadata, r->spaced);
	if (ctx_message_parse(view, m->message, err) < 0)
		return -1;
	m->role = (int)view->role;
	m->type = r->message_type >= 0 ? r->message_type : (int)type_of(view);
	m->starts_turn = ctx_message_starts_turn(view);
	m->tool_calls = (int64_t)ctx_message_count(view, CTX_PART_TOOL_CALL);
	m->token_count = ctx_tokens_message(in->tokenizer, view);
	m->tokenizer = ctx_tokenizer_name(in->tokenizer);
	m->created_at = r->created_at == CTX_TIME_NONE ? in->o.now : r->created_at;
	m->pinned = r->pinned == 1 || (r->pinned < 0 && in->o.pinned);
	m->id = text_of(in, r->id);
	if (m->id.p != NULL && ctx_id_check(m->id, "record id", err) < 0)
		return -1;
	return 0;
}

static int
fill_session(struct ctx_ingest *in, struct ctx_pending *p, const struct ctx_record *r,
    struct ctx_err *err)
{
	p->session_id = in->o.session != NULL ? in->o.session
					      : text_of(in, r->session_id).p;
	if (p->session_id == NULL)
		return ctx_err_set(
		    err, CTX_EINPUT, "no session: give -s SID or a session_id");
	return ctx_id_check(ctx_span_of(p->session_id), "session id", err);
}

/* A session record that may make a session. */
static int
check_record(struct ctx_ingest *in, struct ctx_pending *p, const struct ctx_record *r,
    struct ctx_err *err)
{
	struct ctx_session s;
	int rc;

	ctx_session_init(&s);
	rc = ctx_session_parse(&s, r->line, err);
	ctx_session_release(&s);
	p->session = r->session_id.p != NULL;
	return rc == 0 && p->session ? fill_session(in, p, r, err) : rc;
}

/* What a record that is no message tells of those around it. */
static void
take_tenant(struct ctx_ingest *in, struct ctx_pending *p, const struct ctx_record *r)
{
	struct ctx_span tenant = ctx_json_get(r->line, "tenant_id");
	bool session = r->kind == CTX_KIND_SESSION;

	if (!session && r->kind != CTX_KIND_REQUEST)
		return;
	if (ctx_json_type(tenant) == CTX_JSON_STRING)
		p->tenant = text_of(in, tenant).p;
	else if (session && (p->session || ctx_json_get(r->line, "created_at").p != NULL))
		p->tenant = "";
	if (session)
		p->session_id = in->o.session != NULL ? in->o.session
						      : text_of(in, r->session_id).p;
}

/* What can be long of what is stored. */
static size_t
content_bytes(const struct ctx_record *r)
{
	return r->message.n + r->metadata.n + r->source.n;
}

static int
check_line(struct ctx_ingest *in, struct ctx_pending *p, struct ctx_record *r,
    struct ctx_err *err)
{
	int rc = ctx_record_parse(r, p->line, err);

	p->session = r->kind == CTX_KIND_SESSION && in->o.create && in->o.session == NULL;
	if (rc < 0)
		return -1;
	if (r->kind == CTX_KIND_OTHER && ctx_json_get(r->line, "kind").p == NULL)
		return ctx_err_set(err, CTX_EINPUT, "message has no role");
	p->pass = r->kind != CTX_KIND_MESSAGE || r->slot != CTX_SLOT_HISTORY;
	if (p->pass) {
		p->line = r->line;
		take_tenant(in, p, r);
	}
	if (p->session)
		return check_record(in, p, r, err);
	if (p->pass)
		return 0;
	if (in->o.max_bytes > 0 && content_bytes(r) > in->o.max_bytes)
		return ctx_err_set(err, CTX_EINPUT,
		    "record is longer than %zu bytes (CTX_MAX_RECORD)", in->o.max_bytes);
	return fill_session(in, p, r, err) < 0 ? -1 : fill_message(in, p, r, err);
}

int
ctx_ingest_add(struct ctx_ingest *in, struct ctx_span line, const char *file,
    long line_no, struct ctx_err *err)
{
	struct ctx_pending *p;
	struct ctx_record r;
	int rc;

	CTX_MEM_GROW(in->pending, in->n, in->cap);
	p = &in->pending[in->n];
	memset(p, 0, sizeof(*p));
	p->line = ctx_arena_copy(&in->arena, line);
	p->file = file;
	p->line_no = line_no;
	rc = check_line(in, p, &r, err);
	p->refused = rc < 0 && p->session && r.session_id.p != NULL;
	if (p->refused) {
		p->pass = true;
		p->session_id = text_of(in, r.session_id).p;
	}
	in->n += rc == 0 || p->refused;
	return rc;
}

bool
ctx_ingest_full(const struct ctx_ingest *in)
{
	return in->n >= BATCH_RECORDS || in->arena.used >= BATCH_BYTES;
}

/* ---- storing ---- */

struct ctx_session *
ctx_ingest_session(struct ctx_ingest *in)
{
	return in->n_sessions == 0 ? NULL : &in->sessions[in->n_sessions - 1];
}

/* What a record says about a session, less what belongs to the store that it came from. */
static void
take_record(struct ctx_session *s, struct ctx_span record)
{
	struct ctx_err ignored;

	if (record.p == NULL || ctx_session_parse(s, record, &ignored) < 0)
		return;
	ctx_session_forget_state(s);
}

static int
make_session(struct ctx_ingest *in, struct ctx_store *st, const char *session_id,
    struct ctx_span record, struct ctx_session *s, struct ctx_err *err)
{
	take_record(s, record);
	free(s->session_id);
	s->session_id = ctx_mem_str(session_id);
	if (in->o.user != NULL) {
		free(s->user_id);
		s->user_id = ctx_mem_str(in->o.user);
	}
	if (ctx_session_check(s, err) < 0)
		return -1;
	if (s->created_at == CTX_TIME_NONE)
		s->created_at = in->o.now;
	s->updated_at = in->o.now;
	if (in->o.ttl_ms != CTX_TIME_NONE &&
	    (!in->o.ttl_default || s->ttl_ms == CTX_TIME_NONE))
		s->ttl_ms = in->o.ttl_ms;
	if (s->user_id != NULL && s->preferences_json == NULL &&
	    ctx_store_preferences_find(st, s->user_id, &s->preferences_json, err) < 0)
		return -1;
	return ctx_store_session_create(st, s, err);
}

static int
check_session(const struct ctx_session *s, struct ctx_err *err)
{
	if (s->status == CTX_STATUS_DELETED)
		return ctx_err_set(err, CTX_EANSWER,
		    "session '%s' is deleted (ctx-delete --restore brings it back)",
		    s->session_id);
	if (s->status == CTX_STATUS_ARCHIVED)
		return ctx_err_set(err, CTX_EANSWER,
		    "session '%s' is archived (--resume or ctx-archive --restore brings "
		    "it back)",
		    s->session_id);
	return 0;
}

/* Asked before the first message that is stored: one that is there already under its id is
 * acknowledged, whoever appended since. */
static int
check_seq(struct ctx_ingest *in, const struct ctx_session *s, struct ctx_err *err)
{
	if (in->o.if_seq >= 0 && !in->if_seq_checked && s->last_seq != in->o.if_seq)
		return ctx_err_set(err, CTX_EANSWER,
		    "session '%s' is at message %lld, not %lld: someone else appended",
		    s->session_id, (long long)s->last_seq, (long long)in->o.if_seq);
	in->if_seq_checked = true;
	return 0;
}

/* Messages behind a session record are of the session that it tells of, of its tenant: NULL
 * when nothing has told. A store that shows one tenant takes in what is nobody's as its. */
static const char *
tenant_of(struct ctx_ingest *in, struct ctx_store *st, const char *session_id)
{
	const char *shown = ctx_store_tenant(st);

	if (in->named == NULL || strcmp(in->named, session_id) != 0)
		return NULL;
	return shown != NULL ? shown : in->tenant;
}

static bool
is_session(const struct ctx_session *s, const char *session_id, const char *tenant)
{
	return strcmp(s->session_id, session_id) == 0 &&
	       (tenant == NULL ||
		   strcmp(s->tenant_id != NULL ? s->tenant_id : "", tenant) == 0);
}

/* The session of a record, loaded once a transaction; the current one is the last of
 * the array. NULL: refused, which is CTX_EANSWER, or failed. */
static struct ctx_session *
find_session(struct ctx_ingest *in, struct ctx_store *st, const char *session_id,
    struct ctx_span record, struct ctx_err *err)
{
	struct ctx_session s;
	const char *tenant = tenant_of(in, st, session_id);
	int rc;

	for (size_t i = in->n_sessions; i-- > 0;)
		if (is_session(&in->sessions[i], session_id, tenant)) {
			s = in->sessions[i];
			in->sessions[i] = in->sessions[in->n_sessions - 1];
			in->sessions[in->n_sessions - 1] = s;
			return &in->sessions[in->n_sessions - 1];
		}
	ctx_session_init(&s);
	rc = tenant != NULL ? ctx_store_session_of(st, tenant, session_id, &s, err)
			    : ctx_store_session_find(st, session_id, &s, err);
	if (rc == 0 && !in->o.create)
		rc = ctx_err_set(err, CTX_EANSWER,
		    "no session '%s' (ctx-new or --create makes one)", session_id);
	else if (rc == 0)
		rc = make_session(in, st, session_id, record, &s, err);
	if (rc >= 0)
		rc = check_session(&s, err);
	if (rc < 0) {
		ctx_session_release(&s);
		return NULL;
	}
	CTX_MEM_GROW(in->sessions, in->n_sessions, in->cap_sessions);
	in->sessions[in->n_sessions++] = s;
	return &in->sessions[in->n_sessions - 1];
}

/* An id made from the message's place, "SID/SEQ", names the message there. */
static int64_t
seq_of_id(const struct ctx_session *s, struct ctx_span id)
{
	size_t n = strlen(s->session_id);
	int64_t seq;

	if (id.n < n + 2 || memcmp(id.p, s->session_id, n) != 0 || id.p[n] != '/' ||
	    id.p[n + 1] < '1' || id.p[n + 1] > '9' ||
	    !ctx_json_int((struct ctx_span){id.p + n + 1, id.n - n - 1}, &seq))
		return -1;
	return seq;
}

/* Is a message with the record's id there already? 1: yes, *old is it. */
static int
find_repeated(struct ctx_store *st, const struct ctx_session *s, struct ctx_pending *p,
    struct ctx_cursor **cursor, struct ctx_stored *old, struct ctx_err *err)
{
	int64_t seq;
	int rc;

	*cursor = NULL;
	if (p->m.id.p == NULL)
		return 0;
	rc = ctx_store_message_find(st, s, p->m.id, old, err);
	seq = seq_of_id(s, p->m.id);
	if (rc == 0 && seq > 0 && seq <= s->last_seq) {
		if (ctx_cursor_open(cursor, st, s, seq, seq, false, err) < 0)
			return -1;
		rc = ctx_cursor_next(*cursor, old, err);
	}
	if (rc == 1 && !ctx_span_eq(old->message, p->m.message))
		return ctx_err_set(err, CTX_EINPUT,
		    "record id '%.*s' is taken by another message (%lld) of session '%s'",
		    (int)p->m.id.n, p->m.id.p, (long long)old->seq, s->session_id);
	return rc;
}

static int
store_one(struct ctx_ingest *in, struct ctx_store *st, struct ctx_pending *p,
    struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_cursor *cursor;
	struct ctx_session *s;
	struct ctx_stored old;
	int rc;

	if (ctx_refused_has(&in->refused, p->session_id))
		return ctx_err_set(err, CTX_EINPUT,
		    "session '%s': its record was refused", p->session_id);
	s = find_session(in, st, p->session_id, CTX_SPAN_NONE, err);
	if (s == NULL)
		return -1;
	rc = find_repeated(st, s, p, &cursor, &old, err);
	if (rc == 0) {
		rc = check_seq(in, s, err);
		if (rc == 0)
			rc = ctx_store_append(st, s, &p->m, err);
		if (rc == 0 && !in->o.silent)
			ctx_stored_print(out, s->session_id, &p->m, NULL, CTX_SPAN_NONE);
	} else if (rc == 1) {
		if (!in->o.silent)
			ctx_stored_print(out, s->session_id, &old, NULL, CTX_SPAN_NONE);
		p->m.seq = old.seq;
	}
	ctx_cursor_close(cursor);
	return rc < 0 ? -1 : 0;
}

/* What is of another tenant than the store shows is refused, with the messages behind it. */
static int
check_tenant(struct ctx_ingest *in, const struct ctx_store *st,
    const struct ctx_pending *p, struct ctx_err *err)
{
	const char *shown = ctx_store_tenant(st);

	if (shown == NULL || p->tenant == NULL || p->tenant[0] == '\0' ||
	    strcmp(p->tenant, shown) == 0)
		return 0;
	if (p->session_id != NULL)
		ctx_refused_add(&in->refused, p->session_id);
	return ctx_err_set(
	    err, CTX_EINPUT, "the session is of another tenant than '%s'", shown);
}

/* A session record: where the messages behind it go. */
static int
take_session(struct ctx_ingest *in, struct ctx_store *st, const struct ctx_pending *p,
    struct ctx_err *err)
{
	if (in->o.session == NULL) {
		free(in->named);
		free(in->tenant);
		in->named = ctx_mem_str(p->session_id);
		in->tenant = ctx_mem_str(p->tenant);
	}
	if (!p->session || find_session(in, st, p->session_id, p->line, err) != NULL) {
		ctx_refused_remove(&in->refused, p->session_id);
		return 0;
	}
	if (err->code == CTX_EINPUT)
		ctx_refused_add(&in->refused, p->session_id);
	return -1;
}

static int
take_one(struct ctx_ingest *in, struct ctx_store *st, struct ctx_pending *p,
    struct ctx_buf *out, struct ctx_err *err)
{
	if (p->refused) {
		ctx_refused_add(&in->refused, p->session_id);
		return 0;
	}
	if (!p->pass)
		return store_one(in, st, p, out, err);
	if (check_tenant(in, st, p, err) < 0 ||
	    (p->session_id != NULL && take_session(in, st, p, err) < 0))
		return -1;
	if (!in->o.silent) {
		ctx_buf_addspan(out, p->line);
		ctx_buf_addc(out, '\n');
	}
	return 0;
}

int
ctx_ingest_apply(struct ctx_ingest *in, struct ctx_store *st, struct ctx_buf *out,
    ctx_ingest_reject_fn *reject, void *arg, struct ctx_err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < in->n; i++) {
		struct ctx_pending *p = &in->pending[i];
		if (take_one(in, st, p, out, err) == 0)
			continue;
		if (err->code != CTX_EANSWER && err->code != CTX_EINPUT)
			rc = -1;
		else if (reject(arg, p, err) < 0)
			rc = 1;
	}
	in->n = 0;
	ctx_arena_reset(&in->arena);
	return rc;
}

int
ctx_ingest_finish(struct ctx_ingest *in, struct ctx_store *st, struct ctx_err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < in->n_sessions; i++)
		rc = ctx_store_session_count(st, &in->sessions[i], in->o.now, err);
	forget_sessions(in);
	return rc;
}
