/* The model table: facts about each family of models. It is compiled in from
 * models.ndjson; a user's file can add and replace rows. Pure: no I/O. */
#ifndef CTX_MODEL_MODEL_H
#define CTX_MODEL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* Facts that a row can mark as unsure ("unsure" in the table), because they come from
 * client code or third parties and not from the provider's own documentation. */
enum ctx_model_fact {
	CTX_MODEL_TOKENS,
	CTX_MODEL_WINDOW,
	CTX_MODEL_OUTPUT,
	CTX_MODEL_CACHE,
	CTX_MODEL_REASONING,
	CTX_MODEL_SYSTEM_INSIDE,
	CTX_MODEL_SAMPLING,
	CTX_MODEL_PREFILL,
	CTX_MODEL_FORCED_TOOLS,
	CTX_MODEL_THINKING,
	CTX_MODEL_TOOLS,
	CTX_MODEL_FACTS
};

/* Whether a model accepts a parameter. */
enum ctx_model_takes {
	CTX_MODEL_UNKNOWN,
	CTX_MODEL_NO,
	CTX_MODEL_YES,
	CTX_MODEL_EFFORT_NONE, /* only with reasoning effort "none" */
};

/* One row. Spans point into the compiled-in table or the user's text. */
struct ctx_model {
	struct ctx_span row;      /* the whole row, a JSON object */
	struct ctx_span provider; /* JSON string: "anthropic", "openai", … */
	/* JSON string: the server that serves the model through that provider's API, if it
	 * is not the provider's own; or absent */
	struct ctx_span server;
	double prose, code; /* tokens relative to o200k_base */
	int64_t window;     /* tokens of request and answer; -1: unknown */
	int64_t output;     /* the most tokens of an answer; -1 unknown */
	/* least number of tokens of a cached prefix; -1: unknown */
	int64_t cache_minimum;
	struct ctx_span cache;     /* JSON string: "marks", "implicit", … */
	struct ctx_span reasoning; /* JSON string: "checked", "silent", "kept", … */
	/* JSON array of the forms or efforts that it accepts */
	struct ctx_span thinking;
	enum ctx_model_takes system_inside, sampling, prefill, forced_tools;
	enum ctx_model_takes tools; /* in Chat Completions; NO: in Responses only */
	bool unsure[CTX_MODEL_FACTS];
};

/* Finds the first row with a pattern that matches the model's name; the user's rows come
 * before the compiled-in ones. If the whole name matches no row, a router's prefix
 * ("anthropic/", "openai/", "us.anthropic."), "ft:" and a date at the end are ignored.
 * user is the text of the user's table, or absent. Returns true with out filled in if
 * there is such a row. */
bool ctx_model_find(struct ctx_model *out, struct ctx_span name, struct ctx_span user);

/* Checks the user's table: NDJSON, each line an object with "models", an array of patterns
 * (as in a shell: '*', '?', "[…]"), and members of the types that models.ndjson has.
 * Returns 0, or -1 with CTX_EINPUT and the line's number in the message. */
int ctx_models_check(struct ctx_span user, struct ctx_err *err);

/* Appends the table as NDJSON: the user's rows, then the compiled-in ones. */
void ctx_models_print(struct ctx_buf *out, struct ctx_span user);

/* Returns the most tokens of a request to the model: the window less the longest answer;
 * -1 when the table does not have the window. */
int64_t ctx_model_room(const struct ctx_model *m);

/* Returns the factor for counts by o200k_base or by the estimate: the larger one of the
 * factors for prose and for code, so that a request counted as fitting does fit. */
double ctx_model_factor(const struct ctx_model *m);

/* True if form is one of the model's thinking forms or reasoning efforts. */
bool ctx_model_thinks(const struct ctx_model *m, const char *form);

#endif
