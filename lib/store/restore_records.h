/* Private to restoring a session: its state, and the records other than messages. */
#ifndef CTX_STORE_RESTORE_RECORDS_H
#define CTX_STORE_RESTORE_RECORDS_H

#include "record/message.h"
#include "store/restore.h"
#include "store/stmt.h"

struct ctx_restore {
	struct ctx_store *st;
	struct ctx_session want; /* as in the record, with the id that the session gets */
	struct ctx_session at;   /* counters up to the last message stored */
	char *old_id;            /* the id used in the records */
	/* messages up to this sequence number may exist already */
	int64_t have;
	int64_t events; /* that were put */
	int64_t left_out;
	char *archive;   /* while it is filled */
	char *row;       /* the session row as the last transaction left it */
	char *tokenizer; /* of the last message */
	bool aside;      /* readers are redirected to the archive */
	bool trial;      /* nothing is written */
	struct ctx_message view;
	struct ctx_buf text, record;
};

/* Stores a validated record of any kind except a message; unknown kinds are ignored.
 * Errors as for ctx_restore_put. */
int ctx_restore_record(
    struct ctx_restore *r, const struct ctx_record *rec, struct ctx_err *err);

#endif
