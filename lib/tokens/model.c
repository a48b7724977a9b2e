/* Which tokenizer serves a model. */
#include "tokens/tokens.h"

#include <stdlib.h>
#include <string.h>

#include "json/json.h"

/* Prefixes, the longer before the shorter. */
static const struct {
	const char *prefix, *tokenizer;
} known[] = {{"gpt-4o", "o200k_base"}, {"gpt-4.", "o200k_base"}, {"gpt-4", "cl100k_base"},
    {"gpt-3.5", "cl100k_base"}, {"gpt-5", "o200k_base"}, {"chatgpt-4o", "o200k_base"},
    {"o1", "o200k_base"}, {"o3", "o200k_base"}, {"o4-mini", "o200k_base"}};

/* How much of the model's name a line of calibration is about: 0 when it is another's. */
static size_t
match(struct ctx_span line, const char *model, struct ctx_buf *tmp)
{
	struct ctx_span name = ctx_json_text(ctx_json_get(line, "model"), tmp);

	return name.p != NULL && name.n <= strlen(model) &&
		       memcmp(name.p, model, name.n) == 0
		   ? name.n
		   : 0;
}

/* The line for the model, or an absent span. */
static struct ctx_span
find(struct ctx_span text, const char *model)
{
	struct ctx_span best = CTX_SPAN_NONE, value, rest;
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_err ignored;
	size_t length = 0;

	while (text.p != NULL &&
	       ctx_json_check_next(text, &value, &rest, &ignored) == 0 &&
	       value.p != NULL) {
		size_t n = match(value, model, &tmp);
		if (n > 0 && n >= length) { /* the newer of two lines */
			best = value;
			length = n;
		}
		text = rest;
	}
	ctx_buf_release(&tmp);
	return best;
}

void
ctx_tokenizer_for_model(
    struct ctx_buf *name, const char *model, struct ctx_span calibration)
{
	struct ctx_span line = find(calibration, model);
	struct ctx_span tokenizer = ctx_json_get(line, "tokenizer");
	struct ctx_span side = ctx_json_get(line, "requests");
	double factor, before;
	char *star;

	if (ctx_json_type(tokenizer) == CTX_JSON_STRING) {
		ctx_json_decode(tokenizer, name);
		if (!ctx_json_double(ctx_json_get(side, "factor"), &factor))
			return;
		/* Counts that had a factor already. */
		star = strrchr(name->p, '*');
		before = star != NULL ? strtod(star + 1, NULL) : 0;
		if (before > 0) {
			factor *= before;
			name->n = (size_t)(star - name->p);
		}
		ctx_buf_addf(name, "*%.3f", factor);
		return;
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strncmp(model, known[i].prefix, strlen(known[i].prefix)) == 0) {
			ctx_buf_adds(name, known[i].tokenizer);
			return;
		}
	}
	ctx_buf_adds(name, CTX_TOKENIZER_DEFAULT);
}
