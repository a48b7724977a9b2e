/* Private to the store: what of a page of SQLite's file holds no row. */
#ifndef CTX_STORE_PAGE_FREE_H
#define CTX_STORE_PAGE_FREE_H

#include "base/buf.h"

/* Call fn with the parts of a page that no row has, borrowed for the call; number: from 1. Of
 * a page that is not one of a B-tree, or is damaged, with all of it: there may be a row. */
typedef void ctx_page_free_fn(void *arg, struct ctx_span part);
void ctx_page_free(struct ctx_span page, int64_t number, ctx_page_free_fn *fn, void *arg);

#endif
