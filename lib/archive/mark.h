/* Marks sessions in the store as archived, after their archives were verified. Sessions
 * are marked in groups, each group in one transaction. */
#ifndef CTX_ARCHIVE_MARK_H
#define CTX_ARCHIVE_MARK_H

#include "archive/save.h"
#include "store/purge.h"

struct ctx_mark_options {
	/* true: the archives are snapshots: the sessions stay active, and an event is
	 * added to them */
	bool snapshot;
	/* true: delete the messages of the sessions, and the data derived from these
	 * messages */
	bool clean;
	/* used only if "clean" is true. true: also delete the texts that are kept so that
	 * archived sessions can be searched */
	bool forget;
	int64_t now;
};

/* The result for one session, as passed to the callback. The pointers are valid only
 * until the callback returns. */
struct ctx_marked {
	/* "archived", "cleaned" or "snapshot"; NULL: the session was not marked, because
	 * the session has changed since its archive was written */
	const char *action;
	/* the session before it was marked */
	const struct ctx_session *session;
	const struct ctx_saved *saved;
	/* the error if derived data could not be updated; NULL: the update succeeded */
	const struct ctx_err *derived;
};
/* Called for each session when its result is durable. To stop, the function sets err and
 * returns -1. */
typedef int ctx_mark_fn(void *arg, const struct ctx_marked *m, struct ctx_err *err);

struct ctx_mark;
struct ctx_mark *ctx_mark_new(
    struct ctx_store *st, const struct ctx_mark_options *o, ctx_mark_fn *fn, void *arg);

/* Adds a session whose archive was verified. Sessions are marked in groups; when a group
 * is full, this function marks the group. again: true if the session was marked as
 * archived before, and only its messages are to be deleted. Takes ownership of what *s
 * and *saved own, and initializes *s again. */
int ctx_mark_add(struct ctx_mark *m, struct ctx_session *s, struct ctx_saved *saved,
    bool again, struct ctx_err *err);

/* Marks the added sessions that are still waiting for their group to be full. */
int ctx_mark_flush(struct ctx_mark *m, struct ctx_err *err);
/* Returns how many rows were removed so far. The result is borrowed from m. */
const struct ctx_removed *ctx_mark_removed(const struct ctx_mark *m);
void ctx_mark_free(struct ctx_mark *m);

enum ctx_mark_state {
	CTX_MARK_ARCHIVED,
	CTX_MARK_CLEANED,
	/* the session is archived, cleaned up, and excluded from searches */
	CTX_MARK_FORGOTTEN,
	/* the session is being restored from the archive at uri, which may be the archive
	 * of another store */
	CTX_MARK_RESTORING,
};
/* Appends the member "archive" of a session that is archived at uri: a JSON object with
 * the members "uri", "sha256", "bytes" and "messages", and flags that describe the
 * state. */
void ctx_mark_describe(struct ctx_buf *out, const char *uri,
    const struct ctx_archive_info *info, enum ctx_mark_state state);

/* Appends an event record about the archive at uri. event: "archive", "restore" and so
 * on. info may be NULL. cleaned: true if the messages were deleted from the store. */
void ctx_mark_event(struct ctx_buf *out, const char *session_id, const char *event,
    int64_t now, const char *uri, const struct ctx_archive_info *info, bool cleaned);

#endif
