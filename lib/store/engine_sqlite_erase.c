#include "store/engine_sqlite_erase.h"

#include <stdlib.h>
#include <string.h>

#include "base/compare.h"
#include "base/mem.h"
#include "store/engine_sqlite_segment.h"
#include "store/row.h"

#define UNKNOWN (-1)

/* The state of removing sessions from one segment. */
struct cutter {
	struct ctx_segments all;
	struct ctx_segment *segment;
	const int64_t *sessions;
	size_t n_sessions;
	int64_t asked; /* session looked up last by is_session_gone, and the answer */
	bool asked_gone;
	int64_t *pages; /* pages with rows to remove */
	size_t n_pages, pages_cap;
	struct ctx_skips *skips; /* skips of doclists with rows to remove */
	size_t n_skips, skips_cap;
	/* the term page that was opened last, and the range of terms that would be on
	 * it */
	int64_t page, next_page;
	bool has_skips;
	/* until: first term after the page; empty if there is none */
	struct ctx_buf block, term, until;
	struct ctx_leaf leaf;
	size_t at; /* index of term on the page */
	/* first rowids of the doclist's pages, by page - first page - 1 */
	int64_t *rowid;
	int64_t n_rowid;
	struct ctx_leaf_cut cut;
	int64_t cutting; /* page from which rows are being removed */
	struct ctx_err *err;
	bool failed; /* a database error occurred, and err is set */
};

static bool
is_session_gone(void *arg, int64_t rowid)
{
	struct cutter *c = arg;
	int64_t no = rowid >> 32;

	if (no == c->asked) /* rows of a session are next to each other */
		return c->asked_gone;
	c->asked = no;
	return c->asked_gone = bsearch(&no, c->sessions, c->n_sessions, sizeof(no),
				   ctx_compare_int64) != NULL;
}

static int
fail_cutting(struct cutter *c)
{
	c->failed = true;
	return -1;
}

static int
read_leaf(struct cutter *c, int64_t page, struct ctx_buf *block, struct ctx_leaf *leaf)
{
	int rc = ctx_segment_read(&c->all, c->segment->id, page, block, c->err);

	if (rc < 0)
		return fail_cutting(c);
	return rc == 0 ? -1 : ctx_leaf_read(leaf, ctx_buf_span(block));
}

/* ---- finding the pages ---- */

static void
note_page(struct cutter *c, int64_t page)
{
	if (c->n_pages > 0 && c->pages[c->n_pages - 1] == page)
		return;
	CTX_MEM_GROW(c->pages, c->n_pages, c->pages_cap);
	c->pages[c->n_pages++] = page;
}

static int
open_term_page(struct cutter *c, struct ctx_span term)
{
	int64_t segment = c->segment->id;
	struct ctx_buf key = CTX_BUF_INIT;
	int rc = ctx_segment_find(
	    &c->all, segment, term, &c->page, &c->has_skips, &key, c->err);

	ctx_buf_release(&key);
	if (rc >= 0 && (rc == 0 || c->page < c->segment->first)) {
		/* the first pages may have been merged into another segment */
		c->page = c->segment->first;
		c->has_skips = false;
	}
	if (rc >= 0)
		rc = ctx_segment_next(
		    &c->all, segment, term, &c->next_page, &c->until, c->err);
	if (rc < 0)
		return fail_cutting(c);
	if (rc == 0) {
		ctx_buf_reset(&c->until);
		c->next_page = c->segment->last;
	}
	c->at = 0;
	if (read_leaf(c, c->page, &c->block, &c->leaf) < 0 || c->leaf.n_terms == 0)
		return -1;
	return 0;
}

/* Finds the page that has the term. Returns 1 with the page open at the term, 0 if no
 * page has it, -1 on error. */
static int
find_term_page(struct cutter *c, struct ctx_span term)
{
	size_t list;
	int order = -1;

	if (c->page == 0 ||
	    (c->until.n > 0 && ctx_word_compare(term, ctx_buf_span(&c->until)) >= 0)) {
		if (open_term_page(c, term) < 0 ||
		    ctx_leaf_term(&c->leaf, 0, &c->term, &list) < 0)
			return -1;
	}
	while ((order = ctx_word_compare(ctx_buf_span(&c->term), term)) < 0 &&
	       c->at + 1 < c->leaf.n_terms)
		if (ctx_leaf_term(&c->leaf, ++c->at, &c->term, &list) < 0)
			return -1;
	return order == 0;
}

