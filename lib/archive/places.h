/* Archives by their addresses, wherever they are. */
#ifndef CTX_ARCHIVE_PLACES_H
#define CTX_ARCHIVE_PLACES_H

#include "archive/place.h"

/* Opens a destination: ctx_place_open_dir or, in a program that knows object storage, one
 * of its own. */
typedef int ctx_places_open_fn(
    struct ctx_blobs **blobs, const char *destination, bool create, struct ctx_err *err);

/* The place that was opened last stays open: archives that are named in a row are mostly
 * in one. Start with {open}. */
struct ctx_places {
	ctx_places_open_fn *open;
	struct ctx_blobs *blobs;
	char *destination;
	char *name; /* of the archive that was found last */
};

/* Have p->blobs be the destination. */
int ctx_places_open(
    struct ctx_places *p, const char *destination, bool create, struct ctx_err *err);

/* The archive at an address as it stands in a store: in its place or, of an address that
 * is no archive's in a place, the file. Of a directory that is gone, too: its archives are
 * missing. What source borrows lives until the next call. */
int ctx_places_find(struct ctx_places *p, const char *address, struct ctx_source *source,
    struct ctx_err *err);

void ctx_places_close(struct ctx_places *p);

#endif
