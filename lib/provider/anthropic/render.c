/* Renders messages for Anthropic's Messages API (API reference, "Messages"). */
#include "json/json.h"
#include "provider/anthropic/internal.h"
#include "render/tools.h"

/* The message that is being written. Adjacent messages of the same role are joined into
 * one. */
struct writer {
	struct ctx_buf *b;
	bool open;
	enum node_kind role; /* NODE_USER or NODE_ASSISTANT */
	size_t start;        /* offset in b of its content */
	size_t blocks;
	/* the string that its only block was made from, or absent */
	struct ctx_span plain;
};

static void
close_anthropic_message(struct writer *w)
{
	if (!w->open)
		return;
	if (w->blocks == 1 && w->plain.p != NULL) {
		w->b->n = w->start;
		ctx_buf_addspan(w->b, w->plain);
	} else {
		ctx_buf_addc(w->b, ']');
	}
	ctx_buf_addc(w->b, '}');
	w->open = false;
}

/* Prepares for writing a block of this role: opens a message if needed. plain: the string
 * that the block is made from, or absent. */
static void
begin_block(struct writer *w, enum node_kind role, struct ctx_span plain)
{
	if (!w->open || w->role != role) {
		close_anthropic_message(w);
		ctx_json_print(w->b,
		    "{'role':%s,'content':", role == NODE_USER ? "user" : "assistant");
		w->open = true;
		w->role = role;
		w->start = w->b->n;
		w->blocks = 0;
		ctx_buf_addc(w->b, '[');
	}
	w->plain = w->blocks == 0 ? plain : CTX_SPAN_NONE;
	w->blocks++;
}

static void
write_anthropic_media(struct ctx_buf *b, const struct ctx_part *p)
{
	struct render_media m;

	if (!ctx_render_media_sent(p, CTX_PROVIDER_ANTHROPIC)) {
		ctx_render_put_stand_in(b, p);
		return;
	}
	ctx_render_media_of(&m, p);
	ctx_json_print(b, "{'type':%s,'source':{'type':%s",
	    m.image ? "image" : "document", m.kind == MEDIA_URL ? "url" : "base64");
	if (m.kind == MEDIA_URL) {
		ctx_json_add_string(b, "url", m.data);
	} else {
		ctx_json_print(b, "'media_type':%t,'data':%t", m.mime, m.data);
	}
	ctx_json_put_close(b, '}');
	if (!m.image && m.name.n > 0)
		ctx_json_add_string(b, "title", m.name);
	ctx_json_put_close(b, '}');
	ctx_render_media_release(&m);
}

/* Writes a text, an image or a document, which messages and tool results may hold. */
static void
put_block(struct ctx_buf *b, const struct ctx_part *p, bool assistant)
{
	static const char *const text_keys[] = {
	    "type", "text", "cache_control", "citations", NULL};
	static const char *const image_keys[] = {"type", "source", "cache_control", NULL};

	if (p->type == CTX_PART_TEXT) {
		struct ctx_span type = ctx_json_get(p->raw, "type");
		if (ctx_json_is(type, "text"))
			ctx_render_copy(b, p->raw, text_keys, NULL, 0);
		else
			ctx_message_put_text(b, p->body);
	} else if (p->type == CTX_PART_IMAGE && assistant) {
		ctx_render_put_stand_in(b, p);
	} else if (p->type == CTX_PART_IMAGE &&
		   ctx_render_image_raw(p, CTX_PROVIDER_ANTHROPIC)) {
		ctx_render_copy(b, p->raw, image_keys, NULL, 0);
	} else if (p->type != CTX_PART_IMAGE && p->raw.p[0] == '{' &&
		   (ctx_render_shape(p) == SHAPE_ANTHROPIC ||
		       ctx_render_shape(p) == SHAPE_NATIVE)) {
		ctx_json_put_raw(b, p->raw);
	} else {
		write_anthropic_media(b, p);
	}
}

static void
write_anthropic_call(struct ctx_buf *b, const struct render_call *c)
{
	static const char *const keys[] = {"type", "id", "name", "input", "cache_control",
	    "caller", "toolset_name", NULL};
	struct ctx_buf id = CTX_BUF_INIT, args = CTX_BUF_INIT, name = CTX_BUF_INIT;
	bool made = c->part->openai || c->part->item || c->part->body.p == NULL;
	struct render_swap swap[] = {{"type", ctx_span_of("\"tool_use\""), made},
	    {"id", c->part->id, made}, {"name", CTX_SPAN_NONE, made},
	    {"input", c->part->body, made}};

	ctx_render_put_name(&name, c->part->name, CTX_PROVIDER_ANTHROPIC);
	swap[2].json = ctx_buf_span(&name);
	if (!ctx_span_eq(c->id, c->sent)) {
		ctx_json_put_string(&id, c->sent);
		swap[1].json = ctx_buf_span(&id);
	}
	if (c->part->openai || ctx_json_type(c->part->body) != CTX_JSON_OBJECT) {
		ctx_render_args(&args, c->part);
		swap[3].json = ctx_buf_span(&args);
	}
	ctx_render_copy(b, made ? CTX_SPAN_NONE : c->part->raw, keys, swap, 4);
	ctx_buf_release(&id);
	ctx_buf_release(&args);
	ctx_buf_release(&name);
}

