#include "test.h"

#include <stdlib.h>

#include "lint/lint.h"

/* The rules that fired, in order, each once in a row: "oa-orphan-result an-nonempty". */
struct fired {
	char rules[1000];
	char last[40];
	size_t line;
	long index;
	bool error;
	char text[500], provider[20];
	int n;
};

static void
fire(void *arg, const struct ctx_lint_diagnostic *d)
{
	struct fired *f = arg;

	if (strcmp(f->last, d->rule) != 0)
		snprintf(f->rules + strlen(f->rules), sizeof(f->rules) - strlen(f->rules),
		    "%s%s", f->rules[0] ? " " : "", d->rule);
	snprintf(f->last, sizeof(f->last), "%s", d->rule);
	snprintf(f->text, sizeof(f->text), "%s", d->text);
	snprintf(f->provider, sizeof(f->provider), "%s", d->provider);
	f->line = d->line;
	f->index = d->index;
	f->error = d->error;
	f->n++;
}

static struct fired
lint(int rules, const char *text)
{
	struct ctx_lint_options o = CTX_LINT_OPTIONS_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	struct fired f = {0};

	o.rules = (enum ctx_provider)rules;
	if (ctx_lint_check(ctx_span_of(text), &o, fire, &f, &err) < 0)
		snprintf(f.rules, sizeof(f.rules), "unreadable: %s", err.msg);
	return f;
}

static void
expect(int rules, const char *text, const char *want)
{
	struct fired f = lint(rules, text);

	if (strcmp(f.rules, want) != 0)
		printf("# of %s\n", text);
	CHECK_STR(f.rules, want);
}

#define AUTO CTX_PROVIDER_NONE
#define U "{\"role\":\"user\",\"content\":\"hi\"}"
#define A "{\"role\":\"assistant\",\"content\":\"ok\"}"
#define CALL(id)        \
	"{\"id\":\"" id \
	"\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}"
#define AC(calls) "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" calls "]}"
#define T(id) "{\"role\":\"tool\",\"tool_call_id\":\"" id "\",\"content\":\"r\"}"
#define OA(list) "{\"model\":\"m\",\"messages\":[" list "]}"

static void
openai_pairs(void)
{
	expect(AUTO, U "\n" AC(CALL("a")) "\n" T("a") "\n" A, "");
	expect(
	    AUTO, U "\n" AC(CALL("a") "," CALL("b")) "\n" T("b") "\n" T("a") "\n" A, "");
	expect(AUTO, U "\n" T("a") "\n" A, "oa-orphan-result");
	expect(AUTO, U "\n" AC(CALL("a")) "\n" T("a") "\n" U "\n" T("a"),
	    "oa-orphan-result");
	expect(AUTO, AC(CALL("a")) "\n" U "\n" T("a"),
	    "oa-unanswered-call oa-orphan-result");
	expect(
	    AUTO, AC(CALL("a") "," CALL("b")) "\n" T("a") "\n" U, "oa-unanswered-call");
	expect(AUTO, AC(CALL("a")) "\n" T("a") "\n" T("a") "\n" U, "oa-unanswered-call");
	/* ids are compared decoded */
	expect(AUTO, AC(CALL("a")) "\n" T("\\u0061") "\n" U, "");
	/* an open group may end a history, not a request */
	expect(AUTO, U "\n" AC(CALL("a") "," CALL("b")) "\n" T("a"), "");
	expect(
	    AUTO, OA(U "," AC(CALL("a") "," CALL("b")) "," T("a")), "oa-unanswered-call");
	expect(AUTO, OA(U "," AC(CALL("a")) "," T("a")), "");
}

static void
openai_messages(void)
{
	expect(
	    AUTO, U "\n{\"role\":\"assistant\",\"content\":null}", "oa-empty-assistant");
	expect(
	    AUTO, U "\n{\"role\":\"assistant\",\"tool_calls\":[]}", "oa-empty-assistant");
	expect(
	    AUTO, U "\n{\"role\":\"assistant\",\"content\":null,\"refusal\":\"no\"}", "");
	expect(AUTO, U "\n{\"role\":\"assistant\",\"content\":\"\"}", "");
	expect(AUTO, "{\"role\":\"system\",\"content\":\"s\"}\n" U, "");
	expect(AUTO,
	    "{\"role\":\"developer\",\"content\":\"s\"}\n{\"role\":\"system\","
	    "\"content\":\"s\"}\n" U,
	    "");
	expect(AUTO, U "\n{\"role\":\"system\",\"content\":\"s\"}", "oa-system-first");
	expect(AUTO, U "\n{\"role\":\"developer\",\"content\":\"s\"}", "oa-system-first");
	expect(AUTO, U "\n" A, "");
	expect(AUTO, OA(U "," A), "oa-last-role");
	expect(AUTO, OA(""), "oa-last-role");
	expect(AUTO, OA(U "," A "," U), "");
	expect(AUTO, AC(CALL("a")) T("a") AC(CALL("a")) T("a") U, "oa-call-id-unique");
	expect(AUTO, AC(CALL("a") "," CALL("a")) T("a") T("a") U, "oa-call-id-unique");
	expect(AUTO, AC(CALL("a")) T("a") AC(CALL("b")) T("b") U, "");
}

