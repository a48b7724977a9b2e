/* Private to the store: reads and overwrites the bytes in the pages of SQLite's files. */
#ifndef CTX_STORE_ENGINE_SQLITE_PAGES_H
#define CTX_STORE_ENGINE_SQLITE_PAGES_H

#include "store/engine_sqlite.h"
#include "store/engine_sqlite_page.h"

struct ctx_pages {
	struct ctx_db *db;
	sqlite3_file *file; /* borrowed */
	struct ctx_page_file layout;
	struct ctx_buf chunk;
	/* true: ctx_pages_find collects all pages with bytes of deleted rows, not only
	 * those for which the callback "found" returns true */
	bool all;
	/* numbers of the pages that ctx_pages_wipe overwrites; ctx_pages_find collects
	 * these numbers */
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

/* Searches the file for bytes of deleted rows. Calls the callback "found" with each part
 * of a page that does not belong to a row and is not all zero, and with the bytes of the
 * write-ahead log. Collects the numbers of the pages that ctx_pages_wipe overwrites: all
 * pages with such a part if p->all is true, otherwise only those for which "found"
 * returns true. Returns 1 if "found" returned true for the write-ahead log, in which case
 * the log must be copied into the file before ctx_pages_wipe is called. Otherwise returns
 * 0, or -1 on error. */
int ctx_pages_find(
    struct ctx_pages *p, ctx_store_found_fn *found, void *arg, struct ctx_err *err);
/* Overwrites unused bytes with zeros: all bytes that do not belong to rows, in the pages
 * that ctx_pages_find has collected. Call inside a write transaction, while the
 * write-ahead log is empty. */
int ctx_pages_wipe(struct ctx_pages *p, struct ctx_err *err);
/* Searches again after ctx_pages_wipe. Calls the callback "found" with the bytes that do
 * not belong to rows, in the pages that ctx_pages_find has collected, and with the bytes
 * of the write-ahead log. */
int ctx_pages_find_left(
    struct ctx_pages *p, ctx_store_found_fn *found, void *arg, struct ctx_err *err);

#endif
