/* Checks lines, counts their tokens and queues them. */
#include <string.h>

#include "base/id.h"
#include "base/mem.h"
#include "base/time.h"
#include "append/append.h"
#include "json/json.h"

#define BATCH_RECORDS 8192
#define BATCH_BYTES ((size_t)8 << 20)

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

/* Returns the decoded text of a JSON string, in the arena. */
static struct ctx_span
decode_append_text(struct ctx_appender *in, struct ctx_span json)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span s = ctx_arena_copy(&in->arena, ctx_json_text(json, &tmp));

	ctx_buf_release(&tmp);
	return s;
}

/* Returns the value as it will be stored: without white space between tokens. */
static struct ctx_span
compact_append_json(struct ctx_appender *in, struct ctx_span json, bool spaced)
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
fill_message(struct ctx_appender *in, struct ctx_pending *p, const struct ctx_record *r,
    struct ctx_err *err)
{
	struct ctx_message *view = &in->view;
	struct ctx_stored *m = &p->m;

	if (r->metadata.p != NULL && ctx_json_type(r->metadata) != CTX_JSON_OBJECT)
		return ctx_err_set(err, CTX_EINPUT, "metadata is not a JSON object");
	m->message = compact_append_json(in, r->message, r->spaced);
	m->metadata = compact_append_json(in, r->metadata, r->spaced);
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
	m->id = decode_append_text(in, r->id);
	if (m->id.p != NULL && ctx_id_check(m->id, "record id", err) < 0)
		return -1;
	return 0;
}

static int
fill_session(struct ctx_appender *in, struct ctx_pending *p, const struct ctx_record *r,
    struct ctx_err *err)
{
	p->session_id = in->o.session != NULL ? in->o.session
					      : decode_append_text(in, r->session_id).p;
	if (p->session_id == NULL)
		return ctx_err_set(err, CTX_EINPUT,
		    "no session: use -s SID, or put a session_id into the record");
	return ctx_id_check(ctx_span_of(p->session_id), "session id", err);
}

/* Checks a session record that may create a session. */
static int
check_append_line_record(struct ctx_appender *in, struct ctx_pending *p,
    const struct ctx_record *r, struct ctx_err *err)
{
	struct ctx_session s = CTX_SESSION_INIT;
	int rc = ctx_session_parse(&s, r->line, err);

	ctx_session_release(&s);
	p->session = r->session_id.p != NULL;
	return rc == 0 && p->session ? fill_session(in, p, r, err) : rc;
}

/* Remembers the tenant that a record other than a message states for the messages around
 * it. */
static void
take_tenant(struct ctx_appender *in, struct ctx_pending *p, const struct ctx_record *r)
{
	struct ctx_span tenant = ctx_json_get(r->line, "tenant_id");
	bool session = r->kind == CTX_KIND_SESSION;

	if (!session && r->kind != CTX_KIND_REQUEST)
		return;
	if (ctx_json_type(tenant) == CTX_JSON_STRING)
		p->tenant = decode_append_text(in, tenant).p;
	else if (session &&
		 (p->session || ctx_json_find(r->line, "created_at").p != NULL))
		p->tenant = "";
	if (session)
		p->session_id = in->o.session != NULL
				    ? in->o.session
				    : decode_append_text(in, r->session_id).p;
}

/* Returns the bytes of those stored values that can be long. */
static size_t
content_bytes(const struct ctx_record *r)
{
	return r->message.n + r->metadata.n + r->source.n;
}

static int
check_line(struct ctx_appender *in, struct ctx_pending *p, struct ctx_record *r,
    struct ctx_err *err)
{
	int rc = ctx_record_parse(r, p->line, err);

	p->session = r->kind == CTX_KIND_SESSION && in->o.create && in->o.session == NULL;
	if (rc < 0)
		return -1;
	if (r->kindless)
		return ctx_err_set(err, CTX_EINPUT, "the message has no role");
	p->pass = r->kind != CTX_KIND_MESSAGE || r->slot != CTX_SLOT_HISTORY;
	if (p->pass) {
		p->line = r->line;
		take_tenant(in, p, r);
	}
	if (p->session)
		return check_append_line_record(in, p, r, err);
	if (p->pass)
		return 0;
	if (in->o.max_bytes > 0 && content_bytes(r) > in->o.max_bytes)
		return ctx_err_set(err, CTX_EINPUT,
		    "the record is longer than %zu bytes (--max-record or CTX_MAX_RECORD changes the limit)",
		    in->o.max_bytes);
	return fill_session(in, p, r, err) < 0 ? -1 : fill_message(in, p, r, err);
}

static struct ctx_pending *
add_pending_line(
    struct ctx_appender *in, struct ctx_span line, const char *file, long line_no)
{
	struct ctx_pending *p;

	CTX_MEM_GROW(in->pending, in->n, in->cap);
	p = &in->pending[in->n++];
	*p = (struct ctx_pending){
	    .line = ctx_arena_copy(&in->arena, line), .file = file, .line_no = line_no};
	return p;
}

int
ctx_append_add(struct ctx_appender *in, struct ctx_span line, const char *file,
    long line_no, struct ctx_err *err)
{
	struct ctx_pending *p = add_pending_line(in, line, file, line_no);
	struct ctx_record r;
	int rc = check_line(in, p, &r, err);

	p->refused = rc < 0 && p->session && r.session_id.p != NULL;
	if (p->refused) {
		p->pass = true;
		p->session_id = decode_append_text(in, r.session_id).p;
	}
	in->n -= rc < 0 && !p->refused;
	return rc;
}

void
ctx_append_refuse(struct ctx_appender *in, struct ctx_span line, const char *file,
    long line_no, const char *why)
{
	struct ctx_pending *p = in->n > 0 ? &in->pending[in->n - 1] : NULL;

	if (p == NULL || !p->refused || p->bad != NULL) {
		p = add_pending_line(in, line, file, line_no);
		p->pass = true;
	}
	p->bad = ctx_arena_copy(&in->arena, ctx_span_of(why)).p;
}

bool
ctx_append_full(const struct ctx_appender *in)
{
	return in->n >= BATCH_RECORDS || in->arena.used >= BATCH_BYTES;
}
