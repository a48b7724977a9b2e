/* Interrupted answers that the model is to continue. */
#include "json/json.h"
#include "render/internal.h"

static bool
is_own_paused_answer(const struct render *r, size_t item)
{
	struct ctx_span made = ctx_json_get(r->items[item].metadata, "provider");

	return r->items[item].paused && r->items[item].slot == CTX_SLOT_HISTORY &&
	       r->msgs[item].role == CTX_ROLE_ASSISTANT &&
	       ctx_json_is(made, ctx_provider_name(r->o->provider));
}

void
ctx_render_find_token(struct render *r)
{
	const char *key = ctx_provider_facts(r->o->provider)->continuation;
	size_t last = r->n_items;

	r->continued = r->n_items;
	while (last > 0 && r->items[last - 1].slot != CTX_SLOT_HISTORY)
		last--;
	if (key == NULL || r->o->transcript || last == 0 ||
	    !is_own_paused_answer(r, last - 1))
		return;
	r->token = ctx_json_get(ctx_json_get(r->items[last - 1].metadata, "answer"), key);
	if (!ctx_json_is_text(r->token))
		r->token = CTX_SPAN_NONE;
	for (r->continued = last - 1;
	     r->continued > 0 && is_own_paused_answer(r, r->continued - 1);)
		r->continued--;
}

bool
ctx_render_is_resumed(const struct render *r, size_t item)
{
	const struct ctx_message *m = &r->msgs[item];
	size_t from = m->n > 0 ? m->n - 1 : 0;

	if (r->kind->is_server_call == NULL)
		return false;
	if (is_own_paused_answer(r, item))
		from = 0;
	for (size_t i = from; i < m->n; i++)
		if (m->parts[i].type == CTX_PART_OTHER &&
		    r->kind->is_server_call(&m->parts[i]))
			return true;
	return false;
}
