/* Private to lib/provider/responses: the checks of ctx-lint. */
#ifndef CTX_RESPONSES_LINT_H
#define CTX_RESPONSES_LINT_H

#include "lint/doc.h"
#include "lint/params.h"

/* Checks the parameters (see struct ctx_lint_kind). */
void ctx_responses_lint_params(struct lint_params *p);

/* Reports items that are well formed but that the API refuses in this request. */
void ctx_responses_lint_items(struct lint_doc *d);

/* Passes of the repair; see lint_pass (lint/doc.h). */
bool ctx_responses_fix_image_urls(struct lint_doc *d);
bool ctx_responses_fix_reasoning(struct lint_doc *d);
bool ctx_responses_fix_arguments(struct lint_doc *d);

#endif
