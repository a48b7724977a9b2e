/* Determines what a text contains, and prints it again. */
#include "lint/doc.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"

#define LINT_KIND_ROW(id, name) [CTX_PROVIDER_##id] = &ctx_lint_##name,
static const struct ctx_lint_kind *const lint_kinds[] = {CTX_PROVIDERS(LINT_KIND_ROW)};

const struct ctx_lint_kind *
ctx_lint_kind(enum ctx_provider p)
{
	return lint_kinds[p];
}

enum ctx_provider
ctx_lint_owner(enum lint_shape shape)
{
	int i = 0;

	while (i + 1 < CTX_PROVIDER_COUNT && lint_kinds[i]->shape != shape)
		i++;
	return (enum ctx_provider)i;
}

/* Returns the provider whose messages have calls as blocks of the content (blocks true)
 * or beside the content. */
static enum ctx_provider
find_messages_owner(bool blocks)
{
	int i = 0;

	while (i + 1 < CTX_PROVIDER_COUNT &&
	       (lint_kinds[i]->shape != LINT_MESSAGES || lint_kinds[i]->blocks != blocks))
		i++;
	return (enum ctx_provider)i;
}

/* Returns the shape of which the value is an element; LINT_MESSAGES by default. */
static enum lint_shape
find_item_shape(struct ctx_span value)
{
	for (int i = CTX_PROVIDER_COUNT - 1; i >= 0; i--)
		if (lint_kinds[i]->is_item != NULL && lint_kinds[i]->is_item(value))
			return lint_kinds[i]->shape;
	return LINT_MESSAGES;
}

/* True if the list is provider p's although another provider has a list of the same name:
 * its elements or the member for system text show it. */
static bool
is_list_of(int p, struct ctx_span body, struct ctx_span list)
{
	const char *system = ctx_provider_facts((enum ctx_provider)p)->system[0];

	if (lint_kinds[p]->is_item == NULL)
		return false;
	if (system != NULL && ctx_json_get(body, system).p != NULL)
		return true;
	if (ctx_json_type(list) == CTX_JSON_ARRAY)
		CTX_JSON_EACH(it, list)
			if (lint_kinds[p]->is_item(it.value))
				return true;
	return false;
}

/* Returns the shape of the body's list, which has the name that provider p uses. */
static enum lint_shape
find_list_shape(int p, struct ctx_span body, struct ctx_span list)
{
	const char *name = ctx_provider_facts((enum ctx_provider)p)->list;

	for (int i = CTX_PROVIDER_COUNT - 1; i > p; i--)
		if (strcmp(ctx_provider_facts((enum ctx_provider)i)->list, name) == 0 &&
		    is_list_of(i, body, list))
			return lint_kinds[i]->shape;
	return lint_kinds[p]->shape;
}

static void
release_lint_doc(struct lint_doc *d)
{
	for (size_t i = 0; i < d->n_notes; i++)
		free(d->notes[i].text);
	for (size_t i = 0; i < d->n_arena; i++)
		free(d->arena[i]);
	free(d->notes);
	free(d->arena);
	free(d->items);
	free(d->parts);
	free(d->sources);
	ctx_lint_ids_free(d->ids);
}

void
ctx_lint_file_release(struct lint_file *f)
{
	for (size_t i = 0; i < f->n; i++)
		release_lint_doc(&f->docs[i]);
	free(f->docs);
	memset(f, 0, sizeof(*f));
}

static struct lint_doc *
add_doc(struct lint_file *f, enum lint_form form, const char *from)
{
	struct lint_doc *d;

	CTX_MEM_GROW(f->docs, f->n, f->cap);
	d = &f->docs[f->n++];
	memset(d, 0, sizeof(*d));
	d->form = form;
	d->text.p = from;
	return d;
}

static struct lint_item *
add_lint_item(
    struct lint_doc *d, struct ctx_span value, struct ctx_span message, bool skip)
{
	struct lint_item *it;

	CTX_MEM_GROW(d->items, d->n, d->cap);
	it = &d->items[d->n++];
	memset(it, 0, sizeof(*it));
	it->value = value;
	it->message = message;
	it->at = value.p;
	it->skip = skip;
	return it;
}

/* The kinds of objects at the top level. */
enum what { NOTHING, BARE, RECORD, MESSAGE_RECORD, SESSION_RECORD, BODY };

