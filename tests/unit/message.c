#include "test.h"

#include "json/json.h"
#include "record/message.h"

static struct ctx_message m = CTX_MESSAGE_INIT;
static struct ctx_err err;
static struct ctx_buf out = CTX_BUF_INIT;

static const char *
parse(const char *json)
{
	err = (struct ctx_err)CTX_ERR_INIT;
	return ctx_message_parse(&m, ctx_span_of(json), &err) < 0 ? err.msg : "";
}

static const char *
text(void)
{
	ctx_buf_reset(&out);
	ctx_buf_adds(&out, "");
	ctx_message_text(&m, &out);
	return out.p;
}

static const char *
content(const char *json)
{
	ctx_buf_reset(&out);
	ctx_buf_adds(&out, "");
	ctx_content_text(ctx_span_of(json), &out);
	return out.p;
}

static void
roles(void)
{
	static const char *const names[] = {
	    "system", "developer", "user", "assistant", "tool"};
	char json[100];

	for (int i = 0; i < 5; i++) {
		snprintf(json, sizeof(json), "{\"role\":\"%s\"}", names[i]);
		CHECK_STR(parse(json), "");
		CHECK_INT(m.role, i);
		CHECK_STR(ctx_role_name(m.role), names[i]);
	}
	CHECK_STR(parse("{\"role\":\"us\\u0065r\"}"), "");
	CHECK_INT(m.role, CTX_ROLE_USER);
	CHECK_STR(parse("{}"), "the message has no role");
	CHECK_STR(parse("[]"), "a message must be a JSON object");
	CHECK_STR(parse("{\"role\":\"bot\"}"),
	    "unknown role \"bot\" (system, developer, user, assistant or tool)");
	CHECK_STR(parse("{\"role\":5}"),
	    "unknown role 5 (system, developer, user, assistant or tool)");
	CHECK_INT(err.code, CTX_EINPUT);
}

static void
openai_calls(void)
{
	CHECK_STR(
	    parse("{\"role\":\"assistant\",\"content\":null,\"tool_calls\":["
		  "{\"id\":\"c1\",\"type\":\"function\",\"function\":{\"name\":\"f\","
		  "\"arguments\":\"{}\"}},{\"id\":\"c2\",\"type\":\"custom\",\"custom\":"
		  "{\"name\":\"g\",\"input\":\"free\"}}]}"),
	    "");
	CHECK_INT(m.n, 2);
	CHECK_INT(ctx_message_count(&m, CTX_PART_TOOL_CALL), 2);
	CHECK(m.parts[0].openai && !m.parts[0].custom && m.parts[1].custom);
	CHECK(ctx_span_is(m.parts[0].id, "\"c1\"") &&
	      ctx_span_is(m.parts[0].name, "\"f\"") &&
	      ctx_span_is(m.parts[0].body, "\"{}\""));
	CHECK(ctx_span_is(m.parts[1].name, "\"g\"") &&
	      ctx_span_is(m.parts[1].body, "\"free\""));
	CHECK_STR(
	    parse("{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"42\"}"), "");
	CHECK_INT(m.n, 1);
	CHECK(m.parts[0].type == CTX_PART_TOOL_RESULT &&
	      ctx_span_is(m.parts[0].id, "\"c1\""));
	CHECK(ctx_span_eq(m.parts[0].raw, m.json));
	CHECK_STR(text(), "42");
}

static void
anthropic_blocks(void)
{
	CHECK_STR(
	    parse(
		"{\"role\":\"assistant\",\"content\":["
		"{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"s\"},"
		"{\"type\":\"redacted_thinking\",\"data\":\"x\"},"
		"{\"type\":\"text\",\"text\":\"a\"},"
		"{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{\"x\":1}},"
		"{\"type\":\"text\",\"text\":\"b\"},{\"type\":\"server_tool_use\"},7]}"),
	    "");
	CHECK_INT(m.n, 7);
	CHECK_INT(ctx_message_count(&m, CTX_PART_THINKING), 2);
	CHECK_INT(ctx_message_count(&m, CTX_PART_OTHER), 2);
	CHECK(m.parts[3].type == CTX_PART_TOOL_CALL && !m.parts[3].openai);
	CHECK(ctx_span_is(m.parts[3].body, "{\"x\":1}"));
	CHECK_STR(text(), "a\nb");
	CHECK_STR(
	    parse(
		"{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\","
		"\"tool_use_id\":\"t\",\"is_error\":true,\"content\":[{\"type\":\"text\","
		"\"text\":\"no\"},{\"type\":\"image\"}]},{\"type\":\"image\",\"source\":{"
		"}}]}"),
	    "");
	CHECK(m.parts[0].error && ctx_span_is(m.parts[0].id, "\"t\""));
	CHECK(m.parts[1].type == CTX_PART_IMAGE && ctx_span_is(m.parts[1].body, "{}"));
	CHECK_STR(text(), "no\n[image]");
}

