/* What is refused, what is left out, ids, thinking. */
#include "render_help.h"

#define O CTX_PROVIDER_OPENAI
#define A CTX_PROVIDER_ANTHROPIC
#define G CTX_PROVIDER_GEMINI

#define U "{\"role\":\"user\",\"content\":\"u\"}\n"
#define B "{\"role\":\"assistant\",\"content\":\"b\"}\n"
#define CALL(id)                                                                         \
	"{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"" id                          \
	"\",\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]}" \
	"\n"
#define TOOL(id, t) \
	"{\"role\":\"tool\",\"tool_call_id\":\"" id "\",\"content\":\"" t "\"}\n"
#define BLOCKS(role, list) "{\"role\":\"" role "\",\"content\":[" list "]}\n"
#define TEXT(t) "{\"type\":\"text\",\"text\":\"" t "\"}"
#define USE(id) "{\"type\":\"tool_use\",\"id\":\"" id "\",\"name\":\"f\",\"input\":{}}"
#define RES(id, t) \
	"{\"type\":\"tool_result\",\"tool_use_id\":\"" id "\",\"content\":\"" t "\"}"
#define THINK(t) "{\"type\":\"thinking\",\"thinking\":\"" t "\",\"signature\":\"s\"}"
#define MSGS(list) "{\"messages\":[" list "]}"

static void
expect_all(const char *lines, const char *want)
{
	expect(lines, O, NULL, want);
	expect(lines, A, NULL, want);
	expect(lines, G, NULL, want);
}

static void
refusals(void)
{
	expect_all("", "E1 no user message to send");
	expect_all(
	    "{\"role\":\"system\",\"content\":\"s\"}", "E1 no user message to send");
	expect(B U, A, NULL, "E1 message 1: the first message must have the role user");
	expect(B U, G, NULL, "E1 message 1: the first message must have the role user");
	expect_all(U B,
	    "E1 message 2: the last message is an assistant message: there is nothing to answer");
	expect_all(U CALL("c"), "E1 message 2: tool call 'c' has no result");
	expect_all(U CALL("c") U, "E1 message 2: tool call 'c' has no result");
	expect_all(U TOOL("c", "r"),
	    "E1 message 2: the result of tool call 'c' has no matching call before it");
	expect_all(U TOOL("c", "r") CALL("c"),
	    "E1 message 2: the result of tool call 'c' has no matching call before it");
	expect_all(U CALL("c") TOOL("c", "r") TOOL("c", "r"),
	    "E1 message 4: tool call 'c' has more than one result");
	expect_all(U BLOCKS("user", RES("x", "r")),
	    "E1 message 2: the result of tool call 'x' has no matching call before it");
	expect_all(U CALL("") TOOL("", "r"), "E1 message 2: a tool call has no id");
	expect_all(BLOCKS("user", USE("x")),
	    "E1 message 1: a user message contains a tool call: only assistant messages may contain tool calls");
	expect_all(U "{\"role\":\"robot\"}",
	    "E3 message 2: unknown role \"robot\" (system, "
	    "developer, user, assistant or tool)");
	expect_all("V " U B,
	    "E1 message 1: something was added to a user message, but no user message is sent");
}