#define C(role, content) "{\"role\":\"" role "\",\"content\":" content "}"
#define OLD(name)                                                                      \
	"{\"role\":\"assistant\",\"content\":null,\"function_call\":{\"name\":\"" name \
	"\",\"arguments\":\"{}\"}}"
#define OLD_ANSWER(name) "{\"role\":\"function\",\"name\":\"" name "\",\"content\":\"r\"}"

#define USE(id) "{\"type\":\"tool_use\",\"id\":\"" id "\",\"name\":\"f\",\"input\":{}}"
#define RES(id) "{\"type\":\"tool_result\",\"tool_use_id\":\"" id "\",\"content\":\"r\"}"
#define TEXT(t) "{\"type\":\"text\",\"text\":\"" t "\"}"
#define UB(b) "{\"role\":\"user\",\"content\":[" b "]}"
#define AB(b) "{\"role\":\"assistant\",\"content\":[" b "]}"
#define TOOLS "\"tools\":[{\"name\":\"f\",\"input_schema\":{}}],"
#define AN(list) "{" TOOLS "\"messages\":[" list "]}"

/* No provider takes them, and ctx-render refuses some and says "[data]" for others. */
static void
contents(void)
{
	static const char *const roles[] = {"user", "assistant", "system"};
	static const char *const bad[] = {"5", "true", "{\"type\":\"text\"}", "[\"hi\"]",
	    "[{\"type\":\"text\",\"text\":\"hi\"},null]", "[[]]"};
	char text[300];

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		for (size_t k = 0; k < sizeof(roles) / sizeof(roles[0]); k++)
			for (int rules = CTX_PROVIDER_OPENAI;
			     rules <= CTX_PROVIDER_RESPONSES; rules++) {
				snprintf(text, sizeof(text),
				    "{\"role\":\"%s\",\"content\":%s}\n" U, roles[k],
				    bad[i]);
				if (strstr(lint(rules, text).rules, "all-content") ==
				    NULL)
					expect(rules, text, "all-content");
			}
	expect(AUTO, C("user", "5") "\n" A, "all-content");
	expect(AUTO, OA(C("user", "{}")), "all-content");
	expect(AUTO,
	    OA(U "," AC(CALL("a")) ",{\"role\":\"tool\",\"tool_call_id\":\"a\","
				   "\"content\":5}"),
	    "all-content");
	expect(AUTO,
	    AB(USE("a")) "\n" UB("{\"type\":\"tool_result\",\"tool_use_id\":\"a\","
				 "\"content\":{\"n\":5}}"),
	    "all-content");
	CHECK_STR(lint(AUTO, C("user", "5")).provider, "all");
	/* null is none, and as good as absent */
	expect(AUTO, U "\n" C("user", "null"), "");
}

static void
old_calls(void)
{
	expect(AUTO, U "\n" OLD("f"), "all-function-call");
	expect(AUTO, U "\n" OLD_ANSWER("f") "\n" A, "all-function-call");
	CHECK_INT(lint(AUTO, U "\n" OLD("f")).error, 1);
	/* OpenAI's own server still takes it */
	expect(AUTO, OA(U "," OLD("f") "," U), "all-function-call");
	CHECK_INT(lint(AUTO, OA(U "," OLD("f") "," U)).error, 0);
	CHECK(strncmp(lint(CTX_PROVIDER_ANTHROPIC, OA(U "," OLD("f") "," U)).rules,
		  "unreadable", 10) == 0);
	expect(AUTO,
	    U "\n{\"role\":\"assistant\",\"content\":\"x\",\"function_call\":null}", "");
}

