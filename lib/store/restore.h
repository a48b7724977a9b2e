/* Restores a session into a store from the records that ctx_store_export wrote. Messages
 * keep their sequence numbers; no other code accepts given numbers. */
#ifndef CTX_STORE_RESTORE_H
#define CTX_STORE_RESTORE_H

#include "record/record.h"
#include "store/store.h"

struct ctx_restore;

/* Facts about a message that its validation finds, and its row needs. They are passed on,
 * so that a validated message is not parsed again. */
struct ctx_restore_facts {
	int role; /* enum ctx_role */
	bool starts_turn;
	int64_t tool_calls;
};

struct ctx_restore_options {
	/* id under which the session is restored; NULL: the id in the record */
	const char *as;
	/* JSON, the member "archive" of a session that is created here, until the restore
	 * is complete */
	const char *archive;
	/* Only check whether the session could be restored: nothing is written, and no
	 * transaction is needed. */
	bool trial;
};

/* Starts a restore with the session record. Creates the session, as archived, if it does
 * not exist. Call inside a write transaction. CTX_EANSWER if the session exists and is
 * deleted, or has newer messages than the record. */
int ctx_restore_begin(struct ctx_restore **out, struct ctx_store *st,
    struct ctx_span session_record, const struct ctx_restore_options *o,
    struct ctx_err *err);

/* Checks that the session has not been changed by others; call it at the start of each
 * further write transaction. CTX_EANSWER if the session was changed, deleted or
 * purged. */
int ctx_restore_go_on(struct ctx_restore *r, struct ctx_err *err);

/* Stores the next record. checked are the facts of this record if ctx_restore_checks_add
 * has validated it; if checked is NULL, the record is validated here. A transaction may
 * end after any record, and an interrupted restore can be started again. CTX_EANSWER if
 * the store has a different message with the same number. Records of unknown kinds are
 * ignored. Call inside a write transaction. */
int ctx_restore_put(struct ctx_restore *r, const struct ctx_record *record,
    const struct ctx_restore_facts *checked, struct ctx_err *err);

/* Completes the restore: the session becomes active and equal to its record. CTX_EANSWER
 * if messages are missing. Call inside a write transaction. */
int ctx_restore_finish(struct ctx_restore *r, struct ctx_err *err);

/* Returns the restored session, borrowed. Its members are final after
 * ctx_restore_finish. */
const struct ctx_session *ctx_restore_session(const struct ctx_restore *r);
/* Returns the number of requests that were not restored because another session of the
 * tenant has a request with the same id. */
int64_t ctx_restore_left_out(const struct ctx_restore *r);

void ctx_restore_free(struct ctx_restore *r);

#endif
