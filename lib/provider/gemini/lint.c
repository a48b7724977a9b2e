/* Lint rules for requests to Gemini's generateContent. */
#include <stdlib.h>

#include "base/mem.h"
#include "json/json.h"
#include "lint/doc.h"
#include "lint/params.h"

static void
add_gemini_part(struct lint_doc *d, struct lint_item *it, struct ctx_span part)
{
	enum { TEXT, CALL, RESPONSE, SIGNATURE, N };
	static const char *const keys[N] = {
	    "text", "functionCall", "functionResponse", "thoughtSignature"};
	struct ctx_span v[N], inner;
	struct lint_part *p;

	ctx_json_get_all(part, keys, v, N);
	p = ctx_lint_add_part(d, it, LINT_OTHER, part);
	p->block = true;
	p->sign = v[SIGNATURE];
	if (v[CALL].p != NULL || v[RESPONSE].p != NULL) {
		p->type = v[CALL].p != NULL ? LINT_CALL : LINT_RESULT;
		inner = v[CALL].p != NULL ? v[CALL] : v[RESPONSE];
		p->key = ctx_json_get(inner, "id");
		p->name = ctx_json_get(inner, "name");
		p->body = ctx_json_get(inner, v[CALL].p != NULL ? "args" : "response");
	} else if (v[TEXT].p != NULL) {
		p->type = LINT_TEXT;
		p->body = v[TEXT];
	} else {
		p->empty = ctx_json_first(part).p == NULL;
	}
}

static void
parse_content(struct lint_doc *d, struct lint_item *it)
{
	struct ctx_span role = ctx_json_get(it->message, "role");

	/* a content without a role, or with the role "function", counts as the user's */
	it->role = ctx_lint_parse_role(role) == LINT_ASSISTANT ? LINT_ASSISTANT
							       : LINT_USER;
	it->content = ctx_json_get(it->message, "parts");
	CTX_JSON_EACH(e, it->content)
		if (!e.object)
			add_gemini_part(d, it, e.value);
}

/* ---- the rules ---- */

struct refs {
	const struct lint_part **p;
	size_t *item;
	size_t n, cap, cap_item;
};

static void
add_gemini_ref(struct refs *r, const struct lint_part *p, size_t item)
{
	size_t n = r->n;

	CTX_MEM_GROW(r->p, n, r->cap);
	CTX_MEM_GROW(r->item, n, r->cap_item);
	r->p[n] = p;
	r->item[n] = item;
	r->n++;
}

/* Collects the parts of a type in a turn into r. Sets *behind if any of them follows
 * other content, and *only if the turn holds nothing else. */
static void
collect_gemini_refs(const struct lint_doc *d, const struct lint_turn *t,
    enum lint_part_type type, struct refs *r, bool *behind, bool *only)
{
	bool leading = true;

	r->n = 0;
	*behind = false;
	for (size_t i = t->first; i < t->end; i++) {
		const struct lint_item *it = &d->items[i];
		if (!ctx_lint_in_turn(d, it))
			continue;
		leading = leading && it->n > 0;
		LINT_EACH_PART(p, d, it) {
			if (p->type != type) {
				leading = false;
			} else {
				add_gemini_ref(r, p, i);
				*behind |= !leading;
			}
		}
	}
	*only = leading;
}

bool
ctx_lint_answers(const struct lint_doc *d, const struct lint_part *result,
    const struct lint_part *call)
{
	if (result->id >= 0 && call->id >= 0)
		return result->id == call->id;
	if (d->shape != LINT_CONTENTS)
		return false;
	/* a name that is not a string is reported by another rule */
	return result->name.p == NULL || ctx_json_type(call->name) != CTX_JSON_STRING ||
	       ctx_lint_same(result->name, call->name);
}

static void
check_answer(struct lint_doc *d, const struct refs *calls, const struct refs *results,
    bool behind, bool open)
{
	if (calls->n == 0 && results->n > 0)
		ctx_lint_note(d, "ge-response-count", true, results->item[0],
		    "a function response has no matching call in the turn before it");
	else if (results->n > calls->n || (results->n < calls->n && !open))
		ctx_lint_note(d, "ge-response-count", true,
		    results->n > 0 ? results->item[0] : calls->item[0],
		    "%zu function calls, but %zu function responses in the next turn",
		    calls->n, results->n);
	else if (behind)
		ctx_lint_note(d, "ge-response-count", true, results->item[0],
		    "a function response must come before other parts");
	for (size_t i = 0; i < results->n && results->n == calls->n; i++) {
		if (ctx_lint_answers(d, results->p[i], calls->p[i]))
			continue;
		ctx_lint_note(d, "ge-response-count", true, results->item[i],
		    "the function responses are not in the order of their calls");
		break;
	}
	for (size_t i = 0; i < results->n && results->n < calls->n; i++) {
		size_t k = 0;
		while (k < calls->n && !ctx_lint_answers(d, results->p[i], calls->p[k]))
			k++;
		if (k == calls->n)
			ctx_lint_note(d, "ge-response-count", true, results->item[i],
			    "a function response has no matching call in the turn before it");
	}
}

