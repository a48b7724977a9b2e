/* Known answers: one history per shape, each provider. */
#include "render_help.h"

#define O CTX_PROVIDER_OPENAI
#define A CTX_PROVIDER_ANTHROPIC
#define G CTX_PROVIDER_GEMINI

#define USER(t) "{\"role\":\"user\",\"content\":\"" t "\"}"
#define BOT(t) "{\"role\":\"assistant\",\"content\":\"" t "\"}"
#define SYS(t) "{\"role\":\"system\",\"content\":\"" t "\"}"
#define FN(id, name, args)                                                        \
	"{\"id\":\"" id "\",\"type\":\"function\",\"function\":{\"name\":\"" name \
	"\",\"arguments\":\"" args "\"}}"
#define CALLS(list) "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" list "]}"
#define TOOL(id, t) \
	"{\"role\":\"tool\",\"tool_call_id\":\"" id "\",\"content\":\"" t "\"}"
#define USE(id, name, input)                                        \
	"{\"type\":\"tool_use\",\"id\":\"" id "\",\"name\":\"" name \
	"\",\"input\":" input "}"
#define RES(id, content) \
	"{\"type\":\"tool_result\",\"tool_use_id\":\"" id "\",\"content\":" content "}"
#define TEXT(t) "{\"type\":\"text\",\"text\":\"" t "\"}"
#define BLOCKS(role, list) "{\"role\":\"" role "\",\"content\":[" list "]}"
#define GT(t) "{\"text\":\"" t "\"}"
#define GC(name, args) "{\"functionCall\":{\"name\":\"" name "\",\"args\":" args "}}"
/* the first call of a step, which another model made */
#define GC1(name, args)                                           \
	"{\"functionCall\":{\"name\":\"" name "\",\"args\":" args \
	"},\"thoughtSignature\":\"skip_thought_signature_validator\"}"
#define GR(name, r) "{\"functionResponse\":{\"name\":\"" name "\",\"response\":" r "}}"
#define GU(list) "{\"role\":\"user\",\"parts\":[" list "]}"
#define GM(list) "{\"role\":\"model\",\"parts\":[" list "]}"
#define MSGS(list) "{\"messages\":[" list "]}"
#define CONTENTS(list) "{\"contents\":[" list "]}"

static const char openai_loop[] = SYS("be kind") "\n" USER("hi") "\n" CALLS(
    FN("c1", "f", "{\\\"n\\\": 12345678901234567890, \\\"x\\\":1.0}") "," FN(
	"c2", "g", "")) "\n" TOOL("c2", "two") "\n" TOOL("c1", "one") "\n";

static void
from_openai(void)
{
	expect(openai_loop, O, NULL,
	    MSGS(SYS("be kind") "," USER("hi") "," CALLS(
		FN("c1", "f", "{\\\"n\\\": 12345678901234567890, \\\"x\\\":1.0}") "," FN(
		    "c2", "g", "")) "," TOOL("c1", "one") "," TOOL("c2", "two")));
	expect(openai_loop, A, NULL,
	    "{\"system\":[" TEXT("be kind") "],\"messages\":[" USER("hi") "," BLOCKS(
		"assistant",
		USE("c1", "f", "{\"n\": 12345678901234567890, \"x\":1.0}") "," USE(
		    "c2", "g", "{}")) "," BLOCKS("user",
		RES("c1", "\"one\"") "," RES("c2", "\"two\"")) "]}");
	expect(openai_loop, G, NULL,
	    "{\"systemInstruction\":{\"parts\":[" GT("be kind") "]},\"contents\":[" GU(
		GT("hi")) "," GM(GC1("f",
		"{\"n\": 12345678901234567890, \"x\":1.0}") "," GC("g",
		"{}")) "," GU(GR("f", "{\"output\":\"one\"}") "," GR("g",
		"{\"output\":\"two\"}")) "]}");
}

static const char anthropic_loop[] = USER("hi") "\n" BLOCKS("assistant",
    TEXT("look") "," USE("t1", "f", "{\"a\":1e400,\"a\":2}")) "\n" BLOCKS("user",
    "{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"content\":[" TEXT(
	"r") "],"
	     "\"is_error\":true}," TEXT("go on")) "\n";

