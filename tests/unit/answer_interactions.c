#include "answer_read.h"

#define P CTX_PROVIDER_INTERACTIONS
#define BODY(status, steps)                                                \
	"{\"id\":\"v1_A\",\"object\":\"interaction\",\"status\":\"" status \
	"\",\"steps\":[" steps "]}"
#define SSE(json) "data: " json "\n\n"
#define START(i, step) \
	SSE("{\"event_type\":\"step.start\",\"index\":" i ",\"step\":" step "}")
#define DELTA(i, delta) \
	SSE("{\"event_type\":\"step.delta\",\"index\":" i ",\"delta\":" delta "}")
#define DONE(status)                                                             \
	SSE("{\"event_type\":\"interaction.completed\",\"interaction\":{\"id\":" \
	    "\"v1_A\",\"status\":\"" status "\"}}")                              \
	"data: [DONE]\n\n"
#define MESSAGE(blocks) "{\"role\":\"assistant\",\"content\":[" blocks "]}"
#define TEXT(t) "{\"type\":\"text\",\"text\":\"" t "\"}"
#define OUT(content) "{\"type\":\"model_output\",\"content\":[" content "]}"
#define THOUGHT "{\"type\":\"thought\",\"signature\":\"Ev\"}"
#define CALL(args) \
	"{\"type\":\"function_call\",\"id\":\"c1\",\"name\":\"f\",\"arguments\":" args "}"
#define USE(args) \
	"{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"f\",\"input\":" args "}"

static void
whole(void)
{
	struct got g = read_all(P,
	    "{\"id\":\"v1_A\",\"model\":\"g\",\"status\":\"requires_action\",\"usage\":{"
	    "\"total_input_tokens\":8,\"total_tool_use_tokens\":2,\"total_output_tokens\":"
	    "5,\"total_thought_tokens\":40},\"continuation_token\":\"t\",\"steps\":[" THOUGHT
	    "," OUT(TEXT("a") "," TEXT("b")) "," CALL("{\"x\":1.50}") "]}");

	CHECK_STR(g.err.msg, "");
	CHECK_STR(str(&g.a.message),
	    MESSAGE(THOUGHT "," TEXT("a") "," TEXT("b") "," USE("{\"x\":1.50}")));
	CHECK_STR(str(&g.text), "a\nb");
	CHECK_STR(str(&g.a.details), "{\"continuation_token\":\"t\"}");
	CHECK_STR(name(g.a.id), "v1_A");
	CHECK_STR(name(g.a.model), "g");
	CHECK_STR(name(g.a.stop_reason), "requires_action");
	CHECK_INT(g.a.input_tokens, 10);
	CHECK_INT(g.a.output_tokens, 45);
	CHECK_INT(g.a.ending, CTX_ENDING_COMPLETE);
	got_free(&g);
}

static void
streamed(void)
{
	check_answer(P,
	    SSE("{\"event_type\":\"interaction.created\",\"interaction\":{\"id\":\"v1_A\","
		"\"status\":\"in_progress\"}}") START("0",
		"{\"type\":\"thought\",\"signature\":\"\",\"summary\":[" TEXT("so") "]}")
		DELTA("0", "{\"type\":\"thought_summary\",\"content\":" TEXT(" on") "}")
		    DELTA("0", "{\"type\":\"thought_signature\",\"signature\":\"Ev\"}")
			START("1", OUT(TEXT("It"))) DELTA("1", TEXT(" is\\u00e9"))
			    DELTA("1", "{\"type\":\"text_annotation_delta\","
				       "\"annotations\":[{\"a\":1}]}") DONE("completed"),
	    MESSAGE("{\"type\":\"thought\",\"signature\":\"Ev\",\"summary\":[" TEXT(
		"so on") "]},{\"type\":\"text\",\"text\":\"It is\\u00e9\","
			 "\"annotations\":[{\"a\":1}]}"),
	    "It is\xc3\xa9");
	/* arguments as text in pieces, in step.start alone, or not at all */
	check_answer(P,
	    START("0", CALL("{}")) DELTA(
		"0", "{\"type\":\"arguments_delta\",\"arguments\":\"{\\\"a\\\": \"}")
		DELTA("0", "{\"type\":\"arguments_delta\",\"arguments\":\"1}\"}")
		    DONE("requires_action"),
	    MESSAGE(USE("{\"a\":1}")), "");
	check_answer(P, START("0", CALL("{\"a\":1}")) DONE("requires_action"),
	    MESSAGE(USE("{\"a\":1}")), "");
	check_answer(P,
	    START("0", "{\"type\":\"function_call\",\"id\":\"c1\",\"name\":\"f\"}")
		DONE("requires_action"),
	    MESSAGE(USE("{}")), "");
	/* the steps may come with the end alone */
	check_answer(P,
	    SSE("{\"event_type\":\"interaction.completed\",\"interaction\":" BODY(
		"completed", OUT(TEXT("a"))) "}"),
	    MESSAGE(TEXT("a")), "a");
}

