/* Private to the restoring of a session: its state, and the records that are no messages. */
#ifndef CTX_STORE_RESTORE_RECORDS_H
#define CTX_STORE_RESTORE_RECORDS_H

#include "record/message.h"
#include "store/restore.h"
#include "store/stmt.h"

struct ctx_restore {
	struct ctx_store *st;
	struct ctx_session want; /* as the record says, under the id that it gets */
	struct ctx_session at;   /* counters up to the message that was last put */
	char *old_id;            /* the id in the records */
	int64_t have;            /* seq up to which messages may be there already */
	int64_t events;          /* that were put */
	int64_t left_out;
	char *archive;   /* while it is filled */
	char *row;       /* the session's record as the last transaction left it */
	char *tokenizer; /* of the last message */
	bool aside;      /* readers are sent to the archive */
	struct ctx_message view;
	struct ctx_buf text, record;
};

/* Put a checked record of any kind but a message; what is unknown is passed over. Its
 * errors are those of ctx_restore_put. */
int ctx_restore_record(
    struct ctx_restore *r, const struct ctx_record *rec, struct ctx_err *err);

#endif
