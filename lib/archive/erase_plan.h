/* Plans the removal of a purged session's archives: they are found and inspected before
 * the store records the removal, and removed after it. */
#ifndef CTX_ARCHIVE_ERASE_PLAN_H
#define CTX_ARCHIVE_ERASE_PLAN_H

#include "archive/erase.h"
#include "archive/owned.h"
#include "archive/places.h"

struct ctx_erase_plan {
	struct ctx_erase *e;
	const struct ctx_session *s;
	struct ctx_erase_entry {
		char *uri;
		bool recorded; /* the store has recorded this archive */
		bool written;  /* ... as written by this store */
		bool going;    /* an interrupted purge was about to remove it */
		bool replaced; /* what is there is not what the store has recorded */
		enum ctx_owned owned;
	} * v;
	size_t n, cap;
};

/* Finds the recorded archives of p->s and those that may be where a run was interrupted
 * or in the destination. The caller sets e and s in *p and releases p with
 * ctx_erase_plan_release, after an error too. */
int ctx_erase_plan_collect(struct ctx_erase_plan *p, struct ctx_err *err);

/* Inspects each of these archives. Returns 0, or -1 when a place cannot be reached. */
int ctx_erase_plan_inspect(struct ctx_erase_plan *p, struct ctx_err *err);

/* Records that the archives of this store are about to be removed, so that a later purge
 * finds them if this one is interrupted. Call inside a write transaction. */
int ctx_erase_plan_mark(const struct ctx_erase_plan *p, struct ctx_err *err);

/* Removes the archives. Call when the record is durable. */
int ctx_erase_plan_remove(const struct ctx_erase_plan *p, struct ctx_err *err);

/* Finds the archive at an address; one in object storage is downloaded. Returns 1 with
 * *source, which the caller closes with ctx_erase_source_release and which borrows from
 * places; 0 if there is none, -1 on error. */
int ctx_erase_source_find(struct ctx_erase *e, struct ctx_places *places,
    const char *address, struct ctx_source *source, struct ctx_err *err);
void ctx_erase_source_release(struct ctx_source *source);

void ctx_erase_plan_release(struct ctx_erase_plan *p);

#endif