static void
anthropic_pairs(void)
{
	expect(AUTO, U AB(USE("a")) UB(RES("a") "," TEXT("x")) A, "");
	expect(AUTO, U AB(USE("a") "," USE("b")) UB(RES("a")) UB(RES("b")) A, "");
	expect(
	    AUTO, AN(U "," AB(USE("a") "," USE("b")) "," UB(RES("a") "," RES("b"))), "");
	expect(
	    AUTO, AN(U "," AB(USE("a") "," USE("b")) "," UB(RES("a"))), "an-result-next");
	expect(AUTO, AN(U "," AB(USE("a")) "," UB(TEXT("x") "," RES("a"))),
	    "an-result-next");
	expect(
	    AUTO, AN(U "," AB(USE("a")) "," UB(RES("a") "," RES("a"))), "an-result-next");
	expect(AUTO, U AB(USE("a")) UB(TEXT("x")), "an-result-next");
	expect(AUTO, U AB(USE("a")) U UB(RES("a")), "an-result-next");
	expect(AUTO, U UB(RES("a")), "an-orphan-result");
	expect(AUTO, U AB(USE("a")) UB(RES("a")) A UB(RES("a")), "an-orphan-result");
	expect(AUTO, U AB(USE("a") "," RES("a")), "an-orphan-result");
	/* the open end of a history */
	expect(AUTO, U AB(USE("a") "," USE("b")) UB(RES("a")), "");
	expect(AUTO, U AB(USE("a")), "");
	expect(
	    AUTO, U AB(USE("a")) UB(RES("a")) AB(USE("a")) UB(RES("a")), "an-id-unique");
}

static void
anthropic_messages(void)
{
	expect(AUTO, AN(A "," U), "an-first-user");
	expect(AUTO, AN(U "," A "," U), "");
	expect(AUTO, AN(U "," U), "an-alternate");
	expect(AUTO, AN(U "," A "," A "," U), "an-alternate");
	expect(AUTO, AN(U "," A), "an-last-user");
	expect(AUTO, AN(U ",{\"role\":\"assistant\",\"content\":\"ok \"}"),
	    "an-last-user an-trailing-space");
	expect(AUTO, AN(U "," T("x") "," U), "an-orphan-result an-no-tool-role");
	expect(AUTO, AN("{\"role\":\"system\",\"content\":\"s\"}," U), "an-no-tool-role");
	expect(AUTO, "{\"system\":\"s\",\"messages\":[" U "]}", "");
	expect(AUTO, AN(UB("")), "an-nonempty");
	expect(AUTO, AN("{\"role\":\"user\",\"content\":\" \\n\"}"), "an-nonempty");
	expect(AUTO, AN("{\"role\":\"user\",\"content\":null}"), "an-nonempty");
	expect(AUTO, AN(UB(TEXT("x") "," TEXT("\\t"))), "an-nonempty");
	expect(AUTO,
	    AN(U "," AB(
		USE("a")) ",{\"role\":\"user\",\"content\":[{\"type\":"
			  "\"tool_result\",\"tool_use_id\":\"a\",\"content\":[]}]}"),
	    "an-nonempty");
	expect(AUTO,
	    "{\"system\":[{\"type\":\"text\",\"text\":\"\"}],\"messages\":[" U "]}",
	    "an-nonempty");
	expect(AUTO,
	    "{\"system\":\"s\",\"messages\":[" U "," AB(USE("a")) "," UB(RES("a")) "]}",
	    "an-tools-sent");
	CHECK(!lint(AUTO,
	    "{\"system\":\"s\",\"messages\":[" U "," AB(USE("a")) "," UB(RES("a")) "]}")
		   .error);
}

#define THINK(sig) "{\"type\":\"thinking\",\"thinking\":\"t\",\"signature\":\"" sig "\"}"
#define ON                                                                   \
	"{" TOOLS "\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":9}," \
	"\"messages\":["

static void
anthropic_thinking(void)
{
	expect(AUTO, ON U "," AB(THINK("s") "," USE("a")) "," UB(RES("a")) "]}", "");
	expect(AUTO, ON U "," AB(USE("a")) "," UB(RES("a")) "]}", "an-thinking");
	expect(AUTO,
	    ON U "," AB(TEXT("x") "," THINK("s") "," USE("a")) "," UB(RES("a")) "]}",
	    "an-thinking");
	expect(AUTO, ON U "," AB(THINK("") "," USE("a")) "," UB(RES("a")) "]}",
	    "an-thinking");
	/* earlier turns may be stripped; without thinking none is asked for */
	expect(AUTO, ON U "," AB(USE("a")) "," UB(RES("a")) "," A "," U "]}", "");
	expect(AUTO, AN(U "," AB(USE("a")) "," UB(RES("a"))), "");
}