static void
from_anthropic(void)
{
	expect(anthropic_loop, A, NULL,
	    MSGS(USER("hi") "," BLOCKS(
		"assistant", TEXT("look") "," USE(
				 "t1", "f", "{\"a\":1e400,\"a\":2}")) "," BLOCKS("user",
		"{\"type\":\"tool_result\",\"tool_use_id\":\"t1\","
		"\"content\":[" TEXT("r") "],\"is_error\":true}," TEXT("go on"))));
	expect(anthropic_loop, O, NULL,
	    MSGS(
		USER("hi") ",{\"role\":\"assistant\",\"content\":\"look\",\"tool_calls\":"
			   "[" FN("t1", "f", "{\\\"a\\\":1e400,\\\"a\\\":2}") "]}," TOOL(
			       "t1", "Error: r") "," USER("go on")));
	expect(anthropic_loop, G, NULL,
	    CONTENTS(GU(GT("hi")) "," GM(
		GT("look") "," GC1("f", "{\"a\":1e400,\"a\":2}")) "," GU(GR("f",
		"{\"error\":\"r\"}") "," GT("go on"))));
}

static const char slotted[] =
    SYS("opening") "\nS " BOT("so far") "\nP " SYS("module") "\n" USER("one") "\n" BOT(
	"1") "\nV " SYS("topic") "\nV " USER("entity") "\n" USER("two") "\n" CALLS(FN("c"
										      "1",
	"f", "{}")) "\n" TOOL("c1", "x") "\n" SYS("late") "\n";

/* Additions stay with the user message of their turn while its tool loop runs. */
static void
slots(void)
{
	expect(slotted, O, NULL,
	    MSGS(SYS("module\\n\\nopening") "," USER("so far") "," USER("one") "," BOT(
		"1") "," BLOCKS("user",
		TEXT("topic") "," TEXT("entity") "," TEXT("two")) "," CALLS(FN("c1", "f",
		"{}")) "," TOOL("c1", "x") "," SYS("late")));
	expect(slotted, A, "{\"system\":\"given\",\"max_tokens\":9}",
	    "{\"system\":[" TEXT("given") "," TEXT("module") "," TEXT(
		"opening") "],\"max_tokens\":9,\"messages\":[" BLOCKS("user",
		TEXT("so far") "," TEXT("one")) "," BOT("1") "," BLOCKS("user",
		TEXT("topic") "," TEXT("entity") "," TEXT("two")) "," BLOCKS("assistant",
		USE("c1", "f", "{}")) "," BLOCKS("user",
		RES("c1", "\"x\"") "," TEXT("late")) "]}");
	expect(slotted, G,
	    "{\"system_instruction\":{\"role\":\"user\",\"parts\":[" GT("given") "]}}",
	    "{\"system_instruction\":{\"role\":\"user\",\"parts\":[" GT("given") "," GT("module") "," GT("opening") "]},\"contents\":[" GU(
		GT("so far") "," GT(
		    "one")) "," GM(GT("1")) "," GU(GT("topic") "," GT("entity") "," GT("t"
										       "w"
										       "o")) "," GM(GC1("f",
		"{}")) "," GU(GR("f", "{\"output\":\"x\"}") "," GT("late")) "]}");
}

static void
one_system_stays(void)
{
	expect(
	    "{\"role\":\"developer\",\"content\":[" TEXT("d") "],\"id\":7}\n" USER("u"),
	    O, NULL, MSGS(BLOCKS("developer", TEXT("d")) "," USER("u")));
	expect(SYS("  ") "\n" USER("u"), A, "{\"system\":[" TEXT("s") "],\"x\":1.50}",
	    "{\"system\":[" TEXT("s") "],\"x\":1.50,\"messages\":[" USER("u") "]}");
}

static void
parameters(void)
{
	expect(USER("u"), O, "{ \"model\" : \"m\",\n \"stream\":true, \"seed\": 1e5 }",
	    "{\"model\":\"m\",\"stream\":true,\"seed\":1e5,\"messages\":[" USER(
		"u") "]}");
	expect(USER("u"), A, "{\"messages\":[]}",
	    "E2 the parameters must not contain messages");
	expect(USER("u"), G, "{\"contents\":[]}",
	    "E2 the parameters must not contain contents");
	expect(USER("u"), G, "[1]", "E2 the parameters must be a JSON object");
}

