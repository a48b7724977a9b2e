/* Loads entity records in batches, so that all input lines of a batch are read before the
 * transaction for the batch begins. */
#ifndef CTX_ENTITY_BATCH_H
#define CTX_ENTITY_BATCH_H

#include "entity/load.h"

struct ctx_load_batch; /* created by ctx_load_batch_new */
struct ctx_load_batch *ctx_load_batch_new(void);
void ctx_load_batch_free(struct ctx_load_batch *b);

/* Adds a copy of an input line to the batch. number: the line's number in the input.
 * Returns true if the batch has room for another line. If it returns false, call
 * ctx_load_batch_run next. */
bool ctx_load_batch_add(struct ctx_load_batch *b, struct ctx_span line, long number);

/* Type of the function that ctx_load_batch_run calls for each stored entity; no is the
 * entity's number in the store. The function returns 0 to continue. To stop, it sets err
 * and returns -1. */
typedef int ctx_load_fn(void *arg, int64_t no, struct ctx_err *err);

/* Stores the entity records of all lines in the batch or, if remove is true, removes the
 * entities that these records name. Uses one transaction, and empties the batch. Records
 * of other kinds are ignored. If a record is invalid, handles only the records before
 * this one, commits the transaction, sets *bad to the line number of the invalid record,
 * and fails with CTX_EINPUT. Otherwise sets *bad to 0. After the commit, calls fn (may be
 * NULL) for each stored entity. */
int ctx_load_batch_run(struct ctx_load_batch *b, struct ctx_loader *l, bool remove,
    ctx_load_fn *fn, void *arg, long *bad, struct ctx_err *err);

#endif
