/* The engine for SQLite: finds damage of the full-text index. SQLite's own check of a
 * database does not examine it, and a search that reads a damaged page may just find
 * less. */
#include "store/engine_sqlite.h"
#include "store/engine_sqlite_segment.h"
#include "store/engine_sqlite_words.h"
#include "store/row.h"

#define DAMAGED "the full-text index is damaged"

static bool
is_damage(const struct ctx_db *db)
{
	return (sqlite3_errcode(ctx_sqlite(db)) & 0xff) == SQLITE_CORRUPT;
}

/* Runs FTS5's own check, which needs a writable database. Returns 1 if damage was found,
 * 0 if not, -1 on error. */
static int
check_index_pages(struct ctx_db *db, ctx_db_damage_fn *fn, void *arg, struct ctx_err *err)
{
	struct ctx_err why = CTX_ERR_INIT;
	int rc;

	if (sqlite3_db_readonly(ctx_sqlite(db), "main") == 1)
		return 0;
	rc = ctx_stmt_exec(
	    db, "INSERT INTO fulltext (fulltext) VALUES ('integrity-check')", &why);
	if (rc == 0 || why.code == CTX_EBUSY)
		return 0;
	if (!is_damage(db)) {
		*err = why;
		return -1;
	}
	fn(arg, ctx_span_of(DAMAGED));
	return 1;
}

/* Checks that the pages contain as many words as the rows have in total. An index that
 * another version of FTS5 wrote is not checked. */
static int
check_index_words(struct ctx_db *db, ctx_db_damage_fn *fn, void *arg, struct ctx_err *err)
{
	struct ctx_segments s;
	struct ctx_err why = CTX_ERR_INIT;
	struct ctx_fulltext_sizes totals = {0, 0};
	int64_t have = 0;
	int rc = ctx_segments_open(&s, db, err);
	bool known = s.known;

	if (rc == 1)
		rc = ctx_segments_totals(&s, &totals, err);
	ctx_segments_close(&s);
	if (rc < 0 || !known)
		return rc;
	if (rc == 1) {
		if (ctx_stmt_exec(db,
			"CREATE VIRTUAL TABLE IF NOT EXISTS temp.vocabulary "
			"USING fts5vocab(main, fulltext, row)",
			err) < 0)
			return -1;
		rc = ctx_stmt_ints(
		    db, "SELECT sum(cnt) FROM temp.vocabulary", NULL, 0, &have, 1, &why);
		if (rc < 0 && !is_damage(db)) {
			*err = why;
			return -1;
		}
	}
	if (rc <= 0)
		fn(arg, ctx_span_of(DAMAGED));
	else if (have != totals.words)
		fn(arg, ctx_span_of("the full-text index is incomplete"));
	return 0;
}

int
ctx_sqlite_index_check(
    struct ctx_db *db, ctx_db_damage_fn *fn, void *arg, struct ctx_err *err)
{
	/* one snapshot: pages that another process writes between two statements would look
	 * damaged */
	bool own = !db->reading && !db->writing;
	int rc;

	if (!ctx_db_has_table(db, "fulltext_data"))
		return 0;
	rc = check_index_pages(db, fn, arg, err);
	if (rc != 0)
		return rc < 0 ? -1 : 0;
	rc = ctx_db_begin_read(db, err);
	if (rc == 0)
		rc = check_index_words(db, fn, arg, err);
	if (own)
		ctx_db_end_read(db);
	return rc < 0 ? -1 : 0;
}

/* ---- pages that a search reads ---- */

/* Reads a page of a segment. Returns 1 if its layout is sound, 0 if not, -1 on error. */
static int
read_sound_page(struct ctx_segments *s, int64_t segment, int64_t page,
    struct ctx_buf *block, struct ctx_leaf *leaf, struct ctx_err *err)
{
	int rc = ctx_segment_read(s, segment, page, block, err);

	return rc == 1 ? ctx_leaf_read(leaf, ctx_buf_span(block)) == 0 : rc;
}