static void
openai_members(void)
{
	expect("{\"role\":\"user\",\"name\":\"Al\",\"content\":\"\\u00e9\",\"id\":1}\n"
	       "{\"id\":\"m\",\"role\":\"assistant\",\"content\":\"b\",\"refusal\":null,"
	       "\"tool_calls\":[],\"annotations\":[],\"audio\":null,"
	       "\"reasoning_content\":\"r\"}\n" USER("c"),
	    O, NULL,
	    MSGS("{\"role\":\"user\",\"name\":\"Al\",\"content\":\"\\u00e9\"},"
		 "{\"role\":\"assistant\",\"content\":\"b\",\"refusal\":null,"
		 "\"reasoning_content\":\"r\"}," USER("c")));
	expect(USER("a") "\n{\"role\":\"assistant\",\"content\":null,\"refusal\":\"no\"}"
			 "\n" USER("c"),
	    A, NULL, MSGS(USER("a") "," BOT("no") "," USER("c")));
	expect(USER("a") "\n{\"role\":\"assistant\",\"content\":null,\"audio\":"
			 "{\"id\":\"au\",\"data\":\"AA\",\"expires_at\":1}}\n" USER("c"),
	    O, NULL,
	    MSGS(USER("a") ",{\"role\":\"assistant\",\"content\":null,\"audio\":"
			   "{\"id\":\"au\"}}," USER("c")));
}

/* Arguments that are no JSON object. */
static void
odd_arguments(void)
{
	static const struct {
		const char *call, *input;
	} t[] = {
	    {FN("c", "f", ""), "{}"},
	    {FN("c", "f", " "), "{}"},
	    {FN("c", "f", "null"), "{}"},
	    {FN("c", "f", "{\\\"a\\\":"), "{\"input\":\"{\\\"a\\\":\"}"},
	    {FN("c", "f", "[1]"), "{\"input\":\"[1]\"}"},
	    {FN("c", "f", "{\\\"a\\\":\\n1}"), "{\"a\": 1}"},
	    {"{\"id\":\"c\",\"type\":\"custom\",\"custom\":{\"name\":\"f\",\"input\":\"{}"
	     "\"}}",
		"{\"input\":\"{}\"}"},
	    {"{\"id\":\"c\",\"type\":\"function\",\"function\":{\"name\":\"f\"}}", "{}"},
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct ctx_buf in = CTX_BUF_INIT, want = CTX_BUF_INIT;
		ctx_buf_addf(&in,
		    USER("u") "\n{\"role\":\"assistant\",\"tool_calls\":[%s]}\n" TOOL(
			"c", "r"),
		    t[i].call);
		ctx_buf_addf(&want,
		    MSGS(USER("u") "," BLOCKS("assistant",
			USE("c", "f", "%s")) "," BLOCKS("user", RES("c", "\"r\""))),
		    t[i].input);
		expect(in.p, A, NULL, want.p);
		ctx_buf_reset(&want); /* OpenAI's own shape stays, and has arguments */
		ctx_buf_addf(&want,
		    MSGS(USER("u") ",{\"role\":\"assistant\",\"tool_calls\":[%s]}," TOOL(
			"c", "r")),
		    strstr(t[i].call, "arguments") || strstr(t[i].call, "custom")
			? t[i].call
			: FN("c", "f", "{}"));
		expect(in.p, O, NULL, want.p);
		ctx_buf_release(&in);
		ctx_buf_release(&want);
	}
}

#define PNG_URL                                                                      \
	"{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,AA/" \
	"B\"}}"
#define PNG_SOURCE                                                                    \
	"{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"media_type\":\"image/" \
	"png\","                                                                      \
	"\"data\":\"AA/B\"}}"
#define WEB_URL "{\"type\":\"image_url\",\"image_url\":{\"url\":\"https://h/a.gif?x\"}}"
#define WEB_SOURCE                                                              \
	"{\"type\":\"image\",\"source\":{\"type\":\"url\",\"url\":\"https://h/" \
	"a.gif?x\"}}"
