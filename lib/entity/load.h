/* Stores, removes and prints entity records. */
#ifndef CTX_ENTITY_LOAD_H
#define CTX_ENTITY_LOAD_H

#include "store/entity.h"
#include "store/mention.h"

#define CTX_ENTITY_NAME_MAX 512 /* longest name, alias or type in bytes */

/* Accepts entity records of one tenant: {"type", "name", "id", "slug", "aliases",
 * "relations": [{"type", "target", "target_type"}], "parent", "parent_type", "children",
 * "action", "data", "data_expires_at"}, or {"type", "pattern"}. Other members are
 * ignored. Relations may refer to entities in later records. */
struct ctx_loader;
struct ctx_loader *ctx_loader_new(struct ctx_store *st, const char *tenant, int64_t now);
void ctx_loader_free(struct ctx_loader *l);
struct ctx_store *ctx_loader_store(const struct ctx_loader *l);

/* From this call on a record replaces the stored entity: members that it lacks are
 * cleared. */
void ctx_loader_replace(struct ctx_loader *l);

/* Stores one record (a valid JSON object); call inside a write transaction. *no is its
 * number, 0 for a pattern. CTX_EINPUT for a record without type or name, or with members
 * of the wrong type. */
int ctx_loader_add(
    struct ctx_loader *l, struct ctx_span record, int64_t *no, struct ctx_err *err);

/* Removes the pattern or the entity that the record names. Call inside a write
 * transaction. */
int ctx_loader_remove(struct ctx_loader *l, struct ctx_span record, struct ctx_err *err);

/* Stores the relations whose other end was not known yet; call inside a write
 * transaction. *missing counts those whose other end does not exist or is ambiguous;
 * first names one of them. */
int ctx_loader_finish(
    struct ctx_loader *l, size_t *missing, struct ctx_buf *first, struct ctx_err *err);

/* Finds the entity with that name or alias, of the type or (NULL) of any type.
 * CTX_EANSWER when there is none or several. */
int ctx_entity_named(struct ctx_store *st, const char *tenant, const char *type,
    const char *name, int64_t *no, struct ctx_err *err);

/* Appends the record of an entity and a newline. use: what the session holds of it, or
 * NULL. now: for its relevance. */
int ctx_entity_print(struct ctx_buf *b, struct ctx_store *st, const struct ctx_entity *e,
    const char *session_id, const struct ctx_entity_use *use, int64_t now,
    struct ctx_err *err);

/* Fills in *e (initialised by the caller) for a number of either kind (store/mention.h).
 * Returns 1, 0 if there is none, -1 on error. */
int ctx_entity_of(
    struct ctx_store *st, int64_t no, struct ctx_entity *e, struct ctx_err *err);

#endif
