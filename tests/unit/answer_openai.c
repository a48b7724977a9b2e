#include "answer_read.h"

#define P CTX_PROVIDER_OPENAI
#define CHUNK(delta) "data: {\"choices\":[{\"index\":0,\"delta\":" delta "}]}\n\n"
#define STOP "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
#define DONE "data: [DONE]\n\n"
#define CALL(fragment) CHUNK("{\"tool_calls\":[" fragment "]}")

static void
whole(void)
{
	struct got g = read_all(P,
	    "{\"id\": \"chatcmpl-1\", \"model\": \"m-1\", \"choices\": [{\"index\": 0,\n"
	    " \"message\": {\"role\": \"assistant\", \"content\": \"a\\u00e9 b\","
	    " \"n\": 12345678901234567890, \"f\": 1.0, \"f\": 1e400, \"refusal\": "
	    "null},\n"
	    " \"finish_reason\": \"stop\"}],"
	    " \"usage\": {\"prompt_tokens\": 9, \"completion_tokens\": 4}}\n");

	CHECK_STR(str(&g.a.message), "{\"role\":\"assistant\",\"content\":\"a\\u00e9 "
				     "b\",\"n\":12345678901234567890,"
				     "\"f\":1.0,\"f\":1e400,\"refusal\":null}");
	CHECK_STR(str(&g.text), "a\xc3\xa9 b");
	CHECK_STR(str(&g.a.usage), "{\"prompt_tokens\":9,\"completion_tokens\":4}");
	CHECK_STR(name(g.a.id), "chatcmpl-1");
	CHECK_STR(name(g.a.model), "m-1");
	CHECK_STR(name(g.a.stop_reason), "stop");
	CHECK_INT(g.a.input_tokens, 9);
	CHECK_INT(g.a.output_tokens, 4);
	got_free(&g);
}

static void
first_choice(void)
{
	check_answer(P,
	    "{\"choices\":[{\"index\":1,\"message\":{\"role\":\"assistant\",\"content\":"
	    "\"b\"}},"
	    "{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"a\"}}]}",
	    "{\"role\":\"assistant\",\"content\":\"a\"}", "a");
	check_answer(P,
	    "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"no\"}}]}\n\n"
	    "data: {\"choices\":[{\"index\":1,\"delta\":{\"content\":\"no\"}},"
	    "{\"index\":0,\"delta\":{\"content\":\"yes\"}}]}\n\n"
	    "data: "
	    "{\"choices\":[{\"index\":1,\"delta\":{},\"finish_reason\":\"stop\"}]}"
	    "\n\n" STOP,
	    "{\"role\":\"assistant\",\"content\":\"yes\"}", "yes");
	/* the end of another choice is not the end */
	check_error(P,
	    CHUNK("{\"content\":\"a\"}") "data: {\"choices\":[{\"index\":1,\"delta\":{},"
					 "\"finish_reason\":\"stop\"}]}\n\n",
	    "finish_reason");
}

static void
missing_role(void)
{
	check_answer(P, "{\"choices\":[{\"message\":{\"content\":\"a\"}}]}",
	    "{\"role\":\"assistant\",\"content\":\"a\"}", "a");
	check_error(P,
	    "{\"choices\":[{\"message\":{\"role\":\"user\",\"content\":\"a\"}}]}",
	    "role is user");
}

