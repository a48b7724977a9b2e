/* Private to lib/provider/openai and lib/provider/responses: the judge. */
#ifndef CTX_OPENAI_LINT_H
#define CTX_OPENAI_LINT_H

#include "lint/doc.h"
#include "lint/params.h"

/* The parameters of Chat Completions (struct ctx_lint_kind). */
void ctx_openai_lint_params(struct lint_params *p);

/* Adds flaws for messages among the parameters that the API refuses. */
void ctx_openai_lint_messages(struct lint_params *p);

/* Adds a flaw if the model refuses sampling, and so this member. */
void ctx_openai_refuse_sampling(
    struct lint_params *p, const char *rule, const char *name);
/* The same for each member of sampling that asks for another value than the usual one. */
void ctx_openai_check_sampling(struct lint_params *p, const char *rule);
/* Adds a flaw if the model refuses p->effort, which the member key holds. */
void ctx_openai_check_effort(struct lint_params *p, const char *rule, const char *key);
/* Adds a warning that the member has another name now. */
struct lint_flaw *ctx_openai_deprecate(
    struct lint_params *p, const char *rule, const char *name, const char *use);

#endif
