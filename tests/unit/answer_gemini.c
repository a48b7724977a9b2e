#include "answer_read.h"

#define P CTX_PROVIDER_GEMINI
#define BODY(parts)                                                                 \
	"{\"candidates\":[{\"content\":{\"parts\":[" parts "],\"role\":\"model\"}," \
	"\"finishReason\":\"STOP\",\"index\":0}],\"responseId\":\"R\"}"
#define PART(parts)                                                                   \
	"{\"candidates\":[{\"content\":{\"parts\":[" parts "],\"role\":\"model\"}}]," \
	"\"responseId\":\"R\"}"
#define SSE(json) "data: " json "\r\n\r\n"
#define MESSAGE(blocks) "{\"role\":\"assistant\",\"content\":[" blocks "]}"
#define T(t) "{\"text\":\"" t "\"}"
#define B(t) "{\"type\":\"text\",\"text\":\"" t "\"}"

static void
whole(void)
{
	struct got g = read_all(P,
	    "{\n \"candidates\": [{\"content\": {\"parts\": [{\"text\": \"a\"}, "
	    "{\"text\": \"b\"}],\n"
	    " \"role\": \"model\"}, \"finishReason\": \"STOP\", \"index\": 0}],\n"
	    " \"usageMetadata\": {\"promptTokenCount\": 5, \"candidatesTokenCount\": 2,"
	    " \"thoughtsTokenCount\": 40},\n \"modelVersion\": \"g-3\", \"responseId\": "
	    "\"R\"}");

	CHECK_STR(g.err.msg, "");
	CHECK_STR(str(&g.a.message), MESSAGE(B("a") "," B("b")));
	CHECK_STR(str(&g.text), "a\nb");
	CHECK_STR(name(g.a.id), "R");
	CHECK_STR(name(g.a.model), "g-3");
	CHECK_STR(name(g.a.stop_reason), "STOP");
	CHECK_INT(g.a.input_tokens, 5);
	CHECK_INT(g.a.output_tokens, 42);
	got_free(&g);
}

static void
joined(void)
{
	check_answer(P,
	    SSE(PART(T("a"))) SSE(PART(T("b\\u00e9") "," T("c"))) SSE(BODY(T(""))),
	    MESSAGE(B("ab\\u00e9c")),
	    "ab\xc3\xa9"
	    "c");
	/* a signature keeps its part apart, before and behind */
	check_answer(P,
	    SSE(PART(T("a"))) SSE(PART("{\"text\":\"b\",\"thoughtSignature\":\"S1\"}"))
		SSE(PART(T("c")))
		    SSE(BODY("{\"text\":\"\",\"thoughtSignature\":\"S2\"}")),
	    MESSAGE(B("a") ",{\"type\":\"text\",\"text\":\"b\",\"thoughtSignature\":"
			   "\"S1\"}," B("c") ",{\"type\":\"text\",\"text\":\"\","
					     "\"thoughtSignature\":\"S2\"}"),
	    "a\nb\nc\n");
	check_answer(P,
	    SSE(PART("{\"text\":\"th\",\"thought\":true}"))
		SSE(PART("{\"text\":\"ink\",\"thought\":true}")) SSE(PART(T("a")))
		    SSE(BODY("{\"text\":\"b\",\"thought\":false}")),
	    MESSAGE("{\"type\":\"thought\",\"text\":\"think\"}," B("ab")), "ab");
}

static void
array(void)
{
	check_answer(
	    P, "[" PART(T("a")) "\n,\r\n" BODY(T("b")) "\n]\n", MESSAGE(B("ab")), "ab");
	check_error(P, "[" PART(T("a")) "]", "no finishReason");
	check_error(P, "[" BODY(T("a")), "broke off");
	check_error(P, "[" BODY(T("a")) ",]", "array");
	check_error(P, "[" BODY(T("a")) "] x", "array");
	check_error(P, "[]", "no answer");
	check_error(P, "[1]", "array");
	check_error(P,
	    "[{\"error\":{\"code\":400,\"message\":\"Bad\",\"status\":\"INVALID_"
	    "ARGUMENT\"}}]",
	    "gemini: Bad (INVALID_ARGUMENT)");
}

