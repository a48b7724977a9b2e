#include "store/engine_sqlite_page.h"

#include <string.h>

#define HEADER_PAGE_SIZE 16
#define HEADER_RESERVED 20
/* the largest root page, which is 0 in files without pointer maps */
#define HEADER_LARGEST_ROOT 52
/* above this number, the number of a page can look like the type of a page */
#define PAGES_MAX ((int64_t)1 << 25)
#define LOCK_BYTE 0x40000000 /* the page that contains this byte is unused */
/* size of an entry: a type, and the page that points to the entry's page */
#define MAP_ENTRY 5
#define ROOT_OF_TREE 1
#define FIRST_OF_CHAIN 3
#define LATER_IN_CHAIN 4
#define PART_OF_TREE 5
#define CHAIN_MAX \
	(1 << 19) /* pages; twice as many as SQLite's longest row has at 4096 bytes a page */

/* ---- integers ---- */

size_t
ctx_varint_get(const unsigned char *p, size_t n, uint64_t *v)
{
	*v = 0;
	for (size_t i = 0; i < n && i < 9; i++) {
		*v = i == 8 ? *v << 8 | p[i] : *v << 7 | (p[i] & 0x7f);
		if (p[i] < 0x80 || i == 8)
			return i + 1;
	}
	return 0;
}

void
ctx_varint_put(struct ctx_buf *b, uint64_t v)
{
	unsigned char out[9];
	bool nine = v >> 56 != 0;
	size_t n = 9;

	if (nine) { /* the ninth byte has eight bits */
		out[--n] = (unsigned char)v;
		v >>= 8;
	}
	do {
		n--;
		out[n] = (unsigned char)((v & 0x7f) | (n < 8 ? 0x80 : 0));
		v >>= 7;
	} while (v != 0 || (nine && n > 0));
	ctx_buf_add(b, out + n, 9 - n);
}

/* ---- the file ---- */

void
ctx_page_file_read_header(
    struct ctx_page_file *f, const unsigned char header[CTX_PAGE_FILE_HEADER])
{
	size_t page = ctx_be16(header + HEADER_PAGE_SIZE);

	f->page = page == 1 ? 65536 : page;
	f->usable = f->page - header[HEADER_RESERVED];
	f->has_map = ctx_be32(header + HEADER_LARGEST_ROOT) != 0;
}

void
ctx_page_file_release(struct ctx_page_file *f)
{
	ctx_buf_release(&f->map);
	ctx_buf_release(&f->other);
}

/* ---- pages of B-trees: https://sqlite.org/fileformat2.html#b_tree_pages ---- */

/* Returns the size of the header of a B-tree page of this type; 0 if it is not a B-tree
 * page. */
static unsigned
header_size(unsigned char type)
{
	if (type == 10 || type == 13)
		return 8;
	return type == 2 || type == 5 ? 12 : 0;
}

void
ctx_page_free(struct ctx_span page, int64_t number, ctx_page_free_fn *fn, void *arg)
{
	const unsigned char *p = (const unsigned char *)page.p;
	const unsigned char *h = p + (number == 1 ? CTX_PAGE_FILE_HEADER : 0);
	unsigned header = header_size(h[0]), begin, end, block, size;

	if (header == 0 || number >= PAGES_MAX) {
		fn(arg, page);
		return;
	}
	begin = (unsigned)(h - p) + header + 2 * ctx_be16(h + 3);
	end = ctx_be16(h + 5) == 0 ? (unsigned)page.n : ctx_be16(h + 5);
	if (begin > end || end > page.n) { /* the page is damaged */
		fn(arg, page);
		return;
	}
	fn(arg, (struct ctx_span){page.p + begin, end - begin});
	/* free blocks must ascend, so that a damaged chain ends too */
	for (block = ctx_be16(h + 1); block >= end && block + 4 <= page.n;) {
		size = ctx_be16(p + block + 2);
		if (size < 4 || block + size > page.n)
			return;
		fn(arg, (struct ctx_span){page.p + block + 4, size - 4});
		if (ctx_be16(p + block) <= block)
			return;
		block = ctx_be16(p + block);
	}
}

void
ctx_page_blank_part(void *arg, struct ctx_span part)
{
	const size_t *page = arg;

	if (part.n < *page)
		memset((char *)part.p, 0, part.n);
}

/* ---- pointer maps ----
 *
 * Long rows continue in chains of overflow pages. Pointer maps tell these pages from free
 * ones: https://sqlite.org/fileformat2.html#cell_payload_overflow_pages,
 * #pointer_map_or_ptrmap_pages */

/* Returns the number of the pointer map page for this page, or of the page itself if it
 * is a pointer map. */
static int64_t
find_map_page(const struct ctx_page_file *f, int64_t number)
{
	int64_t stretch = (int64_t)(f->usable / MAP_ENTRY) + 1;
	int64_t map = (number - 2) / stretch * stretch + 2;

	return map == LOCK_BYTE / (int64_t)f->page + 1 ? map + 1 : map;
}

