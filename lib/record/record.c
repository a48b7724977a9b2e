#include "record/record.h"

#include <string.h>

#include "base/time.h"
#include "json/json.h"

static const char *const kinds[] = {"message", "session", "request", "entity", "item",
    "event", "archive", "diagnostic", "deletion"};
static const char *const slots[] = {NULL, "prefix", "summary", "volatile"};
static const char *const types[] = {
    "query", "response", "tool_result", "error", "note", "summary"};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

const char *
ctx_kind_name(enum ctx_kind kind)
{
	return kind == CTX_KIND_OTHER ? "other" : kinds[kind];
}

const char *
ctx_slot_name(enum ctx_slot slot)
{
	return slots[slot];
}

const char *
ctx_message_type_name(enum ctx_message_type type)
{
	return types[type];
}

static int
parse_message_type(struct ctx_span json)
{
	for (size_t i = 0; i < COUNT(types); i++)
		if (ctx_json_is(json, types[i]))
			return (int)i;
	return -1;
}

enum {
	KIND,
	ROLE,
	SESSION_ID,
	MESSAGE,
	ID,
	METADATA,
	SOURCE,
	TOKENIZER,
	SEQ,
	CREATED_AT,
	TOKEN_COUNT,
	MESSAGE_TYPE,
	SLOT,
	PINNED,
	SENT,
	TENANT_ID,
	N_KEYS
};

static const char *const keys[N_KEYS] = {"kind", "role", "session_id", "message", "id",
    "metadata", "source", "tokenizer", "seq", "created_at", "token_count", "message_type",
    "slot", "pinned", "sent", "tenant_id"};

static int
type_error(int key, const char *want, struct ctx_err *err)
{
	return ctx_err_set(err, CTX_EINPUT, "%s must be %s", keys[key], want);
}

/* Returns false for an absent or null member; null becomes absent. */
static bool
is_record_member_present(struct ctx_span *v)
{
	if (v->p != NULL && ctx_json_type(*v) == CTX_JSON_NULL)
		*v = CTX_SPAN_NONE;
	return v->p != NULL;
}

static int
string_member(struct ctx_span *v, int key, struct ctx_err *err)
{
	if (is_record_member_present(v) && ctx_json_type(*v) != CTX_JSON_STRING)
		return type_error(key, "a string", err);
	if (v->p != NULL && !ctx_json_is_text(*v))
		return type_error(key, "a string without NUL characters", err);
	return 0;
}

static int
count_member(struct ctx_span *v, int key, int64_t min, int64_t max, int64_t *out,
    struct ctx_err *err)
{
	*out = -1;
	if (is_record_member_present(v) &&
	    (!ctx_json_int(*v, out) || *out < min || *out > max))
		return type_error(
		    key, min > 0 ? "a positive whole number" : "a whole number", err);
	return 0;
}

static int
parse_slot(struct ctx_record *r, struct ctx_span *v, struct ctx_err *err)
{
	r->slot = CTX_SLOT_HISTORY;
	if (!is_record_member_present(v))
		return 0;
	for (size_t i = 1; i < COUNT(slots); i++)
		if (ctx_json_is(*v, slots[i])) {
			r->slot = (enum ctx_slot)i;
			return 0;
		}
	return type_error(SLOT, "prefix, summary or volatile", err);
}

static int
parse_created_at(struct ctx_record *r, struct ctx_span *v, struct ctx_err *err)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	int rc = 0;

	r->created_at = CTX_TIME_NONE;
	if (string_member(v, CREATED_AT, err) < 0)
		return -1;
	if (v->p != NULL) {
		rc = ctx_time_parse(ctx_json_text(*v, &tmp), &r->created_at, err);
		if (rc < 0)
			ctx_err_prefix(err, "created_at");
		ctx_buf_release(&tmp);
	}
	return rc;
}