static enum what
classify_lint_value(struct ctx_span v)
{
	struct ctx_span kind = ctx_json_get(v, "kind"), role = ctx_json_get(v, "role");

	if (ctx_json_type(kind) == CTX_JSON_STRING)
		return ctx_json_is(kind, "message")   ? MESSAGE_RECORD
		       : ctx_json_is(kind, "session") ? SESSION_RECORD
						      : RECORD;
	if (ctx_json_type(role) == CTX_JSON_STRING || find_item_shape(v) != LINT_MESSAGES)
		return BARE;
	for (int i = 0; i < CTX_PROVIDER_COUNT; i++) {
		struct ctx_span list = ctx_json_get(
		    v, ctx_provider_facts((enum ctx_provider)i)->list);
		if (ctx_json_type(list) == CTX_JSON_ARRAY ||
		    (ctx_json_type(list) == CTX_JSON_STRING &&
			lint_kinds[i]->shape != LINT_MESSAGES &&
			lint_kinds[i]->shape != LINT_CONTENTS))
			return BODY;
	}
	return NOTHING;
}

static int
add_elements(struct lint_doc *d, struct ctx_span array, struct ctx_err *err)
{
	d->array = array;
	CTX_JSON_EACH(it, array) {
		struct ctx_span message = it.value;
		if (ctx_json_type(it.value) != CTX_JSON_OBJECT)
			return ctx_err_set(
			    err, CTX_EINPUT, "message %zu is not an object", d->n);
		if (d->form == LINT_ARRAY &&
		    classify_lint_value(it.value) == MESSAGE_RECORD)
			message = ctx_json_get(it.value, "message");
		if (ctx_json_type(message) != CTX_JSON_OBJECT)
			return ctx_err_set(
			    err, CTX_EINPUT, "message %zu is not an object", d->n);
		add_lint_item(d, it.value, message, false);
	}
	return 0;
}

static int
add_body(struct lint_file *f, struct ctx_span v, const char *from, struct ctx_err *err)
{
	struct lint_doc *d = add_doc(f, LINT_BODY, from);

	d->body = v;
	d->system = ctx_json_get(v, "system");
	d->thinking = ctx_json_get(v, "thinking");
	for (int i = 0; i < CTX_PROVIDER_COUNT; i++) {
		struct ctx_span list = ctx_json_get(
		    v, ctx_provider_facts((enum ctx_provider)i)->list);
		if (list.p == NULL)
			continue;
		d->shape = find_list_shape(i, v, list);
		/* a text */
		return ctx_json_type(list) == CTX_JSON_ARRAY ? add_elements(d, list, err)
							     : 0;
	}
	return 0;
}

bool
ctx_lint_begins(struct ctx_span value)
{
	enum what what = classify_lint_value(value);

	return what == SESSION_RECORD || what == BODY;
}

static int
add_lint_value(struct lint_file *f, struct lint_doc **stream, struct ctx_span v,
    const char *from, struct ctx_err *err)
{
	enum what what = classify_lint_value(v);
	struct ctx_span message = what == BARE ? v : CTX_SPAN_NONE;
	bool skip = what != BARE;

	if (ctx_json_type(v) == CTX_JSON_ARRAY) {
		*stream = NULL;
		return add_elements(add_doc(f, LINT_ARRAY, from), v, err);
	}
	if (what == BODY) {
		*stream = NULL;
		return add_body(f, v, from, err);
	}
	if (what == NOTHING)
		return ctx_err_set(
		    err, CTX_EINPUT, "not a message, a record or a request body");
	if (what == MESSAGE_RECORD) {
		struct ctx_span slot = ctx_json_get(v, "slot");
		message = ctx_json_get(v, "message");
		if (ctx_json_type(message) != CTX_JSON_OBJECT)
			return ctx_err_set(
			    err, CTX_EINPUT, "the message record contains no message");
		skip = ctx_json_type(slot) == CTX_JSON_STRING;
	}
	if (*stream == NULL || what == SESSION_RECORD)
		*stream = add_doc(f, LINT_STREAM, from);
	add_lint_item(*stream, v, message, skip);
	CTX_MEM_GROW((*stream)->sources, (*stream)->n_sources, (*stream)->cap_sources);
	(*stream)->sources[(*stream)->n_sources++] = v;
	return 0;
}

/* ---- choosing the rules ---- */

static bool
has_lint_block(const struct lint_doc *d)
{
	for (size_t i = 0; i < d->n_parts; i++) {
		const struct lint_part *p = &d->parts[i];
		if (p->block && (p->type == LINT_CALL || p->type == LINT_RESULT ||
				    p->type == LINT_THINKING))
			return true;
	}
	return false;
}

