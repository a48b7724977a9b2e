/* Selects the tokenizer for a model. */
#include "tokens/tokens.h"

#include <stdlib.h>
#include <string.h>

#include "json/json.h"
#include "model/model.h"

/* The least and the largest factor of a tokenizer. */
#define MIN_FACTOR 0.1
#define MAX_FACTOR 10.0

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
		size_t n = strlen(dates[i]);
		struct ctx_span end = {name.p + name.n - n, n};
		if (name.n > n && ctx_span_begins_like(end, dates[i]))
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

/* Returns whether the calibration line is about the tokenizer, with any factor. */
static bool
is_calibration_of(struct ctx_span line, const char *base)
{
	char *name = ctx_json_strdup(ctx_json_get(line, "tokenizer"));
	struct ctx_buf own = CTX_BUF_INIT;
	bool same = false;

	if (name != NULL) {
		ctx_tokenizer_split(&own, name);
		same = strcmp(own.p, base) == 0;
	}
	ctx_buf_release(&own);
	free(name);
	return same;
}

/* Returns the line for the model, or an absent span. base limits the search to lines for
 * one tokenizer, with any factor; NULL: all lines. */
static struct ctx_span
find_calibration_line(struct ctx_span text, const char *model, const char *base)
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
		if (n > 0 && n >= length &&
		    (base == NULL || is_calibration_of(value, base))) {
			best = value;
			length = n;
		}
		text = rest;
	}
	ctx_buf_release(&tmp);
	return best;
}

/* Reads the factor of a calibration line, relative to its tokenizer without a factor, whose
 * name is appended to base. Returns false if the line has no factor. */
static bool
read_learned_factor(struct ctx_span line, struct ctx_buf *base, double *factor)
{
	struct ctx_span side = ctx_json_get(line, "requests");
	char *name = ctx_json_strdup(ctx_json_get(line, "tokenizer"));
	double before = (double)ctx_tokenizer_split(base, name == NULL ? "" : name);

	free(name);
	if (!ctx_json_double(ctx_json_get(side, "safe"), factor) &&
	    !ctx_json_double(ctx_json_get(side, "factor"), factor))
		return false;
	*factor *= before / 1000;
	return true;
}

/* Appends the model table's factor for the model. */
static void
add_table_factor(struct ctx_buf *name, const char *model, struct ctx_span models)
{
	struct ctx_model m;

	if (ctx_model_find(&m, ctx_span_of(model), models) && ctx_model_factor(&m) != 1)
		ctx_buf_addf(name, "*%.3g", ctx_model_factor(&m));
}

static struct ctx_span
find_model_line(struct ctx_span calibration, const char *model, const char *base)
{
	struct ctx_span line = find_calibration_line(calibration, model, base);

	return line.p != NULL
		   ? line
		   : find_calibration_line(calibration, bare_name(model), base);
}

void
ctx_tokenizer_for_model(struct ctx_buf *name, const char *model,
    struct ctx_span calibration, struct ctx_span models)
{
	const char *bare = bare_name(model);
	struct ctx_span line = find_model_line(calibration, model, NULL);
	struct ctx_span tokenizer = ctx_json_get(line, "tokenizer");
	struct ctx_buf base = CTX_BUF_INIT;
	double factor;

	if (ctx_json_type(tokenizer) == CTX_JSON_STRING) {
		if (read_learned_factor(line, &base, &factor)) {
			ctx_buf_addspan(name, ctx_buf_span(&base));
			ctx_buf_addf(name, "*%.3f", factor);
		} else {
			ctx_json_decode(tokenizer, name);
		}
		ctx_buf_release(&base);
		return;
	}
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		if (strncmp(bare, known[i].prefix, strlen(known[i].prefix)) == 0) {
			ctx_buf_adds(name, known[i].tokenizer);
			return;
		}
	}
	ctx_buf_adds(name, CTX_TOKENIZER_DEFAULT);
	add_table_factor(name, model, models);
}

bool
ctx_tokenizer_is_scalable(const char *name)
{
	static const char *const names[] = {
	    CTX_TOKENIZER_DEFAULT, "chars4", "cl100k_base", "o200k_base"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

void
ctx_tokenizer_scaled_name(struct ctx_buf *name, const char *base, const char *model,
    struct ctx_span calibration, struct ctx_span models)
{
	struct ctx_buf same = CTX_BUF_INIT;
	double factor;

	ctx_buf_adds(name, base);
	if (!ctx_tokenizer_is_scalable(base))
		return;
	if (!read_learned_factor(
		find_model_line(calibration, model, base), &same, &factor) ||
	    factor < MIN_FACTOR || factor > MAX_FACTOR)
		add_table_factor(name, model, models);
	else if (factor < 0.9995 || factor >= 1.0005) /* as it is printed */
		ctx_buf_addf(name, "*%.3f", factor);
	ctx_buf_release(&same);
}
