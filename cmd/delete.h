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
	/* true while the transaction of a group of sessions is open; the group's records
	 * are then buffered in cli_out */
	bool changing;
	int64_t refused;
	int64_t owned; /* number of sessions of the user of --user that were processed */

	/* for purging: */
	struct ctx_erase erase;
	/* records of purged sessions, printed after the sessions' data is erased */
	struct ctx_buf done;
	/* true: this run has erased the data that belongs to the user of --user but to no
	 * session */
	bool user_erased;
};

/* Begins the record of an action; the caller adds members and ends the record. */
void open_record(struct deletion *del, const char *action, const char *session_id);

/* Reports that a session is refused and skipped; *why is the reason. */
void refuse(struct deletion *del, const struct ctx_err *why);

/* Fails if the options do not allow this session to be changed. last_seq is the sequence
 * number that the session's last message had when the session was listed; -1: not known.
 * Call inside the transaction that changes the session. */
int check_deletable_session(struct deletion *del, const struct ctx_session *s,
    int64_t last_seq, struct ctx_err *err);

/* Processes each session that is named on the command line, listed on stdin, or owned by
 * the user of --user. */
int act_on_all(struct deletion *del, struct ctx_err *err);

/* purge_all purges all selected sessions; purge_session purges one of them
 * (delete_purge.c). last_seq is as for check_deletable_session. */
int purge_all(struct deletion *del, struct ctx_err *err);
int purge_session(
    struct deletion *del, const char *session_id, int64_t last_seq, struct ctx_err *err);

/* Redacts the messages that the operands name (delete_redact.c). */
int redact_messages(struct deletion *del, int argc, char **argv, struct ctx_err *err);

/* Prints the receipt: a record of what is left, in the store and in archives, of the
 * texts that were removed (delete_receipt.c). */
int print_receipt(struct deletion *del, struct ctx_err *err);

#endif
