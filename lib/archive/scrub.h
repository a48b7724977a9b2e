/* Used after a purge: removes the bytes of removed texts from the store's files, and
 * proves that none are left. */
#ifndef CTX_ARCHIVE_SCRUB_H
#define CTX_ARCHIVE_SCRUB_H

#include "archive/needle.h"
#include "record/redaction.h"
#include "record/record.h"
#include "store/store.h"

struct ctx_scrub {
	struct ctx_store *st;
	struct ctx_needles *needles; /* pieces of the removed texts, to search for */
	/* also search rows, not only the free space that removed rows left */
	bool everywhere;
	int64_t bytes_returned; /* bytes returned to the file system */
	int64_t bytes_scanned;
	int64_t archives_scanned;
	/* archives searched that are damaged; they are searched as far as they can be
	 * read */
	int64_t archives_damaged;
	bool rewritten; /* the files had to be rewritten */
	bool stays; /* the archive being searched is of a session that was not removed */
	/* what was redacted in the session with number redacted_no; NULL: nothing */
	const struct ctx_redaction *redaction;
	int64_t redacted_no;
	bool redacted; /* the archive being searched is of that session */
};

/* Adds the texts of a session in st to s->needles: messages and summaries. Call it before they
 * are removed. */
int ctx_scrub_note(struct ctx_scrub *s, struct ctx_store *st,
    const struct ctx_session *session, struct ctx_err *err);

/* Adds the texts that the requests of a session added to messages. */
int ctx_scrub_note_records(
    struct ctx_scrub *s, const struct ctx_session *session, struct ctx_err *err);

/* As ctx_scrub_note, for the compressed texts of an archived session's messages that are
 * kept for search. */
int ctx_scrub_note_kept(
    struct ctx_scrub *s, const struct ctx_session *session, struct ctx_err *err);

/* Returns free pages to the file system, empties the logs, and overwrites and searches
 * the free space of the files. With derived, erased entries of derived data are
 * overwritten first. If a removed text is found that no remaining text contains, or with
 * rewrite in any case, the files are rewritten and searched again. *counts is the result
 * of the last search. CTX_EBUSY if a reader prevents it. */
int ctx_scrub_store(struct ctx_scrub *s, bool derived, bool rewrite,
    struct ctx_needle_counts *counts, struct ctx_err *err);

/* Searches archives, one record per call. Texts of sessions that are in the store may
 * remain. A record of kind "archive" ends an archive; its action is "damaged" if the
 * archive is damaged. */
int ctx_scrub_archived(
    struct ctx_scrub *s, const struct ctx_record *record, struct ctx_err *err);

#endif
