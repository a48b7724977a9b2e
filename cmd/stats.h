/* Inside of ctx-stats: what the parts of the program share. */
#ifndef CTX_CMD_STATS_H
#define CTX_CMD_STATS_H

#include "cli.h"
#include "stats/figures.h"

/* How often items went into requests, and which never did: of sessions, or of the whole
 * store (stats_items.c). */
int stats_items(struct ctx_store *store, const struct cli_list *sessions,
    struct ctx_figures *figures, struct ctx_err *err);

/* What a session is looked at with. */
struct stats_view {
	struct ctx_store *store;
	struct ctx_tokenizer *tokenizer; /* of --tokenizer; NULL: those that counted */
};

/* Tokens of what is visible of a session (ctx_visible_tokens). */
int stats_visible(const struct stats_view *v, const struct ctx_session *s,
    int64_t *tokens, struct ctx_err *err);

/* The window that a budget leaves of it, and whether that is less than all. */
struct stats_window {
	int64_t budget; /* -1: nothing is known, of a session in its archive alone */
	int64_t messages, tokens;
	bool is_short;
};
int stats_window(const struct stats_view *v, const struct ctx_session *s, int64_t budget,
    struct stats_window *out, struct ctx_err *err);

#endif
