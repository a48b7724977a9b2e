/* Marks sessions in the store as archived once their archives are verified, a group of
 * sessions per transaction. */
#ifndef CTX_ARCHIVE_MARK_H
#define CTX_ARCHIVE_MARK_H

#include "archive/save.h"
#include "store/purge.h"

struct ctx_mark_options {
	bool snapshot; /* leave sessions active and add an event */
	bool clean;    /* delete their messages and the data derived from them */
	bool forget;   /* delete also the data that serves archived sessions */
	int64_t now;
};

/* The result for one session; borrowed for the call. */
struct ctx_marked {
	/* "archived", "cleaned" or "snapshot"; NULL: skipped because the session
	 * changed meanwhile */
	const char *action;
	const struct ctx_session *session; /* as it was before */
	const struct ctx_saved *saved;
	const struct ctx_err *derived; /* why derived rows stay, or NULL if they do not */
};
/* Called once the result is durable. Returns -1 with err set to stop. */
typedef int ctx_mark_fn(void *arg, const struct ctx_marked *m, struct ctx_err *err);

struct ctx_mark;
struct ctx_mark *ctx_mark_new(
    struct ctx_store *st, const struct ctx_mark_options *o, ctx_mark_fn *fn, void *arg);

/* Adds a session whose archive has been verified. With again, it is already marked and
 * only the clean-up is left. Takes over both and empties *s. */
int ctx_mark_add(struct ctx_mark *m, struct ctx_session *s, struct ctx_saved *saved,
    bool again, struct ctx_err *err);

/* Mark those that wait. */
int ctx_mark_flush(struct ctx_mark *m, struct ctx_err *err);
const struct ctx_removed *ctx_mark_removed(const struct ctx_mark *m);
void ctx_mark_free(struct ctx_mark *m);

/* Appends the JSON object that says where a session is archived. */
enum ctx_mark_state {
	CTX_MARK_ARCHIVED,
	CTX_MARK_CLEANED,
	CTX_MARK_FORGOTTEN, /* and cleaned */
	/* being restored from there, perhaps from another store's archive */
	CTX_MARK_RESTORING,
};
void ctx_mark_describe(struct ctx_buf *out, const char *uri,
    const struct ctx_archive_info *info, enum ctx_mark_state state);

/* Appends an event record ("archive", "restore", …) about an archive; info may be NULL if
 * the archive was not read. */
void ctx_mark_event(struct ctx_buf *out, const char *session_id, const char *event,
    int64_t now, const char *uri, const struct ctx_archive_info *info, bool cleaned);

#endif
