#include "tokens/tokens.h"

#include "json/json.h"

/* OpenAI's accounting for chat models: each message is framed by three tokens and names
 * its role; a speaker's name costs one more (openai-cookbook, "How to count tokens"). */
#define MESSAGE_OVERHEAD 4
#define NAME_OVERHEAD 1
#define CALL_OVERHEAD 6
/* A 1024 x 1024 image at high detail; 85 at low detail (OpenAI vision guide). */
#define IMAGE_TOKENS 765
#define IMAGE_LOW_TOKENS 85

static int64_t
image(struct ctx_span body)
{
	return ctx_json_is(ctx_json_get(body, "detail"), "low") ? IMAGE_LOW_TOKENS
								: IMAGE_TOKENS;
}

/* The content of a tool result: a string, or blocks that may hold images. */
static int64_t
content(struct ctx_tokenizer *t, struct ctx_span body)
{
	struct ctx_json_iter it;
	int64_t sum = 0;

	if (ctx_json_type(body) == CTX_JSON_STRING)
		return ctx_tokens_string(t, body);
	if (ctx_json_type(body) != CTX_JSON_ARRAY)
		return ctx_tokens_json(t, body);
	ctx_json_iter_init(&it, body);
	while (ctx_json_iter_next(&it)) {
		struct ctx_span type = ctx_json_get(it.value, "type");
		struct ctx_span text = ctx_json_get(it.value, "text");
		if (ctx_json_is(type, "image") || ctx_json_is(type, "image_url"))
			sum += IMAGE_TOKENS;
		else if (text.p != NULL)
			sum += ctx_tokens_string(t, text);
		else
			sum += ctx_tokens_json(t, it.value);
	}
	return sum;
}

static int64_t
part(struct ctx_tokenizer *t, const struct ctx_part *p)
{
	switch (p->type) {
	case CTX_PART_TEXT:
		return ctx_tokens_string(t, p->body);
	case CTX_PART_THINKING:
		return p->body.p != NULL ? ctx_tokens_string(t, p->body)
					 : ctx_tokens_json(t, p->raw);
	case CTX_PART_TOOL_CALL:
		return CALL_OVERHEAD + ctx_tokens_string(t, p->name) +
		       (ctx_json_type(p->body) == CTX_JSON_STRING
			       ? ctx_tokens_string(t, p->body)
			       : ctx_tokens_json(t, p->body));
	case CTX_PART_TOOL_RESULT:
		return content(t, p->body);
	case CTX_PART_IMAGE:
		return image(p->body);
	default:
		return ctx_tokens_json(t, p->raw);
	}
}

int64_t
ctx_tokens_message(struct ctx_tokenizer *t, const struct ctx_message *m)
{
	int64_t sum = MESSAGE_OVERHEAD;

	if (m->name.p != NULL)
		sum += NAME_OVERHEAD + ctx_tokens_string(t, m->name);
	for (size_t i = 0; i < m->n; i++)
		sum += part(t, &m->parts[i]);
	return sum;
}
