/* Inside of ctx-new: options, and what the parts of the program do. */
#ifndef CTX_CMD_NEW_H
#define CTX_CMD_NEW_H

#include "cli.h"

struct new_options {
	const char *user, *id, *title, *agent, *caller, *account, *topic, *metadata;
	const char *preferences, *set_preferences, *hold, *fork;
	int64_t ttl;
	struct cli_list share, unshare;
	bool update, ids;
};

/* Put the options that describe a session into it, over what it holds already: CTX_EUSAGE
 * for one that cannot be. The time to live is not among them. */
int apply_texts(struct new_options *opt, struct ctx_session *s, struct ctx_err *err);

/* --update (new_update.c): do the options go together, before a store is opened; and
 * change the session, in a transaction, where *s becomes it as it is then. */
int check_update(struct new_options *opt, struct ctx_err *err);
int update(struct new_options *opt, struct ctx_store *st, struct ctx_session *s,
    struct ctx_err *err);

#endif
