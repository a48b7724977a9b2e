#include "base/base64.h"
#include "tokens/image.h"

#include <string.h>

#include "json/json.h"

/* A JPEG may have a preview and color profiles before its size. */
#define HEAD_MAX (512 << 10)

/* OpenAI, "Images and vision", costs of models that count tiles (gpt-4o, gpt-4.1): 85 at
 * low detail. Otherwise the image is scaled down to fit 2048 x 2048, then so that its
 * shorter side is at most 768; each tile of 512 x 512 that it covers costs 170, plus 85
 * for the image. */
#define OPENAI_BASE 85
#define OPENAI_TILE 170
#define OPENAI_UNKNOWN 765 /* 1024 x 1024 */

/* Anthropic, "Vision": width x height / 750, after scaling the longer side down to 1568
 * and the image to about 1600 tokens. */
#define ANTHROPIC_PIXELS 750
#define ANTHROPIC_EDGE 1568
#define ANTHROPIC_MOST 1600

/* Anthropic, "PDF support": a page costs as an image and its text, 1500 to 3000
 * tokens. */
#define ANTHROPIC_PAGE 3000

/* ---- size ---- */

static uint32_t
read_be16(const unsigned char *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

static uint32_t
read_le16(const unsigned char *p)
{
	return (uint32_t)p[1] << 8 | p[0];
}

static uint32_t
read_le24(const unsigned char *p)
{
	return (uint32_t)p[2] << 16 | read_le16(p);
}

/* Finds the frame header (SOF0 to SOF15, except the three markers in that range with
 * another meaning). */
static bool
jpeg_size(const unsigned char *p, size_t n, uint32_t *w, uint32_t *h)
{
	for (size_t i = 2; i + 9 <= n;) {
		unsigned char marker = p[i + 1];
		if (p[i] != 0xff)
			return false;
		if (marker == 0xff) { /* fill byte */
			i++;
			continue;
		}
		if (marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 &&
		    marker != 0xc8 && marker != 0xcc) {
			*h = read_be16(p + i + 5);
			*w = read_be16(p + i + 7);
			return true;
		}
		i += 2 + read_be16(p + i + 2);
	}
	return false;
}

static bool
webp_size(const unsigned char *p, size_t n, uint32_t *w, uint32_t *h)
{
	if (n < 30)
		return false;
	if (memcmp(p + 12, "VP8X", 4) == 0) {
		*w = read_le24(p + 24) + 1;
		*h = read_le24(p + 27) + 1;
	} else if (memcmp(p + 12, "VP8 ", 4) == 0) {
		*w = read_le16(p + 26) & 0x3fff;
		*h = read_le16(p + 28) & 0x3fff;
	} else if (memcmp(p + 12, "VP8L", 4) == 0) {
		*w = (read_le16(p + 21) & 0x3fff) + 1;
		*h = (read_le24(p + 22) >> 6 & 0x3fff) + 1;
	} else {
		return false;
	}
	return true;
}

bool
ctx_image_size(const unsigned char *p, size_t n, uint32_t *w, uint32_t *h)
{
	if (n >= 24 && memcmp(p, "\x89PNG\r\n\x1a\n", 8) == 0) {
		*w = read_be16(p + 16) << 16 | read_be16(p + 18);
		*h = read_be16(p + 20) << 16 | read_be16(p + 22);
	} else if (n >= 10 && memcmp(p, "GIF8", 4) == 0) {
		*w = read_le16(p + 6);
		*h = read_le16(p + 8);
	} else if (n >= 12 && memcmp(p, "RIFF", 4) == 0 &&
		   memcmp(p + 8, "WEBP", 4) == 0) {
		if (!webp_size(p, n, w, h))
			return false;
	} else if (n < 2 || p[0] != 0xff || p[1] != 0xd8 || !jpeg_size(p, n, w, h)) {
		return false;
	}
	return *w > 0 && *h > 0;
}

/* Decodes a JSON string of base64 after skip bytes, at most max bytes. Escaped slashes
 * are accepted. */
static void
decode_image_base64(struct ctx_span string, size_t skip, size_t max, struct ctx_buf *out)
{
	uint32_t bits = 0;
	int have = 0;

	for (size_t i = 1 + skip; i + 1 < string.n && out->n < max; i++) {
		int v = ctx_base64_value(string.p[i]);
		if (v < 0)
			continue;
		bits = bits << 6 | (uint32_t)v;
		if ((have += 6) >= 8)
			ctx_buf_addc(out, (char)(bits >> (have -= 8)));
	}
}

static bool
encoded_size(struct ctx_span string, size_t skip, uint32_t *w, uint32_t *h)
{
	struct ctx_buf head = CTX_BUF_INIT;
	bool known;

	decode_image_base64(string, skip, HEAD_MAX, &head);
	known = head.n > 0 && ctx_image_size((unsigned char *)head.p, head.n, w, h);
	ctx_buf_release(&head);
	return known;
}

/* ---- prices ---- */

/* Scales both sides down so that side, one of them, is at most max. */
static void
shrink_image_sides(double *w, double *h, double side, double max)
{
	if (side <= max)
		return;
	*w = *w * max / side;
	*h = *h * max / side;
}

/* Returns the length of the prefix "data:MIME;base64," of a JSON string. */
static size_t
data_url_head(struct ctx_span string)
{
	const char *comma;

	if (string.n < 6 || memcmp(string.p + 1, "data:", 5) != 0)
		return 0;
	comma = memchr(string.p, ',', string.n);
	return comma == NULL ? 0 : (size_t)(comma - string.p);
}

static bool
image_size(struct ctx_span image, uint32_t *w, uint32_t *h)
{
	static const char *const keys[] = {"data", "url"};
	struct ctx_span v[2];
	size_t head;

	if (ctx_json_type(image) == CTX_JSON_STRING) {
		v[0] = CTX_SPAN_NONE;
		v[1] = image;
	} else {
		ctx_json_get_all(image, keys, v, 2);
	}
	if (ctx_json_type(v[0]) == CTX_JSON_STRING)
		return encoded_size(v[0], 0, w, h);
	head = data_url_head(v[1]);
	return head > 0 && encoded_size(v[1], head, w, h);
}

int64_t
ctx_image_openai(struct ctx_span image)
{
	uint32_t width, height;
	double w, h;

	if (ctx_json_is(ctx_json_get(image, "detail"), "low"))
		return OPENAI_BASE;
	if (!image_size(image, &width, &height))
		return OPENAI_UNKNOWN;
	w = width;
	h = height;
	shrink_image_sides(&w, &h, w > h ? w : h, 2048);
	shrink_image_sides(&w, &h, w < h ? w : h, 768);
	return OPENAI_BASE +
	       OPENAI_TILE * ((int64_t)(w + 511.5) / 512) * ((int64_t)(h + 511.5) / 512);
}

int64_t
ctx_image_anthropic(struct ctx_span image)
{
	uint32_t width, height;
	double w, h, tokens;

	if (!image_size(image, &width, &height))
		return ANTHROPIC_MOST;
	w = width;
	h = height;
	shrink_image_sides(&w, &h, w > h ? w : h, ANTHROPIC_EDGE);
	tokens = w * h / ANTHROPIC_PIXELS;
	return tokens > ANTHROPIC_MOST ? ANTHROPIC_MOST : (int64_t)tokens + 1;
}

int64_t
ctx_image_pdf(struct ctx_span data)
{
	static const char key[] = "/Type";
	struct ctx_buf pdf = CTX_BUF_INIT;
	const char *p, *end;
	int64_t pages = 0;

	decode_image_base64(data, data_url_head(data), SIZE_MAX, &pdf);
	for (p = pdf.p, end = pdf.p + pdf.n; p != NULL && end - p > 12;) {
		if ((p = memchr(p, '/', (size_t)(end - p) - 12)) == NULL)
			break;
		if (memcmp(p, key, sizeof(key) - 1) == 0) {
			const char *v = p + sizeof(key) - 1;
			v += *v == ' ';
			pages += memcmp(v, "/Page", 5) == 0 && v[5] != 's';
		}
		p++;
	}
	ctx_buf_release(&pdf);
	return ANTHROPIC_PAGE * (pages > 0 ? pages : 1);
}
