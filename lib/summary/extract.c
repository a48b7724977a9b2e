#include "summary/model.h"

#include <stdlib.h>

/* More than any input has; keeps arithmetic on budgets within range. */
#define TOKENS_MAX (INT64_C(1) << 48)

/* How often to try again for a summary that uses the budget better. */
#define ROUNDS 5

/* One try under the given limits, which are estimates. */
static int64_t
attempt(struct ctx_model *m, double sentences, double list, struct ctx_buf *out)
{
	ctx_buf_reset(out);
	ctx_model_select(m, (int64_t)sentences);
	ctx_model_print(m, out);
	if (list >= 1)
		ctx_model_list(m, (int64_t)list, out);
	if (out->n > 0)
		out->n--; /* the last newline */
	return out->n == 0 ? 0 : ctx_tokens_text(m->tokenizer, out->p, out->n);
}

static void
count_kept(const struct ctx_model *m, struct ctx_summary_figures *f)
{
	f->sentences_kept = 0;
	f->facts.kept = 0;
	for (size_t i = 0; i < m->n; i++)
		f->sentences_kept += m->s[i].kept;
	for (size_t i = 0; i < m->n_c; i++)
		f->facts.kept += m->c[i].kind != 0 && m->c[i].covered;
}

/* Token counts of parts don't add up to that of the whole, under any tokenizer: so
 * count the whole, and correct the limits by the ratio. */
static void
fit(struct ctx_model *m, const struct ctx_summary_options *o, struct ctx_buf *best,
    struct ctx_summary_figures *f)
{
	int64_t max = o->max_tokens < TOKENS_MAX ? o->max_tokens : TOKENS_MAX;
	double limit = (double)max, low = 0, high = 0;
	struct ctx_buf out = CTX_BUF_INIT, swap;
	int64_t tokens;

	for (int round = 0; limit >= 1; round++) {
		tokens = attempt(m, limit * (1 - o->facts), limit * o->facts, &out);
		if (tokens <= max) {
			if (tokens > f->tokens_after) {
				f->tokens_after = tokens;
				count_kept(m, f);
				swap = *best;
				*best = out;
				out = swap;
			}
			low = limit;
			if (round >= ROUNDS || tokens * 50 >= max * 49 ||
			    limit >= (double)TOKENS_MAX || f->sentences_kept == m->n)
				break;
			limit *= tokens > 0 ? (double)max / (double)tokens : 2;
			if (limit > (double)TOKENS_MAX)
				limit = (double)TOKENS_MAX;
		} else {
			high = limit;
			if (round >= ROUNDS && f->tokens_after > 0)
				break;
			limit *= (double)max / (double)tokens * (round < 2 ? 1 : 0.9);
		}
		if (high > 0 && low < high && (limit >= high || limit <= low))
			limit = (low + high) / 2;
		if (high > 0 && high - low < 1)
			break;
	}
	ctx_buf_release(&out);
}

int
ctx_summary_extract(struct ctx_buf *out, const struct ctx_summary_input *in,
    const struct ctx_summary_options *o, struct ctx_summary_figures *figures,
    struct ctx_err *err)
{
	struct ctx_summary_figures f = {0};
	struct ctx_buf best = CTX_BUF_INIT;
	struct ctx_model m;

	if (o->max_tokens < 1)
		return ctx_err_set(err, CTX_EUSAGE, "a summary needs at least one token");
	if (!(o->facts >= 0 && o->facts <= 1))
		return ctx_err_set(err, CTX_EUSAGE, "share of facts is not in 0 to 1");
	ctx_model_init(&m, in, o->tokenizer);
	f.tokens_before = m.tokens;
	f.sentences = m.n;
	for (size_t i = 0; i < m.n_c; i++)
		f.facts.facts += m.c[i].kind != 0;
	fit(&m, o, &best, &f);
	ctx_buf_add(out, best.p, best.n);
	if (figures != NULL)
		*figures = f;
	ctx_buf_release(&best);
	ctx_model_release(&m);
	return 0;
}