/* Writes the content of a tool result. Writes nothing if the result is empty: Anthropic
 * allows a missing content, but not an empty string or list. */
static void
make_anthropic_result_content(const struct ctx_part *p, struct ctx_buf *b)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	enum ctx_json_type type = ctx_json_type(p->body);

	if (type == CTX_JSON_STRING) {
		if (!ctx_message_blank(p->body))
			ctx_buf_addspan(b, p->body);
	} else if (type == CTX_JSON_ARRAY) {
		ctx_message_parse_content(&m, p->body);
		ctx_json_put_open(b, '[');
		for (size_t i = 0; i < m.n; i++)
			if (m.parts[i].type != CTX_PART_TEXT ||
			    !ctx_message_blank(m.parts[i].body))
				put_block(b, &m.parts[i], false);
		if (b->p[b->n - 1] == '[')
			ctx_buf_reset(b);
		else
			ctx_json_put_close(b, ']');
		ctx_message_release(&m);
	} else if (type != CTX_JSON_NONE && type != CTX_JSON_NULL) {
		ctx_json_put_string(b, p->body);
	}
}

static void
write_anthropic_result(struct ctx_buf *b, const struct render_call *c)
{
	static const char *const keys[] = {"type", "tool_use_id", "content", "is_error",
	    "cache_control", "toolset_name", NULL};
	const struct ctx_part *p = c->result;
	bool made = p->openai || p->item;
	struct ctx_buf id = CTX_BUF_INIT, content = CTX_BUF_INIT;
	struct ctx_span own = ctx_json_get(p->raw, "toolset_name");
	struct render_swap swap[] = {{"type", ctx_span_of("\"tool_result\""), made},
	    {"tool_use_id", p->id, made}, {"content", CTX_SPAN_NONE, made},
	    /* the result must repeat the call's toolset */
	    {"toolset_name",
		c->part->openai || own.p != NULL
		    ? own
		    : ctx_json_get(c->part->raw, "toolset_name"),
		!c->part->openai && own.p == NULL}};

	if (!ctx_span_eq(c->id, c->sent)) {
		ctx_json_put_string(&id, c->sent);
		swap[1].json = ctx_buf_span(&id);
	}
	make_anthropic_result_content(p, &content);
	if (content.n > 0)
		swap[2].json = ctx_buf_span(&content);
	ctx_render_copy(b, made ? CTX_SPAN_NONE : p->raw, keys, swap, 4);
	ctx_buf_release(&id);
	ctx_buf_release(&content);
}

/* Writes a system message that keeps its place among the messages, with its other
 * members. */
static void
write_system_message(
    const struct render *r, const struct render_node *node, struct writer *w)
{
	static const char *const keys[] = {
	    "role", "content", "clear_at", "output_config", NULL};
	const struct ctx_message *m = &r->msgs[node->item];
	struct ctx_buf content = CTX_BUF_INIT;
	struct ctx_span given = ctx_json_get(m->json, "content");
	struct render_swap swap[] = {{"role", ctx_span_of("\"system\""), false},
	    {"content", given.p == NULL ? ctx_span_of("[]") : given, true}};

	close_anthropic_message(w);
	if (given.p != NULL && ctx_json_type(given) != CTX_JSON_STRING) {
		ctx_json_put_open(&content, '[');
		for (size_t i = 0; i < m->n; i++) {
			if (!ctx_render_part_sent(r, node, &m->parts[i]))
				continue;
			if (m->parts[i].type == CTX_PART_TEXT)
				put_block(&content, &m->parts[i], false);
			else
				ctx_json_put_raw(&content, m->parts[i].raw);
		}
		ctx_json_put_close(&content, ']');
		swap[1].json = ctx_buf_span(&content);
	}
	ctx_render_copy(w->b, m->json, keys, swap, 2);
	ctx_buf_release(&content);
}