#define GU(p) "{\"role\":\"user\",\"parts\":[" p "]}"
#define GM(p) "{\"role\":\"model\",\"parts\":[" p "]}"
#define GT "{\"text\":\"t\"}"
#define GC(n) "{\"functionCall\":{\"name\":\"" n "\",\"args\":{}}}"
#define GS(n) \
	"{\"functionCall\":{\"name\":\"" n "\",\"args\":{}},\"thoughtSignature\":\"s\"}"
#define GR(n) "{\"functionResponse\":{\"name\":\"" n "\",\"response\":{}}}"
#define GE(list) "{\"contents\":[" list "]}"

static void
gemini(void)
{
	expect(AUTO, GE(GU(GT) "," GM(GT) "," GU(GT)), "");
	expect(AUTO, GE(GU(GT) "," GU(GT)), "ge-alternate");
	expect(AUTO, GE(GM(GT) "," GU(GT)), "ge-alternate");
	expect(AUTO, GE(GU(GT) "," GM(GT)), "ge-alternate");
	expect(AUTO, GE(GU("")), "ge-alternate");
	expect(AUTO, GE(GU("{}")), "ge-alternate");
	expect(
	    AUTO, GE(GU(GT) "," GM(GC("f") "," GC("g")) "," GU(GR("f") "," GR("g"))), "");
	expect(AUTO, GE(GU(GT) "," GM(GC("f") "," GC("g")) "," GU(GR("f"))),
	    "ge-response-count");
	expect(AUTO, GE(GU(GT) "," GM(GC("f") "," GC("g")) "," GU(GR("g") "," GR("f"))),
	    "ge-response-count");
	expect(
	    AUTO, GE(GU(GT) "," GM(GC("f")) "," GU(GT "," GR("f"))), "ge-response-count");
	expect(AUTO, GE(GU(GT "," GR("f"))), "ge-response-count");
	expect(AUTO, GE(GU(GT) "," GM(GT "," GR("f")) "," GU(GT)), "ge-response-count");
	expect(AUTO, GE(GM(GC("f")) "," GU(GR("f"))), "ge-call-after ge-alternate");
	expect(AUTO, "[" GU(GT) "," GM(GC("f")) "]", "");
	expect(
	    AUTO, GE(GU(GT) "," GM(GS("f") "," GC("g")) "," GU(GR("f") "," GR("g"))), "");
	expect(AUTO, GE(GU(GT) "," GM(GC("f") "," GS("g")) "," GU(GR("f") "," GR("g"))),
	    "ge-signature");
	/* steps of earlier turns may lack theirs */
	expect(AUTO,
	    GE(GU(GT) "," GM(GC("f")) "," GU(GR("f")) "," GM(GT) "," GU(GT) "," GM(
		GS("f")) "," GU(GR("f"))),
	    "");
}

#define RC(id)                                          \
	"{\"type\":\"function_call\",\"call_id\":\"" id \
	"\",\"name\":\"f\",\"arguments\":\"{}\"}"
#define RO(id) \
	"{\"type\":\"function_call_output\",\"call_id\":\"" id "\",\"output\":\"r\"}"
#define RT "{\"type\":\"reasoning\",\"id\":\"rs\",\"summary\":[]}"
#define RE(list) "{\"input\":[" list "]}"

static void
responses(void)
{
	expect(AUTO, RE(U "," RT "," RC("a") "," RO("a")), "");
	expect(AUTO, "{\"input\":\"hello\"}", "");
	expect(AUTO, RE(U "," RO("a")), "re-orphan-output");
	expect(AUTO, RE(U "," RC("a") "," RO("a") "," RO("a")), "re-orphan-output");
	expect(AUTO, "{\"previous_response_id\":\"r\",\"input\":[" RO("a") "]}", "");
	expect(AUTO, RE(U "," RC("a")), "re-unanswered-call");
	expect(AUTO, "[" U "," RC("a") "]", "");
	expect(AUTO, "[" RC("a") "," U "]", "re-unanswered-call");
	expect(AUTO, RE(RT "," U), "re-reasoning-pair");
	expect(AUTO, RE(U "," RT), "re-reasoning-pair");
	expect(AUTO, RE(U "," RT "," A "," U), "");
}

