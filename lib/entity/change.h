/* Changes entities that the user names. Each function runs one transaction. */
#ifndef CTX_ENTITY_CHANGE_H
#define CTX_ENTITY_CHANGE_H

#include "store/entity.h"

/* A reference to an entity. name: the entity's name, one of its aliases, its id or its
 * slug; type: the entity's type, or NULL for any type. The functions below fail with
 * CTX_EANSWER if the reference matches no entity or several entities. */
struct ctx_named {
	const char *type, *name;
};

/* Adds a relation from one entity to another. remove: if true, removes the relation. On
 * success, sets *no to the number of the entity "from" and returns 0. Returns -1 on
 * error. */
int ctx_change_relate(struct ctx_store *st, const char *tenant, struct ctx_named from,
    const char *relation, struct ctx_named to, bool remove, int64_t *no,
    struct ctx_err *err);
/* Adds n aliases to an entity. remove: if true, removes these aliases. Sets *no to the
 * number of the entity. Returns 0, or -1 on error. */
int ctx_change_alias(struct ctx_store *st, const char *tenant, struct ctx_named who,
    char *const aliases[], int n, bool remove, int64_t *no, struct ctx_err *err);
/* Links the session to an entity: stores that the session performed an action on the
 * entity. who: the entity, which is created if it does not exist and who.type is not
 * NULL; action: the action, such as "created"; now: the time of the action in ms since
 * the epoch. If action is NULL, removes the link and creates no entity. Sets *no to the
 * number of the entity. Returns 0, or -1 on error. */
int ctx_change_link(struct ctx_store *st, const char *tenant, const struct ctx_session *s,
    struct ctx_named who, const char *action, int64_t now, int64_t *no,
    struct ctx_err *err);
/* Merges the entity "from" into the entity "into". Sets *no to the number of the entity
 * that remains ("into"). Returns 0, or -1 on error. */
int ctx_change_merge(struct ctx_store *st, const char *tenant, struct ctx_named from,
    struct ctx_named into, int64_t *no, struct ctx_err *err);

#endif
