/* Finds the parts of a page that hold no row:
 * https://sqlite.org/fileformat2.html#b_tree_pages */
#include "store/engine_sqlite_free.h"

#include <string.h>

#define FILE_HEADER 100 /* bytes before the header of the first page */
/* above this number, the number of a page can look like the type of a page */
#define PAGES_MAX ((int64_t)1 << 25)

static unsigned
read_page_be16(const unsigned char *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

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
	const unsigned char *h = p + (number == 1 ? FILE_HEADER : 0);
	unsigned header = header_size(h[0]), begin, end, block, size;

	if (header == 0 || number >= PAGES_MAX) {
		fn(arg, page);
		return;
	}
	begin = (unsigned)(h - p) + header + 2 * read_page_be16(h + 3);
	end = read_page_be16(h + 5) == 0 ? (unsigned)page.n : read_page_be16(h + 5);
	if (begin > end || end > page.n) { /* the page is damaged */
		fn(arg, page);
		return;
	}
	fn(arg, (struct ctx_span){page.p + begin, end - begin});
	/* free blocks must ascend, so that a damaged chain ends too */
	for (block = read_page_be16(h + 1); block >= end && block + 4 <= page.n;) {
		size = read_page_be16(p + block + 2);
		if (size < 4 || block + size > page.n)
			return;
		fn(arg, (struct ctx_span){page.p + block + 4, size - 4});
		if (read_page_be16(p + block) <= block)
			return;
		block = read_page_be16(p + block);
	}
}

bool
ctx_page_is_blank(struct ctx_span part)
{
	return part.n == 0 ||
	       (part.p[0] == 0 && memcmp(part.p, part.p + 1, part.n - 1) == 0);
}
