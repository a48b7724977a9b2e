/* Adds prompt modules, the session's items, and the agent's items that match the
 * message. */
#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "enrich/arrange.h"
#include "enrich/internal.h"
#include "json/json.h"
#include "record/message.h"
#include "recall/mode.h"
#include "recall/similar.h"

/* ---- mode ---- */

/* Returns the names of the tools used before the current turn, oldest first: tools that
 * were called, or that an imported answer says were used. */
static size_t
tools_before(const struct ctx_enrich *e, struct ctx_span names[], struct ctx_buf texts[],
    size_t max)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_err ignored = CTX_ERR_INIT;
	struct ctx_span used[CTX_MODE_TOOLS];
	size_t n = 0;

	for (size_t i = e->turn; i-- > 0 && n < max;) {
		if (e->messages[i].slot != CTX_SLOT_HISTORY ||
		    ctx_message_parse(&m, e->messages[i].message, &ignored) < 0)
			continue;
		for (size_t k = m.n; k-- > 0 && n < max;)
			if (m.parts[k].type == CTX_PART_TOOL_CALL &&
			    m.parts[k].name.p != NULL) {
				ctx_json_decode(m.parts[k].name, &texts[n]);
				n++;
			}
		size_t told = ctx_record_tools_used(
		    e->messages[i].metadata, used, CTX_MODE_TOOLS);
		for (size_t k = told < CTX_MODE_TOOLS ? told : CTX_MODE_TOOLS;
		     k-- > 0 && n < max;)
			ctx_json_decode(used[k], &texts[n++]);
	}
	for (size_t i = 0; i < n; i++)
		names[i] = ctx_buf_span(&texts[n - 1 - i]);
	ctx_message_release(&m);
	return n;
}

/* Returns the built-in modes, replaced by defined modes of the same name. */
static size_t
collect_modes(const struct ctx_enrich *e, struct ctx_mode **modes)
{
	size_t n_builtin, n = 0;
	const struct ctx_mode *builtin = ctx_mode_builtin(&n_builtin);

	*modes = ctx_mem_new((n_builtin + e->n_defs) * sizeof(**modes));
	for (size_t i = 0; i < n_builtin; i++)
		(*modes)[n++] = builtin[i];
	for (size_t i = 0; i < e->n_defs; i++) {
		const struct ctx_definition *d = &e->defs[i];
		struct ctx_mode mode = {ctx_span_of(d->name), ctx_span_of(d->content)};
		size_t at = 0;
		if (strcmp(d->type, "mode") != 0)
			continue;
		while (at < n && !ctx_span_eq((*modes)[at].name, mode.name))
			at++;
		if (!d->enabled || mode.words.p == NULL)
			mode.words = ctx_span_of("");
		(*modes)[at] = mode;
		n += at == n;
	}
	return n;
}

char *
ctx_enrich_choose_mode(struct ctx_enrich *e)
{
	struct ctx_span tools[CTX_MODE_TOOLS];
	struct ctx_buf texts[CTX_MODE_TOOLS] = {CTX_BUF_INIT};
	struct ctx_mode *modes;
	size_t n, n_tools;
	char *mode;
	int at;

	if (e->o.mode != NULL && strcmp(e->o.mode, "auto") != 0)
		return ctx_mem_str(e->o.mode);
	n_tools = tools_before(e, tools, texts, CTX_MODE_TOOLS);
	n = collect_modes(e, &modes);
	at = ctx_mode_infer(modes, n, ctx_buf_span(&e->query), tools, n_tools);
	mode = at < 0 ? ctx_mem_str("general") : ctx_span_dup(modes[at].name);
	for (size_t i = 0; i < CTX_MODE_TOOLS; i++)
		ctx_buf_release(&texts[i]);
	free(modes);
	return mode;
}

/* ---- prompt modules ---- */

static bool
holds_in(const struct ctx_definition *d, const char *mode)
{
	bool any = false;

	if (d->modes_json == NULL)
		return true;
	CTX_JSON_EACH(it, ctx_span_of(d->modes_json)) {
		any = true;
		if (ctx_json_is(it.value, mode))
			return true;
	}
	return !any;
}

/* Modules for every mode come first, because text that changes least should come
 * first. */
void
ctx_enrich_add_prompts(struct ctx_enrich *e)
{
	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < e->n_defs; i++) {
			const struct ctx_definition *d = &e->defs[i];
			bool every = holds_in(d, "");
			struct enrich_source source = {.type = "prompt",
			    .name = d->name,
			    .reason = every ? CTX_ENRICH_EVERY_MODE : e->mode,
			    .score = -1};
			if (strcmp(d->type, "prompt") != 0 || !d->enabled ||
			    d->content == NULL || every != (pass == 0) ||
			    !holds_in(d, e->mode))
				continue;
			ctx_enrich_add_text(
			    e, CTX_SLOT_PREFIX, &source, ctx_span_of(d->content));
		}
}