static bool
has_tool_calls(const struct lint_doc *d)
{
	for (size_t i = 0; i < d->n_parts; i++)
		if (d->parts[i].type == LINT_CALL && !d->parts[i].block)
			return true;
	return false;
}

/* True if there are OpenAI's calls from before tool_calls, or answers to them. */
static bool
has_old_calls(const struct lint_doc *d)
{
	static const char *const keys[] = {"role", "function_call"};
	struct ctx_span v[2];

	if (d->shape != LINT_MESSAGES)
		return false;
	LINT_EACH_ITEM(i, d) {
		ctx_json_get_all(d->items[i].message, keys, v, 2);
		if (ctx_json_is(v[0], "function") ||
		    ctx_json_type(v[1]) == CTX_JSON_OBJECT)
			return true;
	}
	return false;
}

static bool
has_openai(const struct lint_doc *d)
{
	LINT_EACH_ITEM(i, d)
		if (d->items[i].role == LINT_TOOL)
			return true;
	return has_tool_calls(d) || has_old_calls(d);
}

/* True if the tools have the format of OpenAI's bodies. */
static bool
openai_tools(const struct lint_doc *d)
{
	struct ctx_span tool = ctx_json_first(ctx_json_get(d->body, "tools"));

	return ctx_json_type(ctx_json_get(tool, "function")) == CTX_JSON_OBJECT;
}

/* True if something occurs only in Anthropic's bodies. */
static bool
anthropic_body(const struct lint_doc *d)
{
	if (d->system.p != NULL || ctx_json_type(d->thinking) == CTX_JSON_OBJECT ||
	    ctx_json_get(d->body, "anthropic_version").p != NULL ||
	    ctx_json_get(d->body, "stop_sequences").p != NULL)
		return true;
	CTX_JSON_EACH(it, ctx_json_get(d->body, "tools"))
		if (ctx_json_get(it.value, "input_schema").p != NULL)
			return true;
	return has_lint_block(d);
}

static enum ctx_provider
detect_lint_rules(const struct lint_doc *d)
{
	bool blocks;

	if (d->shape != LINT_MESSAGES)
		return ctx_lint_owner(d->shape);
	if (d->form == LINT_BODY && has_tool_calls(d) && !has_lint_block(d))
		/* servers with OpenAI's format accept other members too */
		blocks = false;
	else if (d->form == LINT_BODY)
		blocks = anthropic_body(d);
	else
		blocks = has_lint_block(d) && !has_openai(d);
	return find_messages_owner(blocks);
}

/* True if the body shows which provider it is for, so that a mere preference does not
 * apply. */
static bool
is_explicit_lint_body(const struct lint_doc *d, enum ctx_provider own)
{
	if (d->shape != LINT_MESSAGES)
		return true;
	if (d->form != LINT_BODY)
		return false;
	if (lint_kinds[own]->blocks || lint_kinds[d->rules]->shape != LINT_MESSAGES ||
	    has_openai(d) || openai_tools(d))
		return true;
	for (size_t i = 0; i < d->n; i++)
		if (d->items[i].role == LINT_SYSTEM)
			return true;
	return false;
}

/* Returns -1 with CTX_EINPUT for a body of another provider. Unlike a history, a body is
 * not converted before it is sent, so the rules of another provider can neither check nor
 * repair it. */
static int
refuse_foreign(const struct lint_doc *d, enum ctx_provider own, struct ctx_err *err)
{
	bool body = d->form == LINT_BODY && d->shape == LINT_MESSAGES;
	bool foreign = d->shape != LINT_MESSAGES && d->rules != own;

	if (body && has_tool_calls(d) && has_lint_block(d))
		return ctx_err_set(err, CTX_EINPUT,
		    "the request body contains both OpenAI \"tool_calls\" and Anthropic tool or thinking blocks");
	if (body && lint_kinds[d->rules]->blocks)
		foreign = has_tool_calls(d) || has_old_calls(d) ||
			  (d->asked != CTX_PROVIDER_NONE && !lint_kinds[own]->blocks &&
			      openai_tools(d));
	else if (body)
		foreign = d->rules != own;
	if (!foreign)
		return 0;
	return ctx_err_set(err, CTX_EINPUT,
	    "the input is in the format of %s, not of %s (ctx-import converts a body to messages; ctx-render converts messages to a body)",
	    ctx_provider_name(own), ctx_provider_name(d->rules));
}

