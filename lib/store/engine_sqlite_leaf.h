/* Private to the full text: taking rows out of the leaf pages of an FTS5 index, whose format
 * the comments in SQLite's ext/fts5/fts5_index.c describe. */
#ifndef CTX_STORE_ENGINE_SQLITE_LEAF_H
#define CTX_STORE_ENGINE_SQLITE_LEAF_H

#include "base/buf.h"

/* ---- integers as SQLite's file format stores them: 7 bits a byte, most significant first
 * ---- */

/* Reads an integer of at most n bytes into *v. Returns how many bytes it takes, or 0 if it
 * does not end within n. */
size_t ctx_varint_get(const unsigned char *p, size_t n, uint64_t *v);
void ctx_varint_put(struct ctx_buf *b, uint64_t v);

/* ---- a leaf page ---- */

struct ctx_leaf {
	const unsigned char *p;
	size_t
	    rowid_at; /* offset of the first rowid of a doclist that began on an earlier page; 0: none */
	size_t end;    /* where the content ends and the offsets of terms begin */
	size_t *terms; /* offset of each term */
	size_t n_terms, cap;
};

/* Reads the layout of a page; leaf is zero-filled or was read before. Returns 0, or -1 if
 * the page is not as expected. */
int ctx_leaf_read(struct ctx_leaf *leaf, struct ctx_span block);
void ctx_leaf_release(struct ctx_leaf *leaf);

/* Reads term i. *term holds the term before it, whose beginning it may share, and receives
 * it; *at is set to the offset of its doclist. Returns 0, or -1 if the page is not as
 * expected. */
int ctx_leaf_term(
    const struct ctx_leaf *leaf, size_t i, struct ctx_buf *term, size_t *at);

/* What a caller tells about rows: gone returns whether a row is to be removed; goes_on
 * returns 1 if the last term of the page has rows on later pages that stay, 0 if not, -1 on
 * error. */
struct ctx_leaf_calls {
	bool (*gone)(void *arg, int64_t rowid);
	int (*goes_on)(void *arg);
	void *arg;
};

/* The result of removing rows from a page. */
struct ctx_leaf_cut {
	struct ctx_buf block; /* the new page */
	struct ctx_buf old,
	    first;         /* the page's first term before and after; empty: none */
	uint64_t spill;    /* bytes of a removed list that continue on the next page */
	int64_t positions; /* number of removed positions of words, summed over pages */
	bool changed;
};
#define CTX_LEAF_CUT_INIT                                              \
	{                                                              \
		CTX_BUF_INIT, CTX_BUF_INIT, CTX_BUF_INIT, 0, 0, false, \
	}

/* Writes the page without the removed rows to cut. cut->spill has the value of the page
 * before. Returns 0, or -1 if the page is not as expected. */
int ctx_leaf_cut(struct ctx_leaf_cut *cut, const struct ctx_leaf *leaf,
    const struct ctx_leaf_calls *calls);
void ctx_leaf_cut_release(struct ctx_leaf_cut *cut);

/* Returns 1 if the doclist that began on an earlier page has rows on this page that stay, 0
 * if not, -1 on error. */
int ctx_leaf_head_stays(const struct ctx_leaf *leaf, const struct ctx_leaf_calls *calls);

#endif
