/* Writes sessions into archives, and verifies archives. */
#ifndef CTX_ARCHIVE_SAVE_H
#define CTX_ARCHIVE_SAVE_H

#include "archive/archive.h"
#include "archive/place.h"
#include "store/export.h"

struct ctx_saved {
	bool snapshot; /* true: the archive is a snapshot, so the session stays active */
	bool written;  /* true: the archive file exists, even if a later step failed */
	/* digest of the session's records when the archive was written (see
	 * ctx_store_stamp) */
	char stamp[CTX_HASH_HEX + 1];
	char *uri;
	struct ctx_archive_info info;
};
void ctx_saved_release(struct ctx_saved *saved);

/* Convert *saved to JSON and back, so that the result can be passed to another process.
 * The JSON omits the member "snapshot", and those members of "info" that ctx_mark_add
 * does not use. */
void ctx_saved_print(struct ctx_buf *out, const struct ctx_saved *saved);
void ctx_saved_parse(struct ctx_saved *saved, struct ctx_span json);

/* Called for each record (JSON without a newline) before it is written into an archive.
 * To change the record, the function sets *line to the new text, which must stay valid
 * until the next call. */
typedef int ctx_save_change_fn(struct ctx_span *line, struct ctx_err *err);

/* A session to archive. The caller sets the members "blobs", "st", "session", "threads",
 * "change" and "saved.snapshot", and releases the struct. */
struct ctx_save {
	struct ctx_blobs *blobs;
	struct ctx_store *st;
	struct ctx_session session; /* owned */
	int threads;                /* number of additional threads for compression */
	/* called for each record, to redact it; the archive then states that it was
	 * redacted. NULL: records are written unchanged */
	ctx_save_change_fn *change;
	struct ctx_saved saved; /* the result */

	/* 1: the archive was written; 0: nothing was written, because the session has
	 * changed; -1: an error occurred, which is in the member "err" */
	int rc;
	struct ctx_err err;
	char *name;
	struct ctx_blob_put *put;
};

/* Writes the archive of the session, and sets w->rc. The archive becomes visible and
 * durable with ctx_save_commit. w->err is CTX_EANSWER if an archive of this name exists
 * and must not be replaced: it belongs to another store or session, or contains messages
 * that the session does not have.
 *
 * The archives of an unchanged session always consist of the same bytes. For this reason,
 * the session record in an archive always has the status "active", and a snapshot does
 * not contain the events of earlier snapshots. */
void ctx_save_write(struct ctx_save *w);

/* Makes n written archives durable together, which needs fewer syncs to disk, and reads
 * them back. Sets v[i].rc to 1 if all lines, counts, CRCs and digests of archive i are
 * correct. v[i].err is CTX_EANSWER if the bytes that were read differ from those that
 * were written. */
void ctx_save_commit(struct ctx_save *v, size_t n);

void ctx_save_release(struct ctx_save *w);

/* Prepares the cleanup of a session that was archived by an earlier run and still has its
 * messages in the store. Reads and verifies the session's archive, and fills in *saved as
 * ctx_save_write and ctx_save_commit do. Returns 1 on success, -1 on error. */
int ctx_save_again(struct ctx_places *places, struct ctx_store *st,
    const struct ctx_session *s, struct ctx_saved *saved, struct ctx_err *err);

/* Verifies the archive that the session's record names. Returns 1 if the archive is
 * sound, 0 if the archive is missing, -1 on error. If the result is 1 and info is not
 * NULL, *info is filled in, and the caller releases it. */
int ctx_save_verify_session(struct ctx_places *places, const struct ctx_session *s,
    struct ctx_archive_info *info, struct ctx_err *err);

/* Reads and verifies a whole archive. sha256: the expected digest of the file, or NULL.
 * Returns 1 if the archive is sound, 0 if the archive does not exist, -1 on error:
 * CTX_EANSWER if the archive is damaged or has another digest. If the result is 1, *info
 * is filled in, and the caller releases it. */
int ctx_save_verify(struct ctx_source *source, const char *sha256,
    struct ctx_archive_info *info, struct ctx_err *err);

#endif
