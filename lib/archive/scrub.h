/* Completes a purge: overwrites bytes of purged texts that remain in the store's files,
 * and verifies that none are left. */
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
	/* number of damaged archives; they were searched as far as they could be read */
	int64_t archives_damaged;
	/* true: the session of the archive being searched is still in the store */
	bool stays;
	/* the redaction that was just carried out; NULL: texts were purged, not
	 * redacted */
	const struct ctx_redaction *redaction;
	int64_t redacted_no;
	/* true: the archive being searched belongs to the redacted session */
	bool redacted;
};

/* Extracts needles from the session's messages and summaries, which are in the store st,
 * and adds them to s->needles. Call before the messages and summaries are removed. */
int ctx_scrub_note(struct ctx_scrub *s, struct ctx_store *st,
    const struct ctx_session *session, struct ctx_err *err);

/* Extracts needles from additions (texts that requests of the session contain and that
 * are not messages), and adds them to s->needles. Call before the requests are
 * removed. */
int ctx_scrub_note_records(
    struct ctx_scrub *s, const struct ctx_session *session, struct ctx_err *err);

/* Like ctx_scrub_note, but for an archived session: extracts needles from the compressed
 * texts that the derived file stores for full-text search. */
int ctx_scrub_note_kept(
    struct ctx_scrub *s, const struct ctx_session *session, struct ctx_err *err);

/* Overwrites the remains of removed texts in the store's files, and searches the files
 * for these texts:
 * - If derived is true, overwrites erased entries of derived data.
 * - Returns free pages to the file system, and empties the logs.
 * - Overwrites the free space of the files, and searches this space or, with
 * s->everywhere, the whole files.
 * - If a removed text is found that no remaining text contains, or if rewrite is true,
 * writes the files anew and searches again.
 * Sets *counts to the result of the last search. Fails with CTX_EBUSY if a reader of the
 * store prevents one of these steps. */
int ctx_scrub_store(struct ctx_scrub *s, bool derived, bool rewrite,
    struct ctx_needle_counts *counts, struct ctx_err *err);

/* Searches one record of an archive for removed texts. Call for all records in order,
 * including the closing record (of kind "archive"), whose member "action" is "damaged" if
 * the archive could not be read to its end. A needle that is found in the record is
 * flagged as shared if the record may keep the text: the record's session is still in the
 * store, and the message was not redacted. */
int ctx_scrub_archived(
    struct ctx_scrub *s, const struct ctx_record *record, struct ctx_err *err);

#endif
