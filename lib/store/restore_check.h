/* Validates the records of an archive without a store, so that verifying and restoring an
 * archive use the same rules. */
#ifndef CTX_STORE_RESTORE_CHECK_H
#define CTX_STORE_RESTORE_CHECK_H

#include "record/message.h"
#include "record/record.h"
#include "record/session.h"
#include "store/restore.h"

/* Validates one record after the first; last_seq is the sequence number of the previous
 * message (0: none), s the session of the first record. For a message, parses it into
 * view, and sets *facts. CTX_EINPUT if invalid. */
int ctx_restore_check(const struct ctx_session *s, int64_t last_seq,
    const struct ctx_record *rec, struct ctx_message *view,
    struct ctx_restore_facts *facts, struct ctx_err *err);

/* Validates all records of an archive, one after the other. */
struct ctx_restore_checks {
	struct ctx_session session;
	struct ctx_message view;
	struct ctx_restore_facts facts; /* of the last message */
	int64_t records, last_seq;
	struct ctx_buf text; /* of an id that is decoded */
	uint64_t *ids;       /* digests of the given ids of messages */
	size_t n_ids, cap_ids;
};
void ctx_restore_checks_init(struct ctx_restore_checks *c);
void ctx_restore_checks_release(struct ctx_restore_checks *c);

/* Validates the next record. CTX_EANSWER with a message that names it. */
int ctx_restore_checks_add(
    struct ctx_restore_checks *c, const struct ctx_record *rec, struct ctx_err *err);

/* Call after the last record: checks that there are as many messages as the session
 * record says, each with a unique id. CTX_EANSWER if not. */
int ctx_restore_checks_end(struct ctx_restore_checks *c, struct ctx_err *err);

#endif
