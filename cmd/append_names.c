/* ctx-append: restores the names of tools that were changed for the provider. */
#include "append.h"

#include <string.h>

#include "json/json.h"
#include "render/tools.h"
#include "store/item.h"

struct names {
	enum ctx_provider provider;
	/* JSON object that maps sent names to stored names; may be absent */
	struct ctx_span sent;
	struct ctx_definition *defs;
	size_t n;
};

/* Reads the items that the session's tenant defines. */
static int
load_tools(struct appending *app, struct names *names, struct ctx_err *err)
{
	struct ctx_session s = CTX_SESSION_INIT;
	int rc = ctx_store_session_find(app->store, app->appender.o.session, &s, err);

	if (rc == 1)
		rc = ctx_definition_list(app->store,
		    s.tenant_id != NULL ? s.tenant_id : "", NULL, &names->defs, &names->n,
		    err);
	ctx_session_release(&s);
	return rc < 0 ? -1 : 0;
}

static void
restore_name(void *arg, struct ctx_span name, struct ctx_buf *out)
{
	const struct names *names = arg;
	struct ctx_buf text = CTX_BUF_INIT, sent = CTX_BUF_INIT, called = CTX_BUF_INIT;
	struct ctx_span stored = CTX_SPAN_NONE;

	ctx_json_decode(name, &text);
	if (text.n > 0)
		stored = ctx_json_get(names->sent, text.p);
	if (ctx_json_type(stored) == CTX_JSON_STRING)
		ctx_buf_addspan(out, stored);
	for (size_t i = 0; out->n == 0 && i < names->n; i++) {
		if (strcmp(names->defs[i].type, "tool") != 0)
			continue;
		ctx_buf_reset(&called);
		ctx_definition_called(&called, &names->defs[i]);
		if (ctx_json_is(name, called.p))
			break;
		ctx_buf_reset(&sent);
		ctx_render_tool_sent(&sent, called.p, names->provider);
		if (ctx_span_eq(ctx_buf_span(&sent), name))
			ctx_json_put_string(out, ctx_buf_span(&called));
	}
	ctx_buf_release(&called);
	ctx_buf_release(&text);
	ctx_buf_release(&sent);
}

int
append_restore_names(struct appending *app, struct ctx_answer *a,
    enum ctx_provider provider, const struct ctx_request *r, struct ctx_err *err)
{
	struct names names = {.provider = provider, .sent = ctx_span_of(r->names_json)};
	struct ctx_message m = CTX_MESSAGE_INIT;
	int rc = 0;

	if (ctx_message_parse(&m, ctx_buf_span(&a->message), err) < 0)
		return -1;
	if (ctx_message_count(&m, CTX_PART_TOOL_CALL) > 0) {
		rc = load_tools(app, &names, err);
		if (rc == 0)
			ctx_answer_rename(a, restore_name, &names);
	}
	ctx_definition_free(names.defs, names.n);
	ctx_message_release(&m);
	return rc;
}
