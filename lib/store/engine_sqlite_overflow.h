/* Private to the store: determines how much of an overflow page of an SQLite file belongs
 * to a row. */
#ifndef CTX_STORE_ENGINE_SQLITE_OVERFLOW_H
#define CTX_STORE_ENGINE_SQLITE_OVERFLOW_H

#include "base/buf.h"

/* Reads the page with this number (from 1) into page. Returns 0, or -1 if the page cannot
 * be read. */
typedef int ctx_page_read_fn(void *arg, int64_t number, char *page);

/* An SQLite file whose pages are read. The member map caches the last pointer map page;
 * the member other caches the last B-tree page. */
struct ctx_page_file {
	size_t page;   /* size of a page in bytes */
	size_t usable; /* size of a page without the bytes reserved at its end */
	/* true: the file has pointer maps, because it was created with auto_vacuum */
	bool has_map;
	ctx_page_read_fn *read;
	void *arg;
	struct ctx_buf map, other;
	int64_t map_number; /* number of the page in the member map; 0: no page */
};

/* Returns the number of bytes in use at the start of a page, which is either a pointer
 * map page or a page with the overflow of a row. Returns 0 if the page is of another
 * kind, or if its kind cannot be determined. */
size_t ctx_page_overflow(struct ctx_page_file *f, struct ctx_span page, int64_t number);

/* Returns true if the pointer map says that the page belongs to a B-tree or to a chain of
 * overflow pages; false if the page belongs to neither of them, or if the file has no
 * pointer maps. */
bool ctx_page_is_row_page(struct ctx_page_file *f, int64_t number);

/* Returns true if the page with this number is a pointer map page. */
bool ctx_page_is_map(const struct ctx_page_file *f, int64_t number);

void ctx_page_file_release(struct ctx_page_file *f);

#endif
