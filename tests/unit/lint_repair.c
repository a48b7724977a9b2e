#include "test.h"

#include <stdlib.h>

#include "json/json.h"
#include "lint/lint.h"
#include "lint_random.h"

static int
repair(struct ctx_span text, int rules, struct ctx_buf *out)
{
	struct ctx_lint_options o = CTX_LINT_OPTIONS_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	int left;

	o.rules = (enum ctx_provider)rules;
	ctx_buf_reset(out);
	left = ctx_lint_repair(text, &o, out, NULL, NULL, &err);
	ctx_buf_adds(out, "");
	return left;
}

static void
expect(int rules, const char *text, const char *want)
{
	struct ctx_buf out = CTX_BUF_INIT;

	CHECK_INT(repair(ctx_span_of(text), rules, &out), 0);
	ctx_buf_addc(&out, '\0');
	CHECK_STR(out.p, want);
	ctx_buf_release(&out);
}

#define AUTO CTX_PROVIDER_NONE
#define U "{\"role\":\"user\",\"content\":\"hi\"}"
#define A "{\"role\":\"assistant\",\"content\":\"ok\"}"
#define S "{\"role\":\"system\",\"content\":\"s\"}"
#define CALL(id)        \
	"{\"id\":\"" id \
	"\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}"
#define AC(calls) "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" calls "]}"
#define T(id) "{\"role\":\"tool\",\"tool_call_id\":\"" id "\",\"content\":\"r\"}"
#define NO(id)                                      \
	"{\"role\":\"tool\",\"tool_call_id\":\"" id \
	"\",\"content\":\"no result recorded\"}"
#define USE(id) "{\"type\":\"tool_use\",\"id\":\"" id "\",\"name\":\"f\",\"input\":{}}"
#define RES(id) "{\"type\":\"tool_result\",\"tool_use_id\":\"" id "\",\"content\":\"r\"}"
#define NRES(id)                                          \
	"{\"type\":\"tool_result\",\"tool_use_id\":\"" id \
	"\",\"content\":\"no result recorded\"}"
#define TEXT(t) "{\"type\":\"text\",\"text\":\"" t "\"}"
#define UB(b) "{\"role\":\"user\",\"content\":[" b "]}"
#define AB(b) "{\"role\":\"assistant\",\"content\":[" b "]}"
#define AN(list) \
	"{\"tools\":[{\"name\":\"f\",\"input_schema\":{}}],\"messages\":[" list "]}"
#define OA(list) "{\"messages\":[" list "]}"

static void
openai(void)
{
	expect(AUTO, U "\n" AC(CALL("a") "," CALL("b")) "\n" T("b") "\n" U "\n",
	    U "\n" AC(CALL("a") "," CALL("b")) "\n" T("b") "\n" NO("a") "\n" U "\n");
	expect(AUTO, U "\n" T("x") "\n" A "\n", U "\n" A "\n");
	/* behind its call again */
	expect(AUTO, U "\n" AC(CALL("a")) "\n" U "\n" T("a") "\n" A,
	    U "\n" AC(CALL("a")) "\n" T("a") "\n" U "\n" A);
	expect(AUTO, AC(CALL("a")) "\n" T("a") "\n" T("a") "\n" U "\n",
	    AC(CALL("a")) "\n" T("a") "\n" U "\n");
	expect(AUTO, AC(CALL("a")) "\n" T("a") "\n" AC(CALL("a")) "\n" T("a") "\n",
	    AC(CALL("a")) "\n" T("a") "\n" AC(CALL("a_2")) "\n" T("a_2") "\n");
	expect(AUTO, U "\n" S "\n" A "\n", U "\n" S "\n" A "\n");
	expect(AUTO, U "\n{\"role\":\"assistant\",\"content\":null}\n" U "\n",
	    U "\n" U "\n");
	expect(AUTO, "[ " U ",\n  " T("x") ",\n  " A " ]\n", "[ " U ",\n  " A " ]\n");
	expect(AUTO, OA(U "," A),
	    OA(U "," A ",{\"role\":\"user\",\"content\":\"Continue.\"}"));
	/* the open end stays open where it may */
	expect(AUTO, T("x") "\n" AC(CALL("a")) "\n", AC(CALL("a")) "\n");
	expect(AUTO, OA(U "," AC(CALL("a"))), OA(U "," AC(CALL("a")) "," NO("a")));
}

