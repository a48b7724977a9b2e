#include "record/request.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "base/time.h"
#include "json/json.h"

enum type { TEXT, OBJECT, ARRAY, INT, TIME, ARRAY_INSIDE, OBJECT_INSIDE, SOME_INSIDE };

#define MEMBER(name, type)                                      \
	{                                                       \
#name, type, offsetof(struct ctx_request, name) \
	}
#define MEMBER_JSON(name, type)                                        \
	{                                                              \
#name, type, offsetof(struct ctx_request, name##_json) \
	}

/* The members, in the order of the record. */
static const struct member {
	const char *name;
	enum type type;
	size_t offset;
} members[] = {
    MEMBER(session_id, TEXT),
    MEMBER(tenant_id, TEXT),
    MEMBER(request_id, TEXT),
    MEMBER(for_seq, INT),
    MEMBER(response_seq, INT),
    MEMBER(created_at, TIME),
    MEMBER(status, TEXT),
    MEMBER(error, TEXT),
    MEMBER_JSON(partial, OBJECT),
    MEMBER(provider, TEXT),
    MEMBER_JSON(params, OBJECT),
    MEMBER(thinking, TEXT),
    MEMBER(cache, TEXT),
    MEMBER(server, TEXT),
    MEMBER(system, TEXT),
    MEMBER(layout, TEXT),
    MEMBER(mode, TEXT),
    MEMBER(budget, INT),
    MEMBER(reserve, INT),
    MEMBER(tokenizer, TEXT),
    MEMBER_JSON(names, OBJECT),
    MEMBER_JSON(omitted, ARRAY),
    MEMBER_JSON(policy, OBJECT),
    MEMBER_JSON(run, OBJECT),
    MEMBER(messages, ARRAY_INSIDE),
    MEMBER(in_view, SOME_INSIDE),
    MEMBER(dropped, ARRAY_INSIDE),
    MEMBER(tokens, OBJECT_INSIDE),
    MEMBER_JSON(usage, OBJECT),
    MEMBER_JSON(redacted, ARRAY),
    MEMBER(body_sha256, TEXT),
};
#define COUNT (sizeof(members) / sizeof(members[0]))

void
ctx_request_release(struct ctx_request *r)
{
	for (size_t i = 0; i < COUNT; i++) {
		void *at = (char *)r + members[i].offset;
		if (members[i].type <= ARRAY)
			free(*(char **)at);
		else if (members[i].type >= ARRAY_INSIDE)
			ctx_buf_release(at);
	}
	*r = (struct ctx_request)CTX_REQUEST_INIT;
}

static int
set_member(void *at, const struct member *m, struct ctx_span v, struct ctx_err *err)
{
	static const enum ctx_json_type want[] = {CTX_JSON_STRING, CTX_JSON_OBJECT,
	    CTX_JSON_ARRAY, CTX_JSON_NUMBER, CTX_JSON_STRING, CTX_JSON_ARRAY,
	    CTX_JSON_OBJECT, CTX_JSON_ARRAY};
	struct ctx_buf tmp = CTX_BUF_INIT;
	int rc = 0;

	if (ctx_json_type(v) != want[m->type] ||
	    (m->type == INT && !ctx_json_int(v, (int64_t *)at)))
		return ctx_err_set(
		    err, CTX_EINPUT, "%s has a value of the wrong type", m->name);
	switch (m->type) {
	case TEXT:
		free(*(char **)at);
		rc = ctx_json_member(at, v, m->name, err);
		break;
	case OBJECT:
	case ARRAY:
		free(*(char **)at);
		*(char **)at = ctx_span_dup(v);
		break;
	case TIME:
		rc = ctx_time_parse(ctx_json_text(v, &tmp), at, err);
		ctx_buf_release(&tmp);
		break;
	case ARRAY_INSIDE:
	case SOME_INSIDE:
	case OBJECT_INSIDE:
		ctx_buf_reset(at);
		ctx_buf_addspan(at, ctx_span_trim((struct ctx_span){v.p + 1, v.n - 2}));
		break;
	case INT:
		break;
	}
	return rc;
}

int
ctx_request_parse(struct ctx_request *r, struct ctx_span record, struct ctx_err *err)
{
	CTX_JSON_EACH(it, record) {
		if (ctx_json_type(it.value) == CTX_JSON_NULL)
			continue;
		for (size_t i = 0; i < COUNT; i++)
			if (ctx_json_is(it.key, members[i].name) &&
			    set_member((char *)r + members[i].offset, &members[i],
				it.value, err) < 0)
				return -1;
	}
	return 0;
}

void
ctx_request_print(struct ctx_buf *b, const struct ctx_request *r)
{
	ctx_buf_adds(b, "{\"kind\":\"request\"");
	for (size_t i = 0; i < COUNT; i++) {
		const void *at = (const char *)r + members[i].offset;
		const struct member *m = &members[i];
		switch (m->type) {
		case TEXT:
			ctx_json_add_str(b, m->name, *(char *const *)at);
			break;
		case OBJECT:
		case ARRAY:
			ctx_json_add_raw(b, m->name, ctx_span_of(*(char *const *)at));
			break;
		case INT:
			if (*(const int64_t *)at >= 0)
				ctx_json_add_int(b, m->name, *(const int64_t *)at);
			break;
		case TIME:
			ctx_json_add_time(b, m->name, *(const int64_t *)at);
			break;
		case ARRAY_INSIDE:
		case SOME_INSIDE: /* omitted if empty */
		case OBJECT_INSIDE:
			if (m->type == SOME_INSIDE && ctx_buf_span(at).n == 0)
				break;
			ctx_json_put_key(b, m->name);
			ctx_buf_addc(b, m->type == OBJECT_INSIDE ? '{' : '[');
			ctx_buf_addspan(b, ctx_buf_span(at));
			ctx_buf_addc(b, m->type == OBJECT_INSIDE ? '}' : ']');
			break;
		}
	}
	ctx_buf_add(b, "}\n", 2);
}

bool
ctx_request_continues(const struct ctx_request *r)
{
	return ctx_json_get(ctx_span_of(r->run_json), "continues").p != NULL;
}

void
ctx_request_cut(struct ctx_request *r, const char *why)
{
	static const char *const stays[] = {"hidden", "items", "front"};
	struct ctx_span run = ctx_span_of(r->run_json);
	struct ctx_buf b = CTX_BUF_INIT;

	if (r->run_json == NULL)
		return;
	ctx_json_print(&b, "{'name':%j,'id':%s,'session':%s,'n':1,'cut':%s",
	    ctx_json_get(run, "name"), r->request_id, r->session_id, why);
	for (size_t i = 0; i < sizeof(stays) / sizeof(stays[0]); i++)
		ctx_json_add_raw(&b, stays[i], ctx_json_get(run, stays[i]));
	ctx_json_put_close(&b, '}');
	free(r->run_json);
	r->run_json = ctx_buf_detach(&b);
}

bool
ctx_front_member(struct ctx_span params, size_t i, struct ctx_buf *text)
{
	static const char *const keys[] = {
	    "tools", "system", "systemInstruction", "system_instruction", "instructions"};
	struct ctx_span v;

	ctx_buf_reset(text);
	if (i >= sizeof(keys) / sizeof(keys[0]))
		return false;
	v = ctx_json_get(params, keys[i]);
	if (v.p != NULL)
		ctx_json_minify(v, text);
	return true;
}
