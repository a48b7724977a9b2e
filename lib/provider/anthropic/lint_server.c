/* Lint rules for tools that Anthropic's server ran: their calls and results are both in
 * assistant messages. A call without a result, or a result without a call, is refused,
 * unless the call is still open: it is followed by nothing but results of the client's
 * tools (Anthropic, "Handling stop reasons", pause_turn). */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "lint/doc.h"
#include "provider/anthropic/internal.h"
#include "provider/anthropic/lint.h"
#include "record/calls.h"

/* Returns the id of a provider-run call, or the id of the call that a provider-run result
 * answers; absent for any other part. */
static struct ctx_span
get_server_id(const struct lint_part *p)
{
	if (p->type != LINT_OTHER || !p->block)
		return CTX_SPAN_NONE;
	return ctx_json_get(
	    p->raw, ctx_server_item_is_call(p->raw) ? "id" : "tool_use_id");
}

static bool
says_more_than_results(const struct lint_doc *d, const struct lint_item *it)
{
	LINT_EACH_PART(p, d, it)
		if (p->type != LINT_RESULT && (p->type != LINT_TEXT || !p->blank))
			return true;
	return false;
}

static bool
has_server_id(struct lint_ids *ids, struct ctx_span id)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span text = ctx_json_text(id, &tmp);
	bool has = text.n > 0 && ctx_lint_ids_has(ids, text);

	ctx_buf_release(&tmp);
	return has;
}

/* Calls fn for each provider-run call without a result and each such result without a
 * call. */
static void
find_server_halves(struct lint_doc *d,
    void (*fn)(struct lint_doc *d, size_t item, const struct lint_part *part, void *arg),
    void *arg)
{
	struct lint_ids *calls = ctx_lint_ids_new(), *results = ctx_lint_ids_new();
	size_t last = 0;

	for (size_t i = 0; i < d->n; i++) {
		const struct lint_item *it = &d->items[i];
		if (!it->skip && it->role == LINT_USER && says_more_than_results(d, it))
			last = i;
		LINT_EACH_PART(p, d, it)
			if (it->role == LINT_ASSISTANT &&
			    !ctx_server_item_is_call(p->raw))
				ctx_lint_ids_add(results, get_server_id(p));
	}
	for (size_t i = 0; i < d->n; i++) {
		const struct lint_item *it = &d->items[i];
		if (it->role != LINT_ASSISTANT)
			continue;
		LINT_EACH_PART(p, d, it) {
			struct ctx_span id = get_server_id(p);
			if (ctx_server_item_is_call(p->raw)
				? ctx_lint_ids_add(calls, id) < 0 ||
				      (i < last && !has_server_id(results, id))
				: id.p != NULL && !has_server_id(calls, id))
				fn(d, i, p, arg);
		}
	}
	ctx_lint_ids_free(calls);
	ctx_lint_ids_free(results);
}

static void
note_server_half(
    struct lint_doc *d, size_t item, const struct lint_part *p, void *arg CTX_UNUSED)
{
	struct ctx_span id = get_server_id(p);

	ctx_lint_note(d, "an-server-tool", d->request, item,
	    ctx_server_item_is_call(p->raw)
		? "the server tool call %.*s has no result"
		: "the result of server tool call %.*s has no matching call before it",
	    ctx_lint_key_len(id), ctx_lint_key_text(id));
}

void
ctx_lint_server(struct lint_doc *d)
{
	find_server_halves(d, note_server_half, NULL);
}

/* arg: for each part, true if the part is dropped. */
static void
mark_server_half(
    struct lint_doc *d, size_t item CTX_UNUSED, const struct lint_part *part, void *arg)
{
	((bool *)arg)[part - d->parts] = true;
}

static bool
is_marked(const struct lint_doc *d, const struct lint_part *part, const void *arg)
{
	return ((const bool *)arg)[part - d->parts];
}

bool
ctx_lint_fix_server(struct lint_doc *d)
{
	bool *marked = ctx_mem_new(d->n_parts + 1), any;

	find_server_halves(d, mark_server_half, marked);
	any = ctx_lint_drop_parts(d, is_marked, marked, false);
	free(marked);
	return any;
}

/* Repairs blocks: adds required members whose value is known, and removes members that
 * Anthropic refuses and that carry no information. */

/* Returns the block without the members that a compaction block must not have. */
static struct ctx_span
drop_compaction_members(struct lint_doc *d, struct ctx_span block)
{
	struct ctx_buf key = CTX_BUF_INIT;
	struct ctx_span left = block;

	CTX_JSON_EACH(it, block) {
		if (ctx_anthropic_compaction_member(it.key))
			continue;
		ctx_buf_reset(&key);
		ctx_json_decode(it.key, &key);
		if (key.n > 0 && memchr(key.p, '\0', key.n) == NULL)
			left = ctx_lint_unset(d, left, key.p);
	}
	ctx_buf_release(&key);
	return left;
}

/* Returns the repaired part, absent if nothing had to change. */
static struct ctx_span
mend_block(struct lint_doc *d, const struct lint_part *p, void *unused CTX_UNUSED)
{
	struct ctx_span mended = p->raw, toolset;

	if (!p->block || ctx_json_type(p->raw) != CTX_JSON_OBJECT)
		return CTX_SPAN_NONE;
	if (p->type == LINT_RESULT) {
		toolset = ctx_anthropic_toolset(d, p);
		if (toolset.p != NULL)
			mended = ctx_lint_set(d, mended, "toolset_name", toolset);
	}
	if (ctx_json_has_type(p->raw, "compaction"))
		mended = drop_compaction_members(d, mended);
	if (ctx_anthropic_takes_no_mark(p->raw) &&
	    ctx_json_type(ctx_json_get(p->raw, "cache_control")) == CTX_JSON_OBJECT)
		mended = ctx_lint_unset(d, mended, "cache_control");
	return mended.p == p->raw.p ? CTX_SPAN_NONE : mended;
}

bool
ctx_anthropic_fix_blocks(struct lint_doc *d)
{
	return ctx_lint_mend_parts(d, mend_block, NULL);
}
