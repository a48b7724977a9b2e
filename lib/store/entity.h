/* Known entities: named things that users load. Each tenant ("": none) has its own. Keys
 * are folded names; callers fold them (words/fold.h). */
#ifndef CTX_STORE_ENTITY_H
#define CTX_STORE_ENTITY_H

#include "store/store.h"

/* Strings are owned, NULL when absent; *_json hold JSON text. */
struct ctx_entity {
	int64_t no; /* number within the store, from 1 */
	char *type, *name;
	char *id_json; /* the id in its source system: a string or a number, as JSON */
	char *slug, *action;
	char *data_json;
	int64_t data_expires_at; /* ms; CTX_TIME_NONE: never */
	int64_t parent_no;       /* 0 none */
	int64_t updated_at;
};
void ctx_entity_init(struct ctx_entity *e);
void ctx_entity_release(struct ctx_entity *e); /* and init */

/* Functions that write must be called inside a write transaction of the store. */

/* Inserts an entity, or updates the one with the same type and key; members that are
 * NULL, CTX_TIME_NONE or 0 leave the stored values unchanged. Sets e->no. Returns 1 if
 * inserted, 0 if updated, -1 on error. */
int ctx_entity_put(struct ctx_store *st, const char *tenant, struct ctx_entity *e,
    struct ctx_span key, struct ctx_err *err);

/* Returns 1 with *out filled in (the caller initialises it), 0 if not found, -1 on error. */
int ctx_entity_get(
    struct ctx_store *st, int64_t no, struct ctx_entity *out, struct ctx_err *err);

/* Finds the entity with that name or alias. With type NULL, any type matches, provided
 * that only one entity does. Returns 1 with *no set, 0 if there is none, 2 if there are
 * several, -1 on error. */
int ctx_entity_find(struct ctx_store *st, const char *tenant, const char *type,
    struct ctx_span key, int64_t *no, struct ctx_err *err);

/* Finds the numbers of all entities with that id (a text, or a number written as text) or
 * slug. The caller frees *nos. */
int ctx_entity_with_id(struct ctx_store *st, const char *tenant, struct ctx_span id,
    int64_t **nos, size_t *n, struct ctx_err *err);

/* Reads the next page, by number: at most max entities into out (initialised by the
 * caller). Returns their count or -1. */
int ctx_entity_list(struct ctx_store *st, const char *tenant, const char *type,
    int64_t after_no, struct ctx_entity out[], int max, struct ctx_err *err);

/* Returns 1 if the alias is new, 0 if it existed, -1 on error. */
int ctx_entity_alias(struct ctx_store *st, int64_t no, struct ctx_span key,
    struct ctx_span alias, struct ctx_err *err);
/* Returns 1 if the alias existed, 0 if not, -1 on error. */
int ctx_entity_unalias(
    struct ctx_store *st, int64_t no, struct ctx_span key, struct ctx_err *err);
int ctx_entity_relate(struct ctx_store *st, int64_t no, const char *type, int64_t target,
    struct ctx_err *err);
int ctx_entity_unrelate(struct ctx_store *st, int64_t no, const char *type,
    int64_t target, struct ctx_err *err);

/* Moves everything of one entity to another, adds its name as an alias, and deletes it. */
int ctx_entity_merge(
    struct ctx_store *st, int64_t from, int64_t into, struct ctx_err *err);

/* Deletes the entity of that type and name with its aliases and relations; its children
 * then have no parent. Returns 1 if it existed, 0 if not, -1 on error. */
int ctx_entity_remove(struct ctx_store *st, const char *tenant, const char *type,
    struct ctx_span key, struct ctx_err *err);

/* Clears what is stored about the entity of that type and name, except the name, aliases,
 * parent and relations, so that ctx_entity_put can fill it in again. Does nothing if
 * there is no such entity. */
int ctx_entity_reset(struct ctx_store *st, const char *tenant, const char *type,
    struct ctx_span key, struct ctx_err *err);

/* Removes its parent and its relations to others; relations of others to it stay. */
int ctx_entity_detach(struct ctx_store *st, int64_t no, struct ctx_err *err);

/* Calls fn(arg, text, other) for each alias or relation of an entity; fn returns -1 with
 * err set to stop. Relations in both directions are counted, but only the entity's own
 * are listed. */
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

/* Calls fn for every name (with its type) and every alias given by users (type absent) of
 * the tenant, ordered by number. */
typedef int ctx_entity_name_fn(
    void *arg, struct ctx_span name, struct ctx_span type, int64_t no);
int ctx_entity_names(struct ctx_store *st, const char *tenant, ctx_entity_name_fn *fn,
    void *arg, struct ctx_err *err);

/* Patterns that recognise entities of a type. */
int ctx_entity_pattern_put(struct ctx_store *st, const char *tenant, struct ctx_span type,
    struct ctx_span pattern, struct ctx_err *err);
int ctx_entity_pattern_remove(struct ctx_store *st, const char *tenant,
    struct ctx_span type, struct ctx_span pattern, struct ctx_err *err);
typedef int ctx_entity_pattern_fn(
    void *arg, struct ctx_span type, struct ctx_span pattern, struct ctx_err *err);
int ctx_entity_patterns(struct ctx_store *st, const char *tenant,
    ctx_entity_pattern_fn *fn, void *arg, struct ctx_err *err);

/* Counts a change to the tenant's entities: of names or patterns if names is true, else
 * of other data. Used within the store. */
int ctx_entity_bump(
    struct ctx_store *st, const char *tenant, bool names, struct ctx_err *err);
/* Counts a change to one entity: of its names if names is true, else of other data. Used
 * within the store. */
int ctx_entity_count_change(
    struct ctx_store *st, int64_t no, bool names, struct ctx_err *err);

/* Counters that rise with each change: generation for names and patterns, revision for
 * anything about entities; 0 while there are no entities. */
int ctx_entity_generation(struct ctx_store *st, const char *tenant, int64_t *generation,
    int64_t *revision, struct ctx_err *err);

#endif
