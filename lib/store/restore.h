/* Restores a session into a store from the records that ctx_store_export wrote. Only this
 * code accepts given sequence numbers. */
#ifndef CTX_STORE_RESTORE_H
#define CTX_STORE_RESTORE_H

#include "record/record.h"
#include "store/store.h"

struct ctx_restore;

/* Members of the row of a message that validating it yields, so that a message that was
 * validated is not parsed again. */
struct ctx_restore_facts {
	int role; /* enum ctx_role */
	bool starts_turn;
	int64_t tool_calls;
};

struct ctx_restore_options {
	const char *as; /* the id to restore it under; NULL: its own */
	const char
	    /* the archive member (JSON) of a session that is created here, while the
	     * restore is incomplete */
	    *archive;
	/* only check whether it could be restored: nothing is written, and no transaction
	 * is needed */
	bool trial;
};

/* Starts with the session record; call inside a write transaction. Creates the session,
 * as archived, if it does not exist. CTX_EANSWER when the existing session is deleted or
 * has newer messages than the record. */
int ctx_restore_begin(struct ctx_restore **out, struct ctx_store *st,
    struct ctx_span session_record, const struct ctx_restore_options *o,
    struct ctx_err *err);

/* Call at the start of each further write transaction, to check that the session still
 * exists. CTX_EANSWER when it was deleted or purged. */
int ctx_restore_go_on(struct ctx_restore *r, struct ctx_err *err);

/* Stores the next record; call inside a write transaction. checked: the facts of this
 * record, which ctx_restore_checks_add validated; NULL validates it here. Transactions may
 * end between records, and an interrupted restore can be started again. Messages that
 * exist must be identical (CTX_EANSWER); records of unknown kinds are ignored. */
int ctx_restore_put(struct ctx_restore *r, const struct ctx_record *record,
    const struct ctx_restore_facts *checked, struct ctx_err *err);

/* Ends the restore: the session becomes active and equal to its record. Call inside a
 * write transaction. */
int ctx_restore_finish(struct ctx_restore *r, struct ctx_err *err);

/* The restored session; its members are final after ctx_restore_finish. */
const struct ctx_session *ctx_restore_session(const struct ctx_restore *r);
/* The number of requests that were not restored because another session of the tenant has
 * a request with that id. */
int64_t ctx_restore_left_out(const struct ctx_restore *r);

void ctx_restore_free(struct ctx_restore *r);

#endif
