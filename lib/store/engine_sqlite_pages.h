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
	/* true: overwrite all bytes outside of rows, whatever the callback returns */
	bool all;
	/* numbers of the pages to overwrite, which ctx_pages_find collects */
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

/* Passes the bytes outside of rows, except parts that are all zero, to the callback
 * (found). Collects the numbers of the pages for which the callback returns true or, if
 * p->all is true, of all pages for which it is called. Returns 1 if the callback returned
 * true for the write-ahead log; the log must then be copied into the file before pages
 * are overwritten. Otherwise returns 0, or -1 on error. */
int ctx_pages_find(
    struct ctx_pages *p, ctx_store_found_fn *found, void *arg, struct ctx_err *err);
/* Overwrites the bytes outside of rows in the collected pages with zeros. Call inside a
 * write transaction, while the write-ahead log is empty. */
int ctx_pages_wipe(struct ctx_pages *p, struct ctx_err *err);
/* Passes the bytes that are now outside of rows in the collected pages, and the bytes of
 * the write-ahead log, to the callback (found). Call after ctx_pages_wipe. */
int ctx_pages_find_left(
    struct ctx_pages *p, ctx_store_found_fn *found, void *arg, struct ctx_err *err);

#endif
