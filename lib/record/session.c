#include "record/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/id.h"
#include "base/time.h"
#include "json/json.h"

#define FIELD(member, type)                                                     \
	{                                                                       \
#member, CTX_FIELD_##type, offsetof(struct ctx_session, member) \
	}
#define FIELD_JSON(member)                                                           \
	{                                                                            \
#member, CTX_FIELD_JSON, offsetof(struct ctx_session, member##_json) \
	}

const struct ctx_field ctx_session_fields[] = {
    FIELD(session_id, TEXT),
    FIELD(status, STATUS),
    FIELD(user_id, TEXT),
    FIELD(caller_id, TEXT),
    FIELD(account_id, TEXT),
    FIELD(tenant_id, TEXT),
    FIELD(agent, TEXT),
    FIELD(title, TEXT),
    FIELD(topic, TEXT),
    FIELD(created_at, TIME),
    FIELD(updated_at, TIME),
    FIELD(last_message_at, TIME),
    FIELD(last_seq, COUNT),
    FIELD(ttl_ms, INT),
    FIELD(expires_at, TIME),
    FIELD(message_count, COUNT),
    FIELD(tool_call_count, COUNT),
    FIELD(token_count, COUNT),
    FIELD(hidden_count, COUNT),
    FIELD_JSON(preferences),
    FIELD_JSON(metadata),
    FIELD(parent_session_id, TEXT),
    FIELD(parent_seq, INT),
    FIELD_JSON(archive),
    FIELD(hold, TEXT),
};
const size_t ctx_session_field_count = sizeof(ctx_session_fields) /
				       sizeof(ctx_session_fields[0]);

void
ctx_session_forget_state(struct ctx_session *s)
{
	s->status = CTX_STATUS_ACTIVE;
	s->last_seq = s->message_count = s->tool_call_count = s->token_count = 0;
	s->hidden_count = 0;
	s->last_message_at = s->expires_at = s->updated_at = CTX_TIME_NONE;
	free(s->archive_json);
	free(s->hold);
	s->archive_json = s->hold = NULL;
}

static const char *const statuses[] = {"active", "archived", "deleted"};

const char *
ctx_status_name(enum ctx_status status)
{
	return statuses[status];
}

int
ctx_status_parse(struct ctx_span name)
{
	for (int i = 0; i < 3; i++)
		if (ctx_span_is(name, statuses[i]))
			return i;
	return -1;
}

static bool
is_session_text_field(const struct ctx_field *f)
{
	return f->type == CTX_FIELD_TEXT || f->type == CTX_FIELD_JSON;
}

static char **
text_at(struct ctx_session *s, const struct ctx_field *f)
{
	return (char **)(void *)((char *)s + f->offset);
}

static int64_t *
int_at(struct ctx_session *s, const struct ctx_field *f)
{
	return (int64_t *)(void *)((char *)s + f->offset);
}

void
ctx_session_init(struct ctx_session *s)
{
	*s = (struct ctx_session)CTX_SESSION_INIT;
}

void
ctx_session_release(struct ctx_session *s)
{
	for (size_t i = 0; i < ctx_session_field_count; i++)
		if (is_session_text_field(&ctx_session_fields[i]))
			free(*text_at(s, &ctx_session_fields[i]));
	ctx_session_init(s);
}

void
ctx_session_print(struct ctx_buf *b, const struct ctx_session *session)
{
	struct ctx_session *s = (struct ctx_session *)session; /* only read */

	ctx_buf_adds(b, "{\"kind\":\"session\"");
	for (size_t i = 0; i < ctx_session_field_count; i++) {
		const struct ctx_field *f = &ctx_session_fields[i];
		switch (f->type) {
		case CTX_FIELD_TEXT:
			ctx_json_add_str(b, f->name, *text_at(s, f));
			break;
		case CTX_FIELD_JSON:
			ctx_json_add_raw(b, f->name, ctx_span_of(*text_at(s, f)));
			break;
		case CTX_FIELD_COUNT:
			ctx_json_add_int(b, f->name, *int_at(s, f));
			break;
		case CTX_FIELD_INT:
			if (*int_at(s, f) != CTX_TIME_NONE)
				ctx_json_add_int(b, f->name, *int_at(s, f));
			break;
		case CTX_FIELD_TIME:
			ctx_json_add_time(b, f->name, *int_at(s, f));
			break;
		case CTX_FIELD_STATUS:
			ctx_json_add_str(b, f->name, statuses[s->status]);
			break;
		}
	}
	ctx_buf_add(b, "}\n", 2);
}

