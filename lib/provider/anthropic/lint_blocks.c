/* Lint rules for blocks and cache marks that are valid alone but that Anthropic refuses
 * where they are: cache marks, compaction blocks, server tools, citations. */
#include "provider/anthropic/lint.h"

#include <string.h>

#include "base/utf8.h"
#include "json/json.h"
#include "provider/anthropic/internal.h"
#include "record/calls.h"

/* ---- cache marks ("Prompt caching") ---- */

struct mark_check {
	struct lint_doc *d;
	size_t item;
	bool minutes; /* a mark with a lifetime of five minutes was seen */
};

static void
check_mark(struct mark_check *m, struct ctx_span block)
{
	struct ctx_span mark = ctx_json_get(block, "cache_control");
	bool hour = ctx_json_is(ctx_json_get(mark, "ttl"), "1h");

	if (ctx_json_type(mark) != CTX_JSON_OBJECT)
		return;
	if (ctx_anthropic_takes_no_mark(block))
		ctx_lint_note(m->d, "an-cache-marks", true, m->item,
		    "\"cache_control\" is not allowed in thinking blocks, empty texts and deferred tools");
	else if (hour && m->minutes)
		ctx_lint_note(m->d, "an-cache-marks", true, m->item,
		    "a one-hour cache mark (\"ttl\":\"1h\") follows a five-minute cache mark: one-hour marks must come first");
	m->minutes |= !hour;
}

static void
check_list_marks(struct mark_check *m, struct ctx_span list)
{
	CTX_JSON_EACH(it, list)
		check_mark(m, it.value);
}

static void
check_marks(struct lint_doc *d)
{
	struct mark_check m = {d, LINT_NO_ITEM, false};
	struct ctx_span top = ctx_json_get(d->body, "cache_control");

	check_list_marks(&m, ctx_json_get(d->body, "tools"));
	check_list_marks(&m, ctx_json_get(d->body, "system"));
	for (m.item = 0; m.item < d->n; m.item++)
		check_list_marks(&m, d->items[m.item].content);
	if (ctx_json_type(top) == CTX_JSON_OBJECT && m.minutes &&
	    ctx_json_is(ctx_json_get(top, "ttl"), "1h"))
		ctx_lint_note(d, "an-cache-marks", true, LINT_NO_ITEM,
		    "the body's own \"cache_control\" comes after five-minute cache marks, so it needs \"ttl\":\"5m\" too");
}

/* ---- deferred tools ("Mid-conversation system messages", tool changes) ---- */

static void
check_deferred_tools(struct lint_doc *d)
{
	struct ctx_span tools = ctx_json_get(d->body, "tools");
	size_t deferred = 0;

	CTX_JSON_EACH(it, tools) {
		if (!ctx_json_true(ctx_json_get(it.value, "defer_loading")))
			return;
		deferred++;
	}
	if (deferred > 0)
		ctx_lint_note(d, "an-deferred-tools", false, LINT_NO_ITEM,
		    "all tools have \"defer_loading\": remove it from at least one tool");
}

/* ---- compaction ("Compaction on demand", "Compaction at a token threshold") ---- */

bool
ctx_anthropic_compaction_member(struct ctx_span key)
{
	static const char *const known[] = {"type", "content", "signature",
	    "encrypted_content", "tool_changes", "cache_control", NULL};

	return ctx_json_is_any(key, known);
}

static void
check_compaction_members(struct lint_doc *d, size_t item, struct ctx_span block)
{
	if (ctx_json_is(ctx_json_get(block, "content"), ""))
		ctx_lint_note(
		    d, "an-compaction", true, item, "a compaction block has no content");
	CTX_JSON_EACH(it, block)
		if (!ctx_anthropic_compaction_member(it.key))
			ctx_lint_note(d, "an-compaction", true, item,
			    "a compaction block has an unknown member: %.*s",
			    (int)it.key.n, it.key.p);
}