static void
check_turns(struct lint_doc *d, const struct lint_turn *t, size_t n)
{
	struct refs calls = {0}, results = {0};
	bool behind, only;

	for (size_t i = 0; i < n; i++) {
		if (t[i].assistant) {
			collect_gemini_refs(
			    d, &t[i], LINT_RESULT, &results, &behind, &only);
			if (results.n > 0)
				ctx_lint_note(d, "ge-response-count", true,
				    results.item[0],
				    "a turn with the role model contains a function response");
			collect_gemini_refs(d, &t[i], LINT_CALL, &calls, &behind, &only);
			if (calls.n > 0 && (i == 0 || t[i - 1].assistant))
				ctx_lint_note(d, "ge-call-after", true, calls.item[0],
				    "a turn with function calls must follow a user turn or a turn of function responses");
			if (calls.n == 0 || (i + 1 < n && !t[i + 1].assistant) ||
			    (i + 1 == n && !d->request))
				continue;
			results.n = 0;
			check_answer(d, &calls, &results, false, false);
			continue;
		}
		calls.n = 0;
		if (i > 0 && t[i - 1].assistant)
			collect_gemini_refs(
			    d, &t[i - 1], LINT_CALL, &calls, &behind, &only);
		collect_gemini_refs(d, &t[i], LINT_RESULT, &results, &behind, &only);
		check_answer(
		    d, &calls, &results, behind, only && i + 1 == n && !d->request);
	}
	free(calls.p);
	free(calls.item);
	free(results.p);
	free(results.item);
}

static void
check_gemini_request(struct lint_doc *d)
{
	if (d->n == 0) {
		ctx_lint_note(
		    d, "ge-alternate", true, LINT_NO_ITEM, "\"contents\" is empty");
		return;
	}
	if (d->items[0].role != LINT_USER)
		ctx_lint_note(
		    d, "ge-alternate", true, 0, "the first turn must have the role user");
	if (d->items[d->n - 1].role != LINT_USER)
		ctx_lint_note(d, "ge-alternate", true, d->n - 1,
		    "the last turn must have the role user");
	for (size_t i = 0; i < d->n; i++) {
		const struct lint_item *it = &d->items[i];
		if (i > 0 && it->role == d->items[i - 1].role)
			ctx_lint_note(d, "ge-alternate", true, i,
			    "two adjacent turns have the same role");
		if (it->n == 0)
			ctx_lint_note(d, "ge-alternate", true, i, "a turn has no parts");
		LINT_EACH_PART(p, d, it)
			if (p->empty)
				ctx_lint_note(
				    d, "ge-alternate", true, i, "a part is empty");
	}
}

/* Returns the index where the current turn begins: after the last user content that is
 * not only function responses. */
size_t
ctx_lint_current(const struct lint_doc *d)
{
	for (size_t i = d->n; i-- > 0;) {
		const struct lint_item *it = &d->items[i];
		if (it->role == LINT_USER)
			LINT_EACH_PART(p, d, it)
				if (p->type != LINT_RESULT)
					return i + 1;
	}
	return 0;
}

/* A model that signs its thoughts signs the first call of each step. So if any step of
 * the current turn has a signature, a step without one has lost it. */
static void
check_signatures(struct lint_doc *d)
{
	size_t from = ctx_lint_current(d);
	bool any = false;

	for (size_t i = from; i < d->n; i++)
		LINT_EACH_PART(p, d, &d->items[i])
			any |= p->type == LINT_CALL && p->sign.p != NULL;
	for (size_t i = from; any && i < d->n; i++) {
		const struct lint_part *p = ctx_lint_first_part(
		    d, &d->items[i], LINT_CALL);
		if (p != NULL && p->sign.p == NULL)
			ctx_lint_note(d, "ge-signature", true, i,
			    "the first function call of a step has no thought signature");
	}
}

static void
check_gemini(struct lint_doc *d)
{
	size_t n;
	struct lint_turn *turns = ctx_lint_turns(d, &n);

	check_turns(d, turns, n);
	if (d->shape == LINT_CONTENTS)
		check_signatures(d);
	if (d->request)
		check_gemini_request(d);
	free(turns);
}

/* ---- parameters ---- */

static void
check_gemini_params(struct lint_params *p)
{
	static const char *const held[] = {"systemInstruction", "system_instruction",
	    "tools", "toolConfig", "tool_config", NULL};
	static const char *const settings[] = {"temperature", "topP", "topK",
	    "maxOutputTokens", "stopSequences", "thinkingConfig", "responseMimeType",
	    "responseSchema", NULL};

	if (ctx_lint_param(p, "cachedContent").p != NULL ||
	    ctx_lint_param(p, "cached_content").p != NULL)
		ctx_lint_flaw_names(p, "ge-cached-content", true, held,
		    "cannot be combined with \"cachedContent\", which already contains it");
	ctx_lint_flaw_names(p, "ge-member", true, settings,
	    "is a member of \"generationConfig\": put it there");
}

static bool
is_gemini_content(struct ctx_span value)
{
	return ctx_json_type(ctx_json_get(value, "parts")) == CTX_JSON_ARRAY;
}

static const struct lint_step gemini_steps[] = {
    {"ge-alternate", ctx_lint_fix_gemini_empty, NULL},
    {"ge-alternate", ctx_lint_fix_merge, NULL},
    {"ge-call-after", ctx_lint_fix_merge, NULL},
    {"ge-response-count", ctx_lint_fix_gemini_responses, NULL},
    {"ge-response-count", ctx_lint_fix_pairs, NULL},
    {"ge-response-count", ctx_lint_fix_gemini_order, NULL},
    {"ge-call-after", ctx_lint_fix_gemini_start, NULL},
    {"ge-signature", ctx_lint_fix_signature, NULL},
    {"ge-alternate", ctx_lint_fix_ends, NULL},
    {NULL, NULL, NULL},
};

const struct ctx_lint_kind ctx_lint_gemini = {
    .shape = LINT_CONTENTS,
    .check = check_gemini,
    .params = check_gemini_params,
    .steps = gemini_steps,
    .is_item = is_gemini_content,
    .parse = parse_content,
    .sibling = CTX_PROVIDER_NONE,
    .parts = "parts",
    .user = "{\"role\":\"user\",\"parts\":[{\"text\":\"%s\"}]}",
    .by_turns = true,
};
