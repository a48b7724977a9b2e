/* ctx-show: prints the tool calls of a session, one record for each. */
#include "show.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "record/message.h"
#include "store/purge.h"

/* messages read at once, so that no snapshot is held while printing */
#define PAGE_MESSAGES 1024

struct call {
	int64_t seq, at, result_seq, result_at;
	char *id, *name;      /* NULL: absent */
	char *arguments_json; /* a JSON object, or a string if it is not valid JSON */
	char *result;         /* plain text; NULL: no result yet */
	bool error;
};

struct calls {
	struct call *list;
	size_t n, cap;
	int64_t next; /* sequence number of the next message to read */
};

static char *
read_arguments(const struct ctx_part *p)
{
	struct ctx_buf text = CTX_BUF_INIT, line = CTX_BUF_INIT;
	struct ctx_span v = CTX_SPAN_NONE;

	if (p->body.p == NULL)
		return NULL;
	if (ctx_json_type(p->body) == CTX_JSON_STRING)
		ctx_json_decode(p->body, &text);
	else
		ctx_buf_addspan(&text, p->body);
	if (text.n > 0 && !p->custom &&
	    ctx_json_check(ctx_buf_span(&text), &v, NULL, NULL) == 0)
		ctx_json_minify(v, &line);
	else
		ctx_json_put_string(&line, ctx_buf_span(&text));
	ctx_buf_release(&text);
	return ctx_buf_detach(&line);
}

static void
add_shown_call(struct calls *c, const struct ctx_part *p, const struct ctx_stored *m)
{
	CTX_MEM_GROW(c->list, c->n, c->cap);
	c->list[c->n++] = (struct call){.seq = m->seq,
	    .at = m->created_at,
	    .id = ctx_json_strdup(p->id),
	    .name = ctx_json_strdup(p->name),
	    .arguments_json = read_arguments(p)};
}

/* Adds a result to the newest call with its id that has none, because ids may repeat in
 * later turns. */
static void
add_shown_call_result(
    struct calls *c, const struct ctx_part *p, const struct ctx_stored *m)
{
	struct ctx_buf text = CTX_BUF_INIT;
	char *id = ctx_json_strdup(p->id);

	for (size_t i = c->n; id != NULL && i-- > 0;) {
		struct call *call = &c->list[i];
		if (call->result != NULL || call->id == NULL || strcmp(call->id, id) != 0)
			continue;
		ctx_content_text(p->body, &text);
		ctx_buf_addc(&text, '\0');
		call->result = ctx_buf_detach(&text);
		call->result_seq = m->seq;
		call->result_at = m->created_at;
		call->error = p->error;
		break;
	}
	free(id);
}

static void
take_message(struct calls *c, struct ctx_message *view, const struct ctx_stored *m)
{
	if (ctx_message_parse(view, m->message, NULL) < 0)
		return;
	for (size_t i = 0; i < view->n; i++) {
		if (view->parts[i].type == CTX_PART_TOOL_CALL)
			add_shown_call(c, &view->parts[i], m);
		else if (view->parts[i].type == CTX_PART_TOOL_RESULT)
			add_shown_call_result(c, &view->parts[i], m);
	}
}

static int
read_calls(
    void *arg, struct ctx_store *st, const struct ctx_session *s, struct ctx_err *err)
{
	struct calls *c = arg;
	struct ctx_message view = CTX_MESSAGE_INIT;
	int got = 1;

	while (got == 1 && c->next <= s->last_seq) {
		struct ctx_cursor *cursor = ctx_cursor_open(
		    st, s, c->next, s->last_seq, false, err);
		struct ctx_stored m;
		for (int n = 0;
		     n < PAGE_MESSAGES && (got = ctx_cursor_next(cursor, &m, err)) == 1;
		     n++) {
			take_message(c, &view, &m);
			c->next = m.seq + 1;
		}
		ctx_cursor_close(cursor);
	}
	ctx_message_release(&view);
	return got < 0 ? -1 : 0;
}

static bool
is_last_call_of_tool(const struct calls *c, size_t i)
{
	const char *name = c->list[i].name;

	for (size_t k = i + 1; name != NULL && k < c->n; k++)
		if (c->list[k].name != NULL && strcmp(c->list[k].name, name) == 0)
			return false;
	return true;
}

static int
print_call(const struct ctx_session *s, const struct call *call, struct ctx_err *err)
{
	struct ctx_buf line = CTX_BUF_INIT;
	struct ctx_span record;
	int rc;

	ctx_json_print(&line,
	    "{'kind':'call','session_id':%s,'seq':%d,'created_at':%m,'id':%s,'name':%s,'arguments':%j",
	    s->session_id, call->seq, call->at, call->id, call->name,
	    ctx_span_of(call->arguments_json));
	if (call->result != NULL) {
		ctx_json_print(&line, "'result_seq':%d,'result_at':%m", call->result_seq,
		    call->result_at);
		if (call->error)
			ctx_json_add_bool(&line, "error", true);
		ctx_json_add_str(&line, "result", call->result);
	}
	ctx_json_put_close(&line, '}');
	record = ctx_buf_span(&line);
	rc = cli_redact_json(&record, err);
	ctx_buf_addspan(&cli_out.buf, record);
	ctx_buf_addc(&cli_out.buf, '\n');
	ctx_buf_release(&line);
	return rc < 0 ? -1 : cli_flush_some(err);
}

int
show_tools(struct ctx_store *store, struct ctx_session *s, bool last, struct ctx_err *err)
{
	struct calls c = {NULL, 0, 0, 1};
	int rc = cli_read_messages(store, s, read_calls, &c, err);

	for (size_t i = 0; i < c.n; i++) {
		if (rc == 0 && (!last || is_last_call_of_tool(&c, i)))
			rc = print_call(s, &c.list[i], err);
		free(c.list[i].id);
		free(c.list[i].name);
		free(c.list[i].arguments_json);
		free(c.list[i].result);
	}
	free(c.list);
	return rc == 0 ? cli_flush(err) : -1;
}
