/* The table of model families and their properties. It is compiled in from models.ndjson;
 * a user's table can add and replace rows. Pure: no I/O. */
#ifndef CTX_MODEL_MODEL_H
#define CTX_MODEL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* Facts that a row can mark as unsure (member "unsure"), because they come from client
 * code or third parties and not from the provider's documentation. */
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

/* One row of the table. Spans point into the compiled-in table or the user's text. */
struct ctx_model {
	struct ctx_span row;      /* the whole row, a JSON object */
	struct ctx_span provider; /* JSON string: "anthropic", "openai", … */
	/* JSON string: the server that offers the model through that provider's API;
	 * absent if it is the provider's own server */
	struct ctx_span server;
	/* tokens relative to o200k_base, for prose and for source code */
	double prose, code;
	/* maximum number of tokens of request and answer together; -1: unknown */
	int64_t window;
	int64_t output; /* maximum number of tokens of an answer; -1: unknown */
	/* smallest prefix that the provider caches, in tokens; -1: unknown */
	int64_t cache_minimum;
	/* JSON string: how prompts are cached ("marks", "implicit", …) */
	struct ctx_span cache;
	/* JSON string: how reasoning that is sent back is treated ("checked", "silent",
	 * "kept", …) */
	struct ctx_span reasoning;
	/* JSON array of the thinking forms or reasoning efforts that the model accepts */
	struct ctx_span thinking;
	enum ctx_model_takes system_inside, sampling, prefill, forced_tools;
	/* accepts tools in Chat Completions; NO: only in the Responses API */
	enum ctx_model_takes tools;
	bool unsure[CTX_MODEL_FACTS];
};

/* Finds the first row with a pattern that matches the model's name. Rows of the user's
 * table (its text, or absent) come before the compiled-in ones. If the whole name matches
 * no row, a router's prefix ("anthropic/", "openai/", "us.anthropic."), "ft:" and a date
 * at the end are ignored. Returns true and fills in out if a row matches. */
bool ctx_model_find(struct ctx_model *out, struct ctx_span name, struct ctx_span user);

/* Checks a user's table: NDJSON, each line an object with "models", an array of shell
 * patterns ('*', '?', "[…]"), and members of the same types as in models.ndjson. Returns
 * 0, or -1 with CTX_EINPUT and the line number in the message. */
int ctx_models_check(struct ctx_span user, struct ctx_err *err);

/* Appends the whole table as NDJSON: the user's rows, then the compiled-in ones. */
void ctx_models_print(struct ctx_buf *out, struct ctx_span user);

/* Returns the most tokens that a request to the model can have: the window minus the
 * longest answer; -1 if the window is unknown. */
int64_t ctx_model_room(const struct ctx_model *m);

/* Returns the factor to multiply counts by o200k_base or by the estimate with: the larger
 * one of the factors for prose and for code, so that a request that fits by this count
 * really fits. */
double ctx_model_factor(const struct ctx_model *m);

/* Returns true if form is one of the model's thinking forms or reasoning efforts. */
bool ctx_model_thinks(const struct ctx_model *m, const char *form);

#endif
