/* Renders messages for OpenAI's Chat Completions (API reference, "Create chat
 * completion"). */
#include "json/json.h"
#include "provider/openai/internal.h"

static const char *const text_keys[] = {
    "type", "text", "refusal", "prompt_cache_breakpoint", NULL};

/* True if OpenAI knows the text's block type. */
static bool
is_own_text(const struct ctx_part *p)
{
	struct ctx_span type = ctx_json_get(p->raw, "type");

	return ctx_json_is(type, "text") || ctx_json_is(type, "refusal");
}

static void
write_openai_media(struct ctx_buf *b, const struct ctx_part *p)
{
	struct render_media m;
	const char *format;

	if (!ctx_render_media_sent(p, CTX_PROVIDER_OPENAI)) {
		ctx_render_put_stand_in(b, p);
		return;
	}
	ctx_render_media_of(&m, p);
	format = ctx_render_audio_format(m.mime);
	if (m.image) {
		ctx_json_print(b, "{'type':'image_url','image_url':{'url':");
		ctx_render_put_data_url(b, &m);
	} else if (format != NULL) {
		ctx_json_print(b,
		    "{'type':'input_audio','input_audio':{'data':%t,'format':%s", m.data,
		    format);
	} else if (m.upload.p != NULL) {
		ctx_json_print(b, "{'type':'file','file':{'file_id':%j", m.upload);
	} else {
		ctx_json_print(b, "{'type':'file','file':{'filename':%t,'file_data':",
		    m.name.n > 0 ? m.name : ctx_span_of("document.pdf"));
		ctx_render_put_data_url(b, &m);
	}
	ctx_json_print(b, "}}");
	ctx_render_media_release(&m);
}

/* Writes one element of a content list. Only user messages may hold anything but text. */
static void
write_openai_part(struct ctx_buf *b, const struct ctx_part *p, bool user)
{
	if (p->type == CTX_PART_TEXT && p->raw.p[0] == '"')
		ctx_message_put_text(b, p->raw);
	else if (p->type == CTX_PART_TEXT && is_own_text(p))
		ctx_render_copy(b, p->raw, text_keys, NULL, 0);
	else if (p->type == CTX_PART_TEXT)
		ctx_message_put_text(b, p->body);
	else if (!user)
		ctx_render_put_stand_in(b, p);
	else if (p->type == CTX_PART_IMAGE &&
		 ctx_render_image_raw(p, CTX_PROVIDER_OPENAI))
		ctx_json_put_raw(b, p->raw);
	else if (p->type == CTX_PART_IMAGE)
		write_openai_media(b, p);
	else if (p->raw.p[0] == '{' && ctx_render_shape(p) == SHAPE_OPENAI)
		ctx_json_put_raw(b, p->raw);
	else
		write_openai_media(b, p);
}

/* Writes the function of a call in OpenAI's format: its members unchanged, except that
 * the name is made valid and the arguments are a string. */
static void
make_function(struct ctx_buf *b, const struct render_call *c, enum ctx_provider provider)
{
	static const char *const function_keys[] = {"name", "arguments", NULL};
	static const char *const custom_keys[] = {"name", "input", NULL};
	struct ctx_span inner = ctx_json_get(
	    c->part->raw, c->part->custom ? "custom" : "function");
	struct ctx_buf name = CTX_BUF_INIT, args = CTX_BUF_INIT;
	struct render_swap swap[] = {{"name", CTX_SPAN_NONE, !c->part->openai},
	    {"arguments", c->part->body, !c->part->custom}};

	ctx_render_put_name(&name, c->part->name, provider);
	swap[0].json = ctx_buf_span(&name);
	if (!c->part->openai || ctx_json_type(c->part->body) != CTX_JSON_STRING) {
		ctx_render_args_string(&args, c->part);
		swap[1].json = ctx_buf_span(&args);
	}
	ctx_render_copy(b, c->part->openai ? inner : CTX_SPAN_NONE,
	    c->part->custom ? custom_keys : function_keys, swap, 2);
	ctx_buf_release(&name);
	ctx_buf_release(&args);
}

