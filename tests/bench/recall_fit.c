/* The weights of lib/recall/rank.c: see recall.c, with which it is linked. */
#include "recall_fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Log-linear: a turn is evidence with a probability in proportion to the exponential of its
 * weighted features, among all turns of the conversation. The mean over questions of the
 * logarithm of that probability, averaged over a question's evidence, less L2 times half
 * the sum of squares, is concave: Newton's method finds its one maximum. */
#define L2 0.003
#define STEPS 30
#define TOP 20 /* turns that are looked at for the share of evidence among them */

struct question {
	int conversation;
	size_t n;
	double (*f)[F_COUNT];
	bool *evidence;
	double n_evidence;
};

static struct question *questions;
static size_t n_questions, cap_questions;

void
fit_add(int conversation, struct ctx_recall_turn *turns, size_t n, struct ctx_span query,
    const bool *evidence)
{
	struct question q = {.conversation = conversation, .n = n};

	q.f = ctx_mem_new((n + 1) * sizeof(*q.f));
	q.evidence = ctx_mem_new(n + 1);
	for (size_t i = 0; i < n; i++) {
		q.evidence[i] = evidence[i];
		q.n_evidence += evidence[i];
	}
	if (q.n_evidence == 0 || !ctx_recall_measure(turns, n, query, q.f)) {
		free(q.f);
		free(q.evidence);
		return;
	}
	CTX_MEM_GROW(questions, n_questions, cap_questions);
	questions[n_questions++] = q;
}

/* ---- the maximum ---- */

struct state {
	double w[F_COUNT], gradient[F_COUNT], hessian[F_COUNT][F_COUNT];
	double likelihood;
};

static double
score(const double *w, const double *f)
{
	double sum = 0;

	for (int k = 0; k < F_COUNT; k++)
		sum += w[k] * f[k];
	return sum;
}

/* Add a question's part: its gradient is the mean of the evidence's features less the
 * expected ones, its Hessian their covariance, negative. */
static void
add_question(struct state *s, const struct question *q, double share)
{
	double *p = ctx_mem_new(q->n * sizeof(*p)), max = -INFINITY, total = 0;
	double mean[F_COUNT] = {0};

	for (size_t i = 0; i < q->n; i++) {
		p[i] = score(s->w, q->f[i]);
		max = p[i] > max ? p[i] : max;
	}
	for (size_t i = 0; i < q->n; i++)
		total += exp(p[i] - max);
	for (size_t i = 0; i < q->n; i++) {
		double log_p = p[i] - max - log(total);
		p[i] = exp(log_p);
		for (int k = 0; k < F_COUNT; k++) {
			mean[k] += p[i] * q->f[i][k];
			for (int m = 0; m <= k; m++)
				s->hessian[k][m] -= share * p[i] * q->f[i][k] *
						    q->f[i][m];
		}
		if (!q->evidence[i])
			continue;
		s->likelihood += share * log_p / q->n_evidence;
		for (int k = 0; k < F_COUNT; k++)
			s->gradient[k] += share * q->f[i][k] / q->n_evidence;
	}
	for (int k = 0; k < F_COUNT; k++) {
		s->gradient[k] -= share * mean[k];
		for (int m = 0; m <= k; m++)
			s->hessian[k][m] += share * mean[k] * mean[m];
	}
	free(p);
}

/* All questions but those of the conversation that is left out (-1: of none). */
static void
evaluate(struct state *s, int without)
{
	double n = 0;

	for (size_t i = 0; i < n_questions; i++)
		n += questions[i].conversation != without;
	memset(s->gradient, 0, sizeof(s->gradient));
	memset(s->hessian, 0, sizeof(s->hessian));
	s->likelihood = 0;
	for (size_t i = 0; i < n_questions; i++)
		if (questions[i].conversation != without)
			add_question(s, &questions[i], 1 / n);
	for (int k = 0; k < F_COUNT; k++) {
		s->likelihood -= L2 / 2 * s->w[k] * s->w[k];
		s->gradient[k] -= L2 * s->w[k];
		s->hessian[k][k] -= L2;
	}
}

