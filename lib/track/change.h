/* Changes of known entities by their names, each in a transaction of its own. */
#ifndef CTX_TRACK_CHANGE_H
#define CTX_TRACK_CHANGE_H

#include "store/entity.h"

/* Whom a name means: the entity of the type (NULL: any) with that name or alias. There is
 * none, or there are several: CTX_EANSWER. */
struct ctx_named {
	const char *type, *name;
};

/* *no is the first one's number, or of merged ones that of the one that stays. */
int ctx_change_relate(struct ctx_store *st, const char *tenant, struct ctx_named from,
    const char *relation, struct ctx_named to, bool remove, int64_t *no,
    struct ctx_err *err);
int ctx_change_alias(struct ctx_store *st, const char *tenant, struct ctx_named who,
    char *const aliases[], int n, bool remove, int64_t *no, struct ctx_err *err);
/* Link the session to the entity: it did this with it at now (ms), or with action NULL remove
 * the link. With a type, an entity of an unknown name is made. */
int ctx_change_link(struct ctx_store *st, const char *tenant, const struct ctx_session *s,
    struct ctx_named who, const char *action, int64_t now, int64_t *no,
    struct ctx_err *err);
int ctx_change_merge(struct ctx_store *st, const char *tenant, struct ctx_named from,
    struct ctx_named into, int64_t *no, struct ctx_err *err);

#endif
