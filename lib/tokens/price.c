/* Counts the tokens of messages and tool definitions. */
#include "tokens/tokens.h"

#include "json/json.h"
#include "provider/provider.h"
#include "tokens/image.h"

/* OpenAI cookbook, "How to count tokens with tiktoken", section 6: each message costs
 * three tokens, plus one for its role, plus one if the speaker has a name. */
#define MESSAGE_OVERHEAD 4
#define NAME_OVERHEAD 1
/* Not documented. The authors of npm openai-chat-tokens measured 3 with OpenAI; other
 * providers add more text to a call. One figure, on the safe side, is used for all, so
 * that a message costs the same in whichever format it is stored. */
#define CALL_OVERHEAD 6

/* Tokens that rendering may add to results: "Error: " before the text; a line end between
 * texts; and, if the provider does not allow images in results, a placeholder for each
 * image and a separate message that names the call. These figures are on the safe side,
 * because the provider is not known when a message is counted. */
#define RESULT_ERROR 5
#define RESULT_NEXT 2
#define RESULT_IMAGE 6
#define RESULT_IMAGES 16

/* The same cookbook page, section 7, for models that use o200k_base. */
#define TOOLS_END 12
#define TOOL_INIT 7
#define PROPERTIES_INIT 3
#define PROPERTY_KEY 3
#define ENUM_INIT (-3)
#define ENUM_ITEM 3

/* Anthropic, "Tool use", pricing: tokens of the system prompt that tools cause, with
 * tool_choice auto on Claude 4. */
#define ANTHROPIC_TOOLS 346

/* Tokens for members of a tool definition that some providers require besides name,
 * description and schema, and for the array around the definitions. */
#define TOOL_SHAPE 24

/* Longer strings under these names are encoded files, which models do not read as
 * text. */
#define ENCODED_MIN 256

/* ---- messages ---- */

static bool
is_encoded(struct ctx_span key, struct ctx_span value)
{
	return value.n > ENCODED_MIN && ctx_json_type(value) == CTX_JSON_STRING &&
	       (ctx_json_is(key, "data") || ctx_json_is(key, "file_data"));
}

/* Returns the encoded file of a document, in the format of Anthropic, OpenAI, Responses
 * or Interactions. */
static struct ctx_span
document_data(struct ctx_span block)
{
	enum { TYPE, SOURCE, FILE_, FILE_DATA, N };
	static const char *const keys[N] = {"type", "source", "file", "file_data"};
	struct ctx_span v[N], data = CTX_SPAN_NONE;

	ctx_json_get_all(block, keys, v, N);
	if (ctx_json_is(v[TYPE], "document") && ctx_json_has_type(v[SOURCE], "base64"))
		data = ctx_json_get(v[SOURCE], "data");
	else if (ctx_json_is(v[TYPE], "file"))
		data = ctx_json_get(v[FILE_], "file_data");
	else if (ctx_json_is(v[TYPE], "input_file"))
		data = v[FILE_DATA];
	else if (ctx_json_is(v[TYPE], "document") &&
		 ctx_json_is(ctx_json_get(block, "mime_type"), "application/pdf"))
		data = ctx_json_get(block, "data");
	return ctx_json_type(data) == CTX_JSON_STRING ? data : CTX_SPAN_NONE;
}

/* Returns the tokens of the JSON of a block or definition without its mark for the prompt
 * cache. ctx-render sets these marks after the body was fitted to the budget, and models
 * do not read them. */
static int64_t
price_unmarked_json(struct ctx_tokenizer *t, struct ctx_span object)
{
	struct ctx_buf b = CTX_BUF_INIT;
	int64_t sum;

	if (ctx_json_get(object, "cache_control").p == NULL)
		return ctx_tokens_json(t, object);
	ctx_json_put_changed(&b, object, "cache_control", CTX_SPAN_NONE);
	sum = ctx_tokens_json(t, ctx_buf_span(&b));
	ctx_buf_release(&b);
	return sum;
}

