/* Writes sessions into archives, and verifies them. */
#ifndef CTX_ARCHIVE_SAVE_H
#define CTX_ARCHIVE_SAVE_H

#include "archive/archive.h"
#include "archive/places.h"
#include "store/export.h"

/* Longest line that is accepted in an archive: more than a store can hold. */
#define CTX_ARCHIVE_LINE_MAX ((size_t)1 << 30)

struct ctx_saved {
	bool snapshot;                /* the session stays active */
	bool written;                 /* a file exists, even after a failure */
	char stamp[CTX_HASH_HEX + 1]; /* of the session as archived */
	char *uri;
	struct ctx_archive_info info;
};
void ctx_saved_release(struct ctx_saved *saved);

/* Prints and parses *saved as JSON, to pass it between processes. Only the members of
 * info that marking needs are included. */
void ctx_saved_print(struct ctx_buf *out, const struct ctx_saved *saved);
void ctx_saved_parse(struct ctx_saved *saved, struct ctx_span json);

/* Changes a record (JSON, without a newline) on its way into an archive: either
 * sets *line to the new text, which is valid until the next call, or leaves it. */
typedef int ctx_save_change_fn(struct ctx_span *line, struct ctx_err *err);

/* A session to archive. The caller sets the first members, and releases the struct. */
struct ctx_save {
	struct ctx_blobs *blobs;
	struct ctx_store *st;
	struct ctx_session session; /* owned */
	int threads;                /* additional threads for compression */
	/* NULL: the archive holds the session as it is; else it says that it was redacted */
	ctx_save_change_fn *change;
	struct ctx_saved saved; /* the caller sets snapshot */

	/* 1: written; 0: the session has changed, nothing was written; -1 with err */
	int rc;
	struct ctx_err err;
	char *name;
	struct ctx_blob_put *put;
};

/* Writes the archive of the session; ctx_save_commit then makes it durable. The result is
 * in w->rc. CTX_EANSWER if an archive of that name holds more messages than the session,
 * or belongs to another session.
 *
 * The session record in the archive names the store that wrote it, and always has the
 * status active. A snapshot leaves out the events of snapshots. Therefore the same
 * session of a store always gives the same bytes. */
void ctx_save_write(struct ctx_save *w);

/* Makes the written archives of v[n] durable, with shared syncs, and reads them back.
 * If rc of one is 1 afterwards, all its lines, counts, CRCs and digests were verified.
 * CTX_EANSWER if the bytes read differ from those written. */
void ctx_save_commit(struct ctx_save *v, size_t n);

void ctx_save_release(struct ctx_save *w);

/* Reads the archive of a session that is archived but not cleaned up, and fills in
 * *saved as the two functions above do. Returns 1 or -1. */
int ctx_save_again(struct ctx_places *places, struct ctx_store *st,
    const struct ctx_session *s, struct ctx_saved *saved, struct ctx_err *err);

/* Verifies the archive that the session names. Returns 1 if it is sound, 0 if it is
 * missing, -1 on error. info (may be NULL) is as below. */
int ctx_save_verify_session(struct ctx_places *places, const struct ctx_session *s,
    struct ctx_archive_info *info, struct ctx_err *err);

/* Reads and verifies a whole archive. sha256 is the expected digest of the file, or
 * NULL. Returns 1 if it is sound, with info filled in (the caller releases it); 0 if
 * there is no archive; -1 on error, with CTX_EANSWER if it is damaged or has another
 * digest. */
int ctx_save_verify(struct ctx_source *source, const char *sha256,
    struct ctx_archive_info *info, struct ctx_err *err);

#endif