#define WEB_FILE \
	"{\"fileData\":{\"mimeType\":\"image/gif\",\"fileUri\":\"https://h/a.gif?x\"}}"
#define PNG_INLINE "{\"inlineData\":{\"mimeType\":\"image/png\",\"data\":\"AA/B\"}}"

static void
images(void)
{
	static const char openai[] = BLOCKS("user", TEXT("t") "," PNG_URL "," WEB_URL);
	static const char anthropic[] = BLOCKS(
	    "user", TEXT("t") "," PNG_SOURCE "," WEB_SOURCE);
	static const char gemini[] = CONTENTS(GU(GT("t") "," PNG_INLINE "," WEB_FILE));

	expect(openai, O, NULL, MSGS(BLOCKS("user", TEXT("t") "," PNG_URL "," WEB_URL)));
	expect(
	    anthropic, O, NULL, MSGS(BLOCKS("user", TEXT("t") "," PNG_URL "," WEB_URL)));
	expect(openai, A, NULL,
	    MSGS(BLOCKS("user", TEXT("t") "," PNG_SOURCE "," WEB_SOURCE)));
	expect(anthropic, A, NULL,
	    MSGS(BLOCKS("user", TEXT("t") "," PNG_SOURCE "," WEB_SOURCE)));
	expect(openai, G, NULL, gemini);
	expect(anthropic, G, NULL, gemini);
}

static void
image_in_result(void)
{
	static const char in[] = USER("u") "\n" BLOCKS(
	    "assistant", USE("t", "f", "{}")) "\n" BLOCKS("user",
	    RES("t", "[" TEXT("see") "," PNG_SOURCE "]"));

	expect(in, O, NULL,
	    MSGS(
		USER("u") ",{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[" FN(
		    "t", "f", "{}") "]}," TOOL("t", "see\\n[image]") "," BLOCKS("user",
		    TEXT("From the result of tool call t:") "," PNG_URL)));
	expect(in, G, NULL,
	    CONTENTS(GU(GT("u")) "," GM(GC1("f", "{}")) "," GU(
		GR("f", "{\"output\":\"see\\n[image]\"}") "," GT(
		    "From the result of f (t):") "," PNG_INLINE)));
}

#define PDF_DOC                                                                  \
	"{\"type\":\"document\",\"source\":{\"type\":\"base64\",\"media_type\":" \
	"\"application/pdf\",\"data\":\"JVBE\"},\"title\":\"a.pdf\"}"
#define PDF_FILE                                                             \
	"{\"type\":\"file\",\"file\":{\"filename\":\"a.pdf\",\"file_data\":" \
	"\"data:application/pdf;base64,JVBE\"}}"

static void
documents(void)
{
	expect(BLOCKS("user", PDF_DOC), A, NULL, MSGS(BLOCKS("user", PDF_DOC)));
	expect(BLOCKS("user", PDF_DOC), O, NULL, MSGS(BLOCKS("user", PDF_FILE)));
	expect(BLOCKS("user", PDF_FILE), A, NULL, MSGS(BLOCKS("user", PDF_DOC)));
	expect(BLOCKS("user", PDF_FILE), O, NULL, MSGS(BLOCKS("user", PDF_FILE)));
	expect(BLOCKS("user", PDF_FILE), G, NULL,
	    CONTENTS(GU("{\"inlineData\":{\"mimeType\":\"application/"
			"pdf\",\"data\":\"JVBE\"}}")));
	expect(BLOCKS("user", "{\"type\":\"document\",\"source\":{\"type\":\"text\","
			      "\"media_type\":\"text/plain\",\"data\":\"words\"}}"),
	    G, NULL, CONTENTS(GU(GT("words"))));
	expect(BLOCKS("user", "{\"type\":\"file\",\"file\":{\"file_id\":\"f\"}}"), A,
	    NULL, MSGS(BLOCKS("user", TEXT("[file]"))));
	expect(
	    BLOCKS("user", "{\"type\":\"input_audio\",\"input_audio\":{\"data\":\"UklG\","
			   "\"format\":\"wav\"}}"),
	    G, NULL,
	    CONTENTS(
		GU("{\"inlineData\":{\"mimeType\":\"audio/wav\",\"data\":\"UklG\"}}")));
}