/* Returns the encrypted text of a reasoning block, in base64; absent if it has none. */
static struct ctx_span
get_encrypted(struct ctx_span block)
{
	struct ctx_span data = ctx_json_get(block, "encrypted_content");

	if (data.p == NULL && ctx_json_has_type(block, "redacted_thinking"))
		data = ctx_json_get(block, "data");
	return ctx_json_type(data) == CTX_JSON_STRING ? data : CTX_SPAN_NONE;
}

/* Returns true for members that name a file's media type, which models do not read. */
static bool
names_media_type(struct ctx_span key)
{
	return CTX_JSON_IS_ANY(key, "mime_type", "mimeType", "media_type");
}

/* Returns the tokens of a block without a special rule: its JSON without encoded
 * files. */
static int64_t
price_other_block(struct ctx_tokenizer *t, struct ctx_span block)
{
	struct ctx_span data = document_data(block), encrypted = get_encrypted(block);
	int64_t sum = 0;
	bool encoded = false;

	/* The model reads the decrypted text. Four characters of base64 are three bytes,
	 * and a token of text is about four bytes. */
	if (encrypted.p != NULL)
		return ctx_tokens_scale(t, ((int64_t)encrypted.n * 3 + 15) / 16);
	if (data.p != NULL)
		return ctx_image_pdf(data);
	if (ctx_json_is(ctx_json_get(ctx_json_get(block, "source"), "type"), "text"))
		return price_unmarked_json(t, block); /* its data is plain text */
	CTX_JSON_EACH(it, block) {
		CTX_JSON_EACH(inner, it.value)
			encoded = encoded ||
				  (inner.object && is_encoded(inner.key, inner.value));
		encoded = encoded || (it.object && is_encoded(it.key, it.value));
	}
	if (!encoded)
		return price_unmarked_json(t, block);
	CTX_JSON_EACH(it, block) {
		bool container = false;
		if (ctx_json_is(it.key, "cache_control") || names_media_type(it.key))
			continue;
		CTX_JSON_EACH(inner, it.value) {
			container = true;
			if (!inner.object || (!is_encoded(inner.key, inner.value) &&
						 !names_media_type(inner.key)))
				sum += ctx_tokens_json(t, inner.value);
		}
		if (!container && !is_encoded(it.key, it.value))
			sum += ctx_tokens_json(t, it.value);
	}
	return sum;
}

/* Returns the tokens of one block of a tool result's content. */
static int64_t
result_block(struct ctx_tokenizer *t, struct ctx_span block)
{
	static const char *const keys[] = {"type", "text", "source", "image_url"};
	struct ctx_span v[4];

	ctx_json_get_all(block, keys, v, 4);
	if (ctx_json_is(v[0], "image"))
		/* without "source", the data is in the block itself (MCP,
		 * Interactions) */
		return ctx_image_anthropic(v[2].p != NULL ? v[2] : block);
	if (ctx_json_is(v[0], "image_url"))
		return ctx_image_openai(v[3]);
	/* Responses: "detail" is next to the URL */
	if (ctx_json_is(v[0], "input_image"))
		return ctx_image_openai(
		    ctx_json_is(ctx_json_get(block, "detail"), "low") ? block : v[3]);
	if (ctx_json_type(v[1]) == CTX_JSON_STRING)
		return ctx_tokens_string(t, v[1]);
	return price_other_block(t, block);
}

/* Returns the tokens of a tool result's content: a string, or blocks that may contain
 * images. */
static int64_t
price_result_content(struct ctx_tokenizer *t, struct ctx_span body)
{
	int64_t sum = 0;

	if (ctx_json_type(body) == CTX_JSON_STRING)
		return ctx_tokens_string(t, body);
	if (ctx_json_type(body) != CTX_JSON_ARRAY)
		return ctx_tokens_json(t, body);
	CTX_JSON_EACH(it, body)
		sum += result_block(t, it.value);
	return sum;
}

