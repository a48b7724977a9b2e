#include "store/restore_check.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/hash.h"
#include "base/id.h"
#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"
#include "store/content.h"
#include "store/link.h"
#include "store/summary.h"

static int
check_restored_message(const struct ctx_session *s, int64_t last_seq,
    const struct ctx_record *rec, struct ctx_message *view,
    struct ctx_restore_facts *facts, struct ctx_err *err)
{
	if (rec->bare || rec->seq < 1 || rec->tokenizer.p == NULL ||
	    rec->created_at == CTX_TIME_NONE || rec->token_count < 0 ||
	    rec->message_type < 0)
		return ctx_err_set(
		    err, CTX_EINPUT, "not a valid record of a stored message");
	if (rec->seq != last_seq + 1)
		return ctx_err_set(err, CTX_EINPUT,
		    "message %lld follows message %lld: not in sequence",
		    (long long)rec->seq, (long long)last_seq);
	if (rec->seq > s->last_seq)
		return ctx_err_set(err, CTX_EINPUT,
		    "message %lld comes after the last message of the session, which has the number %lld",
		    (long long)rec->seq, (long long)s->last_seq);
	if (ctx_message_parse(view, rec->message, err) < 0)
		return -1;
	facts->role = (int)view->role;
	facts->starts_turn = ctx_message_starts_turn(view);
	facts->tool_calls = (int64_t)ctx_message_count(view, CTX_PART_TOOL_CALL);
	return 0;
}

static int
check_hidden(const struct ctx_session *s, struct ctx_span line, struct ctx_err *err)
{
	int64_t first, last;

	if (!ctx_json_int(ctx_json_get(line, "first_seq"), &first) ||
	    !ctx_json_int(ctx_json_get(line, "last_seq"), &last) || first < 1 ||
	    last < first || last > s->last_seq)
		return ctx_err_set(
		    err, CTX_EINPUT, "not a valid record of hidden messages");
	return 0;
}

static int
check_summary(const struct ctx_session *s, struct ctx_span line, struct ctx_err *err)
{
	struct ctx_store_summary m = {0};
	int rc = ctx_store_summary_parse(&m, line, err);

	if (rc == 0 && m.last > s->last_seq)
		rc = ctx_err_set(
		    err, CTX_EINPUT, "a summary covers messages that do not exist");
	ctx_store_summary_release(&m);
	return rc;
}

/* Checks members that are stored as texts, if the record has them. */
static int
check_texts(struct ctx_span line, const char *const names[], struct ctx_err *err)
{
	for (; *names != NULL; names++) {
		char *text;
		if (ctx_json_member(&text, ctx_json_get(line, *names), *names, err) < 0)
			return -1;
		free(text);
	}
	return 0;
}

static bool
is_allowed_value(struct ctx_span value, const char *const words[])
{
	for (; *words != NULL; words++)
		if (ctx_json_is(value, *words))
			return true;
	return false;
}

static int
check_item(struct ctx_span line, struct ctx_err *err)
{
	static const char *const texts[] = {"server_name", "name", NULL};
	static const char *const types[] = {
	    "rule", "reference", "tool", "server", "prompt", "mode", NULL};
	static const char *const modes[] = {"always", "manual", "agent", NULL};

	if (!is_allowed_value(ctx_json_get(line, "type"), types) ||
	    !is_allowed_value(ctx_json_get(line, "include_mode"), modes) ||
	    ctx_json_type(ctx_json_get(line, "name")) != CTX_JSON_STRING)
		return ctx_err_set(
		    err, CTX_EINPUT, "not a valid record of a session item");
	return check_texts(line, texts, err);
}

static int
check_restored_request(
    const struct ctx_session *s, struct ctx_span line, struct ctx_err *err)
{
	static const char *const texts[] = {"request_id", NULL};
	static const char *const seqs[] = {"for_seq", "response_seq", NULL};
	int64_t seq;

	for (const char *const *name = seqs; *name != NULL; name++)
		if (ctx_json_int(ctx_json_get(line, *name), &seq) &&
		    (seq < 0 || seq > s->last_seq))
			return ctx_err_set(err, CTX_EINPUT,
			    "request: %s is not the number of a message of the session",
			    *name);

	if (ctx_json_type(ctx_json_get(line, "request_id")) <= CTX_JSON_NULL)
		return ctx_err_set(
		    err, CTX_EINPUT, "the request record has no request_id");
	return check_texts(line, texts, err) < 0 ? -1 : ctx_content_check(line, err);
}