static int
parse_envelope(struct ctx_record *r, struct ctx_span v[N_KEYS], struct ctx_err *err)
{
	r->message = v[MESSAGE];
	if (ctx_json_type(r->message) != CTX_JSON_OBJECT)
		return type_error(MESSAGE, "an object", err);
	if (string_member(&v[ID], ID, err) < 0 ||
	    string_member(&v[TOKENIZER], TOKENIZER, err) < 0 ||
	    count_member(&v[SEQ], SEQ, 1, INT64_MAX, &r->seq, err) < 0 ||
	    count_member(&v[TOKEN_COUNT], TOKEN_COUNT, 0, CTX_RECORD_TOKENS_MAX,
		&r->token_count, err) < 0 ||
	    parse_created_at(r, &v[CREATED_AT], err) < 0 ||
	    parse_slot(r, &v[SLOT], err) < 0)
		return -1;
	r->id = v[ID];
	r->tokenizer = v[TOKENIZER];
	if (is_record_member_present(&v[METADATA]))
		r->metadata = v[METADATA];
	if (is_record_member_present(&v[SOURCE])) {
		if (ctx_json_type(v[SOURCE]) != CTX_JSON_OBJECT)
			return type_error(SOURCE, "an object", err);
		r->source = v[SOURCE];
	}
	if (is_record_member_present(&v[MESSAGE_TYPE])) {
		r->message_type = parse_message_type(v[MESSAGE_TYPE]);
		if (r->message_type < 0)
			return type_error(MESSAGE_TYPE,
			    "query, response, tool_result, error, note or summary", err);
	}
	if (is_record_member_present(&v[PINNED])) {
		if (ctx_json_type(v[PINNED]) != CTX_JSON_BOOL)
			return type_error(PINNED, "true or false", err);
		r->pinned = ctx_json_true(v[PINNED]);
	}
	if (is_record_member_present(&v[SENT])) {
		if (ctx_json_type(v[SENT]) != CTX_JSON_BOOL)
			return type_error(SENT, "true or false", err);
		r->sent = ctx_json_true(v[SENT]);
	}
	return 0;
}

int
ctx_record_parse(struct ctx_record *r, struct ctx_span line, struct ctx_err *err)
{
	struct ctx_span v[N_KEYS];
	struct ctx_json_members members = {keys, v, N_KEYS};

	memset(r, 0, sizeof(*r));
	r->seq = r->token_count = r->message_type = r->pinned = -1;
	r->created_at = CTX_TIME_NONE;
	r->kind = CTX_KIND_OTHER;
	if (ctx_json_check_get(line, &r->line, &r->spaced, &members, err) < 0)
		return -1;
	if (ctx_json_type(r->line) != CTX_JSON_OBJECT)
		return ctx_err_set(err, CTX_EINPUT, "not a JSON object");
	if (string_member(&v[KIND], KIND, err) < 0)
		return -1;
	if (v[KIND].p == NULL) {
		r->bare = is_record_member_present(&v[ROLE]);
		r->kindless = !r->bare;
		if (r->bare) {
			r->kind = CTX_KIND_MESSAGE;
			r->message = r->line;
		}
		return 0;
	}
	for (size_t i = 0; i < COUNT(kinds); i++)
		if (ctx_json_is(v[KIND], kinds[i]))
			r->kind = (enum ctx_kind)i;
	if (r->kind == CTX_KIND_OTHER)
		return 0;
	if (string_member(&v[SESSION_ID], SESSION_ID, err) < 0)
		return -1;
	r->session_id = v[SESSION_ID];
	if ((r->kind == CTX_KIND_SESSION || r->kind == CTX_KIND_REQUEST) &&
	    string_member(&v[TENANT_ID], TENANT_ID, err) < 0)
		return -1;
	return r->kind == CTX_KIND_MESSAGE ? parse_envelope(r, v, err) : 0;
}

static bool
looks_like_body(const struct ctx_record *r)
{
	struct ctx_span input;

	if (!r->kindless)
		return false;
	input = ctx_json_get(r->line, "input");
	return ctx_json_type(ctx_json_get(r->line, "messages")) == CTX_JSON_ARRAY ||
	       ctx_json_type(ctx_json_get(r->line, "contents")) == CTX_JSON_ARRAY ||
	       ctx_json_type(input) == CTX_JSON_ARRAY ||
	       (ctx_json_type(input) == CTX_JSON_STRING &&
		   ctx_json_get(r->line, "model").p != NULL);
}

int
ctx_record_refuse_body(const struct ctx_record *r, struct ctx_err *err)
{
	if (!looks_like_body(r))
		return 0;
	return ctx_err_set(err, CTX_EINPUT,
	    "the input is a request body, not a message (ctx-import converts a body to messages, ctx-lint -b checks its size)");
}

