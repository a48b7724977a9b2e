/* The table of model families and their properties. It is compiled in from models.ndjson;
 * a user's table can add and replace rows. Pure: no I/O. */
#ifndef CTX_MODEL_MODEL_H
#define CTX_MODEL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* Facts about a model that a row of the table can list in its member "unsure", because
 * they were not found in the provider's documentation but in client code or at third
 * parties. */
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
	/* accepts the parameter only with reasoning effort "none" */
	CTX_MODEL_EFFORT_NONE,
};

/* One row of the table. Spans point into the compiled-in table or the user's text. */
struct ctx_model {
	struct ctx_span row;      /* the whole row, a JSON object */
	struct ctx_span provider; /* JSON string: "anthropic", "openai", … */
	/* JSON string: the server that offers the model through the provider's API;
	 * absent if the provider offers the model itself */
	struct ctx_span server;
	/* The member prose is the number of tokens of prose, divided by the
	 * o200k_base count of the same text. The member code is the same quotient for
	 * source code. */
	double prose, code;
	/* maximum number of tokens of request and answer together; -1: unknown */
	int64_t window;
	int64_t output; /* maximum number of tokens of an answer; -1: unknown */
	/* JSON string: how prompts are cached ("marks", "implicit", …) */
	struct ctx_span cache;
	/* JSON string: how reasoning that is sent back is treated ("checked", "silent",
	 * "kept", …) */
	struct ctx_span reasoning;
	/* JSON array of the thinking forms or reasoning efforts that the model accepts */
	struct ctx_span thinking;
	enum ctx_model_takes system_inside, sampling, prefill, forced_tools;
	/* whether the model accepts tools in Chat Completions; CTX_MODEL_NO: accepts
	 * tools only in the Responses API */
	enum ctx_model_takes tools;
	bool unsure[CTX_MODEL_FACTS];
};

/* Finds the first row with a pattern that matches the model's name. The argument user is
 * the text of the user's table, or absent; its rows are searched before the compiled-in
 * rows. If the whole name matches no row, a router's prefix ("anthropic/", "openai/",
 * "us.anthropic."), "ft:" and a date at the end are ignored. If a row matches, fills in
 * *out and returns true; otherwise returns false. */
bool ctx_model_find(struct ctx_model *out, struct ctx_span name, struct ctx_span user);

/* Checks a user's table: NDJSON, each line an object with "models", an array of shell
 * patterns ('*', '?', "[…]"), and members of the same types as in models.ndjson. Returns
 * 0, or -1 with CTX_EINPUT and an error message that contains the line number. */
int ctx_models_check(struct ctx_span user, struct ctx_err *err);

/* Appends the whole table as NDJSON: first the rows of the user's table (its text, or
 * absent), then the compiled-in rows. */
void ctx_models_print(struct ctx_buf *out, struct ctx_span user);

/* Returns the maximum number of tokens of a request to the model, which is the member
 * window minus the member output. Returns the whole window if the maximum length of an
 * answer is unknown, and -1 if the window is unknown. */
int64_t ctx_model_room(const struct ctx_model *m);

/* Returns the factor by which token counts made with o200k_base or with the estimate
 * "approx" must be multiplied for this model. It is the larger one of the members prose
 * and code, so that a request that fits according to this count really fits. */
double ctx_model_factor(const struct ctx_model *m);

/* Returns true if the model supports the form of thinking, or the reasoning effort, that
 * *form names. */
bool ctx_model_thinks(const struct ctx_model *m, const char *form);

#endif
