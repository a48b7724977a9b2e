/* Finds archives by their addresses in any number of places. */
#ifndef CTX_ARCHIVE_PLACES_H
#define CTX_ARCHIVE_PLACES_H

#include "archive/place.h"

/* Opens a destination. The function is ctx_place_open_dir or, in a program that supports
 * object storage, a function that also opens places in object storage. */
typedef int ctx_places_open_fn(
    struct ctx_blobs **blobs, const char *destination, bool create, struct ctx_err *err);

/* Keeps the last place open, because consecutive archives are usually in the same place.
 * Initialize with {.open = FUNCTION}. */
struct ctx_places {
	ctx_places_open_fn *open;
	struct ctx_blobs *blobs;
	char *destination;
	char *name; /* name (in blobs) of the archive that ctx_places_find found last */
};

/* Opens the destination as p->blobs, unless p->blobs is already open. */
int ctx_places_open(
    struct ctx_places *p, const char *destination, bool create, struct ctx_err *err);

/* Finds the archive at an address that a store has recorded: a blob in a place if the
 * address has the form of a blob's address, otherwise a file. A missing directory is not
 * an error here: opening *source then reports a missing archive. *source borrows from p
 * until the next call. Returns 0 or -1. */
int ctx_places_find(struct ctx_places *p, const char *address, struct ctx_source *source,
    struct ctx_err *err);

void ctx_places_close(struct ctx_places *p);

#endif