/* Sets *rowid to the first rowid on a page of a doclist that began on an earlier page; 0
 * if no row begins there. */
static int
read_first_rowid(const struct ctx_leaf *leaf, int64_t *rowid)
{
	uint64_t v = 0;
	int rc = leaf->rowid_at > 0 && ctx_varint_get(leaf->p + leaf->rowid_at,
					   leaf->end - leaf->rowid_at, &v) == 0
		     ? -1
		     : 0;

	*rowid = (int64_t)v;
	return rc;
}

/* As read_first_rowid, for a page after the page of the term. */
static int
get_first_rowid(struct cutter *c, int64_t page, int64_t *rowid)
{
	int64_t *known = &c->rowid[page - c->page - 1];
	struct ctx_buf block = CTX_BUF_INIT;
	struct ctx_leaf leaf = {.p = NULL};
	int rc = 0;

	if (*known == UNKNOWN) {
		rc = read_leaf(c, page, &block, &leaf);
		if (rc == 0)
			rc = read_first_rowid(&leaf, known);
	}
	ctx_leaf_release(&leaf);
	ctx_buf_release(&block);
	*rowid = *known;
	return rc;
}

/* Finds the last page, from the term's page to last, that begins with a rowid of at most
 * max. */
static int
find_rowid_page(struct cutter *c, int64_t last, int64_t max, int64_t *page)
{
	int64_t lo = c->page, hi = last, rowid, at, mid;

	/* pages after hi begin with greater rowids, page lo does not */
	while (lo < hi) {
		mid = lo + (hi - lo + 1) / 2;
		rowid = 0;
		for (at = mid; at <= hi; at++) {
			if (get_first_rowid(c, at, &rowid) < 0)
				return -1;
			if (rowid != 0)
				break;
		}
		if (rowid != 0 && rowid <= max)
			lo = at;
		else
			hi = mid - 1;
	}
	*page = lo;
	return 0;
}

/* Takes the first rowids of the pages of a doclist from its skips. */
static int
take_known_rowids(struct cutter *c, int64_t last)
{
	struct ctx_skips k = {c->page, last, NULL};
	int rc = ctx_skips_read(&c->all, c->segment->id, &k, c->err);

	for (int64_t i = 0; rc == 0 && i < c->n_rowid; i++)
		if (k.rowid[i] != 0)
			c->rowid[i] = k.rowid[i];
	free(k.rowid);
	return rc < 0 ? fail_cutting(c) : 0;
}

/* Notes the pages of a long doclist that contain rows of the sessions. */
static int
note_doclist(struct cutter *c, const struct ctx_word *word)
{
	int64_t last = c->next_page, from, to;

	c->n_rowid = last - c->page;
	c->rowid = ctx_mem_resize(c->rowid, (size_t)c->n_rowid + 1, sizeof(*c->rowid));
	for (int64_t i = 0; i < c->n_rowid; i++)
		c->rowid[i] = UNKNOWN;
	if (c->has_skips && take_known_rowids(c, last) < 0)
		return -1;
	for (size_t i = 0; i < word->n_sessions;) {
		struct ctx_session_run run = ctx_session_run_take(
		    word->sessions, word->n_sessions, &i);
		if (find_rowid_page(c, last, ctx_row_id(run.first, 0), &from) < 0 ||
		    find_rowid_page(c, last, ctx_row_id(run.last, CTX_SEQ_MAX), &to) < 0)
			return -1;
		for (; from <= to; from++)
			note_page(c, from);
	}
	if (c->has_skips) {
		CTX_MEM_GROW(c->skips, c->n_skips, c->skips_cap);
		c->skips[c->n_skips++] = (struct ctx_skips){c->page, last, NULL};
	}
	return 0;
}

static int
note_word(struct cutter *c, const struct ctx_word *word)
{
	int rc = find_term_page(c, word->text);

	if (rc <= 0)
		return rc;
	note_page(c, c->page);
	if (c->at + 1 == c->leaf.n_terms && c->next_page > c->page)
		return note_doclist(c, word);
	return 0;
}

