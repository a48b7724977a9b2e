/* Completes a purge: erases the bytes of purged texts that remain in the store's files,
 * and verifies that no such bytes are left. */
#ifndef CTX_ARCHIVE_SCRUB_H
#define CTX_ARCHIVE_SCRUB_H

#include "archive/needle.h"
#include "record/redaction.h"
#include "record/record.h"
#include "store/store.h"

struct ctx_scrub {
	struct ctx_store *st;
	/* the pieces of removed texts (needles) to search for */
	struct ctx_needles *needles;
	/* true: search the whole files, not only their free space */
	bool everywhere;
	/* number of bytes that were returned to the file system */
	int64_t bytes_returned;
	int64_t bytes_scanned;
	int64_t archives_scanned;
	/* number of damaged archives, which were searched as far as they can be read */
	int64_t archives_damaged;
	/* true: the archive being searched belongs to a session that was not removed */
	bool stays;
	/* the redaction of session number redacted_no; NULL: nothing was redacted */
	const struct ctx_redaction *redaction;
	int64_t redacted_no;
	/* true: the archive being searched belongs to session redacted_no */
	bool redacted;
};

/* Adds the messages and summaries of a session in st to s->needles. Call before the
 * messages and summaries are removed. */
int ctx_scrub_note(struct ctx_scrub *s, struct ctx_store *st,
    const struct ctx_session *session, struct ctx_err *err);

/* Adds to s->needles the texts that requests of the session contained in addition to the
 * session's messages. Call before these texts are removed. */
int ctx_scrub_note_records(
    struct ctx_scrub *s, const struct ctx_session *session, struct ctx_err *err);

/* Like ctx_scrub_note, but adds the compressed texts that the derived file stores so that
 * the messages of an archived session can be searched. */
int ctx_scrub_note_kept(
    struct ctx_scrub *s, const struct ctx_session *session, struct ctx_err *err);

/* Returns free pages to the file system, empties the logs, and overwrites and searches
 * the free space of the files. If derived is true, first overwrites erased entries of
 * derived data. If the search finds a removed text that no remaining text contains, or if
 * rewrite is true, rewrites the files and searches them again. *counts is the result of
 * the last search. Fails with CTX_EBUSY if a reader of the store prevents one of these
 * steps. */
int ctx_scrub_store(struct ctx_scrub *s, bool derived, bool rewrite,
    struct ctx_needle_counts *counts, struct ctx_err *err);

/* Searches one record of an archive for removed texts; call it for each record in order.
 * Texts of sessions that are in the store may remain. A record of kind "archive" ends an
 * archive; its action is "damaged" if the archive is damaged. */
int ctx_scrub_archived(
    struct ctx_scrub *s, const struct ctx_record *record, struct ctx_err *err);

#endif
