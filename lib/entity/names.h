/* Private to lib/entity: the file that caches the names of a tenant. */
#ifndef CTX_ENTITY_NAMES_H
#define CTX_ENTITY_NAMES_H

#include "entity/gazetteer.h"
#include "store/store.h"

/* The names of one tenant's entities, ready for searching. */
struct ctx_names {
	struct ctx_gazetteer gazetteer;
	bool any; /* false: the tenant has no names, and the member above is not set */
	int64_t generation;
	void *map; /* the mapped file; NULL if no file is used */
	size_t map_n;
	/* the block of names, if it is in memory and not in a mapped file */
	struct ctx_buf block;
};

/* Loads the names of the tenant's entities. If the store is a file, the names are cached
 * in a file beside the store. If the names have changed since this file was written (the
 * generation number in the file differs), rebuilds the file. Sets *kept to false if the
 * file cannot be written, and otherwise to true. If *kept is false, err is set to the
 * reason, but the names can be used. Returns 0, or -1 if the names cannot be read. */
int ctx_names_open(struct ctx_names *n, struct ctx_store *st, const char *tenant,
    bool *kept, struct ctx_err *err);
void ctx_names_close(struct ctx_names *n);

#endif