/* Checks all compaction blocks. True if the body holds a signed one. */
static bool
check_compaction_blocks(struct lint_doc *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++)
		LINT_EACH_PART(p, d, &d->items[i]) {
			if (!ctx_json_has_type(p->raw, "compaction"))
				continue;
			check_compaction_members(d, i, p->raw);
			if (ctx_json_get(p->raw, "signature").p == NULL)
				continue;
			if (++n > 1)
				ctx_lint_note(d, "an-compaction", true, i,
				    "a request may contain only one compaction block");
			else if (i > 0 || p != &d->parts[d->items[i].first])
				ctx_lint_note(d, "an-compaction", true, i,
				    "the compaction block must come first: remove the messages that it replaces");
		}
	return n > 0;
}

static void
check_compaction_request(struct lint_doc *d)
{
	static const char *const beside[] = {"context_management", "stop_sequences"};
	struct ctx_span choice = ctx_json_get(d->body, "tool_choice");
	struct ctx_span asked = ctx_json_get(d->body, "compaction");
	size_t most = ctx_provider_facts(CTX_PROVIDER_ANTHROPIC)
			  ->compaction->instructions_most;
	struct ctx_buf text = CTX_BUF_INIT;

	if (ctx_json_type(asked) != CTX_JSON_OBJECT)
		return;
	ctx_json_decode(ctx_json_get(asked, "instructions"), &text);
	if (ctx_utf8_length(text.p, text.n) > most)
		ctx_lint_note(d, "an-compaction", true, LINT_NO_ITEM,
		    "the instructions of a compaction are longer than %zu characters",
		    most);
	ctx_buf_release(&text);
	for (size_t i = 0; i < sizeof(beside) / sizeof(beside[0]); i++)
		if (ctx_json_get(d->body, beside[i]).p != NULL)
			ctx_lint_note(d, "an-compaction", true, LINT_NO_ITEM,
			    "\"%s\" cannot be combined with \"compaction\"", beside[i]);
	if (ctx_json_get(ctx_json_get(d->body, "output_config"), "format").p != NULL)
		ctx_lint_note(d, "an-compaction", true, LINT_NO_ITEM,
		    "\"format\" in \"output_config\" cannot be combined with \"compaction\"");
	if (ctx_json_has_type(choice, "any") || ctx_json_has_type(choice, "tool"))
		ctx_lint_note(d, "an-compaction", true, LINT_NO_ITEM,
		    "a forced \"tool_choice\" cannot be combined with \"compaction\"");
}

/* Checks "context_management" (Anthropic, "Context editing"). */
static void
check_edits(struct lint_doc *d, bool compacted)
{
	struct ctx_span edits = ctx_json_get(
	    ctx_json_get(d->body, "context_management"), "edits");
	int64_t value;

	CTX_JSON_EACH(it, edits) {
		struct ctx_span trigger = ctx_json_get(it.value, "trigger");
		if (ctx_json_has_type(it.value, "clear_thinking_20251015") &&
		    it.value.p != ctx_json_first(edits).p)
			ctx_lint_note(d, "an-edits", true, LINT_NO_ITEM,
			    "\"clear_thinking_20251015\" must be the first edit");
		if (!ctx_json_has_type(it.value, "compact_20260112"))
			continue;
		if (ctx_json_int(ctx_json_get(trigger, "value"), &value) && value < 50000)
			ctx_lint_note(d, "an-edits", true, LINT_NO_ITEM,
			    "\"compact_20260112\" has a trigger of %lld tokens; the minimum is 50000",
			    (long long)value);
		if (compacted)
			ctx_lint_note(d, "an-edits", true, LINT_NO_ITEM,
			    "\"compact_20260112\" cannot be used in a request that contains a signed compaction block");
	}
}

/* ---- tools ---- */

/* The result of a call must repeat the call's "toolset_name" (types of Anthropic's SDK).
 * Returns the call's value if the result lacks it, otherwise an absent span. */
