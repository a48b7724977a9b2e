/* Opens archives by their addresses in any number of places. */
#ifndef CTX_ARCHIVE_PLACES_H
#define CTX_ARCHIVE_PLACES_H

#include "archive/place.h"

/* Opens a destination: ctx_place_open_dir, or a function of a program that supports
 * object storage. */
typedef int ctx_places_open_fn(
    struct ctx_blobs **blobs, const char *destination, bool create, struct ctx_err *err);

/* Keeps the last opened place open, because archives named one after the other are mostly
 * in one place. Start with {open}. */
struct ctx_places {
	ctx_places_open_fn *open;
	struct ctx_blobs *blobs;
	char *destination;
	char *name; /* name of the last archive that was found */
};

/* Makes p->blobs the destination. */
int ctx_places_open(
    struct ctx_places *p, const char *destination, bool create, struct ctx_err *err);

/* Finds the archive at an address recorded in a store: a blob in its place or, if the
 * address does not have the form of one, a file. An archive in a deleted directory is
 * reported as missing. source borrows from p until the next call. */
int ctx_places_find(struct ctx_places *p, const char *address, struct ctx_source *source,
    struct ctx_err *err);

void ctx_places_close(struct ctx_places *p);

#endif