static void
records(void)
{
#define REC(seq, m)                                                                     \
	"{\"kind\":\"message\",\"session_id\":\"s\",\"seq\":" seq ",\"message\":" m "}" \
	"\n"
	expect(AUTO,
	    "{\"kind\":\"session\",\"session_id\":\"s\"}\n" REC("1", AC(CALL("a")))
		REC("2", U),
	    "{\"kind\":\"session\",\"session_id\":\"s\"}\n" REC(
		"1", AC(CALL("a"))) "{\"kind\":\"message\",\"session_id\":\"s\","
				    "\"message\":" NO("a") "}\n" REC("2", U));
	/* a count of tokens goes with the message that it counted */
	expect(AUTO,
	    "{\"kind\":\"message\",\"token_count\":9,\"message\":" UB(
		TEXT("x") "," TEXT("")) "}\n" AB(USE("q")) "\n",
	    "{\"kind\":\"message\",\"message\":" UB(TEXT("x")) "}\n" AB(USE("q")) "\n");
}

/* Nothing that was said in a wrong type is lost. */
static void
contents(void)
{
#define C(content) "{\"role\":\"user\",\"content\":" content "}"
	expect(AUTO, C("5") "\n", C("\"5\"") "\n");
	expect(AUTO, C("{\"a\":1}") "\n", C("\"{\\\"a\\\":1}\"") "\n");
	expect(AUTO, C(TEXT("x")) "\n", UB(TEXT("x")) "\n");
	expect(AUTO, C("[\"x\", 5 ]") "\n", UB(TEXT("x") ", " TEXT("5") " ") "\n");
	expect(AUTO, AN(C(TEXT("x"))), AN(UB(TEXT("x"))));
	expect(AUTO, AN(C("5")), AN(C("\"5\"")));
	expect(CTX_PROVIDER_ANTHROPIC, AB("\"x\"") "\n" C("{\"type\":5}"),
	    AB(TEXT("x")) "\n" C("\"{\\\"type\\\":5}\""));
	expect(AUTO,
	    AC(CALL("a")) "\n{\"role\":\"tool\",\"tool_call_id\":\"a\","
			  "\"content\":5}\n",
	    AC(CALL("a")) "\n{\"role\":\"tool\",\"tool_call_id\":\"a\","
			  "\"content\":\"5\"}\n");
	expect(AUTO,
	    AB(USE("a")) "\n" UB("{\"type\":\"tool_result\",\"tool_use_id\":\"a\","
				 "\"content\":[\"x\"]}") "\n",
	    AB(USE("a")) "\n" UB("{\"type\":\"tool_result\",\"tool_use_id\":\"a\","
				 "\"content\":[" TEXT("x") "]}") "\n");
}

#define OLD(more)                                                                       \
	"{\"role\":\"assistant\",\"content\":null" more ",\"function_call\":{\"name\":" \
	"\"f\",\"arguments\":\"{}\"}}"
#define ANSWER(name) "{\"role\":\"function\",\"name\":\"" name "\",\"content\":\"r\"}"
#define NEW(id)                                                                  \
	"{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"" id \
	"\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}"
#define NEW_ANSWER(id) \
	"{\"role\":\"tool\",\"name\":\"f\",\"content\":\"r\",\"tool_call_id\":\"" id "\"}"

