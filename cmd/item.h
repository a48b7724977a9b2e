/* Inside of ctx-item: its state, and what the parts of the program share. */
#ifndef CTX_CMD_ITEM_H
#define CTX_CMD_ITEM_H

#include "cli.h"
#include "store/item.h"

/* What one run of the program works with. */
struct item_work {
	struct {
		const char *session, *agent, *type, *server, *params;
		bool remove;
	} opt;
	struct ctx_store *store;
	const char *tenant; /* whose definitions */
};

/* Do the options let it pass, and has it that name ("server:tool" too; NULL: any)? */
bool item_wanted(struct item_work *itm, const struct ctx_definition *d, const char *name);

/* The session of -s, whose tenant is then ours. */
int item_open_session(struct item_work *itm, struct ctx_session *s, struct ctx_err *err);

/* The action "tools" (item_tools.c). */
int item_tools(void *arg, int argc, char **argv, struct ctx_err *err);

#endif