static void
openai_parts(void)
{
	CHECK_STR(parse("{\"role\":\"user\",\"name\":\"ann\",\"content\":["
			"{\"type\":\"text\",\"text\":\"see\"},{\"type\":\"image_url\","
			"\"image_url\":"
			"{\"url\":\"u\"}},{\"type\":\"input_audio\"}]}"),
	    "");
	CHECK(ctx_span_is(m.name, "\"ann\""));
	CHECK(m.parts[1].type == CTX_PART_IMAGE && m.parts[1].openai);
	CHECK(m.parts[2].type == CTX_PART_OTHER);
	CHECK_STR(
	    parse("{\"role\":\"assistant\",\"content\":null,\"refusal\":\"no\"}"), "");
	CHECK_STR(text(), "no");
}

static void
turns(void)
{
	CHECK_STR(parse("{\"role\":\"user\",\"content\":\"hi\"}"), "");
	CHECK(ctx_message_starts_turn(&m));
	CHECK_STR(
	    parse("{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"x\"},"
		  "{\"type\":\"tool_result\",\"tool_use_id\":\"t\"}]}"),
	    "");
	CHECK(!ctx_message_starts_turn(&m));
	CHECK_STR(parse("{\"role\":\"tool\",\"content\":\"x\"}"), "");
	CHECK(!ctx_message_starts_turn(&m));
	CHECK_STR(parse("{\"role\":\"assistant\"}"), "");
	CHECK(!ctx_message_starts_turn(&m));
	CHECK_INT(m.n, 0);
}

static unsigned
roles_of(const char *json)
{
	parse(json);
	return ctx_message_roles(&m);
}

static void
whose_words(void)
{
	const unsigned user = 1U << CTX_ROLE_USER, tool = 1U << CTX_ROLE_TOOL;

	CHECK_INT(roles_of("{\"role\":\"user\",\"content\":\"x\"}"), user);
	CHECK_INT(roles_of("{\"role\":\"user\",\"content\":\"\"}"), user);
	CHECK_INT(roles_of("{\"role\":\"tool\",\"content\":\"x\"}"), tool);
	CHECK_INT(
	    roles_of("{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\"}]}"),
	    1U << CTX_ROLE_ASSISTANT);
	CHECK_INT(roles_of("{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\","
			   "\"tool_use_id\":\"t\",\"content\":\"x\"}]}"),
	    tool);
	CHECK_INT(roles_of("{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\","
			   "\"tool_use_id\":\"t\"},{\"type\":\"text\",\"text\":\" \"}]}"),
	    tool);
	CHECK_INT(roles_of("{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\","
			   "\"tool_use_id\":\"t\"},{\"type\":\"text\",\"text\":\"y\"}]}"),
	    tool | user);
}

static void
contents(void)
{
	CHECK_STR(content("\"a\\nb\""), "a\nb");
	CHECK_STR(
	    content(
		"[\"a\",{\"type\":\"text\",\"text\":\"b\"},{\"type\":\"document\"},{}]"),
	    "a\nb\n[document]\n[data]");
	CHECK_STR(content("[]"), "");
	CHECK_STR(content("{\"k\":1}"), "{\"k\":1}");
	CHECK_STR(content("null"), "");
	CHECK_STR(content("5"), "5");
	CHECK_STR(content("true"), "true");
	CHECK_STR(content("[1,null,false]"), "1\n[data]\nfalse");
	CHECK_STR(content(NULL), "");
	CHECK_STR(content("[{\"type\":\"text\",\"text\":5}]"), "");
}

int
main(void)
{
	RUN(roles);
	RUN(openai_calls);
	RUN(anthropic_blocks);
	RUN(openai_parts);
	RUN(turns);
	RUN(whose_words);
	RUN(contents);
	ctx_message_release(&m);
	ctx_buf_release(&out);
	return TEST_END();
}
