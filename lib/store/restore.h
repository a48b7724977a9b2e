/* Restores a session into a store from the records that ctx_store_export wrote. Messages
 * keep their sequence numbers. (All other code assigns new sequence numbers.) */
#ifndef CTX_STORE_RESTORE_H
#define CTX_STORE_RESTORE_H

#include "record/record.h"
#include "store/store.h"

struct ctx_restore;

/* Properties of a message that are stored in the message's row. The validation of the
 * message determines them, and the caller passes them to ctx_restore_put, which then need
 * not parse the message again. */
struct ctx_restore_facts {
	int role; /* value of enum ctx_role */
	bool starts_turn;
	int64_t tool_calls;
};

struct ctx_restore_options {
	/* id under which the session is restored; NULL: the id in the record */
	const char *as;
	/* JSON; if the restore creates the session, this is the value of the session's
	 * member "archive" until the restore is complete */
	const char *archive;
	/* true: only check whether the session can be restored; nothing is written, and
	 * no transaction is needed */
	bool trial;
};

/* Starts a restore with the session record. If the session does not exist, creates it and
 * marks it as archived. Call inside a write transaction. Fails with CTX_EANSWER if the
 * session is deleted, if it has newer messages than the record, if it belongs to a tenant
 * other than the one to which the store is restricted, or if it exists and o->as is
 * set. */
int ctx_restore_begin(struct ctx_restore **out, struct ctx_store *st,
    struct ctx_span session_record, const struct ctx_restore_options *o,
    struct ctx_err *err);

/* Checks that no other process has changed the session since the last transaction. Call
 * at the start of each write transaction except the first. Fails with CTX_EANSWER if the
 * session was changed, deleted or purged. */
int ctx_restore_go_on(struct ctx_restore *r, struct ctx_err *err);

/* Stores the next record. checked: the properties that ctx_restore_checks_add determined
 * for this record; NULL: ctx_restore_put validates the record itself. A transaction may
 * end after any record, and an interrupted restore can be started again. Fails with
 * CTX_EANSWER if the store has a different message with the same number. Records of
 * unknown kinds are ignored. Call inside a write transaction. */
int ctx_restore_put(struct ctx_restore *r, const struct ctx_record *record,
    const struct ctx_restore_facts *checked, struct ctx_err *err);

/* Completes the restore: the session becomes active, and gets all values of its record.
 * Fails with CTX_EANSWER if messages are missing. Call inside a write transaction. */
int ctx_restore_finish(struct ctx_restore *r, struct ctx_err *err);

/* Returns the session that is being restored, borrowed. Until ctx_restore_finish was
 * called, the session's members can still change. */
const struct ctx_session *ctx_restore_session(const struct ctx_restore *r);
/* Returns the number of requests that were not restored because another session of the
 * tenant has a request with the same id. */
int64_t ctx_restore_left_out(const struct ctx_restore *r);

void ctx_restore_free(struct ctx_restore *r);

#endif
