#include "store/engine_sqlite_leaf.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define HEADER 4

/* ---- reading ---- */

/* Returns the end of the part that belongs to a doclist from an earlier page. */
static size_t
find_leaf_head_end(const struct ctx_leaf *leaf)
{
	return leaf->n_terms > 0 ? leaf->terms[0] : leaf->end;
}

int
ctx_leaf_read(struct ctx_leaf *leaf, struct ctx_span block)
{
	size_t at, size, term = 0;
	uint64_t step;

	leaf->p = (const unsigned char *)block.p;
	leaf->n_terms = 0;
	if (block.p == NULL || block.n < HEADER)
		return -1;
	leaf->rowid_at = ctx_be16(leaf->p);
	leaf->end = ctx_be16(leaf->p + 2);
	if (leaf->end < HEADER || leaf->end > block.n || leaf->rowid_at >= leaf->end ||
	    (leaf->rowid_at > 0 && leaf->rowid_at < HEADER))
		return -1;
	for (at = leaf->end; at < block.n; at += size) {
		size = ctx_varint_get(leaf->p + at, block.n - at, &step);
		if (size == 0 || step == 0 || step > leaf->end - term)
			return -1;
		term += (size_t)step;
		if (term < HEADER || term >= leaf->end)
			return -1;
		CTX_MEM_GROW(leaf->terms, leaf->n_terms, leaf->cap);
		leaf->terms[leaf->n_terms++] = term;
	}
	return leaf->rowid_at > find_leaf_head_end(leaf) ? -1 : 0;
}

void
ctx_leaf_release(struct ctx_leaf *leaf)
{
	free(leaf->terms);
	*leaf = (struct ctx_leaf){.p = NULL};
}

static size_t
find_region_end(const struct ctx_leaf *leaf, size_t i)
{
	return i + 1 < leaf->n_terms ? leaf->terms[i + 1] : leaf->end;
}

int
ctx_leaf_term(const struct ctx_leaf *leaf, size_t i, struct ctx_buf *term, size_t *at)
{
	size_t end = find_region_end(leaf, i), size;
	uint64_t keep = 0, n;

	*at = leaf->terms[i];
	if (i > 0) {
		size = ctx_varint_get(leaf->p + *at, end - *at, &keep);
		if (size == 0 || keep > term->n)
			return -1;
		*at += size;
	}
	size = ctx_varint_get(leaf->p + *at, end - *at, &n);
	if (size == 0 || n > end - *at - size)
		return -1;
	*at += size;
	if (i == 0)
		ctx_buf_reset(term);
	term->n = (size_t)keep;
	ctx_buf_add(term, leaf->p + *at, (size_t)n);
	*at += (size_t)n;
	return 0;
}

/* ---- rows ---- */

/* A row with its position list, as far as it is on this page. */
struct row {
	int64_t rowid;
	size_t size_at, list_at, end;
	uint64_t beyond; /* bytes of the position list that are on later pages */
};

/* As ctx_varint_get; most numbers here take one byte. */
static inline size_t
get_short_varint(const unsigned char *p, size_t n, uint64_t *v)
{
	if (n == 0 || p[0] >= 0x80)
		return ctx_varint_get(p, n, v);
	*v = p[0];
	return 1;
}

/* Reads the row at offset at. Except for the first row, *row must be the previous one,
 * because the rowid is stored as a difference. Returns 0 or -1. */
static inline int
read_row(const struct ctx_leaf *leaf, size_t at, size_t end, bool first, struct row *row)
{
	uint64_t v;
	size_t size = get_short_varint(leaf->p + at, end - at, &v);

	if (size == 0)
		return -1;
	row->rowid = first ? (int64_t)v : (int64_t)((uint64_t)row->rowid + v);
	row->size_at = at + size;
	size = get_short_varint(leaf->p + row->size_at, end - row->size_at, &v);
	if (size == 0)
		return -1;
	row->list_at = row->size_at + size;
	v >>= 1; /* the lowest bit marks a deletion */
	row->beyond = v > end - row->list_at ? v - (end - row->list_at) : 0;
	row->end = row->list_at + (size_t)(v - row->beyond);
	return row->beyond > 0 && end != leaf->end ? -1 : 0;
}

int
ctx_leaf_head_stays(const struct ctx_leaf *leaf, const struct ctx_leaf_calls *calls)
{
	size_t end = find_leaf_head_end(leaf);
	struct row row = {.end = leaf->rowid_at};

	if (leaf->rowid_at == 0)
		return 0;
	for (bool first = true; row.end < end; first = false) {
		if (read_row(leaf, row.end, end, first, &row) < 0)
			return -1;
		if (!calls->gone(calls->arg, row.rowid))
			return 1;
	}
	return 0;
}

static void
count_positions(
    struct ctx_leaf_cut *cut, const struct ctx_leaf *leaf, size_t at, size_t end)
{
	for (; at < end; at++)
		cut->positions += leaf->p[at] < 0x80;
}

/* Copies the rows between the offsets at and end that remain, those that follow each other at
 * once. Returns their number, or -1. */
