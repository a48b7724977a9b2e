/* Private to ctx-prune: its state, and the functions that its files share. */
#ifndef CTX_CMD_PRUNE_H
#define CTX_CMD_PRUNE_H

#include "cli.h"
#include "entity/recognise.h"
#include "record/stream.h"
#include "select/select.h"

/* The state of one run of the program. */
struct pruning {
	struct {
		const char *params, *strategy, *keep, *report;
		struct cli_list protect, session;
		struct ctx_policy policy;
		bool no_cut, apply, undo, hide, dry_run;
	} opt;
	struct ctx_tokenizer *tokenizer;
	struct ctx_recognisers *recognisers; /* NULL: no strategy needs them */
	struct ctx_span params; /* the JSON object of --params; absent if not given */
	/* true: the list that is being read exceeds the budget (set by
	 * trim_prune_stream) */
	bool over_budget;
	struct ctx_buf report;

	/* used only with --apply, --hide and --undo: */
	struct ctx_store *store;
	int64_t refused; /* number of sessions that were refused and skipped */
};

/* Completes a policy without a budget: all messages are to be dropped, except those kept
 * by --keep-last or --keep-turns. Fails with CTX_EUSAGE if neither option was given. Does
 * nothing if the policy names only strategies that need no limit (all except "recent" and
 * "score"). */
int limit_by_keep(struct ctx_policy *p, struct ctx_err *err);

/* Prunes and prints one window or list of messages (prune_window.c). arg points to a
 * struct pruning. */
int prune_window(void *arg, struct ctx_stream *in, struct ctx_err *err);

/* Called while a list is read: frees the oldest messages as soon as it is certain that
 * they will be dropped. With --report no message is freed, because the report names every
 * message (prune_window.c). arg points to a struct pruning. */
int trim_prune_stream(void *arg, struct ctx_stream *in, struct ctx_err *err);

/* Implements --apply, --hide and --undo (prune_stored.c). */
int run_stored(struct pruning *pru, int argc, char **argv, struct ctx_err *err);

#endif
