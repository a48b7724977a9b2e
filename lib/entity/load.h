/* Stores, removes and prints entity records. */
#ifndef CTX_ENTITY_LOAD_H
#define CTX_ENTITY_LOAD_H

#include "store/entity.h"
#include "store/mention.h"

/* maximum length in bytes of a name, an alias or a type */
#define CTX_ENTITY_NAME_MAX 512

/* Loads the entity records of one tenant: {"type", "name", "id", "slug", "aliases",
 * "relations": [{"type", "target", "target_type"}], "parent", "parent_type", "children",
 * "action", "data", "data_expires_at"}, or {"type", "pattern"}. Other members are
 * ignored. A relation may name an entity that comes in a later record. */
struct ctx_loader;
struct ctx_loader *ctx_loader_new(struct ctx_store *st, const char *tenant, int64_t now);
void ctx_loader_free(struct ctx_loader *l);

/* After this call, the loader replaces stored entities instead of adding to them: members
 * that are stored but absent from the new record are cleared. */
void ctx_loader_replace(struct ctx_loader *l);

/* Stores one record (a valid JSON object). Call inside a write transaction. Sets *no to
 * the number of the entity in the store, or to 0 for a pattern. Returns -1 with
 * CTX_EINPUT if the record has no type, if it has neither a name nor a pattern, or if a
 * member has a value of the wrong type. */
int ctx_loader_add(
    struct ctx_loader *l, struct ctx_span record, int64_t *no, struct ctx_err *err);

/* Removes from the store the entity or the pattern that the record names. Call inside a
 * write transaction. Returns 0, or -1 on error. */
int ctx_loader_remove(struct ctx_loader *l, struct ctx_span record, struct ctx_err *err);

/* Stores the queued relations, which had to wait because they may refer to entities in
 * later records. Call inside a write transaction, after the last record. A relation is
 * stored only if exactly one entity has the name to which it refers. Sets *missing to the
 * number of relations that were not stored. If this number is not 0, appends to *first
 * the name to which the first of these relations refers. */
int ctx_loader_finish(
    struct ctx_loader *l, size_t *missing, struct ctx_buf *first, struct ctx_err *err);

/* Finds the entity of this type (NULL: any type) whose name, alias, id or slug equals
 * the argument "name". If exactly one entity matches, sets *no to its number and returns
 * 0. Otherwise returns -1 with CTX_EANSWER. */
int ctx_entity_named(struct ctx_store *st, const char *tenant, const char *type,
    const char *name, int64_t *no, struct ctx_err *err);

/* Appends the record of an entity and a newline. session_id: the id of a session; use:
 * how this session mentions the entity; both are NULL if no session is meant. now: the
 * time for which the entity's relevance is computed, in ms since the epoch. */
int ctx_entity_print(struct ctx_buf *b, struct ctx_store *st, const struct ctx_entity *e,
    const char *session_id, const struct ctx_entity_use *use, int64_t now,
    struct ctx_err *err);

/* Reads entity number no into *e, which the caller has initialized. The entity may be
 * known (loaded from a record) or only seen in messages (see store/mention.h). Returns 1
 * if the entity exists, 0 if not, -1 on error. */
int ctx_entity_of(
    struct ctx_store *st, int64_t no, struct ctx_entity *e, struct ctx_err *err);

#endif
