/* A session into an archive, and the proof that it is there. */
#ifndef CTX_ARCHIVE_SAVE_H
#define CTX_ARCHIVE_SAVE_H

#include "archive/archive.h"
#include "archive/places.h"
#include "store/export.h"

/* Longest line that is accepted in an archive: more than a store can hold. */
#define CTX_ARCHIVE_LINE_MAX ((size_t)1 << 30)

struct ctx_saved {
	bool snapshot;                /* of a session that stays as it is */
	bool written;                 /* a file is there, also after a failure */
	char stamp[CTX_HASH_HEX + 1]; /* of the session, as it is in the archive */
	char *uri;
	struct ctx_archive_info info;
};
void ctx_saved_release(struct ctx_saved *saved);

/* As JSON, from one process to another; of info what marking needs. */
void ctx_saved_print(struct ctx_buf *out, const struct ctx_saved *saved);
void ctx_saved_parse(struct ctx_saved *saved, struct ctx_span json);

/* A session that is to be archived: the caller sets the first members and releases it. */
struct ctx_save {
	struct ctx_blobs *blobs;
	struct ctx_store *st;
	struct ctx_session session; /* owned */
	int threads;                /* that compress beside the caller's */
	struct ctx_saved saved;     /* the caller sets snapshot */

	int rc; /* 1: written; 0: the session has moved on, nothing was written; -1 with err */
	struct ctx_err err;
	char *name;
	struct ctx_blob_put *put;
};

/* Write the archive of the session, which ctx_save_commit makes durable; the result is in
 * w->rc. CTX_EANSWER: the archive that is there holds more messages than the session, or is
 * another's.
 * The archive says of the session which store wrote it, and that it is active, whatever
 * becomes of it, so that the same session of a store always gives the same bytes; for that a
 * snapshot is without the events of snapshots. */
void ctx_save_write(struct ctx_save *w);

/* Make durable those of n that were written, with syncs that they share, and read them back:
 * where w->rc is 1 then, every line, count, CRC and digest of it has been seen to be right.
 * CTX_EANSWER: what came back is not what went out. */
void ctx_save_commit(struct ctx_save *v, size_t n);

void ctx_save_release(struct ctx_save *w);

/* As both do, of a session that is archived, but not cleaned up: its archive is read again.
 * 1, or -1. */
int ctx_save_again(struct ctx_places *places, struct ctx_store *st,
    const struct ctx_session *s, struct ctx_saved *saved, struct ctx_err *err);

/* Is the archive that a session says it is in there, and sound? 1; 0: it is missing; -1.
 * info, which may be NULL, as below. */
int ctx_save_verify_session(struct ctx_places *places, const struct ctx_session *s,
    struct ctx_archive_info *info, struct ctx_err *err);

/* Read a whole archive. 1: it is sound, and can be restored, info is filled in (release it); 0: there is none;
 * -1: CTX_EANSWER when it is damaged, or not of the digest (of the file; may be NULL). */
int ctx_save_verify(struct ctx_source *source, const char *sha256,
    struct ctx_archive_info *info, struct ctx_err *err);

#endif
