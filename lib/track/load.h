/* Entity records into the store, and out of it. */
#ifndef CTX_TRACK_LOAD_H
#define CTX_TRACK_LOAD_H

#include "store/entity.h"
#include "store/mention.h"

#define CTX_ENTITY_NAME_MAX 512 /* bytes of a name, an alias or a type */

/* Takes entity records of one tenant: {"type", "name", "id", "slug", "aliases",
 * "relations": [{"type", "target", "target_type"}], "parent", "parent_type", "children",
 * "action", "data", "data_expires_at"}, or {"type", "pattern"}. Other members are ignored.
 * Relations may name what a later record brings. */
struct ctx_loader;
struct ctx_loader *ctx_loader_new(struct ctx_store *st, const char *tenant, int64_t now);
void ctx_loader_free(struct ctx_loader *l);
struct ctx_store *ctx_loader_store(const struct ctx_loader *l);

/* From now on entities become what their records say: what these lack is taken away. */
void ctx_loader_replace(struct ctx_loader *l);

/* Store one record (a checked JSON object), in a write transaction. *no is its number, 0
 * for a pattern. CTX_EINPUT for a record without type or name, or with members of the
 * wrong type. */
int ctx_loader_add(
    struct ctx_loader *l, struct ctx_span record, int64_t *no, struct ctx_err *err);

/* Take the pattern of such a record away again, or the entity. As above. */
int ctx_loader_remove(struct ctx_loader *l, struct ctx_span record, struct ctx_err *err);

/* Make the relations that waited, in a write transaction. *missing counts those whose
 * other end is not there, or not the only one of its name; first names one of them. */
int ctx_loader_finish(
    struct ctx_loader *l, size_t *missing, struct ctx_buf *first, struct ctx_err *err);

/* The entity of the type (NULL: any) with that name or alias. CTX_EANSWER when there is
 * none, or there are several. */
int ctx_entity_named(struct ctx_store *st, const char *tenant, const char *type,
    const char *name, int64_t *no, struct ctx_err *err);

/* Append the record of an entity and a newline. use: what the session knows, or NULL.
 * now: for its relevance. */
int ctx_entity_print(struct ctx_buf *b, struct ctx_store *st, const struct ctx_entity *e,
    const char *session_id, const struct ctx_entity_use *use, int64_t now,
    struct ctx_err *err);

/* Fill in *e (initialised) by a number of either kind (store/mention.h): 1, 0, -1. */
int ctx_entity_of(
    struct ctx_store *st, int64_t no, struct ctx_entity *e, struct ctx_err *err);

#endif
