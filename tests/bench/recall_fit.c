/* Fits the weights of lib/recall/rank.c. Part of the program recall (recall.c). */
#include "recall_fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* The model is log-linear: the probability that a turn is evidence is proportional to the
 * exponential of its weighted features, over all turns of the conversation. The fit
 * maximizes the mean log-probability of evidence: first averaged over the evidence of a
 * question, then over the questions, minus L2 / 2 times the sum of the squared weights. This
 * function is concave, so Newton's method finds its only maximum. */
#define L2 0.001
#define STEPS 30
#define NEGLIGIBLE 1e-7 /* probability of a turn that changes nothing */
#define LATE 0.5 /* of its weight: that evidence comes early may be a habit of the sets */
#define SECOND 0.75  /* share of the second set in the likelihood */
#define FOLDS 10     /* parts into which the conversations of each set are divided */
#define PART_MIN 200 /* tokens: a longer message that is not the user's may be cut */

const int64_t fit_budgets[FIT_BUDGETS] = {1000, 2000, 3000, 4000, 8000};

struct question {
	int set, fold;
	size_t n;
	struct ctx_recall_turn *turns;
	double (*f)[F_COUNT];
	bool *evidence;
	double n_evidence;
};

static struct question *questions;
static size_t n_questions, cap_questions;

void
fit_add(int set, int conversation, struct ctx_recall_turn *turns, size_t n,
    struct ctx_span query, const bool *evidence)
{
	struct question q = {.set = set, .fold = conversation % FOLDS, .n = n};

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
	q.turns = ctx_mem_new((n + 1) * sizeof(*q.turns));
	for (size_t i = 0; i < n; i++) {
		struct ctx_recall_turn *t = &q.turns[i];
		*t = turns[i];
		if (t->parts > 1) /* its text is gone when the weights are tried */
			t->text.p = ctx_mem_dup(t->text.p + t->from, t->to - t->from);
		t->to -= t->from;
		t->from = 0;
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
		if (p[i] < NEGLIGIBLE && !q->evidence[i])
			continue;
		for (int k = 0; k < F_COUNT; k++) {
			double weighted = share * p[i] * q->f[i][k];
			mean[k] += p[i] * q->f[i][k];
			for (int m = 0; weighted != 0 && m <= k; m++)
				s->hessian[k][m] -= weighted * q->f[i][m];
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

/* All questions but those of the fold that is left out (-1: of none). */
static void
evaluate(struct state *s, int without)
{
	double n[2] = {0, 0}, second;

	for (size_t i = 0; i < n_questions; i++)
		n[questions[i].set] += questions[i].fold != without;
	second = n[0] > 0 && n[1] > 0 ? SECOND : n[1] > 0;
	memset(s->gradient, 0, sizeof(s->gradient));
	memset(s->hessian, 0, sizeof(s->hessian));
	s->likelihood = 0;
	for (size_t i = 0; i < n_questions; i++)
		if (questions[i].fold != without)
			add_question(s, &questions[i],
			    (questions[i].set == 1 ? second : 1 - second) /
				n[questions[i].set]);
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

/* Starts from the weights in s. */
static void
fit(struct state *s, int without)
{
	double step[F_COUNT], change = 1;

	s->w[F_LATE] /= LATE;
	for (int n = 0; n < STEPS && change > 1e-4; n++) {
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
	s->w[F_LATE] *= LATE;
}

/* ---- how good it is ---- */

/* The share of a question's evidence that the fill finds. */
static double
find_share(const double *w, struct question *q, int64_t budget, bool parts)
{
	double found = 0;

	for (size_t i = 0; i < q->n; i++) {
		struct ctx_recall_turn *t = &q->turns[i];
		t->score = score(w, q->f[i]);
		t->part_cost = parts && t->parts > 1 && t->cost > PART_MIN &&
				       !ctx_span_is(t->speaker, "user")
				   ? (int64_t)(t->to - t->from + 3) / 4 + 4
				   : 0;
	}
	ctx_recall_fill(q->turns, q->n, budget, 0);
	for (size_t i = 0; i < q->n; i++)
		found += q->evidence[i] && q->turns[i].keep;
	return found / q->n_evidence;
}

static double found[2][2][FIT_BUDGETS];

static void
add_shares(const double *w, int fold)
{
	for (size_t i = 0; i < n_questions; i++)
		for (int parts = 0; questions[i].fold == fold && parts < 2; parts++)
			for (int b = 0; b < FIT_BUDGETS; b++)
				found[questions[i].set][parts][b] += find_share(
				    w, &questions[i], fit_budgets[b], parts);
}

static void
print_shares(const char *what)
{
	for (int set = 0; set < 2; set++) {
		int n = 0;
		for (size_t i = 0; i < n_questions; i++)
			n += questions[i].set == set;
		for (int parts = 0; n > 0 && parts < 2; parts++) {
			printf("set %d, %s, %s:", set + 1,
			    parts ? "with passages" : "whole messages", what);
			for (int b = 0; b < FIT_BUDGETS; b++)
				printf(" %.1f", 100 * found[set][parts][b] / n);
			printf("\n");
		}
	}
	memset(found, 0, sizeof(found));
}

void
fit_print(void)
{
	static const char *const names[] = {"F_BEST", "F_RANK", "F_GRAMS_NEAR",
	    "F_COVERAGE", "F_COVERAGE_NEAR", "F_SITTING", "F_PAIR", "F_PROPER",
	    "F_SPEAKER", "F_SPEAKER_WORDS", "F_ANSWER", "F_TIME", "F_DAY", "F_MONTH",
	    "F_COST", "F_LATE", "F_FEEDBACK", "F_SUMMARY", "F_STANDING", "F_FIRST_PERSON",
	    "F_ASKS", "F_REACTION"};
	static struct state all, some;

	_Static_assert(sizeof(names) / sizeof(names[0]) == F_COUNT, "a name each");
	fit(&all, -1);
	for (int k = 0; k < F_COUNT; k++)
		printf("    [%s] = %.2f,\n", names[k], all.w[k]);
	for (int fold = 0; fold < FOLDS; fold++)
		add_shares(all.w, fold);
	print_shares("fitted with them");
	for (int fold = 0; fold < FOLDS; fold++) {
		some = all; /* close to the maximum already */
		fit(&some, fold);
		add_shares(some.w, fold);
	}
	print_shares("left out of the fit");
}
