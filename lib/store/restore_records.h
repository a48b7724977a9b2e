/* Private to the store: the state of a restore, and a function that restores all kinds of
 * records except messages. */
#ifndef CTX_STORE_RESTORE_RECORDS_H
#define CTX_STORE_RESTORE_RECORDS_H

#include "record/message.h"
#include "store/restore.h"
#include "store/stmt.h"

struct ctx_restore {
	struct ctx_store *st;
	/* the session record from the archive, but with the id under which the session is
	 * restored */
	struct ctx_session want;
	struct ctx_session at; /* counters of the session up to the last stored message */
	char *old_id;          /* id of the session in the archive's records */
	/* messages up to this sequence number may already be in the store */
	int64_t have;
	int64_t events; /* number of events stored so far */
	int64_t left_out;
	/* the session's member "archive" (JSON) while the restore is incomplete */
	char *archive;
	/* the session's record as the last transaction of this restore stored it; if the
	 * stored record is different, another process has changed the session */
	char *row;
	char *tokenizer; /* name of the last message's tokenizer */
	/* true: the session is marked as archived, so its messages are read from its
	 * archive */
	bool aside;
	/* true: only check whether the session can be restored; nothing is written */
	bool trial;
	struct ctx_message view;
	struct ctx_buf text, record;
};

/* Stores a validated record of any kind except a message. Records of unknown kinds are
 * ignored. Fails as ctx_restore_put does. */
int ctx_restore_record(
    struct ctx_restore *r, const struct ctx_record *rec, struct ctx_err *err);

#endif
