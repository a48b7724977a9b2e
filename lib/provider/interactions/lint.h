/* Private to lib/provider/interactions: the checks of ctx-lint. */
#ifndef CTX_INTERACTIONS_LINT_H
#define CTX_INTERACTIONS_LINT_H

#include "lint/doc.h"

/* Repairs, each of one rule; see struct lint_step (lint/doc.h). */
lint_pass ctx_interactions_fix_content;
lint_mend_item ctx_interactions_mend_step;

#endif
