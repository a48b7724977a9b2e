#include "store/engine_sqlite_segment.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "store/row.h"

#define TOTALS 1 /* row of fulltext_data with the totals */
#define STRUCTURE 10
#define COOKIE 4 /* length of the cookie in bytes */
#define LEVELS_MAX 64
#define SEGMENTS_MAX 2000
#define PAGE_BITS 31
#define HEIGHT_BITS 5
#define SKIPS_BIT (PAGE_BITS + HEIGHT_BITS)
#define HEIGHT_MAX 4 /* greatest height of a tree of skips */
#define DEFAULT_PAGE_SIZE 4050

static int64_t
make_row(int64_t segment, bool skips, int height, int64_t page)
{
	return (int64_t)((uint64_t)segment << (SKIPS_BIT + 1) |
			 (uint64_t)skips << SKIPS_BIT | (uint64_t)height << PAGE_BITS) +
	       page;
}

/* ---- list of segments ---- */

static bool
read_number(struct ctx_span block, size_t *at, int64_t max, int64_t *v)
{
	uint64_t n;
	size_t size = ctx_varint_get(
	    (const unsigned char *)block.p + *at, block.n - *at, &n);

	*at += size;
	*v = (int64_t)n;
	return size > 0 && n <= (uint64_t)max;
}

static bool
read_level(struct ctx_segments *s, struct ctx_span block, size_t *at)
{
	int64_t merging, n;

	if (!read_number(block, at, SEGMENTS_MAX, &merging) ||
	    !read_number(block, at, SEGMENTS_MAX, &n) || merging > n)
		return false;
	for (int64_t i = 0; i < n; i++) {
		struct ctx_segment g = {.level = s->levels, .merging = i < merging};
		if (!read_number(block, at, UINT16_MAX, &g.id) ||
		    !read_number(block, at, INT32_MAX, &g.first) ||
		    !read_number(block, at, INT32_MAX, &g.last) || g.id == 0 ||
		    g.first == 0 || g.last < g.first)
			return false;
		CTX_MEM_GROW(s->v, s->n, s->cap);
		s->v[s->n++] = g;
	}
	s->levels++;
	return true;
}

static bool
read_structure(struct ctx_segments *s, struct ctx_span block)
{
	int64_t levels, n, writes;
	size_t at = COOKIE;

	if (block.n < COOKIE)
		return false;
	ctx_buf_add(&s->head, block.p, COOKIE);
	if (!read_number(block, &at, LEVELS_MAX, &levels) ||
	    !read_number(block, &at, SEGMENTS_MAX, &n) ||
	    !read_number(block, &at, INT64_MAX, &writes))
		return false;
	s->writes = (uint64_t)writes;
	for (int64_t i = 0; i < levels; i++)
		if (!read_level(s, block, &at))
			return false;
	return at == block.n && s->n == (size_t)n;
}

static int
read_block(
    struct ctx_segments *s, int64_t row, struct ctx_buf *block, struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(s->db, "fulltext_data",
	    "SELECT block FROM fulltext_data WHERE id = ?1", CTX_VALUES(ctx_int(row)),
	    err);

	ctx_buf_reset(block);
	if (ctx_rows_next(&r))
		ctx_buf_addspan(block, ctx_stmt_bytes(r.q, 0));
	return ctx_rows_found(&r);
}

int
ctx_segments_open(struct ctx_segments *s, struct ctx_db *db, struct ctx_err *err)
{
	struct ctx_buf block = CTX_BUF_INIT;
	int64_t version = 0;
	int rc;

	*s = (struct ctx_segments){.db = db};
	if (ctx_stmt_number(db, "SELECT v FROM fulltext_config WHERE k = 'version'",
		&version, err) < 0 ||
	    ctx_stmt_number(db, "SELECT v FROM fulltext_config WHERE k = 'pgsz'",
		&s->page_size, err) < 0)
		return -1;
	s->known = version == 4;
	if (!s->known)
		return 0;
	if (s->page_size <= 0)
		s->page_size = DEFAULT_PAGE_SIZE;
	rc = read_block(s, STRUCTURE, &block, err);
	if (rc == 1)
		rc = read_structure(s, ctx_buf_span(&block));
	ctx_buf_release(&block);
	return rc;
}

void
ctx_segments_close(struct ctx_segments *s)
{
	ctx_buf_release(&s->head);
	free(s->v);
	*s = (struct ctx_segments){.n = 0};
}

