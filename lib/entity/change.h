/* Changes entities that are given by name. Each function runs one transaction. */
#ifndef CTX_ENTITY_CHANGE_H
#define CTX_ENTITY_CHANGE_H

#include "store/entity.h"

/* Identifies an entity by a name, an alias or an id, and by its type; a NULL type matches
 * all types. CTX_EANSWER is set if no entity or several match. */
struct ctx_named {
	const char *type, *name;
};

/* Each of these functions sets *no to the number of the changed entity, which is the
 * first one named or, for a merge, the one that remains. ctx_change_relate adds a
 * relation between two entities, or removes it if remove is true. ctx_change_alias does
 * the same with n aliases. ctx_change_merge merges one entity into another. All return 0,
 * or -1 on error. */
int ctx_change_relate(struct ctx_store *st, const char *tenant, struct ctx_named from,
    const char *relation, struct ctx_named to, bool remove, int64_t *no,
    struct ctx_err *err);
int ctx_change_alias(struct ctx_store *st, const char *tenant, struct ctx_named who,
    char *const aliases[], int n, bool remove, int64_t *no, struct ctx_err *err);
/* Links the session to the entity: records that the session did action (such as
 * "created") to the entity at now, in ms since the epoch. With action NULL, removes the
 * link. If the name is unknown and a type is given, the entity is created. */
int ctx_change_link(struct ctx_store *st, const char *tenant, const struct ctx_session *s,
    struct ctx_named who, const char *action, int64_t now, int64_t *no,
    struct ctx_err *err);
int ctx_change_merge(struct ctx_store *st, const char *tenant, struct ctx_named from,
    struct ctx_named into, int64_t *no, struct ctx_err *err);

#endif
