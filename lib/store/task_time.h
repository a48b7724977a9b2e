/* When the store was last checked and backed up: in small files beside it, because a backup
 * and a read-only check change nothing in it. */
#ifndef CTX_STORE_TASK_TIME_H
#define CTX_STORE_TASK_TIME_H

#include "store/store.h"

/* Remembers that the task ("check", "backup") has succeeded at now (ms). Where no file can be
 * written, nothing is remembered. */
void ctx_store_task_done(struct ctx_store *st, const char *task, int64_t now);

/* Returns when the task succeeded last, in seconds since the epoch; -1 if that is unknown. */
int64_t ctx_store_task_time(struct ctx_store *st, const char *task);

#endif
