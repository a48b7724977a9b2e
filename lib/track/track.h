/* Tracking: which messages name which entities, kept up to date in the derived file as
 * far as somebody needs it. What is found depends on the messages, the known names and
 * the patterns alone: catching up in steps gives what tracking anew would. */
#ifndef CTX_TRACK_TRACK_H
#define CTX_TRACK_TRACK_H

#include "entity/mention.h"
#include "store/entity.h"
#include "store/mention.h"

struct ctx_tracker;

/* Told of what goes wrong without ending the work: a pattern that runs into its limits,
 * a names file that cannot be kept. */
typedef void ctx_tracker_warn_fn(void *arg, const char *text);

/* Open with the names and patterns of the tenant ("" for none). Names lie ready for
 * searching in a file beside the store, "STORE-names", which is made anew when names have
 * changed. Reads only; no transaction may be open. */
int ctx_tracker_open(struct ctx_tracker **out, struct ctx_store *st, const char *tenant,
    ctx_tracker_warn_fn *warn, void *arg, struct ctx_err *err);
void ctx_tracker_free(struct ctx_tracker *t);
struct ctx_store *ctx_tracker_store(const struct ctx_tracker *t);
const char *ctx_tracker_tenant(const struct ctx_tracker *t); /* "": none */

/* Bring the session up to its last_seq. Pages of messages are read and scanned in
 * transactions of the derived file alone, which never hold up an append; several
 * processes that catch up at once share the work. Changed names make it start anew. Of a
 * session that was cleaned up the texts that were kept are read (store/fulltext.h); where
 * none were, what is known stays as it is. CTX_EBUSY when the derived file stays locked for too long. */
int ctx_tracker_catch_up(
    struct ctx_tracker *t, const struct ctx_session *s, struct ctx_err *err);

/* Forget what was found in the session, unless it cannot be found again, and catch up. */
int ctx_tracker_rebuild(
    struct ctx_tracker *t, const struct ctx_session *s, struct ctx_err *err);

/* Mentions in a text that is not in the store. Of those of CTX_MENTION_NAME the id is the
 * entity's number; the others have type and name. */
void ctx_tracker_text(
    struct ctx_tracker *t, struct ctx_span text, struct ctx_mentions *m);

/* Appends the key of a name that was seen but not loaded: the name itself, or its folded form
 * for types in which upper and lower case mean the same. */
void ctx_seen_key(const char *type, struct ctx_span name, struct ctx_buf *key);

/* The known entity of the type that has this name or alias, 0 when there is none. */
int64_t ctx_tracker_known(struct ctx_tracker *t, const char *type, struct ctx_span name);

/* Known entities with this name or alias: at most max numbers, returns how many there
 * are. */
size_t ctx_tracker_find(
    const struct ctx_tracker *t, struct ctx_span name, uint64_t *nos, size_t max);

/* Entities of both kinds that a text names: those that have the whole text as their name,
 * alias, id or slug, and else those that are named in it; what was never seen is left out. *nos is owned by the
 * caller. */
int ctx_tracker_named(struct ctx_tracker *t, const char *text, int64_t **nos, size_t *n,
    struct ctx_err *err);

/* Does the session, once caught up, name any of what the text names? 1, 0, -1. */
int ctx_tracker_mentions(struct ctx_tracker *t, const struct ctx_session *s,
    const char *text, struct ctx_err *err);

/* The generation of names and patterns that it works with. */
int64_t ctx_tracker_generation(const struct ctx_tracker *t);

#endif
