/* Decides which store and session an archive belongs to, by its content and never by its
 * name. */
#ifndef CTX_ARCHIVE_OWNED_H
#define CTX_ARCHIVE_OWNED_H

#include "archive/place.h"
#include "store/owner.h"

enum ctx_owned {
	CTX_OWNED_MISSING,    /* no such file */
	CTX_OWNED_YES,        /* an archive of this session, written by this store */
	CTX_OWNED_NO,         /* an archive of another store or another session */
	CTX_OWNED_UNREADABLE, /* its owner cannot be determined */
};

/* Finds out whether an archive belongs to the session. It does if its session record
 * names the session and this store. Older versions did not record the store; such an
 * archive belongs to the session if this store has recorded the file's digest in a
 * row, an event or the session. Returns 0, or -1 if the storage fails. */
int ctx_owned_look(enum ctx_owned *owned, struct ctx_source *source, struct ctx_store *st,
    const struct ctx_session *s, struct ctx_err *err);

/* Returns 1 if the digest of the file is one that the store has recorded of the session's
 * archive at this address or, where uri is NULL, of any archive of it that this store wrote;
 * 0 if not, -1 on error. */
int ctx_owned_recorded(struct ctx_source *source, const char *uri, struct ctx_store *st,
    const struct ctx_session *s, struct ctx_err *err);

/* Reads the session record of an archive into *of (initialised by the caller). Returns
 * 1, 0 if there is no readable record, -1 if the storage fails. */
int ctx_owned_session(
    struct ctx_source *source, struct ctx_session *of, struct ctx_err *err);

/* Calls fn with each archive named by the session or by an event that this store created;
 * events that came with a restore are ignored. fn returns -1 to stop. */
int ctx_owned_told(struct ctx_store *st, const struct ctx_session *s, ctx_owner_fn *fn,
    void *arg, struct ctx_err *err);

/* Call before restoring an archive. Sets file->state to "written by this store" if
 * this store archived the session of session_record in that file. */
int ctx_owned_source(struct ctx_store *st, struct ctx_span session_record,
    struct ctx_owner_file *file, struct ctx_err *err);

/* True while the session is being restored into the store from the archive that it names. */
bool ctx_owned_is_restoring(const struct ctx_session *s);

/* Appends the member "archive" of an archived session record: the store that wrote the
 * archive, and whether it replaced secrets in it. */
void ctx_owned_print(struct ctx_buf *out, const struct ctx_owner *owner, bool redacted);
/* True if the session record of an archive says that secrets were replaced in it. */
bool ctx_owned_redacted(struct ctx_span session);

#endif