static void
utf8(void)
{
	struct fired f = lint(AUTO, "{\"role\":\"user\",\"content\":\"x\xff\"}\n");

	CHECK_STR(f.rules, "all-utf8");
	expect(AUTO, U "\n{\"role\":\"user\",\"content\":\"\\ud83d\"}", "all-utf8");
	expect(AUTO, "{\"role\":\"user\",\"content\":\"\\udf89 \\ud83c\\udf89\"}",
	    "all-utf8");
	expect(AUTO, "{\"role\":\"user\",\"content\":\"\\ud83c\\udf89\"}", "");
	expect(AUTO, "{\"role\":\"user\",\"content\":\"\\\\ud83c\"}", "");
	/* the other rules see the rest */
	expect(AUTO, T("a") "\n{\"role\":\"user\",\"content\":\"\\ud83d\"}",
	    "all-utf8 oa-orphan-result");
	f = lint(AUTO, U "\n\n{\"role\":\"user\",\"content\":\"\\ud83d\"}");
	CHECK_INT(f.line, 3);
}

static void
budget(void)
{
	struct ctx_lint_options o = CTX_LINT_OPTIONS_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	struct fired f = {0};

	CHECK_INT(ctx_tokenizer_open(&o.tokenizer, "chars4", NULL, &err), 0);
	o.budget = 100;
	CHECK_INT(ctx_lint_check(ctx_span_of(OA(U)), &o, fire, &f, &err), 0);
	o.budget = 3;
	CHECK_INT(ctx_lint_check(ctx_span_of(OA(U)), &o, fire, &f, &err), 1);
	CHECK_STR(f.rules, "all-budget");
	CHECK_STR(f.provider, "all");
	/* system and tools are included; histories have no budget */
	o.budget = 20;
	CHECK_INT(ctx_lint_check(ctx_span_of(OA(U)), &o, NULL, NULL, &err), 0);
	CHECK_INT(
	    ctx_lint_check(ctx_span_of("{\"system\":\"a text of some hundred characters, "
				       "that is a text that is much longer than what the "
				       "budget has room for\","
				       "\"messages\":[" U "]}"),
		&o, NULL, NULL, &err),
	    1);
	/* text costs the same in a block, in a string and wrapped by Gemini */
#define LONG                                           \
	"0123456789 0123456789 0123456789 0123456789 " \
	"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\""
	o.budget = 13 + 3 + 8 + 3;
	CHECK_INT(
	    ctx_lint_check(ctx_span_of("{\"system\":[{\"type\":\"text\",\"text\":\"" LONG
				       "\"}],\"messages\":[" U "]}"),
		&o, NULL, NULL, &err),
	    0);
	CHECK_INT(ctx_lint_check(
		      ctx_span_of("{\"systemInstruction\":{\"parts\":[{\"text\":\"" LONG
				  "\"}]},\"contents\":[" GU(GT) "]}"),
		      &o, NULL, NULL, &err),
	    0);
	o.budget = 38;
	f = (struct fired){0};
	ctx_lint_check(ctx_span_of(GE(GU(GT) "," GM(GC("f")) "," GU(
			   "{\"functionResponse\":{"
			   "\"name\":\"f\",\"response\":{\"result\":\"" LONG "\"}}}"))),
	    &o, fire, &f, &err);
	CHECK_STR(f.rules, "");
	o.budget = 1;
	CHECK_INT(ctx_lint_check(ctx_span_of(U), &o, NULL, NULL, &err), 0);
	CHECK_INT(ctx_lint_check(ctx_span_of(GE(GU(GT))), &o, NULL, NULL, &err), 1);
	CHECK_INT(ctx_lint_check(ctx_span_of(RE(U)), &o, NULL, NULL, &err), 1);
	ctx_tokenizer_close(o.tokenizer);
}