struct ctx_span
ctx_anthropic_toolset(const struct lint_doc *d, const struct lint_part *result)
{
	struct ctx_span own = ctx_json_get(result->raw, "toolset_name"), wanted;

	for (size_t k = 0; result->id >= 0 && k < d->n_parts; k++) {
		if (d->parts[k].type != LINT_CALL || d->parts[k].id != result->id)
			continue;
		wanted = ctx_json_get(d->parts[k].raw, "toolset_name");
		return ctx_json_type(wanted) == CTX_JSON_STRING &&
			       !ctx_span_eq(wanted, own)
			   ? wanted
			   : CTX_SPAN_NONE;
	}
	return CTX_SPAN_NONE;
}

static void
check_toolset(struct lint_doc *d, size_t item, const struct lint_part *result)
{
	struct ctx_span wanted = ctx_anthropic_toolset(d, result);

	if (wanted.p != NULL)
		ctx_lint_note(d, "an-toolset", true, item,
		    "the result must have the \"toolset_name\" of its call: %.*s",
		    (int)wanted.n, wanted.p);
}

/* Checks the id of a provider-run call. The format comes from error messages of the live
 * service that several clients have reported. */
static void
check_server_id(struct lint_doc *d, size_t item, struct ctx_span block)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span id = ctx_json_text(ctx_json_get(block, "id"), &tmp);
	const char *prefix = ctx_json_has_type(block, "mcp_tool_use") ? "mcptoolu_"
								      : "srvtoolu_";

	if (id.n <= strlen(prefix) || !ctx_span_begins(id, prefix) ||
	    !ctx_lint_plain_name(id, id.n) || memchr(id.p, '-', id.n) != NULL)
		ctx_lint_note(d, "an-server-id", false, item,
		    "the id of a server tool call must match %s[a-zA-Z0-9_]+", prefix);
	ctx_buf_release(&tmp);
}

/* ---- documents and search results ("Citations", "Search results") ---- */

struct cited {
	size_t with, without;
};

static void
count_cited(struct ctx_span block, struct cited *documents, struct cited *results)
{
	struct cited *c = ctx_json_has_type(block, "document")        ? documents
			  : ctx_json_has_type(block, "search_result") ? results
								      : NULL;

	if (c != NULL &&
	    ctx_json_true(ctx_json_get(ctx_json_get(block, "citations"), "enabled")))
		c->with++;
	else if (c != NULL)
		c->without++;
	if (!ctx_json_has_type(block, "tool_result"))
		return;
	CTX_JSON_EACH(it, ctx_json_get(block, "content"))
		count_cited(it.value, documents, results);
}

static void
check_search_result(struct lint_doc *d, size_t item, struct ctx_span block)
{
	static const char *const required[] = {"source", "title", "content"};

	for (size_t i = 0; i < sizeof(required) / sizeof(required[0]); i++)
		if (ctx_json_get(block, required[i]).p == NULL)
			ctx_lint_note(d, "an-search-result", true, item,
			    "a search result has no \"%s\"", required[i]);
}

static void
check_blocks(struct lint_doc *d)
{
	struct cited documents = {0, 0}, results = {0, 0};

	for (size_t i = 0; i < d->n; i++)
		LINT_EACH_PART(p, d, &d->items[i]) {
			if (!p->block)
				continue;
			if (p->type == LINT_RESULT)
				check_toolset(d, i, p);
			if (ctx_server_item_is_call(p->raw))
				check_server_id(d, i, p->raw);
			if (ctx_json_has_type(p->raw, "search_result"))
				check_search_result(d, i, p->raw);
			count_cited(p->raw, &documents, &results);
		}
	if ((documents.with > 0 && documents.without > 0) ||
	    (results.with > 0 && results.without > 0))
		ctx_lint_note(d, "an-citations", true, LINT_NO_ITEM,
		    "citations are enabled on some of the %s but not on all",
		    documents.with > 0 && documents.without > 0 ? "documents"
								: "search results");
}

void
ctx_anthropic_lint_blocks(struct lint_doc *d)
{
	bool compacted;

	check_marks(d);
	check_deferred_tools(d);
	compacted = check_compaction_blocks(d);
	check_compaction_request(d);
	check_edits(d, compacted);
	check_blocks(d);
}
