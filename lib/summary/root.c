/* The directory in which most paths of a conversation are is printed once, and then left
 * out of the paths. */
#include "summary/doc.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define COUNT_MIN 3 /* smallest number of paths below it */
#define LENGTH_MIN 12
#define NAMED 4.0f

/* A directory above a path, and the number of paths below it. */
struct directory {
	size_t text, n;
	uint32_t paths;
};

static void
count_above(struct ctx_doc *d, struct ctx_map *by_text, struct ctx_span path,
    struct directory *best)
{
	for (size_t i = LENGTH_MIN; i < path.n; i++) {
		size_t *n;
		if (path.p[i] != '/')
			continue;
		n = ctx_map_at(by_text, ctx_summary_hash(29, path.p, i), NULL, NULL);
		++*n;
		/* Prefers a deep directory with nearly as many paths as a shallower
		 * one. */
		if (*n < COUNT_MIN || (uint64_t)*n * i <= (uint64_t)best->paths * best->n)
			continue;
		best->text = d->bytes.n;
		ctx_buf_add(&d->bytes, path.p, i);
		best->n = i;
		best->paths = (uint32_t)*n;
	}
}

void
ctx_doc_find_root(struct ctx_doc *d)
{
	struct directory best = {0, 0, 0};
	struct ctx_map by_text = {NULL, 0, 0};
	struct ctx_buf tmp = CTX_BUF_INIT, b = CTX_BUF_INIT;
	struct ctx_span path;
	uint32_t group;

	for (uint32_t i = 0; i < d->in->n; i++) {
		if (d->in->v[i].kind != CTX_PIECE_CALL)
			continue;
		path = ctx_tool_path(ctx_summary_piece_json(d->in, i), &tmp);
		if (path.n > 0 && path.p[0] == '/')
			count_above(d, &by_text, path, &best);
	}
	if (best.n > 0) {
		d->root = best.text;
		d->n_root = best.n;
		ctx_doc_add_code(
		    &b, (struct ctx_span){d->bytes.p + best.text, best.n}, 240);
		group = ctx_doc_subject(
		    d, ctx_span_of(ctx_doc_word(d->language, CTX_WORD_DIRECTORY)));
		ctx_doc_item(d, group, ctx_buf_span(&b), 0, NAMED);
	}
	ctx_map_release(&by_text);
	ctx_buf_release(&tmp);
	ctx_buf_release(&b);
}

struct ctx_span
ctx_doc_short_path(const struct ctx_doc *d, struct ctx_span path)
{
	size_t n = d->n_root;

	if (n == 0 || path.n <= n + 1 || path.p[n] != '/' ||
	    memcmp(path.p, d->bytes.p + d->root, n) != 0)
		return path;
	return ctx_span_from(path, n + 1);
}

uint32_t
ctx_doc_file(struct ctx_doc *d, struct ctx_span path)
{
	struct ctx_buf b = CTX_BUF_INIT;
	uint32_t group;

	ctx_doc_add_code(&b, ctx_doc_short_path(d, path), 240);
	group = ctx_doc_subject(d, ctx_buf_span(&b));
	ctx_buf_release(&b);
	return group;
}
