/* Private to the full text: the segments of an FTS5 index, in its tables fulltext_data and
 * fulltext_idx. SQLite's ext/fts5/fts5_index.c describes them. */
#ifndef CTX_STORE_ENGINE_SQLITE_SEGMENT_H
#define CTX_STORE_ENGINE_SQLITE_SEGMENT_H

#include "store/engine_sqlite_leaf.h"
#include "store/stmt.h"

struct ctx_segment {
	int64_t id, first, last; /* pages */
	size_t level;
	bool merging; /* it is being merged into the next level */
};

/* All segments, and statements on their pages. */
struct ctx_segments {
	struct ctx_db *db;
	struct ctx_segment *v;
	size_t n, cap;
	size_t levels;
	struct ctx_buf head; /* cookie */
	uint64_t writes;
	int64_t page_size; /* that FTS5 fills pages to */
	bool changed;
	struct ctx_stmt *read, *write, *find, *next;
};

/* 1; 0 if the index is of another version or not as expected; -1. */
int ctx_segments_open(struct ctx_segments *s, struct ctx_db *db, struct ctx_err *err);
void ctx_segments_close(struct ctx_segments *s);
/* Writes the list of segments back, without those whose first page is 0. */
int ctx_segments_save(struct ctx_segments *s, struct ctx_err *err);

/* The row with the numbers of rows and words: 1, 0 there is none, -1; 0, -1. */
int ctx_segments_totals(
    struct ctx_segments *s, struct ctx_buf *block, struct ctx_err *err);
int ctx_segments_set_totals(
    struct ctx_segments *s, struct ctx_span block, struct ctx_err *err);

/* Deletes the sizes of the rows of n sessions, takes them off the totals and adds them to
 * *sum. 1; 0 if the totals do not fit; -1. */
struct ctx_fulltext_sizes {
	int64_t rows, words;
};
int ctx_fulltext_take_sizes(struct ctx_segments *all, const int64_t *sessions, size_t n,
    struct ctx_fulltext_sizes *sum, struct ctx_err *err);

/* Reads a page into *block: 1; 0 there is none; -1. */
int ctx_segment_read(struct ctx_segments *s, int64_t segment, int64_t page,
    struct ctx_buf *block, struct ctx_err *err);
int ctx_segment_write(struct ctx_segments *s, int64_t segment, int64_t page,
    struct ctx_span block, struct ctx_err *err);

/* The page that has the term if any has it, and the row of fulltext_idx that says so: 1, 0, -1.
 * *key: the row's term. */
int ctx_segment_find(struct ctx_segments *s, int64_t segment, struct ctx_span term,
    int64_t *page, bool *has_skips, struct ctx_buf *key, struct ctx_err *err);
/* The next row after a term: 1, 0 there is none, -1. */
int ctx_segment_next(struct ctx_segments *s, int64_t segment, struct ctx_span term,
    int64_t *page, struct ctx_buf *key, struct ctx_err *err);

/* A page begins with another term now, or with none: old and now are its first terms. */
int ctx_segment_retitle(struct ctx_segments *s, int64_t segment, int64_t page,
    struct ctx_span old, struct ctx_span now, struct ctx_err *err);

/* Deletes pages, and all that a segment has. */
int ctx_segment_drop_pages(struct ctx_segments *s, int64_t segment, int64_t first,
    int64_t last, struct ctx_err *err);
int ctx_segment_drop(struct ctx_segments *s, int64_t segment, struct ctx_err *err);

/* ---- skips: the first rowids of the pages of a long doclist (its "doclist index") ---- */

struct ctx_skips {
	int64_t page;   /* that the doclist begins on */
	int64_t last;   /* its last page */
	int64_t *rowid; /* by page - (page + 1); 0: none begins there */
};

int ctx_skips_read(
    struct ctx_segments *s, int64_t segment, struct ctx_skips *k, struct ctx_err *err);
/* Writes them anew; where no rowid is left, the row of fulltext_idx of the page, whose first
 * term is now, is told. */
int ctx_skips_write(struct ctx_segments *s, int64_t segment, const struct ctx_skips *k,
    struct ctx_span now, struct ctx_err *err);

#endif
