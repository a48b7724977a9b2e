/* Remembers when the last check and the last backup of the store succeeded. The times are
 * in small files next to the store, because a backup and a read-only check must not
 * change the store. */
#ifndef CTX_STORE_TASK_TIME_H
#define CTX_STORE_TASK_TIME_H

#include "store/store.h"

/* Records in a file that the task ("check" or "backup") has succeeded. now: the current
 * time in ms since the epoch. Ignores errors. */
void ctx_store_task_done(struct ctx_store *st, const char *task, int64_t now);

/* Returns when the task ("check" or "backup") last succeeded, in seconds since the epoch;
 * -1 if that is unknown. */
int64_t ctx_store_task_time(struct ctx_store *st, const char *task);

#endif