static void
deltas(void)
{
	struct got g = read_all(P,
	    ": keep-alive\n\n"
	    "data: "
	    "{\"id\":\"c\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"role\":"
	    "\"assistant\",\"content\":\"\",\"refusal\":null},\"finish_reason\":null}],"
	    "\"usage\":null}\n\n" CHUNK("{\"reasoning_content\":\"th\"}")
		CHUNK("{\"reasoning_content\":\"ink\"}") CHUNK("{\"content\":\"one\\n\"}")
		    CHUNK("{\"content\":\"two\"}") STOP
	    "data: "
	    "{\"choices\":[],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}"
	    "\n\n" DONE);

	CHECK_STR(g.err.msg, "");
	CHECK_STR(str(&g.a.message),
	    "{\"role\":\"assistant\",\"content\":\"one\\ntwo\",\"refusal\":null,"
	    "\"reasoning_content\":\"think\"}");
	CHECK_STR(str(&g.text), "one\ntwo");
	CHECK_STR(name(g.a.id), "c");
	CHECK_INT(g.a.input_tokens, 1);
	CHECK_INT(g.a.output_tokens, 2);
	got_free(&g);
	check_answer(P,
	    CHUNK("{\"content\":null,\"refusal\":\"I \"}")
		CHUNK("{\"refusal\":\"won't\"}") STOP DONE,
	    "{\"role\":\"assistant\",\"content\":null,\"refusal\":\"I won't\"}",
	    "I won't");
}

/* Members that nobody knows yet grow as their types suggest. */
static void
unknown_members(void)
{
	check_answer(P,
	    CHUNK(
		"{\"content\":\"a\",\"audio\":{\"id\":\"x\",\"data\":\"AA\"},\"n\":1.50}")
		CHUNK("{\"audio\":{\"id\":\"x\",\"data\":\"BB\"},\"list\":[{\"a\": 1}]}")
		    CHUNK("{\"list\":[2],\"n\":2.50}") STOP,
	    "{\"role\":\"assistant\",\"content\":\"a\",\"audio\":{\"id\":\"x\",\"data\":"
	    "\"AABB\"},"
	    "\"n\":2.50,\"list\":[{\"a\":1},2]}",
	    "a");
}

#define A(id, f, args)                                                         \
	"{\"id\":\"" id "\",\"type\":\"function\",\"function\":{\"name\":\"" f \
	"\",\"arguments\":\"" args "\"}}"
#define TWO                                                                             \
	"{\"role\":\"assistant\",\"tool_calls\":[" A("c1", "f", "{\\\"a\\\":1}") "," A( \
	    "c2", "g", "{}") "]}"

static void
tool_calls(void)
{
	/* as OpenAI does */
	check_answer(P,
	    CALL("{\"index\":0,\"id\":\"c1\",\"type\":\"function\",\"function\":{"
		 "\"name\":\"f\","
		 "\"arguments\":\"\"}}")
		CALL("{\"index\":0,\"function\":{\"arguments\":\"{\\\"a\"}}")
		    CALL("{\"index\":0,\"function\":{\"arguments\":\"\\\":1}\"}}")
			CALL("{\"index\":1,\"id\":\"c2\",\"type\":\"function\","
			     "\"function\":{\"name\":\"g\","
			     "\"arguments\":\"\"}}")
			    CALL("{\"index\":1,\"function\":{\"arguments\":\"{}\"}}")
				STOP DONE,
	    TWO, "");
	/* interleaved, ids, types and names repeated */
	check_answer(P,
	    CALL("{\"index\":0,\"id\":\"c1\",\"type\":\"function\",\"function\":{"
		 "\"name\":\"f\","
		 "\"arguments\":\"{\\\"a\"}},{\"index\":1,\"id\":\"c2\",\"type\":"
		 "\"function\","
		 "\"function\":{\"name\":\"g\",\"arguments\":\"\"}}")
		CALL("{\"index\":1,\"id\":\"c2\",\"type\":\"function\",\"function\":{"
		     "\"name\":\"g\","
		     "\"arguments\":\"{}\"}}")
		    CALL("{\"index\":0,\"id\":\"\",\"type\":\"function\",\"function\":{"
			 "\"name\":null,"
			 "\"arguments\":\"\\\":1}\"}}") STOP,
	    TWO, "");
	/* whole calls without an index, together or one by one; or all with index 0 */
	check_answer(
	    P, CALL(A("c1", "f", "{\\\"a\\\":1}") "," A("c2", "g", "{}")) STOP, TWO, "");
	check_answer(P, CALL(A("c1", "f", "{\\\"a\\\":1}")) CALL(A("c2", "g", "{}")) STOP,
	    TWO, "");
	check_answer(P,
	    CALL("{\"index\":0,\"id\":\"c1\",\"type\":\"function\",\"function\":{"
		 "\"name\":\"f\","
		 "\"arguments\":\"{\\\"a\\\":1}\"}}")
		CALL("{\"index\":0,\"id\":\"c2\",\"type\":\"function\",\"function\":{"
		     "\"name\":\"g\","
		     "\"arguments\":\"{}\"}}") STOP,
	    TWO, "");
	/* fragments without index and id go on with the last call */
	check_answer(P,
	    CALL(A("c1", "f", "{\\\"a"))
		CALL("{\"function\":{\"arguments\":\"\\\":1}\"}}")
		    CALL(A("c2", "g", "{}")) STOP,
	    TWO, "");
	/* empty lists say nothing, nor does null */
	check_answer(P,
	    CHUNK("{\"content\":\"a\",\"tool_calls\":[],\"audio\":null}") STOP,
	    "{\"role\":\"assistant\",\"content\":\"a\"}", "a");
}