/* Left out where the provider refuses it; neighbours close up. */
static void
blanks(void)
{
	static const char in[] = U BLOCKS("assistant", TEXT(" \\n") "," USE("c"))
	    BLOCKS("user",
		RES("c", "")) "{\"role\":\"assistant\",\"content\":\"\"}\n" BLOCKS("user",
		TEXT("\\u00a0") "," TEXT("v"));

	expect(in, A, NULL,
	    MSGS("{\"role\":\"user\",\"content\":\"u\"},"
		 "{\"role\":\"assistant\",\"content\":[" USE(
		     "c") "]},"
			  "{\"role\":\"user\",\"content\":["
			  "{\"type\":\"tool_result\",\"tool_use_id\":\"c\"}," TEXT(
			      "v") "]}"));
	expect(in, G, NULL,
	    "{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"u\"}]},"
	    "{\"role\":\"model\",\"parts\":[{\"functionCall\":{\"name\":\"f\",\"args\":{}"
	    "},\"thoughtSignature\":\"skip_thought_signature_validator\"}]},"
	    "{\"role\":\"user\",\"parts\":[{\"functionResponse\":{\"name\":\"f\","
	    "\"response\":{\"output\":\"\"}}},{\"text\":\"v\"}]}]}");
	expect(
	    U CALL("c") "{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":null}\n",
	    O, NULL,
	    MSGS("{\"role\":\"user\",\"content\":\"u\"},{\"role\":\"assistant\",\"tool_"
		 "calls\":"
		 "[{\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"f\","
		 "\"arguments\":\"{}\"}}]},"
		 "{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":\"\"}"));
	expect(U "{\"role\":\"assistant\",\"content\":null}\n" BLOCKS(
		   "user", "") "{\"role\":\"user\",\"content\":\"\"}\n",
	    O, NULL,
	    MSGS("{\"role\":\"user\",\"content\":\"u\"},{\"role\":\"user\",\"content\":"
		 "\"\"}"));
	expect("{\"role\":\"assistant\",\"content\":\" \"}\n" U, O, NULL,
	    MSGS("{\"role\":\"user\",\"content\":\"u\"}"));
	expect("{\"role\":\"user\",\"content\":\" \"}\n", A, NULL,
	    "E1 no user message to send");
	expect(U B "{\"role\":\"user\",\"content\":\"\"}\n", A, NULL,
	    "E1 message 2: the last message is an assistant message: there is nothing to answer");
}

/* A part of Gemini's that holds nothing: it refuses one. */
static void
empty_parts(void)
{
	expect(U BLOCKS("assistant", "{\"type\":\"part\"}") U, G, NULL,
	    "{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"u\"},"
	    "{\"text\":\"u\"}]}]}");
	expect(U BLOCKS("assistant", "{\"type\":\"part\"}," TEXT("b")) U, G, NULL,
	    "{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"u\"}]},"
	    "{\"role\":\"model\",\"parts\":[{\"text\":\"b\"}]},"
	    "{\"role\":\"user\",\"parts\":[{\"text\":\"u\"}]}]}");
}

/* A failed result says so where the provider has no field for it, once. */
static void
failed_results(void)
{
	static const struct {
		const char *content, *openai, *gemini;
	} t[] = {
	    {"\"boom\"", "\"Error: boom\"", "{\"error\":\"boom\"}"},
	    {"\"error 5\"", "\"error 5\"", "{\"error\":\"error 5\"}"},
	    {"\"\"", "\"Error\"", "{\"error\":\"\"}"},
	    {"[" TEXT("a") "," TEXT("b") "]", "\"Error: a\\nb\"",
		"{\"error\":\"a\\nb\"}"},
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct ctx_buf in = CTX_BUF_INIT;
		char *o, *g;
		ctx_buf_addf(&in,
		    U CALL(
			"c") "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\","
			     "\"tool_use_id\":\"c\",\"content\":%s,\"is_error\":true}]}"
			     "\n",
		    t[i].content);
		o = body_of(in.p, O, NULL);
		g = body_of(in.p, G, NULL);
		CHECK(check_body(o, O) == NULL && check_body(g, G) == NULL);
		CHECK(strstr(o, t[i].openai) != NULL);
		CHECK(strstr(g, t[i].gemini) != NULL);
		free(o);
		free(g);
		ctx_buf_release(&in);
	}
}

/* Stored interleaved, sent in order: behind their call, in the order of the calls. */
static void
interleaved(void)
{
	static const char in[] = U BLOCKS("assistant",
	    USE("a") "," USE(
		"b")) "{\"role\":\"user\",\"content\":\"meanwhile\"}\n" BLOCKS("user",
	    RES("b", "2")) BLOCKS("user", TEXT("t") "," RES("a", "1"));

	expect(in, A, NULL,
	    MSGS("{\"role\":\"user\",\"content\":\"u\"},"
		 "{\"role\":\"assistant\",\"content\":[" USE("a") "," USE(
		     "b") "]},"
			  "{\"role\":\"user\",\"content\":[" RES("a", "1") "," RES(
			      "b", "2") "," TEXT("meanwhile") "," TEXT("t") "]}"));
}