static void
old_calls(void)
{
	struct ctx_buf out = CTX_BUF_INIT;
	const char *left[] = {U "\n" ANSWER("f") "\n", OA(OLD("") "," U),
	    OLD(",\"tool_calls\":[" CALL("a") "]") "\n" T("a") "\n"};

	expect(AUTO, OLD("") "\n" ANSWER("f") "\n" OLD("") "\n" ANSWER("f") "\n" U "\n",
	    NEW("call_1") "\n" NEW_ANSWER("call_1") "\n" NEW("call_2") "\n" NEW_ANSWER(
		"call_2") "\n" U "\n");
	/* a name that is taken, and a call that nobody answered */
	expect(AUTO, AC(CALL("call_1")) "\n" T("call_1") "\n" OLD("") "\n" U "\n",
	    AC(CALL("call_1")) "\n" T("call_1") "\n" NEW("call_2") "\n" NO(
		"call_2") "\n" U "\n");
	for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++) {
		CHECK_INT(repair(ctx_span_of(left[i]), AUTO, &out), i != 1);
		ctx_buf_addc(&out, '\0');
		CHECK_STR(out.p, left[i]);
	}
	ctx_buf_release(&out);
}

static void
anthropic(void)
{
	expect(AUTO, AN(U "," AB(USE("a") "," USE("b")) "," UB(TEXT("x") "," RES("b"))),
	    AN(U "," AB(USE("a") "," USE("b")) "," UB(
		NRES("a") "," RES("b") "," TEXT("x"))));
	expect(AUTO, AN(U "," AB(USE("a")) "," U "," UB(RES("a"))),
	    AN(U "," AB(USE("a")) "," UB(RES("a") "," TEXT("hi"))));
	expect(AUTO, AN(S "," U),
	    "{\"tools\":[{\"name\":\"f\",\"input_schema\":{}}],"
	    "\"messages\":[" U "],\"system\":\"s\"}");
	expect(
	    AUTO, AN(U "," A "," A "," U), AN(U "," AB(TEXT("ok") "," TEXT("ok")) "," U));
	expect(AUTO, AN(U ",{\"role\":\"assistant\",\"content\":[]}," U),
	    AN(UB(TEXT("hi") "," TEXT("hi"))));
	expect(AUTO, AN(A "," U),
	    AN("{\"role\":\"user\",\"content\":\"(earlier messages left "
	       "out)\"}," A "," U));
	expect(AUTO,
	    "{\"thinking\":{\"type\":\"enabled\"}, \"messages\":[" U
	    "," AB(USE("a")) "," UB(RES("a")) "]}",
	    "{\"thinking\":{\"type\":\"disabled\"}, \"messages\":[" U
	    "," AB(USE("a")) "," UB(RES("a")) "]}");
}

#define GU(p) "{\"role\":\"user\",\"parts\":[" p "]}"
#define GM(p) "{\"role\":\"model\",\"parts\":[" p "]}"
#define GT "{\"text\":\"t\"}"
#define GC(n) "{\"functionCall\":{\"name\":\"" n "\",\"args\":{}}}"
#define GR(n) "{\"functionResponse\":{\"name\":\"" n "\",\"response\":{}}}"
#define GN(n)                                  \
	"{\"functionResponse\":{\"name\":\"" n \
	"\",\"response\":{\"result\":\"no result recorded\"}}}"
#define GE(list) "{\"contents\":[" list "]}"

static void
gemini(void)
{
	expect(AUTO, GE(GU(GT) "," GM(GC("f") "," GC("g")) "," GU(GT "," GR("g"))),
	    GE(GU(GT) "," GM(GC("f") "," GC("g")) "," GU(GN("f") "," GR("g") "," GT)));
	expect(
	    AUTO, GE(GU(GT) "," GM(GC("f"))), GE(GU(GT) "," GM(GC("f")) "," GU(GN("f"))));
	expect(AUTO, GE(GU(GT) "," GU("")), GE(GU(GT)));
	expect(AUTO, GE(GU(GR("f") "," GT)), GE(GU(GT)));
	expect(CTX_PROVIDER_GEMINI, U AC(CALL("a") "," CALL("b")) T("b") T("a") A,
	    U "\n" AC(CALL("a") "," CALL("b")) "\n" T("a") "\n" T("b") "\n" A);
}

#define RC(id)                                          \
	"{\"type\":\"function_call\",\"call_id\":\"" id \
	"\",\"name\":\"f\",\"arguments\":\"{}\"}"
