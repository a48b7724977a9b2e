/* Adds to the document what is still open. */
#include "summary/doc.h"

/* Returns the first call after which nothing was said and no other call returned: only
 * the calls from there on can be open. */
static uint32_t
find_last_calls(const struct ctx_doc *d)
{
	uint32_t first = 0;

	for (uint32_t i = 0; i < d->in->n; i++) {
		bool call = d->in->v[i].kind == CTX_PIECE_CALL;
		if (!call && d->in->v[i].kind != CTX_PIECE_RESULT)
			first = i + 1;
		else if (call && i > 0 && d->in->v[i - 1].kind == CTX_PIECE_RESULT)
			first = i;
	}
	return first;
}

static void
put_action(const struct ctx_doc *d, const struct ctx_doc_item *it, struct ctx_buf *b)
{
	if (it->verb != CTX_TOOL_OTHER)
		ctx_buf_adds(b, ctx_doc_word(d->language, it->verb));
	if (it->verb != CTX_TOOL_OTHER && it->n > 0)
		ctx_buf_addc(b, ' ');
	ctx_buf_addspan(b, ctx_doc_item_text(d, it));
}

void
ctx_doc_add_open(
    struct ctx_doc *d, const uint32_t *item_of, const bool *answered, uint32_t last)
{
	struct ctx_buf b = CTX_BUF_INIT;
	uint32_t todo = UINT32_MAX, failed = UINT32_MAX, group;
	uint32_t last_calls = find_last_calls(d);

	for (uint32_t i = 0; i < d->in->n; i++) {
		const struct ctx_summary_piece *p = &d->in->v[i];
		if (p->kind == CTX_PIECE_RESULT && i >= last)
			failed = p->error ? i : UINT32_MAX;
		if (p->kind != CTX_PIECE_CALL)
			continue;
		if (ctx_tool_find(ctx_summary_piece_name(d->in, i),
			ctx_summary_piece_json(d->in, i)) == CTX_TOOL_TODO)
			todo = i;
		if (answered[i] || item_of[i] == 0 || i < last_calls)
			continue;
		ctx_buf_reset(&b);
		put_action(d, &d->items[item_of[i] - 1], &b);
		group = ctx_doc_group(d, CTX_DOC_OPEN, 0,
		    ctx_span_of(ctx_doc_word(d->language, CTX_WORD_WAITS)), 7);
		ctx_doc_item(d, group, ctx_buf_span(&b), ctx_summary_hash(47, b.p, b.n),
		    CTX_DOC_OPEN_WORTH);
	}
	if (failed != UINT32_MAX) {
		ctx_buf_reset(&b);
		ctx_doc_add_quoted(&b, ctx_summary_piece_text(d->in, failed), 200);
		group = ctx_doc_group(d, CTX_DOC_OPEN, 0,
		    ctx_span_of(ctx_doc_word(d->language, CTX_WORD_ERROR)), 0);
		ctx_doc_item(d, group, ctx_buf_span(&b), 0, CTX_DOC_OPEN_WORTH);
	}
	if (todo != UINT32_MAX)
		ctx_doc_add_todo(d, ctx_summary_piece_json(d->in, todo));
	ctx_buf_release(&b);
}
