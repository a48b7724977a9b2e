/* Private to lint: finds parameters of a request that its model or its API refuses, and
 * the change that repairs each. For use in lib/lint and the lint files of the providers
 * only. */
#ifndef CTX_LINT_PARAMS_H
#define CTX_LINT_PARAMS_H

#include "lint/lint.h"
#include "model/model.h"

/* A problem of one member of a body. */
struct lint_flaw {
	const char *rule;
	bool error;
	char *text;
	const char *key; /* name of the member */
	bool fixable;    /* can be repaired without a change of meaning */
	const char *to;  /* new name of the member; NULL: the member is dropped */
	char *value;     /* new JSON value of the member; NULL: its value is kept */
};

struct lint_params {
	struct ctx_span body;
	enum ctx_provider rules;
	bool known; /* the model table has a row for the model */
	struct ctx_model m;
	bool official;          /* the model is OpenAI's own */
	struct ctx_span effort; /* the reasoning effort, JSON string; may be absent */
	struct lint_flaw *flaws;
	size_t n, cap;
};

/* Returns the value of a member of the body; absent if it is missing or null. */
struct ctx_span ctx_lint_param(const struct lint_params *p, const char *name);

/* Adds a flaw that cannot be repaired. Returns it, valid until the next flaw is added. */
struct lint_flaw *ctx_lint_flaw(struct lint_params *p, const char *rule, bool error,
    const char *key, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* The same for a fact from the model table: an error, or a warning if the table is not
 * sure of the fact. */
#define LINT_MODEL_FLAW(p, rule, fact, key, ...) \
	ctx_lint_flaw(p, rule, !(p)->m.unsure[fact], key, __VA_ARGS__)

/* Set how a flaw is repaired: the member is dropped, or gets the name to and, unless
 * NULL, the value (JSON; the flaw takes ownership). If the body has a member of that name
 * already, the member is dropped. */
void ctx_lint_flaw_drop(struct lint_flaw *f);
void ctx_lint_flaw_rename(
    const struct lint_params *p, struct lint_flaw *f, const char *to, char *value);

/* True if the body has the member with another value than usual, which every model
 * accepts. */
bool ctx_lint_unusual(const struct lint_params *p, const char *name, double usual);

/* Checks that tool definitions have the format that the API accepts. */
void ctx_lint_params_tools(struct lint_params *p);
/* Reports members of the request that belong to another provider's API. */
void ctx_lint_params_members(struct lint_params *p);

#endif
