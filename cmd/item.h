/* Inside of ctx-item: options, and what the parts of the program share. */
#ifndef CTX_CMD_ITEM_H
#define CTX_CMD_ITEM_H

#include "cli.h"
#include "store/item.h"

extern struct item_options {
	const char *session, *agent, *type, *server, *params;
	bool remove;
} opt;

extern struct ctx_store *store;
extern const char *tenant; /* whose definitions */

/* Do the options let it pass, and has it that name ("server:tool" too; NULL: any)? */
bool item_wanted(const struct ctx_definition *d, const char *name);

/* The session of -s, whose tenant is then ours. */
int item_open_session(struct ctx_session *s, struct ctx_err *err);

/* The action "tools" (item_tools.c). */
int item_tools(void *arg, int argc, char **argv, struct ctx_err *err);

#endif
