/* Builds the lines of the document from calls and their results. */
#include "summary/doc.h"

#include <string.h>

#include "base/mem.h"
#include "json/json.h"

#define ACTION 0.5f
/* worth of a call of an unknown tool that may have changed something */
#define EFFECT 4.0f
#define CHANGED 1.5f /* worth of a file that was changed */
#define TODO 1.5f
#define ACTIONS_MAX 4 /* actions on one line */

static uint64_t
hash_action_key(const char *kind, struct ctx_span text)
{
	return ctx_summary_hash(ctx_summary_hash(5, kind, strlen(kind)), text.p, text.n);
}

/* Returns the item of an action. An equal action of the same request shares its item, and
 * so does an equal call of an unknown tool of any request; a line has at most ACTIONS_MAX
 * actions. */
static uint32_t
add_action(struct ctx_doc *d, enum ctx_tool_kind kind, struct ctx_span text)
{
	uint64_t key = ctx_summary_hash(
	    kind == CTX_TOOL_OTHER ? 0 : ((uint64_t)d->requests << 8) + (uint64_t)kind,
	    text.p, text.n);
	size_t *at = ctx_map_at(&d->by_action, key, NULL, NULL);
	uint32_t item;

	if (*at != 0) {
		d->items[*at - 1].times++;
		return (uint32_t)*at - 1;
	}
	if (d->line_request != d->requests + 1 || d->line_actions >= ACTIONS_MAX) {
		d->line = ctx_doc_group(
		    d, CTX_DOC_ACTIONS, d->requests, CTX_SPAN_NONE, 0);
		d->line_request = d->requests + 1;
		d->line_actions = 0;
	}
	d->line_actions++;
	item = ctx_doc_item(d, d->line, text, 0,
	    kind == CTX_TOOL_OTHER && !ctx_tool_looks_up(text) ? EFFECT : ACTION);
	d->items[item].verb = (int)kind;
	*at = item + 1;
	return item;
}

static void
mark_changed(struct ctx_doc *d, uint32_t group, const char *verb)
{
	ctx_doc_item(d, group, ctx_span_of(verb),
	    hash_action_key("changed", ctx_span_of(verb)), CHANGED);
}

void
ctx_doc_add_edit(struct ctx_doc *d, struct ctx_span path, uint32_t group)
{
	struct ctx_buf b = CTX_BUF_INIT;

	ctx_doc_add_code(&b, ctx_doc_short_path(d, path), 240);
	add_action(d, CTX_TOOL_EDIT, ctx_buf_span(&b));
	mark_changed(d, group, ctx_doc_word(d->language, CTX_TOOL_EDIT));
	ctx_buf_release(&b);
}

void
ctx_doc_add_call(struct ctx_doc *d, uint32_t piece, uint32_t *item_of)
{
	struct ctx_span name = ctx_summary_piece_name(d->in, piece),
			args = ctx_summary_piece_json(d->in, piece), path;
	enum ctx_tool_kind kind = ctx_tool_find(name, args);
	struct ctx_buf b = CTX_BUF_INIT, tmp = CTX_BUF_INIT;
	const char *verb;

	if (kind == CTX_TOOL_THINK)
		return;
	verb = ctx_doc_word(d->language, kind);
	if (args.p == NULL)
		args = ctx_summary_piece_body(d->in, piece);
	path = ctx_tool_path(args, &tmp);
	ctx_tool_put(&b, kind, name, args, ctx_doc_short_path(d, path));
	item_of[piece] = add_action(d, kind, ctx_buf_span(&b)) + 1;
	if (ctx_tool_changes(kind) && path.n > 0) {
		mark_changed(d, ctx_doc_file(d, path), verb);
		ctx_doc_add_change(d, ctx_doc_file(d, path), kind, args);
	}
	ctx_buf_release(&b);
	ctx_buf_release(&tmp);
}

void
ctx_doc_add_todo(struct ctx_doc *d, struct ctx_span args)
{
	static const char *const lists[] = {"todos", "plan", "items"};
	struct ctx_span list = args, text, status;
	struct ctx_buf tmp = CTX_BUF_INIT;
	uint32_t group;

	for (size_t i = 0; i < 3; i++)
		if (ctx_json_type(ctx_json_get(args, lists[i])) == CTX_JSON_ARRAY)
			list = ctx_json_get(args, lists[i]);
	group = ctx_doc_group(
	    d, CTX_DOC_OPEN, 0, ctx_span_of(ctx_doc_word(d->language, CTX_WORD_TODO)), 0);
	CTX_JSON_EACH(it, list) {
		status = ctx_json_get(it.value, "status");
		if (CTX_JSON_IS_ANY(status, "completed", "done", "cancelled"))
			continue;
		text = ctx_json_text(ctx_doc_get_first(it.value,
					 "content|step|text|title|description|task"),
		    &tmp);
		if (text.n > 0 && text.n < 300)
			ctx_doc_item(d, group, text, 0, TODO);
	}
	ctx_buf_release(&tmp);
}