static bool
is_last_term(const struct ctx_leaf *leaf, struct ctx_span word)
{
	struct ctx_buf term = CTX_BUF_INIT;
	bool is = true;
	size_t at;

	for (size_t i = 0; is && i < leaf->n_terms; i++)
		is = ctx_leaf_term(leaf, i, &term, &at) == 0;
	is = is && ctx_span_eq(ctx_buf_span(&term), word);
	ctx_buf_release(&term);
	return is;
}

/* Returns 1 if the segment's pages that contain the word are sound, or if none contains
 * it; 0 if not; -1 on error. A merge in progress removes pages from the beginning of a
 * segment, and in the end all of them. */
static int
are_pages_of_word_sound(struct ctx_segments *s, const struct ctx_segment *segment,
    struct ctx_span word, struct ctx_leaf *leaf, struct ctx_err *err)
{
	struct ctx_buf block = CTX_BUF_INIT, key = CTX_BUF_INIT;
	int64_t page = 0;
	bool skips;
	int rc = segment->first == 0
		     ? 0
		     : ctx_segment_find(s, segment->id, word, &page, &skips, &key, err);

	if (rc == 0) {
		rc = 1;
	} else if (rc == 1) {
		page = page < segment->first ? segment->first : page;
		rc = read_sound_page(s, segment->id, page, &block, leaf, err);
		if (rc == 1)
			rc = leaf->n_terms > 0;
		/* the word's rows can continue on the next pages, up to one that has a
		 * term */
		if (rc == 1 && is_last_term(leaf, word))
			do
				rc = page == segment->last
					 ? 2
					 : read_sound_page(
					       s, segment->id, ++page, &block, leaf, err);
			while (rc == 1 && leaf->n_terms == 0);
	}
	ctx_buf_release(&block);
	ctx_buf_release(&key);
	return rc == 2 ? 1 : rc;
}

static int
are_word_pages_sound(struct ctx_db *db, struct ctx_word_list *list, struct ctx_err *err)
{
	struct ctx_segments s;
	struct ctx_leaf leaf = {.p = NULL};
	const struct ctx_word *words;
	struct ctx_fulltext_sizes totals;
	int64_t rows = 0;
	size_t n;
	int rc = ctx_segments_open(&s, db, err);

	if (rc == 0 && !s.known)
		rc = 2; /* not checked */
	if (rc == 1)
		rc = ctx_segments_totals(&s, &totals, err);
	if (rc == 1 && s.n == 0 &&
	    ctx_stmt_number(db,
		"SELECT count(*) FROM (SELECT 1 FROM fulltext_docsize LIMIT 1)", &rows,
		err) < 0)
		rc = -1;
	else if (rc == 1)
		rc = rows == 0;
	words = ctx_word_list_sort(list, &n);
	for (size_t i = 0; rc == 1 && i < n; i++)
		for (size_t k = 0; rc == 1 && k < s.n; k++)
			rc = are_pages_of_word_sound(
			    &s, &s.v[k], words[i].text, &leaf, err);
	ctx_leaf_release(&leaf);
	ctx_segments_close(&s);
	return rc;
}

int
ctx_sqlite_index_check_words(struct ctx_db *db, const char *query, struct ctx_err *err)
{
	struct ctx_word_list *list = ctx_word_list_new(db, err);
	/* one snapshot: pages that another process writes between two statements would look
	 * damaged */
	bool own = !db->reading && !db->writing;
	int rc = list == NULL ? -1 : ctx_word_list_add(list, 1, ctx_span_of(query), err);

	if (rc == 0)
		rc = ctx_db_begin_read(db, err);
	if (rc == 0)
		rc = are_word_pages_sound(db, list, err);
	if (own)
		ctx_db_end_read(db);
	if (rc == 0)
		ctx_err_set(err, CTX_ESTORE,
		    "'%s': " DAMAGED " (ctx-check --rebuild rebuilds it)", db->path);
	ctx_word_list_free(list);
	return rc > 0 ? 0 : -1;
}
