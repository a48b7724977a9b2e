/* Private to lib/provider/interactions: the checks of ctx-lint. */
#ifndef CTX_INTERACTIONS_LINT_H
#define CTX_INTERACTIONS_LINT_H

#include "lint/doc.h"

/* Passes of the repair; see lint_pass (lint/doc.h). */
bool ctx_interactions_fix_content(struct lint_doc *d);
bool ctx_interactions_fix_steps(struct lint_doc *d);

#endif
