/* Redacts messages of a session permanently: in the store, in the session's archives, in
 * derived data, and in deleted bytes of the store's files. An event in the store records
 * the redaction; until the redaction is complete, the event is marked as unfinished.
 * After an interruption, the same call can be repeated. */
#ifndef CTX_ARCHIVE_REDACT_H
#define CTX_ARCHIVE_REDACT_H

#include "archive/archive.h"
#include "archive/erase.h"
#include "store/redaction.h"

struct ctx_redact {
	/* opened by the caller; e->scrub collects the removed texts, for which the
	 * store's files are then searched */
	struct ctx_erase *e;
	/* What to redact. what->seqs: sequence numbers of the messages. If what->match is
	 * set, only this text is removed; what->seqs may then be empty, which means all
	 * messages that contain the text. */
	struct ctx_redaction *what;
	int64_t now; /* time of the event, in ms since the epoch */
	bool dry_run;
	/* Does the same as ctx_rewrite_archive for an archive in object storage. Sets
	 * those members of *info that a session record contains. */
	int (*rewrite_remote)(void *arg, const char *uri,
	    const struct ctx_redaction *what, struct ctx_archive_info *info,
	    struct ctx_err *err);
	void *arg;

	/* Results: */
	struct ctx_store_redaction done;
	/* number of archives that are redacted now, including those that contained
	 * nothing to redact */
	int64_t archives;
	struct ctx_needle_counts counts;
	/* true: an earlier redaction was interrupted, and this call completed it */
	bool repeated;
	int64_t *seqs; /* sequence numbers of the redacted messages, owned */
};

/* Redacts the messages. *s must be up to date. Fails with CTX_EANSWER if a message in
 * what->seqs does not exist, if no message contains the text in what->match, or if the
 * session is on hold or was changed meanwhile. If job->done.messages is 0 and
 * job->repeated is false afterwards, the messages were redacted before. Archives that
 * could not be rewritten are counted in job->e->missing, and archives of other stores in
 * job->e->left. */
int ctx_redact_session(
    struct ctx_redact *job, const struct ctx_session *s, struct ctx_err *err);
void ctx_redact_release(struct ctx_redact *job);

#endif
