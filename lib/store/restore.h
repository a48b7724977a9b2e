/* A session on its way back into a store, record by record as ctx_store_export gave
 * them: the one place that honours a given seq. */
#ifndef CTX_STORE_RESTORE_H
#define CTX_STORE_RESTORE_H

#include "record/record.h"
#include "store/store.h"

struct ctx_restore;

struct ctx_restore_options {
	const char *as; /* under this id; NULL: its own */
	const char
	    *archive; /* JSON for a session that is not in the store yet, while it is
				* filled: where it comes from */
};

/* Begin with the session record. In a write transaction. Makes the session, archived, where
 * there is none. CTX_EANSWER when the one that is there is deleted or has newer messages
 * than the record tells of. */
int ctx_restore_begin(struct ctx_restore **out, struct ctx_store *st,
    struct ctx_span session_record, const struct ctx_restore_options *o,
    struct ctx_err *err);

/* At the beginning of each further write transaction: is the session still there to be
 * filled? CTX_EANSWER when it has been deleted or purged. */
int ctx_restore_go_on(struct ctx_restore *r, struct ctx_err *err);

/* The next record, in a write transaction; transactions may end between records, and a
 * restore that stopped half-way can begin again. Messages that are there must be the same
 * (CTX_EANSWER when not); records of other kinds are left out. */
int ctx_restore_put(
    struct ctx_restore *r, const struct ctx_record *record, struct ctx_err *err);

/* The end, in a write transaction: the session is active, and is what its record says. */
int ctx_restore_finish(struct ctx_restore *r, struct ctx_err *err);

/* The session; its members are final after ctx_restore_finish. */
const struct ctx_session *ctx_restore_session(const struct ctx_restore *r);
/* Requests that were left out: another session of the tenant has one of that id. */
int64_t ctx_restore_left_out(const struct ctx_restore *r);

void ctx_restore_free(struct ctx_restore *r);

#endif
