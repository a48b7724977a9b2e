/* Repairs roles, contents, and the first and last message. */
#include <stdlib.h>

#include "base/mem.h"
#include "json/json.h"
#include "lint/doc.h"
#include "record/message.h"

#define LEFT_OUT "(earlier messages left out)"
#define GO_ON "Continue."

/* ---- Anthropic: system and tool roles ---- */

static void
move_system(struct lint_doc *d)
{
	struct ctx_buf b = CTX_BUF_INIT;
	struct ctx_span only = CTX_SPAN_NONE;
	size_t n = 0;

	ctx_json_put_open(&b, '[');
	ctx_message_put_blocks(&b, d->system);
	for (size_t i = 0; i < d->n; i++) {
		if (d->items[i].role != LINT_SYSTEM)
			continue;
		ctx_message_put_blocks(&b, d->items[i].content);
		only = d->items[i].content;
		n++;
	}
	ctx_json_put_close(&b, ']');
	if (d->system.p != NULL || n != 1 || ctx_json_type(only) != CTX_JSON_STRING)
		only = ctx_lint_keep(d, &b);
	if (only.n > 2) {
		d->system = only;
		d->set_system = true;
	}
	ctx_buf_release(&b);
}

static struct ctx_span
as_user(struct lint_doc *d, const struct lint_item *it)
{
	const struct lint_part *p = &d->parts[it->first];
	struct ctx_buf b = CTX_BUF_INIT;
	bool content;

	if (it->role != LINT_TOOL)
		return ctx_lint_set(d, it->message, "role", ctx_span_of("\"user\""));
	content = ctx_json_type(p->body) == CTX_JSON_STRING ||
		  ctx_json_type(p->body) == CTX_JSON_ARRAY;
	ctx_json_print(&b,
	    "{'role':'user','content':[{'type':'tool_result','tool_use_id':%j,'content':%j}]}",
	    p->key, content ? p->body : CTX_SPAN_NONE);
	return ctx_lint_keep(d, &b);
}

bool
ctx_lint_fix_roles(struct lint_doc *d)
{
	struct lint_list out = {NULL, 0, 0};
	bool any = false;

	if (!d->request)
		return false;
	move_system(d);
	for (size_t i = 0; i < d->n; i++) {
		struct lint_item it = d->items[i];
		bool foreign = it.role != LINT_USER && it.role != LINT_ASSISTANT;
		any |= foreign;
		if (it.role == LINT_SYSTEM)
			continue;
		if (foreign)
			ctx_lint_item_set(d, &it, as_user(d, &it));
		ctx_lint_list_add(&out, it);
	}
	ctx_lint_list_end(d, &out, true);
	return any;
}

/* ---- empty contents ---- */

/* Returns an empty result without blank texts in its content; a list with nothing else
 * becomes the empty string. */
static struct ctx_span
fill_result(struct lint_doc *d, const struct lint_part *p, void *unused CTX_UNUSED)
{
	struct lint_element *e = NULL;
	struct ctx_buf b = CTX_BUF_INIT;
	size_t n = 0, cap = 0;

	if (p->type != LINT_RESULT || !p->empty)
		return CTX_SPAN_NONE;
	CTX_JSON_EACH(it, p->body) {
		if (ctx_json_has_type(it.value, "text") &&
		    ctx_message_blank(ctx_json_get(it.value, "text")))
			continue;
		CTX_MEM_GROW(e, n, cap);
		e[n++] = (struct lint_element){it.value, it.value.p};
	}
	if (n > 0)
		ctx_lint_print_array(&b, p->body, e, n);
	else
		ctx_buf_adds(&b, "\"\"");
	free(e);
	return ctx_lint_splice(d, p->raw, p->body, ctx_lint_keep(d, &b));
}

/* Returns false if the message has no content and must be removed. */
static bool
fill_item(struct lint_doc *d, struct lint_item *it, bool *changed)
{
	bool *keep = ctx_mem_new(it->n), content = false, blank = false, results = false;

	for (size_t i = 0; i < it->n; i++) {
		const struct lint_part *p = &d->parts[it->first + i];
		keep[i] = p->type != LINT_TEXT || !p->blank || !p->block;
		content |= p->type != LINT_TEXT || !p->blank;
		blank |= !keep[i];
	}
	if (content) /* the next round removes blank blocks */
		results = ctx_lint_mend_item_parts(d, it, fill_result, NULL);
	if (content && blank && !results)
		ctx_lint_item_keep(d, it, keep);
	*changed |= !content || results || blank;
	free(keep);
	return content;
}

static bool
fill_system(struct lint_doc *d)
{
	struct ctx_buf b = CTX_BUF_INIT;
	bool blank = false;

	if (!d->request || ctx_json_type(d->system) != CTX_JSON_ARRAY)
		return false;
	ctx_json_put_open(&b, '[');
	CTX_JSON_EACH(it, d->system) {
		if (ctx_json_has_type(it.value, "text") &&
		    ctx_message_blank(ctx_json_get(it.value, "text")))
			blank = true;
		else
			ctx_json_put_raw(&b, it.value);
	}
	ctx_json_put_close(&b, ']');
	if (blank) {
		d->system = ctx_lint_keep(d, &b);
		d->set_system = d->changed = true;
	}
	ctx_buf_release(&b);
	return blank;
}

