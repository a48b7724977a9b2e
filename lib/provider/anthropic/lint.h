/* Private to lib/provider/anthropic: the judge. */
#ifndef CTX_ANTHROPIC_LINT_H
#define CTX_ANTHROPIC_LINT_H

#include "lint/doc.h"
#include "lint/params.h"

/* See the members of struct ctx_lint_kind. */
void ctx_anthropic_lint_params(struct lint_params *p);
void ctx_anthropic_lint_limits(struct lint_doc *d, size_t images);
void ctx_anthropic_lint_required(struct lint_doc *d, const struct lint_params *p);

/* Cache marks, compactions, toolsets, citations of a request. */
void ctx_anthropic_lint_blocks(struct lint_doc *d);

#endif
