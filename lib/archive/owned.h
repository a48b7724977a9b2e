/* Determines which store and session an archive belongs to, from its content and never
 * from its name. */
#ifndef CTX_ARCHIVE_OWNED_H
#define CTX_ARCHIVE_OWNED_H

#include "archive/place.h"
#include "store/owner.h"

enum ctx_owned {
	CTX_OWNED_MISSING, /* there is no archive at the address */
	CTX_OWNED_YES,     /* this store wrote the archive, for this session */
	CTX_OWNED_NO,      /* the archive belongs to another store or another session */
	/* the archive is damaged, so its owner is unknown */
	CTX_OWNED_UNREADABLE,
};

/* Determines whether an archive belongs to session s of store st, and sets *owned.
 * Returns 0, or -1 if the storage cannot be read. The archive belongs to the session if
 * the session record in the archive names both the session and the store. Archives of
 * older versions of ctx name only the session; they belong to the session if the store
 * has recorded the digest of the file. */
int ctx_owned_look(enum ctx_owned *owned, struct ctx_source *source, struct ctx_store *st,
    const struct ctx_session *s, struct ctx_err *err);

/* Returns 1 if the store has recorded the digest of this archive file, 0 if not or if the
 * file does not exist, -1 on error. If uri is NULL, the digest must be that of an archive
 * that this store wrote for session s. Otherwise the digest must be that of the session's
 * archive at the address uri. */
int ctx_owned_recorded(struct ctx_source *source, const char *uri, struct ctx_store *st,
    const struct ctx_session *s, struct ctx_err *err);

/* Reads the session record of an archive into *of, which the caller has initialized.
 * Returns 1 on success, 0 if the archive has no readable session record, -1 if the
 * storage fails. */
int ctx_owned_session(
    struct ctx_source *source, struct ctx_session *of, struct ctx_err *err);

/* Calls fn for each archive that the session's member "archive" or an event of the
 * session names. Ignores events before the last restore, because the restored archive may
 * have contained them. Does nothing while a restore of the session is incomplete. To
 * stop, fn returns -1. */
int ctx_owned_told(struct ctx_store *st, const struct ctx_session *s, ctx_owner_fn *fn,
    void *arg, struct ctx_err *err);

/* Call before an archive is restored. session_record: the session record in the archive;
 * file: describes the archive file. If this store wrote the file when it archived the
 * session, sets file->state to CTX_OWNER_WRITTEN. */
int ctx_owned_source(struct ctx_store *st, struct ctx_span session_record,
    struct ctx_owner_file *file, struct ctx_err *err);

/* Returns true if a restore of the session from its archive has begun and is not
 * complete. */
bool ctx_owned_is_restoring(const struct ctx_session *s);

/* Appends the member "archive" of the session record in an archive: a JSON object with
 * the id of the store that writes the archive, and whether secrets were replaced. */
void ctx_owned_print(struct ctx_buf *out, const struct ctx_owner *owner, bool redacted);
/* Returns true if secrets were replaced in an archive. session: the session record in
 * this archive. */
bool ctx_owned_redacted(struct ctx_span session);

#endif