static int
write_block(
    struct ctx_segments *s, int64_t row, struct ctx_span block, struct ctx_err *err)
{
	return ctx_stmt_do(s->db,
	    "REPLACE INTO fulltext_data (id, block) VALUES (?1, ?2)",
	    CTX_VALUES(ctx_int(row), ctx_bytes(block)), err);
}

static void
put_level(struct ctx_buf *block, const struct ctx_segments *s, size_t level)
{
	uint64_t merging = 0, n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].level == level && s->v[i].first != 0) {
			merging += s->v[i].merging;
			n++;
		}
	ctx_varint_put(block, merging);
	ctx_varint_put(block, n);
	for (size_t i = 0; i < s->n; i++)
		if (s->v[i].level == level && s->v[i].first != 0) {
			ctx_varint_put(block, (uint64_t)s->v[i].id);
			ctx_varint_put(block, (uint64_t)s->v[i].first);
			ctx_varint_put(block, (uint64_t)s->v[i].last);
		}
}

/* Makes FTS5 read the list of segments again. It does so only after other processes wrote
 * to the file or after a rollback, so a change is made and rolled back. */
static int
make_fts_read_again(struct ctx_db *db, struct ctx_err *err)
{
	return ctx_stmt_exec(db,
	    "SAVEPOINT reread; "
	    "INSERT INTO fulltext (fulltext, rank) VALUES ('automerge', 4); "
	    "ROLLBACK TO reread; "
	    "RELEASE reread",
	    err);
}

int
ctx_segments_save(struct ctx_segments *s, struct ctx_err *err)
{
	struct ctx_buf block = CTX_BUF_INIT;
	uint64_t n = 0;
	int rc;

	if (!s->changed)
		return 0;
	for (size_t i = 0; i < s->n; i++)
		n += s->v[i].first != 0;
	ctx_buf_addspan(&block, ctx_buf_span(&s->head));
	ctx_varint_put(&block, s->levels);
	ctx_varint_put(&block, n);
	ctx_varint_put(&block, s->writes);
	for (size_t i = 0; i < s->levels; i++)
		put_level(&block, s, i);
	rc = write_block(s, STRUCTURE, ctx_buf_span(&block), err);
	ctx_buf_release(&block);
	return rc < 0 ? -1 : make_fts_read_again(s->db, err);
}

int
ctx_segments_totals(
    struct ctx_segments *s, struct ctx_fulltext_sizes *totals, struct ctx_err *err)
{
	struct ctx_buf block = CTX_BUF_INIT;
	uint64_t rows = 0, words = 0;
	int rc = read_block(s, TOTALS, &block, err);

	if (rc == 1 && block.n > 0) { /* an empty record: no words */
		const unsigned char *p = (const unsigned char *)block.p;
		size_t first = ctx_varint_get(p, block.n, &rows);
		size_t second = ctx_varint_get(p + first, block.n - first, &words);
		rc = first > 0 && second > 0 && first + second == block.n;
	}
	*totals = (struct ctx_fulltext_sizes){(int64_t)rows, (int64_t)words};
	ctx_buf_release(&block);
	return rc;
}

int
ctx_segments_set_totals(
    struct ctx_segments *s, const struct ctx_fulltext_sizes *totals, struct ctx_err *err)
{
	struct ctx_buf block = CTX_BUF_INIT;
	int rc;

	ctx_varint_put(&block, (uint64_t)totals->rows);
	ctx_varint_put(&block, (uint64_t)totals->words);
	rc = write_block(s, TOTALS, ctx_buf_span(&block), err);
	ctx_buf_release(&block);
	return rc;
}

/* ---- pages ---- */

int
ctx_segment_read(struct ctx_segments *s, int64_t segment, int64_t page,
    struct ctx_buf *block, struct ctx_err *err)
{
	return read_block(s, make_row(segment, false, 0, page), block, err);
}

int
ctx_segment_write(struct ctx_segments *s, int64_t segment, int64_t page,
    struct ctx_span block, struct ctx_err *err)
{
	return write_block(s, make_row(segment, false, 0, page), block, err);
}

static int
look_up_row(struct ctx_segments *s, const char *sql, int64_t segment,
    struct ctx_span term, int64_t *page, bool *has_skips, struct ctx_buf *key,
    struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(s->db, "fulltext_idx", sql,
	    CTX_VALUES(ctx_int(segment), ctx_bytes(term.n == 0 ? ctx_span_of("") : term)),
	    err);

	if (ctx_rows_next(&r)) {
		int64_t v = ctx_stmt_int64(r.q, 1);
		*page = v >> 1;
		*has_skips = (v & 1) != 0;
		ctx_buf_reset(key);
		ctx_buf_addspan(key, ctx_stmt_bytes(r.q, 0));
	}
	return ctx_rows_found(&r);
}

