/* Private to the store: how much of an overflow page of SQLite's file belongs to a row. */
#ifndef CTX_STORE_ENGINE_SQLITE_OVERFLOW_H
#define CTX_STORE_ENGINE_SQLITE_OVERFLOW_H

#include "base/buf.h"

/* Reads a page of the file, counted from 1. Returns 0, or -1 when it cannot be read. */
typedef int ctx_page_read_fn(void *arg, int64_t number, char *page);

/* A file that pages are read from. map holds the last pointer map page that was needed. */
struct ctx_page_file {
	size_t page;   /* bytes of a page */
	size_t usable; /* bytes of a page without those reserved at its end */
	bool has_map;  /* the file has pointer maps: it was made with auto_vacuum */
	ctx_page_read_fn *read;
	void *arg;
	struct ctx_buf map, other;
	int64_t map_number; /* of the page in map; 0: none */
};

/* Returns how many bytes at the beginning of the page are in use, if it is an overflow page
 * of a row or a pointer map; 0 if it is another page, or if the file does not tell. */
size_t ctx_page_overflow(struct ctx_page_file *f, struct ctx_span page, int64_t number);

/* Returns whether the pointer map says that the page belongs to a B-tree or to a chain of
 * overflow pages; false if the file has no pointer maps. */
bool ctx_page_is_row_page(struct ctx_page_file *f, int64_t number);

/* Returns whether the page is a pointer map. */
bool ctx_page_is_map(const struct ctx_page_file *f, int64_t number);

void ctx_page_file_release(struct ctx_page_file *f);

#endif
