/* Lint rules for tools that Anthropic's server ran: their calls and results are both in
 * assistant messages. A call without a result, or a result without a call, is refused,
 * unless the call is still open: it is followed by nothing but results of the client's
 * tools (Anthropic, "Handling stop reasons", pause_turn). */
#include <stdlib.h>

#include "base/mem.h"
#include "json/json.h"
#include "lint/doc.h"

static bool
is_server_call(const struct lint_part *p)
{
	struct ctx_span type = ctx_json_get(p->raw, "type");

	return p->type == LINT_OTHER &&
	       CTX_JSON_IS_ANY(type, "server_tool_use", "mcp_tool_use");
}

/* Returns the id of a provider-run call, or the id of the call that a provider-run result
 * answers; absent for any other part. */
static struct ctx_span
get_server_id(const struct lint_part *p)
{
	if (p->type != LINT_OTHER || !p->block)
		return CTX_SPAN_NONE;
	return ctx_json_get(p->raw, is_server_call(p) ? "id" : "tool_use_id");
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
    void (*fn)(struct lint_doc *d, size_t item, size_t part, void *arg), void *arg)
{
	struct lint_ids *calls = ctx_lint_ids_new(), *results = ctx_lint_ids_new();
	size_t last = 0;

	for (size_t i = 0; i < d->n; i++) {
		const struct lint_item *it = &d->items[i];
		if (!it->skip && it->role == LINT_USER && says_more_than_results(d, it))
			last = i;
		LINT_EACH_PART(p, d, it)
			if (it->role == LINT_ASSISTANT && !is_server_call(p))
				ctx_lint_ids_add(results, get_server_id(p));
	}
	for (size_t i = 0; i < d->n; i++) {
		const struct lint_item *it = &d->items[i];
		for (size_t k = it->first;
		     it->role == LINT_ASSISTANT && k < it->first + it->n; k++) {
			struct ctx_span id = get_server_id(&d->parts[k]);
			if (is_server_call(&d->parts[k])) {
				if (ctx_lint_ids_add(calls, id) < 0 ||
				    (i < last && !has_server_id(results, id)))
					fn(d, i, k, arg);
			} else if (id.p != NULL && !has_server_id(calls, id)) {
				fn(d, i, k, arg);
			}
		}
	}
	ctx_lint_ids_free(calls);
	ctx_lint_ids_free(results);
}

static void
note_server_half(struct lint_doc *d, size_t item, size_t part, void *arg CTX_UNUSED)
{
	const struct lint_part *p = &d->parts[part];
	struct ctx_span id = get_server_id(p);

	ctx_lint_note(d, "an-server-tool", d->request, item, "%s %.*s has no %s",
	    is_server_call(p) ? "the server tool call" : "the result of server tool call",
	    ctx_lint_key_len(id), ctx_lint_key_text(id),
	    is_server_call(p) ? "result" : "matching call before it");
}

void
ctx_lint_server(struct lint_doc *d)
{
	find_server_halves(d, note_server_half, NULL);
}

static void
drop_server_half(
    struct lint_doc *d CTX_UNUSED, size_t item CTX_UNUSED, size_t part, void *arg)
{
	bool *keep = arg;

	keep[part] = false;
}

bool
ctx_lint_fix_server(struct lint_doc *d)
{
	struct lint_list out = {NULL, 0, 0};
	bool *keep = ctx_mem_new(d->n_parts + 1), any = false;

	for (size_t k = 0; k < d->n_parts; k++)
		keep[k] = true;
	find_server_halves(d, drop_server_half, keep);
	for (size_t i = 0; i < d->n; i++) {
		struct lint_item it = d->items[i];
		bool gone = false;
		for (size_t k = it.first; k < it.first + it.n; k++)
			gone |= !keep[k];
		if (!gone || ctx_lint_item_keep(d, &it, keep + it.first))
			ctx_lint_list_add(&out, it);
		any |= gone;
	}
	ctx_lint_list_end(d, &out, any);
	free(keep);
	return any;
}
