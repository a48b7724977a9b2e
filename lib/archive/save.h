/* Writes sessions into archives, and verifies archives. */
#ifndef CTX_ARCHIVE_SAVE_H
#define CTX_ARCHIVE_SAVE_H

#include "archive/archive.h"
#include "archive/places.h"
#include "store/export.h"

struct ctx_saved {
	bool snapshot; /* true: the archive is a snapshot, and the session stays active */
	bool written;  /* true: the file exists, even if a later step failed */
	/* digest of the session (ctx_store_stamp) when the session was archived */
	char stamp[CTX_HASH_HEX + 1];
	char *uri;
	struct ctx_archive_info info;
};
void ctx_saved_release(struct ctx_saved *saved);

/* ctx_saved_print appends *saved as JSON, and ctx_saved_parse parses such JSON, so that
 * *saved can be passed between processes. The JSON has only the members of saved->info
 * that ctx_mark_add needs. */
void ctx_saved_print(struct ctx_buf *out, const struct ctx_saved *saved);
void ctx_saved_parse(struct ctx_saved *saved, struct ctx_span json);

/* Changes a record (JSON without a newline) before it is written into an archive. Sets
 * *line to the new text, which is valid until the next call, or leaves *line
 * unchanged. */
typedef int ctx_save_change_fn(struct ctx_span *line, struct ctx_err *err);

/* A session to archive. The caller sets blobs, st, session, threads, change and
 * saved.snapshot, and releases the struct. */
struct ctx_save {
	struct ctx_blobs *blobs;
	struct ctx_store *st;
	struct ctx_session session; /* owned */
	int threads;                /* number of additional threads for compression */
	/* changes each record before it is written, and the archive then states that it
	 * was redacted; NULL: records are written unchanged */
	ctx_save_change_fn *change;
	struct ctx_saved saved; /* the result */

	/* 1: the archive is written; 0: the session has changed, and nothing was written;
	 * -1: error, described by err */
	int rc;
	struct ctx_err err;
	char *name;
	struct ctx_blob_put *put;
};

/* Writes the archive of the session, and sets w->rc. The archive becomes visible and
 * durable with ctx_save_commit. The error in w->err is CTX_EANSWER if an archive with the
 * same name already exists, and has more messages than the session or belongs to another
 * session.
 *
 * The session record in the archive names the store that wrote it, and always has the
 * status active. A snapshot does not contain the events of earlier snapshots. Therefore
 * the archives of an unchanged session always consist of the same bytes. */
void ctx_save_write(struct ctx_save *w);

/* Makes the n written archives durable together, so that they share the syncs to disk,
 * and reads them back. v[i].rc is 1 afterwards if all lines, counts, CRCs and digests of
 * the archive were verified. The error in v[i].err is CTX_EANSWER if the bytes that were
 * read differ from the bytes that were written. */
void ctx_save_commit(struct ctx_save *v, size_t n);

void ctx_save_release(struct ctx_save *w);

/* Reads and verifies the archive of a session that is marked as archived but not cleaned
 * up yet, and fills in *saved as ctx_save_write and ctx_save_commit do. Returns 1 on
 * success, -1 on error. */
int ctx_save_again(struct ctx_places *places, struct ctx_store *st,
    const struct ctx_session *s, struct ctx_saved *saved, struct ctx_err *err);

/* Verifies the archive that the session names. Returns 1 if the archive is sound, with
 * *info filled in unless info is NULL; the caller releases *info. Returns 0 if the
 * archive is missing, -1 on error. */
int ctx_save_verify_session(struct ctx_places *places, const struct ctx_session *s,
    struct ctx_archive_info *info, struct ctx_err *err);

/* Reads and verifies a whole archive. sha256 is the expected digest of the file, or NULL.
 * Returns 1 if the archive is sound, with *info filled in, which the caller releases; 0
 * if there is no archive; -1 on error: CTX_EANSWER if the archive is damaged or has
 * another digest. */
int ctx_save_verify(struct ctx_source *source, const char *sha256,
    struct ctx_archive_info *info, struct ctx_err *err);

#endif
