/* The parts of rendering for Anthropic other than the messages: limits, cache marks, and
 * which parts of a message are sent. */
#include "base/mem.h"
#include "json/json.h"
#include "provider/anthropic/internal.h"
#include "record/calls.h"

#define ANTHROPIC_BODY_BYTES ((size_t)32 << 20)
#define ANTHROPIC_IMAGES 600

/* Finds provider-run calls without a result and results without a call. Both are in
 * assistant messages, and Anthropic refuses one without the other, unless the call is
 * still open: no user message follows the call ("Handling stop reasons", pause_turn). */

/* True if the messages from index "from" to before index "to" have a provider-run call
 * (if call is set) or result with this id. */
static bool
is_server_part_named(
    const struct render *r, struct ctx_span id, size_t from, size_t to, bool call)
{
	for (size_t i = from; i < to; i++) {
		const struct ctx_message *m = &r->msgs[r->order[i]];
		for (size_t k = 0; m->role == CTX_ROLE_ASSISTANT && k < m->n; k++) {
			const struct ctx_part *p = &m->parts[k];
			if (p->type != CTX_PART_OTHER ||
			    ctx_server_item_is_call(p->raw) != call)
				continue;
			if (ctx_span_eq(
				ctx_json_get(p->raw, call ? "id" : "tool_use_id"), id))
				return true;
		}
	}
	return false;
}

static void
check_part(struct render *r, const struct ctx_part *p, size_t at, size_t last_user)
{
	struct ctx_span id = ctx_json_get(p->raw, "tool_use_id");
	bool lacks;

	if (ctx_server_item_is_call(p->raw)) {
		id = ctx_json_get(p->raw, "id");
		lacks = ctx_message_blank(id) ||
			(last_user != RENDER_NONE && at < last_user &&
			    !is_server_part_named(r, id, at, r->n_order, false));
	} else {
		lacks = p->type == CTX_PART_OTHER && id.p != NULL &&
			!is_server_part_named(r, id, 0, at + 1, true);
	}
	if (!lacks)
		return;
	CTX_MEM_GROW(r->unpaired, r->n_unpaired, r->cap_unpaired);
	r->unpaired[r->n_unpaired++] = p;
}

static void
match_server_calls(struct render *r)
{
	size_t last_user = RENDER_NONE;

	for (size_t i = 0; i < r->n_order; i++)
		if (ctx_message_roles(&r->msgs[r->order[i]]) >> CTX_ROLE_USER & 1)
			last_user = i;
	for (size_t i = 0; i < r->n_order; i++) {
		const struct ctx_message *m = &r->msgs[r->order[i]];
		for (size_t k = 0; m->role == CTX_ROLE_ASSISTANT && k < m->n; k++)
			check_part(r, &m->parts[k], i, last_user);
	}
}

static bool
is_unpaired_part(const struct render *r, const struct ctx_part *p)
{
	for (size_t i = 0; i < r->n_unpaired; i++)
		if (r->unpaired[i] == p)
			return true;
	return false;
}

static size_t
count_images(struct ctx_span content)
{
	size_t n = 0;

	if (ctx_json_type(content) != CTX_JSON_ARRAY)
		return 0;
	CTX_JSON_EACH(it, content) {
		struct ctx_span type = ctx_json_get(it.value, "type");
		n += ctx_json_is(type, "image");
		if (ctx_json_is(type, "tool_result"))
			n += count_images(ctx_json_get(it.value, "content"));
	}
	return n;
}

/* Refuses a body that is too large (Anthropic's page on errors, request_too_large) or
 * that has too many images ("Vision"). */
static int
check_anthropic_size(struct render *r, struct ctx_span body)
{
	size_t images = 0;

	if (body.n > ANTHROPIC_BODY_BYTES)
		return ctx_render_refuse(r, RENDER_NONE,
		    "the body has %zu bytes; anthropic accepts at most %zu", body.n,
		    ANTHROPIC_BODY_BYTES);
	CTX_JSON_EACH(it, ctx_json_get(body, "messages"))
		images += count_images(ctx_json_get(it.value, "content"));
	if (images > ANTHROPIC_IMAGES)
		return ctx_render_refuse(r, RENDER_NONE,
		    "the body has %zu images; anthropic accepts at most %d", images,
		    ANTHROPIC_IMAGES);
	return 0;
}

