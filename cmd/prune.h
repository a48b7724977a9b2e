/* Inside of ctx-prune: options, and what the parts of the program do. */
#ifndef CTX_CMD_PRUNE_H
#define CTX_CMD_PRUNE_H

#include "cli.h"
#include "select/select.h"

extern struct prune_options {
	const char *params, *strategy, *keep, *report;
	struct cli_list protect, session;
	struct ctx_policy policy;
	bool no_cut, apply, undo, hide, dry_run;
} opt;

extern struct ctx_tokenizer *tokenizer;

/* Without a budget, "keep the newest N" means: and nothing older. CTX_EUSAGE when a strategy
 * needs the one or the other. */
int limit_by_keep(struct ctx_policy *p, struct ctx_err *err);

/* --apply, --hide and --undo (prune_stored.c). */
int run_stored(int argc, char **argv, struct ctx_err *err);

#endif
