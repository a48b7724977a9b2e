/* Private to the full text: taking rows out of the leaf pages of an FTS5 index, whose format
 * the comments in SQLite's ext/fts5/fts5_index.c describe. */
#ifndef CTX_STORE_ENGINE_SQLITE_LEAF_H
#define CTX_STORE_ENGINE_SQLITE_LEAF_H

#include "base/buf.h"

/* ---- numbers of SQLite's format: 7 bits a byte, the highest first ---- */

/* Returns how many bytes the number takes, 0 if it does not end before n. */
size_t ctx_varint_get(const unsigned char *p, size_t n, uint64_t *v);
void ctx_varint_put(struct ctx_buf *b, uint64_t v);

/* ---- a leaf page ---- */

struct ctx_leaf {
	const unsigned char *p;
	size_t
	    rowid_at; /* first rowid of the doclist that began on an earlier page; 0: none */
	size_t end;    /* of the content; offsets of terms follow */
	size_t *terms; /* where they begin */
	size_t n_terms, cap;
};

/* Reads the layout of a page; leaf is zero-filled or was read before. Returns 0, or -1 if
 * the page is not as expected. */
int ctx_leaf_read(struct ctx_leaf *leaf, struct ctx_span block);
void ctx_leaf_release(struct ctx_leaf *leaf);

/* The term at *at, with the term before it in *term; *at moves to its doclist. 0, -1. */
int ctx_leaf_term(
    const struct ctx_leaf *leaf, size_t i, struct ctx_buf *term, size_t *at);

/* Which rows go, and whether the last term of a page has rows that stay on later pages:
 * 1, 0, -1. */
struct ctx_leaf_calls {
	bool (*gone)(void *arg, int64_t rowid);
	int (*goes_on)(void *arg);
	void *arg;
};

/* What became of a page. */
struct ctx_leaf_cut {
	struct ctx_buf block;      /* the new page */
	struct ctx_buf old, first; /* its first term before and after; empty: none */
	uint64_t spill;    /* bytes of a removed list that are left on the next page */
	int64_t positions; /* of words that were removed, added up over pages */
	bool changed;
};
#define CTX_LEAF_CUT_INIT                                              \
	{                                                              \
		CTX_BUF_INIT, CTX_BUF_INIT, CTX_BUF_INIT, 0, 0, false, \
	}

/* Makes the page without the rows that go. cut->spill comes from the page before. 0, -1. */
int ctx_leaf_cut(struct ctx_leaf_cut *cut, const struct ctx_leaf *leaf,
    const struct ctx_leaf_calls *calls);
void ctx_leaf_cut_release(struct ctx_leaf_cut *cut);

/* Has the doclist that began on an earlier page rows here that stay? 1, 0, -1. */
int ctx_leaf_head_stays(const struct ctx_leaf *leaf, const struct ctx_leaf_calls *calls);

#endif