static void
shapes(void)
{
	/* records, with others between; additions are not judged */
	expect(AUTO,
	    "{\"kind\":\"session\",\"session_id\":\"s\"}\n"
	    "{\"kind\":\"message\",\"session_id\":\"s\",\"message\":" U "}\n"
	    "{\"kind\":\"message\",\"slot\":\"volatile\",\"message\":"
	    "{\"role\":\"system\",\"content\":\"s\"}}\n"
	    "{\"kind\":\"message\",\"session_id\":\"s\",\"message\":" A "}\n"
	    "{\"kind\":\"request\",\"messages\":[]}\n",
	    "");
	/* a session record begins the next transcript */
	expect(AUTO,
	    "{\"kind\":\"session\"}\n" AC(CALL("a")) "\n{\"kind\":\"session\"}\n" U, "");
	expect(AUTO, AC(CALL("a")) "\n" U, "oa-unanswered-call");
	/* an array; pretty printed; several bodies in one file */
	expect(AUTO, "[" U "," T("a") "]", "oa-orphan-result");
	expect(AUTO, "{\n  \"messages\": [\n    " U ",\n    " T("a") "\n  ]\n}\n",
	    "oa-orphan-result");
	CHECK_INT(
	    lint(AUTO, "{\n  \"messages\": [\n    " U ",\n    " T("a") "\n  ]\n}\n").line,
	    4);
	CHECK_INT(lint(AUTO, U "\n" T("a") "\n" A).index, 1);
	expect(AUTO, OA(U) "\n" OA(A) "\n", "oa-last-role");
	/* the other shape's history under given rules */
	expect(CTX_PROVIDER_ANTHROPIC, U AC(CALL("a") "," CALL("b")) T("b") T("a") A,
	    "an-no-tool-role");
	expect(CTX_PROVIDER_OPENAI, U AB(USE("a")) UB(RES("a") "," TEXT("x")) A, "");
	expect(CTX_PROVIDER_OPENAI, U AB(USE("a")) UB(TEXT("x") "," RES("a")) A,
	    "oa-unanswered-call oa-orphan-result");
	expect(CTX_PROVIDER_GEMINI, U AC(CALL("a") "," CALL("b")) T("b") T("a") A,
	    "ge-response-count");
	expect(CTX_PROVIDER_GEMINI, AC(CALL("a")) T("a") A, "ge-call-after");
	expect(
	    CTX_PROVIDER_RESPONSES, U AC(CALL("a")) T("a") T("b") A, "re-orphan-output");
	CHECK_STR(lint(AUTO, AN(A)).provider, "anthropic");
}

/* All pairs of a body's shape and the rules that it is judged by. */
static void
foreign_bodies(void)
{
	static const char *const bodies[] = {OA(U "," AC(CALL("a")) "," T("a")),
	    "{\"messages\":[" U "," AB(USE("a")) "," UB(RES("a")) "]}",
	    GE(GU(GT) "," GM(GC("f")) "," GU(GR("f"))), RE(U)};
	char want[60];

	for (int is = 0; is < 4; is++)
		for (int by = 0; by < 4; by++) {
			struct fired f = lint(by, bodies[is]);
			bool same = is == by || (is == CTX_PROVIDER_RESPONSES &&
						    by == CTX_PROVIDER_OPENAI);
			snprintf(want, sizeof(want),
			    "unreadable: line 1: the input is in the format of %s, not of %s",
			    ctx_provider_name((enum ctx_provider)is),
			    ctx_provider_name((enum ctx_provider)by));
			if (same)
				CHECK(strncmp(f.rules, "unreadable", 10) != 0);
			else
				CHECK(strncmp(f.rules, want, strlen(want)) == 0);
		}
	CHECK(
	    strncmp(
		lint(CTX_PROVIDER_OPENAI, OA(U "," AC(CALL("a")) "," UB(RES("a")))).rules,
		"unreadable", 10) == 0);
	/* members that servers of OpenAI's shape take as well */
	expect(AUTO,
	    "{\"thinking\":{\"type\":\"enabled\"},\"messages\":[" U
	    "," AC(CALL("a")) "," T("a") "]}",
	    "");
}

static void
unreadable(void)
{
	CHECK(strncmp(lint(AUTO, "{\"role\":\"user\"").rules, "unreadable: line 1", 18) ==
	      0);
	CHECK(strncmp(lint(AUTO, U "\nnonsense").rules, "unreadable: line 2", 18) == 0);
	CHECK(strncmp(lint(AUTO, U "\n" U "\n{\"a\":1}").rules, "unreadable: line 3",
		  18) == 0);
	CHECK(strncmp(lint(AUTO, "[1]").rules, "unreadable", 10) == 0);
	CHECK(
	    strncmp(lint(CTX_PROVIDER_OPENAI, GE(GU(GT))).rules, "unreadable", 10) == 0);
	expect(AUTO, "", "");
	expect(AUTO, " \n", "");
}

int
main(void)
{
	RUN(openai_pairs);
	RUN(openai_messages);
	RUN(contents);
	RUN(old_calls);
	RUN(anthropic_pairs);
	RUN(anthropic_messages);
	RUN(anthropic_thinking);
	RUN(gemini);
	RUN(responses);
	RUN(utf8);
	RUN(budget);
	RUN(shapes);
	RUN(foreign_bodies);
	RUN(unreadable);
	return TEST_END();
}