/* The parts of a call, with the ids left out of the comparison. */
static void
calls(void)
{
	static const char body[] = BODY(
	    "{\"functionCall\":{\"name\":\"f\",\"args\":{\"n\": 1.0, "
	    "\"m\":12345678901234567890}},"
	    "\"thoughtSignature\":\"S\"},{\"functionCall\":{\"name\":\"g\"}},"
	    "{\"functionCall\":{\"id\":\"own\",\"name\":\"h\",\"args\":{}}}");
	struct got g = read_all(P, body), again = read_all(P, body);
	struct ctx_message m = CTX_MESSAGE_INIT;

	CHECK_STR(g.err.msg, "");
	CHECK_STR(str(&g.a.message), str(&again.a.message));
	CHECK(ctx_message_parse(&m, ctx_buf_span(&g.a.message), &g.err) == 0);
	CHECK_INT(ctx_message_count(&m, CTX_PART_TOOL_CALL), 3);
	CHECK(ctx_span_is(m.parts[0].body, "{\"n\":1.0,\"m\":12345678901234567890}"));
	CHECK(ctx_span_is(ctx_json_get(m.parts[0].raw, "thoughtSignature"), "\"S\""));
	CHECK(ctx_span_is(m.parts[1].body, "{}"));
	CHECK(ctx_json_is(m.parts[2].id, "own"));
	CHECK(!ctx_span_eq(m.parts[0].id, m.parts[1].id));
	CHECK(m.parts[0].id.n > 10 && m.parts[0].id.n < 42);
	CHECK(memcmp(m.parts[0].id.p, "\"call_", 6) == 0);
	got_free(&again);
	/* the same call in another answer has another id */
	again = read_all(P,
	    "{\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":"
	    "\"f\"}}]}}],\"responseId\":\"Q\"}");
	CHECK(strstr(str(&again.a.message), "\"call_") != NULL);
	CHECK(strncmp(strstr(str(&again.a.message), "\"call_"), m.parts[0].id.p,
		  m.parts[0].id.n) != 0);
	got_free(&again);
	got_free(&g);
	ctx_message_release(&m);
}

static void
other_parts(void)
{
	check_answer(P,
	    BODY("{\"executableCode\":{\"language\":\"PYTHON\",\"code\":\"1\"}},"
		 "{\"inlineData\":{\"mimeType\":\"image/png\",\"data\":\"AA==\"},"
		 "\"thoughtSignature\":\"S\"},{\"inlineData\":{\"mimeType\":\"audio/"
		 "L16\",\"data\":\"AA\"}},"
		 "{\"text\":\"a\",\"new\":[1.0]}"),
	    MESSAGE("{\"type\":\"part\",\"executableCode\":{\"language\":\"PYTHON\","
		    "\"code\":\"1\"}},"
		    "{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":"
		    "\"image/png\","
		    "\"data\":\"AA==\"},\"thoughtSignature\":\"S\"},{\"type\":\"part\","
		    "\"inlineData\":"
		    "{\"mimeType\":\"audio/L16\",\"data\":\"AA\"}},"
		    "{\"type\":\"text\",\"text\":\"a\",\"new\":[1.0]}"),
	    "a");
}

static void
errors(void)
{
	check_error(P,
	    "{\"error\":{\"code\":503,\"message\":\"busy\",\"status\":\"UNAVAILABLE\"}}",
	    "gemini: busy (UNAVAILABLE)");
	check_error(P,
	    SSE(PART(T("a"))) SSE("{\"error\":{\"code\":503,\"message\":\"busy\"}}"),
	    "busy (503)");
	check_error(
	    P, "{\"promptFeedback\":{\"blockReason\":\"SAFETY\"}}", "blocked: SAFETY");
	check_error(P,
	    SSE("{\"promptFeedback\":{\"blockReason\":\"OTHER\",\"blockReasonMessage\":"
		"\"why\"}}"),
	    "blocked: OTHER, why");
	check_error(P,
	    "{\"candidates\":[{\"finishReason\":\"SAFETY\",\"finishMessage\":\"no\"}]}",
	    "finishReason SAFETY, no");
	check_error(
	    P, SSE("{\"candidates\":[{\"finishReason\":\"RECITATION\"}]}"), "RECITATION");
	check_error(P, SSE(PART(T("a"))), "no finishReason");
	check_error(P, "{}", "no candidates");
	check_error(P, BODY("{\"functionCall\":{}}"), "no name");
	check_error(
	    P, BODY("{\"functionCall\":{\"name\":\"f\",\"args\":[]}}"), "not an object");
	check_error(P, BODY("1"), "not an object");
}

int
main(void)
{
	RUN(whole);
	RUN(joined);
	RUN(array);
	RUN(calls);
	RUN(other_parts);
	RUN(errors);
	return TEST_END();
}
