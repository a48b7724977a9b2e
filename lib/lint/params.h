/* Private to lib/lint and the lint files of the providers: finds the parameters of a
 * request that the model or the API refuses (flaws), and decides how each one can be
 * repaired. */
#ifndef CTX_LINT_PARAMS_H
#define CTX_LINT_PARAMS_H

#include "lint/lint.h"
#include "model/model.h"

/* A problem with one member of a request body. */
struct lint_flaw {
	const char *rule;
	bool error;
	char *text;
	const char *key; /* name of the member */
	/* true: the problem can be repaired without changing the meaning of the
	 * request */
	bool fixable;
	/* if the member is to be renamed: its new name; NULL: the repair drops the
	 * member */
	const char *to;
	/* new JSON value of the renamed member; NULL: the value stays the same */
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
/* Like ctx_lint_flaw, but adds a flaw for each of several parameters that the body has.
 * names: the names of these parameters, terminated by NULL; text: what follows the quoted
 * name of the parameter in the text of the flaw. */
void ctx_lint_flaw_names(struct lint_params *p, const char *rule, bool error,
    const char *const names[], const char *text);
/* Like ctx_lint_flaw, but for a fact from the model table (enum ctx_model_fact): the flaw
 * is an error, or a warning if the table is not sure of the fact. */
#define LINT_MODEL_FLAW(p, rule, fact, key, ...) \
	ctx_lint_flaw(p, rule, !(p)->m.unsure[fact], key, __VA_ARGS__)

/* These functions make a flaw repairable. ctx_lint_flaw_drop: the repair drops the
 * member. ctx_lint_flaw_rename: the repair renames the member. to: the new name; value:
 * the new JSON value, which the flaw then owns; NULL: the value stays the same. If the
 * body already has a member with the new name, the repair drops the old member and does
 * not rename it. */
void ctx_lint_flaw_drop(struct lint_flaw *f);
void ctx_lint_flaw_rename(
    const struct lint_params *p, struct lint_flaw *f, const char *to, char *value);

/* Returns true if the body has this member with an unusual value. usual: the usual value,
 * which is the only one that every model accepts. */
bool ctx_lint_unusual(const struct lint_params *p, const char *name, double usual);

/* Checks that tool definitions have the format that the API accepts. */
void ctx_lint_params_tools(struct lint_params *p);
/* Reports members of the request that belong to another provider's API. */
void ctx_lint_params_members(struct lint_params *p);

#endif
