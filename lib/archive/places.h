/* Finds archives by their addresses, in any number of directories and buckets. */
#ifndef CTX_ARCHIVE_PLACES_H
#define CTX_ARCHIVE_PLACES_H

#include "archive/place.h"

/* Opens a destination. The function is ctx_place_open_dir or, in a program that supports
 * object storage, a function that calls ctx_place_open. */
typedef int ctx_places_open_fn(
    struct ctx_blobs **blobs, const char *destination, bool create, struct ctx_err *err);

/* Keeps the directory or bucket of the last archive open, because the next archive is
 * usually in the same one. Initialize with {.open = FUNCTION}. */
struct ctx_places {
	ctx_places_open_fn *open;
	struct ctx_blobs *blobs;
	char *destination;
	char *name; /* name of the archive that ctx_places_find found last */
};

/* Opens the destination and stores it in p->blobs. Does nothing if this destination is
 * open already. Closes the destination that was open before. */
int ctx_places_open(
    struct ctx_places *p, const char *destination, bool create, struct ctx_err *err);

/* Finds the archive at an address that a store has recorded. *source borrows from p, and
 * is valid until the next call. If the address does not end like the name of an archive
 * (YYYY/MM/ID.ndjson.gz), it must be an absolute path. A missing directory is not an
 * error here; ctx_source_open then returns 0. Returns 0 or -1. */
int ctx_places_find(struct ctx_places *p, const char *address, struct ctx_source *source,
    struct ctx_err *err);

void ctx_places_close(struct ctx_places *p);

#endif
