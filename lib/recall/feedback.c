/* Relevance feedback (Rocchio): words that the best texts share, besides those of the
 * query, show what the query is about. */
#include <stdlib.h>

#include "base/mem.h"
#include "recall/internal.h"
#include "words/words.h"

#define PASSAGES 8       /* number of passages to learn from */
#define PASSAGE_TERMS 12 /* number of terms to learn from them */
#define TURNS 10
#define TURN_TERMS 16

struct lesson {
	double *weight; /* weight of each stem */
	/* for each stem, the number of texts learned from that contain it */
	uint16_t *seen;
	uint32_t *stems;
	size_t n; /* number of different stems */
	double total;
};

static void
init_lesson(struct lesson *l, const struct recall_text *t)
{
	l->weight = ctx_mem_new((t->n_stems + 1) * sizeof(*l->weight));
	l->seen = ctx_mem_new((t->n_stems + 1) * sizeof(*l->seen));
	l->stems = ctx_mem_new((t->n_stems + 1) * sizeof(*l->stems));
	l->n = 0;
	l->total = 0;
}

static void
release_lesson(struct lesson *l)
{
	free(l->weight);
	free(l->seen);
	free(l->stems);
}

static void
learn_passage(struct lesson *l, const struct recall_text *t,
    const struct recall_passage *p, double weight)
{
	for (uint32_t w = p->word; w < p->word + p->n; w++) {
		uint32_t s = t->words[w];
		if (l->seen[s] == 0)
			l->stems[l->n++] = s;
		l->seen[s]++;
		l->weight[s] += weight;
	}
}

/* Keeps the most significant of the learned terms. The weight of the others becomes 0. */
static void
keep_terms(struct lesson *l, const struct recall_text *t, size_t n, size_t n_terms,
    size_t max, unsigned seen)
{
	struct recall_place *list = ctx_mem_new((l->n + 1) * sizeof(*list));
	size_t count = 0;

	for (size_t i = 0; i < l->n; i++) {
		uint32_t s = l->stems[i];
		double rarity = ctx_words_rarity((double)n, t->with[s]);
		if (s >= n_terms && t->with[s] > 1 && l->seen[s] >= seen)
			list[count++] = (struct recall_place){l->weight[s] * rarity, s};
		l->weight[s] = 0;
	}
	qsort(list, count, sizeof(*list), ctx_recall_best_first);
	for (size_t i = 0; i < count && i < max; i++) {
		l->weight[list[i].at] = ctx_words_rarity((double)n, t->with[list[i].at]);
		l->total += l->weight[list[i].at];
	}
	free(list);
}

static double
score_feedback_passage(const struct lesson *l, const struct recall_text *t,
    const struct recall_passage *p, double mean_length)
{
	double length = (double)p->length / mean_length, sum = 0;
	uint32_t found[RECALL_TERMS_MAX], tf[RECALL_TERMS_MAX];
	size_t n = 0;

	for (uint32_t w = p->word; w < p->word + p->n; w++) {
		uint32_t s = t->words[w];
		size_t i = 0;
		if (l->weight[s] <= 0)
			continue;
		while (i < n && found[i] != s)
			i++;
		if (i == n) {
			found[n] = s;
			tf[n++] = 0;
		}
		tf[i]++;
	}
	for (size_t i = 0; i < n; i++)
		sum += l->weight[found[i]] *
		       ctx_recall_saturate(tf[i], RECALL_TURN_K1, RECALL_TURN_B, length);
	return l->total > 0 ? sum / l->total : 0;
}

/* Stores the best of n scores above 0 in top, best first. Returns their number. */
static size_t
find_top(struct recall_place *top, size_t max, const double *scores, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		size_t at = count;
		if (scores[i] <= 0 || (count == max && scores[i] <= top[max - 1].score))
			continue;
		while (at > 0 && top[at - 1].score < scores[i])
			at--;
		if (count < max)
			count++;
		for (size_t k = count - 1; k > at; k--)
			top[k] = top[k - 1];
		top[at] = (struct recall_place){scores[i], i};
	}
	return count;
}

void
ctx_recall_feed(struct recall_text *t, size_t n, size_t n_terms, double mean_length)
{
	double *scores = ctx_mem_new((t->n_passages + 1) * sizeof(*scores));
	struct recall_place top[PASSAGES];
	struct lesson l;
	size_t count;

	for (size_t i = 0; i < t->n_passages; i++)
		scores[i] = t->passages[i].words + t->passages[i].grams;
	count = find_top(top, PASSAGES, scores, t->n_passages);
	init_lesson(&l, t);
	for (size_t i = 0; i < count; i++)
		learn_passage(&l, t, &t->passages[top[i].at], 1);
	keep_terms(&l, t, n, n_terms, PASSAGE_TERMS, 2);
	for (size_t i = 0; i < t->n_passages; i++)
		t->passages[i].feedback = score_feedback_passage(
		    &l, t, &t->passages[i], mean_length);
	release_lesson(&l);
	free(scores);
}

void
ctx_recall_feed_turns(struct recall_text *t, size_t n, size_t n_terms, double mean_length,
    const double *scores)
{
	struct recall_place top[TURNS];
	struct lesson l;
	size_t count = find_top(top, TURNS, scores, n);

	init_lesson(&l, t);
	for (size_t i = 0; i < count; i++)
		learn_passage(&l, t, t->m[top[i].at].best, 1 / (2 + (double)i));
	keep_terms(&l, t, n, n_terms, TURN_TERMS, 2);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < t->m[i].n_passages; k++) {
			double score = score_feedback_passage(
			    &l, t, &t->passages[t->m[i].passage + k], mean_length);
			if (score > t->m[i].feedback_2)
				t->m[i].feedback_2 = score;
		}
	release_lesson(&l);
}
