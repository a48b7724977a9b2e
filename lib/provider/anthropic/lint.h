/* Private to lib/provider/anthropic: the checks of ctx-lint. */
#ifndef CTX_ANTHROPIC_LINT_H
#define CTX_ANTHROPIC_LINT_H

#include "lint/doc.h"
#include "lint/params.h"

/* Functions for the members "params", "limits" and "required" of struct ctx_lint_kind
 * (lint/doc.h). */
void ctx_anthropic_lint_params(struct lint_params *p);
void ctx_anthropic_lint_limits(struct lint_doc *d, size_t images);
void ctx_anthropic_lint_required(struct lint_doc *d, const struct lint_params *p);

/* Checks the cache marks, compactions, toolsets and citations of a request. */
void ctx_anthropic_lint_blocks(struct lint_doc *d);
/* Returns true if a compaction block may have a member with this key. */
bool ctx_anthropic_compaction_member(struct ctx_span key);
/* A result must have the same "toolset_name" as its call. Returns the call's toolset_name
 * (a JSON string) if the result has another one or none; otherwise an absent span. */
struct ctx_span ctx_anthropic_toolset(
    const struct lint_doc *d, const struct lint_part *result);

/* Repairs the problems that ctx_anthropic_lint_blocks reports. The type of this function
 * is lint_pass. */
bool ctx_anthropic_fix_blocks(struct lint_doc *d);

#endif