static void
signatures(void)
{
	static const char in[] = USER("u") "\n" BLOCKS("assistant",
	    "{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{},"
	    "\"thoughtSignature\":\"S+/\"}") "\n" BLOCKS("user", RES("t", "\"r\""));

	expect(in, G, NULL,
	    CONTENTS(GU(GT("u")) "," GM(
		"{\"functionCall\":{\"name\":\"f\",\"args\":{}},\"thoughtSignature\":"
		"\"S+/\"}") "," GU(GR("f", "{\"output\":\"r\"}"))));
	expect(in, A, NULL,
	    MSGS(USER("u") "," BLOCKS("assistant", USE("t", "f", "{}")) "," BLOCKS(
		"user", RES("t", "\"r\""))));
}

/* Parts of an answer of Gemini's own go back to it as they were, and to no other. */
static void
gemini_parts(void)
{
	static const char in[] = USER("u") "\n" BLOCKS("assistant",
	    "{\"type\":\"thought\",\"text\":\"hm\",\"thoughtSignature\":"
	    "\"S\"},"
	    "{\"type\":\"thought\",\"text\":\"unsigned\"},"
	    "{\"type\":\"part\",\"executableCode\":{\"code\":\"1\"}},"
	    "{\"type\":\"text\",\"text\":\"\",\"thoughtSignature\":"
	    "\"E\"}") "\n" USER("v");

	expect(in, G, NULL,
	    CONTENTS(GU(GT("u")) "," GM(
		"{\"text\":\"hm\",\"thoughtSignature\":\"S\",\"thought\":true},"
		"{\"executableCode\":{\"code\":\"1\"}},"
		"{\"text\":\"\",\"thoughtSignature\":\"E\"}") "," GU(GT("v"))));
	expect(in, A, NULL, MSGS(BLOCKS("user", TEXT("u") "," TEXT("v"))));
	expect(in, O, NULL, MSGS(USER("u") "," USER("v")));
}

static void
params_tokens(void)
{
	struct ctx_tokenizer *t;
	struct ctx_err err = CTX_ERR_INIT;
	int64_t sys, tools;

	CHECK(ctx_tokenizer_open(&t, "chars4", NULL, &err) == 0);
	CHECK_INT(
	    ctx_render_params_tokens(t, ctx_span_of("{\"model\":\"mmmmmmmmmmmm\"}")), 0);
	CHECK_INT(ctx_render_params_tokens(t, CTX_SPAN_NONE), 0);
	sys = ctx_render_params_tokens(t, ctx_span_of("{\"system\":\"12345678\"}"));
	CHECK_INT(sys, 6); /* with the frame of a message */
	CHECK_INT(ctx_render_params_tokens(
		      t, ctx_span_of("{\"system\":[" TEXT("12345678") "]}")),
	    6);
	CHECK_INT(
	    ctx_render_params_tokens(t,
		ctx_span_of("{\"systemInstruction\":{\"parts\":[" GT("12345678") "]}}")),
	    6);
	tools = ctx_render_params_tokens(
	    t, ctx_span_of(
		   "{\"tools\":[{\"name\":\"look\",\"description\":\"looks around\"}]}"));
	CHECK(tools > 3);
	CHECK_INT(
	    ctx_render_params_tokens(
		t, ctx_span_of("{\"system\":\"12345678\",\"tools\":[{\"name\":\"look\","
			       "\"description\":\"looks around\"}]}")),
	    sys + tools);
	ctx_tokenizer_close(t);
}

int
main(void)
{
	RUN(from_openai);
	RUN(from_anthropic);
	RUN(slots);
	RUN(one_system_stays);
	RUN(parameters);
	RUN(openai_members);
	RUN(odd_arguments);
	RUN(images);
	RUN(image_in_result);
	RUN(documents);
	RUN(signatures);
	RUN(gemini_parts);
	RUN(params_tokens);
	return TEST_END();
}
