/* The numbers of words of each row and of all rows, which FTS5 uses for ranking. */
#include "store/engine_sqlite_segment.h"
#include "store/rows.h"

static int
add_size(void *arg, struct ctx_stmt *q, struct ctx_err *err)
{
	struct ctx_fulltext_sizes *s = arg;
	struct ctx_span size = ctx_stmt_bytes(q, 0);
	uint64_t v;

	(void)err;
	if (ctx_varint_get((const unsigned char *)size.p, size.n, &v) > 0)
		s->words += (int64_t)v;
	s->rows++;
	return 0;
}

static int
take_totals(
    struct ctx_segments *all, const struct ctx_fulltext_sizes *less, struct ctx_err *err)
{
	struct ctx_buf block = CTX_BUF_INIT;
	uint64_t rows, words;
	size_t size;
	int rc = ctx_segments_totals(all, &block, err);

	if (rc == 1) {
		const unsigned char *p = (const unsigned char *)block.p;
		size = ctx_varint_get(p, block.n, &rows);
		if (size == 0 ||
		    ctx_varint_get(p + size, block.n - size, &words) + size != block.n ||
		    rows < (uint64_t)less->rows || words < (uint64_t)less->words)
			rc = 0;
	}
	if (rc == 1) {
		ctx_buf_reset(&block);
		ctx_varint_put(&block, rows - (uint64_t)less->rows);
		ctx_varint_put(&block, words - (uint64_t)less->words);
		rc = ctx_segments_set_totals(all, ctx_buf_span(&block), err) < 0 ? -1 : 1;
	}
	ctx_buf_release(&block);
	return rc;
}

int
ctx_fulltext_take_sizes(struct ctx_segments *all, const int64_t *sessions, size_t n,
    struct ctx_fulltext_sizes *sum, struct ctx_err *err)
{
	for (size_t i = 0; i < n; i++) {
		struct ctx_value range[] = {ctx_int(ctx_row_id(sessions[i], 0)),
		    ctx_int(ctx_row_id(sessions[i], CTX_SEQ_MAX))};
		if (ctx_stmt_rows(all->db,
			"SELECT sz FROM fulltext_docsize WHERE id BETWEEN ?1 AND ?2",
			range, 2, add_size, sum, err) < 0 ||
		    ctx_stmt_do(all->db,
			"DELETE FROM fulltext_docsize WHERE id BETWEEN ?1 AND ?2", range,
			2, err) < 0)
			return -1;
	}
	return take_totals(all, sum, err);
}
