/* Adds relevant older history as a quotation. */
#include "enrich/arrange.h"
#include "enrich/internal.h"
#include "json/json.h"
#include "recall/recall.h"
#include "record/quote.h"
#include "store/purge.h"

#define HEAD "Said earlier in this conversation:\n"

/* The quotation has a few more tokens than the turns were chosen by, so several attempts
 * may be needed. */
#define TRIES 4

#define WITHOUT_ROOM 1000 /* tokens, if nothing limits the additions */

static void
add_recalled(struct ctx_enrich *e, const struct ctx_recall *r)
{
	struct ctx_buf text = CTX_BUF_INIT, source = CTX_BUF_INIT, turns = CTX_BUF_INIT;

	ctx_recall_format(&turns, r);
	ctx_buf_adds(&text, HEAD);
	ctx_quote_block(&text, ctx_buf_span(&turns));
	ctx_json_print(&source,
	    "{'type':'history','name':'earlier messages','reason':'relevant',"
	    "'first_seq':%d,'last_seq':%d}",
	    r->turns[0].seq, r->turns[r->n - 1].seq);
	ctx_enrich_add_system(
	    e, CTX_SLOT_VOLATILE, ctx_buf_span(&source), ctx_buf_span(&text));
	ctx_buf_release(&turns);
	ctx_buf_release(&text);
	ctx_buf_release(&source);
}

static void
embed_failed(void *arg, const struct ctx_err *err)
{
	ctx_enrich_embed_failed(arg, err);
}

void
ctx_enrich_put_quotations(const struct ctx_enrich *e, struct ctx_buf *out)
{
	struct ctx_buf text = CTX_BUF_INIT;

	for (size_t i = 0; i < e->n_messages; i++) {
		const struct ctx_enrich_message *m = &e->messages[i];
		struct ctx_span content;
		if (m->slot != CTX_SLOT_VOLATILE)
			continue;
		content = ctx_json_text(ctx_json_get(m->message, "content"), &text);
		if (ctx_span_begins(content, HEAD)) {
			ctx_buf_addspan(out, content);
			ctx_buf_addc(out, '\n');
		}
	}
	ctx_buf_release(&text);
}

/* Chooses turns of at most budget tokens. */
static int
recall_enrich_history(
    struct ctx_enrich *e, int64_t budget, struct ctx_recall *r, struct ctx_err *err)
{
	struct ctx_buf quoted = CTX_BUF_INIT;
	int rc;
	struct ctx_recall_options o = {.query = ctx_buf_span(&e->query),
	    .before_seq = ctx_enrich_window_seq(e),
	    .budget = budget,
	    .tokenizer = e->o.tokenizer,
	    .embedder = e->embed_failed ? NULL : e->embedder,
	    .embed_failed = embed_failed,
	    .embed_arg = e};

	ctx_enrich_put_quotations(e, &quoted);
	o.quoted = quoted.p;
	rc = ctx_recall_select(r, e->st, e->session, &o, err);
	ctx_buf_release(&quoted);
	return rc;
}

/* Adds the chosen turns, and fewer of them until the addition fits in room (tokens; -1:
 * any size fits). Returns false if nothing was added. */
static bool
add_recalled_that_fit(struct ctx_enrich *e, struct ctx_recall *r, int64_t room)
{
	int64_t cost, budget = r->cost;

	for (int i = 0; i < TRIES && r->n > 0; i++) {
		add_recalled(e, r);
		cost = ctx_addition_tokens(&e->list[e->n - 1], e->o.tokenizer);
		if (room < 0 || cost <= room)
			return true;
		ctx_enrich_drop_last(e);
		budget -= cost - room + 4 * i; /* grows, so that the loop ends */
		ctx_recall_reduce(r, budget);
	}
	return false;
}

int64_t
ctx_enrich_history_max(const struct ctx_enrich *e)
{
	if (e->o.history_tokens >= 0)
		return e->o.history_tokens;
	return e->room >= 0 ? e->room : WITHOUT_ROOM;
}

/* Records why nothing was added: no message that fits is relevant, or none fits. */
static void
pass_over_history(struct ctx_enrich *e, int64_t budget)
{
	struct ctx_buf b = CTX_BUF_INIT;

	if (budget > 0 && budget < ctx_enrich_history_max(e))
		ctx_buf_addf(&b,
		    "earlier messages, because no relevant message fits in %lld tokens",
		    (long long)budget);
	else if (budget > 0)
		ctx_buf_adds(&b, "earlier messages, because none of them is relevant");
	else
		ctx_buf_adds(&b, "earlier messages");
	ctx_enrich_pass(e, budget <= 0, ctx_buf_span(&b));
	ctx_buf_release(&b);
}

int
ctx_enrich_add_history(struct ctx_enrich *e, size_t where, struct ctx_err *err)
{
	int64_t budget = ctx_enrich_history_max(e), room = -1;
	struct ctx_recall r = CTX_RECALL_INIT;
	int rc = 0;

	if (e->o.history_tokens == 0 || e->query.n == 0 || ctx_enrich_window_seq(e) < 2)
		return 0;
	if (ctx_archive_cleaned(e->session))
		return ctx_err_set(err, CTX_EANSWER,
		    "session '%s' is archived: earlier messages are not quoted",
		    e->session->session_id);
	if (e->room >= 0) {
		room = ctx_additions_left(e->list, e->n, e->o.tokenizer, true, e->room);
		budget = budget < room ? budget : room;
	}
	if (budget > 0 && ctx_recall_asks(ctx_buf_span(&e->query)))
		rc = recall_enrich_history(e, budget, &r, err);
	if (rc == 0 && r.n == 0)
		pass_over_history(e, budget);
	else if (rc == 0 && add_recalled_that_fit(e, &r, room))
		ctx_enrich_move_last(e, where);
	else if (rc == 0)
		pass_over_history(e, 0);
	ctx_recall_release(&r);
	return rc;
}
