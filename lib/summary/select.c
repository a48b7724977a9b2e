#include "summary/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Budgeted maximum coverage: a sentence is worth the weight of what no sentence kept so
 * far holds, so that redundancy falls out by itself; the densest (worth per token) first.
 * Sentences wait in buckets by density. Worth only ever falls, so a sentence moves down
 * some buckets at most, and the whole is linear. */
#define BUCKETS 256
#define PER_OCTAVE 8
#define NONE UINT32_MAX

static int
bucket_of(float worth, int64_t tokens)
{
	int b;

	if (worth <= 0)
		return -1;
	b = BUCKETS * 3 / 4 + (int)floorf(PER_OCTAVE * log2f(worth / (float)tokens));
	return b < 0 ? 0 : b >= BUCKETS ? BUCKETS - 1 : b;
}

static float
worth(const struct ctx_model *m, const struct ctx_sentence *s)
{
	float sum = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		const struct ctx_concept *c = &m->c[m->held[s->concept + i]];
		if (!c->covered)
			sum += c->weight;
	}
	return sum * s->factor;
}

static bool
same_label(const struct ctx_model *m, uint32_t a, uint32_t b)
{
	return ctx_span_eq(
	    ctx_summary_piece_label(m->in, a), ctx_summary_piece_label(m->in, b));
}

/* What the sentence costs: with a label unless its message is in already. */
static int64_t
price(const struct ctx_model *m, const bool *open, const struct ctx_sentence *s)
{
	if (open[s->piece] ||
	    (s->piece > 0 && open[s->piece - 1] && same_label(m, s->piece, s->piece - 1)))
		return s->tokens;
	return s->tokens + m->label_tokens[s->piece];
}

static void
keep(struct ctx_model *m, struct ctx_sentence *s)
{
	s->kept = true;
	for (uint32_t i = 0; i < s->n; i++)
		m->c[m->held[s->concept + i]].covered = true;
}

static void
push(struct ctx_model *m, uint32_t *head, const bool *open, uint32_t i)
{
	struct ctx_sentence *s = &m->s[i];
	int b = bucket_of(worth(m, s), price(m, open, s));

	if (b < 0)
		return;
	s->next = head[b];
	head[b] = i;
}

void
ctx_model_select(struct ctx_model *m, int64_t max)
{
	bool *open = ctx_mem_new(m->in->n * sizeof(*open));
	uint32_t head[BUCKETS], i;
	int64_t cost;
	int now;

	for (size_t j = 0; j < m->n_c; j++)
		m->c[j].covered = false;
	for (size_t j = 0; j < BUCKETS; j++)
		head[j] = NONE;
	for (size_t j = m->n; j-- > 0;) {
		m->s[j].kept = false;
		push(m, head, open, (uint32_t)j);
	}
	for (int b = BUCKETS - 1; b >= 0 && max > 0; b--) {
		while ((i = head[b]) != NONE) {
			struct ctx_sentence *s = &m->s[i];
			head[b] = s->next;
			cost = price(m, open, s);
			if (cost > max)
				continue;
			now = bucket_of(worth(m, s), cost);
			if (now < b) {
				push(m, head, open, i);
				continue;
			}
			keep(m, s);
			open[s->piece] = true;
			max -= cost;
		}
	}
	free(open);
}

static const char *
separator(const struct ctx_model *m, size_t last, size_t i)
{
	const struct ctx_sentence *a = &m->s[last], *b = &m->s[i];

	if (a->piece != b->piece || a->line != b->line)
		return "\n";
	if (last + 1 < i)
		return " … ";
	return a->text.p + a->text.n < b->text.p ? " " : "";
}

void
ctx_model_print(const struct ctx_model *m, struct ctx_buf *out)
{
	size_t last = SIZE_MAX;

	for (size_t i = 0; i < m->n; i++) {
		const struct ctx_sentence *s = &m->s[i];
		if (!s->kept)
			continue;
		if (last != SIZE_MAX)
			ctx_buf_adds(out, separator(m, last, i));
		if (last == SIZE_MAX || !same_label(m, m->s[last].piece, s->piece)) {
			ctx_buf_addspan(out, ctx_summary_piece_label(m->in, s->piece));
			ctx_buf_adds(out, ": ");
		}
		ctx_buf_addspan(out, s->text);
		last = i;
	}
	if (last != SIZE_MAX)
		ctx_buf_addc(out, '\n');
}
