/* Determines which store and session an archive belongs to, from its content and never
 * from its name. */
#ifndef CTX_ARCHIVE_OWNED_H
#define CTX_ARCHIVE_OWNED_H

#include "archive/place.h"
#include "store/owner.h"

enum ctx_owned {
	CTX_OWNED_MISSING, /* there is no archive at the address */
	CTX_OWNED_YES,     /* this store wrote the archive, for this session */
	CTX_OWNED_NO,      /* the archive is of another store or another session */
	/* the archive is damaged, so that its owner cannot be determined */
	CTX_OWNED_UNREADABLE,
};

/* Determines whether an archive belongs to session s of store st, and sets *owned. The
 * archive belongs to the session if the session record in the archive names both the
 * session and the store. Archives that older versions of ctx wrote do not name a store;
 * such an archive belongs to the session if the store has recorded the file's digest for
 * the session. Returns 0, or -1 if the storage cannot be read. */
int ctx_owned_look(enum ctx_owned *owned, struct ctx_source *source, struct ctx_store *st,
    const struct ctx_session *s, struct ctx_err *err);

/* Compares the digest of the file with digests that the store has recorded for the
 * session's archives: if uri is not NULL, only with the digest of the archive at the
 * address uri; otherwise, with the digests of all archives that this store wrote.
 * Returns 1 if one of these digests is equal, 0 if not, -1 on error. */
int ctx_owned_recorded(struct ctx_source *source, const char *uri, struct ctx_store *st,
    const struct ctx_session *s, struct ctx_err *err);

/* Reads the session record of an archive into *of, which the caller has initialized.
 * Returns 1 on success, 0 if the archive has no readable session record, -1 if the
 * storage fails. */
int ctx_owned_session(
    struct ctx_source *source, struct ctx_session *of, struct ctx_err *err);

/* Calls fn for each archive that is named in the session's member "archive" or in an
 * event of this store. Events up to the last restore are ignored, because the restored
 * archive may have contained them. To stop, fn returns -1. */
int ctx_owned_told(struct ctx_store *st, const struct ctx_session *s, ctx_owner_fn *fn,
    void *arg, struct ctx_err *err);

/* Call before an archive is restored. Sets file->state to CTX_OWNER_WRITTEN if this store
 * wrote the file as an archive of the session that session_record describes. */
int ctx_owned_source(struct ctx_store *st, struct ctx_span session_record,
    struct ctx_owner_file *file, struct ctx_err *err);

/* Returns true if a restore of the session from its archive has begun and is not
 * complete. */
bool ctx_owned_is_restoring(const struct ctx_session *s);

/* Appends the value of the member "archive" of the session record in an archive: a JSON
 * object with the id of the store that writes the archive, and whether secrets were
 * replaced. */
void ctx_owned_print(struct ctx_buf *out, const struct ctx_owner *owner, bool redacted);
/* session is the session record of an archive. Returns true if the record says that
 * secrets were replaced in the archive. */
bool ctx_owned_redacted(struct ctx_span session);

#endif