static bool
load_page(const struct ctx_page_file *f, struct ctx_buf *b, int64_t number)
{
	ctx_buf_reset(b);
	ctx_buf_reserve(b, f->page);
	return f->read(f->arg, number, b->p) == 0;
}

/* Reads the pointer map entry of a page. Returns its type, with the page that points to
 * it in *parent; 0 if there is no entry. */
static int
read_map_entry(struct ctx_page_file *f, int64_t number, int64_t *parent)
{
	int64_t map = find_map_page(f, number);
	size_t at = (size_t)(number - map - 1) * MAP_ENTRY;

	if (number <= map || at + MAP_ENTRY > f->usable)
		return 0;
	if (f->map_number != map) {
		f->map_number = 0;
		if (!load_page(f, &f->map, map))
			return 0;
		f->map_number = map;
	}
	*parent = ctx_be32(f->map.p + at + 1);
	return (unsigned char)f->map.p[at];
}

/* ---- the cell at which a chain begins ---- */

/* Returns how many bytes of a row its cell contains. */
static uint64_t
count_local_bytes(size_t usable, bool table, uint64_t payload)
{
	uint64_t most = table ? usable - 35 : (usable - 12) * 64 / 255 - 23;
	uint64_t least = (usable - 12) * 32 / 255 - 23;
	uint64_t some = least + (payload - least) % (usable - 4);

	return payload <= most ? payload : some <= most ? some : least;
}

/* Returns the number of bytes of the row outside of the cell at p, if the row continues
 * on page first; else 0. */
static uint64_t
read_cell_rest(const struct ctx_page_file *f, const unsigned char *p, size_t n, int type,
    int64_t first)
{
	uint64_t payload, rowid, local;
	size_t head = type == 2 ? 4 : 0, size;

	if (head >= n || (size = ctx_varint_get(p + head, n - head, &payload)) == 0)
		return 0;
	head += size;
	if (type == 13) {
		size = ctx_varint_get(p + head, n - head, &rowid);
		if (size == 0)
			return 0;
		head += size;
	}
	local = count_local_bytes(f->usable, type == 13, payload);
	if (local >= payload || head + local + 4 > n ||
	    ctx_be32(p + head + local) != first)
		return 0;
	return payload - local;
}

/* As read_cell_rest, for the cell of a B-tree page whose row continues on page first. */
static uint64_t
find_cell_rest(struct ctx_page_file *f, int64_t tree, int64_t first)
{
	const unsigned char *p, *h;
	size_t header, cells, at;
	uint64_t rest = 0;
	unsigned char type;

	if (!load_page(f, &f->other, tree))
		return 0;
	p = (const unsigned char *)f->other.p;
	h = p + (tree == 1 ? CTX_PAGE_FILE_HEADER : 0);
	type = h[0];
	if (header_size(type) == 0 || type == 5) /* cells of type 5 have no rows */
		return 0;
	header = (size_t)(h - p) + header_size(type);
	cells = ctx_be16(h + 3);
	for (size_t i = 0; rest == 0 && i < cells; i++) {
		if (header + 2 * i + 2 > f->usable)
			return 0;
		at = ctx_be16(p + header + 2 * i);
		if (at < f->usable)
			rest = read_cell_rest(f, p + at, f->usable - at, type, first);
	}
	return rest;
}

/* ---- the pages of a chain ---- */

bool
ctx_page_is_map(const struct ctx_page_file *f, int64_t number)
{
	return f->has_map && find_map_page(f, number) == number;
}

size_t
ctx_page_overflow(struct ctx_page_file *f, struct ctx_span page, int64_t number)
{
	int64_t at = number, parent = 0;
	uint64_t rest, full = f->usable - 4;
	int type, before = 0;

	if (!f->has_map || page.n < f->usable)
		return 0;
	if (ctx_page_is_map(f, number))
		return page.n;
	type = read_map_entry(f, number, &parent);
	if (type != FIRST_OF_CHAIN && type != LATER_IN_CHAIN)
		return 0;
	/* the chain continues: the whole page is in use */
	if (ctx_be32(page.p) != 0)
		return page.n;
	for (; type == LATER_IN_CHAIN && before < CHAIN_MAX; before++) {
		at = parent;
		type = at > 1 ? read_map_entry(f, at, &parent) : 0;
	}
	if (type != FIRST_OF_CHAIN)
		return 0;
	rest = find_cell_rest(f, parent, at);
	if (rest <= (uint64_t)before * full || rest - (uint64_t)before * full > full)
		return 0;
	return (size_t)(rest - (uint64_t)before * full) + 4;
}

bool
ctx_page_is_row_page(struct ctx_page_file *f, int64_t number)
{
	int64_t parent = 0;
	int type;

	if (!f->has_map)
		return false;
	type = read_map_entry(f, number, &parent);
	return type == ROOT_OF_TREE || type == PART_OF_TREE || type == FIRST_OF_CHAIN ||
	       type == LATER_IN_CHAIN;
}
