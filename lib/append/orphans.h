/* Detects orphans: tool results that belong to no tool call, or to a call that already
 * has a result. */
#ifndef CTX_APPEND_ORPHANS_H
#define CTX_APPEND_ORPHANS_H

#include "base/map.h"
#include "record/message.h"
#include "store/store.h"

/* Called for each orphan. id: id of the tool call, as plain text; answered: true if the
 * call exists but already has a result; false if there is no such call. */
typedef void ctx_orphan_fn(const char *session_id, const char *id, bool answered);

/* The tool calls seen so far. Zero-fill the struct before the first use. */
struct ctx_orphans {
	/* NULL: orphans are not reported, and the store is not searched */
	ctx_orphan_fn *fn;
	/* the tool calls in the messages passed so far, by session and id */
	struct ctx_map calls;
	int found; /* number of orphans found so far */
};

/* Call for each message before it is stored in session s. view: the parsed message. Calls
 * o->fn for each orphan in the message; after 20 orphans, does nothing. Reads stored
 * messages only if the message has a result whose tool call was not in earlier messages.
 * Returns 0, or -1 if the store cannot be read. */
int ctx_orphans_see(struct ctx_orphans *o, struct ctx_store *st,
    const struct ctx_session *s, const struct ctx_message *view, struct ctx_err *err);
void ctx_orphans_release(struct ctx_orphans *o);

#endif
