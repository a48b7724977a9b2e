/* The table of model families and their properties. It is compiled in from models.ndjson;
 * a user's table can add and replace rows. Pure: no I/O. */
#ifndef CTX_MODEL_MODEL_H
#define CTX_MODEL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* Facts about a model. Some facts in the table do not come from the provider's
 * documentation but from client code or third parties; a row lists these facts in its
 * member "unsure". */
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

/* Says whether a model accepts a parameter. */
enum ctx_model_takes {
	CTX_MODEL_UNKNOWN,
	CTX_MODEL_NO,
	CTX_MODEL_YES,
	/* yes, but only with reasoning effort "none" */
	CTX_MODEL_EFFORT_NONE,
};

/* One row of the table. Spans point into the compiled-in table or the user's text. */
struct ctx_model {
	struct ctx_span row;      /* the whole row, a JSON object */
	struct ctx_span provider; /* JSON string: "anthropic", "openai", … */
	/* JSON string: the server that offers the model through the provider's API;
	 * absent if the provider offers the model itself */
	struct ctx_span server;
	/* How many tokens of the model correspond to one token of o200k_base. prose: in
	 * text in a natural language; code: in source code. */
	double prose, code;
	/* maximum total number of tokens of a request and its answer; -1: unknown */
	int64_t window;
	int64_t output; /* maximum number of tokens of an answer; -1: unknown */
	/* JSON string: how prompts are cached ("marks", "implicit", …) */
	struct ctx_span cache;
	/* JSON string: how the API treats reasoning that is sent back ("checked",
	 * "silent", "kept", …) */
	struct ctx_span reasoning;
	/* JSON array: the types of thinking, or the reasoning efforts, that the model
	 * accepts */
	struct ctx_span thinking;
	enum ctx_model_takes system_inside, sampling, prefill, forced_tools;
	/* whether Chat Completions accepts tools for the model; if not, only the
	 * Responses API does */
	enum ctx_model_takes tools;
	bool unsure[CTX_MODEL_FACTS]; /* indexed by enum ctx_model_fact */
};

/* Finds the first row with a pattern that matches the model's name. Searches the user's
 * table, then the compiled-in table. user: the text of the user's table, or absent. If no
 * row matches, searches once more for the name without the prefixes that routers and
 * fine-tuning add: everything up to the last '/', up to "anthropic.", and up to "ft:". If
 * a row matches, fills in *out and returns true; otherwise returns false. */
bool ctx_model_find(struct ctx_model *out, struct ctx_span name, struct ctx_span user);

/* Checks a user's table, which is NDJSON. Each line must be an object with "models", an
 * array of shell patterns ('*', '?', "[…]"). "tokens" and "cache" must be objects, and
 * "thinking" an array, if they are present. Returns 0, or -1 with CTX_EINPUT and an
 * error message that contains the line number. */
int ctx_models_check(struct ctx_span user, struct ctx_err *err);

/* Appends the whole table as NDJSON: first the rows of the user's table, then the
 * compiled-in rows. user: the text of the user's table, or absent. */
void ctx_models_print(struct ctx_buf *out, struct ctx_span user);

/* Returns the maximum number of tokens of a request to the model: m->window minus
 * m->output. Returns m->window if m->output is unknown or not less than m->window, and
 * -1 if m->window is unknown. */
int64_t ctx_model_room(const struct ctx_model *m);

/* Returns the factor by which a token count of the tokenizer o200k_base, or of the
 * estimate "approx", must be multiplied to estimate the count for this model. The factor
 * is the larger one of m->prose and m->code, so that requests are not underestimated. */
double ctx_model_factor(const struct ctx_model *m);

/* Returns true if the model accepts this type of thinking or this reasoning effort. */
bool ctx_model_thinks(const struct ctx_model *m, const char *form);

#endif
