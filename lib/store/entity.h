/* Known entities: things with names that users load. A tenant ("" for none) has its own;
 * keys are names folded (entity/fold.h), which callers do. */
#ifndef CTX_STORE_ENTITY_H
#define CTX_STORE_ENTITY_H

#include "store/store.h"

/* Strings are owned, NULL when absent; *_json hold JSON text. */
struct ctx_entity {
	int64_t no; /* the store's number, from 1 */
	char *type, *name;
	char *id_json; /* wherever it comes from: a string or a number */
	char *slug, *action;
	char *data_json;
	int64_t data_expires_at; /* ms; CTX_TIME_NONE: never */
	int64_t parent_no;       /* 0 none */
	int64_t updated_at;
};
void ctx_entity_init(struct ctx_entity *e);
void ctx_entity_release(struct ctx_entity *e); /* and init */

/* All writes are in a write transaction of the store. */

/* Add, or bring up to date what has the same type and key: members that are NULL (or
 * CTX_TIME_NONE, 0) stay as they were. Sets e->no. 1 when it is new, 0, -1. */
int ctx_entity_put(struct ctx_store *st, const char *tenant, struct ctx_entity *e,
    struct ctx_span key, struct ctx_err *err);

/* 1 and *out (initialised), 0 when there is none, -1. */
int ctx_entity_get(
    struct ctx_store *st, int64_t no, struct ctx_entity *out, struct ctx_err *err);

/* The entity of the type with that name or alias; type NULL: of any, when only one has
 * it. 1 and *no, 0 none, 2 several, -1. */
int ctx_entity_find(struct ctx_store *st, const char *tenant, const char *type,
    struct ctx_span key, int64_t *no, struct ctx_err *err);

/* The numbers of all entities with the id (a text, or a number as text) or the slug. *nos is
 * owned by the caller. */
int ctx_entity_with_id(struct ctx_store *st, const char *tenant, struct ctx_span id,
    int64_t **nos, size_t *n, struct ctx_err *err);

/* The next page by number: at most max into out (initialised). Count or -1. */
int ctx_entity_list(struct ctx_store *st, const char *tenant, const char *type,
    int64_t after_no, struct ctx_entity out[], int max, struct ctx_err *err);

/* 1 when it is new, 0, -1. */
int ctx_entity_alias(struct ctx_store *st, int64_t no, struct ctx_span key,
    struct ctx_span alias, struct ctx_err *err);
/* 1 when it was there, 0, -1. */
int ctx_entity_unalias(
    struct ctx_store *st, int64_t no, struct ctx_span key, struct ctx_err *err);
int ctx_entity_relate(struct ctx_store *st, int64_t no, const char *type, int64_t target,
    struct ctx_err *err);
int ctx_entity_unrelate(struct ctx_store *st, int64_t no, const char *type,
    int64_t target, struct ctx_err *err);

/* Give everything of one entity to another, its name as an alias, and remove it. */
int ctx_entity_merge(
    struct ctx_store *st, int64_t from, int64_t into, struct ctx_err *err);

/* Remove the entity of that type and name with its aliases and relations; its children
 * have no parent then. 1 when it was there, 0, -1. */
int ctx_entity_remove(struct ctx_store *st, const char *tenant, const char *type,
    struct ctx_span key, struct ctx_err *err);

/* Forget what is known of the entity of that type and name but the name, aliases, parent
 * and relations. Nothing changes when there is none. To be put anew behind it. */
int ctx_entity_reset(struct ctx_store *st, const char *tenant, const char *type,
    struct ctx_span key, struct ctx_err *err);

/* Take away its parent and its relations to others; theirs to it stay. */
int ctx_entity_detach(struct ctx_store *st, int64_t no, struct ctx_err *err);

/* Texts and other entities of an entity: fn(arg, text, other) for each; return -1 with err
 * set to stop. Relations of both directions are counted; only its own are listed. */
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

/* Every name (with its type) and given alias (type absent) of the tenant, by number. */
typedef int ctx_entity_name_fn(
    void *arg, struct ctx_span name, struct ctx_span type, int64_t no);
int ctx_entity_names(struct ctx_store *st, const char *tenant, ctx_entity_name_fn *fn,
    void *arg, struct ctx_err *err);

/* Patterns that find entities of a type. */
int ctx_entity_pattern_put(struct ctx_store *st, const char *tenant, struct ctx_span type,
    struct ctx_span pattern, struct ctx_err *err);
int ctx_entity_pattern_remove(struct ctx_store *st, const char *tenant,
    struct ctx_span type, struct ctx_span pattern, struct ctx_err *err);
typedef int ctx_entity_pattern_fn(
    void *arg, struct ctx_span type, struct ctx_span pattern, struct ctx_err *err);
int ctx_entity_patterns(struct ctx_store *st, const char *tenant,
    ctx_entity_pattern_fn *fn, void *arg, struct ctx_err *err);

/* Count a change of the tenant's entities: of names or patterns, else of what is known besides.
 * For the store. */
int ctx_entity_bump(
    struct ctx_store *st, const char *tenant, bool names, struct ctx_err *err);
/* Count a change of an entity, of its names or of what is known besides. For the store. */
int ctx_entity_count_change(
    struct ctx_store *st, int64_t no, bool names, struct ctx_err *err);

/* Numbers that rise with each change of names or patterns (generation), and of anything
 * about entities (revision); 0 while there are none. */
int ctx_entity_generation(struct ctx_store *st, const char *tenant, int64_t *generation,
    int64_t *revision, struct ctx_err *err);

#endif