static int64_t
price_tool_result(struct ctx_tokenizer *t, const struct ctx_part *p)
{
	int64_t sum = price_result_content(t, p->body);
	int64_t more = p->error ? RESULT_ERROR : 0;
	bool images = false, first = true;

	CTX_JSON_EACH(
	    it, ctx_json_type(p->body) == CTX_JSON_ARRAY ? p->body : CTX_SPAN_NONE) {
		struct ctx_span type = ctx_json_get(it.value, "type");
		bool image = ctx_json_is(type, "image") || ctx_json_is(type, "image_url");
		more += (first ? 0 : RESULT_NEXT) + (image ? RESULT_IMAGE : 0);
		images = images || image;
		first = false;
	}
	if (images) {
		more += RESULT_IMAGES;
		sum += p->id.p != NULL ? ctx_tokens_string(t, p->id) : 0;
	}
	return sum + ctx_tokens_scale(t, more);
}

/* Returns the tokens of a call's arguments in OpenAI's format, a string. If the string is
 * not a JSON object, providers that require an object get {"input": STRING}. */
static int64_t
price_call_arguments(struct ctx_tokenizer *t, struct ctx_span string)
{
	static const char object[] = "{\"input\":}";
	int64_t plain = ctx_tokens_string(t, string), wrapped;
	size_t i = 1;

	while (i < string.n && string.p[i] == ' ')
		i++;
	if (i < string.n && string.p[i] == '{')
		return plain;
	wrapped = ctx_tokens_text(t, object, sizeof(object) - 1) +
		  ctx_tokens_json(t, string);
	return plain > wrapped ? plain : wrapped;
}

/* Returns the tokens of a tool call. A call of the Responses API has its arguments twice,
 * as an object and as returned. Which of them is sent depends on the provider, so the
 * larger count is used. */
static int64_t
price_tool_call(struct ctx_tokenizer *t, const struct ctx_part *p)
{
	int64_t body = ctx_json_type(p->body) == CTX_JSON_STRING
			   ? price_call_arguments(t, p->body)
			   : ctx_tokens_json(t, p->body);
	struct ctx_span returned = p->openai ? CTX_SPAN_NONE
					     : ctx_json_get(p->raw, "arguments");

	if (ctx_json_type(returned) == CTX_JSON_STRING) {
		int64_t as_text = price_call_arguments(t, returned);
		body = as_text > body ? as_text : body;
	}
	return ctx_tokens_scale(t, CALL_OVERHEAD) + ctx_tokens_string(t, p->name) + body;
}

static int64_t
price_message_part(struct ctx_tokenizer *t, const struct ctx_part *p)
{
	if (p->item)
		return price_other_block(t, p->raw);
	switch (p->type) {
	case CTX_PART_TEXT:
		return ctx_tokens_string(t, p->body);
	case CTX_PART_THINKING:
		return p->body.p != NULL ? ctx_tokens_string(t, p->body)
					 : price_other_block(t, p->raw);
	case CTX_PART_TOOL_CALL:
		return price_tool_call(t, p);
	case CTX_PART_TOOL_RESULT:
		return price_tool_result(t, p);
	case CTX_PART_IMAGE:
		return p->openai ? ctx_image_openai(p->body)
				 : ctx_image_anthropic(p->body);
	default:
		return price_other_block(t, p->raw);
	}
}

static int64_t price_tool_definition(
    struct ctx_tokenizer *t, struct ctx_span tool, int provider);

static int64_t
price_whole_message(struct ctx_tokenizer *t, const struct ctx_message *m, int provider)
{
	size_t results = ctx_message_count(m, CTX_PART_TOOL_RESULT);
	/* With OpenAI each result is a separate message. The number of messages is used
	 * for all providers, so that a message always costs the same. */
	int64_t frames = results == 0 ? 1 : (int64_t)results + (results < m->n), sum;
	struct ctx_span tool = ctx_message_tool(m);

	if (tool.p != NULL)
		return price_tool_definition(t, tool, provider);
	sum = ctx_tokens_scale(
	    t, MESSAGE_OVERHEAD * frames + (m->name.p != NULL ? NAME_OVERHEAD : 0));
	if (m->name.p != NULL)
		sum += ctx_tokens_string(t, m->name);
	for (size_t i = 0; i < m->n; i++)
		sum += price_message_part(t, &m->parts[i]);
	return sum;
}

int64_t
ctx_tokens_message(struct ctx_tokenizer *t, const struct ctx_message *m)
{
	return price_whole_message(t, m, -1);
}

