/* Private to ctx-item: its state, and the functions that its files share. */
#ifndef CTX_CMD_ITEM_H
#define CTX_CMD_ITEM_H

#include "cli.h"
#include "store/item.h"

/* The state of one run. */
struct item_work {
	struct {
		const char *session, *agent, *type, *server, *params;
		bool remove;
	} opt;
	struct ctx_store *store;
	const char *tenant; /* whose definitions */
};

/* True if the definition matches the options and has the name ("server:tool" too; NULL:
 * any). */
bool item_wanted(struct item_work *itm, const struct ctx_definition *d, const char *name);

/* Finds the session of -s and switches to its tenant. */
int item_open_session(struct item_work *itm, struct ctx_session *s, struct ctx_err *err);

/* Runs the action "tools" (item_tools.c). */
int item_tools(void *arg, int argc, char **argv, struct ctx_err *err);

#endif
