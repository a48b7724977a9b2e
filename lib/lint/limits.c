/* Limits of providers that have nothing to do with the order of messages: names, ids,
 * images, cache marks, and the size of a body. */
#include <string.h>

#include "json/json.h"
#include "lint/doc.h"
#include "provider/provider.h"

#define ID_MAX_CHARS 64
#define OPENAI_ID_MAX_CHARS 40
#define ANTHROPIC_IMAGES_MOST 600
#define ANTHROPIC_IMAGES_SAFE 100 /* models of 200,000 tokens */
#define ANTHROPIC_BODY_BYTES ((size_t)32 << 20)
#define ANTHROPIC_MARKS 4

static bool
is_limited_tool_name(struct ctx_span s, size_t most)
{
	for (size_t i = 0; i < s.n; i++)
		if (!((s.p[i] >= 'a' && s.p[i] <= 'z') ||
			(s.p[i] >= 'A' && s.p[i] <= 'Z') ||
			(s.p[i] >= '0' && s.p[i] <= '9') || s.p[i] == '_' ||
			s.p[i] == '-'))
			return false;
	return s.n > 0 && s.n <= most;
}

/* What rendering maps is a warning in a history, and an error in a request. */
static void
check_call(struct lint_doc *d, size_t item, const struct lint_part *p)
{
	bool wide = d->rules == CTX_LINT_ANTHROPIC || d->rules == CTX_LINT_RESPONSES;
	size_t most = d->rules == CTX_LINT_OPENAI ? OPENAI_ID_MAX_CHARS : ID_MAX_CHARS;
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span name = ctx_json_text(p->name, &tmp);

	if (name.p == NULL || ctx_lint_blank(p->name))
		ctx_lint_note(
		    d, "all-call-name", true, item, "a call has no name of a tool");
	else if (d->rules != CTX_LINT_GEMINI &&
		 !is_limited_tool_name(name, wide ? 128 : 64))
		ctx_lint_note(d, "all-call-name", d->request, item,
		    "the tool's name '%.*s' is not of letters, digits, '_' and '-', %d at most",
		    (int)(name.n > 80 ? 80 : name.n), name.p, wide ? 128 : 64);
	if (d->shape != LINT_CONTENTS && ctx_json_type(p->key) == CTX_JSON_STRING) {
		struct ctx_span id = ctx_json_text(p->key, &tmp);
		if (id.n > most || (d->rules == CTX_LINT_ANTHROPIC && id.n > 0 &&
				       !is_limited_tool_name(id, most)))
			ctx_lint_note(d, "all-call-id", d->request, item,
			    "the call's id %.*s is longer than %zu characters, or holds others than letters, digits, '_' and '-'",
			    LINT_KEY(p), most);
	}
	ctx_buf_release(&tmp);
}

struct image {
	struct ctx_span type, data; /* decoded; absent for a URL */
	bool any;                   /* there are data, a URL or a file */
};

static void
read_url(struct image *im, struct ctx_span url)
{
	const char *comma, *semi;

	im->any = url.n > 0;
	if (url.n < 5 || memcmp(url.p, "data:", 5) != 0)
		return;
	comma = memchr(url.p, ',', url.n);
	semi = memchr(url.p, ';', url.n);
	if (comma == NULL || semi == NULL || semi > comma)
		return;
	im->type = (struct ctx_span){url.p + 5, (size_t)(semi - url.p) - 5};
	im->data = (struct ctx_span){comma + 1, (size_t)(url.p + url.n - comma) - 1};
}

/* The data of a part of Gemini's that is an image; absent if it is not one. */
static struct ctx_span
inline_image(struct ctx_span part)
{
	struct ctx_span data = ctx_json_get(part, "inlineData");
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span type = ctx_json_text(ctx_json_get(data, "mimeType"), &tmp);

	if (type.n < 6 || memcmp(type.p, "image/", 6) != 0)
		data = CTX_SPAN_NONE;
	ctx_buf_release(&tmp);
	return data;
}

static void
read_image(struct image *im, struct ctx_span block, struct ctx_buf tmp[2])
{
	enum { TYPE, SOURCE, URL, DATA, MIME, FILE_ID, N };
	static const char *const keys[N] = {
	    "type", "source", "image_url", "data", "mimeType", "file_id"};
	struct ctx_span v[N], url, inner;

	memset(im, 0, sizeof(*im));
	ctx_json_get_all(block, keys, v, N);
	if (ctx_json_is(v[TYPE], "image")) {
		inner = v[SOURCE].p != NULL ? v[SOURCE] : block;
		im->type = ctx_json_text(
		    ctx_json_get(inner, v[SOURCE].p != NULL ? "media_type" : "mimeType"),
		    &tmp[0]);
		im->data = ctx_json_text(ctx_json_get(inner, "data"), &tmp[1]);
		im->any = im->data.n > 0 || ctx_json_get(inner, "url").p != NULL ||
			  ctx_json_get(inner, "file_id").p != NULL;
		/* of another kind of source nothing more is known */
		if (v[SOURCE].p != NULL &&
		    !ctx_json_is(ctx_json_get(inner, "type"), "base64"))
			im->type = im->data = CTX_SPAN_NONE;
		return;
	}
	inner = inline_image(block);
	if (inner.p != NULL) {
		im->type = ctx_json_text(ctx_json_get(inner, "mimeType"), &tmp[0]);
		im->data = ctx_json_text(ctx_json_get(inner, "data"), &tmp[1]);
		im->any = im->data.n > 0;
		return;
	}
	url = ctx_json_type(v[URL]) == CTX_JSON_OBJECT ? ctx_json_get(v[URL], "url")
						       : v[URL];
	read_url(im, ctx_json_text(url, &tmp[0]));
	im->any |= v[FILE_ID].p != NULL;
}

