/* Inside of ctx-show: what the parts of the program share. */
#ifndef CTX_CMD_SHOW_H
#define CTX_CMD_SHOW_H

#include "cli.h"
#include "store/store.h"

/* Prints the calls of a session's messages with their results; with last, of each tool only
 * the last one (show_tools.c). */
int show_tools(
    struct ctx_store *store, struct ctx_session *s, bool last, struct ctx_err *err);

#endif
