/* Private to ctx-delete: its state, and the functions that its files share. */
#ifndef CTX_CMD_DELETE_H
#define CTX_CMD_DELETE_H

#include "archive/erase.h"
#include "cli.h"

/* The state of one run of the program. */
struct deletion {
	struct {
		struct cli_list session;
		const char *user, *hold, *archive, *match;
		bool purge, redact, restore, receipt, release, dry_run;
	} opt;
	struct ctx_store *store; /* NULL until the store is opened */
	/* true: the write transaction of a group of sessions is open, and cli_out buffers
	 * the records of the group */
	bool changing;
	int64_t refused;
	int64_t owned; /* number of sessions of the user of --user that were processed */

	/* for purging: */
	struct ctx_erase erase;
	/* records of the purged sessions, to be printed when the purge is complete */
	struct ctx_buf done;
	/* true: this run has erased rows of the user of --user that belong to no
	 * session */
	bool user_erased;
};

/* Begins the record of an action on a session; the caller adds members and ends the
 * record. */
void open_record(struct deletion *del, const char *action, const char *session_id);

/* Reports that a session is refused and skipped; *why is the reason. */
void refuse(struct deletion *del, const struct ctx_err *why);

/* Fails with CTX_EANSWER if the session must not be changed: it is on hold, its state
 * does not fit the options, or it has changed since it was listed. last_seq: sequence
 * number of the session's last message when the session was listed; -1: unknown. Call
 * inside the transaction that changes the session. */
int check_deletable_session(struct deletion *del, const struct ctx_session *s,
    int64_t last_seq, struct ctx_err *err);

/* Processes each session that is named on the command line, listed on stdin, or owned by
 * the user of --user. */
int act_on_all(struct deletion *del, struct ctx_err *err);

/* purge_all purges all selected sessions (delete_purge.c). purge_session adds one session
 * to the purge; last_seq: sequence number of the session's last message when the session
 * was listed; -1: unknown. */
int purge_all(struct deletion *del, struct ctx_err *err);
int purge_session(
    struct deletion *del, const char *session_id, int64_t last_seq, struct ctx_err *err);

/* Redacts the messages that the operands name (delete_redact.c). */
int redact_messages(struct deletion *del, int argc, char **argv, struct ctx_err *err);

/* Prints the receipt of --receipt: a record that says how much of the removed texts was
 * still found in the store and in archives (delete_receipt.c). */
int print_receipt(struct deletion *del, struct ctx_err *err);

#endif
