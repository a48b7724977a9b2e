/* Inside of ctx-stats: what the parts of the program share. */
#ifndef CTX_CMD_STATS_H
#define CTX_CMD_STATS_H

#include "cli.h"
#include "stats/figures.h"

/* How often items went into requests, and which never did: of sessions, or of the whole
 * store (stats_items.c). */
int stats_items(struct ctx_store *store, const struct cli_list *sessions,
    struct ctx_figures *figures, struct ctx_err *err);

#endif
