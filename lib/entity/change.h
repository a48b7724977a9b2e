/* Changes entities that the user names. Each function runs one transaction. */
#ifndef CTX_ENTITY_CHANGE_H
#define CTX_ENTITY_CHANGE_H

#include "store/entity.h"

/* Identifies an entity. name is the name, an alias or the id of the entity. type is the
 * entity's type; NULL: any type. The functions below fail with CTX_EANSWER if no entity
 * or several entities match. */
struct ctx_named {
	const char *type, *name;
};

/* ctx_change_relate adds a relation between two entities or, if remove is true, removes
 * the relation. ctx_change_alias adds n aliases to an entity or, if remove is true,
 * removes the aliases. ctx_change_merge merges one entity (from) into another entity
 * (into). On success, ctx_change_relate sets *no to the number of the first entity
 * (from), ctx_change_alias to that of the entity (who), and ctx_change_merge to that of
 * the entity that remains (into); they return 0. On error, they return -1. */
int ctx_change_relate(struct ctx_store *st, const char *tenant, struct ctx_named from,
    const char *relation, struct ctx_named to, bool remove, int64_t *no,
    struct ctx_err *err);
int ctx_change_alias(struct ctx_store *st, const char *tenant, struct ctx_named who,
    char *const aliases[], int n, bool remove, int64_t *no, struct ctx_err *err);
/* Links the session to the entity: stores that the session performed an action (such as
 * "created") on the entity. now: the time of the action, in ms since the epoch. If action
 * is NULL, removes the link instead. If no entity has this name but who.type is not NULL,
 * creates the entity. */
int ctx_change_link(struct ctx_store *st, const char *tenant, const struct ctx_session *s,
    struct ctx_named who, const char *action, int64_t now, int64_t *no,
    struct ctx_err *err);
int ctx_change_merge(struct ctx_store *st, const char *tenant, struct ctx_named from,
    struct ctx_named into, int64_t *no, struct ctx_err *err);

#endif