/* Parallel calls that were stored as messages of their own stay parallel. */
static void
split_calls(void)
{
	static const char in[] = U BLOCKS("assistant", THINK("h"))
	    BLOCKS("assistant", USE("a")) BLOCKS("assistant", USE("b"))
		BLOCKS("user", RES("a", "1")) BLOCKS("user", RES("b", "2"))
		    BLOCKS("assistant", USE("c")) BLOCKS("user", RES("c", "3"));

	expect(in, A, "{\"thinking\":{\"type\":\"enabled\"}}",
	    "{\"thinking\":{\"type\":\"enabled\"},\"messages\":["
	    "{\"role\":\"user\",\"content\":\"u\"},"
	    "{\"role\":\"assistant\",\"content\":[" THINK("h") "," USE("a") "," USE(
		"b") "]},"
		     "{\"role\":\"user\",\"content\":[" RES("a", "1") "," RES(
			 "b", "2") "]},"
				   "{\"role\":\"assistant\",\"content\":[" USE(
				       "c") "]},"
					    "{\"role\":\"user\",\"content\":[" RES(
						"c", "3") "]}]}");
}

static void
same_ids(void)
{
	static const char in[] = U CALL("x") TOOL("x", "1") CALL("x_2") TOOL("x_2", "2")
	    CALL("x") TOOL("x", "3") BLOCKS("assistant", USE("x"))
		BLOCKS("user", RES("x", "4"));
	char *a = body_of(in, A, NULL), *o = body_of(in, O, NULL);

	CHECK(check_body(a, A) == NULL);
	CHECK(check_body(o, O) == NULL);
	CHECK(strstr(a, RES("x_3", "3")) != NULL);
	CHECK(strstr(a, RES("x_4", "4")) != NULL);
	CHECK(strstr(o, "\"tool_call_id\":\"x_3\",\"content\":\"3\"") != NULL);
	free(a);
	free(o);
	/* ids that Anthropic does not take */
	a = body_of(
	    U CALL("f.g:0") TOOL("f.g:0", "1") CALL("f_g_0") TOOL("f_g_0", "2"), A, NULL);
	CHECK(strstr(a, RES("f_g_0", "1")) != NULL);
	CHECK(strstr(a, RES("f_g_0_2", "2")) != NULL);
	CHECK(check_body(a, A) == NULL);
	free(a);
	/* the same id, spelled with an escape */
	a = body_of(U CALL("a\\u0062") TOOL("ab", "1"), A, NULL);
	CHECK(check_body(a, A) == NULL || strstr(a, "\"id\":\"a\\u0062\"") != NULL);
	CHECK(a[0] != 'E');
	free(a);
}

static char *
thinking(const char *lines, enum ctx_thinking t, bool cut, const char *params)
{
	struct ctx_render_options o = {
	    .provider = A, .params = ctx_span_of(params), .thinking = t, .cut = cut};
	struct input *in = input_of(lines);
	char *body = body_with(in, &o);

	free(in);
	return body;
}

static void
thinking_kept(void)
{
	static const char in[] = U BLOCKS("assistant", THINK("old") "," TEXT("b"))
	    U BLOCKS("assistant", "{\"signature\":\"s\\u002b\",\"type\":\"thinking\","
				  "\"thinking\":\"now\"}," USE("c"))
		BLOCKS("user", RES("c", "1"));
	static const char now[] =
	    "{\"signature\":\"s\\u002b\",\"type\":\"thinking\",\"thinking\":\"now\"}";
	static const struct {
		enum ctx_thinking t;
		bool cut, old, now;
	} t[] = {
	    {CTX_THINKING_AUTO, false, true, true},
	    {CTX_THINKING_AUTO, true, false, true},
	    {CTX_THINKING_KEEP, true, true, true},
	    {CTX_THINKING_STRIP, false, false, false},
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		char *b = thinking(in, t[i].t, t[i].cut, NULL);
		CHECK(check_body(b, A) == NULL);
		CHECK((strstr(b, THINK("old")) != NULL) == t[i].old);
		CHECK((strstr(b, now) != NULL) == t[i].now);
		free(b);
	}
	for (int p = 0; p < 3; p++) {
		char *b = body_of(in, (enum ctx_provider)p, NULL);
		CHECK((strstr(b, "now") != NULL) == (p == A));
		free(b);
	}
}

