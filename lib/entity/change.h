/* Changes to known entities given by name, each in a transaction of its own. */
#ifndef CTX_ENTITY_CHANGE_H
#define CTX_ENTITY_CHANGE_H

#include "store/entity.h"

/* Names an entity: by a name or alias, of the type or (NULL) of any type. CTX_EANSWER
 * when there is none or several. */
struct ctx_named {
	const char *type, *name;
};

/* *no is the number of the first entity or, of a merge, of the one that remains. */
int ctx_change_relate(struct ctx_store *st, const char *tenant, struct ctx_named from,
    const char *relation, struct ctx_named to, bool remove, int64_t *no,
    struct ctx_err *err);
int ctx_change_alias(struct ctx_store *st, const char *tenant, struct ctx_named who,
    char *const aliases[], int n, bool remove, int64_t *no, struct ctx_err *err);
/* Links the session to the entity, to record that it did action at now (ms); with action
 * NULL, removes the link. With a type, an entity with an unknown name is created. */
int ctx_change_link(struct ctx_store *st, const char *tenant, const struct ctx_session *s,
    struct ctx_named who, const char *action, int64_t now, int64_t *no,
    struct ctx_err *err);
int ctx_change_merge(struct ctx_store *st, const char *tenant, struct ctx_named from,
    struct ctx_named into, int64_t *no, struct ctx_err *err);

#endif
