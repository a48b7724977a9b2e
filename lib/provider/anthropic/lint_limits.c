/* Lint rules for the limits and the required members of a request to Anthropic. Sources:
 * the pages on errors, vision and prompt caching, the API reference. */
#include "json/json.h"
#include "provider/anthropic/lint.h"

#define ANTHROPIC_IMAGES_MOST 600
/* the limit of models with a window of 200,000 tokens */
#define ANTHROPIC_IMAGES_SAFE 100
#define ANTHROPIC_BODY_BYTES ((size_t)32 << 20)
#define ANTHROPIC_MARKS 4

static size_t
count_marks(struct ctx_span value)
{
	size_t n = 0;

	if (ctx_json_type(value) != CTX_JSON_ARRAY &&
	    ctx_json_type(value) != CTX_JSON_OBJECT)
		return 0;
	CTX_JSON_EACH(it, value) {
		if (it.object && ctx_json_is(it.key, "input"))
			continue; /* arguments may have a member of this name */
		if (it.object && ctx_json_is(it.key, "cache_control"))
			n += ctx_json_type(it.value) == CTX_JSON_OBJECT;
		else
			n += count_marks(it.value);
	}
	return n;
}

void
ctx_anthropic_lint_limits(struct lint_doc *d, size_t images)
{
	if (images > ANTHROPIC_IMAGES_SAFE)
		ctx_lint_note(d, "an-image-count", images > ANTHROPIC_IMAGES_MOST,
		    LINT_NO_ITEM,
		    "the body has %zu images; the limit is %d, or %d for models with a window of 200000 tokens",
		    images, ANTHROPIC_IMAGES_MOST, ANTHROPIC_IMAGES_SAFE);
	if (d->body.n > ANTHROPIC_BODY_BYTES)
		ctx_lint_note(d, "an-body-size", true, LINT_NO_ITEM,
		    "the body has %zu bytes; the limit is %zu", d->body.n,
		    ANTHROPIC_BODY_BYTES);
	if (count_marks(d->body) > ANTHROPIC_MARKS)
		ctx_lint_note(d, "an-cache-marks", true, LINT_NO_ITEM,
		    "the body has %zu cache marks (\"cache_control\"); the limit is %d",
		    count_marks(d->body), ANTHROPIC_MARKS);
}

/* Checks that the body has "model" and "max_tokens". A body without both is only a
 * warning: ctx-render printed it without parameters, and the caller will add them. Bodies
 * for Bedrock and Vertex have "anthropic_version" instead of "model", because there the
 * URL names the model. */
void
ctx_anthropic_lint_required(struct lint_doc *d, const struct lint_params *p)
{
	bool model = ctx_lint_param(p, "model").p != NULL ||
		     ctx_lint_param(p, "anthropic_version").p != NULL;
	bool tokens = ctx_lint_param(p, "max_tokens").p != NULL ||
		      ctx_lint_param(p, "max_completion_tokens").p != NULL ||
		      ctx_lint_param(p, "max_output_tokens").p != NULL;

	if (!model || !tokens)
		ctx_lint_note(d, "an-required", model || tokens, LINT_NO_ITEM,
		    "the body has no %s, which Anthropic requires",
		    model    ? "\"max_tokens\""
		    : tokens ? "\"model\""
			     : "\"model\" and \"max_tokens\"");
}
