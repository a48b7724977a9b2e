/* The archives of a session that is purged: found and looked at before the store is told,
 * removed after. */
#ifndef CTX_ARCHIVE_ERASE_PLAN_H
#define CTX_ARCHIVE_ERASE_PLAN_H

#include "archive/erase.h"
#include "archive/owned.h"

struct ctx_erase_plan {
	struct ctx_erase *e;
	const struct ctx_session *s;
	struct ctx_erase_entry {
		char *uri;
		bool recorded; /* the store says that there is one */
		bool going;    /* a purge that was cut off was about to remove it */
		enum ctx_owned owned;
	} * v;
	size_t n, cap;
};

/* Find the archives that are recorded of p->s, and those that may be where a run was cut off
 * or in the destination; look at each. *p has e and s set. Also after an error p is released
 * with ctx_erase_plan_release. Returns 0, or -1 when a place cannot be reached. */
int ctx_erase_plan_make(struct ctx_erase_plan *p, struct ctx_err *err);

/* Record that the archives which are this store's are about to be removed, so that a purge
 * that is cut off does not miss them later. Call inside a write transaction. */
int ctx_erase_plan_mark(const struct ctx_erase_plan *p, struct ctx_err *err);

/* Remove them. Call when the record is durable. */
int ctx_erase_plan_remove(const struct ctx_erase_plan *p, struct ctx_err *err);

void ctx_erase_plan_release(struct ctx_erase_plan *p);

#endif
