/* Private to ctx-delete: its state, and the functions that its files share. */
#ifndef CTX_CMD_DELETE_H
#define CTX_CMD_DELETE_H

#include "archive/erase.h"
#include "cli.h"

/* The state of one run. */
struct deletion {
	struct {
		struct cli_list session;
		const char *user, *hold, *archive, *match;
		bool purge, redact, restore, receipt, release, dry_run;
	} opt;
	struct ctx_store *store; /* once it is open */
	/* a group's transaction is open; its records are buffered in cli_out */
	bool changing;
	int64_t refused;
	int64_t owned; /* sessions of the user that the action applied to */

	/* removal for good */
	struct ctx_erase erase;
	struct ctx_buf done; /* records of purged sessions, printed once they are gone */
	bool user_erased;    /* data of the user outside of sessions is erased */
};

/* Starts a record of an action, to add to and to close. */
void open_record(struct deletion *del, const char *action, const char *session_id);

/* Reports a session that is skipped, and the reason. */
void refuse(struct deletion *del, const struct ctx_err *why);

/* Checks whether the options allow the session to be changed. Call in the transaction that
 * changes it. */
int check_deletable_session(struct deletion *del, const struct ctx_session *s,
    int64_t last_seq, struct ctx_err *err);

/* Processes each session that is named, listed or owned by the user. */
int act_on_all(struct deletion *del, struct ctx_err *err);

/* Purges all sessions, and one of them (delete_purge.c). */
int purge_all(struct deletion *del, struct ctx_err *err);
int purge_session(
    struct deletion *del, const char *session_id, int64_t last_seq, struct ctx_err *err);

/* Redacts the messages that the operands name (delete_redact.c). */
int redact_messages(struct deletion *del, int argc, char **argv, struct ctx_err *err);

/* Prints what is left of removed texts, also in archives (delete_receipt.c). */
int print_receipt(struct deletion *del, struct ctx_err *err);

#endif