bool
ctx_lint_fix_blank(struct lint_doc *d)
{
	struct lint_list out = {NULL, 0, 0};
	bool any = fill_system(d);

	for (size_t i = 0; i < d->n; i++) {
		struct lint_item it = d->items[i];
		if (it.skip || it.role == LINT_SYSTEM || fill_item(d, &it, &any))
			ctx_lint_list_add(&out, it);
	}
	return ctx_lint_list_end(d, &out, any);
}

static bool
is_empty_assistant(const struct lint_doc *d, size_t i)
{
	return !d->items[i].skip && d->items[i].role == LINT_ASSISTANT &&
	       d->items[i].n == 0;
}

bool
ctx_lint_fix_empty_assistant(struct lint_doc *d)
{
	return ctx_lint_drop_items(d, is_empty_assistant);
}

/* Merges the items from to to - 1, which have one role. */
static void
merge_run(struct lint_doc *d, struct lint_list *out, size_t from, size_t to)
{
	struct lint_item it = d->items[from];
	size_t n = 0, all = 0;
	const struct lint_part **parts;
	struct ctx_span message;

	for (size_t i = from; i < to; i++)
		all += d->items[i].n;
	parts = ctx_mem_new(all * sizeof(struct lint_part *));
	for (size_t i = from; i < to; i++)
		LINT_EACH_PART(p, d, &d->items[i])
			if (p->block || !p->blank)
				parts[n++] = p;
	message = ctx_lint_with_parts(d, &it, parts, n);
	if (d->shape == LINT_MESSAGES)
		message = ctx_lint_unset(d, message, "tool_calls");
	ctx_lint_item_set(d, &it, message);
	ctx_lint_list_add(out, it);
	free(parts);
}

bool
ctx_lint_fix_merge(struct lint_doc *d)
{
	struct lint_list out = {NULL, 0, 0};
	bool any = false;

	if (d->merged)
		return false;
	for (size_t i = 0, k; i < d->n; i = k) {
		bool assistant = d->items[i].role == LINT_ASSISTANT;
		for (k = i + 1; k < d->n; k++)
			if ((d->items[k].role == LINT_ASSISTANT) != assistant)
				break;
		if (k == i + 1)
			ctx_lint_list_add(&out, d->items[i]);
		else
			merge_run(d, &out, i, k);
		any |= k > i + 1;
	}
	return ctx_lint_list_end(d, &out, any);
}

static struct lint_item
user_item(struct lint_doc *d, const struct lint_item *near, const char *text)
{
	struct ctx_buf b = CTX_BUF_INIT;

	ctx_buf_addf(&b, ctx_lint_kind(ctx_lint_owner(d->shape))->user, text);
	return ctx_lint_item_new(d, near, ctx_lint_keep(d, &b));
}

bool
ctx_lint_fix_ends(struct lint_doc *d)
{
	struct lint_list out = {NULL, 0, 0};
	bool openai = ctx_lint_kind(d->rules)->any_start, any = false;
	enum lint_role last = d->n > 0 ? d->items[d->n - 1].role : LINT_NO_ROLE;

	if (!openai && (d->n == 0 || d->items[0].role == LINT_ASSISTANT)) {
		ctx_lint_list_add(&out, user_item(d, NULL, LEFT_OUT));
		any = true;
	}
	for (size_t i = 0; i < d->n; i++)
		ctx_lint_list_add(&out, d->items[i]);
	if (openai ? last != LINT_USER && last != LINT_TOOL : last == LINT_ASSISTANT) {
		ctx_lint_list_add(&out, user_item(d, NULL, GO_ON));
		any = true;
	}
	return ctx_lint_list_end(d, &out, any);
}

bool
ctx_lint_fix_gemini_start(struct lint_doc *d)
{
	struct lint_list out = {NULL, 0, 0};
	size_t n;
	struct lint_turn *t = ctx_lint_turns(d, &n);
	bool calls = false;

	for (size_t i = n > 0 ? t[0].first : 0; n > 0 && i < t[0].end; i++)
		calls |= !d->items[i].skip &&
			 ctx_lint_first_part(d, &d->items[i], LINT_CALL) != NULL;
	if (calls) {
		for (size_t i = 0; i < d->n; i++) {
			if (i == t[0].first)
				ctx_lint_list_add(
				    &out, user_item(d, &d->items[i], LEFT_OUT));
			ctx_lint_list_add(&out, d->items[i]);
		}
		ctx_lint_list_end(d, &out, true);
	}
	free(t);
	return calls;
}

/* ---- thinking ---- */

bool
ctx_lint_fix_thinking(struct lint_doc *d)
{
	bool any = ctx_lint_drop_parts(d, ctx_lint_unsigned, NULL, false);

	if (!any && ctx_lint_lost_thinking(d)) {
		/* Thinking cannot be made up; with thinking disabled none is needed. */
		d->thinking = ctx_span_of("{\"type\":\"disabled\"}");
		d->set_thinking = d->changed = any = true;
	}
	return any;
}
