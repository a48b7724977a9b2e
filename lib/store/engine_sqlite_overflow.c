/* Long rows continue in chains of overflow pages. Pointer maps tell these pages from free
 * ones: https://sqlite.org/fileformat2.html#cell_payload_overflow_pages,
 * #pointer_map_or_ptrmap_pages */
#include "store/engine_sqlite_overflow.h"

#define LOCK_BYTE 0x40000000 /* the page that contains this byte is unused */
/* size of an entry: a type, and the page that points to the entry's page */
#define MAP_ENTRY 5
#define ROOT_OF_TREE 1
#define FIRST_OF_CHAIN 3
#define LATER_IN_CHAIN 4
#define PART_OF_TREE 5
#define CHAIN_MAX \
	(1 << 19) /* pages; twice as many as SQLite's longest row has at 4096 bytes a page */

static int64_t
read_page_be32(const char *p)
{
	const unsigned char *u = (const unsigned char *)p;

	return (int64_t)((uint32_t)u[0] << 24 | (uint32_t)u[1] << 16 |
			 (uint32_t)u[2] << 8 | u[3]);
}

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
	*parent = read_page_be32(f->map.p + at + 1);
	return (unsigned char)f->map.p[at];
}

/* ---- the cell at which a chain begins ---- */

static size_t
read_page_varint(const unsigned char *p, size_t n, uint64_t *v)
{
	*v = 0;
	for (size_t i = 0; i < n && i < 9; i++) {
		*v = i == 8 ? *v << 8 | p[i] : *v << 7 | (p[i] & 0x7f);
		if (p[i] < 0x80 || i == 8)
			return i + 1;
	}
	return 0;
}

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

	if (head >= n || (size = read_page_varint(p + head, n - head, &payload)) == 0)
		return 0;
	head += size;
	if (type == 13) {
		size = read_page_varint(p + head, n - head, &rowid);
		if (size == 0)
			return 0;
		head += size;
	}
	local = count_local_bytes(f->usable, type == 13, payload);
	if (local >= payload || head + local + 4 > n ||
	    read_page_be32((const char *)p + head + local) != first)
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
	int type;

	if (!load_page(f, &f->other, tree))
		return 0;
	p = (const unsigned char *)f->other.p;
	h = p + (tree == 1 ? 100 : 0);
	type = h[0];
	if (type != 13 && type != 10 && type != 2)
		return 0;
	header = (size_t)(h - p) + (type == 2 ? 12 : 8);
	cells = (size_t)h[3] << 8 | h[4];
	for (size_t i = 0; rest == 0 && i < cells; i++) {
		if (header + 2 * i + 2 > f->usable)
			return 0;
		at = (size_t)p[header + 2 * i] << 8 | p[header + 2 * i + 1];
		if (at < f->usable)
			rest = read_cell_rest(f, p + at, f->usable - at, type, first);
	}
	return rest;
}

/* ---- the pages of a chain ---- */

bool
ctx_page_is_map(const struct ctx_page_file *f, int64_t number)
{
	return f->has_map && number >= 2 && find_map_page(f, number) == number;
}

size_t
ctx_page_overflow(struct ctx_page_file *f, struct ctx_span page, int64_t number)
{
	int64_t at = number, parent = 0;
	uint64_t rest, full = f->usable - 4;
	int type, before = 0;

	if (!f->has_map || number < 2 || page.n < f->usable)
		return 0;
	if (ctx_page_is_map(f, number))
		return page.n;
	type = read_map_entry(f, number, &parent);
	if (type != FIRST_OF_CHAIN && type != LATER_IN_CHAIN)
		return 0;
	/* the chain continues: the whole page is in use */
	if (read_page_be32(page.p) != 0)
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

	if (!f->has_map || number < 2 || ctx_page_is_map(f, number))
		return false;
	type = read_map_entry(f, number, &parent);
	return type == ROOT_OF_TREE || type == PART_OF_TREE || type == FIRST_OF_CHAIN ||
	       type == LATER_IN_CHAIN;
}

void
ctx_page_file_release(struct ctx_page_file *f)
{
	ctx_buf_release(&f->map);
	ctx_buf_release(&f->other);
}
