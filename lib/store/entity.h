/* Known entities: named things that users load into the store. Each tenant has its own
 * entities; the tenant "" is for sessions without a tenant. A key is a folded name or
 * alias; callers fold names with words/fold.h. */
#ifndef CTX_STORE_ENTITY_H
#define CTX_STORE_ENTITY_H

#include "store/store.h"

/* An entity. Strings are owned; NULL means absent. Members named *_json hold JSON
 * text. */
struct ctx_entity {
	int64_t no; /* number of the entity in the store, from 1 */
	char *type, *name;
	char *id_json; /* the entity's id in its source system: a JSON string or number */
	char *slug, *action;
	char *data_json;
	/* time, in ms since the epoch, at which data_json becomes stale; CTX_TIME_NONE:
	 * never */
	int64_t data_expires_at;
	int64_t parent_no; /* number of the parent entity; 0: no parent */
	int64_t updated_at;
};
#define CTX_ENTITY_INIT                          \
	{                                        \
		.data_expires_at = CTX_TIME_NONE \
	}
void ctx_entity_release(struct ctx_entity *e); /* also re-initializes it */

/* In all functions below, the argument "no" is the number of an entity. Functions that
 * write must be called inside a write transaction of the store. */

/* Inserts an entity, or updates the entity with the same type and key. An update keeps
 * the stored id, slug, action, parent and data if the corresponding member of *e is NULL
 * or 0. The stored data_expires_at is replaced only together with the data. Sets e->no.
 * Returns 1 if inserted, 0 if updated, -1 on error. */
int ctx_entity_put(struct ctx_store *st, const char *tenant, struct ctx_entity *e,
    struct ctx_span key, struct ctx_err *err);

/* Reads an entity by number into *out, which the caller has initialized. Returns 1 on
 * success, 0 if there is no such entity, -1 on error. */
int ctx_entity_get(
    struct ctx_store *st, int64_t no, struct ctx_entity *out, struct ctx_err *err);

/* Finds the entity of this type (NULL: any type) whose name or alias has this key.
 * Returns 1 with the entity's number in *no, 0 if there is no such entity, 2 if there are
 * several such entities, -1 on error. */
int ctx_entity_find(struct ctx_store *st, const char *tenant, const char *type,
    struct ctx_span key, int64_t *no, struct ctx_err *err);

/* Finds all entities whose id or slug is equal to the argument "id". (If an entity's id
 * is a JSON number, the number is compared as text.) Sets *n to the number of entities
 * found, and *nos to an array of the entities' numbers, which the caller frees. */
int ctx_entity_with_id(struct ctx_store *st, const char *tenant, struct ctx_span id,
    int64_t **nos, size_t *n, struct ctx_err *err);

/* Reads at most max entities of this type (NULL: all types) into out, whose elements the
 * caller has initialized. Reads the entities in the order of their numbers, beginning
 * with the first number greater than after_no. Returns the number of entities read, or -1
 * on error. */
int ctx_entity_list(struct ctx_store *st, const char *tenant, const char *type,
    int64_t after_no, struct ctx_entity out[], int max, struct ctx_err *err);

/* Adds an alias. key: the alias in folded form. Returns 1 if the alias was added, 0 if
 * the entity already has it, -1 on error. */
int ctx_entity_alias(struct ctx_store *st, int64_t no, struct ctx_span key,
    struct ctx_span alias, struct ctx_err *err);
/* Removes the alias with this key. Returns 1 if the alias was removed, 0 if the entity
 * has no such alias, -1 on error. */
int ctx_entity_unalias(
    struct ctx_store *st, int64_t no, struct ctx_span key, struct ctx_err *err);
int ctx_entity_relate(struct ctx_store *st, int64_t no, const char *type, int64_t target,
    struct ctx_err *err);
int ctx_entity_unrelate(struct ctx_store *st, int64_t no, const char *type,
    int64_t target, struct ctx_err *err);

/* Merges an entity into another entity. from: number of the first entity; into: number of
 * the second entity. Moves the aliases, relations, children and links of the first entity
 * to the second, and copies members that the second entity lacks. The name of the first
 * entity becomes an alias of the second, and the first entity is deleted. */
int ctx_entity_merge(
    struct ctx_store *st, int64_t from, int64_t into, struct ctx_err *err);

/* Deletes the entity of this type and key, with its aliases, relations and links. The
 * children of the entity no longer have a parent. Returns 1 if the entity was deleted, 0
 * if there is no such entity, -1 on error. */
int ctx_entity_remove(struct ctx_store *st, const char *tenant, const char *type,
    struct ctx_span key, struct ctx_err *err);

/* Clears the id, slug, action and data of the entity of this type and key, so that
 * ctx_entity_put can replace all of them. Does nothing if there is no such entity. */
int ctx_entity_reset(struct ctx_store *st, const char *tenant, const char *type,
    struct ctx_span key, struct ctx_err *err);

/* Removes the entity's reference to its parent, and its relations to other entities.
 * Relations of other entities to this entity remain. */
int ctx_entity_detach(struct ctx_store *st, int64_t no, struct ctx_err *err);

/* These functions call fn for each alias, relation or child of an entity. text: the
 * alias, the type of the relation, or the child's name; other: the number of the related
 * entity or of the child, 0 for an alias. To stop, fn sets err and returns -1.
 * ctx_entity_relation_count counts the entity's own relations. */
typedef int ctx_entity_fn(
    void *arg, struct ctx_span text, int64_t other, struct ctx_err *err);
int ctx_entity_aliases(
    struct ctx_store *st, int64_t no, ctx_entity_fn *fn, void *arg, struct ctx_err *err);
int ctx_entity_relations(
    struct ctx_store *st, int64_t no, ctx_entity_fn *fn, void *arg, struct ctx_err *err);
int ctx_entity_children(
    struct ctx_store *st, int64_t no, ctx_entity_fn *fn, void *arg, struct ctx_err *err);
int ctx_entity_relation_count(
    struct ctx_store *st, int64_t no, int64_t *n, struct ctx_err *err);

typedef int ctx_entity_name_fn(
    void *arg, struct ctx_span name, struct ctx_span type, int64_t no);
/* Calls fn for each name and for each alias of the tenant's entities. The arguments of fn
 * are the name or alias, the entity's type (absent for an alias), and the entity's
 * number. The return value of fn is ignored. */
int ctx_entity_names(struct ctx_store *st, const char *tenant, ctx_entity_name_fn *fn,
    void *arg, struct ctx_err *err);

/* These functions add, remove and list the tenant's patterns. A pattern finds entities of
 * one type in messages. */
int ctx_entity_pattern_put(struct ctx_store *st, const char *tenant, struct ctx_span type,
    struct ctx_span pattern, struct ctx_err *err);
int ctx_entity_pattern_remove(struct ctx_store *st, const char *tenant,
    struct ctx_span type, struct ctx_span pattern, struct ctx_err *err);
typedef int ctx_entity_pattern_fn(
    void *arg, struct ctx_span type, struct ctx_span pattern, struct ctx_err *err);
int ctx_entity_patterns(struct ctx_store *st, const char *tenant,
    ctx_entity_pattern_fn *fn, void *arg, struct ctx_err *err);

/* Reads two counters of changes to the tenant's entities: *generation counts changes of
 * names and patterns; *revision counts all changes. Both are 0 if the tenant never had
 * entities. */
int ctx_entity_generation(struct ctx_store *st, const char *tenant, int64_t *generation,
    int64_t *revision, struct ctx_err *err);

#endif
