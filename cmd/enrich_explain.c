/* What is in and what is not, for people. */
#include "enrich.h"

#include "json/json.h"
#include "select/account.h"

/* What had no room, one a line. */
static void
explain_rest(struct ctx_span entities)
{
	struct ctx_buf b = CTX_BUF_INIT;
	struct ctx_json_iter it;

	ctx_json_iter_init(&it, entities);
	while (ctx_json_iter_next(&it)) {
		ctx_buf_reset(&b);
		ctx_json_decode(ctx_json_get(it.value, "type"), &b);
		ctx_buf_adds(&b, ": ");
		ctx_json_decode(ctx_json_get(it.value, "name"), &b);
		cli_warn("out: entity %s, did not fit", b.p);
	}
	ctx_buf_release(&b);
}

static void
explain_addition(const struct ctx_enriched *w, int64_t room, size_t i)
{
	const struct ctx_item *it = &w->history.items[w->item_of[i]];
	struct ctx_span source = ctx_span_of(w->additions[i].source);
	struct ctx_buf b = CTX_BUF_INIT;
	struct ctx_json_iter member;

	ctx_buf_adds(&b, it->keep ? "in:  " : "out: ");
	ctx_json_iter_init(&member, source);
	while (ctx_json_iter_next(&member)) {
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
	ctx_buf_addf(
	    &b, ", %s, %lld tokens", ctx_slot_name(it->slot), (long long)it->tokens);
	if (!it->keep)
		ctx_buf_addf(&b, ", did not fit in %lld", (long long)room);
	cli_warn("%s", b.p);
	explain_rest(ctx_json_get(source, "entities"));
	ctx_buf_release(&b);
}

void
enrich_explain(const struct ctx_enrich *e, const struct ctx_enriched *w, int64_t room)
{
	struct ctx_request account;
	struct ctx_buf object = CTX_BUF_INIT;
	struct ctx_json_iter it;

	ctx_request_init(&account);
	cli_warn("mode: %s%s", ctx_enrich_mode(e),
	    ctx_enrich_cached(e) ? " (from the cache)" : "");
	for (size_t i = 0; i < w->n_additions; i++)
		if (w->additions[i].slot == CTX_SLOT_PREFIX || w->turn < w->n)
			explain_addition(w, room, i);
	ctx_account(&account, &w->history, w->sources);
	ctx_buf_addf(&object, "{%s}", account.tokens.p);
	ctx_json_iter_init(&it, ctx_buf_span(&object));
	while (ctx_json_iter_next(&it))
		cli_warn("tokens: %.*s %.*s", (int)it.key.n - 2, it.key.p + 1,
		    (int)it.value.n, it.value.p);
	ctx_buf_release(&object);
	ctx_request_release(&account);
}

#define NAMED 3 /* of what had no room */

/* Is it out as a whole? Of entities, when none is in; the note on how to use them goes with
 * them. */
static bool
is_out(const struct ctx_enriched *w, size_t i)
{
	const struct ctx_addition *a = &w->additions[i];

	if (a->slot != CTX_SLOT_VOLATILE || w->history.items[w->item_of[i]].keep ||
	    ctx_json_is(
		ctx_json_get(ctx_span_of(a->source), "reason"), CTX_ENRICH_FOR_ENTITIES))
		return false;
	return !a->rest || i == 0 ||
	       !ctx_json_is(ctx_json_get(ctx_span_of(a[-1].source), "type"), "entity");
}

void
enrich_note_room(const struct ctx_enriched *w, int64_t room)
{
	struct ctx_buf b = CTX_BUF_INIT;
	bool entities = false;
	int64_t tokens = 0;
	size_t n = 0;

	if (w->turn == w->n)
		return;
	for (size_t i = 0; i < w->n_additions; i++) {
		struct ctx_span source = ctx_span_of(w->additions[i].source);
		bool entity = ctx_json_is(ctx_json_get(source, "type"), "entity");
		entities |= entity && w->history.items[w->item_of[i]].keep;
		if (!is_out(w, i))
			continue;
		tokens += w->history.items[w->item_of[i]].tokens;
		if (n++ >= NAMED)
			continue;
		ctx_buf_adds(&b, n == 1 ? "" : ", ");
		if (!entity) {
			ctx_json_decode(ctx_json_get(source, "type"), &b);
			ctx_buf_addc(&b, ' ');
		}
		ctx_json_decode(ctx_json_get(source, "name"), &b);
	}
	if (n > NAMED)
		ctx_buf_addf(&b, " and %zu more", n - NAMED);
	if (n > 0)
		cli_note("no room for %s (%lld tokens; %lld for all); more with "
			 "--max-tokens or a larger --reserve of ctx-window%s",
		    b.p, (long long)tokens, (long long)room,
		    entities ? ", or with fewer --entities" : "");
	ctx_buf_release(&b);
}