static int
wrong_type(const struct ctx_field *f, struct ctx_err *err)
{
	return ctx_err_set(err, CTX_EINPUT, "%s has a value of the wrong type", f->name);
}

static bool
is_session_id_field(const struct ctx_field *f)
{
	size_t n = strlen(f->name);

	if (f->offset == offsetof(struct ctx_session, agent))
		return true;
	return n > 3 && strcmp(f->name + n - 3, "_id") == 0;
}

static int
parse_field(struct ctx_session *s, const struct ctx_field *f, struct ctx_span v,
    struct ctx_err *err)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	int status, rc = 0;

	switch (f->type) {
	case CTX_FIELD_TEXT:
		if (ctx_json_type(v) != CTX_JSON_STRING)
			return wrong_type(f, err);
		free(*text_at(s, f));
		return ctx_json_member(text_at(s, f), v, f->name, err);
	case CTX_FIELD_JSON:
		if (ctx_json_type(v) != CTX_JSON_OBJECT)
			return wrong_type(f, err);
		free(*text_at(s, f));
		*text_at(s, f) = ctx_span_dup(v);
		return 0;
	case CTX_FIELD_COUNT:
	case CTX_FIELD_INT: /* a number, or a duration */
		if (!ctx_json_int(v, int_at(s, f)) || *int_at(s, f) < 0 ||
		    (f->type == CTX_FIELD_INT && *int_at(s, f) > CTX_TIME_MAX))
			return wrong_type(f, err);
		return 0;
	case CTX_FIELD_TIME:
		if (ctx_json_type(v) != CTX_JSON_STRING)
			return wrong_type(f, err);
		rc = ctx_time_parse(ctx_json_text(v, &tmp), int_at(s, f), err);
		break;
	case CTX_FIELD_STATUS:
		status = ctx_status_parse(ctx_json_text(v, &tmp));
		if (status < 0)
			rc = wrong_type(f, err);
		else
			s->status = status;
		break;
	}
	ctx_buf_release(&tmp);
	return rc;
}

int
ctx_session_parse(struct ctx_session *s, struct ctx_span record, struct ctx_err *err)
{
	CTX_JSON_EACH(it, record) {
		if (ctx_json_type(it.value) == CTX_JSON_NULL)
			continue;
		for (size_t i = 0; i < ctx_session_field_count; i++)
			if (ctx_json_is(it.key, ctx_session_fields[i].name) &&
			    parse_field(s, &ctx_session_fields[i], it.value, err) < 0)
				return -1;
	}
	return 0;
}

int
ctx_session_check(const struct ctx_session *session, struct ctx_err *err)
{
	struct ctx_session *s = (struct ctx_session *)session; /* only read */

	for (size_t i = 0; i < ctx_session_field_count; i++) {
		const struct ctx_field *f = &ctx_session_fields[i];
		const char *id;
		if (!is_session_id_field(f))
			continue;
		id = *text_at(s, f);
		if (id == NULL || (id == s->tenant_id && *id == '\0'))
			continue;
		if (ctx_id_check(ctx_span_of(id),
			id == s->session_id ? "session id" : f->name, err) < 0)
			return -1;
	}
	return 0;
}

static bool
is_same_text(const char *a, const char *b)
{
	return strcmp(a != NULL ? a : "", b != NULL ? b : "") == 0;
}

bool
ctx_session_is_same(const struct ctx_session *a, const struct ctx_session *b)
{
	return is_same_text(a->session_id, b->session_id) &&
	       is_same_text(a->tenant_id, b->tenant_id) && a->created_at == b->created_at;
}