static int
note_words(struct cutter *c, const struct ctx_word *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (note_word(c, &words[i]) < 0)
			return -1;
	return 0;
}

/* ---- removing rows ---- */

/* Returns 1 if a row remains of the doclist with which the page continues, -1 on error.
 * Looks at the first row only, or at all. */
static int
head_stays(struct cutter *c, const struct ctx_leaf *leaf, bool all)
{
	struct ctx_leaf_calls calls = {.gone = is_session_gone, .arg = c};
	int64_t rowid;

	if (all)
		return ctx_leaf_head_stays(leaf, &calls);
	if (read_first_rowid(leaf, &rowid) < 0)
		return -1;
	return rowid != 0 && !is_session_gone(c, rowid);
}

/* The function goes_on for ctx_leaf_cut: returns 1 if rows of the page's last doclist
 * remain on later pages. Most often the first row of one of these remains; only if not,
 * all of their rows are read. */
static int
goes_on_later(void *arg)
{
	struct cutter *c = arg;
	struct ctx_buf block = CTX_BUF_INIT;
	struct ctx_leaf leaf = {.p = NULL};
	int rc = 0;

	for (int all = 0; rc == 0 && all <= 1; all++)
		for (int64_t page = c->cutting + 1; rc == 0 && page <= c->segment->last;
		     page++) {
			rc = read_leaf(c, page, &block, &leaf);
			if (rc == 0)
				rc = head_stays(c, &leaf, all == 1);
			if (leaf.n_terms > 0)
				break;
		}
	ctx_leaf_release(&leaf);
	ctx_buf_release(&block);
	return rc;
}

static int
cut_page(struct cutter *c, int64_t page)
{
	struct ctx_leaf_calls calls = {is_session_gone, goes_on_later, c};
	struct ctx_span old, now;

	c->cutting = page;
	if (read_leaf(c, page, &c->block, &c->leaf) < 0 ||
	    ctx_leaf_cut(&c->cut, &c->leaf, &calls) < 0)
		return -1;
	if (!c->cut.changed)
		return 0;
	old = ctx_buf_span(&c->cut.old);
	now = ctx_buf_span(&c->cut.first);
	if (ctx_segment_write(
		&c->all, c->segment->id, page, ctx_buf_span(&c->cut.block), c->err) < 0)
		return fail_cutting(c);
	if (old.n > 0 && (now.n == 0 || ctx_word_compare(old, now) != 0) &&
	    ctx_segment_retitle(&c->all, c->segment->id, page, old, now, c->err) < 0)
		return fail_cutting(c);
	return 0;
}

/* Removes rows from the noted pages. A position list that continues on a page that is not
 * noted is followed there. */
static int
cut_pages(struct cutter *c)
{
	int64_t page = 0;

	if (c->n_pages > 0)
		qsort(c->pages, c->n_pages, sizeof(*c->pages), ctx_compare_int64);
	for (size_t i = 0; i < c->n_pages || c->cut.spill > 0;) {
		if (c->cut.spill > 0)
			page++;
		else if (c->pages[i] <= page) {
			i++;
			continue;
		} else
			page = c->pages[i++];
		if (page > c->segment->last || cut_page(c, page) < 0)
			return -1;
	}
	return 0;
}

static int
cut_skips(struct cutter *c, struct ctx_skips *k)
{
	struct ctx_buf block = CTX_BUF_INIT, term = CTX_BUF_INIT;
	struct ctx_leaf leaf = {.p = NULL};
	size_t list;
	int rc = 0;

	if (ctx_skips_read(&c->all, c->segment->id, k, c->err) < 0)
		return fail_cutting(c);
	for (size_t i = 0; rc == 0 && i < c->n_pages; i++) {
		int64_t page = c->pages[i];
		if (page <= k->page || page > k->last)
			continue;
		rc = read_leaf(c, page, &block, &leaf);
		if (rc == 0)
			rc = read_first_rowid(&leaf, &k->rowid[page - k->page - 1]);
	}
	if (rc == 0)
		rc = read_leaf(c, k->page, &block, &leaf);
	if (rc == 0 && leaf.n_terms > 0)
		rc = ctx_leaf_term(&leaf, 0, &term, &list);
	if (rc == 0 &&
	    ctx_skips_write(&c->all, c->segment->id, k, ctx_buf_span(&term), c->err) < 0)
		rc = fail_cutting(c);
	free(k->rowid);
	k->rowid = NULL;
	ctx_leaf_release(&leaf);
	ctx_buf_release(&block);
	ctx_buf_release(&term);
	return rc;
}