/* Solve -hessian * step = gradient, by Cholesky's decomposition. */
static void
newton_step(const struct state *s, double step[F_COUNT])
{
	double l[F_COUNT][F_COUNT] = {{0}};

	for (int i = 0; i < F_COUNT; i++)
		for (int j = 0; j <= i; j++) {
			double sum = -s->hessian[i][j];
			for (int k = 0; k < j; k++)
				sum -= l[i][k] * l[j][k];
			l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
		}
	for (int i = 0; i < F_COUNT; i++) {
		step[i] = s->gradient[i];
		for (int k = 0; k < i; k++)
			step[i] -= l[i][k] * step[k];
		step[i] /= l[i][i];
	}
	for (int i = F_COUNT; i-- > 0;) {
		for (int k = i + 1; k < F_COUNT; k++)
			step[i] -= l[k][i] * step[k];
		step[i] /= l[i][i];
	}
}

static void
fit(struct state *s, int without)
{
	double step[F_COUNT], change = 1;

	memset(s, 0, sizeof(*s));
	for (int n = 0; n < STEPS && change > 1e-6; n++) {
		evaluate(s, without);
		newton_step(s, step);
		change = 0;
		for (int k = 0; k < F_COUNT; k++) {
			/* far from the maximum a whole step may lead away from it */
			double d = step[k] > 2 ? 2 : step[k] < -2 ? -2 : step[k];
			s->w[k] += d;
			change += fabs(d);
		}
	}
}

/* ---- how good it is ---- */

/* The share of the evidence that stands among the best TOP turns, by weights w, over the
 * questions of one conversation. */
static double
share_in_top(const double *w, int conversation)
{
	double sum = 0;
	int n = 0;

	for (size_t i = 0; i < n_questions; i++) {
		const struct question *q = &questions[i];
		double found = 0;
		if (q->conversation != conversation)
			continue;
		for (size_t k = 0; k < q->n; k++) {
			size_t better = 0;
			if (!q->evidence[k])
				continue;
			for (size_t m = 0; m < q->n; m++)
				better += score(w, q->f[m]) > score(w, q->f[k]);
			found += better < TOP;
		}
		sum += found / q->n_evidence;
		n++;
	}
	return n == 0 ? 0 : 100 * sum / n;
}

void
fit_print(int conversations)
{
	static const char *const names[] = {"F_WORDS", "F_WORDS_1", "F_WORDS_2",
	    "F_WORDS_3", "F_SITTING", "F_COVERAGE", "F_COVERAGE_1", "F_COVERAGE_3",
	    "F_SPEAKER", "F_SPEAKER_WORDS", "F_SPEAKER_NEAR", "F_ANSWER", "F_ASKS",
	    "F_ASKS_WORDS", "F_TIME", "F_TIME_WORDS", "F_DAY", "F_MONTH", "F_NUMBER",
	    "F_GRAMS", "F_GRAMS_1", "F_PAIR", "F_LENGTH", "F_LATE", "F_EDGE", "F_PROPER",
	    "F_RAREST", "F_BEST", "F_NEAR"};
	static struct state all, some;

	_Static_assert(sizeof(names) / sizeof(names[0]) == F_COUNT, "a name each");
	fit(&all, -1);
	for (int k = 0; k < F_COUNT; k++)
		printf("    [%s] = %.2f,\n", names[k], all.w[k]);
	printf(
	    "share of the evidence among the best %d turns, fitted with and without:\n",
	    TOP);
	for (int c = 0; c < conversations; c++) {
		fit(&some, c);
		printf("conversation %d: %.1f %.1f\n", c, share_in_top(all.w, c),
		    share_in_top(some.w, c));
	}
}
