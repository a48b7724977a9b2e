/* Answers of the Responses API. */
#include "answer_read.h"

#define R CTX_PROVIDER_RESPONSES

#define ITEMS                                                                            \
	"[{\"id\":\"rs_1\",\"type\":\"reasoning\",\"summary\":[],\"encrypted_content\":" \
	"\"x\\u00e9\"},"                                                                 \
	"{\"id\":\"msg_1\",\"type\":\"message\",\"status\":\"completed\",\"role\":"      \
	"\"assistant\","                                                                 \
	"\"content\":[{\"type\":\"output_text\",\"text\":\"Let me "                      \
	"see.\",\"annotations\":[],"                                                     \
	"\"logprobs\":[]}]},"                                                            \
	"{\"id\":\"fc_1\",\"type\":\"function_call\",\"status\":\"completed\",\"call_"   \
	"id\":\"call_1\","                                                               \
	"\"name\":\"get\",\"arguments\":\"{\\\"n\\\": 12345678901234567890, "            \
	"\\\"x\\\":1.50}\"},"                                                            \
	"{\"id\":\"ct_1\",\"type\":\"custom_tool_call\",\"call_id\":\"call_2\","         \
	"\"name\":\"sh\","                                                               \
	"\"input\":\"ls \\u002dl\"}]"
#define MESSAGE                                                                                   \
	"{\"role\":\"assistant\",\"content\":["                                                   \
	"{\"id\":\"rs_1\",\"type\":\"reasoning\",\"summary\":[],\"encrypted_content\":"           \
	"\"x\\u00e9\"},"                                                                          \
	"{\"type\":\"text\",\"text\":\"Let me see.\",\"item_id\":\"msg_1\"},"                     \
	"{\"type\":\"tool_use\",\"id\":\"call_1\",\"name\":\"get\",\"input\":"                    \
	"{\"n\":12345678901234567890,\"x\":1.50},\"arguments\":\"{\\\"n\\\": "                    \
	"12345678901234567890, \\\"x\\\":1.50}\",\"item_id\":\"fc_1\",\"status\":\"completed\"}," \
	"{\"type\":\"tool_use\",\"id\":\"call_2\",\"name\":\"sh\",\"input\":{\"input\":"          \
	"\"ls \\u002dl\"},"                                                                       \
	"\"item_id\":\"ct_1\",\"item_type\":\"custom_tool_call\"}]}"
#define RESPONSE(items)                                                                  \
	"{\"id\":\"resp_1\",\"object\":\"response\",\"status\":\"completed\",\"error\":" \
	"null,"                                                                          \
	"\"model\":\"m\",\"output\":" items ",\"usage\":{\"input_tokens\":5,"            \
	"\"output_tokens\":7,\"total_tokens\":12}}"

static void
body(void)
{
	struct got g = read_all(R, RESPONSE(ITEMS));

	CHECK_STR(g.err.msg, "");
	CHECK_STR(str(&g.a.message), MESSAGE);
	CHECK_STR(str(&g.text), "Let me see.");
	CHECK_STR(name(g.a.id), "resp_1");
	CHECK_STR(name(g.a.model), "m");
	CHECK_STR(name(g.a.stop_reason), "completed");
	CHECK_INT(g.a.input_tokens, 5);
	CHECK_INT(g.a.output_tokens, 7);
	got_free(&g);
}

#define DELTA(text)                                 \
	"event: response.output_text.delta\ndata: " \
	"{\"type\":\"response.output_text.delta\"," \
	"\"output_index\":1,\"content_index\":0,\"delta\":\"" text "\"}\n\n"

static void
stream(void)
{
	static const char s[] =
	    "event: response.created\ndata: {\"type\":\"response.created\",\"response\":"
	    "{\"id\":\"resp_1\",\"status\":\"in_progress\",\"error\":null,\"output\":[]}}"
	    "\n\n" DELTA("Let ") DELTA(
		"me see.") "data: "
			   "{\"type\":\"response.output_text.done\",\"output_index\":1,"
			   "\"content_index\":0,\"text\":\"Let me see.\"}\n\n"
			   "data: "
			   "{\"type\":\"response.completed\",\"response\":" RESPONSE(
			       ITEMS) "}\n\n";

	check_answer(R, s, MESSAGE, "Let me see.");
	for (unsigned seed = 1; seed < 40; seed++) {
		struct got g = read_cut(R, ctx_span_of(s), 30, seed);
		CHECK_STR(str(&g.a.message), MESSAGE);
		CHECK_STR(str(&g.text), "Let me see.");
		got_free(&g);
	}
}

/* Servers that send items as they are done, and no output at the end. */
static void
items_alone(void)
{
	check_answer(R,
	    "data: "
	    "{\"type\":\"response.output_item.done\",\"item\":{\"type\":\"message\","
	    "\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":"
	    "\"hi\"}]}}\n\n"
	    "data: {\"type\":\"response.completed\",\"response\":" RESPONSE("[]") "}\n\n",
	    "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}",
	    "");
}

static void
errors(void)
{
	check_error(R, RESPONSE("[]"), "the answer is empty");
	check_error(R, "{\"error\":{\"message\":\"no such model\",\"type\":\"invalid\"}}",
	    "no such model");
	check_error(R, DELTA("x"), "broke off");
	check_error(R,
	    "data: "
	    "{\"type\":\"response.failed\",\"response\":{\"status\":\"failed\",\"error\":"
	    "{\"code\":\"server_error\",\"message\":\"it broke\"}}}\n\n",
	    "it broke");
	check_error(
	    R, "data: {\"type\":\"error\",\"message\":\"overloaded\"}\n\n", "overloaded");
	check_error(R,
	    RESPONSE("[{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\","
		     "\"arguments\":\"{\\\"a\\\":\"}]"),
	    "truncated");
}

int
main(void)
{
	RUN(body);
	RUN(stream);
	RUN(items_alone);
	RUN(errors);
	return TEST_END();
}
