#include "record/attach.h"

#include <string.h>

#include "base/base64.h"
#include "base/utf8.h"
#include "json/json.h"

/* ---- types ---- */

static const struct signature {
	const char *bytes, *mime;
	size_t at, n;
} signatures[] = {
    {"\x89PNG\r\n\x1a\n", "image/png", 0, 8},
    {"\xff\xd8\xff", "image/jpeg", 0, 3},
    {"GIF87a", "image/gif", 0, 6},
    {"GIF89a", "image/gif", 0, 6},
    {"WEBP", "image/webp", 8, 4},
    {"%PDF-", "application/pdf", 0, 5},
};

/* Returns NULL if the type is not known. */
static const char *
find_media_type(struct ctx_span s)
{
	for (size_t i = 0; i < sizeof(signatures) / sizeof(signatures[0]); i++) {
		const struct signature *g = &signatures[i];
		if (s.n >= g->at + g->n && memcmp(s.p + g->at, g->bytes, g->n) == 0)
			return g->mime;
	}
	if (ctx_utf8_valid(s.p, s.n) == s.n && memchr(s.p, 0, s.n) == NULL)
		return "text/plain";
	return NULL;
}

/* ---- blocks ---- */

int
ctx_attach_add(
    struct ctx_buf *out, struct ctx_span bytes, const char *name, struct ctx_err *err)
{
	const char *mime = bytes.n > 0 ? find_media_type(bytes) : NULL;
	bool image = mime != NULL && strncmp(mime, "image/", 6) == 0;
	bool text = mime != NULL && strcmp(mime, "text/plain") == 0;
	size_t max = image ? CTX_ATTACH_IMAGE_MAX : CTX_ATTACH_DOCUMENT_MAX;

	if (bytes.n == 0)
		return ctx_err_set(err, CTX_EINPUT, "%s: the file is empty", name);
	if (mime == NULL)
		return ctx_err_set(err, CTX_EINPUT,
		    "%s: neither an image (PNG, JPEG, GIF, WebP) nor a PDF nor UTF-8 text",
		    name);
	if (bytes.n > max)
		return ctx_err_set(err, CTX_EINPUT,
		    "%s: %zu bytes; %s may have at most %zu bytes (%zu MiB)", name,
		    bytes.n, image ? "an image" : "a document", max, max >> 20);
	ctx_json_print(out, "{'type':%s,'source':{'type':%s,'media_type':%s,'data':",
	    image ? "image" : "document", text ? "text" : "base64", mime);
	if (text) {
		ctx_json_put_string(out, bytes);
	} else {
		ctx_buf_addc(out, '"');
		ctx_base64_add(out, bytes.p, bytes.n);
		ctx_buf_addc(out, '"');
	}
	ctx_json_put_close(out, '}');
	if (!image)
		ctx_json_add_str(out, "title", name);
	ctx_json_put_close(out, '}');
	return 0;
}
