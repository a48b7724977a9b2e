#include "append/append.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/utf8.h"
#include "json/json.h"
#include "store/item.h"

void
ctx_append_init(
    struct ctx_appender *in, const struct ctx_append_options *o, struct ctx_tokenizer *t)
{
	memset(in, 0, sizeof(*in));
	in->o = *o;
	in->tokenizer = t;
}

static void
forget_sessions(struct ctx_appender *in)
{
	for (size_t i = 0; i < in->n_sessions; i++)
		ctx_session_release(&in->sessions[i]);
	in->n_sessions = 0;
}

void
ctx_append_release(struct ctx_appender *in)
{
	forget_sessions(in);
	ctx_refused_release(&in->refused);
	ctx_orphans_release(&in->orphans);
	free(in->sessions);
	free(in->marks);
	free(in->pending);
	free(in->named);
	free(in->tenant);
	ctx_arena_release(&in->arena);
	ctx_message_release(&in->view);
}

struct ctx_session *
ctx_append_session(struct ctx_appender *in)
{
	return in->n_sessions == 0 ? NULL : &in->sessions[in->n_sessions - 1];
}

static int
make_append_session(struct ctx_appender *in, struct ctx_store *st, const char *session_id,
    struct ctx_span record, struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_err ignored;

	/* the values of the record, except those that only apply to the record's original
	 * store */
	if (record.p != NULL && ctx_session_parse(s, record, &ignored) == 0)
		ctx_session_forget_state(s);
	free(s->session_id);
	s->session_id = ctx_mem_str(session_id);
	if (in->o.user != NULL) {
		free(s->user_id);
		s->user_id = ctx_mem_str(in->o.user);
	}
	if (in->o.agent != NULL) {
		free(s->agent);
		s->agent = ctx_mem_str(in->o.agent);
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
	if (ctx_store_session_create(st, s, err) < 0)
		return -1;
	return ctx_session_item_begin(st, s, s->updated_at, err);
}

static int
check_append_session(const struct ctx_session *s, struct ctx_err *err)
{
	if (s->status == CTX_STATUS_DELETED)
		return ctx_err_set(err, CTX_EANSWER,
		    "session '%s' is deleted (ctx-delete --restore restores it)",
		    s->session_id);
	if (s->status == CTX_STATUS_ARCHIVED)
		return ctx_err_set(err, CTX_EANSWER,
		    "session '%s' is archived (ctx-append --resume or ctx-archive --restore restores it)",
		    s->session_id);
	return 0;
}

/* Checks --if-seq before the first message is stored. A message that is already stored
 * under its id is acknowledged even if other messages were appended since. */
static int
check_seq(struct ctx_appender *in, const struct ctx_session *s, struct ctx_err *err)
{
	if (in->o.if_seq >= 0 && !in->if_seq_checked && s->last_seq != in->o.if_seq)
		return ctx_err_set(err, CTX_EANSWER,
		    s->last_seq > in->o.if_seq
			? "the last message of session '%s' has the number %lld, not %lld: another process appended messages"
			: "the last message of session '%s' has the number %lld, not %lld: the session has fewer messages than expected",
		    s->session_id, (long long)s->last_seq, (long long)in->o.if_seq);
	in->if_seq_checked = true;
	return 0;
}

/* Returns the tenant of a message's session: that of the preceding session record, or
 * NULL if there was none. A store that shows only one tenant uses that tenant for
 * sessions without one. */
static const char *
tenant_of(struct ctx_appender *in, struct ctx_store *st, const char *session_id)
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

static struct ctx_session *
make_last(struct ctx_appender *in, size_t i)
{
	size_t last = in->n_sessions - 1;
	struct ctx_session s = in->sessions[i];
	uint32_t mark = in->marks[i];

	in->sessions[i] = in->sessions[last];
	in->marks[i] = in->marks[last];
	in->sessions[last] = s;
	in->marks[last] = mark;
	return &in->sessions[last];
}

static int
look_up_session(struct ctx_store *st, const char *tenant, const char *session_id,
    struct ctx_session *s, struct ctx_err *err)
{
	return tenant != NULL ? ctx_store_session_of(st, tenant, session_id, s, err)
			      : ctx_store_session_find(st, session_id, s, err);
}

/* Returns the session of a record, which is loaded once in a transaction; the current
 * session is the last one in the array. Returns NULL if the session was refused
 * (CTX_EANSWER) or on another error. */
static struct ctx_session *
find_append_session(struct ctx_appender *in, struct ctx_store *st, const char *session_id,
    struct ctx_span record, struct ctx_err *err)
{
	struct ctx_session s = CTX_SESSION_INIT;
	const char *tenant = tenant_of(in, st, session_id);
	uint32_t mark = ctx_hash_crc32(session_id, strlen(session_id));
	struct ctx_err ignored;
	int rc;

	for (size_t i = in->n_sessions; i-- > 0;)
		if (in->marks[i] == mark &&
		    is_session(&in->sessions[i], session_id, tenant))
			return make_last(in, i);
	rc = look_up_session(st, tenant, session_id, &s, err);
	if (rc == 0 && !in->o.create)
		rc = ctx_err_set(err, CTX_EANSWER,
		    "no session '%s' (ctx-new or --create creates it)", session_id);
	else if (rc == 0)
		rc = make_append_session(in, st, session_id, record, &s, err);
	if (rc < 0 && in->o.create && err->code == CTX_EANSWER) {
		/* another process may have created it meanwhile */
		ctx_session_release(&s);
		ctx_session_init(&s);
		ignored = (struct ctx_err)CTX_ERR_INIT;
		if (look_up_session(st, tenant, session_id, &s, &ignored) == 1) {
			err->code = CTX_OK;
			rc = 1;
		}
	}
	if (rc >= 0)
		rc = check_append_session(&s, err);
	if (rc < 0) {
		ctx_session_release(&s);
		return NULL;
	}
	CTX_MEM_GROW(in->sessions, in->n_sessions, in->cap_sessions);
	CTX_MEM_GROW(in->marks, in->n_sessions, in->cap_marks);
	in->marks[in->n_sessions] = mark;
	in->sessions[in->n_sessions++] = s;
	return &in->sessions[in->n_sessions - 1];
}

/* Returns the sequence number in an id of the form "SID/SEQ", which names the message at
 * that place; -1 if the id has another form. */
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

/* Checks whether a message with the record's id is already stored. Returns 1 and sets
 * *old if so, 0 if not, -1 on error. */
static int
find_repeated(struct ctx_store *st, const struct ctx_session *s, struct ctx_pending *p,
    struct ctx_cursor **cursor, struct ctx_stored *old, struct ctx_err *err)
{
	int64_t seq;
	int rc;

	*cursor = NULL;
	if (p->m.id.p == NULL)
		return 0;
	rc = ctx_store_message_find(st, s, p->m.id, &seq, err);
	if (rc == 0)
		seq = seq_of_id(s, p->m.id);
	if (rc >= 0 && seq > 0 && seq <= s->last_seq) {
		*cursor = ctx_cursor_open(st, s, seq, seq, false, err);
		rc = ctx_cursor_next(*cursor, old, err);
	}
	if (rc == 1 && !ctx_span_eq(old->message, p->m.message))
		return ctx_err_set(err, CTX_EINPUT,
		    "record id '%.*s' is already used by a different message (%lld) of session '%s'",
		    (int)p->m.id.n, p->m.id.p, (long long)old->seq, s->session_id);
	return rc;
}

#define TITLE_BYTES 120    /* bytes of a question that becomes a title */
#define TITLE_LOOKED_AT 16 /* number of messages that are searched for the question */

/* Gives an imported session without a title its first question as the title, because its
 * tool showed the question in lists. A message that the tool itself wrote is not the
 * question. */
static int
title_imported_session(struct ctx_appender *in, struct ctx_store *st,
    struct ctx_session *s, const struct ctx_stored *first, struct ctx_err *err)
{
	struct ctx_buf text = CTX_BUF_INIT, line = CTX_BUF_INIT;
	struct ctx_span metadata = ctx_span_of(s->metadata_json);
	struct ctx_err ignored;
	int rc = 0;

	if (s->title != NULL || metadata.p == NULL || first->seq > TITLE_LOOKED_AT ||
	    ctx_json_true(ctx_json_get(first->metadata, "synthetic")) ||
	    ctx_json_type(ctx_json_get(metadata, "format")) != CTX_JSON_STRING ||
	    ctx_message_parse(&in->view, first->message, &ignored) < 0)
		return 0;
	ctx_message_text(&in->view, &text);
	for (size_t i = 0; i < text.n && line.n < TITLE_BYTES; i++)
		if (!strchr(" \t\r\n", text.p[i]))
			ctx_buf_addc(&line, text.p[i]);
		else if (line.n > 0 && line.p[line.n - 1] != ' ')
			ctx_buf_addc(&line, ' ');
	line.n = ctx_utf8_valid(line.p, line.n); /* a character may be cut at the end */
	if (ctx_span_trim(ctx_buf_span(&line)).n > 0) {
		s->title = ctx_span_dup(ctx_span_trim(ctx_buf_span(&line)));
		rc = ctx_store_session_update(st, s, err);
	}
	ctx_buf_release(&text);
	ctx_buf_release(&line);
	return rc;
}

static int
see_orphans(struct ctx_appender *in, struct ctx_store *st, const struct ctx_session *s,
    const struct ctx_stored *m, struct ctx_err *err)
{
	struct ctx_err ignored;

	if (in->orphans.fn == NULL ||
	    (m->tool_calls == 0 && m->role != CTX_ROLE_TOOL &&
		m->type != CTX_TYPE_TOOL_RESULT && m->type != CTX_TYPE_ERROR) ||
	    ctx_message_parse(&in->view, m->message, &ignored) < 0)
		return 0;
	return ctx_orphans_see(&in->orphans, st, s, &in->view, err);
}

static int
store_pending_record(struct ctx_appender *in, struct ctx_store *st, struct ctx_pending *p,
    struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_cursor *cursor;
	struct ctx_session *s;
	struct ctx_stored old;
	int rc;

	if (ctx_refused_has(&in->refused, p->session_id))
		return ctx_err_set(err, CTX_EINPUT,
		    "session '%s': its session record was rejected", p->session_id);
	s = find_append_session(in, st, p->session_id, CTX_SPAN_NONE, err);
	if (s == NULL)
		return -1;
	rc = find_repeated(st, s, p, &cursor, &old, err);
	if (rc == 0) {
		rc = check_seq(in, s, err);
		if (rc == 0)
			rc = see_orphans(in, st, s, &p->m, err);
		if (rc == 0)
			rc = ctx_store_append(st, s, &p->m, err);
		if (rc == 0 && p->m.starts_turn)
			rc = title_imported_session(in, st, s, &p->m, err);
		if (rc == 0 && !in->o.silent)
			ctx_stored_print(out, s->session_id, &p->m, NULL, CTX_SPAN_NONE);
	} else if (rc == 1) {
		if (!in->o.silent)
			ctx_stored_print(out, s->session_id, &old, NULL, CTX_SPAN_NONE);
		p->m.seq = old.seq;
	}
	in->added += rc == 0;
	in->repeated += rc == 1;
	ctx_cursor_close(cursor);
	return rc < 0 ? -1 : 0;
}

static bool
is_of_other(const struct ctx_store *st, const struct ctx_pending *p)
{
	const char *shown = ctx_store_tenant(st);

	return shown != NULL && p->tenant != NULL && p->tenant[0] != '\0' &&
	       strcmp(p->tenant, shown) != 0;
}

/* Refuses a record of a tenant that the store does not show, and the messages after
 * it. */
static int
check_tenant(struct ctx_appender *in, const struct ctx_store *st,
    const struct ctx_pending *p, struct ctx_err *err)
{
	if (!is_of_other(st, p))
		return 0;
	if (p->session_id != NULL)
		ctx_refused_add(&in->refused, p->session_id);
	return ctx_err_set(err, CTX_EINPUT,
	    "the session belongs to a tenant other than '%s'", ctx_store_tenant(st));
}

/* Applies a session record, which determines where the messages after it are stored. */
static int
take_append_session(struct ctx_appender *in, struct ctx_store *st,
    const struct ctx_pending *p, struct ctx_err *err)
{
	if (in->o.session == NULL) {
		free(in->named);
		free(in->tenant);
		in->named = ctx_mem_str(p->session_id);
		in->tenant = ctx_mem_str(p->tenant);
	}
	if (!p->session ||
	    find_append_session(in, st, p->session_id, p->line, err) != NULL) {
		ctx_refused_remove(&in->refused, p->session_id);
		return 0;
	}
	if (err->code == CTX_EINPUT)
		ctx_refused_add(&in->refused, p->session_id);
	return -1;
}

static int
take_one(struct ctx_appender *in, struct ctx_store *st, struct ctx_pending *p,
    struct ctx_buf *out, struct ctx_err *err)
{
	if (p->refused)
		ctx_refused_add(&in->refused, p->session_id);
	if (p->bad != NULL)
		return ctx_err_set(err, CTX_EINPUT, "%s", p->bad);
	if (p->refused)
		return 0;
	if (!p->pass)
		return store_pending_record(in, st, p, out, err);
	if (check_tenant(in, st, p, err) < 0 ||
	    (p->session_id != NULL && take_append_session(in, st, p, err) < 0))
		return -1;
	if (!in->o.silent) {
		ctx_buf_addspan(out, p->line);
		ctx_buf_addc(out, '\n');
	}
	return 0;
}

int
ctx_append_apply(struct ctx_appender *in, struct ctx_store *st, struct ctx_buf *out,
    ctx_append_reject_fn *reject, void *arg, struct ctx_err *err)
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
ctx_append_sessions(struct ctx_appender *in, const struct ctx_store *st,
    ctx_append_session_fn *fn, void *arg, struct ctx_err *err)
{
	/* sessions with an invalid, or a valid, record in this batch */
	struct ctx_refused bad = {NULL}, good = {NULL};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < in->n; i++) {
		const struct ctx_pending *p = &in->pending[i];
		if (p->session_id == NULL)
			continue;
		if (p->pass) {
			bool refused = p->refused || is_of_other(st, p);
			ctx_refused_add(refused ? &bad : &good, p->session_id);
			ctx_refused_remove(refused ? &good : &bad, p->session_id);
			if (!refused && p->session)
				rc = fn(arg, p->session_id, err);
		} else if (!ctx_refused_has(&bad, p->session_id) &&
			   (ctx_refused_has(&good, p->session_id) ||
			       !ctx_refused_has(&in->refused, p->session_id))) {
			rc = fn(arg, p->session_id, err);
		}
	}
	ctx_refused_release(&bad);
	ctx_refused_release(&good);
	return rc;
}

int
ctx_append_finish(struct ctx_appender *in, struct ctx_store *st, struct ctx_err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < in->n_sessions; i++)
		rc = ctx_store_session_count(st, &in->sessions[i], in->o.now, err);
	forget_sessions(in);
	return rc;
}