/* ---- items ---- */

/* Adds a tool that can be called: as text, for people and for models that accept nothing
 * else, and as the definition that ctx-render puts among the tools of a body. */
static void
add_callable(struct ctx_enrich *e, enum ctx_slot slot, const struct enrich_source *s,
    const struct ctx_definition *d, struct ctx_span text)
{
	struct ctx_buf source = CTX_BUF_INIT, message = CTX_BUF_INIT, name = CTX_BUF_INIT;

	ctx_definition_called(&name, d);
	ctx_enrich_put_source(&source, s);
	ctx_json_print(&message,
	    "{'role':'system','content':%t,'tool_definition':{'name':%t,'description':%s,"
	    "'input_schema':%j}}",
	    text, ctx_buf_span(&name), d->content, ctx_span_of(d->schema_json));
	ctx_enrich_add(e, slot, ctx_buf_span(&source), ctx_buf_span(&message));
	ctx_buf_release(&source);
	ctx_buf_release(&message);
	ctx_buf_release(&name);
}

/* Adds "Rule: name" and the text; for a tool, its parameters. */
static void
add_definition_item(struct ctx_enrich *e, enum ctx_slot slot,
    const struct ctx_definition *d, const char *include, double score)
{
	static const char *const labels[][2] = {
	    {"rule", "Rule"}, {"reference", "Reference"}, {"tool", "Tool"}};
	bool tool = strcmp(d->type, "tool") == 0;
	struct enrich_source source = {.type = d->type,
	    .name = d->name,
	    .server_name = tool ? d->server_name : NULL,
	    .include_mode = include,
	    .score = score};
	struct ctx_buf text = CTX_BUF_INIT;

	if (tool && d->schema_json == NULL)
		source.reason = "a tool without a schema is only described";
	for (size_t i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
		if (strcmp(labels[i][0], d->type) == 0)
			ctx_buf_addf(&text, "%s: ", labels[i][1]);
	if (tool)
		ctx_buf_addf(&text, "%s:", d->server_name);
	ctx_buf_addf(&text, "%s\n", d->name);
	if (d->content != NULL)
		ctx_buf_addf(&text, "%s\n", d->content);
	if (d->schema_json != NULL)
		ctx_buf_addf(&text, "Input: %s\n", d->schema_json);
	if (tool && d->schema_json != NULL)
		add_callable(e, slot, &source, d, ctx_span_trim(ctx_buf_span(&text)));
	else
		ctx_enrich_add_text(e, slot, &source, ctx_span_trim(ctx_buf_span(&text)));
	ctx_buf_release(&text);
}

static const struct ctx_definition *
definition_of(const struct ctx_enrich *e, const struct ctx_session_item *item)
{
	for (size_t i = 0; i < e->n_defs; i++)
		if (strcmp(e->defs[i].type, item->type) == 0 &&
		    strcmp(e->defs[i].name, item->name) == 0 &&
		    strcmp(e->defs[i].server_name, item->server_name) == 0)
			return &e->defs[i];
	return NULL;
}

void
ctx_enrich_add_session_items(struct ctx_enrich *e)
{
	for (size_t i = 0; i < e->n_items; i++) {
		const struct ctx_definition *d = definition_of(e, &e->items[i]);
		if (d != NULL && d->enabled)
			add_definition_item(
			    e, CTX_SLOT_PREFIX, d, e->items[i].include_mode, -1);
	}
}

static bool
is_candidate(const struct ctx_definition *d)
{
	return ctx_span_is_any(ctx_span_of(d->type), "rule|reference|tool") &&
	       d->enabled && strcmp(d->include, "agent") == 0;
}

struct scored {
	const struct ctx_definition *d;
	double score;
	size_t place;
};

static int
compare_item_scores(const void *pa, const void *pb)
{
	const struct scored *a = pa, *b = pb;

	return a->score != b->score ? CTX_ORDER(b->score, a->score)
				    : CTX_ORDER(a->place, b->place);
}

/* Scores items by the cosine of vectors. */
static int
score_by_vectors(struct ctx_enrich *e, struct scored *list, size_t n, struct ctx_err *err)
{
	struct ctx_embed_text *texts = ctx_mem_new((n + 1) * sizeof(*texts));
	struct ctx_buf *all = ctx_mem_new(n * sizeof(*all));
	int rc;

	for (size_t i = 0; i < n; i++) {
		ctx_buf_addf(&all[i], "%s\n%s", list[i].d->name,
		    list[i].d->content == NULL ? "" : list[i].d->content);
		texts[i].text = ctx_buf_span(&all[i]);
	}
	texts[n].text = ctx_buf_span(&e->query);
	texts[n].session_no = e->session == NULL ? 0 : e->session->no;
	rc = ctx_embedder_ask(e->embedder, texts, n + 1, err);
	if (rc == 1)
		rc = ctx_err_set(err, CTX_EIO, "'%s' took longer than %lld ms",
		    e->o.embed, (long long)e->o.exec_timeout_ms);
	for (size_t i = 0; i < n; i++) {
		list[i].score = ctx_vector_cosine(&texts[i].vector, &texts[n].vector);
		ctx_buf_release(&all[i]);
	}
	ctx_embed_release(texts, n + 1);
	free(texts);
	free(all);
	return rc;
}

/* Scores items by shared words. */
static void
score_by_words(const struct ctx_enrich *e, struct scored *list, size_t n)
{
	struct ctx_similar *s = ctx_similar_new();
	double *scores = ctx_mem_new(n * sizeof(*scores));

	for (size_t i = 0; i < n; i++)
		ctx_similar_add(
		    s, ctx_span_of(list[i].d->name), ctx_span_of(list[i].d->content));
	ctx_similar_score(s, ctx_buf_span(&e->query), scores);
	for (size_t i = 0; i < n; i++)
		list[i].score = scores[i];
	ctx_similar_free(s);
	free(scores);
}

static void
score_enrich_items(struct ctx_enrich *e, struct scored *list, size_t n)
{
	struct ctx_err err = CTX_ERR_INIT;

	if (e->embedder != NULL && !e->embed_failed) {
		if (score_by_vectors(e, list, n, &err) == 0)
			return;
		ctx_enrich_embed_failed(e, &err);
	}
	score_by_words(e, list, n);
}

/* Records why an item that was considered is not added. */
static void
pass_over_scored_item(struct ctx_enrich *e, const struct scored *s)
{
	struct ctx_buf b = CTX_BUF_INIT;

	ctx_buf_addf(&b, "type %s, name %s, similarity_score %.4f, ", s->d->type,
	    s->d->name, s->score);
	if (s->score >= e->o.min_score && s->score > 0)
		ctx_buf_addf(&b,
		    "%lld items with a higher similarity were already added (--top-n)",
		    (long long)e->o.top_n);
	else
		ctx_buf_addf(&b, "not similar enough (--min-score %.4g)", e->o.min_score);
	ctx_enrich_pass(e, false, ctx_buf_span(&b));
	ctx_buf_release(&b);
}

void
ctx_enrich_add_agent_items(struct ctx_enrich *e)
{
	struct scored *list = ctx_mem_new(e->n_defs * sizeof(*list));
	bool *in_session = ctx_mem_new((e->n_defs + 1) * sizeof(*in_session));
	int64_t taken = 0;
	size_t n = 0;

	for (size_t i = 0; i < e->n_items; i++) {
		const struct ctx_definition *d = definition_of(e, &e->items[i]);
		if (d != NULL)
			in_session[d - e->defs] = true;
	}
	for (size_t i = 0; i < e->n_defs; i++)
		if (!in_session[i] && is_candidate(&e->defs[i])) {
			list[n] = (struct scored){&e->defs[i], 0, n};
			n++;
		}
	if (n > 0) {
		score_enrich_items(e, list, n);
		qsort(list, n, sizeof(*list), compare_item_scores);
	}
	for (size_t i = 0; i < n && (int64_t)i < e->o.top_k; i++)
		if (taken < e->o.top_n && list[i].score > 0 &&
		    list[i].score >= e->o.min_score) {
			add_definition_item(
			    e, CTX_SLOT_VOLATILE, list[i].d, "agent", list[i].score);
			taken++;
		} else {
			pass_over_scored_item(e, &list[i]);
		}
	free(in_session);
	free(list);
}

bool
ctx_enrich_is_enabled(const struct ctx_enrich *e, struct ctx_span source)
{
	struct ctx_span server = ctx_json_get(source, "server_name");

	if (ctx_json_get(source, "include_mode").p == NULL)
		return true;
	for (size_t i = 0; i < e->n_defs; i++) {
		const struct ctx_definition *d = &e->defs[i];
		if (d->enabled && ctx_json_has_type(source, d->type) &&
		    ctx_json_is(ctx_json_get(source, "name"), d->name) &&
		    (server.p == NULL || ctx_json_is(server, d->server_name)))
			return true;
	}
	return false;
}