/* Returns how many tokens more an image costs in the provider's format than in its own.
 * APIs other than OpenAI's count images as Anthropic's does. */
static int64_t
image_more(struct ctx_span image, bool openai, int provider)
{
	bool as_openai = ctx_provider_facts(provider)->openai_images;
	int64_t here, there;

	if (as_openai == openai)
		return 0;
	here = openai ? ctx_image_openai(image) : ctx_image_anthropic(image);
	there = openai ? ctx_image_anthropic(image) : ctx_image_openai(image);
	return there > here ? there - here : 0;
}

static int64_t
result_more(struct ctx_span content, int provider)
{
	int64_t sum = 0;

	if (ctx_json_type(content) != CTX_JSON_ARRAY)
		return 0;
	CTX_JSON_EACH(it, content) {
		struct ctx_span type = ctx_json_get(it.value, "type");
		bool openai = ctx_json_is(type, "image_url");
		if (openai || ctx_json_is(type, "image"))
			sum += image_more(
			    ctx_json_get(it.value, openai ? "image_url" : "source"),
			    openai, provider);
	}
	return sum;
}

int64_t
ctx_tokens_sent(struct ctx_tokenizer *t, const struct ctx_message *m, int provider)
{
	int64_t sum = price_whole_message(t, m, provider);

	for (size_t i = 0; provider >= 0 && i < m->n; i++) {
		const struct ctx_part *p = &m->parts[i];
		if (p->type == CTX_PART_IMAGE)
			sum += image_more(p->body, p->openai, provider);
		else if (p->type == CTX_PART_TOOL_RESULT)
			sum += result_more(p->body, provider);
	}
	return sum;
}

/* Returns the tokens of system text: a string, blocks, or a content with parts.
 * The count equals that of the same text as a message. */
static int64_t
system_text(struct ctx_tokenizer *t, struct ctx_span v)
{
	struct ctx_span parts = ctx_json_get(v, "parts");
	struct ctx_span text = ctx_json_get(v, "text");

	if (v.p == NULL || ctx_json_type(v) == CTX_JSON_NULL)
		return 0;
	if (parts.p != NULL)
		v = parts;
	else if (text.p != NULL)
		v = text;
	if (ctx_json_type(v) == CTX_JSON_OBJECT)
		v = ctx_json_get(v, "text");
	return v.p == NULL
		   ? 0
		   : ctx_tokens_scale(t, MESSAGE_OVERHEAD) + price_result_content(t, v);
}

int64_t
ctx_tokens_params(struct ctx_tokenizer *t, struct ctx_span body)
{
	enum { TOOLS, FUNCTIONS, SYSTEM, N = SYSTEM + 4 };
	static const char *const keys[N] = {"tools", "functions", "system",
	    "systemInstruction", "system_instruction", "instructions"};
	struct ctx_span v[N];
	int64_t sum = 0;

	ctx_json_get_all(body, keys, v, N);
	for (int i = 0; i < N; i++)
		sum += i < SYSTEM ? ctx_tokens_tools(t, v[i]) : system_text(t, v[i]);
	return sum;
}

/* ---- tool definitions ---- */

/* Returns the tokens of "name:description" or "key:type:description": the joined texts,
 * without a final period. */
static int64_t
price_schema_line(struct ctx_tokenizer *t, struct ctx_span a, struct ctx_span b,
    struct ctx_span description)
{
	struct ctx_buf text = CTX_BUF_INIT;
	int64_t sum;

	ctx_json_decode(a, &text);
	if (b.p != NULL) {
		ctx_buf_addc(&text, ':');
		ctx_json_decode(b, &text);
	}
	ctx_buf_addc(&text, ':');
	if (ctx_json_type(description) == CTX_JSON_STRING)
		ctx_json_decode(description, &text);
	if (text.p[text.n - 1] == '.')
		text.n--;
	sum = ctx_tokens_text(t, text.p, text.n);
	ctx_buf_release(&text);
	return sum;
}

static int64_t price_schema_properties(
    struct ctx_tokenizer *t, struct ctx_span object, int depth);