#define SEARCH                                                                        \
	"{\"type\":\"google_search_call\",\"id\":\"g1\",\"arguments\":{\"queries\":[" \
	"\"q\"]},\"signature\":\"S\"}"
#define AUDIO "{\"type\":\"audio\",\"mime_type\":\"audio/wav\",\"data\":\"aa\"}"

/* Steps that only this API knows stay what they are; pictures become what all know. */
static void
other_steps(void)
{
	check_answer(P, BODY("completed", SEARCH "," OUT(TEXT("a"))),
	    MESSAGE("{\"type\":\"step\",\"step\":" SEARCH "}," TEXT("a")), "a");
	check_answer(P,
	    START("0", "{\"type\":\"google_search_call\",\"id\":\"g1\"}")
		DELTA("0", "{\"type\":\"google_search_call\",\"arguments\":{\"queries\":["
			   "\"q\"]},\"signature\":\"S\"}") START("1", OUT(""))
		    DELTA("1", TEXT("a")) DONE("completed"),
	    MESSAGE("{\"type\":\"step\",\"step\":" SEARCH "}," TEXT("a")), "a");
	check_answer(P,
	    BODY("completed", OUT("{\"type\":\"image\",\"mime_type\":\"image/png\","
				  "\"data\":\"iVBO\"}," AUDIO)),
	    MESSAGE("{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":"
		    "\"image/png\",\"data\":\"iVBO\"}},{\"type\":\"step\",\"step\":" OUT(
			AUDIO) "}"),
	    "");
	/* what the client said is told again by some servers */
	check_answer(P,
	    BODY("completed",
		"{\"type\":\"user_input\",\"content\":[" TEXT("q") "]}," OUT(TEXT("a"))),
	    MESSAGE(TEXT("a")), "a");
}

static void
endings(void)
{
	struct got g = read_all(P, BODY("incomplete", OUT(TEXT("a")) "," CALL("{}")));

	CHECK_INT(g.a.ending, CTX_ENDING_PARTIAL);
	CHECK(g.a.cut);
	CHECK_STR(str(&g.a.message),
	    MESSAGE(TEXT("a") ",{\"type\":\"cut_call\",\"call\":" USE("{}") "}"));
	got_free(&g);
	check_error(P, BODY("in_progress", ""), "incomplete: in_progress");
	check_error(P, BODY("completed", ""), "empty: status completed");
	check_error(P, BODY("cancelled", OUT(TEXT("a"))), "failed: cancelled");
	check_error(P,
	    "{\"id\":\"v\",\"status\":\"failed\",\"errors\":[{\"message\":\"no quota\"}]}",
	    "no quota");
	check_error(P, START("0", OUT(TEXT("a"))), "no interaction.completed");
	check_error(P, SSE("{\"event_type\":\"error\",\"error\":{\"message\":\"busy\"}}"),
	    "busy");
	check_error(P, DELTA("3", "{\"type\":\"thought_signature\",\"signature\":\"x\"}"),
	    "step 3");
	check_error(P, BODY("completed", CALL("[]")), "not an object");
	/* a piece of a summary that lacks its text takes none in */
	check_answer(P,
	    BODY("completed",
		"{\"type\":\"thought\",\"signature\":\"E\",\"summary\":[{\"type\":"
		"\"text\"}," TEXT("a") "]}"),
	    MESSAGE("{\"type\":\"thought\",\"signature\":\"E\",\"summary\":[{\"type\":"
		    "\"text\"}," TEXT("a") "]}"),
	    "");
	check_error(P, "{}", "no steps");
	check_error(P,
	    START("0", CALL("{}"))
		DELTA("0", "{\"type\":\"arguments_delta\",\"arguments\":\"{\\\"a\"}")
		    DONE("requires_action"),
	    "damaged or truncated");
}

int
main(void)
{
	RUN(whole);
	RUN(streamed);
	RUN(other_steps);
	RUN(endings);
	return TEST_END();
}
