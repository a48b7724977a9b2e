/* Selects the tokenizer for a model. */
#include "tokens/tokens.h"

#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "model/model.h"

/* A longer prefix must come before a shorter one. */
static const struct {
	const char *prefix, *tokenizer;
} known[] = {{"gpt-4o", "o200k_base"}, {"gpt-4.", "o200k_base"}, {"gpt-4", "cl100k_base"},
    {"gpt-3.5", "cl100k_base"}, {"gpt-35", "cl100k_base"}, {"gpt-5", "o200k_base"},
    {"gpt-oss", "o200k_base"}, /* o200k_harmony differs only in special tokens */
    {"chatgpt-4o", "o200k_base"}, {"o1", "o200k_base"}, {"o3", "o200k_base"},
    {"o4-mini", "o200k_base"}, {"text-embedding-3", "cl100k_base"},
    {"text-embedding-ada-002", "cl100k_base"}};

/* Returns the name without the prefixes of fine-tuned models and of routers. */
static const char *
bare_name(const char *model)
{
	if (strncmp(model, "openai/", 7) == 0)
		model += 7;
	return strncmp(model, "ft:", 3) == 0 ? model + 3 : model;
}

/* Returns the length of the name without a date at its end, such as -2024-08-06 or
 * -20250514. */
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

/* Returns how many characters of the model's name a line of the calibration matches; 0 if
 * it is for another model. Providers name the dated model in their answers even if the
 * request did not. */
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

/* Returns the line for the model, or an absent span. */
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
		/* of two equal matches, the later line applies */
		if (n > 0 && n >= length) {
			best = value;
			length = n;
		}
		text = rest;
	}
	ctx_buf_release(&tmp);
	return best;
}

/* Appends the estimate, multiplied by the model table's factor. */
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
		/* the name had a factor already */
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
