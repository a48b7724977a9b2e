/* What the records of an archive have to be, to become a session again: judged without a
 * store, so that verifying an archive and restoring it know one set of rules. */
#ifndef CTX_STORE_RESTORE_CHECK_H
#define CTX_STORE_RESTORE_CHECK_H

#include "record/message.h"
#include "record/record.h"
#include "record/session.h"

/* One record that is not the first, after the message last_seq (0: none). s is the session
 * of the first. Of a message, view is its parsed form then. CTX_EINPUT. */
int ctx_restore_check(const struct ctx_session *s, int64_t last_seq,
    const struct ctx_record *rec, struct ctx_message *view, struct ctx_err *err);

/* All of them, one by one. */
struct ctx_restore_checks {
	struct ctx_session session;
	struct ctx_message view;
	int64_t records, last_seq;
	uint64_t *ids; /* digests of the ids that were given to messages */
	size_t n_ids, cap_ids;
};
void ctx_restore_checks_init(struct ctx_restore_checks *c);
void ctx_restore_checks_release(struct ctx_restore_checks *c);

/* The next record. CTX_EANSWER, and a message that names it. */
int ctx_restore_checks_add(
    struct ctx_restore_checks *c, const struct ctx_record *rec, struct ctx_err *err);

/* The last was added: are they as many as the session's record says, each with an id of its
 * own? CTX_EANSWER. */
int ctx_restore_checks_end(struct ctx_restore_checks *c, struct ctx_err *err);

#endif
