/* Bodies of the Responses API. */
#include "render_help.h"

#define R CTX_PROVIDER_RESPONSES

#define REASON(id) "{\"type\":\"reasoning\",\"id\":\"" id "\",\"summary\":[]}"
#define USE                                                                           \
	"{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"f\",\"input\":{\"a\":1.50}," \
	"\"item_id\":\"fc_1\"}"
#define ANSWER "{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"ok\"}\n"

static void
items(void)
{
	expect("{\"role\":\"system\",\"content\":\"s\"}\n{\"role\":\"user\",\"content\":"
	       "\"hi\"}\n"
	       "{\"role\":\"assistant\",\"content\":[" REASON("rs_1") "," USE
								      "]}\n" ANSWER,
	    R, "{\"model\":\"m\"}",
	    "{\"model\":\"m\",\"input\":[{\"role\":\"system\",\"content\":\"s\"},"
	    "{\"role\":\"user\",\"content\":\"hi\"}," REASON(
		"rs_1") ","
			"{\"type\":\"function_call\",\"id\":\"fc_1\",\"call_id\":\"c1\","
			"\"name\":\"f\","
			"\"arguments\":\"{\\\"a\\\":1.50}\"},"
			"{\"type\":\"function_call_output\",\"call_id\":\"c1\","
			"\"output\":\"ok\"}]}");
}

/* re-reasoning-pair: reasoning goes with what it led to, or not at all. */
static void
reasoning_pairs(void)
{
	char *b = body_of(
	    "{\"role\":\"user\",\"content\":\"hi\"}\n"
	    "{\"role\":\"assistant\",\"content\":[" REASON(
		"rs_1") ",{\"type\":\"text\","
			"\"text\":\"yes\",\"item_id\":\"msg_1\"}," REASON(
			    "rs_2") "]}\n"
				    "{\"role\":\"user\",\"content\":\"and?\"}\n",
	    R, "{}");

	CHECK(
	    strstr(b, REASON("rs_1") ",{\"type\":\"message\",\"id\":\"msg_1\"") != NULL);
	CHECK(strstr(b, "rs_2") == NULL);
	free(b);
}

static void
without_reasoning(void)
{
	struct ctx_render_options o = options(R, "{}");
	struct input *in = input_of(
	    "{\"role\":\"user\",\"content\":\"hi\"}\n"
	    "{\"role\":\"assistant\",\"content\":[" REASON("rs_1") "," USE "]}\n" ANSWER);
	char *b;

	o.thinking = CTX_THINKING_STRIP;
	b = body_with(in, &o);
	CHECK(strstr(b, "rs_1") == NULL);
	CHECK(strstr(b, "fc_1") == NULL); /* an item with an id asks for its reasoning */
	CHECK(strstr(b, "\"call_id\":\"c1\"") != NULL);
	free(in);
	free(b);
}

/* Other providers get neither reasoning nor ids of items. */
static void
elsewhere(void)
{
	for (int p = 0; p < 3; p++) {
		char *b = body_of("{\"role\":\"user\",\"content\":\"hi\"}\n"
				  "{\"role\":\"assistant\",\"content\":[" REASON(
				      "rs_1") "," USE "]}\n" ANSWER,
		    (enum ctx_provider)p, "{}");
		CHECK(strstr(b, "rs_1") == NULL);
		CHECK(strstr(b, "fc_1") == NULL);
		CHECK(strstr(b, "1.50") != NULL);
		free(b);
	}
}

static void
other_shapes(void)
{
	expect("{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":{"
	       "\"url\":"
	       "\"https://example.org/"
	       "a.png\",\"detail\":\"low\"}},{\"type\":\"text\",\"text\":\"x\"}]}\n"
	       "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c1\","
	       "\"type\":\"custom\","
	       "\"custom\":{\"name\":\"sh\",\"input\":\"ls\"}}]}\n" ANSWER,
	    R, "{}",
	    "{\"input\":[{\"role\":\"user\",\"content\":[{\"type\":\"input_image\","
	    "\"image_url\":"
	    "\"https://example.org/"
	    "a.png\",\"detail\":\"low\"},{\"type\":\"input_text\",\"text\":\"x\"}]},"
	    "{\"type\":\"custom_tool_call\",\"call_id\":\"c1\",\"name\":\"sh\",\"input\":"
	    "\"ls\"},"
	    "{\"type\":\"custom_tool_call_output\",\"call_id\":\"c1\",\"output\":\"ok\"}]"
	    "}");
}

/* The output is a list where it holds an image, whether the tool failed or not. */
static void
images_of_results(void)
{
#define SHOT                                                                  \
	"{\"type\":\"image\",\"source\":{\"type\":\"url\",\"url\":\"https://" \
	"example.org/a.png\"}}"
#define SHOWN "{\"type\":\"input_image\",\"image_url\":\"https://example.org/a.png\"}"
#define INPUT(t) "{\"type\":\"input_text\",\"text\":\"" t "\"}"
	static const struct {
		const char *result, *output;
	} cases[] = {
	    {"\"content\":[{\"type\":\"text\",\"text\":\"no\"}," SHOT "]",
		"[" INPUT("no") "," SHOWN "]"},
	    {"\"is_error\":true,\"content\":[{\"type\":\"text\",\"text\":\"no\"}," SHOT
	     "]",
		"[" INPUT("Error: no") "," SHOWN "]"},
	    {"\"is_error\":true,\"content\":[" SHOT "]",
		"[" INPUT("Error") "," SHOWN "]"},
	    {"\"is_error\":true,\"content\":[{\"type\":\"text\",\"text\":\"no\"}]",
		"\"Error: no\""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct ctx_buf in = CTX_BUF_INIT;
		char *b;
		ctx_buf_addf(&in,
		    "{\"role\":\"user\",\"content\":\"hi\"}\n"
		    "{\"role\":\"assistant\",\"content\":[" USE "]}\n"
		    "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\","
		    "\"tool_use_id\":\"c1\",%s}]}\n",
		    cases[i].result);
		b = body_of(in.p, R, "{}");
		CHECK(strstr(b, cases[i].output) != NULL);
		free(b);
		ctx_buf_release(&in);
	}
}

int
main(void)
{
	RUN(items);
	RUN(reasoning_pairs);
	RUN(without_reasoning);
	RUN(elsewhere);
	RUN(other_shapes);
	RUN(images_of_results);
	return TEST_END();
}