static void
write_openai_call(const struct render *r, struct ctx_buf *b, const struct render_call *c)
{
	static const char *const keys[] = {
	    "id", "type", "function", "custom", "extra_content", NULL};
	const struct ctx_part *p = c->part;
	bool strict = r->o->server != NULL && r->o->server->strict;
	struct ctx_buf id = CTX_BUF_INIT, function = CTX_BUF_INIT;
	struct ctx_span type = ctx_json_get(p->raw, "type");
	struct render_swap swap[] = {{"id", p->id, !p->openai}, {"type", type, true},
	    {p->custom ? "custom" : "function", CTX_SPAN_NONE, !p->openai},
	    {"extra_content",
		strict ? CTX_SPAN_NONE : ctx_json_get(p->raw, "extra_content"), false}};

	if (!p->openai || !ctx_json_is_text(type))
		swap[1].json = ctx_span_of(p->custom ? "\"custom\"" : "\"function\"");
	if (!p->openai || !ctx_span_eq(c->id, c->sent)) {
		ctx_json_put_string(&id, c->sent);
		swap[0].json = ctx_buf_span(&id);
	}
	make_function(&function, c, r->o->provider);
	swap[2].json = ctx_buf_span(&function);
	ctx_render_copy(b, p->openai ? p->raw : CTX_SPAN_NONE, keys, swap, 4);
	ctx_buf_release(&id);
	ctx_buf_release(&function);
}

/* Writes the content of a message that consists of blocks, or of a user message with
 * additions. Writes nothing if no block is sent. Writes a plain string if blocks in
 * another format were left out and one text remains. */
static void
make_content(const struct render *r, const struct render_node *node, struct ctx_buf *b)
{
	const struct ctx_message *m = &r->msgs[node->item];
	const struct ctx_part *only = NULL;
	bool user = m->role == CTX_ROLE_USER, foreign = false;
	bool blocks = ctx_json_type(ctx_json_get(m->json, "content")) == CTX_JSON_ARRAY;
	bool joined = false;
	size_t count = 0;

	ctx_json_put_open(b, '[');
	for (size_t i = node->extra; i < node->extra + node->extras; i++) {
		const struct ctx_message *v = &r->msgs[r->extra[i].item];
		for (size_t k = 0; k < v->n; k++) {
			if (!ctx_render_extra_sent(&v->parts[k]))
				continue;
			write_openai_part(b, &v->parts[k], true);
			count++;
		}
	}
	for (size_t i = 0; i < m->n; i++) {
		const struct ctx_part *p = &m->parts[i];
		if (p->type == CTX_PART_TEXT && blocks && p->raw.p[0] == '"')
			/* a refusal beside the content is sent as a separate member */
			continue;
		if (!ctx_render_part_sent(r, node, p) || p->type == CTX_PART_TOOL_CALL) {
			foreign |= !p->openai && p->type != CTX_PART_TEXT;
			continue;
		}
		if (count > 0 && p->type == CTX_PART_TEXT && p->body.n <= 2)
			continue;
		if (p->type == CTX_PART_THINKING && !joined)
			joined = ctx_openai_put_thinking(r, node, b);
		else if (p->type != CTX_PART_THINKING)
			write_openai_part(b, p, user);
		only = p->type == CTX_PART_TEXT ? p : NULL;
		count++;
	}
	ctx_json_put_close(b, ']');
	if (count == 0)
		ctx_buf_reset(b);
	if (count == 1 && foreign && only != NULL) {
		ctx_buf_reset(b);
		ctx_buf_addspan(b, only->body);
	}
}

static void
make_calls(const struct render *r, const struct render_node *node, struct ctx_buf *b)
{
	if (node->calls == 0)
		return;
	ctx_json_put_open(b, '[');
	for (size_t i = node->call; i < node->call + node->calls; i++)
		write_openai_call(r, b, &r->calls[i]);
	ctx_json_put_close(b, ']');
}

/* True if the audio of an answer has expired at the provider. */
static bool
is_audio_gone(const struct render *r, struct ctx_span audio)
{
	int64_t expires;

	return r->o->now > 0 &&
	       ctx_json_int(ctx_json_get(audio, "expires_at"), &expires) &&
	       expires <= r->o->now / 1000;
}

/* Returns the audio of an answer as a request names it: by its id only. Absent if the
 * audio has expired. */
static struct ctx_span
make_audio(const struct render *r, struct ctx_span audio, struct ctx_buf *b)
{
	static const char *const keys[] = {"id", NULL};

	if (ctx_json_type(audio) != CTX_JSON_OBJECT || is_audio_gone(r, audio))
		return CTX_SPAN_NONE;
	ctx_render_copy(b, audio, keys, NULL, 0);
	return ctx_buf_span(b);
}

static bool
has_words(struct ctx_span content)
{
	enum ctx_json_type type = ctx_json_type(content);

	return (type == CTX_JSON_STRING || type == CTX_JSON_ARRAY) && content.n > 2;
}