/* Rendering leaves such an image out of a request, and corrects "image/jpg". */
static void
check_image_type(struct lint_doc *d, size_t item, struct ctx_span type)
{
	static const enum ctx_provider providers[] = {
	    [CTX_LINT_OPENAI] = CTX_PROVIDER_OPENAI,
	    [CTX_LINT_ANTHROPIC] = CTX_PROVIDER_ANTHROPIC,
	    [CTX_LINT_GEMINI] = CTX_PROVIDER_GEMINI,
	    [CTX_LINT_RESPONSES] = CTX_PROVIDER_RESPONSES};

	if (type.n > 0 && !ctx_span_is(type, "image/jpg") &&
	    !ctx_provider_takes_image(providers[d->rules], type))
		ctx_lint_note(d, "all-image", d->request, item,
		    "an image of the type %.*s, which the provider does not take",
		    (int)(type.n > 40 ? 40 : type.n), type.p);
}

static void
check_image(struct lint_doc *d, size_t item, struct ctx_span block)
{
	struct ctx_buf tmp[2] = {CTX_BUF_INIT, CTX_BUF_INIT};
	struct ctx_span type;
	const char *actual;
	struct image im;

	read_image(&im, block, tmp);
	type = im.type;
	if (!im.any)
		ctx_lint_note(
		    d, "all-image", true, item, "an image has neither data nor a URL");
	actual = ctx_image_type(im.data);
	if (actual != NULL) {
		type = ctx_span_of(actual);
		if (!ctx_span_is(im.type, actual))
			ctx_lint_note(d, "all-image", d->request, item,
			    "an image says %.*s, and its bytes are %s",
			    (int)(im.type.n > 40 ? 40 : im.type.n), im.type.p, actual);
	}
	check_image_type(d, item, type);
	ctx_buf_release(&tmp[0]);
	ctx_buf_release(&tmp[1]);
}

/* The images of a list of blocks, those inside of results too. */
static size_t
check_images(struct lint_doc *d, size_t item, struct ctx_span content)
{
	struct ctx_json_iter it;
	size_t n = 0;

	if (ctx_json_type(content) != CTX_JSON_ARRAY)
		return 0;
	ctx_json_iter_init(&it, content);
	while (ctx_json_iter_next(&it)) {
		struct ctx_span type = ctx_json_get(it.value, "type");
		if (ctx_json_is(type, "tool_result"))
			n += check_images(d, item, ctx_json_get(it.value, "content"));
		if (!ctx_json_is(type, "image") && !ctx_json_is(type, "image_url") &&
		    !ctx_json_is(type, "input_image") && inline_image(it.value).p == NULL)
			continue;
		n++;
		check_image(d, item, it.value);
	}
	return n;
}

static size_t
count_marks(struct ctx_span value)
{
	struct ctx_json_iter it;
	size_t n = 0;

	if (ctx_json_type(value) != CTX_JSON_ARRAY &&
	    ctx_json_type(value) != CTX_JSON_OBJECT)
		return 0;
	ctx_json_iter_init(&it, value);
	while (ctx_json_iter_next(&it)) {
		if (it.object && ctx_json_is(it.key, "input"))
			continue; /* arguments are not ours to read */
		if (it.object && ctx_json_is(it.key, "cache_control"))
			n += ctx_json_type(it.value) == CTX_JSON_OBJECT;
		else
			n += count_marks(it.value);
	}
	return n;
}

static void
check_request_limits(struct lint_doc *d, size_t images)
{
	if (d->rules != CTX_LINT_ANTHROPIC || !d->request)
		return;
	if (images > ANTHROPIC_IMAGES_SAFE)
		ctx_lint_note(d, "an-image-count", images > ANTHROPIC_IMAGES_MOST,
		    LINT_NO_ITEM,
		    "%zu images; the limit is %d, or %d for models with a window of 200000 tokens",
		    images, ANTHROPIC_IMAGES_MOST, ANTHROPIC_IMAGES_SAFE);
	if (d->body.n > ANTHROPIC_BODY_BYTES)
		ctx_lint_note(d, "an-body-size", true, LINT_NO_ITEM,
		    "the body has %zu bytes; the limit is %zu", d->body.n,
		    ANTHROPIC_BODY_BYTES);
	if (count_marks(d->body) > ANTHROPIC_MARKS)
		ctx_lint_note(d, "an-cache-marks", true, LINT_NO_ITEM,
		    "%zu cache marks; the limit is %d", count_marks(d->body),
		    ANTHROPIC_MARKS);
}

void
ctx_lint_limits(struct lint_doc *d)
{
	size_t images = 0;

	for (size_t i = 0; i < d->n; i++) {
		const struct lint_item *it = &d->items[i];
		struct ctx_buf tmp = CTX_BUF_INIT;
		struct ctx_span name;
		if (it->skip)
			continue;
		for (size_t k = it->first; k < it->first + it->n; k++)
			if (d->parts[k].type == LINT_CALL)
				check_call(d, i, &d->parts[k]);
		images += check_images(d, i, it->content);
		name = ctx_json_text(ctx_json_get(it->message, "name"), &tmp);
		if (d->rules == CTX_LINT_OPENAI && d->shape == LINT_MESSAGES &&
		    name.p != NULL && it->role != LINT_NO_ROLE &&
		    !is_limited_tool_name(name, 64))
			ctx_lint_note(d, "oa-name", d->request, i,
			    "the name of the speaker is not of letters, digits, '_' and '-', 64 at most");
		ctx_buf_release(&tmp);
	}
	check_request_limits(d, images);
}