/* Drops the pages before the first one that has a term, because a segment must begin with
 * a term. */
static int
trim_segment(struct cutter *c)
{
	struct ctx_segment *s = c->segment;
	int64_t page = s->first;

	for (; page <= s->last; page++) {
		if (read_leaf(c, page, &c->block, &c->leaf) < 0)
			return -1;
		if (c->leaf.n_terms > 0)
			break;
	}
	if (page == s->first)
		return 0;
	c->all.changed = true;
	if (page > s->last) {
		s->first = 0;
		return ctx_segment_drop(&c->all, s->id, c->err) < 0 ? fail_cutting(c) : 0;
	}
	if (c->leaf.terms[0] != 4 || c->leaf.rowid_at != 0)
		return -1;
	if (ctx_segment_drop_pages(&c->all, s->id, s->first, page - 1, c->err) < 0)
		return fail_cutting(c);
	s->first = page;
	return 0;
}

static int
cut_segment(struct cutter *c, const struct ctx_word *words, size_t n)
{
	c->n_pages = c->n_skips = 0;
	c->page = 0;
	c->cut.spill = 0;
	if (note_words(c, words, n) < 0 || cut_pages(c) < 0)
		return -1;
	for (size_t i = 0; i < c->n_skips; i++)
		if (cut_skips(c, &c->skips[i]) < 0)
			return -1;
	return c->n_pages == 0 ? 0 : trim_segment(c);
}

static void
release_cutter(struct cutter *c)
{
	free(c->pages);
	for (size_t i = 0; i < c->n_skips; i++)
		free(c->skips[i].rowid);
	free(c->skips);
	free(c->rowid);
	ctx_buf_release(&c->block);
	ctx_buf_release(&c->term);
	ctx_buf_release(&c->until);
	ctx_leaf_release(&c->leaf);
	ctx_leaf_cut_release(&c->cut);
	ctx_segments_close(&c->all);
}

/* ---- all segments ---- */

/* Removes the rows, which have so many words together, from the segments, until all of these
 * words are gone. Returns 1, 0 or -1 as ctx_fulltext_cut. */
static int
cut_segments(struct cutter *c, struct ctx_word_list *list, int64_t n_words, bool stop)
{
	size_t *order = ctx_mem_new((c->all.n + 1) * sizeof(*order)), n;
	const struct ctx_word *words = ctx_word_list_sort(list, &n);
	int64_t middle = c->sessions[c->n_sessions / 2];
	int rc = 1;

	if (ctx_segments_order(&c->all, middle, order, c->err) < 0)
		rc = -1;
	for (size_t i = 0; rc == 1 && i < c->all.n; i++) {
		if (stop && c->cut.positions == n_words)
			break;
		c->segment = &c->all.v[order[i]];
		if (cut_segment(c, words, n) < 0)
			rc = c->failed ? -1 : 0;
	}
	free(order);
	return rc == 1 && c->cut.positions != n_words ? 0 : rc;
}

int
ctx_fulltext_cut(struct ctx_db *db, const int64_t *sessions, size_t n,
    struct ctx_word_list *list, bool stop, struct ctx_err *err)
{
	struct cutter c = {.sessions = sessions,
	    .n_sessions = n,
	    .asked = -1,
	    .cut = CTX_LEAF_CUT_INIT,
	    .err = err};
	struct ctx_fulltext_sizes sum = {0, 0};
	int rc = ctx_segments_open(&c.all, db, err);

	if (rc == 1)
		rc = ctx_fulltext_take_sizes(&c.all, sessions, n, &sum, err);
	if (rc == 1)
		rc = cut_segments(&c, list, sum.words, stop);
	if (rc == 1 && ctx_segments_save(&c.all, err) < 0)
		rc = -1;
	release_cutter(&c);
	return rc;
}