static void
put_openai_message(
    const struct render *r, const struct render_node *node, struct ctx_buf *b)
{
	enum { ROLE, CONTENT, CALLS, AUDIO, NAME, REASONING, DETAILS, N };
	static const char *const keys[N] = {"role", "content", "tool_calls", "audio",
	    "name", "reasoning_content", "reasoning_details"};
	const struct ctx_message *m = &r->msgs[node->item];
	bool strict = r->o->server != NULL && r->o->server->strict;
	bool front = r->o->system_parts && r->n_system > 0 && ctx_render_front(r) > 0 &&
		     node->item == r->system[0];
	struct ctx_buf content = CTX_BUF_INIT, calls = CTX_BUF_INIT, audio = CTX_BUF_INIT;
	struct ctx_buf name = CTX_BUF_INIT;
	enum ctx_json_type type;
	struct ctx_span v[N], transcript;
	struct render_swap swap[N];

	ctx_json_get_all(m->json, keys, v, N);
	for (int i = 0; i < N; i++)
		swap[i] = (struct render_swap){keys[i], v[i], i == CONTENT || i == CALLS};
	/* a summary that is sent as the user's */
	if (ctx_role_parse(v[ROLE]) != (int)m->role)
		swap[ROLE].json = ctx_span_of("\"user\"");
	else if (ctx_render_is_system(r, node->item))
		swap[ROLE].json = ctx_openai_system_role(r, node->item);
	make_calls(r, node, &calls);
	swap[CALLS].json = ctx_buf_span(&calls);
	swap[AUDIO].json = make_audio(r, v[AUDIO], &audio);
	if (ctx_json_type(v[NAME]) == CTX_JSON_STRING)
		ctx_render_put_speaker(&name, v[NAME]);
	swap[NAME].json = ctx_buf_span(&name);
	if (r->o->thinking == CTX_THINKING_STRIP)
		swap[REASONING].json = swap[DETAILS].json = CTX_SPAN_NONE;
	type = ctx_json_type(v[CONTENT]);
	if (node->extras > 0 || front || type == CTX_JSON_ARRAY ||
	    type == CTX_JSON_OBJECT) {
		make_content(r, node, &content);
		if (front && content.n > 0)
			ctx_render_put_breakpoint(r, &content, 0);
		swap[CONTENT].json = content.n > 0 ? ctx_buf_span(&content)
						   : ctx_span_of("null");
	}
	transcript = ctx_json_get(v[AUDIO], "transcript");
	if (is_audio_gone(r, v[AUDIO]) && !has_words(v[CONTENT]) &&
	    ctx_json_type(transcript) == CTX_JSON_STRING)
		swap[CONTENT].json = transcript;
	if (strict && ctx_json_type(v[CONTENT]) == CTX_JSON_NULL)
		swap[CONTENT].json = ctx_span_of("\"\"");
	if (m->role == CTX_ROLE_ASSISTANT && v[REASONING].p == NULL &&
	    ctx_openai_wants_reasoning(r))
		swap[REASONING] = (struct render_swap){
		    "reasoning_content", ctx_span_of("\"\""), true};
	ctx_render_copy(b, m->json, ctx_openai_message_keys(r), swap, N);
	ctx_buf_release(&content);
	ctx_buf_release(&calls);
	ctx_buf_release(&audio);
	ctx_buf_release(&name);
}

/* Writes the content of a tool message: a string, or text blocks unchanged. */
static void
make_openai_result_content(const struct ctx_part *p, struct ctx_buf *b)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	bool blocks = p->openai && ctx_json_type(p->body) == CTX_JSON_ARRAY;

	if (blocks)
		ctx_message_parse_content(&m, p->body);
	blocks = blocks && m.n > 0 && ctx_message_count(&m, CTX_PART_TEXT) == m.n;
	if (blocks) {
		ctx_json_put_open(b, '[');
		for (size_t i = 0; i < m.n; i++)
			write_openai_part(b, &m.parts[i], false);
		ctx_json_put_close(b, ']');
	} else {
		ctx_render_result_text(b, p, p->error);
	}
	ctx_message_release(&m);
}

