#include "test.h"

#include <stdlib.h>

#include "json/json.h"
#include "tokens/image.h"
#include "tokens/tokens.h"

static struct ctx_tokenizer *chars4;

static int64_t
price(const char *json)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	int64_t n = -1;

	if (ctx_json_check(ctx_span_of(json), NULL, NULL, &err) < 0 ||
	    ctx_message_parse(&m, ctx_span_of(json), &err) < 0)
		printf("# %s\n", err.msg);
	else
		n = ctx_tokens_message(chars4, &m);
	ctx_message_release(&m);
	return n;
}

#define IMAGE(url, detail)                                                        \
	"{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":{" \
	"\"url\":\"" url "\"" detail "}}]}"

static void
messages(void)
{
	CHECK_INT(price("{\"role\":\"user\",\"content\":\"12345678\"}"), 4 + 2);
	CHECK_INT(price("{\"role\":\"user\",\"name\":\"bobby\",\"content\":\"1234\"}"),
	    4 + 1 + 1 + 1);
	CHECK_INT(price("{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{"
			"\"id\":\"call_123456789\","
			"\"type\":\"function\",\"function\":{\"name\":\"lookup\","
			"\"arguments\":\"{\\\"a\\\":12}\"}}]}"),
	    4 + 6 + 1 + 2);
	CHECK_INT(price("{\"role\":\"tool\",\"tool_call_id\":\"call_123456789\","
			"\"content\":\"12345678\"}"),
	    4 + 2);
	CHECK_INT(price("{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\","
			"\"tool_use_id\":\"toolu_1\","
			"\"content\":[{\"type\":\"text\",\"text\":\"12345678\"}]}]}"),
	    4 + 2);
}

/* Heads of files of 1000 x 600 and the like, as base64. */
#define PNG_1000_600 "iVBORw0KGgoAAAANSUhEUgAAA+gAAAJYCAIAAAB"
#define GIF_300_200 "R0lGODlhLAHIAPAA"
#define WEBP_X_1024_2048 "UklGRgAAAABXRUJQVlA4WAoAAAAAAAAA/wMA/wcA"

static void
images(void)
{
	CHECK_INT(
	    price(IMAGE("https://example.org/a.png", ",\"detail\":\"low\"")), 4 + 85);
	CHECK_INT(price(IMAGE("https://example.org/a.png", "")), 4 + 765);
	/* two tiles by two */
	CHECK_INT(
	    price(IMAGE("data:image/png;base64," PNG_1000_600, "")), 4 + 85 + 4 * 170);
	CHECK_INT(price(IMAGE("data:image/gif;base64," GIF_300_200, "")), 4 + 85 + 170);
	/* 1024 x 2048 becomes 768 x 1536 */
	CHECK_INT(price(IMAGE("data:image/webp;base64," WEBP_X_1024_2048, "")),
	    4 + 85 + 6 * 170);
	CHECK_INT(price("{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"source\":{"
			"\"type\":\"base64\","
			"\"media_type\":\"image/png\",\"data\":\"" PNG_1000_600 "\"}}]}"),
	    4 + 801);
	CHECK_INT(price("{\"role\":\"user\",\"content\":[{\"type\":\"image\",\"source\":{"
			"\"type\":\"url\","
			"\"url\":\"https://example.org/a.png\"}}]}"),
	    4 + 1600);
	CHECK_INT(
	    price("{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_"
		  "id\":\"t\","
		  "\"content\":[{\"type\":\"image\",\"source\":{\"type\":\"base64\","
		  "\"media_type\":\"image/gif\",\"data\":\"" GIF_300_200 "\"}}]}]}"),
	    4 + 81 + 1 + 6 + 16); /* its id, and a message where a result has no room */
}

static void
sizes(void)
{
	static const unsigned char jpeg[] = {0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff,
	    0xff, 0xc4, 0, 3, 9, 0xff, 0xc2, 0, 17, 8, 0x02, 0x58, 0x03, 0x20, 3};
	static const unsigned char lossy[] =
	    "RIFF....WEBPVP8 ....\0\0\0\x9d\x01\x2a\x40\x01\xf0\x40";
	static const unsigned char lossless[] =
	    "RIFF....WEBPVP8L....\x2f\x3f\xc1\x3b\0\0\0\0\0";
	uint32_t w, h;

	CHECK(ctx_image_size(jpeg, sizeof(jpeg), &w, &h));
	CHECK_INT(w, 800);
	CHECK_INT(h, 600);
	for (size_t n = 0; n < sizeof(jpeg) - 1; n++)
		CHECK(!ctx_image_size(jpeg, n, &w, &h));
	CHECK(ctx_image_size(lossy, 30, &w, &h));
	CHECK_INT(w, 320);
	CHECK_INT(h, 240);
	CHECK(ctx_image_size(lossless, 30, &w, &h));
	CHECK_INT(w, 320);
	CHECK_INT(h, 240);
	CHECK(!ctx_image_size((const unsigned char *)"<svg>", 5, &w, &h));
}

/* What is encoded costs by its kind, whatever its length. */
static void
encoded(void)
{
	struct ctx_buf b = CTX_BUF_INIT;
	int64_t one;

	ctx_buf_adds(&b, "{\"role\":\"user\",\"content\":[{\"type\":\"input_audio\","
			 "\"input_audio\":{\"data\":\"");
	for (int i = 0; i < 100000; i++)
		ctx_buf_addc(&b, 'A');
	ctx_buf_adds(&b, "\",\"format\":\"wav\"}}]}");
	CHECK(price(b.p) < 100);
	ctx_buf_release(&b);
	one = price("{\"role\":\"user\",\"content\":[{\"type\":\"document\",\"source\":{"
		    "\"type\":\"base64\","
		    "\"media_type\":\"application/"
		    "pdf\",\"data\":\"JVBERi0xLjQKPDwvVHlwZS9QYWdlPj4gPDwvVHlwZS"
		    "AvUGFnZT4+IDw8L1R5cGUvUGFnZXM+PiAgICAgICA=\"}}]}");
	CHECK_INT(one, 4 + 2 * 3000);
}

static void
tools(void)
{
	static const char openai[] =
	    "[{\"type\":\"function\",\"function\":{\"name\":\"abc\",\"description\":"
	    "\"Look it up.\","
	    "\"parameters\":{\"type\":\"object\",\"properties\":{\"unit\":{\"type\":"
	    "\"string\","
	    "\"description\":\"A unit.\",\"enum\":[\"cm\",\"inch\"]}}}}}]";
	static const char anthropic[] =
	    "[{\"name\":\"abc\",\"input_schema\":{\"type\":\"object\"}}]";

	/* "abc:Look it up" 14, "unit:string:A unit" 18 */
	CHECK_INT(ctx_tokens_tools(chars4, ctx_span_of(openai)),
	    12 + 7 + 14 / 4 + 3 + 3 + 18 / 4 - 3 + 3 + 1 + 3 + 1);
	CHECK_INT(ctx_tokens_tools(chars4, ctx_span_of(anthropic)),
	    346 + (int64_t)(sizeof(anthropic) - 3) / 4);
	CHECK_INT(ctx_tokens_tools(chars4, ctx_span_of("[]")), 0);
	CHECK_INT(ctx_tokens_tools(chars4, CTX_SPAN_NONE), 0);
}

int
main(void)
{
	struct ctx_err err = CTX_ERR_INIT;

	if (ctx_tokenizer_open(&chars4, "chars4", NULL, &err) < 0)
		return 1;
	RUN(messages);
	RUN(images);
	RUN(sizes);
	RUN(encoded);
	RUN(tools);
	ctx_tokenizer_close(chars4);
	return TEST_END();
}
