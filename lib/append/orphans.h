/* Results of tools that answer no call. */
#ifndef CTX_APPEND_ORPHANS_H
#define CTX_APPEND_ORPHANS_H

#include "base/map.h"
#include "record/message.h"
#include "store/store.h"

/* Called for a result without a call, or whose call has a result already; id is plain
 * text. */
typedef void ctx_orphan_fn(const char *session_id, const char *id, bool answered);

/* Zero-filled to start. */
struct ctx_orphans {
	ctx_orphan_fn *fn;    /* NULL: nobody wants to know, and nothing is looked up */
	struct ctx_map calls; /* the calls that were seen, by session and id */
	int found;
};

/* Sees a message before it is stored in the session, view being its parts. Looks into the
 * session only for a result whose call was not seen, and no more after many orphans. */
int ctx_orphans_see(struct ctx_orphans *o, struct ctx_store *st,
    const struct ctx_session *s, const struct ctx_message *view, struct ctx_err *err);
void ctx_orphans_release(struct ctx_orphans *o);

#endif
