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

/* ---- the user's own words ----
 * An instruction has few facts, and is what all the rest was done for: by worth it loses
 * against code. So a share is reserved for the first request, then for rules and for how
 * each message begins, the newest first. */
#define RESERVED 16 /* one part in so many */
#define REQUEST 2   /* the same for the beginning of the first request */

struct choice {
	struct ctx_model *m;
	bool *open; /* pieces that have their label */
	int64_t left;
};

static void
choose(struct choice *c, struct ctx_sentence *s, int64_t *max)
{
	int64_t cost = price(c->m, c->open, s);

	if (s->kept || cost > *max || cost > c->left || worth(c->m, s) <= 0)
		return;
	keep(c->m, s);
	c->open[s->piece] = true;
	*max -= cost;
	c->left -= cost;
}

/* Notes that programs write in the user's name are markup or in brackets. */
static bool
is_users(const struct ctx_model *m, const struct ctx_sentence *s)
{
	char c = s->text.p[0];

	return m->in->v[s->piece].role == CTX_ROLE_USER && c != '<' && c != '[';
}

static bool
begins_piece(const struct ctx_model *m, size_t i)
{
	return i == 0 || m->s[i - 1].piece != m->s[i].piece;
}

static void
choose_users(struct choice *c)
{
	struct ctx_model *m = c->m;
	int64_t max = c->left / RESERVED, request = c->left / REQUEST;
	size_t first = 0;

	while (first < m->n && !is_users(m, &m->s[first]))
		first++;
	if (first == m->n)
		return;
	choose(c, &m->s[first], &request);
	for (size_t i = first + 1; i < m->n && m->s[i].piece == m->s[first].piece; i++)
		choose(c, &m->s[i], &max);
	for (int rules = 1; rules >= 0; rules--)
		for (size_t i = m->n; i-- > first;)
			if (is_users(m, &m->s[i]) &&
			    (rules ? m->s[i].cue : begins_piece(m, i)))
				choose(c, &m->s[i], &max);
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
	struct choice c = {m, ctx_mem_new(m->in->n * sizeof(*c.open)), max};
	uint32_t head[BUCKETS], i;
	int64_t cost;
	int now;

	for (size_t j = 0; j < m->n_c; j++)
		m->c[j].covered = false;
	for (size_t j = 0; j < m->n; j++)
		m->s[j].kept = false;
	choose_users(&c);
	for (size_t j = 0; j < BUCKETS; j++)
		head[j] = NONE;
	for (size_t j = m->n; j-- > 0;)
		if (!m->s[j].kept)
			push(m, head, c.open, (uint32_t)j);
	for (int b = BUCKETS - 1; b >= 0 && c.left > 0; b--) {
		while ((i = head[b]) != NONE) {
			struct ctx_sentence *s = &m->s[i];
			head[b] = s->next;
			cost = price(m, c.open, s);
			if (cost > c.left)
				continue;
			now = bucket_of(worth(m, s), cost);
			if (now < b) {
				push(m, head, c.open, i);
				continue;
			}
			keep(m, s);
			c.open[s->piece] = true;
			c.left -= cost;
		}
	}
	free(c.open);
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
