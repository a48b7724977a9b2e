/* Inside of lint: parameters of a request that its model or its API refuses, each with the
 * change that mends it. Not for use outside lib/lint. */
#ifndef CTX_LINT_PARAMS_H
#define CTX_LINT_PARAMS_H

#include "lint/lint.h"
#include "model/model.h"

/* What is wrong with one member of a body. */
struct lint_flaw {
	const char *rule;
	bool error;
	char *text;
	const char *key; /* the member */
	bool fixable;    /* without a change of meaning */
	const char *to;  /* the name that the member gets; NULL: it is dropped */
	char *value;     /* the JSON value that it gets; NULL: it keeps its own */
};

struct lint_params {
	struct ctx_span body;
	enum ctx_provider rules;
	bool known; /* the table has a row for the model */
	struct ctx_model m;
	bool official;          /* the model is OpenAI's own */
	struct ctx_span effort; /* JSON string: the reasoning effort, or absent */
	struct lint_flaw *flaws;
	size_t n, cap;
};

/* A member of the body; absent if it is null. */
struct ctx_span ctx_lint_param(const struct lint_params *p, const char *name);

/* Adds a flaw without a repair and returns it; it is valid until the next flaw is added. */
struct lint_flaw *ctx_lint_flaw(struct lint_params *p, const char *rule, bool error,
    const char *key, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* The same for what the model table says: an error if the table is sure of the fact. */
#define LINT_MODEL_FLAW(p, rule, fact, key, ...) \
	ctx_lint_flaw(p, rule, !(p)->m.unsure[fact], key, __VA_ARGS__)

/* How the flaw is mended: the member goes, gets another name, or another value (JSON, owned
 * by the flaw from then on). A name that the body has already makes the member go. */
void ctx_lint_flaw_drop(struct lint_flaw *f);
void ctx_lint_flaw_rename(
    const struct lint_params *p, struct lint_flaw *f, const char *to, char *value);

/* Is the member there, with another value than the one that every model takes? */
bool ctx_lint_unusual(const struct lint_params *p, const char *name, double usual);

/* Checks that the definitions of tools have the shape that the API takes. */
void ctx_lint_params_tools(struct lint_params *p);
/* Finds members of the request that belong to another provider's API. */
void ctx_lint_params_members(struct lint_params *p);

#endif