void
ctx_record_replace(struct ctx_buf *b, const struct ctx_record *r, struct ctx_span message,
    int64_t token_count)
{
	const char *done = r->line.p;

	if (r->bare) {
		ctx_buf_addspan(b, message);
		return;
	}
	CTX_JSON_EACH(it, r->line) {
		bool is_count = token_count >= 0 &&
				ctx_json_is(it.key, keys[TOKEN_COUNT]);
		if (it.value.p != r->message.p && !is_count)
			continue;
		ctx_buf_add(b, done, (size_t)(it.value.p - done));
		if (is_count)
			ctx_buf_addi(b, token_count);
		else
			ctx_buf_addspan(b, message);
		done = it.value.p + it.value.n;
	}
	ctx_buf_add(b, done, (size_t)(r->line.p + r->line.n - done));
}

struct ctx_span
ctx_record_given_id(
    const struct ctx_record *r, const char *session_id, struct ctx_buf *tmp)
{
	struct ctx_span id = ctx_json_text(r->id, tmp), rest;
	size_t n = strlen(session_id);
	int64_t seq;

	if (id.p == NULL || id.n < n + 2 || memcmp(id.p, session_id, n) != 0 ||
	    id.p[n] != '/' || id.p[n + 1] == '0')
		return id;
	rest = (struct ctx_span){id.p + n + 1, id.n - n - 1};
	return ctx_json_int(rest, &seq) && seq == r->seq ? CTX_SPAN_NONE : id;
}

/* Appends the key of a further member, which is a literal. */
#define PUT_KEY(b, key) ctx_buf_add(b, ",\"" key "\":", sizeof(",\"" key "\":") - 1)

/* Appends "SID/SEQ", the id of a message that has no other. */
static void
put_made_id(struct ctx_buf *b, struct ctx_span session_id, int64_t seq)
{
	ctx_buf_addc(b, '"');
	ctx_json_escape(b, session_id);
	ctx_buf_addc(b, '/');
	ctx_buf_addi(b, seq);
	ctx_buf_addc(b, '"');
}

/* Appends the members of an envelope that say which message it is. */
static void
put_envelope_place(struct ctx_buf *b, const struct ctx_envelope *e)
{
	struct ctx_span session_id = ctx_span_of(e->session_id);

	if (session_id.p != NULL) {
		PUT_KEY(b, "session_id");
		ctx_json_quote(b, session_id);
	}
	if (e->seq >= 0) {
		PUT_KEY(b, "seq");
		ctx_buf_addi(b, e->seq);
	}
	if (e->id.p != NULL) {
		PUT_KEY(b, "id");
		ctx_json_quote(b, e->id);
	} else if (session_id.p != NULL && e->seq > 0) {
		PUT_KEY(b, "id");
		put_made_id(b, session_id, e->seq);
	}
}

/* Appends the members of an envelope that are in few records. */
static void
put_envelope_rest(struct ctx_buf *b, const struct ctx_envelope *e)
{
	if (e->pinned)
		ctx_json_add_bool(b, "pinned", true);
	if (e->sent)
		ctx_json_add_bool(b, "sent", true);
	ctx_json_print(
	    b, "'slot':%s,'source':%j,'metadata':%j", e->slot, e->source, e->metadata);
}

void
ctx_envelope_print(struct ctx_buf *b, const struct ctx_envelope *e)
{
	ctx_buf_reserve(b, e->message.n + e->metadata.n + e->source.n + 384);
	ctx_buf_adds(b, "{\"kind\":\"message\"");
	put_envelope_place(b, e);
	ctx_json_add_time(b, "created_at", e->created_at);
	if (e->token_count >= 0) {
		PUT_KEY(b, "token_count");
		ctx_buf_addi(b, e->token_count);
	}
	if (e->tokenizer != NULL) {
		PUT_KEY(b, "tokenizer");
		ctx_json_quote(b, ctx_span_of(e->tokenizer));
	}
	if (e->message_type >= 0) {
		PUT_KEY(b, "message_type");
		ctx_json_quote(b, ctx_span_of(ctx_message_type_name(
				      (enum ctx_message_type)e->message_type)));
	}
	put_envelope_rest(b, e);
	if (e->message.p != NULL) {
		PUT_KEY(b, "message");
		ctx_buf_addspan(b, e->message);
	}
	ctx_buf_add(b, "}\n", 2);
}

void
ctx_event_open(struct ctx_buf *b, const char *session_id, int64_t now, const char *event)
{
	ctx_json_print(b, "{'kind':'event','session_id':%s,'created_at':%m,'event':%s",
	    session_id, now, event);
}
