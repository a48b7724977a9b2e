/* Private to the store: reads and overwrites the pages of SQLite's files as bytes. */
#ifndef CTX_STORE_ENGINE_SQLITE_PAGES_H
#define CTX_STORE_ENGINE_SQLITE_PAGES_H

#include "store/engine_sqlite.h"
#include "store/engine_sqlite_page.h"

struct ctx_pages {
	struct ctx_db *db;
	sqlite3_file *file; /* borrowed */
	struct ctx_page_file layout;
	struct ctx_buf chunk;
	/* true: bytes outside of rows are overwritten even if the callback does not ask
	 * for it */
	bool all;
	/* numbers of the pages to overwrite; ctx_pages_find collects these numbers */
	int64_t *v;
	size_t n, cap;
};

int ctx_pages_open(struct ctx_pages *p, struct ctx_db *db, struct ctx_err *err);
void ctx_pages_close(struct ctx_pages *p);

struct ctx_pages_call {
	ctx_store_bytes_fn *fn;
	void *arg;
};
/* Calls call->fn with all bytes of the file and of its write-ahead log, in pieces. */
int ctx_pages_bytes(
    struct ctx_pages *p, const struct ctx_pages_call *call, struct ctx_err *err);

/* Calls found with each part of a page that is outside of rows and not all zero, and with
 * the bytes of the write-ahead log. Collects the numbers of the pages for which found
 * returns true or, if p->all is true, of all pages for which it is called. Returns 1 if
 * found returned true for the write-ahead log; the log must then be copied into the file
 * before pages are overwritten. Otherwise returns 0, or -1 on error. */
int ctx_pages_find(
    struct ctx_pages *p, ctx_store_found_fn *found, void *arg, struct ctx_err *err);
/* Overwrites the bytes outside of rows in the collected pages with zeros. Call inside a
 * write transaction, while the write-ahead log is empty. */
int ctx_pages_wipe(struct ctx_pages *p, struct ctx_err *err);
/* Calls found with the bytes that are now outside of rows in the collected pages, and
 * with the bytes of the write-ahead log. Call after ctx_pages_wipe. */
int ctx_pages_find_left(
    struct ctx_pages *p, ctx_store_found_fn *found, void *arg, struct ctx_err *err);

#endif
