/* After a purge: the store's files without a byte of what was removed, and the proof. */
#ifndef CTX_ARCHIVE_SCRUB_H
#define CTX_ARCHIVE_SCRUB_H

#include "archive/needle.h"
#include "record/redaction.h"
#include "record/record.h"
#include "store/store.h"

struct ctx_scrub {
	struct ctx_store *st;
	struct ctx_needles *needles; /* of the removed messages */
	bool
	    everywhere; /* search rows too, not only the room that rows were removed from */
	int64_t bytes_returned; /* to the file system */
	int64_t bytes_scanned;
	int64_t archives_scanned;
	int64_t
	    archives_damaged; /* searched ones that are damaged, as far as they can be read */
	bool rewritten;       /* the files had to be written anew */
	bool stays;           /* the archive at hand is of a session that stays */
	/* what was redacted in the session of that number; NULL: nothing */
	const struct ctx_redaction *redaction;
	int64_t redacted_no;
	bool redacted; /* the archive at hand is of that session */
};

/* Take in the texts of a session in st, before they are removed: messages and summaries. */
int ctx_scrub_note(struct ctx_scrub *s, struct ctx_store *st,
    const struct ctx_session *session, struct ctx_err *err);

/* And what its requests added to messages. */
int ctx_scrub_note_records(
    struct ctx_scrub *s, const struct ctx_session *session, struct ctx_err *err);

/* And what is kept of its messages, compressed, to search them. */
int ctx_scrub_note_kept(
    struct ctx_scrub *s, const struct ctx_session *session, struct ctx_err *err);

/* Overwrite what is derived (with derived), give freed pages back, empty the logs, and
 * search the files. Where pieces are found that no text which stays has, or with rewrite at
 * once, the files are written anew. counts is what is left. CTX_EBUSY when a reader is in
 * the way. */
int ctx_scrub_store(struct ctx_scrub *s, bool derived, bool rewrite,
    struct ctx_needle_counts *counts, struct ctx_err *err);

/* Search archives, a record at a time: what a session of the store has in its archive
 * stays. A record of kind archive ends one, and tells by its action whether it is damaged. */
int ctx_scrub_archived(
    struct ctx_scrub *s, const struct ctx_record *record, struct ctx_err *err);

#endif