static void
find_shape(struct lint_doc *d)
{
	d->shape = LINT_MESSAGES;
	for (size_t i = 0; i < d->n && d->shape == LINT_MESSAGES; i++) {
		if (d->items[i].message.p == NULL)
			continue;
		d->shape = find_item_shape(d->items[i].message);
	}
}

int
ctx_lint_doc_choose(struct lint_doc *d, struct ctx_err *err)
{
	enum lint_shape before = d->shape;
	enum ctx_provider own;

	if (d->form != LINT_BODY)
		find_shape(d);
	if (d->ids == NULL || d->shape != before)
		ctx_lint_doc_index(d);
	own = detect_lint_rules(d);
	d->rules = d->asked == CTX_PROVIDER_NONE ? own : d->asked;
	/* Of two APIs of one company, the format of the body decides. */
	if (d->shape != LINT_MESSAGES && lint_kinds[d->rules]->sibling == own)
		d->rules = own;
	if (d->soft && is_explicit_lint_body(d, own))
		d->rules = own;
	if (refuse_foreign(d, own, err) < 0)
		return -1;
	d->request = d->form == LINT_BODY &&
		     (d->shape != LINT_MESSAGES ||
			 lint_kinds[d->rules]->shape == LINT_MESSAGES);
	d->merged = !d->request && d->shape == LINT_MESSAGES;
	return 0;
}

int
ctx_lint_file_parse(struct lint_file *f, struct ctx_span text,
    const struct ctx_lint_options *o, struct ctx_err *err)
{
	struct ctx_span rest = text, value;
	struct lint_doc *stream = NULL;
	const char *from = text.p, *at;

	memset(f, 0, sizeof(*f));
	f->text = text;
	for (;;) {
		at = rest.p;
		if (ctx_json_check_next(rest, &value, &rest, err) < 0)
			goto bad;
		if (value.p == NULL)
			break;
		if (f->n > 0)
			from = value.p;
		if (add_lint_value(f, &stream, value, from, err) < 0)
			goto bad;
		f->docs[f->n - 1].text.n = (size_t)(rest.p - f->docs[f->n - 1].text.p);
	}
	for (size_t i = 0; i < f->n; i++) {
		struct lint_doc *d = &f->docs[i];
		at = d->text.p;
		if (i + 1 == f->n)
			d->text.n = (size_t)(text.p + text.n - d->text.p);
		d->asked = o->rules;
		d->soft = o->soft;
		if (ctx_lint_doc_choose(d, err) < 0)
			goto bad;
	}
	return 0;
bad:
	ctx_lint_file_release(f);
	text.n = (size_t)(at - text.p);
	return ctx_err_prefix(err, "line %zu", ctx_span_count(text, '\n') + 1);
}

static void
print_elements(struct lint_doc *d, struct ctx_buf *out)
{
	struct lint_element *e = ctx_mem_new(d->n * sizeof(*e));

	for (size_t i = 0; i < d->n; i++)
		e[i] = (struct lint_element){d->items[i].value, d->items[i].at};
	if (d->form == LINT_STREAM)
		ctx_lint_print_list(
		    out, d->text, d->sources, d->n_sources, e, d->n, false);
	else
		ctx_lint_print_array(out, d->array, e, d->n);
	free(e);
}

void
ctx_lint_doc_print(struct lint_doc *d, struct ctx_buf *out)
{
	struct ctx_span whole = d->form == LINT_BODY ? d->body : d->array, now = whole;
	struct ctx_buf b = CTX_BUF_INIT;
	size_t head = (size_t)(whole.p - d->text.p);

	if (!d->changed) {
		ctx_buf_addspan(out, d->text);
		return;
	}
	if (d->form == LINT_STREAM) {
		print_elements(d, out);
		return;
	}
	if (d->array.p != NULL) {
		print_elements(d, &b);
		now = ctx_lint_splice(d, whole, d->array, ctx_lint_keep(d, &b));
	}
	if (d->set_system)
		now = ctx_lint_set(d, now, "system", d->system);
	if (d->set_thinking)
		now = ctx_lint_set(d, now, "thinking", d->thinking);
	ctx_buf_add(out, d->text.p, head);
	ctx_buf_addspan(out, now);
	ctx_buf_add(out, whole.p + whole.n, d->text.n - head - whole.n);
}
