/* Inside of ctx-prune: its state, and what the parts of the program do. */
#ifndef CTX_CMD_PRUNE_H
#define CTX_CMD_PRUNE_H

#include "cli.h"
#include "select/select.h"

/* What one run of the program works with. */
struct pruning {
	struct {
		const char *params, *strategy, *keep, *report;
		struct cli_list protect, session;
		struct ctx_policy policy;
		bool no_cut, apply, undo, dry_run;
	} opt;
	struct ctx_tokenizer *tokenizer;
	int64_t params_tokens;
	bool given_tools; /* params hold some */
	bool over_budget; /* so trim found of the list at hand */
	struct ctx_buf report;

	/* --apply and --undo */
	struct ctx_store *store;
	int64_t refused; /* skipped sessions */
};

/* Without a budget, "keep the newest N" means: and nothing older. CTX_EUSAGE when a strategy
 * needs the one or the other. */
int limit_by_keep(struct ctx_policy *p, struct ctx_err *err);

/* --apply and --undo (prune_stored.c). */
int run_stored(struct pruning *pru, int argc, char **argv, struct ctx_err *err);

#endif
