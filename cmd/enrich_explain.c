/* ctx-enrich: explains, for people, what was added and what was not. */
#include "enrich.h"

#include "base/buf.h"
#include "json/json.h"
#include "select/account.h"

/* Prints the entities that did not fit, one on each line. */
static void
explain_rest(struct ctx_span entities)
{
	struct ctx_buf b = CTX_BUF_INIT;

	CTX_JSON_EACH(it, entities) {
		ctx_buf_reset(&b);
		ctx_json_decode(ctx_json_get(it.value, "type"), &b);
		ctx_buf_adds(&b, ": ");
		ctx_json_decode(ctx_json_get(it.value, "name"), &b);
		cli_warn("left out, because it does not fit: entity %s", b.p);
	}
	ctx_buf_release(&b);
}

static void
explain_addition(const struct ctx_enriched *w, int64_t room, size_t i)
{
	const struct ctx_item *it = &w->history.items[w->item_of[i]];
	struct ctx_span source = ctx_span_of(w->additions[i].source);
	struct ctx_buf b = CTX_BUF_INIT;

	ctx_buf_adds(&b, it->keep ? "added: " : "left out: ");
	CTX_JSON_EACH(member, source) {
		if (ctx_json_type(member.value) == CTX_JSON_ARRAY)
			continue;
		if (member.key.p != source.p + 1)
			ctx_buf_adds(&b, ", ");
		ctx_json_decode(member.key, &b);
		ctx_buf_addc(&b, ' ');
		if (ctx_json_type(member.value) == CTX_JSON_STRING)
			ctx_json_decode(member.value, &b);
		else
			ctx_buf_addspan(&b, member.value);
	}
	ctx_buf_addf(&b, ", %s, %lld token%s", ctx_slot_name(it->slot),
	    (long long)it->tokens, CTX_PLURAL(it->tokens));
	if (!it->keep)
		ctx_buf_addf(&b, ", does not fit in %lld tokens", (long long)room);
	cli_warn("%s", b.p);
	explain_rest(ctx_json_get(source, "entities"));
	ctx_buf_release(&b);
}

static void
explain_passed(const struct ctx_enrich *e)
{
	size_t n;
	const struct ctx_passed *passed = ctx_enrich_passed(e, &n);

	for (size_t i = 0; i < n; i++)
		cli_warn(passed[i].crowded ? "left out, because it does not fit: %s"
					   : "left out: %s",
		    passed[i].what);
}

void
enrich_explain(const struct ctx_enrich *e, const struct ctx_enriched *w, int64_t room)
{
	struct ctx_request account = CTX_REQUEST_INIT;
	struct ctx_buf object = CTX_BUF_INIT;

	cli_warn("mode: %s%s", ctx_enrich_mode(e),
	    ctx_enrich_cached(e) ? " (from the cache)" : "");
	for (size_t i = 0; i < w->n_additions; i++)
		if (w->additions[i].slot == CTX_SLOT_PREFIX || w->turn < w->n)
			explain_addition(w, room, i);
	explain_passed(e);
	ctx_account(&account, &w->history, w->sources);
	cli_warn("tokenizer: %s", ctx_tokenizer_name(w->tokenizer));
	ctx_buf_addf(&object, "{%s}", account.tokens.p);
	CTX_JSON_EACH(it, ctx_buf_span(&object))
		cli_warn("tokens: %.*s %.*s", (int)it.key.n - 2, it.key.p + 1,
		    (int)it.value.n, it.value.p);
	ctx_buf_release(&object);
	ctx_request_release(&account);
}

#define NAMED 3 /* maximum number of items named among those that did not fit */

/* Returns whether the addition was left out completely. An entity list is if none of its
 * entities fits; then the note on how to use entities is left out too. */
static bool
is_out(const struct ctx_enriched *w, size_t i)
{
	const struct ctx_addition *a = &w->additions[i];

	if (a->slot != CTX_SLOT_VOLATILE || w->history.items[w->item_of[i]].keep ||
	    ctx_json_is(
		ctx_json_get(ctx_span_of(a->source), "reason"), CTX_ENRICH_FOR_ENTITIES))
		return false;
	return !a->rest || i == 0 ||
	       !ctx_json_has_type(ctx_span_of(a[-1].source), "entity");
}

struct out {
	struct ctx_buf names;
	size_t n;
	int64_t tokens;
};

static void
add_out(struct out *out, struct ctx_span type, struct ctx_span name, int64_t tokens)
{
	out->tokens += tokens;
	if (out->n++ >= NAMED)
		return;
	ctx_buf_adds(&out->names, out->n == 1 ? "" : ", ");
	if (!ctx_json_is(type, "entity")) {
		ctx_json_decode(type, &out->names);
		ctx_buf_addc(&out->names, ' ');
	}
	ctx_json_decode(name, &out->names);
}

void
enrich_note_room(const struct ctx_enrich *e, const struct ctx_enriched *w, int64_t room)
{
	struct out out = {.names = CTX_BUF_INIT};
	bool entities = false;
	size_t n_passed;
	const struct ctx_passed *passed = ctx_enrich_passed(e, &n_passed);

	for (size_t i = 0; w->turn < w->n && i < w->n_additions; i++) {
		struct ctx_span source = ctx_span_of(w->additions[i].source);
		struct ctx_span type = ctx_json_get(source, "type");
		const struct ctx_item *it = &w->history.items[w->item_of[i]];
		entities |= it->keep && ctx_json_is(type, "entity");
		if (is_out(w, i))
			add_out(&out, type, ctx_json_get(source, "name"), it->tokens);
	}
	if (out.n > NAMED)
		ctx_buf_addf(&out.names, " and %zu more", out.n - NAMED);
	if (out.n > 0)
		ctx_buf_addf(&out.names, " (%lld token%s)", (long long)out.tokens,
		    CTX_PLURAL(out.tokens));
	for (size_t i = 0; i < n_passed; i++)
		if (passed[i].crowded)
			ctx_buf_addf(&out.names, "%s%s", out.names.n > 0 ? ", " : "",
			    passed[i].what);
	if (out.names.n > 0)
		cli_note(
		    "no room for %s: at most %lld tokens can be added to the message; increase --max-tokens or ctx-window --reserve%s",
		    out.names.p, (long long)room,
		    entities ? ", or lower --entities" : "");
	ctx_buf_release(&out.names);
}
