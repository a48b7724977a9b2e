/* Validates the records of an archive without a store. Both verifying and restoring an
 * archive use this code, so that the same rules apply. */
#ifndef CTX_STORE_RESTORE_CHECK_H
#define CTX_STORE_RESTORE_CHECK_H

#include "record/message.h"
#include "record/record.h"
#include "record/session.h"
#include "store/restore.h"

/* Validates one record of an archive. *s: the session record of the archive; last_seq:
 * sequence number of the last message that precedes this record in the archive; 0: no
 * message precedes the record. For the record of a message, parses the message into *view
 * and sets *facts; for other records, changes neither. Fails with CTX_EINPUT if the
 * record is invalid. */
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

/* Call after the last record. Fails with CTX_EANSWER if the number of messages is not the
 * number in the session record, or if a record id occurs twice. */
int ctx_restore_checks_end(struct ctx_restore_checks *c, struct ctx_err *err);

#endif
