/* Whose an archive is: told by what is in it, never by its name. */
#ifndef CTX_ARCHIVE_OWNED_H
#define CTX_ARCHIVE_OWNED_H

#include "archive/place.h"
#include "store/owner.h"

enum ctx_owned {
	CTX_OWNED_MISSING,    /* there is no such file */
	CTX_OWNED_YES,        /* an archive of this session that this store wrote */
	CTX_OWNED_NO,         /* another store's, or of another session */
	CTX_OWNED_UNREADABLE, /* nobody can tell */
};

/* Look at an archive. It is the session's when its session record names the session and this
 * store. Archives of versions that did not name the store are the session's when the store
 * has recorded the digest of the file as its own: in a row, an event or the session.
 * Returns 0, or -1 when the place failed. */
int ctx_owned_look(enum ctx_owned *owned, struct ctx_source *source, struct ctx_store *st,
    const struct ctx_session *s, struct ctx_err *err);

/* The session record of an archive into *of (initialised). Returns 1, 0 if there is none that
 * can be read, or -1 when the place failed. */
int ctx_owned_session(
    struct ctx_source *source, struct ctx_session *of, struct ctx_err *err);

/* Call fn with each archive that an event which this store has made names, or the session
 * itself does: not with those of events that came with a restore. -1 from fn stops. */
int ctx_owned_told(struct ctx_store *st, const struct ctx_session *s, ctx_owner_fn *fn,
    void *arg, struct ctx_err *err);

/* The archive with that session record is about to be restored: has the store archived the
 * session there itself? Then file->state says that it wrote it. */
int ctx_owned_source(struct ctx_store *st, struct ctx_span session_record,
    struct ctx_owner_file *file, struct ctx_err *err);

/* Is it restored into the store just now, from the archive that it names? */
bool ctx_owned_is_restoring(const struct ctx_session *s);

/* The archive member of a session record in an archive: which store wrote it. */
void ctx_owned_print(struct ctx_buf *out, const struct ctx_owner *owner);

/* Does the record of an archive's session name this store? Returns 1, 0, or -1 when it names
 * none. */
int ctx_owned_names(const struct ctx_session *in_archive, const struct ctx_owner *owner);

#endif
