/* Private to lib/provider/openai and lib/provider/responses: the checks of ctx-lint. */
#ifndef CTX_OPENAI_LINT_H
#define CTX_OPENAI_LINT_H

#include "lint/doc.h"
#include "lint/params.h"

/* Checks the parameters of a request to Chat Completions. Used as the member "params" of
 * struct ctx_lint_kind. */
void ctx_openai_lint_params(struct lint_params *p);

/* Adds flaws for messages of the body that the API refuses. */
void ctx_openai_lint_messages(struct lint_params *p);

/* If the model refuses sampling parameters, or refuses them with the reasoning effort
 * p->effort, adds a flaw for the member with this name. */
void ctx_openai_refuse_sampling(
    struct lint_params *p, const char *rule, const char *name);
/* Calls ctx_openai_refuse_sampling for each sampling parameter whose value is not the
 * default. */
void ctx_openai_check_sampling(struct lint_params *p, const char *rule);
/* Adds a flaw if the model refuses the reasoning effort p->effort. key: the name of the
 * member that holds the effort. */
void ctx_openai_check_effort(struct lint_params *p, const char *rule, const char *key);
/* Adds a warning that the body's member with this name is deprecated. use: the member's
 * new name. Returns the flaw. */
struct lint_flaw *ctx_openai_deprecate(
    struct lint_params *p, const char *rule, const char *name, const char *use);

#endif
