/* Writes the attributes of spans. */

#include "json/json.h"
#include "model/model.h"
#include "provider/provider.h"
#include "record/usage.h"
#include "telemetry/internal.h"

void
ctx_otlp_text(struct ctx_buf *b, const char *key, struct ctx_span text)
{
	if (text.p != NULL)
		ctx_json_print(b, "{'key':%s,'value':{'stringValue':%t}}", key, text);
}

void
ctx_otlp_str(struct ctx_buf *b, const char *key, const char *s)
{
	ctx_otlp_text(b, key, ctx_span_of(s));
}

static void
put_typed(struct ctx_buf *b, const char *key, const char *type, struct ctx_span json)
{
	ctx_json_print(b, "{'key':%s,'value':{%s:%j}}", key, type, json);
}

void
ctx_otlp_string(struct ctx_buf *b, const char *key, struct ctx_span json)
{
	if (ctx_json_type(json) == CTX_JSON_STRING)
		put_typed(b, key, "stringValue", json);
}

static void
add_otlp_int(struct ctx_buf *b, const char *key, int64_t v)
{
	ctx_json_print(b, "{'key':%s,'value':{'intValue':%d}}", key, v);
}

static void
add_otlp_integer(struct ctx_buf *b, const char *key, struct ctx_span json)
{
	int64_t v;

	if (ctx_json_int(json, &v))
		add_otlp_int(b, key, v);
}

static void
add_otlp_double(struct ctx_buf *b, const char *key, struct ctx_span json)
{
	if (ctx_json_type(json) == CTX_JSON_NUMBER)
		put_typed(b, key, "doubleValue", json);
}

static void
add_otlp_true(struct ctx_buf *b, const char *key, struct ctx_span json)
{
	if (ctx_json_true(json))
		put_typed(b, key, "boolValue", json);
}

void
ctx_otlp_strings(struct ctx_buf *b, const char *key, struct ctx_span json)
{
	bool one = ctx_json_type(json) == CTX_JSON_STRING;

	if (!one && ctx_json_type(json) != CTX_JSON_ARRAY)
		return;
	ctx_json_print(b, "{'key':%s,'value':{'arrayValue':{'values':[", key);
	if (one)
		ctx_json_print(b, "{'stringValue':%j}", json);
	CTX_JSON_EACH(it, json)
		if (ctx_json_type(it.value) == CTX_JSON_STRING)
			ctx_json_print(b, "{'stringValue':%j}", it.value);
	ctx_json_print(b, "]}}}");
}

void
ctx_otlp_params(struct ctx_buf *b, struct ctx_span params)
{
	/* some APIs put parameters into an object */
	struct ctx_span config = ctx_json_find(params, "generationConfig");
	static const struct {
		const char *name, *attribute;
		void (*put)(struct ctx_buf *b, const char *key, struct ctx_span json);
	} known[] = {
	    {"temperature", "gen_ai.request.temperature", add_otlp_double},
	    {"top_p", "gen_ai.request.top_p", add_otlp_double},
	    {"topP", "gen_ai.request.top_p", add_otlp_double},
	    {"top_k", "gen_ai.request.top_k", add_otlp_integer},
	    {"topK", "gen_ai.request.top_k", add_otlp_integer},
	    {"max_tokens", "gen_ai.request.max_tokens", add_otlp_integer},
	    {"max_completion_tokens", "gen_ai.request.max_tokens", add_otlp_integer},
	    {"max_output_tokens", "gen_ai.request.max_tokens", add_otlp_integer},
	    {"maxOutputTokens", "gen_ai.request.max_tokens", add_otlp_integer},
	    {"frequency_penalty", "gen_ai.request.frequency_penalty", add_otlp_double},
	    {"presence_penalty", "gen_ai.request.presence_penalty", add_otlp_double},
	    {"seed", "gen_ai.request.seed", add_otlp_integer},
	    {"stop", "gen_ai.request.stop_sequences", ctx_otlp_strings},
	    {"stop_sequences", "gen_ai.request.stop_sequences", ctx_otlp_strings},
	    {"stopSequences", "gen_ai.request.stop_sequences", ctx_otlp_strings},
	    {"stream", "gen_ai.request.stream", add_otlp_true},
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct ctx_span v = ctx_json_find(params, known[i].name);
		if (v.p == NULL)
			v = ctx_json_find(config, known[i].name);
		known[i].put(b, known[i].attribute, v);
	}
}

static struct ctx_span
find_reasoning_tokens(struct ctx_span usage)
{
	static const char *const details[] = {
	    "completion_tokens_details", "output_tokens_details"};
	struct ctx_span v = CTX_SPAN_NONE;

	for (size_t i = 0; i < 2 && v.p == NULL; i++)
		v = ctx_json_find(ctx_json_find(usage, details[i]), "reasoning_tokens");
	if (v.p == NULL)
		v = ctx_json_find(usage, "thoughtsTokenCount");
	return v;
}

void
ctx_otlp_usage(struct ctx_buf *b, struct ctx_span usage)
{
	struct ctx_usage u;

	if (usage.p == NULL || !ctx_usage_read(&u, usage))
		return;
	add_otlp_int(b, "gen_ai.usage.input_tokens", u.input);
	add_otlp_int(b, "gen_ai.usage.output_tokens", u.output);
	if (u.read > 0)
		add_otlp_int(b, "gen_ai.usage.cache_read.input_tokens", u.read);
	if (u.written > 0)
		add_otlp_int(b, "gen_ai.usage.cache_creation.input_tokens", u.written);
	add_otlp_integer(
	    b, "gen_ai.usage.reasoning.output_tokens", find_reasoning_tokens(usage));
}

void
ctx_otlp_provider(struct ctx_buf *b, struct ctx_span name, struct ctx_span model)
{
	static const char key[] = "gen_ai.provider.name";
	/* names of servers and of other tools */
	static const char *const known[][2] = {{"google", "gcp.gemini"},
	    {"mistral", "mistral_ai"}, {"xai", "x_ai"}, {"bedrock", "aws.bedrock"},
	    {"amazon-bedrock", "aws.bedrock"}, {"moonshot", "moonshot_ai"}};
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_model row;

	if (ctx_json_type(name) != CTX_JSON_STRING &&
	    ctx_json_type(model) == CTX_JSON_STRING &&
	    ctx_model_find(&row, ctx_json_text(model, &text), CTX_SPAN_NONE))
		name = row.server.p != NULL ? row.server : row.provider;
	ctx_buf_release(&text);
	if (ctx_json_type(name) != CTX_JSON_STRING) {
		ctx_otlp_str(b, key, "_OTHER");
		return;
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (ctx_json_is(name, known[i][0])) {
			ctx_otlp_str(b, key, known[i][1]);
			return;
		}
	for (int i = 0; i < CTX_PROVIDER_COUNT; i++) {
		const struct ctx_provider_facts *facts = ctx_provider_facts(
		    (enum ctx_provider)i);
		if (facts->telemetry != NULL && ctx_json_is(name, facts->name)) {
			ctx_otlp_str(b, key, facts->telemetry);
			return;
		}
	}
	ctx_otlp_string(b, key, name);
}
