/* Which tokenizer serves a model. */
#include "tokens/tokens.h"

#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "model/model.h"

/* Prefixes, the longer before the shorter. */
static const struct {
	const char *prefix, *tokenizer;
} known[] = {{"gpt-4o", "o200k_base"}, {"gpt-4.", "o200k_base"}, {"gpt-4", "cl100k_base"},
    {"gpt-3.5", "cl100k_base"}, {"gpt-35", "cl100k_base"}, {"gpt-5", "o200k_base"},
    {"gpt-oss", "o200k_base"}, /* o200k_harmony: the same but for special tokens */
    {"chatgpt-4o", "o200k_base"}, {"o1", "o200k_base"}, {"o3", "o200k_base"},
    {"o4-mini", "o200k_base"}, {"text-embedding-3", "cl100k_base"},
    {"text-embedding-ada-002", "cl100k_base"}};

/* The name without what stands before it: of a fine-tuned model, and of routers. */
static const char *
bare_name(const char *model)
{
	if (strncmp(model, "openai/", 7) == 0)
		model += 7;
	return strncmp(model, "ft:", 3) == 0 ? model + 3 : model;
}

/* The length of the name without the date at its end: -2024-08-06 or -20250514. */
static size_t
measure_undated_name(struct ctx_span name)
{
	static const char *const dates[] = {"-dddd-dd-dd", "-dddddddd"};

	for (size_t i = 0; i < sizeof(dates) / sizeof(dates[0]); i++) {
		size_t n = strlen(dates[i]), k = 0;
		const char *at;
		if (name.n <= n)
			continue;
		at = name.p + name.n - n;
		while (k < n && (dates[i][k] == 'd' ? at[k] >= '0' && at[k] <= '9'
						    : at[k] == dates[i][k]))
			k++;
		if (k == n)
			return name.n - n;
	}
	return name.n;
}

/* How much of the model's name a line of calibration is about: 0 when it is another's.
 * Providers name the dated model in their answers, whichever was asked for. */
static size_t
match_model_name(struct ctx_span line, const char *model, struct ctx_buf *tmp)
{
	struct ctx_span name = ctx_json_text(ctx_json_get(line, "model"), tmp);
	size_t n = strlen(model);

	if (name.p == NULL)
		return 0;
	if (name.n > n && measure_undated_name(name) == n)
		name.n = n;
	return name.n <= n && memcmp(name.p, model, name.n) == 0 ? name.n : 0;
}

/* The line for the model, or an absent span. */
static struct ctx_span
find_calibration_line(struct ctx_span text, const char *model)
{
	struct ctx_span best = CTX_SPAN_NONE, value, rest;
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_err ignored;
	size_t length = 0;

	while (text.p != NULL &&
	       ctx_json_check_next(text, &value, &rest, &ignored) == 0 &&
	       value.p != NULL) {
		size_t n = match_model_name(value, model, &tmp);
		if (n > 0 && n >= length) { /* the newer of two lines */
			best = value;
			length = n;
		}
		text = rest;
	}
	ctx_buf_release(&tmp);
	return best;
}

/* The estimate, multiplied by what the model table says of the model. */
static void
add_estimate(struct ctx_buf *name, const char *model, struct ctx_span models)
{
	struct ctx_model m;

	ctx_buf_adds(name, CTX_TOKENIZER_DEFAULT);
	if (ctx_model_find(&m, ctx_span_of(model), models) && ctx_model_factor(&m) != 1)
		ctx_buf_addf(name, "*%.3g", ctx_model_factor(&m));
}

void
ctx_tokenizer_for_model(struct ctx_buf *name, const char *model,
    struct ctx_span calibration, struct ctx_span models)
{
	const char *bare = bare_name(model);
	struct ctx_span own = find_calibration_line(calibration, model);
	struct ctx_span line = own.p != NULL ? own
					     : find_calibration_line(calibration, bare);
	struct ctx_span tokenizer = ctx_json_get(line, "tokenizer");
	struct ctx_span side = ctx_json_get(line, "requests");
	double factor, before;
	char *star;

	if (ctx_json_type(tokenizer) == CTX_JSON_STRING) {
		ctx_json_decode(tokenizer, name);
		if (!ctx_json_double(ctx_json_get(side, "safe"), &factor) &&
		    !ctx_json_double(ctx_json_get(side, "factor"), &factor))
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
		if (strncmp(bare, known[i].prefix, strlen(known[i].prefix)) == 0) {
			ctx_buf_adds(name, known[i].tokenizer);
			return;
		}
	}
	add_estimate(name, model, models);
}
