/* Redacts messages of a session for good: in the store, in the session's archives, in
 * derived data, and in the bytes of the store's files. The store records the redaction as
 * an event, which is marked as unfinished until the redaction is complete. After an
 * interruption, the same call can be repeated. */
#ifndef CTX_ARCHIVE_REDACT_H
#define CTX_ARCHIVE_REDACT_H

#include "archive/archive.h"
#include "archive/erase.h"
#include "store/redaction.h"

struct ctx_redact {
	/* opened by the caller; e->scrub searches the files for removed texts */
	struct ctx_erase *e;
	/* Messages to redact. If what->match is set, what->seqs may be empty; all
	 * messages that contain the text in what->match are then redacted. */
	struct ctx_redaction *what;
	int64_t now; /* time of the event, in ms since the epoch */
	bool dry_run;
	/* Rewrites an archive in object storage as ctx_rewrite_archive does, and fills in
	 * the members of *info that a session record holds. */
	int (*rewrite_remote)(void *arg, const char *uri,
	    const struct ctx_redaction *what, struct ctx_archive_info *info,
	    struct ctx_err *err);
	void *arg;

	/* Results: */
	struct ctx_store_redaction done;
	/* number of archives that were rewritten or contained nothing to redact */
	int64_t archives;
	struct ctx_needle_counts counts;
	bool repeated; /* true: this call completed a redaction that was interrupted */
	int64_t *seqs; /* sequence numbers of the redacted messages, owned */
};

/* Redacts the messages; *s must be up to date. Fails with CTX_EANSWER if a message does
 * not exist, if a message does not contain the text in what->match, or if the session is
 * on hold. If job->done.messages is 0 afterwards and job->repeated is false, the messages
 * had been redacted before. Archives that could not be rewritten are counted in
 * e->missing, archives of other stores in e->left. */
int ctx_redact_session(
    struct ctx_redact *job, const struct ctx_session *s, struct ctx_err *err);
void ctx_redact_release(struct ctx_redact *job);

#endif
