/* Private to lib/provider/responses: the judge. */
#ifndef CTX_RESPONSES_LINT_H
#define CTX_RESPONSES_LINT_H

#include "lint/doc.h"
#include "lint/params.h"

/* The parameters (struct ctx_lint_kind). */
void ctx_responses_lint_params(struct lint_params *p);

/* Items of a request that are refused though each is well formed. */
void ctx_responses_lint_items(struct lint_doc *d);

/* Repair: see lint_pass. */
bool ctx_responses_fix_image_urls(struct lint_doc *d);
bool ctx_responses_fix_reasoning(struct lint_doc *d);
bool ctx_responses_fix_arguments(struct lint_doc *d);

#endif