int
ctx_segment_find(struct ctx_segments *s, int64_t segment, struct ctx_span term,
    int64_t *page, bool *has_skips, struct ctx_buf *key, struct ctx_err *err)
{
	return look_up_row(s,
	    "SELECT term, pgno "
	    "FROM fulltext_idx "
	    "WHERE segid = ?1 AND term <= ?2 "
	    "ORDER BY term DESC "
	    "LIMIT 1",
	    segment, term, page, has_skips, key, err);
}

int
ctx_segment_next(struct ctx_segments *s, int64_t segment, struct ctx_span term,
    int64_t *page, struct ctx_buf *key, struct ctx_err *err)
{
	bool ignored;

	return look_up_row(s,
	    "SELECT term, pgno "
	    "FROM fulltext_idx "
	    "WHERE segid = ?1 AND term > ?2 "
	    "ORDER BY term "
	    "LIMIT 1",
	    segment, term, page, &ignored, key, err);
}

int
ctx_segment_retitle(struct ctx_segments *s, int64_t segment, int64_t page,
    struct ctx_span old, struct ctx_span now, struct ctx_err *err)
{
	struct ctx_buf key = CTX_BUF_INIT;
	int64_t there;
	bool has_skips;
	int rc = ctx_segment_find(s, segment, old, &there, &has_skips, &key, err);

	if (rc == 1 && there == page &&
	    /* the row of the first page has an empty term, and stays */
	    !(now.n > 0 && key.n == 0)) {
		rc = ctx_stmt_do(s->db,
		    "DELETE FROM fulltext_idx WHERE segid = ?1 AND term = ?2",
		    CTX_VALUES(ctx_int(segment), ctx_bytes(ctx_buf_span(&key))), err);
		if (rc == 0 && now.n > 0)
			rc = ctx_stmt_do(s->db,
			    "INSERT INTO fulltext_idx (segid, term, pgno) "
			    "VALUES (?1, ?2, ?3)",
			    CTX_VALUES(ctx_int(segment), ctx_bytes(now),
				ctx_int(page << 1 | has_skips)),
			    err);
	}
	ctx_buf_release(&key);
	return rc < 0 ? -1 : 0;
}

static int
drop_rows(struct ctx_segments *s, int64_t first, int64_t last, struct ctx_err *err)
{
	return ctx_stmt_do(s->db, "DELETE FROM fulltext_data WHERE id BETWEEN ?1 AND ?2",
	    CTX_VALUES(ctx_int(first), ctx_int(last)), err);
}

int
ctx_segment_drop_pages(struct ctx_segments *s, int64_t segment, int64_t first,
    int64_t last, struct ctx_err *err)
{
	return drop_rows(s, make_row(segment, false, 0, first),
	    make_row(segment, false, 0, last), err);
}

int
ctx_segment_drop(struct ctx_segments *s, int64_t segment, struct ctx_err *err)
{
	if (drop_rows(s, make_row(segment, false, 0, 0),
		make_row(segment + 1, false, 0, 0) - 1, err) < 0)
		return -1;
	return ctx_stmt_do(s->db, "DELETE FROM fulltext_idx WHERE segid = ?1",
	    CTX_VALUES(ctx_int(segment)), err);
}

/* ---- skips ---- */

/* Reads one page of skips: the first rowids of the doclist's pages. */
static int
read_skip_page(struct ctx_skips *k, struct ctx_span block)
{
	const unsigned char *p = (const unsigned char *)block.p;
	uint64_t page, v;
	int64_t rowid = 0;
	size_t at = 1, size;

	if (block.n < 3 || (size = ctx_varint_get(p + at, block.n - at, &page)) == 0)
		return -1;
	for (at += size; at < block.n; page++) {
		if (p[at] == 0 && rowid != 0) {
			at++;
			continue;
		}
		size = ctx_varint_get(p + at, block.n - at, &v);
		if (size == 0 || page <= (uint64_t)k->page || page > (uint64_t)k->last)
			return -1;
		rowid += (int64_t)v;
		k->rowid[page - (uint64_t)k->page - 1] = rowid;
		at += size;
	}
	return 0;
}

int
ctx_skips_read(
    struct ctx_segments *s, int64_t segment, struct ctx_skips *k, struct ctx_err *err)
{
	struct ctx_buf block = CTX_BUF_INIT;
	int rc = 1;

