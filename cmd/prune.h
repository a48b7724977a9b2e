/* Private to ctx-prune: its state, and the functions that its files share. */
#ifndef CTX_CMD_PRUNE_H
#define CTX_CMD_PRUNE_H

#include "cli.h"
#include "record/stream.h"
#include "select/select.h"

/* The state of one run. */
struct pruning {
	struct {
		const char *params, *strategy, *keep, *report;
		struct cli_list protect, session;
		struct ctx_policy policy;
		bool no_cut, apply, undo, hide, dry_run;
	} opt;
	struct ctx_tokenizer *tokenizer;
	struct ctx_span params; /* may be absent */
	bool over_budget;       /* result of trim for the current list */
	struct ctx_buf report;

	/* --apply, --hide and --undo */
	struct ctx_store *store;
	int64_t refused; /* skipped sessions */
};

/* Applies "keep the newest N" as the only limit if there is no budget: everything older
 * is dropped. CTX_EUSAGE when a strategy needs a budget or such a limit. */
int limit_by_keep(struct ctx_policy *p, struct ctx_err *err);

/* Prunes and prints one window or list of messages; arg is a struct pruning
 * (prune_window.c). */
int prune_window(void *arg, struct ctx_stream *in, struct ctx_err *err);

/* Called while a list is read: frees the oldest messages, once it is certain that they are
 * dropped, whatever is read later. With --report none is freed, because the report
 * names every message. arg is a struct pruning (prune_window.c). */
int trim_prune_stream(void *arg, struct ctx_stream *in, struct ctx_err *err);

/* Runs --apply, --hide and --undo (prune_stored.c). */
int run_stored(struct pruning *pru, int argc, char **argv, struct ctx_err *err);

#endif