static void
call_extras(void)
{
	check_answer(P,
	    CALL("{\"index\":0,\"id\":\"c\",\"type\":\"function\",\"extra_content\":{"
		 "\"google\":"
		 "{\"thought_signature\":\"S==\"}},\"function\":{\"name\":\"f\","
		 "\"arguments\":\"{}\"}}") STOP,
	    "{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"c\",\"type\":\"function\","
	    "\"extra_content\":{\"google\":{\"thought_signature\":\"S==\"}},\"function\":"
	    "{\"name\":"
	    "\"f\",\"arguments\":\"{}\"}}]}",
	    "");
}

/* A text block that starts without the member "text" gets the text of later deltas. */
static void
text_begun_empty(void)
{
	check_answer(P,
	    CHUNK("{\"content\":[{\"type\":\"text\"}]}") CHUNK("{\"content\":\"hi\"}")
		STOP,
	    "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}",
	    "hi");
}

static void
split_surrogates(void)
{
	check_answer(P,
	    CHUNK("{\"content\":\"a\\ud83d\"}") CHUNK("{\"content\":\"\\ude00b\"}") STOP,
	    "{\"role\":\"assistant\",\"content\":\"a\\ud83d\\ude00b\"}",
	    "a\xf0\x9f\x98\x80"
	    "b");
	check_answer(P,
	    CHUNK("{\"content\":\"a\xf0\x9f\"}") CHUNK("{\"content\":\"\x98\x80\"}") STOP,
	    "{\"role\":\"assistant\",\"content\":\"a\xf0\x9f\x98\x80\"}",
	    "a\xf0\x9f\x98\x80");
	/* several values in an event, halves in the middle of them */
	check_answer(P,
	    "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n"
	    "data: {\"choices\":[{\"delta\":{\"content\":\"\\ud83d\"}}]}\n"
	    "data: "
	    "{\"choices\":[{\"delta\":{\"content\":\"\\ude00\"},\"finish_reason\":"
	    "\"stop\"}]}\n"
	    "data: [DONE]\n\n",
	    "{\"role\":\"assistant\",\"content\":\"a\\ud83d\\ude00\"}",
	    "a\xf0\x9f\x98\x80");
	check_error(P,
	    CHUNK("{\"content\":\"a\\ud83d\"}") CHUNK("{\"content\":\"b\"}") STOP,
	    "lone surrogate");
	check_error(P, CHUNK("{\"content\":\"a\xf0\x9f\"}") STOP, "invalid UTF-8");
	check_error(P, "{\"choices\":[{\"message\":{\"content\":\"\\udc00\"}}]}",
	    "lone surrogate");
	check_error(P,
	    CHUNK("{\"content\":\"\\ud8\x1b"
		  "d\"}") STOP,
	    "invalid \\u escape");
	check_error(P, CHUNK("{\"content\":\"\\udc0\"}") STOP, "invalid \\u escape");
}

