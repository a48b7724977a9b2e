/* Private to lib/redact: rules as they are read. */
#ifndef CTX_REDACT_RULES_H
#define CTX_REDACT_RULES_H

#include "redact/internal.h"

struct rules {
	struct rule *list, *allowed;
	size_t n, cap, n_allowed, cap_allowed;
	struct literal *literal; /* texts are owned */
	size_t n_literals, cap_literals, bytes;
};

void ctx_redact_rules_default(struct rules *rs);
/* Adds rules of a user and compiles all of them, because they may be wrong. */
int ctx_redact_rules_add(struct rules *rs, struct ctx_span text, struct ctx_err *err);
/* Compiles the expression on first use; returns false if that fails. */
bool ctx_redact_rules_compile(struct rule *rule);
void ctx_redact_rules_release(struct rules *rs);

#endif
