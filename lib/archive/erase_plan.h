/* Plans which archives a purge removes with a session. First the archives are found and
 * inspected, then the store records the purge, and then the archives are removed. */
#ifndef CTX_ARCHIVE_ERASE_PLAN_H
#define CTX_ARCHIVE_ERASE_PLAN_H

#include "archive/erase.h"
#include "archive/owned.h"
#include "archive/place.h"

struct ctx_erase_plan {
	struct ctx_erase *e;
	const struct ctx_session *s;
	struct ctx_erase_entry {
		char *uri;
		/* true: the store has recorded this address as an archive of the
		 * session */
		bool recorded;
		/* true: according to the store's records, this store wrote the archive */
		bool written;
		/* true: an earlier purge, which was interrupted, began to remove this
		 * archive */
		bool going;
		/* true: the file at this address is not the archive that the store has
		 * recorded for this address */
		bool replaced;
		enum ctx_owned owned;
	} * v;
	size_t n, cap;
};

/* Lists the addresses at which session p->s may have an archive: those that the store has
 * recorded, and those that the archive would have in the destination of the purge and in
 * places where ctx-archive was interrupted. The caller sets p->e and p->s before the
 * call, and releases *p with ctx_erase_plan_release, even after an error. */
int ctx_erase_plan_collect(struct ctx_erase_plan *p, struct ctx_err *err);

/* Determines the owner of each archive that ctx_erase_plan_collect listed. Returns 0, or
 * -1 if object storage cannot be reached. */
int ctx_erase_plan_inspect(struct ctx_erase_plan *p, struct ctx_err *err);

/* Records the archives that ctx_erase_plan_remove will remove, so that a later purge
 * finds them if this purge is interrupted. These are the archives of the session that
 * this store wrote. Call inside a write transaction. */
int ctx_erase_plan_mark(const struct ctx_erase_plan *p, struct ctx_err *err);

/* Removes the session's archives that this store wrote, and warns about other archives
 * that were found. Call after the transaction of ctx_erase_plan_mark is committed. */
int ctx_erase_plan_remove(const struct ctx_erase_plan *p, struct ctx_err *err);

/* Compares a session as it was read earlier, *s, with the session as it was just read
 * again, *now. found: 1, or 0 if the session no longer exists. Fails with CTX_EANSWER if
 * the session has changed, is on hold or no longer exists. */
int ctx_erase_check_unmoved(const struct ctx_session *s, const struct ctx_session *now,
    int found, struct ctx_err *err);

/* Finds the archive at an address; an archive in object storage is downloaded. Returns 1
 * with *source set, 0 if there is no such archive, -1 on error. *source borrows from
 * *places and address; the caller releases it with ctx_erase_source_release. */
int ctx_erase_source_find(struct ctx_erase *e, struct ctx_places *places,
    const char *address, struct ctx_source *source, struct ctx_err *err);
void ctx_erase_source_release(struct ctx_source *source);

void ctx_erase_plan_release(struct ctx_erase_plan *p);

#endif