static void
empty_answers(void)
{
	check_error(P, "{\"choices\":[]}", "no answer");
	check_error(P, "{}", "no answer");
	check_error(P,
	    "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":null,"
	    "\"tool_calls\":[]},\"finish_reason\":\"content_filter\"}]}",
	    "empty: finish_reason content_filter");
	check_error(P, STOP DONE, "empty: finish_reason stop");
	check_error(P, DONE, "no answer");
	check_error(P,
	    "{\"choices\":[{\"message\":{\"role\":\"assistant\",\"content\":\"\"}}]}",
	    "empty");
	check_error(P, "{\"choices\":[{\"message\":{}}]}", "empty");
}

static void
errors(void)
{
	check_error(P,
	    "{\"error\":{\"message\":\"Bad key\",\"type\":\"invalid_request_error\","
	    "\"code\":\"k\"}}",
	    "openai: Bad key (invalid_request_error)");
	check_error(P, "{\"error\":\"no model\"}", "openai: no model");
	check_error(P,
	    "[{\"error\":{\"code\":400,\"message\":\"Bad\",\"status\":\"INVALID\"}}]",
	    "openai: Bad (INVALID)");
	check_error(P, "{\"object\":\"error\",\"message\":\"too long\",\"code\":400}",
	    "too long");
	check_error(P, "{\"detail\":\"Not Found\"}", "Not Found");
	check_error(P,
	    CHUNK("{\"content\":\"a\"}") "data: {\"error\":{\"message\":\"gone\"}}\n\n",
	    "openai: gone");
	check_error(P,
	    CHUNK("{\"content\":\"a\"}") "event: error\ndata: {\"message\":\"gone\"}\n\n",
	    "gone");
	check_error(P,
	    CHUNK("{\"content\":\"a\"}") "error: {\"message\":\"gone\",\"code\":500}\n\n",
	    "gone (500)");
	check_error(P,
	    CHUNK("{\"content\":\"a\"}") "{\"error\":{\"message\":\"gone\"}}\n", "gone");
	check_error(P, CHUNK("{\"content\":\"a\"}") "<html>502</html>\n", "<html>502");
	check_error(P, CHUNK("{\"content\":\"a\"}") "data: {\"choices\":\n\n", "damaged");
	check_answer(P,
	    "{\"error\":null,\"choices\":[{\"message\":{\"content\":\"a\"}}]}",
	    "{\"role\":\"assistant\",\"content\":\"a\"}", "a");
}

/* What servers do that are not quite as documented. */
static void
variants(void)
{
	static const char want[] = "{\"role\":\"assistant\",\"content\":\"ab\"}";

	/* no empty lines between events; no space; CRLF; CR; no end of the last line */
	check_answer(P,
	    "data:{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n"
	    "data:{\"choices\":[{\"delta\":{\"content\":\"b\"},\"finish_reason\":"
	    "\"stop\"}]}\n"
	    "data:[DONE]",
	    want, "ab");
	check_answer(P,
	    "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\r\n\r\n"
	    "data: "
	    "{\"choices\":[{\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\"}]}"
	    "\r\n\r\n",
	    want, "ab");
	check_answer(P,
	    "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\r\r"
	    "data: "
	    "{\"choices\":[{\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\"}]}"
	    "\r\r",
	    want, "ab");
	/* one value over two data lines; usage with null choices */
	check_answer(P,
	    "\xef\xbb\xbf"
	    "data: {\"choices\":[{\"delta\":\ndata: {\"content\":\"ab\"},"
	    "\"finish_reason\":\"stop\"}]}\n\ndata: {\"choices\":null,\"usage\":{}}\n\n",
	    want, "ab");
}

int
main(void)
{
	RUN(whole);
	RUN(first_choice);
	RUN(missing_role);
	RUN(deltas);
	RUN(unknown_members);
	RUN(tool_calls);
	RUN(call_extras);
	RUN(text_begun_empty);
	RUN(split_surrogates);
	RUN(empty_answers);
	RUN(errors);
	RUN(variants);
	return TEST_END();
}
