/* Limits of providers that do not depend on the order of messages: names, ids, images.
 * The limits of a whole request are in the providers' files. */
#include <ctype.h>
#include <string.h>

#include "json/json.h"
#include "lint/doc.h"
#include "provider/provider.h"
#include "record/message.h"

bool
ctx_lint_plain_name(struct ctx_span s, size_t most)
{
	for (size_t i = 0; i < s.n; i++)
		if (!isalnum((unsigned char)s.p[i]) && s.p[i] != '_' && s.p[i] != '-')
			return false;
	return s.n > 0 && s.n <= most;
}

/* What rendering would correct is a warning in a history, and an error in a request. */
static void
check_call(struct lint_doc *d, size_t item, const struct lint_part *p)
{
	const struct ctx_provider_facts *facts = ctx_provider_facts(d->rules);
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span name = ctx_json_text(p->name, &tmp);

	if (name.p == NULL || ctx_message_blank(p->name))
		ctx_lint_note(d, "all-call-name", true, item, "a call has no tool name");
	else if (facts->name_most > 0 && !ctx_lint_plain_name(name, facts->name_most))
		ctx_lint_note(d, "all-call-name", d->request, item,
		    "the tool name '%.*s' must contain only letters, digits, '_' and '-', at most %zu characters",
		    (int)(name.n > 80 ? 80 : name.n), name.p, facts->name_most);
	if (d->shape != LINT_CONTENTS && ctx_json_type(p->key) == CTX_JSON_STRING) {
		struct ctx_span id = ctx_json_text(p->key, &tmp);
		if (id.n > facts->id_most ||
		    (facts->id_plain && id.n > 0 &&
			!ctx_lint_plain_name(id, facts->id_most)))
			ctx_lint_note(d, "all-call-id", d->request, item,
			    "the call id %.*s is longer than %zu characters, or contains characters other than letters, digits, '_' and '-'",
			    LINT_KEY(p), facts->id_most);
	}
	ctx_buf_release(&tmp);
}

struct image {
	struct ctx_span type, data; /* decoded; absent for a URL */
	bool any;                   /* the image has data, a URL or a file */
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

/* Returns the data of a part that is an image (inlineData), otherwise an absent span. */
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
	struct ctx_span v[N], url, inner, mime;

	memset(im, 0, sizeof(*im));
	ctx_json_get_all(block, keys, v, N);
	if (ctx_json_is(v[TYPE], "image")) {
		inner = v[SOURCE].p != NULL ? v[SOURCE] : block;
		mime = v[SOURCE].p != NULL ? ctx_json_get(inner, "media_type") : v[MIME];
		if (mime.p == NULL)
			mime = ctx_json_get(inner, "mime_type"); /* Interactions */
		im->type = ctx_json_text(mime, &tmp[0]);
		im->data = ctx_json_text(ctx_json_get(inner, "data"), &tmp[1]);
		im->any = im->data.n > 0 || ctx_json_get(inner, "url").p != NULL ||
			  ctx_json_get(inner, "uri").p != NULL ||
			  ctx_json_get(inner, "file_id").p != NULL;
		/* With a URL or file, neither the type nor the data is in the request. */
		if (v[SOURCE].p != NULL && !ctx_json_has_type(inner, "base64"))
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

/* An error only in requests: rendering leaves out such an image, and corrects
 * "image/jpg". */
static void
check_image_type(struct lint_doc *d, size_t item, struct ctx_span type)
{
	if (type.n > 0 && !ctx_span_is(type, "image/jpg") &&
	    !ctx_provider_takes_image(d->rules, type))
		ctx_lint_note(d, "all-image", d->request, item,
		    "the provider does not accept images of type %.*s",
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
			    "an image is declared as %.*s, but its data is %s",
			    (int)(im.type.n > 40 ? 40 : im.type.n), im.type.p, actual);
	}
	check_image_type(d, item, type);
	ctx_buf_release(&tmp[0]);
	ctx_buf_release(&tmp[1]);
}

/* Checks the images of a list of blocks, including those in tool results. Returns their
 * number. */
static size_t
check_images(struct lint_doc *d, size_t item, struct ctx_span content)
{
	size_t n = 0;

	if (ctx_json_type(content) != CTX_JSON_ARRAY)
		return 0;
	CTX_JSON_EACH(it, content) {
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

void
ctx_lint_limits(struct lint_doc *d)
{
	size_t images = 0;

	LINT_EACH_ITEM(i, d) {
		LINT_EACH_PART(p, d, &d->items[i])
			if (p->type == LINT_CALL)
				check_call(d, i, p);
		images += check_images(d, i, d->items[i].content);
	}
	if (d->request && ctx_lint_kind(d->rules)->limits != NULL)
		ctx_lint_kind(d->rules)->limits(d, images);
}
