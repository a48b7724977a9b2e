/* Relevant older history, as a quotation. */
#include "enrich/internal.h"
#include "json/json.h"
#include "recall/recall.h"

static void
add_recalled(struct ctx_enrich *e, const struct ctx_recall *r)
{
	struct ctx_buf text = CTX_BUF_INIT, source = CTX_BUF_INIT, message = CTX_BUF_INIT;

	ctx_buf_adds(&text, "Said earlier in this conversation:\n");
	ctx_recall_format(&text, r);
	ctx_json_put_open(&source, '{');
	ctx_json_add_str(&source, "type", "history");
	ctx_json_add_str(&source, "name", "earlier messages");
	ctx_json_add_str(&source, "reason", "relevant");
	ctx_json_add_int(&source, "first_seq", r->turns[0].seq);
	ctx_json_add_int(&source, "last_seq", r->turns[r->n - 1].seq);
	ctx_json_put_close(&source, '}');
	ctx_json_put_open(&message, '{');
	ctx_json_add_str(&message, "role", "system");
	ctx_json_add_string(&message, "content", ctx_span_trim(ctx_buf_span(&text)));
	ctx_json_put_close(&message, '}');
	ctx_enrich_add(
	    e, CTX_SLOT_VOLATILE, ctx_buf_span(&source), ctx_buf_span(&message));
	ctx_buf_release(&text);
	ctx_buf_release(&source);
	ctx_buf_release(&message);
}

static void
embed_failed(void *arg, const struct ctx_err *err)
{
	ctx_enrich_embed_failed(arg, err);
}

int
ctx_enrich_add_history(struct ctx_enrich *e, struct ctx_err *err)
{
	struct ctx_recall r = CTX_RECALL_INIT;
	struct ctx_recall_options o = {.query = ctx_buf_span(&e->query),
	    .before_seq = ctx_enrich_window_seq(e),
	    .budget = e->o.history_tokens,
	    .tokenizer = e->o.tokenizer,
	    .embedder = e->embed_failed ? NULL : e->embedder,
	    .embed_failed = embed_failed,
	    .embed_arg = e};
	int rc;

	if (e->o.history_tokens <= 0 || o.query.n == 0 || o.before_seq < 2)
		return 0;
	rc = ctx_recall_select(&r, e->st, e->session, &o, err);
	if (rc == 0 && r.n > 0)
		add_recalled(e, &r);
	ctx_recall_release(&r);
	return rc;
}