static int
cut_rows(struct ctx_leaf_cut *cut, const struct ctx_leaf *leaf, size_t at, size_t end,
    const struct ctx_leaf_calls *calls)
{
	struct row row = {.end = at};
	int64_t before = 0;          /* the rowid that was copied last */
	size_t from = 0, copied = 0; /* what remains to be copied; from 0: nothing */
	int kept = 0;

	for (bool first = true; row.end < end; first = false) {
		if (read_row(leaf, row.end, end, first, &row) < 0)
			return -1;
		if (calls->gone(calls->arg, row.rowid)) {
			if (from > 0)
				ctx_buf_add(&cut->block, leaf->p + from, copied - from);
			from = 0;
			cut->changed = true;
			cut->spill = row.beyond;
			count_positions(cut, leaf, row.list_at, row.end);
			continue;
		}
		if (from == 0) {
			ctx_varint_put(
			    &cut->block, (uint64_t)row.rowid - (uint64_t)before);
			from = row.size_at;
		}
		copied = row.end;
		before = row.rowid;
		kept++;
	}
	if (from > 0)
		ctx_buf_add(&cut->block, leaf->p + from, copied - from);
	return kept;
}

/* Copies the part that belongs to a doclist from an earlier page: the rest of a position
 * list, then rows. *rowid_at is set to the offset of the first row; 0: none. */
static int
cut_head(struct ctx_leaf_cut *cut, const struct ctx_leaf *leaf,
    const struct ctx_leaf_calls *calls, size_t *rowid_at)
{
	size_t end = find_leaf_head_end(leaf);
	size_t rows = leaf->rowid_at == 0 ? end : leaf->rowid_at;
	int kept;

	*rowid_at = 0;
	if (cut->spill > 0) {
		size_t left = rows - HEADER;
		if (left > cut->spill || (left < cut->spill && rows != leaf->end))
			return -1;
		count_positions(cut, leaf, HEADER, rows);
		cut->changed = true;
		cut->spill -= left;
	} else {
		ctx_buf_add(&cut->block, leaf->p + HEADER, rows - HEADER);
	}
	if (rows == end)
		return 0;
	*rowid_at = cut->block.n;
	kept = cut_rows(cut, leaf, rows, end, calls);
	if (kept == 0)
		*rowid_at = 0;
	return kept < 0 ? -1 : 0;
}

/* ---- terms ---- */

static void
put_term(struct ctx_buf *block, const struct ctx_buf *before, const struct ctx_buf *term)
{
	size_t keep = 0;

	if (before->n > 0) { /* not the first term of the page */
		while (keep < before->n && keep < term->n &&
		       before->p[keep] == term->p[keep])
			keep++;
		ctx_varint_put(block, keep);
	}
	ctx_varint_put(block, term->n - keep);
	ctx_buf_add(block, term->p + keep, term->n - keep);
}

struct term_cutter {
	struct ctx_buf term, before; /* the term read last, and the term written last */
	struct ctx_buf index;        /* list of term offsets for the new page */
	size_t last;                 /* offset written last */
};

static int
cut_term(struct term_cutter *c, struct ctx_leaf_cut *cut, const struct ctx_leaf *leaf,
    size_t i, const struct ctx_leaf_calls *calls)
{
	size_t at, end = find_region_end(leaf, i), begin = cut->block.n;
	int kept;

	if (ctx_leaf_term(leaf, i, &c->term, &at) < 0 || c->term.n == 0)
		return -1;
	if (i == 0)
		ctx_buf_addspan(&cut->old, ctx_buf_span(&c->term));
	put_term(&cut->block, &c->before, &c->term);
	kept = cut_rows(cut, leaf, at, end, calls);
	if (kept == 0 && i + 1 == leaf->n_terms)
		kept = calls->goes_on(calls->arg);
	if (kept < 0)
		return -1;
	if (kept == 0) {
		cut->block.n = begin;
		cut->changed = true;
		return 0;
	}
	if (c->before.n == 0)
		ctx_buf_addspan(&cut->first, ctx_buf_span(&c->term));
	ctx_varint_put(&c->index, begin - c->last);
	c->last = begin;
	ctx_buf_reset(&c->before);
	ctx_buf_addspan(&c->before, ctx_buf_span(&c->term));
	return 0;
}

static void
put_be16(char *p, size_t v)
{
	p[0] = (char)(v >> 8);
	p[1] = (char)v;
}

int
ctx_leaf_cut(struct ctx_leaf_cut *cut, const struct ctx_leaf *leaf,
    const struct ctx_leaf_calls *calls)
{
	struct term_cutter c = {CTX_BUF_INIT, CTX_BUF_INIT, CTX_BUF_INIT, 0};
	size_t rowid_at;
	int rc;

	ctx_buf_reset(&cut->block);
	ctx_buf_reset(&cut->old);
	ctx_buf_reset(&cut->first);
	cut->changed = false;
	ctx_buf_add(&cut->block, "\0\0\0", HEADER);
	rc = cut_head(cut, leaf, calls, &rowid_at);
	for (size_t i = 0; rc == 0 && i < leaf->n_terms; i++)
		rc = cut->spill > 0 ? -1 : cut_term(&c, cut, leaf, i, calls);
	if (cut->block.n > UINT16_MAX)
		rc = -1;
	put_be16(cut->block.p, rowid_at);
	put_be16(cut->block.p + 2, cut->block.n);
	ctx_buf_addspan(&cut->block, ctx_buf_span(&c.index));
	ctx_buf_release(&c.term);
	ctx_buf_release(&c.before);
	ctx_buf_release(&c.index);
	return rc;
}

void
ctx_leaf_cut_release(struct ctx_leaf_cut *cut)
{
	ctx_buf_release(&cut->block);
	ctx_buf_release(&cut->old);
	ctx_buf_release(&cut->first);
}