static void
write_anthropic_parts(
    const struct render *r, const struct render_node *node, struct writer *w)
{
	size_t call = node->call;

	RENDER_EACH_PART(it, r, node) {
		const struct ctx_part *p = it.part;
		begin_block(w, node->kind,
		    !it.is_extra && p->raw.p[0] == '"' ? p->body : CTX_SPAN_NONE);
		if (it.is_extra)
			put_block(w->b, p, false);
		else if (p->type == CTX_PART_TOOL_CALL)
			write_anthropic_call(w->b, &r->calls[call++]);
		else if (p->type == CTX_PART_THINKING)
			/* thinking is signed, so its bytes must not change */
			ctx_json_put_raw(w->b, p->raw);
		else
			put_block(w->b, p, node->kind == NODE_ASSISTANT);
	}
}

/* Refuses to render if thinking is enabled and the running tool loop has no thinking
 * block to send back ("Extended thinking with tool use"). This happens when another model
 * wrote the answers. "adaptive" thinking does not require the block. */
static int
check_anthropic_loop_thinking(struct render *r)
{
	struct ctx_span t = ctx_json_get(ctx_buf_span(&r->params), "thinking");
	const struct render_node *end;
	size_t last = RENDER_NONE;

	if (r->o->transcript)
		return 0;
	end = &r->nodes[r->n_nodes - 1];
	if (!ctx_json_has_type(t, "enabled") || (end->kind == NODE_USER && !end->loop))
		return 0;
	for (size_t i = 0; i < r->n_nodes; i++) {
		const struct render_node *node = &r->nodes[i];
		const struct ctx_message *m;
		if (node->kind != NODE_ASSISTANT || !node->loop)
			continue;
		last = node->item;
		m = &r->msgs[node->item];
		for (size_t k = 0; k < m->n; k++)
			if (m->parts[k].type == CTX_PART_THINKING &&
			    ctx_render_part_sent(r, node, &m->parts[k]))
				return 0;
	}
	if (last == RENDER_NONE)
		return 0;
	return ctx_render_refuse(r, last,
	    "thinking is enabled, but the current tool loop has no thinking block to send: disable thinking until the next user message");
}

void
ctx_anthropic_system(struct render *r, struct ctx_span given, struct ctx_buf *b)
{
	ctx_json_put_open(b, '[');
	ctx_message_put_blocks(b, given);
	for (size_t i = 0; i < r->n_system; i++) {
		const struct ctx_message *m = &r->msgs[r->system[i]];
		for (size_t k = 0; k < m->n; k++)
			if (m->parts[k].type == CTX_PART_TEXT &&
			    !ctx_message_blank(m->parts[k].body))
				put_block(b, &m->parts[k], false);
	}
	ctx_json_put_close(b, ']');
}

/* Writes the tools that were chosen after the run began: in a system message before the
 * answer, after the messages that they were chosen for (cache rule A-MID). Writes the
 * tools of the nodes from *first to before end, and sets *first to end. */
static void
put_tool_additions(const struct render *r, size_t *first, size_t end, struct writer *w)
{
	bool open = false;

	for (; *first < end; ++*first) {
		const struct render_node *node = &r->nodes[*first];
		for (size_t i = node->extra; i < node->extra + node->extras; i++) {
			size_t item = r->extra[i].item;
			if (!r->items[item].late)
				continue;
			close_anthropic_message(w);
			if (!open)
				ctx_json_print(w->b, "{'role':'system','content':[");
			open = true;
			ctx_json_print(w->b,
			    "{'type':'tool_addition','tool':{'type':'tool_definition','definition':");
			ctx_render_tool_put(w->b, ctx_message_tool(&r->msgs[item]),
			    CTX_PROVIDER_ANTHROPIC);
			ctx_buf_adds(w->b, "}}");
		}
	}
	if (open)
		ctx_buf_adds(w->b, "]}");
}

int
ctx_anthropic_messages(struct render *r, struct ctx_buf *b)
{
	struct writer w = {b, false, NODE_USER, 0, 0, CTX_SPAN_NONE};
	size_t told = 0; /* the tools of the nodes before this index were written */

	if (check_anthropic_loop_thinking(r) < 0)
		return -1;
	ctx_json_add_open(b, "messages", '[');
	for (size_t i = 0; i < r->n_nodes; i++) {
		const struct render_node *node = &r->nodes[i];
		if (node->kind == NODE_ASSISTANT)
			put_tool_additions(r, &told, i, &w);
		if (ctx_render_system_stays(r, i)) {
			write_system_message(r, node, &w);
			continue;
		}
		if (node->kind != NODE_RESULTS) {
			write_anthropic_parts(r, node, &w);
			continue;
		}
		RENDER_EACH_RESULT(c, r, node) {
			begin_block(&w, NODE_USER, CTX_SPAN_NONE);
			write_anthropic_result(b, c);
		}
	}
	put_tool_additions(r, &told, r->n_nodes, &w);
	close_anthropic_message(&w);
	ctx_json_put_close(b, ']');
	return 0;
}
