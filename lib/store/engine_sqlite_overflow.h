/* Private to the store: determines how much of an overflow page of an SQLite file belongs
 * to a row. */
#ifndef CTX_STORE_ENGINE_SQLITE_OVERFLOW_H
#define CTX_STORE_ENGINE_SQLITE_OVERFLOW_H

#include "base/buf.h"

/* Reads the page with this number (from 1) into page. Returns 0, or -1 if it cannot be
 * read. */
typedef int ctx_page_read_fn(void *arg, int64_t number, char *page);

/* A file whose pages are read. map caches the last pointer map page, other the last
 * B-tree page. */
struct ctx_page_file {
	size_t page;   /* size of a page in bytes */
	size_t usable; /* size of a page without the bytes reserved at its end */
	/* the file has pointer maps, because it was created with auto_vacuum */
	bool has_map;
	ctx_page_read_fn *read;
	void *arg;
	struct ctx_buf map, other;
	int64_t map_number; /* number of the page in map; 0: none */
};

/* Returns the number of bytes at the start of the page that are in use, if the page is an
 * overflow page of a row or a pointer map. Returns 0 if it is another page, or if the
 * file does not show it. */
size_t ctx_page_overflow(struct ctx_page_file *f, struct ctx_span page, int64_t number);

/* Returns true if the pointer map says that the page belongs to a B-tree or to a chain of
 * overflow pages; false if not, or if the file has no pointer maps. */
bool ctx_page_is_row_page(struct ctx_page_file *f, int64_t number);

/* Returns whether the page is a pointer map. */
bool ctx_page_is_map(const struct ctx_page_file *f, int64_t number);

void ctx_page_file_release(struct ctx_page_file *f);

#endif
