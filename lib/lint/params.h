/* Private to lib/lint and the lint files of the providers: finds flaws, which are
 * parameters of a request that the model or the API refuses, and determines how each
 * flaw can be repaired. */
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
	/* true: the problem can be repaired without a change of meaning */
	bool fixable;
	const char *to; /* new name of the member; NULL: the member is dropped */
	/* new JSON value of the member; NULL: the value does not change */
	char *value;
};

struct lint_params {
	struct ctx_span body;
	enum ctx_provider rules;
	bool known; /* true: the model table has a row for the model */
	struct ctx_model m;
	bool official;          /* true: the model is OpenAI's own */
	struct ctx_span effort; /* the reasoning effort, JSON string; may be absent */
	struct lint_flaw *flaws;
	size_t n, cap;
};

/* Returns the value of a member of the body, or an absent span if the member is missing
 * or null. */
struct ctx_span ctx_lint_param(const struct lint_params *p, const char *name);

/* Adds a flaw that cannot be repaired. Returns the flaw, which is valid until the next
 * flaw is added. */
struct lint_flaw *ctx_lint_flaw(struct lint_params *p, const char *rule, bool error,
    const char *key, const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* Like ctx_lint_flaw, but adds a flaw for each parameter of the body whose name is in the
 * list names (terminated by NULL). The text of the flaw is the quoted name, followed by
 * text. */
void ctx_lint_flaw_names(struct lint_params *p, const char *rule, bool error,
    const char *const names[], const char *text);
/* Like ctx_lint_flaw, but for a fact from the model table: the flaw is an error, or a
 * warning if the table is not sure of the fact. */
#define LINT_MODEL_FLAW(p, rule, fact, key, ...) \
	ctx_lint_flaw(p, rule, !(p)->m.unsure[fact], key, __VA_ARGS__)

/* These functions set how a flaw is repaired. ctx_lint_flaw_drop: the member is dropped.
 * ctx_lint_flaw_rename: to is the new name of the member. value (JSON) is its new value,
 * which the flaw then owns; NULL: the value does not change. If the body already has a
 * member with the new name, the old member is dropped instead. */
void ctx_lint_flaw_drop(struct lint_flaw *f);
void ctx_lint_flaw_rename(
    const struct lint_params *p, struct lint_flaw *f, const char *to, char *value);

/* Returns true if the body has this member and the value differs from usual, which is
 * the value that every model accepts. */
bool ctx_lint_unusual(const struct lint_params *p, const char *name, double usual);

/* Checks that tool definitions have the format that the API accepts. */
void ctx_lint_params_tools(struct lint_params *p);
/* Reports members of the request that belong to another provider's API. */
void ctx_lint_params_members(struct lint_params *p);

#endif
