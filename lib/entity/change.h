/* Changes entities that the user names. Each function runs one transaction. */
#ifndef CTX_ENTITY_CHANGE_H
#define CTX_ENTITY_CHANGE_H

#include "store/entity.h"

/* Identifies an entity by its name, alias or id (member name) and its type. With type =
 * NULL, entities of all types match. The functions below fail with CTX_EANSWER if no
 * entity or several entities match. */
struct ctx_named {
	const char *type, *name;
};

/* Each of these functions returns 0, or -1 on error, and sets *no to the number of an
 * entity: of the first entity in the arguments or, for a merge, of the entity that
 * remains. ctx_change_relate adds a relation between two entities or, if remove is true,
 * removes it. ctx_change_alias adds n aliases to an entity or, if remove is true, removes
 * them. ctx_change_merge merges one entity into another. */
int ctx_change_relate(struct ctx_store *st, const char *tenant, struct ctx_named from,
    const char *relation, struct ctx_named to, bool remove, int64_t *no,
    struct ctx_err *err);
int ctx_change_alias(struct ctx_store *st, const char *tenant, struct ctx_named who,
    char *const aliases[], int n, bool remove, int64_t *no, struct ctx_err *err);
/* Links the session to the entity: stores that the session performed an action (such as
 * "created") on the entity at the time now, in ms since the epoch. With action = NULL,
 * removes the link. If no entity has this name and a type is given, the entity is
 * created. */
int ctx_change_link(struct ctx_store *st, const char *tenant, const struct ctx_session *s,
    struct ctx_named who, const char *action, int64_t now, int64_t *no,
    struct ctx_err *err);
int ctx_change_merge(struct ctx_store *st, const char *tenant, struct ctx_named from,
    struct ctx_named into, int64_t *no, struct ctx_err *err);

#endif
