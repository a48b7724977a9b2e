/* Tracking finds out which messages mention which entities, and stores the mentions in
 * the derived file. The result depends only on the messages, the known names and the
 * patterns: catching up step by step gives the same result as a rebuild. */
#ifndef CTX_ENTITY_TRACK_H
#define CTX_ENTITY_TRACK_H

#include "entity/mention.h"
#include "store/entity.h"
#include "store/mention.h"

struct ctx_tracker;

/* Type of a function that is called for problems that do not stop the work: a pattern
 * exceeds its limits, or the file with the names cannot be written. */
typedef void ctx_tracker_warn_fn(void *arg, const char *text);

/* Opens a tracker with the names and patterns of the tenant ("": no tenant). If the store
 * is a file, the names are cached in a file beside the store ("STORE-names…"). Each
 * tenant has its own file, which is rebuilt when names change. The store itself is only
 * read. Must not be called inside a transaction. */
int ctx_tracker_open(struct ctx_tracker **out, struct ctx_store *st, const char *tenant,
    ctx_tracker_warn_fn *warn, void *arg, struct ctx_err *err);
/* Makes *t a tracker for the session's tenant. If *t is NULL, opens a tracker. If *t is
 * for another tenant, closes it and opens a new one. */
int ctx_tracker_follow(struct ctx_tracker **t, struct ctx_store *st,
    const struct ctx_session *s, ctx_tracker_warn_fn *warn, void *arg,
    struct ctx_err *err);
void ctx_tracker_free(struct ctx_tracker *t);
struct ctx_store *ctx_tracker_store(const struct ctx_tracker *t);
const char *ctx_tracker_tenant(const struct ctx_tracker *t); /* "" for no tenant */

/* Scans the messages of the session up to the session's last_seq. Messages are read in
 * pages, and mentions are written in transactions of the derived file, so that appends
 * are never blocked. Several processes can share the work. If names have changed,
 * scanning restarts from the first message. If the messages were removed after
 * archiving, scans the texts in the full-text index instead (store/fulltext.h). If the
 * index does not contain these texts either, the stored mentions remain. Returns -1 with
 * CTX_EBUSY if the derived file stays locked for too long. */
int ctx_tracker_catch_up(
    struct ctx_tracker *t, const struct ctx_session *s, struct ctx_err *err);

/* Deletes the mentions that were stored for the session, and scans the session again.
 * Does nothing if the session's messages can no longer be read. */
int ctx_tracker_rebuild(
    struct ctx_tracker *t, const struct ctx_session *s, struct ctx_err *err);

/* Finds the mentions in a text that is not in the store. For a mention with source
 * CTX_MENTION_NAME, the member "id" is the number of the entity; other mentions have a
 * type and a name. */
void ctx_tracker_text(
    struct ctx_tracker *t, struct ctx_span text, struct ctx_mentions *m);

/* Appends the key under which the name of an unknown entity is stored: the name itself
 * or, for types that ignore case, the case-folded name. */
void ctx_seen_key(const char *type, struct ctx_span name, struct ctx_buf *key);

/* Looks up the known entity that has this type and this name or alias. Returns the
 * number by which the store identifies the entity; 0: there is no such entity. */
int64_t ctx_tracker_known(struct ctx_tracker *t, const char *type, struct ctx_span name);

/* Finds the known entities with this name or alias. Stores the numbers of at most max of
 * them in nos. Returns the number of entities found, which may be greater than max. */
size_t ctx_tracker_find(
    const struct ctx_tracker *t, struct ctx_span name, uint64_t *nos, size_t max);

/* Finds the entities, known or only seen in messages, that a text names: the entities
 * whose name, alias, id or slug is the whole text or, if there is no such entity, the
 * entities named inside the text. Names of entities that were never seen are ignored.
 * Sets *nos to an array of *n entity numbers, which the caller frees. */
int ctx_tracker_named(struct ctx_tracker *t, const char *text, int64_t **nos, size_t *n,
    struct ctx_err *err);

/* Catches up with the session, then tests whether the session mentions an entity that the
 * text names. Returns 1 if it does, 0 if not, -1 on error. */
int ctx_tracker_mentions(struct ctx_tracker *t, const struct ctx_session *s,
    const char *text, struct ctx_err *err);

#endif
