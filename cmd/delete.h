/* Inside of ctx-delete: its state, and what the parts of the program do. */
#ifndef CTX_CMD_DELETE_H
#define CTX_CMD_DELETE_H

#include "archive/erase.h"
#include "cli.h"

/* What one run of the program works with. */
struct deletion {
	struct {
		struct cli_list session;
		const char *user, *hold, *archive;
		bool purge, restore, receipt, release, dry_run;
	} opt;
	struct ctx_store *store; /* once it is open */
	bool changing; /* a group's transaction is open; its records wait in cli_out */
	int64_t refused;
	int64_t owned; /* sessions of the user that something was to be done to */

	/* removal for good */
	struct ctx_erase erase;
	struct ctx_buf done; /* records of what was purged, to print once it is gone */
	bool user_erased;    /* what is kept of the user outside of sessions */
};

/* A record of what was done, to add to and to close. */
void open_record(struct deletion *del, const char *action, const char *session_id);

/* Reports a session that is skipped, and the reason. */
void refuse(struct deletion *del, const struct ctx_err *why);

/* Checks whether the options allow the session to be changed. Call in the transaction that
 * changes it. */
int check_deletable_session(struct deletion *del, const struct ctx_session *s,
    int64_t last_seq, struct ctx_err *err);

/* Each session that is named, listed or the user's own. */
int act_on_all(struct deletion *del, struct ctx_err *err);

/* Removal for good (delete_purge.c): all of it, and one session within it. */
int purge_all(struct deletion *del, struct ctx_err *err);
int purge_session(
    struct deletion *del, const char *session_id, int64_t last_seq, struct ctx_err *err);

/* What is left of what was removed, in archives too (delete_receipt.c). */
int print_receipt(struct deletion *del, struct ctx_err *err);

#endif
