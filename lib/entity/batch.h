/* Loads entity records in batches, so that all input lines are read before the
 * transaction begins. */
#ifndef CTX_ENTITY_BATCH_H
#define CTX_ENTITY_BATCH_H

#include "entity/load.h"

struct ctx_load_batch; /* created by ctx_load_batch_new */
struct ctx_load_batch *ctx_load_batch_new(void);
void ctx_load_batch_free(struct ctx_load_batch *b);

/* Adds a copy of an input line to the batch; number is the line's number. Returns false
 * if the batch is full after this line; ctx_load_batch_run must then be called next. */
bool ctx_load_batch_add(struct ctx_load_batch *b, struct ctx_span line, long number);

/* Called after the commit for each stored entity; no is the entity's number in the store.
 * Returns 0 to continue. To stop, the function sets err and returns -1. */
typedef int ctx_load_fn(void *arg, int64_t no, struct ctx_err *err);

/* Stores the entity records of all lines in the batch or, if remove is true, removes the
 * entities that these records name. Uses one transaction, and empties the batch. Records
 * of other kinds are ignored. If a record is invalid, stores only the records before it,
 * sets *bad to the line number of the invalid record, and fails with CTX_EINPUT.
 * Otherwise sets *bad to 0. fn may be NULL. */
int ctx_load_batch_run(struct ctx_load_batch *b, struct ctx_loader *l, bool remove,
    ctx_load_fn *fn, void *arg, long *bad, struct ctx_err *err);

#endif
