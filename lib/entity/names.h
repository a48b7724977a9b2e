/* Private to lib/entity: the names file. */
#ifndef CTX_ENTITY_NAMES_H
#define CTX_ENTITY_NAMES_H

#include "entity/gazetteer.h"
#include "store/store.h"

/* Names of one tenant, ready to search. */
struct ctx_names {
	struct ctx_gazetteer gazetteer;
	bool any; /* false: there are no names and no gazetteer */
	int64_t generation;
	void *map; /* the mapped file, or NULL */
	size_t map_n;
	/* holds the names when they could not be written to a file */
	struct ctx_buf block;
};

/* Opens the file, rebuilt if it is of another generation. *kept tells whether the names
 * are in a file; if not, err has the reason, and the names can be used all the same. */
int ctx_names_open(struct ctx_names *n, struct ctx_store *st, const char *tenant,
    bool *kept, struct ctx_err *err);
void ctx_names_close(struct ctx_names *n);

#endif
