/* Private to the store: finds the parts of a page of an SQLite file that hold no row. */
#ifndef CTX_STORE_ENGINE_SQLITE_FREE_H
#define CTX_STORE_ENGINE_SQLITE_FREE_H

#include "base/buf.h"

typedef void ctx_page_free_fn(void *arg, struct ctx_span part);
/* Calls fn with each part of the page that belongs to no row; fn may use the bytes only
 * during the call. number is the number of the page, from 1. If the page is damaged or
 * not part of a B-tree, calls fn with the whole page, because the page could contain
 * remains of rows. */
void ctx_page_free(struct ctx_span page, int64_t number, ctx_page_free_fn *fn, void *arg);

/* Returns true if all bytes of the part are zero. */
bool ctx_page_is_blank(struct ctx_span part);

#endif
