/* Inside of ctx-delete: options, what is open, and what the parts of the program do. */
#ifndef CTX_CMD_DELETE_H
#define CTX_CMD_DELETE_H

#include "archive/erase.h"
#include "cli.h"

extern struct delete_options {
	struct cli_list session;
	const char *user, *hold, *archive;
	bool purge, restore, receipt, release, dry_run;
} opt;

extern struct ctx_store *store; /* once it is open */

/* A record of what was done, to add to and to close. */
void open_record(const char *action, const char *session_id);

/* A session was left alone, and why. */
void refuse(const struct ctx_err *why);

/* May what is asked for be done to the session? Call in the transaction that does it. */
int check_deletable_session(
    const struct ctx_session *s, int64_t last_seq, struct ctx_err *err);

/* Each session that is named, listed or the user's own. */
int act_on_all(struct ctx_err *err);

/* Removal for good (delete_purge.c): all of it, and one session within it. */
int purge_all(struct ctx_err *err);
int purge_session(const char *session_id, int64_t last_seq, struct ctx_err *err);
extern bool user_erased; /* what is kept of the user outside of sessions */

/* What is left of what was removed, in archives too (delete_receipt.c). */
int print_receipt(struct ctx_erase *erase, struct ctx_err *err);

#endif
