/* Redacts messages of a session for good: in the store, in its archives, in derived data,
 * and in the bytes of the files. An interrupted run is found by its event, and can be
 * repeated. */
#ifndef CTX_ARCHIVE_REDACT_H
#define CTX_ARCHIVE_REDACT_H

#include "archive/archive.h"
#include "archive/erase.h"
#include "store/redaction.h"

struct ctx_redact {
	struct ctx_erase *e; /* opened by the caller; its scrub finds what is left */
	/* seqs may be empty with match: the messages that contain the text are found */
	struct ctx_redaction *what;
	int64_t now; /* ms */
	bool dry_run;
	/* Rewrites an archive in object storage, as ctx_rewrite_archive does, and fills in
	 * the members of info that a session records. */
	int (*rewrite_remote)(void *arg, const char *uri,
	    const struct ctx_redaction *what, struct ctx_archive_info *info,
	    struct ctx_err *err);
	void *arg;

	/* results */
	struct ctx_store_redaction done;
	int64_t archives; /* that were rewritten or are clean */
	struct ctx_needle_counts counts;
	bool repeated; /* an interrupted run was completed */
	int64_t *seqs; /* owned */
};

/* *s must be current. CTX_EANSWER if a message does not exist or does not contain the text,
 * or if the session is on hold. done.messages == 0 without repeated: everything was redacted
 * already. Archives that could not be rewritten are counted in e->missing and e->left. */
int ctx_redact_session(
    struct ctx_redact *job, const struct ctx_session *s, struct ctx_err *err);
void ctx_redact_release(struct ctx_redact *job);

#endif
