#include "render/bound.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "record/request.h"
#include "render/tools.h"

static void
hash_span(struct ctx_sha256 *h, struct ctx_span s)
{
	uint64_t n = s.n;

	ctx_sha256_add(h, &n, sizeof(n));
	ctx_sha256_add(h, s.p, s.n);
}

/* Hashes what the parameters put before the messages. */
static void
hash_bound_front(struct ctx_sha256 *h, const struct ctx_render_options *o)
{
	struct ctx_buf text = CTX_BUF_INIT;

	hash_span(h, ctx_span_of(ctx_provider_name(o->provider)));
	for (size_t i = 0; ctx_front_member(o->params, i, &text); i++)
		hash_span(h, ctx_buf_span(&text));
	ctx_buf_release(&text);
}

/* Stores the digest of the data so far. h is a copy, so more data can be added to the
 * original. */
static void
take_digest(struct ctx_sha256 h, char out[CTX_HASH_HEX + 1])
{
	uint8_t raw[CTX_HASH_RAW];

	ctx_sha256_end(&h, raw);
	ctx_hash_hex(raw, sizeof(raw), out);
}

/* True for an addition that instructs the model. */
static bool
is_rule(const struct ctx_render_item *it)
{
	struct ctx_span type = ctx_json_get(it->source, "type");
	struct ctx_span name = ctx_json_get(it->source, "name");

	return it->slot == CTX_SLOT_VOLATILE &&
	       ctx_json_is(ctx_json_get(it->message, "role"), "system") &&
	       (ctx_json_is(type, "rule") || ctx_json_is(type, "prompt") ||
		   (ctx_json_is(type, "note") &&
		       (ctx_json_is(name, "mode") || ctx_json_is(name, "instructions"))));
}

void
ctx_bound_rules(
    struct ctx_render_item *items, size_t n, const struct ctx_render_options *o)
{
	for (size_t i = 0; i < n; i++)
		items[i].inside = o->rules_inside && is_rule(&items[i]);
}

/* True if the answer was made in this run. */
static bool
is_of_run(const struct ctx_render_item *it, struct ctx_span run)
{
	struct ctx_span id = ctx_json_get(run, "id");

	return ctx_json_type(id) == CTX_JSON_STRING &&
	       ctx_span_eq(ctx_json_get(ctx_json_get(it->metadata, "run"), "id"), id);
}

/* Whether the messages before an answer include kinds whose form depends on the model. */
struct forms {
	bool system, rules;
	bool begun; /* the history has begun, after its opening system messages */
};

static void
see_forms(struct forms *f, const struct ctx_render_item *it)
{
	struct ctx_span role = ctx_json_get(it->message, "role");
	bool system = ctx_json_is(role, "system") || ctx_json_is(role, "developer");

	f->rules |= is_rule(it);
	f->system |= f->begun && it->slot == CTX_SLOT_HISTORY && system;
	f->begun |= it->slot == CTX_SLOT_HISTORY && !system;
}

/* True if the model of the answer received these messages in another form. */
static bool
is_other_form(
    const struct forms *f, const struct ctx_render_options *o, struct ctx_span made)
{
	return (f->system && ctx_json_true(ctx_json_get(made, "system_inside")) !=
				 o->system_inside) ||
	       (f->rules &&
		   ctx_json_is(ctx_json_get(made, "rules"), "system") != o->rules_inside);
}

int64_t
ctx_bound_find(struct ctx_render_item *items, size_t n,
    const struct ctx_render_options *o, struct ctx_span run,
    char digest[CTX_HASH_HEX + 1])
{
	struct forms forms = {false, false, false};
	struct ctx_sha256 h;
	int64_t broken = -1;

	ctx_sha256_start(&h);
	hash_bound_front(&h, o);
	for (size_t i = 0; i < n; i++) {
		struct ctx_span made = ctx_json_get(items[i].metadata, "run");
		bool ours = is_of_run(&items[i], run);
		take_digest(h, digest);
		items[i].unbound = !ours ||
				   !ctx_json_is(ctx_json_get(made, "digest"), digest);
		if (ours && items[i].unbound && items[i].withheld == NULL &&
		    items[i].seq > broken)
			broken = items[i].seq;
		items[i].unbound |= is_other_form(&forms, o, made);
		see_forms(&forms, &items[i]);
		hash_span(&h, ctx_span_of(ctx_slot_name(items[i].slot)));
		hash_span(&h, items[i].message);
	}
	take_digest(h, digest);
	return broken;
}

/* ---- tools ---- */

/* Returns the name of the tool that an addition defines, to be freed by the caller, or
 * NULL. */
static char *
get_tool_name(const struct ctx_render_item *it, struct ctx_message *view)
{
	if (it->slot == CTX_SLOT_HISTORY || !ctx_json_has_type(it->source, "tool") ||
	    ctx_message_parse(view, it->message, NULL) < 0)
		return NULL;
	return ctx_json_strdup(ctx_json_get(ctx_message_tool(view), "name"));
}

static bool
is_name_taken(char *const names[], size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (names[i] != NULL && strcmp(names[i], name) == 0)
			return true;
	return false;
}

void
ctx_bound_tools(enum ctx_bound_tool tools[], const struct ctx_render_item *items,
    size_t n, struct ctx_span run, struct ctx_span given)
{
	char **names = ctx_mem_new((n + 1) * sizeof(*names));
	struct ctx_message view = CTX_MESSAGE_INIT;
	bool answered = false;

	for (size_t i = 0; i < n; i++) {
		names[i] = get_tool_name(&items[i], &view);
		tools[i] = CTX_BOUND_NONE;
		answered |= is_of_run(&items[i], run);
		if (names[i] == NULL)
			continue;
		tools[i] = !answered ? CTX_BOUND_FRONT
			   : ctx_render_tools_hold(given, names[i]) ||
				   is_name_taken(names, i, names[i])
			       ? CTX_BOUND_TWICE
			       : CTX_BOUND_LATE;
	}
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
	ctx_message_release(&view);
}
