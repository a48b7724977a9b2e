/* Loads entity records in batches: lines are read before a transaction begins. */
#ifndef CTX_ENTITY_BATCH_H
#define CTX_ENTITY_BATCH_H

#include "entity/load.h"

struct ctx_load_batch; /* zero-filled by ctx_load_batch_new */
struct ctx_load_batch *ctx_load_batch_new(void);
void ctx_load_batch_free(struct ctx_load_batch *b);

/* Adds a copy of a line, with its number. Returns false when the batch is full after it. */
bool ctx_load_batch_add(struct ctx_load_batch *b, struct ctx_span line, long number);

/* Called for each stored entity after the commit. Returns -1 with err set to stop. */
typedef int ctx_load_fn(void *arg, int64_t no, struct ctx_err *err);

/* Stores the records of all lines or, with remove, removes what they name, in one
 * transaction, and empties the batch. Records other than entities are ignored. Stops at
 * an invalid record (CTX_EINPUT): records before it are stored, and *bad is its line's
 * number, else 0. fn may be NULL. */
int ctx_load_batch_run(struct ctx_load_batch *b, struct ctx_loader *l, bool remove,
    ctx_load_fn *fn, void *arg, long *bad, struct ctx_err *err);

#endif