static void
mark_anthropic_body(
    const struct ctx_render_options *o, struct ctx_span body, struct ctx_buf *out)
{
	struct ctx_buf thin = CTX_BUF_INIT;

	ctx_cache_thin(&thin, body);
	if (o->cache != NULL)
		ctx_cache_mark(out, ctx_buf_span(&thin), o->cache);
	else
		ctx_buf_addspan(out, ctx_buf_span(&thin));
	ctx_buf_release(&thin);
}

static bool
is_compaction_part(const struct ctx_part *p)
{
	return p->type == CTX_PART_OTHER && ctx_json_has_type(p->raw, "compaction");
}

static bool
is_signed_part(const struct ctx_part *p)
{
	return is_compaction_part(p) && ctx_json_get(p->raw, "signature").p != NULL;
}

/* Returns the index of the message that begins with the newest signed compaction block, 0
 * if there is no such message. The provider refuses such a block unless it comes first,
 * and reads nothing before it. */
static size_t
find_signed_start(const struct render *r)
{
	for (size_t i = r->n_items; i-- > 0;)
		if (r->items[i].slot == CTX_SLOT_HISTORY &&
		    r->msgs[i].role == CTX_ROLE_ASSISTANT && r->msgs[i].n > 0 &&
		    is_signed_part(&r->msgs[i].parts[0]))
			return i;
	return 0;
}

/* A compaction block is sent in an assistant message only, and a signed one only as its
 * first block. Returns 1 or 0, or -1 to apply the common rule. */
static int
is_anthropic_part_sent(
    const struct render *r, const struct render_node *node, const struct ctx_part *p)
{
	enum ctx_render_shape shape;

	if (is_compaction_part(p) &&
	    (node->kind != NODE_ASSISTANT ||
		(is_signed_part(p) && p != r->msgs[node->item].parts)))
		return 0;
	if (p->type != CTX_PART_OTHER || node->kind != NODE_ASSISTANT)
		return -1;
	shape = ctx_render_shape(p);
	return (shape == SHAPE_ANTHROPIC || shape == SHAPE_NATIVE) &&
	       !is_unpaired_part(r, p);
}

/* True for blocks that add or remove tools among the messages ("Mid-conversation system
 * messages and tool changes"). */
static bool
is_tool_change(const struct render *r, const struct ctx_part *p)
{
	struct ctx_span type = ctx_json_get(p->raw, "type");

	return r->o->system_inside &&
	       (ctx_json_is(type, "tool_addition") || ctx_json_is(type, "tool_removal"));
}

/* True for a system message without content that only changes the effort. */
static bool
says_anthropic_effort(const struct render *r, const struct ctx_message *m)
{
	return r->o->system_inside && ctx_json_get(m->json, "output_config").p != NULL;
}

static bool
is_hosted_call(const struct ctx_part *p)
{
	return ctx_server_item_is_call(p->raw);
}

/* OpenAI also has blocks of type "compaction", but only Anthropic's have a member
 * "content". */
static enum ctx_render_shape
get_anthropic_shape(struct ctx_span type, struct ctx_span block)
{
	static const char *const types[] = {"document", "search_result",
	    "container_upload", "mcp_tool_listing", "fallback", "tool_reference",
	    "connector_text", NULL};
	bool own = ctx_render_is_type(type, types) || ctx_server_item_is_call(block) ||
		   ctx_server_item_is_result(block) ||
		   (ctx_span_is(type, "compaction") &&
		       ctx_json_get(block, "content").p != NULL);

	return own ? SHAPE_ANTHROPIC : SHAPE_UNKNOWN;
}

const struct ctx_render_kind ctx_render_anthropic = {
    .messages = ctx_anthropic_messages,
    .system = ctx_anthropic_system,
    .check = check_anthropic_size,
    .finish = mark_anthropic_body,
    .start = find_signed_start,
    .match = match_server_calls,
    .shape = get_anthropic_shape,
    .part_sent = is_anthropic_part_sent,
    .system_block = is_tool_change,
    .system_says = says_anthropic_effort,
    .is_server_call = is_hosted_call,
    .own = SHAPE_ANTHROPIC,
    .thinking_blocks = true,
    .system_after = true,
};
