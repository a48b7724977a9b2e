/* Private to ctx-new: its options, and the functions that its files share. */
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

/* Sets the members of session *s that the options give. Does not set the time to live.
 * Fails with CTX_EUSAGE if a value is invalid. */
int apply_texts(struct new_options *opt, struct ctx_session *s, struct ctx_err *err);

/* The two steps of --update (new_update.c). check_update checks the options before the
 * store is opened. update changes the session inside a transaction, and sets *s to the
 * new state. */
int check_update(struct new_options *opt, struct ctx_err *err);
int update(struct new_options *opt, struct ctx_store *st, struct ctx_session *s,
    struct ctx_err *err);

#endif