/* What is no text is neither a thought nor its signature. */
static void
thinking_unsigned(void)
{
	static const char *const blocks[] = {
	    "{\"type\":\"thinking\",\"thinking\":\"h\"}",
	    "{\"type\":\"thinking\",\"thinking\":\"h\",\"signature\":\"\"}",
	    "{\"type\":\"thinking\",\"thinking\":\"h\",\"signature\":null}",
	    "{\"type\":\"thinking\",\"thinking\":\"h\",\"signature\":1E+2}",
	    ("{\"type\":\"thinking\",\"thinking\":\"h\",\"data\":\"s\","
	     "\"signature\":null}"),
	    "{\"type\":\"thinking\",\"thinking\":[\"h\"],\"signature\":\"s\"}",
	    "{\"type\":\"redacted_thinking\",\"data\":{}}",
	    "{\"type\":\"redacted_thinking\",\"signature\":\"s\"}",
	};

	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		char in[512];
		snprintf(
		    in, sizeof(in), U BLOCKS("assistant", "%s," TEXT("b")) U, blocks[i]);
		expect(in, A, NULL,
		    MSGS("{\"role\":\"user\",\"content\":\"u\"},{\"role\":\"assistant\","
			 "\"content\":[" TEXT(
			     "b") "]},{\"role\":\"user\",\"content\":\"u\"}"));
	}
}

static void
thinking_missing(void)
{
	static const char on[] =
	    "{\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":1}}";
	static const char want[] =
	    "E1 message 2: thinking is enabled, but the current tool loop "
	    "has no thinking block to send: disable thinking until "
	    "the next user message";
	static const char loop[] = U CALL("c") TOOL("c", "r");
	char *b = thinking(loop, CTX_THINKING_AUTO, false, on);

	CHECK_STR(b, want);
	free(b);
	b = thinking(loop, CTX_THINKING_AUTO, false, NULL);
	CHECK(check_body(b, A) == NULL);
	free(b);
	b = thinking(U CALL("c") TOOL("c", "r") B U, CTX_THINKING_AUTO, false, on);
	CHECK(check_body(b, A) == NULL);
	free(b);
	/* unsigned, or signed by another: not to be sent */
	b = thinking(U BLOCKS("assistant", "{\"type\":\"thinking\",\"thinking\":\"zz\"},"
					   "{\"type\":\"thinking\",\"thinking\":\"zz\","
					   "\"thoughtSignature\":\"g\"}," TEXT("b")) U,
	    CTX_THINKING_AUTO, false, NULL);
	CHECK(check_body(b, A) == NULL && strstr(b, "zz") == NULL);
	free(b);
}

static void
people(void)
{
	static const char in[] = "{\"role\":\"user\",\"name\":\"Al\",\"content\":"
				 "\"a\\u001b[31m\\r\\nb\\t\\u009b\"}\n" BLOCKS(
				     "assistant", THINK("h") "," TEXT("see") "," USE("c"))
				     BLOCKS("user", RES("c", "x ```` y"));
	struct input *items = input_of(in);
	struct ctx_buf b = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;

	items->item[0].created_at = 0;
	items->item[1].slot = CTX_SLOT_PREFIX;
	items->item[1].source = ctx_span_of("{\"type\":\"rule\"}");
	CHECK(ctx_render_text(&b, items->item, items->n, &err) == 0);
	CHECK_STR(b.p, "assistant (prefix, rule):\nsee\n[call f {}]\n\n"
		       "user Al (1970-01-01T00:00:00.000Z):\na\\x1b[31m\nb\t\\x9b\n\n"
		       "tool:\nx ```` y\n");
	ctx_buf_reset(&b);
	CHECK(ctx_render_markdown(&b, items->item, items->n, &err) == 0);
	CHECK_STR(b.p,
	    "## Assistant (prefix, rule)\n\n> see\n\n**Call** `f` `c`\n\n"
	    "```json\n{}\n```\n\n"
	    "## User `Al` (1970-01-01T00:00:00.000Z)\n\n> a\\x1b[31m\n> b\t\\x9b\n\n"
	    "## Tool\n\n**Result** `c`\n\n"
	    "`````\nx ```` y\n`````\n");
	ctx_buf_reset(&b);
	items->item[2].message = ctx_span_of("{}");
	CHECK(ctx_render_text(&b, items->item, items->n, &err) == -1 && b.n == 0);
	CHECK_INT(err.code, CTX_EINPUT);
	ctx_buf_release(&b);
	free(items);
}

int
main(void)
{
	RUN(refusals);
	RUN(blanks);
	RUN(empty_parts);
	RUN(failed_results);
	RUN(interleaved);
	RUN(split_calls);
	RUN(same_ids);
	RUN(thinking_kept);
	RUN(thinking_unsigned);
	RUN(thinking_missing);
	RUN(people);
	return TEST_END();
}