static int64_t
price_schema_property(
    struct ctx_tokenizer *t, struct ctx_span key, struct ctx_span value, int depth)
{
	static const char *const keys[] = {"type", "description", "enum", "items"};
	static const struct ctx_span none = {"\"\"", 2};
	struct ctx_span v[4];
	int64_t frame = PROPERTY_KEY, sum;

	ctx_json_get_all(value, keys, v, 4);
	sum = price_schema_line(
	    t, key, ctx_json_type(v[0]) == CTX_JSON_STRING ? v[0] : none, v[1]);
	if (ctx_json_type(v[2]) == CTX_JSON_ARRAY) {
		frame += ENUM_INIT;
		CTX_JSON_EACH(it, v[2]) {
			frame += ENUM_ITEM;
			sum += ctx_json_type(it.value) == CTX_JSON_STRING
				   ? ctx_tokens_string(t, it.value)
				   : ctx_tokens_json(t, it.value);
		}
	}
	/* the cookbook describes only the first level, but nested properties are sent
	 * too */
	return ctx_tokens_scale(t, frame) + sum +
	       price_schema_properties(t, value, depth) +
	       price_schema_properties(t, v[3], depth);
}

/* Returns the tokens of the properties of a JSON Schema object. */
static int64_t
price_schema_properties(struct ctx_tokenizer *t, struct ctx_span object, int depth)
{
	int64_t sum = 0;

	if (ctx_json_type(object) != CTX_JSON_OBJECT || depth > 32)
		return 0;
	CTX_JSON_EACH(it, ctx_json_get(object, "properties"))
		if (it.object)
			sum += (sum == 0 ? ctx_tokens_scale(t, PROPERTIES_INIT) : 0) +
			       price_schema_property(t, it.key, it.value, depth + 1);
	return sum;
}

int64_t
ctx_tokens_tools(struct ctx_tokenizer *t, struct ctx_span tools)
{
	static const char *const keys[] = {"name", "description", "parameters"};
	struct ctx_span v[3];
	int64_t sum = 0;
	bool openai = false, anthropic = false;

	CTX_JSON_EACH(it, tools) {
		struct ctx_span function = ctx_json_get(it.value, "function");
		if (ctx_json_type(function) != CTX_JSON_OBJECT) {
			anthropic = anthropic ||
				    ctx_json_get(it.value, "input_schema").p != NULL;
			sum += price_unmarked_json(t, it.value);
			continue;
		}
		openai = true;
		ctx_json_get_all(function, keys, v, 3);
		sum += ctx_tokens_scale(t, TOOL_INIT) +
		       price_schema_properties(t, v[2], 0);
		if (ctx_json_type(v[0]) == CTX_JSON_STRING)
			sum += price_schema_line(t, v[0], CTX_SPAN_NONE, v[1]);
	}
	return sum + ctx_tokens_scale(
			 t, (openai ? TOOLS_END : 0) + (anthropic ? ANTHROPIC_TOOLS : 0));
}

/* Returns the tokens of a tool definition in an addition, in the format of the provider;
 * if the provider is not known, in the most expensive format. */
static int64_t
price_tool_definition(struct ctx_tokenizer *t, struct ctx_span tool, int provider)
{
	const struct ctx_provider_facts *facts = ctx_provider_facts(provider);
	struct ctx_span name = ctx_json_get(tool, "name");
	int64_t json = ctx_tokens_scale(t, TOOL_SHAPE) + ctx_tokens_json(t, tool);
	int64_t openai = ctx_tokens_scale(t, TOOL_INIT + TOOLS_END) +
			 price_schema_properties(
			     t, ctx_json_get(tool, "input_schema"), 0) +
			 price_schema_line(
			     t, name, CTX_SPAN_NONE, ctx_json_get(tool, "description"));

	if (facts != NULL)
		return facts->chat_tools ? openai : json;
	return json > openai ? json : openai;
}

int64_t
ctx_tokens_tools_prompt(const struct ctx_tokenizer *t, int provider)
{
	const struct ctx_provider_facts *facts = ctx_provider_facts(provider);

	return facts != NULL && facts->tools_prompt ? ctx_tokens_scale(t, ANTHROPIC_TOOLS)
						    : 0;
}
