/* Private to full-text search: reads and changes the segments of an FTS5 index, which are
 * in the tables fulltext_data and fulltext_idx. SQLite's ext/fts5/fts5_index.c describes
 * the format. */
#ifndef CTX_STORE_ENGINE_SQLITE_SEGMENT_H
#define CTX_STORE_ENGINE_SQLITE_SEGMENT_H

#include "store/engine_sqlite_leaf.h"
#include "store/stmt.h"

struct ctx_segment {
	/* id: number of the segment; first, last: numbers of the segment's first and last
	 * page */
	int64_t id, first, last;
	size_t level;
	bool merging; /* true: the segment is being merged into the next level */
};

/* All segments of the index. */
struct ctx_segments {
	struct ctx_db *db;
	struct ctx_segment *v;
	size_t n, cap;
	size_t levels;
	/* FTS5's configuration cookie: the bytes before the list of segments in the
	 * index's structure record */
	struct ctx_buf head;
	uint64_t writes;
	int64_t page_size; /* size in bytes at which FTS5 starts a new page */
	bool known;        /* false: another version of FTS5 wrote the index */
	bool changed;
};

/* Reads the list of segments. Returns 1 on success; 0 if the index is of another version
 * or has an unexpected form; -1 on error. Call ctx_segments_close in all three cases. */
int ctx_segments_open(struct ctx_segments *s, struct ctx_db *db, struct ctx_err *err);
void ctx_segments_close(struct ctx_segments *s);
/* Writes the list of segments if it was changed. Deleted segments, for which the member
 * "first" is 0, are left out. */
int ctx_segments_save(struct ctx_segments *s, struct ctx_err *err);

/* Number of rows, and number of words in these rows. Used for the whole index and for
 * parts of the index. */
struct ctx_fulltext_sizes {
	int64_t rows, words;
};
/* ctx_segments_totals reads the totals of the whole index. It returns 1 on success, 0 if
 * the record with the totals is missing or damaged, -1 on error. ctx_segments_set_totals
 * writes this record, and returns 0 or -1. */
int ctx_segments_totals(
    struct ctx_segments *s, struct ctx_fulltext_sizes *totals, struct ctx_err *err);
int ctx_segments_set_totals(
    struct ctx_segments *s, const struct ctx_fulltext_sizes *totals, struct ctx_err *err);

/* Deletes the stored sizes of the rows of n sessions. Subtracts these sizes from the
 * totals of the index, and adds them to *sum. Returns 1 on success, 0 if a total would
 * become negative, -1 on error. */
int ctx_fulltext_take_sizes(struct ctx_segments *all, const int64_t *sessions, size_t n,
    struct ctx_fulltext_sizes *sum, struct ctx_err *err);

/* Sorts the segments: writes their indices in s->v to the array "order", which has s->n
 * elements. Segments that probably have rows of the session come first. Returns 0 or
 * -1. */
int ctx_segments_order(
    struct ctx_segments *s, int64_t session_no, size_t *order, struct ctx_err *err);

/* Sets *rows to the number of index rows of n sessions. sessions: numbers of the
 * sessions, in ascending order. Returns 1 if the index also has, or may have, rows of
 * other sessions, 0 if not, -1 on error. */
int ctx_fulltext_has_others(struct ctx_db *db, const int64_t *sessions, size_t n,
    int64_t *rows, struct ctx_err *err);

/* Reads a page of a segment into *block. Returns 1 on success, 0 if there is no such
 * page, -1 on error. */
int ctx_segment_read(struct ctx_segments *s, int64_t segment, int64_t page,
    struct ctx_buf *block, struct ctx_err *err);
int ctx_segment_write(struct ctx_segments *s, int64_t segment, int64_t page,
    struct ctx_span block, struct ctx_err *err);

/* Finds, in the table fulltext_idx, the row of the only page of the segment that can
 * contain the term. Sets *page to the page's number, *has_skips to true if the page has
 * skips (struct ctx_skips) and otherwise to false, and *key to the text in the row's
 * column "term". Returns 1 if a row was found, 0 if there is no such row, -1 on error. */
int ctx_segment_find(struct ctx_segments *s, int64_t segment, struct ctx_span term,
    int64_t *page, bool *has_skips, struct ctx_buf *key, struct ctx_err *err);
/* Finds the first row of fulltext_idx whose column "term" is greater than the argument
 * "term". Returns 1 with *page and *key set as by ctx_segment_find, 0 if there is no such
 * row, -1 on error. */
int ctx_segment_next(struct ctx_segments *s, int64_t segment, struct ctx_span term,
    int64_t *page, struct ctx_buf *key, struct ctx_err *err);

/* Updates fulltext_idx for a page whose first term changed. old: the first term before
 * the change; now: the first term after the change. An empty term means that no term
 * begins on the page. */
int ctx_segment_retitle(struct ctx_segments *s, int64_t segment, int64_t page,
    struct ctx_span old, struct ctx_span now, struct ctx_err *err);

/* ctx_segment_drop_pages deletes the pages with numbers from first to last of a segment;
 * ctx_segment_drop deletes all pages of a segment and its rows in fulltext_idx. */
int ctx_segment_drop_pages(struct ctx_segments *s, int64_t segment, int64_t first,
    int64_t last, struct ctx_err *err);
int ctx_segment_drop(struct ctx_segments *s, int64_t segment, struct ctx_err *err);

/* ---- skips: the first rowids of the pages of a long doclist (FTS5's "doclist index")
 * ---- */

struct ctx_skips {
	int64_t page; /* page on which the doclist begins */
	int64_t last; /* last page of the doclist */
	/* one element for each page after the first page of the doclist: the page's first
	 * rowid, or 0 if no row begins on the page */
	int64_t *rowid;
};

int ctx_skips_read(
    struct ctx_segments *s, int64_t segment, struct ctx_skips *k, struct ctx_err *err);
/* Replaces the skips of the doclist that begins on page k->page. If k has no rowids,
 * deletes the skips, and updates the row of this page in fulltext_idx accordingly. now:
 * the page's first term. */
int ctx_skips_write(struct ctx_segments *s, int64_t segment, const struct ctx_skips *k,
    struct ctx_span now, struct ctx_err *err);

#endif
