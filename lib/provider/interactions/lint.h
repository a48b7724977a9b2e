/* Private to lib/provider/interactions: the checks of ctx-lint. */
#ifndef CTX_INTERACTIONS_LINT_H
#define CTX_INTERACTIONS_LINT_H

#include "lint/doc.h"

/* Repairs; see lint_pass. */
bool ctx_interactions_fix_content(struct lint_doc *d);
bool ctx_interactions_fix_steps(struct lint_doc *d);

#endif
