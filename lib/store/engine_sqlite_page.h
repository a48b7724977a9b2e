/* Private to the engine for SQLite: the format of SQLite's files
 * (https://sqlite.org/fileformat2.html). In each page, finds the bytes that do not belong
 * to rows. */
#ifndef CTX_STORE_ENGINE_SQLITE_PAGE_H
#define CTX_STORE_ENGINE_SQLITE_PAGE_H

#include "base/buf.h"

/* ---- integers: big-endian, or of variable length with 7 bits in each byte ---- */

static inline uint32_t
ctx_be16(const void *bytes)
{
	const unsigned char *p = bytes;

	return (uint32_t)p[0] << 8 | p[1];
}

static inline uint32_t
ctx_be32(const void *bytes)
{
	return ctx_be16(bytes) << 16 | ctx_be16((const char *)bytes + 2);
}

/* Reads an integer of variable length from the n bytes at p into *v. Returns the length
 * of the integer in bytes, or 0 if the integer does not end within n bytes. */
size_t ctx_varint_get(const unsigned char *p, size_t n, uint64_t *v);
void ctx_varint_put(struct ctx_buf *b, uint64_t v);

/* ---- pages ---- */

/* Reads the page with this number (from 1) into the buffer "page". Returns 0, or -1 if
 * the page cannot be read. */
typedef int ctx_page_read_fn(void *arg, int64_t number, char *page);

/* An SQLite file whose pages are read. */
struct ctx_page_file {
	size_t page;   /* size of a page in bytes */
	size_t usable; /* size of a page without the bytes reserved at its end */
	/* true: the file has pointer maps, because it was created with auto_vacuum */
	bool has_map;
	ctx_page_read_fn *read;
	void *arg;
	struct ctx_buf map;   /* the pointer map page that was read last */
	struct ctx_buf other; /* the B-tree page that was read last */
	int64_t map_number;   /* number of the page in the member "map"; 0: no page */
};

#define CTX_PAGE_FILE_HEADER 100 /* bytes before the header of the first page */
/* Sets the members "page", "usable" and "has_map" from the header of the file. */
void ctx_page_file_read_header(
    struct ctx_page_file *f, const unsigned char header[CTX_PAGE_FILE_HEADER]);
void ctx_page_file_release(struct ctx_page_file *f);

typedef void ctx_page_free_fn(void *arg, struct ctx_span part);
/* Calls fn with each part of the page that does not belong to a row. fn may change the
 * part, but may use it only during the call. number: the number of the page, from 1. If
 * the page is damaged or not part of a B-tree, old rows can be anywhere on the page; fn
 * is then called with the whole page. */
void ctx_page_free(struct ctx_span page, int64_t number, ctx_page_free_fn *fn, void *arg);

/* A ctx_page_free_fn that overwrites a part of a page with zeros. If the part is a whole
 * page, does nothing, because the format of the page may be unknown. arg: pointer to the
 * size of a page in bytes (a const size_t). */
void ctx_page_blank_part(void *arg, struct ctx_span part);

/* Returns how many bytes at the start of a page are in use. The page must be a pointer
 * map page or an overflow page. Returns 0 for a page of another kind, or if the kind
 * cannot be determined. */
size_t ctx_page_overflow(struct ctx_page_file *f, struct ctx_span page, int64_t number);

/* Returns true if the page belongs to a B-tree or to a chain of overflow pages, according
 * to the pointer map. Returns false for any other page, or if the file has no pointer
 * maps. */
bool ctx_page_is_row_page(struct ctx_page_file *f, int64_t number);

/* Returns true if the page with this number is a pointer map page. */
bool ctx_page_is_map(const struct ctx_page_file *f, int64_t number);

#endif
