#include "answer_read.h"

#define P CTX_PROVIDER_ANTHROPIC
#define EVENT(type, rest) "event: " type "\ndata: {\"type\":\"" type "\"" rest "}\n\n"
#define START                                                                           \
	EVENT("message_start", ",\"message\":{\"id\":\"msg_1\",\"type\":\"message\","   \
			       "\"role\":\"assistant\",\"model\":\"m\",\"content\":[]," \
			       "\"stop_reason\":null,"                                  \
			       "\"usage\":{\"input_tokens\":10,\"cache_read_input_"     \
			       "tokens\":5,\"output_tokens\":1}}")
#define BLOCK(i, block) \
	EVENT("content_block_start", ",\"index\":" #i ",\"content_block\":" block)
#define DELTA(i, delta) EVENT("content_block_delta", ",\"index\":" #i ",\"delta\":" delta)
#define STOP(i) EVENT("content_block_stop", ",\"index\":" #i)
#define PING EVENT("ping", "")
#define END                                                                 \
	EVENT("message_delta", ",\"delta\":{\"stop_reason\":\"end_turn\"}," \
			       "\"usage\":{\"output_tokens\":7}")           \
	EVENT("message_stop", "")
#define TEXT(i, t) DELTA(i, "{\"type\":\"text_delta\",\"text\":\"" t "\"}")
#define JSON(i, t) DELTA(i, "{\"type\":\"input_json_delta\",\"partial_json\":\"" t "\"}")
#define MESSAGE(blocks) "{\"role\":\"assistant\",\"content\":[" blocks "]}"
#define HI BLOCK(0, "{\"type\":\"text\",\"text\":\"\"}") TEXT(0, "hi") STOP(0)

static void
whole(void)
{
	struct got g = read_all(P,
	    "{\"id\": \"msg_1\", \"type\": \"message\", \"role\": \"assistant\", "
	    "\"model\": \"m\",\n"
	    "\"content\": [{\"type\": \"text\", \"text\": \"a\"}, {\"type\": "
	    "\"tool_use\", \"id\":"
	    " \"t\", \"name\": \"f\", \"input\": {\"n\": 1.0, \"n\": 9007199254740993}},"
	    " {\"type\": \"text\", \"text\": \"b\"}],\n"
	    "\"stop_reason\": \"tool_use\", \"usage\": {\"input_tokens\": 3,"
	    " \"cache_creation_input_tokens\": null, \"output_tokens\": 4}}");

	CHECK_STR(str(&g.a.message),
	    MESSAGE(
		"{\"type\":\"text\",\"text\":\"a\"},{\"type\":\"tool_use\",\"id\":\"t\","
		"\"name\":\"f\",\"input\":{\"n\":1.0,\"n\":9007199254740993}},"
		"{\"type\":\"text\",\"text\":\"b\"}"));
	CHECK_STR(str(&g.text), "a\nb");
	CHECK_STR(name(g.a.id), "msg_1");
	CHECK_STR(name(g.a.stop_reason), "tool_use");
	CHECK_INT(g.a.input_tokens, 3);
	CHECK_INT(g.a.output_tokens, 4);
	got_free(&g);
}

static void
streamed(void)
{
	struct got g = read_all(P, START BLOCK(0, "{\"type\":\"text\",\"text\":\"\"}")
				       PING TEXT(0, "Hel") TEXT(0, "lo") STOP(0) END);

	CHECK_STR(g.err.msg, "");
	CHECK_STR(str(&g.a.message), MESSAGE("{\"type\":\"text\",\"text\":\"Hello\"}"));
	CHECK_STR(str(&g.text), "Hello");
	CHECK_STR(str(&g.a.usage), "{\"input_tokens\":10,\"cache_read_input_tokens\":5,"
				   "\"output_tokens\":7}");
	CHECK_STR(name(g.a.id), "msg_1");
	CHECK_STR(name(g.a.model), "m");
	CHECK_STR(name(g.a.stop_reason), "end_turn");
	CHECK_INT(g.a.input_tokens, 15);
	CHECK_INT(g.a.output_tokens, 7);
	got_free(&g);
}

static void
tool_input(void)
{
	/* text of its own spelling: numbers, escapes, duplicate keys */
	check_answer(P,
	    START BLOCK(
		0, "{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{}}")
		JSON(0, "") JSON(0, "{\\\"a\\\": 1.0, \\\"b\\\":12345678901234567890, "
				    "\\\"a\\\": \\\"\\\\u00e9") JSON(0, "\\\"}") STOP(0)
		    END,
	    MESSAGE(
		"{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{\"a\":1.0,"
		"\"b\":12345678901234567890,\"a\":\"\\u00e9\"}}"),
	    "");
	/* none: the empty object that it began with, or one if it began with none */
	check_answer(P,
	    START BLOCK(
		0, "{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{}}")
		JSON(0, "") STOP(0) BLOCK(
		    1, "{\"type\":\"tool_use\",\"id\":\"u\",\"name\":\"g\"}") STOP(1) END,
	    MESSAGE("{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{}},"
		    "{\"type\":\"tool_use\",\"id\":\"u\",\"name\":\"g\",\"input\":{}}"),
	    "");
	/* cut off by a limit it is kept, but is no call; for another reason it is damage */
	check_answer(P,
	    START BLOCK(
		0, "{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{}}")
		JSON(0, "{\\\"a\\\": [1") STOP(0)
		    EVENT("message_delta", ",\"delta\":{\"stop_reason\":\"max_tokens\"}")
			EVENT("message_stop", ""),
	    MESSAGE(
		"{\"type\":\"cut_call\",\"call\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\","
		"\"input\":\"{\\\"a\\\": [1\"}}"),
	    "");
	check_error(P,
	    START BLOCK(
		0, "{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{}}")
		JSON(0, "{\\\"a\\\": [1") STOP(0)
		    EVENT("message_delta", ",\"delta\":{\"stop_reason\":\"tool_use\"}")
			EVENT("message_stop", ""),
	    "truncated (stop reason tool_use)");
}

static void
thinking(void)
{
	check_answer(P,
	    START BLOCK(0,
		"{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}") DELTA(0,
		"{\"type\":\"thinking_delta\",\"thinking\":\"so \\u003c\"}")
		DELTA(0, "{\"type\":\"thinking_delta\",\"thinking\":\"be it\"}") DELTA(
		    0, "{\"type\":\"signature_delta\",\"signature\":\"Eq+/\\/==\"}")
		    STOP(0) BLOCK(1, "{\"type\":\"redacted_thinking\",\"data\":\"Zm9v\"}")
			STOP(1) BLOCK(2, "{\"type\":\"text\",\"text\":\"\"}")
			    TEXT(2, "ok") STOP(2) END,
	    MESSAGE(
		"{\"type\":\"thinking\",\"thinking\":\"so \\u003cbe it\",\"signature\":"
		"\"Eq+/\\/==\"},{\"type\":\"redacted_thinking\",\"data\":\"Zm9v\"},"
		"{\"type\":\"text\",\"text\":\"ok\"}"),
	    "ok");
}

static void
other_deltas(void)
{
	check_answer(P,
	    START BLOCK(0, "{\"type\":\"text\",\"text\":\"\",\"citations\":[]}")
		TEXT(0, "x") DELTA(
		    0, "{\"type\":\"citations_delta\",\"citation\":{\"start\": 1}}")
		    DELTA(0, "{\"type\":\"citations_delta\",\"citation\":{\"start\": 2}}")
			STOP(0) BLOCK(1, "{\"type\":\"compaction\",\"content\":null}")
			    DELTA(1, "{\"type\":\"compaction_delta\",\"content\":\"su\"}")
				DELTA(1, "{\"type\":\"compaction_delta\",\"content\":"
					 "\"m\",\"new\":{\"a\": 1}}") STOP(1)
				    BLOCK(2, "{\"type\":\"web_search_tool_result\","
					     "\"tool_use_id\":\"s\",\"content\":[{}]}")
					STOP(2) EVENT("brand_new_event", ",\"x\":1") END,
	    MESSAGE("{\"type\":\"text\",\"text\":\"x\",\"citations\":[{\"start\":1},{"
		    "\"start\":2}]},"
		    "{\"type\":\"compaction\",\"content\":\"sum\",\"new\":{\"a\":1}},"
		    "{\"type\":\"web_search_tool_result\",\"tool_use_id\":\"s\","
		    "\"content\":[{}]}"),
	    "x");
}

static void
two_texts(void)
{
	check_answer(P,
	    START HI BLOCK(1, "{\"type\":\"text\",\"text\":\"\"}") TEXT(1, "\\ud83d")
		TEXT(1, "\\ude00") STOP(1) END,
	    MESSAGE("{\"type\":\"text\",\"text\":\"hi\"},{\"type\":\"text\",\"text\":"
		    "\"\\ud83d\\ude00\"}"),
	    "hi\n\xf0\x9f\x98\x80");
}

static void
errors(void)
{
	check_error(P,
	    "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":"
	    "\"Overloaded\"},\"request_id\":\"r\"}",
	    "anthropic: Overloaded (overloaded_error)");
	check_error(P,
	    START HI "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":"
		     "\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n" END,
	    "anthropic: Overloaded (overloaded_error)");
	check_error(P, START HI, "no message_stop");
	check_error(P,
	    START BLOCK(0, "{\"type\":\"text\",\"text\":\"\"}") TEXT(0, "hi")
		EVENT("message_delta", ",\"delta\":{\"stop_reason\":\"end_turn\"}"),
	    "no message_stop");
	/* all blocks are closed, and it says why it stopped */
	check_answer(P,
	    START HI EVENT("message_delta", ",\"delta\":{\"stop_reason\":\"end_turn\"}"),
	    MESSAGE("{\"type\":\"text\",\"text\":\"hi\"}"), "hi");
	check_error(P, EVENT("message_stop", ""), "no answer");
	check_error(P, START END, "empty: stop_reason end_turn");
	check_error(P, START HI HI END, "starts twice");
	check_error(P, START TEXT(0, "a") END, "never started");
	check_error(P,
	    "{\"type\":\"message\",\"role\":\"assistant\",\"content\":[],"
	    "\"stop_reason\":\"refusal\"}",
	    "empty: stop_reason refusal");
	check_error(P, "{\"type\":\"message\"}", "no content");
}

int
main(void)
{
	RUN(whole);
	RUN(streamed);
	RUN(tool_input);
	RUN(thinking);
	RUN(other_deltas);
	RUN(two_texts);
	RUN(errors);
	return TEST_END();
}
