#include "stats/visible_tokens.h"

#include <stdlib.h>

#include "record/message.h"
#include "store/purge.h"
#include "store/recount.h"
#include "store/summary.h"

struct visible {
	struct ctx_store_summary summary;
	struct ctx_seq_range *hidden;
	int64_t *pins;
	size_t n_hidden, n_pins;
	int64_t tokens;
	/* tokens of the covered system messages read so far without another message below
	 * them */
	int64_t opening;
};

/* Messages are visited newest first, so only at the end is it known which system messages
 * open the session. */
static void
visit_visible_message(struct visible *v, int64_t seq, int role, int64_t tokens)
{
	bool system = ctx_role_is_system(role);

	if (seq <= v->summary.last && !system)
		v->opening = 0;
	if (ctx_seq_range_at(v->hidden, v->n_hidden, seq) != NULL)
		return;
	if (seq > v->summary.last || ctx_seq_among(v->pins, v->n_pins, seq))
		v->tokens += tokens;
	else if (system)
		v->opening += tokens;
}

static int
visit_head(void *arg, const struct ctx_stored_head *e, struct ctx_err *err CTX_UNUSED)
{
	visit_visible_message(arg, e->seq, e->role, e->token_count);
	return 1;
}

static int
visit_messages(struct visible *v, struct ctx_store *st, const struct ctx_session *s,
    struct ctx_tokenizer *t, struct ctx_err *err)
{
	struct ctx_recount *r = ctx_recount_new(st, s, t);
	struct ctx_cursor *c = ctx_cursor_open(st, s, 1, s->last_seq, true, err);
	struct ctx_stored m;
	int rc;

	while ((rc = ctx_cursor_next(c, &m, err)) == 1)
		visit_visible_message(v, m.seq, m.role, ctx_recount_tokens(r, &m));
	ctx_cursor_close(c);
	ctx_recount_free(r);
	return rc < 0 ? -1 : 0;
}

static int
add_visible_summary(struct visible *v, struct ctx_tokenizer *t, struct ctx_err *err)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	int rc;

	if (v->summary.n == 0)
		return 0;
	rc = ctx_message_parse(&m, ctx_span_of(v->summary.message), err);
	if (rc == 0)
		v->tokens += ctx_tokens_message(t, &m);
	ctx_message_release(&m);
	return rc;
}

int
ctx_visible_tokens(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_tokenizer *t, bool recount, int64_t *tokens, struct ctx_err *err)
{
	struct visible v = {0};
	int rc = -1;

	*tokens = -1;
	if (ctx_archive_cleaned(s))
		return 0;
	if (!recount && s->hidden_count == 0 && s->summary == 0) {
		*tokens = s->token_count;
		return 0;
	}
	if (ctx_store_hidden(st, s, &v.hidden, &v.n_hidden, err) == 0 &&
	    ctx_store_pins(st, s, 1, s->last_seq, &v.pins, &v.n_pins, err) == 0 &&
	    ctx_store_summary_current(st, s, &v.summary, err) >= 0) {
		rc = recount ? visit_messages(&v, st, s, t, err)
			     : ctx_store_heads(st, s, s->last_seq, visit_head, &v, err);
		if (rc == 0)
			rc = add_visible_summary(&v, t, err);
	}
	*tokens = v.tokens + v.opening;
	ctx_store_summary_release(&v.summary);
	free(v.hidden);
	free(v.pins);
	return rc;
}