int
ctx_restore_check(const struct ctx_session *s, int64_t last_seq,
    const struct ctx_record *rec, struct ctx_message *view,
    struct ctx_restore_facts *facts, struct ctx_err *err)
{
	static const char *const share[] = {"user_id", NULL};
	struct ctx_span kind;

	switch (rec->kind) {
	case CTX_KIND_MESSAGE:
		return check_restored_message(s, last_seq, rec, view, facts, err);
	case CTX_KIND_REQUEST:
		return check_restored_request(s, rec->line, err);
	case CTX_KIND_ITEM:
		return check_item(rec->line, err);
	case CTX_KIND_ENTITY:
		return ctx_link_check(rec->line, err);
	case CTX_KIND_OTHER:
		kind = ctx_json_get(rec->line, "kind");
		if (ctx_json_is(kind, "hidden"))
			return check_hidden(s, rec->line, err);
		if (ctx_json_is(kind, "summary"))
			return check_summary(s, rec->line, err);
		return ctx_json_is(kind, "share") ? check_texts(rec->line, share, err)
						  : 0;
	default:
		return 0;
	}
}

/* ---- all records of an archive ---- */

void
ctx_restore_checks_init(struct ctx_restore_checks *c)
{
	*c = (struct ctx_restore_checks){.view = CTX_MESSAGE_INIT, .text = CTX_BUF_INIT};
	ctx_session_init(&c->session);
}

void
ctx_restore_checks_release(struct ctx_restore_checks *c)
{
	ctx_session_release(&c->session);
	ctx_message_release(&c->view);
	ctx_buf_release(&c->text);
	free(c->ids);
}

static int
check_first(
    struct ctx_restore_checks *c, const struct ctx_record *rec, struct ctx_err *err)
{
	if (rec->kind != CTX_KIND_SESSION)
		return ctx_err_set(
		    err, CTX_EINPUT, "the archive does not begin with a session record");
	if (ctx_session_parse(&c->session, rec->line, err) < 0)
		return -1;
	if (c->session.session_id == NULL || c->session.created_at == CTX_TIME_NONE)
		return ctx_err_set(err, CTX_EINPUT,
		    "the session record has no session_id or no created_at");
	return ctx_id_check(ctx_span_of(c->session.session_id), "session id", err);
}

/* Adds a digest of the record's id, since a session cannot store two messages with the
 * same id. */
static void
add_id(struct ctx_restore_checks *c, const struct ctx_record *rec)
{
	struct ctx_span id = ctx_record_given_id(rec, c->session.session_id, &c->text);
	struct ctx_sha256 sha;
	uint8_t raw[CTX_HASH_RAW];

	if (id.p == NULL)
		return;
	ctx_sha256_start(&sha);
	ctx_sha256_add(&sha, id.p, id.n);
	ctx_sha256_end(&sha, raw);
	CTX_MEM_GROW(c->ids, c->n_ids, c->cap_ids);
	memcpy(&c->ids[c->n_ids++], raw, sizeof(*c->ids));
}

static bool
has_twins(struct ctx_restore_checks *c)
{
	if (c->n_ids > 1)
		qsort(c->ids, c->n_ids, sizeof(*c->ids), ctx_compare_uint64);
	for (size_t i = 1; i < c->n_ids; i++)
		if (c->ids[i] == c->ids[i - 1])
			return true;
	return false;
}

int
ctx_restore_checks_add(
    struct ctx_restore_checks *c, const struct ctx_record *rec, struct ctx_err *err)
{
	int rc = c->records++ == 0 ? check_first(c, rec, err)
				   : ctx_restore_check(&c->session, c->last_seq, rec,
					 &c->view, &c->facts, err);

	if (rc < 0) {
		err->code = CTX_EANSWER;
		return ctx_err_prefix(err, "damaged: record %lld", (long long)c->records);
	}
	if (rec->kind == CTX_KIND_MESSAGE) {
		c->last_seq = rec->seq;
		add_id(c, rec);
	}
	return 0;
}

int
ctx_restore_checks_end(struct ctx_restore_checks *c, struct ctx_err *err)
{
	if (c->records == 0)
		return ctx_err_set(err, CTX_EANSWER, "damaged: the archive is empty");
	if (c->last_seq != c->session.last_seq || c->last_seq != c->session.message_count)
		return ctx_err_set(err, CTX_EANSWER,
		    "damaged: the archive of session '%s' contains %lld messages, not %lld",
		    c->session.session_id, (long long)c->last_seq,
		    (long long)(c->last_seq != c->session.last_seq
				    ? c->session.last_seq
				    : c->session.message_count));
	if (has_twins(c))
		return ctx_err_set(
		    err, CTX_EANSWER, "damaged: two messages have the same id");
	return 0;
}