	k->rowid = ctx_mem_new((size_t)(k->last - k->page + 1) * sizeof(*k->rowid));
	for (int64_t i = 0; rc == 1 && k->page + i < k->last; i++) {
		rc = read_block(s, make_row(segment, true, 0, k->page + i), &block, err);
		if (rc == 1 && read_skip_page(k, ctx_buf_span(&block)) < 0)
			rc = ctx_err_set(err, CTX_ESTORE, "'%s': damaged", s->db->path);
	}
	ctx_buf_release(&block);
	return rc < 0 ? -1 : 0;
}

/* The page of skips that is being filled at one height. When it is full, its first rowid
 * is added to the page above. */
struct skip_level {
	struct ctx_buf page;
	int64_t number, first, last;
	size_t written;
};

struct skip_writer {
	struct ctx_segments *s;
	int64_t segment, page;
	struct skip_level levels[HEIGHT_MAX];
	struct ctx_err *err;
};

static int
write_skip_page(struct skip_writer *w, int height, bool is_root)
{
	struct skip_level *l = &w->levels[height];

	l->page.p[0] = is_root ? 0 : 1;
	l->written++;
	return write_block(w->s, make_row(w->segment, true, height, l->number),
	    ctx_buf_span(&l->page), w->err);
}

static int
add_skip(struct skip_writer *w, int height, int64_t child, int64_t rowid)
{
	struct skip_level *l = &w->levels[height];

	if (l->page.n >= (size_t)w->s->page_size) {
		if (height + 1 == HEIGHT_MAX || write_skip_page(w, height, false) < 0)
			return -1;
		if (w->levels[height + 1].page.n == 0 &&
		    add_skip(w, height + 1, l->number, l->first) < 0)
			return -1;
		l->number++;
		ctx_buf_reset(&l->page);
		if (add_skip(w, height + 1, l->number, rowid) < 0)
			return -1;
	}
	if (l->page.n == 0) {
		ctx_buf_addc(&l->page, 0);
		ctx_varint_put(&l->page, (uint64_t)child);
		l->first = rowid;
		l->last = 0;
	}
	ctx_varint_put(&l->page, (uint64_t)(rowid - l->last));
	l->last = rowid;
	return 0;
}

static int
forget_skips(struct ctx_segments *s, int64_t segment, const struct ctx_skips *k,
    struct ctx_err *err)
{
	for (int h = 0; h < HEIGHT_MAX; h++)
		if (drop_rows(s, make_row(segment, true, h, k->page),
			make_row(segment, true, h, k->last - 1), err) < 0)
			return -1;
	return 0;
}

static int
unmark_skips(struct ctx_segments *s, int64_t segment, int64_t page, struct ctx_span now,
    struct ctx_err *err)
{
	struct ctx_buf key = CTX_BUF_INIT;
	int64_t there;
	bool has_skips;
	int rc = now.n == 0
		     ? 0
		     : ctx_segment_find(s, segment, now, &there, &has_skips, &key, err);

	if (rc == 1 && there == page)
		rc = ctx_stmt_do(s->db,
		    "UPDATE fulltext_idx SET pgno = ?3 WHERE segid = ?1 AND term = ?2",
		    CTX_VALUES(ctx_int(segment), ctx_bytes(ctx_buf_span(&key)),
			ctx_int(page << 1)),
		    err);
	ctx_buf_release(&key);
	return rc < 0 ? -1 : 0;
}

int
ctx_skips_write(struct ctx_segments *s, int64_t segment, const struct ctx_skips *k,
    struct ctx_span now, struct ctx_err *err)
{
	struct skip_writer w = {.s = s, .segment = segment, .page = k->page, .err = err};
	struct skip_level *leaf = &w.levels[0];
	int rc = forget_skips(s, segment, k, err), top;

	for (int h = 0; h < HEIGHT_MAX; h++)
		w.levels[h].number = k->page;
	for (int64_t i = 0; rc == 0 && i < k->last - k->page; i++)
		if (k->rowid[i] != 0)
			rc = add_skip(&w, 0, k->page + 1 + i, k->rowid[i]);
		else if (leaf->page.n > 0)
			ctx_buf_addc(&leaf->page, 0);
	for (top = HEIGHT_MAX - 1; top > 0 && w.levels[top].page.n == 0;)
		top--;
	for (int h = 0; rc == 0 && leaf->page.n > 0 && h <= top; h++)
		rc = write_skip_page(&w, h, h == top);
	if (rc == 0 && leaf->page.n == 0)
		rc = unmark_skips(s, segment, k->page, now, err);
	for (int h = 0; h < HEIGHT_MAX; h++)
		ctx_buf_release(&w.levels[h].page);
	return rc;
}
