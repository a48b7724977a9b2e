/* Private to ctx-item: its state, and the functions that its files share. */
#ifndef CTX_CMD_ITEM_H
#define CTX_CMD_ITEM_H

#include "cli.h"
#include "store/item.h"

/* The state of one run of the program. */
struct item_work {
	struct {
		const char *session, *agent, *type, *server, *params;
		bool remove;
	} opt;
	struct ctx_store *store;
	const char *tenant; /* tenant of the definitions */
};

/* Returns true if definition d matches the options and has this name. name: the name,
 * also in the form "server:tool"; NULL: any name. */
bool item_wanted(struct item_work *itm, const struct ctx_definition *d, const char *name);

/* Finds the session given with -s and restricts the store to that session's tenant. */
int item_open_session(struct item_work *itm, struct ctx_session *s, struct ctx_err *err);

/* Runs the action "tools" (item_tools.c). arg points to a struct item_work. */
int item_tools(void *arg, int argc, char **argv, struct ctx_err *err);

#endif
