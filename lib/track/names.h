/* Private to lib/track: the names file. */
#ifndef CTX_TRACK_NAMES_H
#define CTX_TRACK_NAMES_H

#include "entity/gazetteer.h"
#include "store/store.h"

/* Names of one tenant, ready for searching. */
struct ctx_names {
	struct ctx_gazetteer gazetteer;
	bool any; /* else there are none, and no gazetteer */
	int64_t generation;
	void *map; /* the file, mapped, or NULL */
	size_t map_n;
	struct ctx_buf block; /* when it could not be kept in a file */
};

/* Open the file, made anew when it is of another generation. *kept tells whether it lies
 * in a file: if not, err says why, and the names are there all the same. */
int ctx_names_open(struct ctx_names *n, struct ctx_store *st, const char *tenant,
    bool *kept, struct ctx_err *err);
void ctx_names_close(struct ctx_names *n);

#endif
