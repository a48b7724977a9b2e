/* Private to lib/provider/responses: the checks of ctx-lint. */
#ifndef CTX_RESPONSES_LINT_H
#define CTX_RESPONSES_LINT_H

#include "lint/doc.h"
#include "lint/params.h"

/* Checks the parameters of a request to the Responses API. Used as the member params of
 * struct ctx_lint_kind. */
void ctx_responses_lint_params(struct lint_params *p);

/* Reports well-formed items that the API nevertheless refuses in this request. */
void ctx_responses_lint_items(struct lint_doc *d);

/* Functions that repair a single item, each for one rule; see struct lint_step
 * (lint/doc.h). */
lint_mend_item ctx_responses_flatten_images, ctx_responses_add_summary,
    ctx_responses_quote_arguments;

#endif
