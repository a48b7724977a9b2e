/* Private to the store: how much of an overflow page of SQLite's file a row has. */
#ifndef CTX_STORE_PAGE_OVERFLOW_H
#define CTX_STORE_PAGE_OVERFLOW_H

#include "base/buf.h"

/* Reads a page of the file, counted from 1. Returns 0, or -1 when it cannot be read. */
typedef int ctx_page_read_fn(void *arg, int64_t number, char *page);

/* A file that pages are read from. map holds the last pointer map page that was needed. */
struct ctx_page_file {
	size_t page;   /* bytes of a page */
	size_t usable; /* of these, without the reserved ones at the end */
	bool has_map;  /* the file has pointer maps: it was made with auto_vacuum */
	ctx_page_read_fn *read;
	void *arg;
	struct ctx_buf map, other;
	int64_t map_number; /* of the page in map; 0: none */
};

/* Bytes at the beginning of the page that a row has, when it is an overflow page in use or a
 * pointer map; 0: it is another page, or nobody can tell. */
size_t ctx_page_overflow(struct ctx_page_file *f, struct ctx_span page, int64_t number);

/* Does the page hold rows, or go on with one, as far as the file tells? Not a free page, or
 * a pointer map. A file without maps does not tell of any. */
bool ctx_page_is_row_page(struct ctx_page_file *f, int64_t number);

void ctx_page_file_release(struct ctx_page_file *f);

#endif
