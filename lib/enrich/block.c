/* Adds the entities as one addition, as many as fit. */
#include "enrich/arrange.h"
#include "enrich/internal.h"
#include "json/json.h"

#define HEAD "Entities in this conversation:\n"

/* Appends the source of the addition, which names the entities that it contains or (rest)
 * that did not fit. */
static void
put_source(struct ctx_buf *b, const struct enrich_part *parts, size_t n, bool rest)
{
	ctx_json_print(b, "{'type':'entity','name':'entities'");
	ctx_json_add_open(b, rest ? "entities" : "names", '[');
	for (size_t i = 0; i < n; i++)
		ctx_json_print(b, "{'type':%s,'name':%s}", parts[i].type, parts[i].name);
	ctx_buf_adds(b, "]}");
}

static void
add_entity_block_parts(struct ctx_enrich *e, size_t from, size_t to, bool rest)
{
	size_t start = from == 0 ? 0 : e->parts[from - 1].end;
	struct ctx_span texts = {e->entities.p + start, e->parts[to - 1].end - start};
	struct ctx_buf text = CTX_BUF_INIT, source = CTX_BUF_INIT;

	ctx_buf_adds(&text, HEAD);
	ctx_buf_addspan(&text, texts);
	put_source(&source, e->parts + from, to - from, rest);
	ctx_enrich_add_system(e, CTX_SLOT_VOLATILE, ctx_buf_span(&source),
	    ctx_span_trim(ctx_buf_span(&text)));
	e->list[e->n - 1].rest = rest;
	ctx_buf_release(&text);
	ctx_buf_release(&source);
}

static int64_t
count_entity_block_tokens(struct ctx_enrich *e, size_t n)
{
	int64_t tokens;

	add_entity_block_parts(e, 0, n, false);
	tokens = ctx_addition_tokens(&e->list[e->n - 1], e->o.tokenizer);
	ctx_enrich_drop_last(e);
	return tokens;
}

/* Returns how many of the first entities fit. The tokens of a text differ from the sum
 * over its parts, so the whole text is counted, a few times. */
static size_t
count_fitting_entity_parts(struct ctx_enrich *e, int64_t left)
{
	size_t fit = 0, over = e->n_parts;

	if (count_entity_block_tokens(e, e->n_parts) <= left)
		return e->n_parts;
	while (fit + 1 < over) {
		size_t middle = fit + (over - fit) / 2;
		if (count_entity_block_tokens(e, middle) <= left)
			fit = middle;
		else
			over = middle;
	}
	return fit;
}

/* Returns how many entities to add. If not everything fits, they get what the other
 * additions leave, but at least half of the space; and the most relevant entity is added
 * whenever it fits at all. */
static size_t
choose_entity_part_count(struct ctx_enrich *e)
{
	int64_t left = ctx_additions_left(e->list, e->n, e->o.tokenizer, false, e->room);
	int64_t others = ctx_additions_behind_entities(e->list, e->n, e->o.tokenizer);
	size_t n;

	others += ctx_enrich_history_max(e);
	n = count_fitting_entity_parts(
	    e, left - others > left / 2 ? left - others : left / 2);
	return n == 0 && count_entity_block_tokens(e, 1) <= left ? 1 : n;
}

void
ctx_enrich_add_entities(struct ctx_enrich *e, size_t where)
{
	size_t n = e->n_parts,
	       fit = e->room >= 0 && n > 0 ? choose_entity_part_count(e) : n;

	if (fit > 0) {
		add_entity_block_parts(e, 0, fit, false);
		ctx_enrich_move_last(e, where++);
	}
	if (fit < n) {
		add_entity_block_parts(e, fit, n, true);
		ctx_enrich_move_last(e, where);
	}
}