static void
write_openai_result(const struct render_call *c, struct ctx_buf *b)
{
	static const char *const keys[] = {
	    "role", "content", "name", "tool_call_id", NULL};
	const struct ctx_part *p = c->result;
	struct ctx_buf id = CTX_BUF_INIT, content = CTX_BUF_INIT, name = CTX_BUF_INIT;
	struct render_swap swap[] = {{"role", ctx_span_of("\"tool\""), !p->openai},
	    {"tool_call_id", p->id, !p->openai}, {"content", CTX_SPAN_NONE, true},
	    {"name", CTX_SPAN_NONE, false}};

	if (!ctx_span_eq(c->id, c->sent) || !p->openai) {
		ctx_json_put_string(&id, c->sent);
		swap[1].json = ctx_buf_span(&id);
	}
	make_openai_result_content(p, &content);
	swap[2].json = ctx_buf_span(&content);
	if (ctx_json_type(ctx_json_get(p->raw, "name")) == CTX_JSON_STRING)
		ctx_render_put_name(
		    &name, ctx_json_get(p->raw, "name"), CTX_PROVIDER_OPENAI);
	swap[3].json = ctx_buf_span(&name);
	ctx_render_copy(b, p->openai ? p->raw : CTX_SPAN_NONE, keys, swap, 4);
	ctx_buf_release(&id);
	ctx_buf_release(&content);
	ctx_buf_release(&name);
}

/* Writes a user message with the images and documents of results, because tool messages
 * cannot hold them. */
static void
put_result_media(
    const struct render *r, const struct render_node *node, struct ctx_buf *b)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	bool open = false;

	RENDER_EACH_RESULT(c, r, node) {
		bool named = false;
		ctx_message_parse_content(&m, c->result->body);
		for (size_t k = 0; k < m.n; k++) {
			if (!ctx_render_media_sent(&m.parts[k], CTX_PROVIDER_OPENAI))
				continue;
			if (!open)
				ctx_json_print(b, "{'role':'user','content':[");
			open = true;
			if (!named) {
				struct ctx_buf text = CTX_BUF_INIT;
				ctx_buf_addf(&text,
				    "From the result of tool call %.*s:", (int)c->sent.n,
				    c->sent.p);
				ctx_json_print(
				    b, "{'type':'text','text':%t}", ctx_buf_span(&text));
				ctx_buf_release(&text);
			}
			named = true;
			write_openai_part(b, &m.parts[k], true);
		}
	}
	if (open)
		ctx_buf_adds(b, "]}");
	ctx_message_release(&m);
}

/* Renders the system text for Chat Completions as one message: strict compatible servers
 * require this. */

/* Writes the system text as two parts: the messages that the next run begins with too,
 * followed by a cache breakpoint, and the rest, such as a summary. */
static void
put_system_parts(const struct render *r, struct ctx_buf *b)
{
	struct ctx_buf text = CTX_BUF_INIT;
	size_t front = ctx_render_front(r), n = 0;

	ctx_json_put_open(b, '[');
	if (front > 0) {
		ctx_render_system_text(r, 0, front, &text);
		n = text.n;
		ctx_json_print(b, "{'type':'text','text':%t}]", ctx_buf_span(&text));
		ctx_render_put_breakpoint(r, b, 0);
		b->n--;
	}
	if (front < r->n_system) {
		ctx_render_system_text(r, front, r->n_system, &text);
		ctx_json_print(b, "{'type':'text','text':%t}",
		    (struct ctx_span){text.p + n, text.n - n});
	}
	ctx_json_put_close(b, ']');
	ctx_buf_release(&text);
}

/* Writes one system message at the start, because strict compatible servers allow only
 * one. */
/* Appends the message with the system text; appends nothing if there is no system
 * text. */
static void
put_openai_system(const struct render *r, struct ctx_buf *b)
{
	struct ctx_buf content = CTX_BUF_INIT, text = CTX_BUF_INIT;
	struct render_node node = {.kind = NODE_USER};

	if (r->n_system == 0)
		return;
	if (r->n_system == 1) {
		node.item = r->system[0];
		put_openai_message(r, &node, b);
		return;
	}
	if (r->o->system_parts) {
		put_system_parts(r, &content);
	} else {
		ctx_render_system_text(r, 0, r->n_system, &text);
		ctx_json_put_string(&content, ctx_buf_span(&text));
	}
	ctx_json_print(b, "{'role':%j,'content':%j}",
	    ctx_openai_system_role(r, r->system[0]), ctx_buf_span(&content));
	ctx_buf_release(&content);
	ctx_buf_release(&text);
}

int
ctx_openai_messages(struct render *r, struct ctx_buf *b)
{
	if (r->o->server != NULL && r->o->server->native) {
		ctx_openai_ollama(r, b);
		return 0;
	}
	ctx_json_add_open(b, "messages", '[');
	put_openai_system(r, b);
	for (size_t i = 0; i < r->n_nodes; i++) {
		const struct render_node *node = &r->nodes[i];
		if (node->kind != NODE_RESULTS) {
			put_openai_message(r, node, b);
			continue;
		}
		RENDER_EACH_RESULT(c, r, node)
			write_openai_result(c, b);
		put_result_media(r, node, b);
	}
	ctx_json_put_close(b, ']');
	return 0;
}