#define RO(id) \
	"{\"type\":\"function_call_output\",\"call_id\":\"" id "\",\"output\":\"r\"}"
#define RN(id)                                                 \
	"{\"type\":\"function_call_output\",\"call_id\":\"" id \
	"\",\"output\":\"no result recorded\"}"
#define RT "{\"type\":\"reasoning\",\"id\":\"rs\",\"summary\":[]}"
#define RE(list) "{\"input\":[" list "]}"

static void
responses(void)
{
	expect(AUTO, RE(U "," RC("a") "," RC("b") "," RO("a") "," U),
	    RE(U "," RC("a") "," RC("b") "," RO("a") "," RN("b") "," U));
	expect(AUTO, RE(RO("a") "," U "," RC("a") "," U),
	    RE(U "," RC("a") "," RO("a") "," U));
	expect(AUTO, RE(U "," RO("x") "," RT "," U), RE(U "," U));
}

static void
utf8(void)
{
	expect(AUTO, "{\"role\":\"user\",\"content\":\"a\\ud83d\"}\n",
	    "{\"role\":\"user\",\"content\":\"a\\ufffd\"}\n");
	expect(AUTO, "{\"role\":\"user\",\"content\":\"a\xf0\x9f\"}\n",
	    "{\"role\":\"user\",\"content\":\"a\xef\xbf\xbd\xef\xbf\xbd\"}\n");
}

/* ---- random histories ---- */

static void
part(struct ctx_buf *b)
{
	unsigned kind = dice(7);

	if (kind < 4) {
		ctx_buf_addf(
		    b, "{\"%s\":{", kind < 2 ? "functionCall" : "functionResponse");
		if (dice(3) == 0)
			ctx_buf_addf(b, "\"id\":\"g%u\",", dice(5));
		ctx_buf_addf(b, "\"name\":\"f%u\"}%s}", dice(3),
		    kind < 2 && dice(3) == 0 ? ",\"thoughtSignature\":\"s\"" : "");
	} else if (kind == 4) {
		ctx_buf_adds(b, "{}");
	} else {
		ctx_buf_adds(b, "{\"text\":");
		say(b);
		ctx_buf_adds(b, "}");
	}
}

static void
content(struct ctx_buf *b)
{
	ctx_buf_addf(b, "{\"role\":\"%s\",\"parts\":[", dice(2) ? "user" : "model");
	list(b, part, dice(4));
	ctx_buf_adds(b, "]}");
}

static void
item(struct ctx_buf *b)
{
	switch (dice(4)) {
	case 0:
		ctx_buf_adds(b,
		    "{\"type\":\"function_call\",\"name\":\"f\",\"arguments\":\"{}\","
		    "\"call_id\":");
		id(b);
		break;
	case 1:
		ctx_buf_adds(b,
		    "{\"type\":\"function_call_output\",\"output\":\"r\",\"call_id\":");
		id(b);
		break;
	case 2:
		ctx_buf_adds(b, "{\"type\":\"reasoning\",\"id\":\"rs_1\",\"summary\":[]");
		break;
	default:
		ctx_buf_addf(
		    b, "{\"role\":\"%s\",\"content\":", dice(2) ? "user" : "assistant");
		say(b);
	}
	ctx_buf_adds(b, "}");
}

static void
record(struct ctx_buf *b)
{
	if (dice(3) > 0) {
		any_message(b);
		return;
	}
	if (dice(12) == 0) {
		ctx_buf_addf(
		    b, "{\"kind\":\"%s\",\"x\":1}", dice(2) ? "session" : "request");
		return;
	}
	ctx_buf_addf(b, "{\"kind\":\"message\",\"session_id\":\"s\",%s\"message\":",
	    dice(2)        ? "\"token_count\":5,"
	    : dice(5) == 0 ? "\"slot\":\"prefix\","
			   : "");
	any_message(b);
	ctx_buf_addf(b, "%s}", dice(2) ? ",\"seq\":7" : "");
}

