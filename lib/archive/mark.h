/* What has been archived, and proved to be: marked so in the store, a group of sessions in
 * a transaction. */
#ifndef CTX_ARCHIVE_MARK_H
#define CTX_ARCHIVE_MARK_H

#include "archive/save.h"
#include "store/purge.h"

struct ctx_mark_options {
	bool snapshot; /* leave sessions active, with an event */
	bool clean;    /* remove their messages, and what is derived from them */
	bool forget;   /* what serves archived sessions, too */
	int64_t now;
};

/* What came of one session; borrowed for the call. */
struct ctx_marked {
	const char *action; /* archived, cleaned, snapshot; NULL: it had moved on
					    * meanwhile and was left alone */
	const struct ctx_session *session; /* as it was before */
	const struct ctx_saved *saved;
	const struct ctx_err *derived; /* why derived rows stay; NULL: they don't */
};
/* Called once it is durable. Return -1 with err set to stop. */
typedef int ctx_mark_fn(void *arg, const struct ctx_marked *m, struct ctx_err *err);

struct ctx_mark;
struct ctx_mark *ctx_mark_new(
    struct ctx_store *st, const struct ctx_mark_options *o, ctx_mark_fn *fn, void *arg);

/* Take a session whose archive has been verified; again: it is marked already, only its
 * clean-up is left. Both are taken over, and *s is empty afterwards. */
int ctx_mark_add(struct ctx_mark *m, struct ctx_session *s, struct ctx_saved *saved,
    bool again, struct ctx_err *err);

/* Mark those that wait. */
int ctx_mark_flush(struct ctx_mark *m, struct ctx_err *err);
const struct ctx_removed *ctx_mark_removed(const struct ctx_mark *m);
void ctx_mark_free(struct ctx_mark *m);

/* Append the JSON object that says where a session is archived. */
enum ctx_mark_state {
	CTX_MARK_ARCHIVED,
	CTX_MARK_CLEANED,
	CTX_MARK_FORGOTTEN, /* and cleaned */
	CTX_MARK_RESTORING, /* from there, maybe from another store's archive */
};
void ctx_mark_describe(struct ctx_buf *out, const char *uri,
    const struct ctx_archive_info *info, enum ctx_mark_state state);

/* Append the record of an event ("archive", "restore", …) about an archive; info may be
 * NULL, when it was not read. */
void ctx_mark_event(struct ctx_buf *out, const char *session_id, const char *event,
    int64_t now, const char *uri, const struct ctx_archive_info *info, bool cleaned);

#endif
