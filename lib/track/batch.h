/* Loading entity records by batches: lines that are read before a transaction begins. */
#ifndef CTX_TRACK_BATCH_H
#define CTX_TRACK_BATCH_H

#include "track/load.h"

struct ctx_load_batch; /* zero-filled by ctx_load_batch_new */
struct ctx_load_batch *ctx_load_batch_new(void);
void ctx_load_batch_free(struct ctx_load_batch *b);

/* Add a line, which is copied, with its number. False: it is full with that. */
bool ctx_load_batch_add(struct ctx_load_batch *b, struct ctx_span line, long number);

/* Called for each entity that was stored, after the commit. -1 with err set stops. */
typedef int ctx_load_fn(void *arg, int64_t no, struct ctx_err *err);

/* Store the records of all lines, or with "remove" take away what they name, in one
 * transaction, and empty the batch. What is no entity record is left out. A bad record
 * (CTX_EINPUT) is the last one: what stands before it stays, and *bad is its line's
 * number; else 0. fn may be NULL. */
int ctx_load_batch_run(struct ctx_load_batch *b, struct ctx_loader *l, bool remove,
    ctx_load_fn *fn, void *arg, long *bad, struct ctx_err *err);

#endif
