/* Reports how a body differs from the messages: tool names that were changed, and parts
 * that the provider does not accept. */

#include "json/json.h"
#include "render/internal.h"

/* ---- names ---- */

/* Records a name (a JSON string) that is sent in a changed form. */
static void
note_name(const struct render *r, struct ctx_span name)
{
	struct ctx_buf sent = CTX_BUF_INIT, object = CTX_BUF_INIT;
	struct ctx_buf *out = &r->o->report->names;
	struct ctx_buf key = CTX_BUF_INIT;

	ctx_render_put_name(&sent, name, r->o->provider);
	if (!ctx_span_eq(ctx_buf_span(&sent), name)) {
		ctx_json_decode(ctx_buf_span(&sent), &key);
		ctx_buf_addf(&object, "{%.*s}", (int)out->n, out->n > 0 ? out->p : "");
		if (ctx_json_get(ctx_buf_span(&object), key.p).p == NULL) {
			ctx_json_put_member(out, ctx_buf_span(&sent), name);
		}
	}
	ctx_buf_release(&sent);
	ctx_buf_release(&object);
	ctx_buf_release(&key);
}

/* ---- parts ---- */

/* Begins the object for a part or message that is not sent. */
static void
open_omitted(const struct render *r, size_t item, struct ctx_buf *out)
{
	if (r->items[item].seq >= 0)
		ctx_json_print(out, "{'seq':%d", r->items[item].seq);
	else
		ctx_json_print(out, "{'position':%d", (int64_t)item + 1);
}

static void
note_part(const struct render *r, size_t item, const struct ctx_part *p)
{
	struct ctx_buf *out = &r->o->report->omitted;
	struct ctx_span type = ctx_json_get(p->raw, "type");

	open_omitted(r, item, out);
	ctx_json_print(out, "'type':%j}",
	    ctx_json_type(type) == CTX_JSON_STRING ? type : ctx_span_of("\"data\""));
}

/* True for a part that contains only the type that ctx gave it. */
static bool
is_empty_part(const struct ctx_part *p)
{
	if (ctx_render_shape(p) != SHAPE_GEMINI_PART)
		return false;
	CTX_JSON_EACH(it, p->raw)
		if (!ctx_json_is(it.key, "type"))
			return false;
	return true;
}

/* True if a user message or result has only the placeholder "[type]" in place of the
 * part. */
static bool
is_replaced(const struct render *r, const struct ctx_part *p, bool result)
{
	enum ctx_render_shape shape = ctx_render_shape(p);

	if (ctx_render_has_text(p) || ctx_render_media_sent(p, r->o->provider))
		return false;
	return (result && r->kind->result_text) || p->type == CTX_PART_IMAGE ||
	       r->kind->own == SHAPE_UNKNOWN || shape != r->kind->own;
}

static bool
is_block(const struct ctx_part *p)
{
	return (p->type == CTX_PART_IMAGE || p->type == CTX_PART_OTHER) &&
	       ctx_json_type(p->raw) == CTX_JSON_OBJECT && !is_empty_part(p) &&
	       !ctx_render_is_reasoning(p) /* it has its own rules */;
}

static void
report_message_parts(const struct render *r, const struct render_node *node)
{
	const struct ctx_message *m = &r->msgs[node->item];

	for (size_t i = 0; i < m->n; i++) {
		const struct ctx_part *p = &m->parts[i];
		if (is_block(p) && (!ctx_render_part_sent(r, node, p) ||
				       (node->kind == NODE_USER &&
					   !ctx_render_is_system(r, node->item) &&
					   is_replaced(r, p, false))))
			note_part(r, node->item, p);
	}
}

static void
note_results(const struct render *r, const struct render_node *node)
{
	struct ctx_message m = CTX_MESSAGE_INIT;

	for (size_t i = node->call; i < node->call + node->calls; i++) {
		const struct render_call *c = &r->calls[i];
		if (c->result == NULL || ctx_json_type(c->result->body) != CTX_JSON_ARRAY)
			continue;
		ctx_message_parse_content(&m, c->result->body);
		for (size_t k = 0; k < m.n; k++)
			if (is_block(&m.parts[k]) && is_replaced(r, &m.parts[k], true))
				note_part(r, c->result_item, &m.parts[k]);
	}
	ctx_message_release(&m);
}

/* Records the parts of a message of which nothing was left, so that it has no node. */
static void
note_empty(const struct render *r, size_t item)
{
	enum ctx_role role = r->msgs[item].role;
	struct render_node node = {
	    .kind = role == CTX_ROLE_ASSISTANT ? NODE_ASSISTANT : NODE_USER,
	    .item = item};

	if (role != CTX_ROLE_TOOL)
		report_message_parts(r, &node);
}

static void
note_withheld(const struct render *r)
{
	struct ctx_buf *out = &r->o->report->omitted;

	for (size_t i = 0; i < r->n_items; i++) {
		if (!ctx_render_is_withheld(r, i))
			continue;
		open_omitted(r, i, out);
		ctx_json_print(out, "'type':'answer','reason':%s}",
		    r->items[i].withheld != NULL ? r->items[i].withheld : "continued");
	}
}

void
ctx_render_report(const struct render *r)
{
	size_t node = 0;

	note_withheld(r);

	for (size_t i = 0; i < r->n_calls; i++)
		note_name(r, r->calls[i].part->name);
	for (size_t i = 0; i < r->n_order; i++) {
		size_t item = r->order[i];
		while (node < r->n_nodes && r->nodes[node].kind == NODE_RESULTS)
			note_results(r, &r->nodes[node++]);
		if (node < r->n_nodes && r->nodes[node].item == item)
			report_message_parts(r, &r->nodes[node++]);
		else
			note_empty(r, item);
	}
	while (node < r->n_nodes)
		note_results(r, &r->nodes[node++]);
}
