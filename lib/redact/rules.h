/* Private to lib/redact: sets of rules. Rules are built in or come from the user's
 * text. */
#ifndef CTX_REDACT_RULES_H
#define CTX_REDACT_RULES_H

#include "redact/internal.h"

struct rules {
	struct rule *list, *allowed;
	size_t n, cap, n_allowed, cap_allowed;
	struct literal *literal; /* owns the literals' texts */
	size_t n_literals, cap_literals, bytes;
};

void ctx_redact_rules_default(struct rules *rs);
/* Adds the rules in the user's text. Compiles these rules immediately, to find errors in
 * them. */
int ctx_redact_rules_add(struct rules *rs, struct ctx_span text, struct ctx_err *err);
/* Compiles the rule's pattern if it is not compiled yet. Returns false if the pattern is
 * invalid. */
bool ctx_redact_rules_compile(struct rule *rule);
void ctx_redact_rules_release(struct rules *rs);

#endif
