/* The model table: what is known of each family of models. It is compiled in from
 * models.ndjson; a file of the user's can add rows and replace them. Pure: no I/O. */
#ifndef CTX_MODEL_MODEL_H
#define CTX_MODEL_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* Facts that a row can be unsure of ("unsure" in the table): they come from client code or
 * third parties, not from the provider's own documentation. */
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

/* Does a model take a parameter? */
enum ctx_model_takes {
	CTX_MODEL_UNKNOWN,
	CTX_MODEL_NO,
	CTX_MODEL_YES,
	CTX_MODEL_EFFORT_NONE, /* only with reasoning effort "none" */
};

/* One row. Spans point into the compiled-in table or the user's text. */
struct ctx_model {
	struct ctx_span row;       /* the whole row, a JSON object */
	struct ctx_span provider;  /* JSON string: "anthropic", "openai", … */
	struct ctx_span server;    /* JSON string: whose server serves it, if it is compatible
				    * with the provider's API and not its own; or absent */
	double prose, code;        /* tokens as a multiple of o200k_base's */
	int64_t window;            /* tokens of request and answer; -1 unknown */
	int64_t output;            /* the most tokens of an answer; -1 unknown */
	int64_t cache_minimum;     /* tokens a cached prefix needs; -1 unknown */
	struct ctx_span cache;     /* JSON string: "marks", "implicit", … */
	struct ctx_span reasoning; /* JSON string: "checked", "silent", "kept", … */
	struct ctx_span thinking;  /* JSON array of the forms or efforts that it takes */
	enum ctx_model_takes system_inside, sampling, prefill, forced_tools;
	enum ctx_model_takes tools; /* in Chat Completions; NO: in Responses alone */
	bool unsure[CTX_MODEL_FACTS];
};

/* Finds the first row with a pattern that matches the model's name, the user's rows before
 * the compiled-in ones. A router's prefix ("anthropic/", "openai/", "us.anthropic."), "ft:",
 * and a date at the end are ignored if the whole name matches no row. user is the text of
 * the user's table, or absent. Returns true and fills out when there is such a row. */
bool ctx_model_find(struct ctx_model *out, struct ctx_span name, struct ctx_span user);

/* Checks the user's table: NDJSON, each line an object with "models", an array of patterns
 * (as in a shell: '*', '?', "[…]"), and members of the types that models.ndjson has.
 * Returns 0, or -1 with CTX_EINPUT and the line's number in the message. */
int ctx_models_check(struct ctx_span user, struct ctx_err *err);

/* Appends the table as NDJSON: the user's rows, then the compiled-in ones. */
void ctx_models_print(struct ctx_buf *out, struct ctx_span user);

/* Tokens that a request to the model may have: the window less the longest answer. -1 when
 * the table does not know the window. */
int64_t ctx_model_room(const struct ctx_model *m);

/* What the model's counts are multiplied by when text is counted by o200k_base or by the
 * estimate: the larger of the factors for prose and for code, so that a request which was
 * counted as fitting does fit. */
double ctx_model_factor(const struct ctx_model *m);

/* Is form one of the model's thinking forms or reasoning efforts? */
bool ctx_model_thinks(const struct ctx_model *m, const char *form);

#endif
