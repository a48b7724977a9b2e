/* Private to full-text search: removes rows from the leaf pages of an FTS5 index. The
 * format is described in comments of SQLite's ext/fts5/fts5_index.c. */
#ifndef CTX_STORE_ENGINE_SQLITE_LEAF_H
#define CTX_STORE_ENGINE_SQLITE_LEAF_H

#include "store/engine_sqlite_page.h"

struct ctx_leaf {
	const unsigned char *p;
	/* offset of the first rowid on this page that belongs to a doclist which began on
	 * an earlier page; 0: there is no such rowid */
	size_t rowid_at;
	/* offset where the content ends and the list of term offsets begins */
	size_t end;
	size_t *terms; /* offsets of the terms */
	size_t n_terms, cap;
};

/* Parses the layout of a page. *leaf must be zero-filled, or filled in by an earlier call
 * for another page. Returns 0, or -1 if the page has an unexpected form. */
int ctx_leaf_read(struct ctx_leaf *leaf, struct ctx_span block);
void ctx_leaf_release(struct ctx_leaf *leaf);

/* Reads term i. Before the call, *term must contain term i - 1, because a term can share
 * its beginning with the term before it. Sets *term to term i, and *at to the offset of
 * the term's doclist. Returns 0, or -1 if the page has an unexpected form. */
int ctx_leaf_term(
    const struct ctx_leaf *leaf, size_t i, struct ctx_buf *term, size_t *at);

/* Functions that the caller provides. gone: returns true if the row with this rowid must
 * be removed. goes_on: returns 1 if later pages contain rows of the page's last term that
 * are not removed, 0 if not, -1 on error. */
struct ctx_leaf_calls {
	bool (*gone)(void *arg, int64_t rowid);
	int (*goes_on)(void *arg);
	void *arg;
};

/* The result of removing rows from a page. */
struct ctx_leaf_cut {
	struct ctx_buf block; /* content of the new page */
	/* old: first term of the page before rows were removed; first: first term of the
	 * page after rows were removed. The value is empty if no term begins on the
	 * page. */
	struct ctx_buf old, first;
	/* number of bytes on the next page that belong to a position list that was
	 * removed */
	uint64_t spill;
	int64_t positions; /* number of removed word positions, summed over all pages */
	bool changed;
};
#define CTX_LEAF_CUT_INIT                                              \
	{                                                              \
		CTX_BUF_INIT, CTX_BUF_INIT, CTX_BUF_INIT, 0, 0, false, \
	}

/* Writes the page without the removed rows to cut->block. Pages must be passed in
 * ascending order, because cut->spill carries a number from each page to the next.
 * Returns 0, or -1 if the page has an unexpected form. */
int ctx_leaf_cut(struct ctx_leaf_cut *cut, const struct ctx_leaf *leaf,
    const struct ctx_leaf_calls *calls);
void ctx_leaf_cut_release(struct ctx_leaf_cut *cut);

/* Examines the doclist that begins on an earlier page and continues on this page. Returns
 * 1 if this page has at least one row of the doclist that must not be removed, 0 if the
 * page has no such row, -1 on error. */
int ctx_leaf_head_stays(const struct ctx_leaf *leaf, const struct ctx_leaf_calls *calls);

#endif
