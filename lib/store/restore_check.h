/* Validates the records of an archive without a store. Verifying and restoring an archive
 * use this code, and so the same rules. */
#ifndef CTX_STORE_RESTORE_CHECK_H
#define CTX_STORE_RESTORE_CHECK_H

#include "record/message.h"
#include "record/record.h"
#include "record/session.h"
#include "store/restore.h"

/* Validates one record that follows the session record, which was read into *s. last_seq
 * is the sequence number of the previous message (0: none). If the record is a message,
 * it is parsed into *view, and *facts is set. Fails with CTX_EINPUT if the record is
 * invalid. */
int ctx_restore_check(const struct ctx_session *s, int64_t last_seq,
    const struct ctx_record *rec, struct ctx_message *view,
    struct ctx_restore_facts *facts, struct ctx_err *err);

/* The state of validating all records of an archive in order. */
struct ctx_restore_checks {
	struct ctx_session session;
	struct ctx_message view;
	/* properties of the message that was validated last */
	struct ctx_restore_facts facts;
	int64_t records, last_seq;
	struct ctx_buf text; /* buffer for decoding an id */
	uint64_t *ids;       /* digests of the messages' record ids, to find duplicates */
	size_t n_ids, cap_ids;
};
void ctx_restore_checks_init(struct ctx_restore_checks *c);
void ctx_restore_checks_release(struct ctx_restore_checks *c);

/* Validates the next record. Fails with CTX_EANSWER if the record is invalid; the error
 * message contains the record's number. */
int ctx_restore_checks_add(
    struct ctx_restore_checks *c, const struct ctx_record *rec, struct ctx_err *err);

/* Call it after the last record: checks that there are as many messages as the session
 * record says, and that no record id occurs twice. Fails with CTX_EANSWER if one of these
 * checks fails. */
int ctx_restore_checks_end(struct ctx_restore_checks *c, struct ctx_err *err);

#endif