/* A transcript or body of any shape; returns the rules to ask for. */
static int
history(struct ctx_buf *b)
{
	static void (*const kinds[])(struct ctx_buf *) = {
	    openai_message, anthropic_message, any_message};
	unsigned n = dice(12), form = dice(11), kind = dice(3);

	ctx_buf_reset(b);
	texts = 0;
	if (form < 3) {
		for (unsigned i = 0; i <= n; i++) {
			form < 2 ? record(b) : kinds[kind](b);
			ctx_buf_adds(b, i < n || dice(2) ? "\n" : "");
		}
		return (int)dice(5) - 1;
	}
	if (form == 3) {
		ctx_buf_adds(b, "[");
		list(b, kinds[kind], n);
		ctx_buf_adds(b, "]\n");
		return (int)dice(5) - 1;
	}
	if (form < 7) {
		ctx_buf_addf(b, "{\"model\":\"m\",%s%s\"messages\":[",
		    dice(3) == 0 ? "\"thinking\":{\"type\":\"enabled\"}," : "",
		    dice(3) == 0 ? "\"system\":[{\"type\":\"text\",\"text\":\"\"}],"
				 : "");
		list(b, kinds[kind], n);
		ctx_buf_adds(b, "],\"stream\":true }\n");
		return (int)dice(5) - 1;
	}
	ctx_buf_adds(b, form > 8 ? "[" : form == 7 ? "{\"contents\":[" : "{\"input\":[");
	list(b, form % 2 == 1 ? content : item, n);
	ctx_buf_adds(b, form > 8 ? "]" : "]}");
	return AUTO;
}

static bool
holds(const struct ctx_buf *b, const char *s)
{
	return b->n > 0 && strstr(b->p, s) != NULL;
}

/* Repaired text lints clean, a second repair changes nothing, clean text comes back as
 * it was, and nothing that anyone said is lost. */
static int judged;

static bool
holds_for(
    const struct ctx_buf *in, int rules, struct ctx_buf *once, struct ctx_buf *twice)
{
	struct ctx_lint_options o = CTX_LINT_OPTIONS_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	bool same, ok;
	int before;
	char text[40];

	o.rules = (enum ctx_provider)rules;
	before = ctx_lint_check(ctx_buf_span(in), &o, NULL, NULL, &err);
	if (before < 0) /* a body of two shapes */
		return repair(ctx_buf_span(in), rules, once) < 0;
	judged++;
	ok = repair(ctx_buf_span(in), rules, once) == 0;
	same = ctx_span_eq(ctx_buf_span(in), ctx_buf_span(once));
	ok = ok && same == (before == 0);
	ok = ok && repair(ctx_buf_span(once), rules, twice) == 0 &&
	     ctx_span_eq(ctx_buf_span(once), ctx_buf_span(twice));
	for (int i = 0; i < texts; i++) {
		snprintf(text, sizeof(text), "said %d.", i);
		ok = ok && holds(once, text);
	}
	return ok;
}

static void
random_histories(void)
{
	struct ctx_buf in = CTX_BUF_INIT, once = CTX_BUF_INIT, twice = CTX_BUF_INIT;
	const char *runs = getenv("CTX_TEST_RUNS");
	int n = runs == NULL ? 20000 : atoi(runs);

	for (int i = 1; i <= n; i++) {
		int rules;
		state = 0x9e3779b97f4a7c15u * (uint64_t)i;
		rules = history(&in);
		if (holds_for(&in, rules, &once, &twice))
			continue;
		printf("# run %d, rules %d\n# in\n%.*s\n# once\n%.*s\n# twice\n%.*s\n", i,
		    rules, (int)in.n, in.p, (int)once.n, once.n ? once.p : "",
		    (int)twice.n, twice.n ? twice.p : "");
		CHECK(0 && "repair");
		break;
	}
	CHECK(judged > n / 2);
	ctx_buf_release(&in);
	ctx_buf_release(&once);
	ctx_buf_release(&twice);
}

int
main(void)
{
	RUN(openai);
	RUN(records);
	RUN(contents);
	RUN(old_calls);
	RUN(anthropic);
	RUN(gemini);
	RUN(responses);
	RUN(utf8);
	RUN(random_histories);
	return TEST_END();
}
