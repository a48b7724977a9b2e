#include "recall/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/time.h"
#include "words/words.h"

/* ms without a message, after which a sitting ends */
#define SITTING_GAP INT64_C(3600000)
#define SITTING_TURNS 100
#define SPEAKERS_MAX 16
/* Used if no turn has a word of the query and the query names no speaker: the query is
 * then related to the conversation only if a turn has this share of its four-character
 * sequences. Compound words of the query reach it. */
#define GRAMS_ALONE 0.3
#define SITTING_K1 1.5
#define SITTING_B 0.75

struct measure {
	struct ctx_recall_turn *turns;
	struct recall_text t;
	struct recall_turn_words *m; /* same as t.m */
	size_t n;
	struct recall_query q;
	struct ctx_span speakers[SPEAKERS_MAX];
	size_t n_speakers;
	unsigned named;
	bool has_names; /* a speaker has a name other than user or assistant */
	double gram_rarity[RECALL_GRAMS_MAX];
	double total_rarity, gram_total, mean_length;
	double top_score, top_words, top_grams; /* highest of the best passages */
};

/* ---- speakers and sittings ---- */

static int
speaker_index(struct measure *s, struct ctx_span name)
{
	for (size_t i = 0; i < s->n_speakers; i++)
		if (ctx_span_eq(s->speakers[i], name))
			return (int)i;
	if (s->n_speakers == SPEAKERS_MAX || name.n == 0)
		return -1;
	s->speakers[s->n_speakers] = name;
	return (int)s->n_speakers++;
}

static void
find_sittings(struct ctx_recall_turn *t, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		bool begins = i == 0 || t[i].gap ||
			      t[i].created_at - t[i - 1].created_at > SITTING_GAP ||
			      i - t[i - 1].sitting >= SITTING_TURNS;
		t[i].sitting = begins ? i : t[i - 1].sitting;
	}
}

/* ---- words ---- */

/* Finds the query terms in a passage, and whether two of them are adjacent. */
static void
find_terms(struct measure *s, struct recall_turn_words *m, struct recall_passage *p)
{
	uint32_t last = UINT32_MAX;

	for (uint32_t w = p->word; w < p->word + p->n; w++) {
		uint32_t stem = s->t.words[w];
		if (stem < s->q.n) {
			if (m->tf[stem] < UINT16_MAX)
				m->tf[stem]++;
			p->set |= UINT64_C(1) << stem;
			p->pair |= last < s->q.n && last != stem;
		}
		last = stem;
	}
}

static void
find_rarity(struct measure *s)
{
	size_t sittings = 0;

	for (size_t i = 0; i < s->n; i++)
		sittings += s->turns[i].sitting == i;
	for (size_t k = 0; k < s->q.n; k++) {
		size_t with = 0, sittings_with = 0, last = SIZE_MAX;
		for (size_t i = 0; i < s->n; i++) {
			if (s->m[i].tf[k] == 0)
				continue;
			with++;
			sittings_with += s->turns[i].sitting != last;
			last = s->turns[i].sitting;
		}
		s->q.terms[k].rarity = s->q.terms[k].weight *
				       ctx_words_rarity((double)s->n, (double)with);
		s->q.terms[k].sitting_rarity = s->q.terms[k].weight *
					       ctx_words_rarity((double)sittings,
						   (double)sittings_with);
		if (with > 0)
			s->total_rarity += s->q.terms[k].rarity;
	}
	for (size_t g = 0; g < s->q.n_grams; g++) {
		size_t with = 0;
		for (size_t i = 0; i < s->t.n_passages; i++)
			with += s->t.gram_tf[i * s->q.n_grams + g] > 0;
		s->gram_rarity[g] = ctx_words_rarity(
		    (double)s->t.n_passages, (double)with);
		s->gram_total += s->gram_rarity[g];
	}
}

double
ctx_recall_saturate(double tf, double k1, double b, double length)
{
	return tf * (k1 + 1) / (tf + k1 * (1 - b + b * length));
}

static void
measure_passage(struct measure *s, size_t i)
{
	struct recall_passage *p = &s->t.passages[i];
	const uint8_t *gram_tf = s->t.gram_tf + i * s->q.n_grams;
	double length = (double)p->length / s->mean_length;
	uint32_t tf[RECALL_TERMS_MAX] = {0};

	for (uint32_t w = p->word; p->set != 0 && w < p->word + p->n; w++)
		if (s->t.words[w] < s->q.n)
			tf[s->t.words[w]]++;
	for (size_t k = 0; p->set != 0 && k < s->q.n; k++)
		if (tf[k] > 0)
			p->words += s->q.terms[k].rarity * ctx_recall_saturate(tf[k],
							       RECALL_TURN_K1,
							       RECALL_TURN_B, length);
	for (size_t g = 0; g < s->q.n_grams; g++)
		if (gram_tf[g] > 0)
			p->grams += s->gram_rarity[g] * ctx_recall_saturate(gram_tf[g],
							    RECALL_TURN_K1, RECALL_TURN_B,
							    length);
	p->words /= s->total_rarity > 0 ? s->total_rarity : 1;
	p->grams /= s->gram_total > 0 ? s->gram_total : 1;
}

static double
passage_score(const struct recall_passage *p)
{
	return p->words + p->grams + 0.3 * p->feedback;
}

static void
find_best_passages(struct measure *s)
{
	for (size_t i = 0; i < s->n; i++) {
		struct recall_turn_words *m = &s->m[i];
		const struct recall_passage *p = &s->t.passages[m->passage];
		m->best = p;
		for (size_t k = 1; k < m->n_passages; k++)
			if (passage_score(&p[k]) > passage_score(m->best))
				m->best = &p[k];
	}
}

static void
score_words(struct measure *s)
{
	double total = 0;

	for (size_t i = 0; i < s->t.n_passages; i++)
		total += (double)s->t.passages[i].length;
	s->mean_length = total / (double)(s->t.n_passages + 1) + 1;
	for (size_t i = 0; i < s->t.n_passages; i++)
		measure_passage(s, i);
	ctx_recall_feed(&s->t, s->n, s->q.n, s->mean_length);
	find_best_passages(s);
}

/* ---- features ---- */

static double
set_rarity(const struct measure *s, uint64_t set)
{
	double sum = 0;

	for (size_t k = 0; k < s->q.n; k++)
		if (set >> k & 1)
			sum += s->q.terms[k].rarity;
	return s->total_rarity > 0 ? sum / s->total_rarity : 0;
}

static void
measure_sittings(struct measure *s, double (*f)[F_COUNT])
{
	double best = 0, mean = 0;
	size_t sittings = 0;

	for (size_t i = 0; i < s->n; i++) {
		sittings += s->turns[i].sitting == i;
		mean += (double)s->m[i].length;
	}
	mean = mean / (double)(sittings > 0 ? sittings : 1) + 1;
	for (size_t first = 0, end; first < s->n; first = end) {
		uint32_t tf[RECALL_TERMS_MAX] = {0};
		double length = 0, score = 0;
		for (end = first; end < s->n && s->turns[end].sitting == first; end++) {
			length += (double)s->m[end].length;
			for (size_t k = 0; k < s->q.n; k++)
				tf[k] += s->m[end].tf[k];
		}
		for (size_t k = 0; k < s->q.n; k++)
			score += (s->q.terms[k].sitting_rarity +
				     0.3 * s->q.terms[k].rarity) *
				 ctx_recall_saturate(
				     tf[k], SITTING_K1, SITTING_B, length / mean);
		for (size_t i = first; i < end; i++)
			f[i][F_SITTING] = score;
		if (score > best)
			best = score;
	}
	for (size_t i = 0; i < s->n && best > 0; i++)
		f[i][F_SITTING] /= best;
}

/* Returns the turn at distance d from turn i in the same sitting, or NULL. */
static const struct recall_turn_words *
find_neighbour_turn(const struct measure *s, size_t i, int d)
{
	if ((d < 0 && i < (size_t)-d) || (d > 0 && i + (size_t)d >= s->n))
		return NULL;
	i += (size_t)d;
	return s->turns[i].sitting == s->turns[i - (size_t)d].sitting ? &s->m[i] : NULL;
}

static double
share_of(double part, double whole)
{
	return whole > 0 ? part / whole : 0;
}

static void
measure_near(const struct measure *s, size_t i, double *f)
{
	uint64_t set = s->m[i].best->set;

	f[F_COVERAGE] = set_rarity(s, set);
	for (int d = -3; d <= 3; d++) {
		const struct recall_turn_words *o = d == 0 ? NULL
							   : find_neighbour_turn(s, i, d);
		if (o == NULL)
			continue;
		set |= o->best->set;
		if (abs(d) == 1)
			f[F_GRAMS_NEAR] += share_of(o->best->grams, s->top_grams);
	}
	f[F_COVERAGE_NEAR] = set_rarity(s, set);
}

static void
measure_names(const struct measure *s, size_t i, double *f)
{
	const struct recall_turn_words *m = &s->m[i];

	for (size_t k = 0; k < s->q.n; k++)
		if (m->best->set >> k & 1 && s->q.terms[k].proper)
			f[F_PROPER] += s->q.terms[k].rarity / 8;
	/* a question that names all speakers does not point to one of them */
	if (m->speaker >= 0 && (s->named >> m->speaker & 1) &&
	    (s->named & (s->named - 1)) == 0) {
		f[F_SPEAKER] = 1;
		f[F_SPEAKER_WORDS] = m->best->words;
	}
}

static void
measure_date(const struct measure *s, size_t i, double *f)
{
	char date[CTX_TIME_LEN + 1];
	int year, month, day, after;

	if (s->q.month == 0 && s->q.year == 0)
		return;
	ctx_time_format(s->turns[i].created_at, date);
	year = atoi(date);
	month = atoi(date + 5);
	day = atoi(date + 8);
	if (s->q.year != 0 && s->q.year != year)
		return;
	if (s->q.month == 0) {
		f[F_MONTH] = 0.15;
		return;
	}
	after = (month - s->q.month) * 30 + day - (s->q.day > 0 ? s->q.day : 1);
	if (month == s->q.month)
		f[F_MONTH] = 1;
	else if (after > 0 && after < 45)
		f[F_MONTH] = 0.3;
	if (s->q.day > 0)
		f[F_DAY] = after == 0 ? 1 : after > 0 && after <= 7 ? 0.5 : 0;
}

/* Sets the features that depend on the speaker and the kind of utterance. */
static void
measure_role(const struct measure *s, size_t i, double *f)
{
	const struct recall_turn_words *m = &s->m[i];
	bool user = ctx_span_is(s->turns[i].speaker, "user");

	f[F_SUMMARY] = s->q.summary && !s->has_names && !user;
	f[F_STANDING] = user && m->kinds & RECALL_STANDING;
	if (!user && !s->has_names)
		return;
	f[F_FIRST_PERSON] = (m->kinds & RECALL_FIRST_PERSON) != 0;
	f[F_ASKS] = m->ends_asking;
	f[F_REACTION] = (m->first_kinds & RECALL_REACTION) != 0;
}

static void
measure_turn(const struct measure *s, size_t i, double *f)
{
	const struct recall_turn_words *m = &s->m[i],
				       *before = find_neighbour_turn(s, i, -1);

	f[F_BEST] = share_of(passage_score(m->best), s->top_score);
	measure_near(s, i, f);
	measure_names(s, i, f);
	measure_date(s, i, f);
	measure_role(s, i, f);
	if (before != NULL && before->asks)
		f[F_ANSWER] = before->best->words;
	f[F_TIME] = s->q.when && m->kinds & RECALL_TIME;
	f[F_PAIR] = m->best->pair;
	f[F_COST] = log(1 + (double)s->turns[i].cost) / 5;
	f[F_LATE] = (double)i / (double)s->n;
}

/* Sets F_RANK. Turns with the same score share the last of their places. */
static void
rank_passages(const struct measure *s, double (*f)[F_COUNT])
{
	struct recall_place *order = ctx_mem_new((s->n + 1) * sizeof(*order));
	for (size_t i = 0; i < s->n; i++)
		order[i] = (struct recall_place){passage_score(s->m[i].best), i};
	qsort(order, s->n, sizeof(*order), ctx_recall_best_first);
	for (size_t first = 0, end; first < s->n; first = end) {
		for (end = first + 1;
		     end < s->n && order[end].score == order[first].score; end++)
			;
		for (size_t i = first; i < end; i++)
			f[order[i].at][F_RANK] = log((double)end) / 5;
	}
	free(order);
}

/* Learns from the turns of the user, or from all turns if the speakers have names, and
 * sets the feedback features. */
static void
feed_turns(struct measure *s, double (*f)[F_COUNT])
{
	double *scores = ctx_mem_new((s->n + 1) * sizeof(*scores));

	for (size_t i = 0; i < s->n; i++)
		if (s->has_names || ctx_span_is(s->turns[i].speaker, "user"))
			scores[i] = 2 * share_of(s->m[i].best->words, s->top_words) +
				    s->m[i].best->grams + f[i][F_GRAMS_NEAR] +
				    1.5 * f[i][F_COVERAGE_NEAR] + f[i][F_PAIR] +
				    2 * f[i][F_SITTING] + s->m[i].best->feedback;
	ctx_recall_feed_turns(&s->t, s->n, s->q.n, s->mean_length, scores);
	for (size_t i = 0; i < s->n; i++)
		f[i][F_FEEDBACK] = s->m[i].feedback_2;
	free(scores);
}

static void
read_all(struct measure *s, struct ctx_span query)
{
	find_sittings(s->turns, s->n);
	for (size_t i = 0; i < s->n; i++) {
		speaker_index(s, s->turns[i].speaker);
		s->has_names |= !ctx_span_is(s->turns[i].speaker, "user") &&
				!ctx_span_is(s->turns[i].speaker, "assistant");
	}
	ctx_recall_read_query(&s->q, query, s->speakers, s->n_speakers, &s->named);
	ctx_recall_read(&s->t, s->turns, s->n, &s->q);
	s->m = s->t.m;
	for (size_t i = 0; i < s->n; i++) {
		struct recall_turn_words *m = &s->m[i];
		m->speaker = speaker_index(s, s->turns[i].speaker);
		for (size_t k = 0; k < m->n_passages; k++)
			find_terms(s, m, &s->t.passages[m->passage + k]);
	}
	find_rarity(s);
	score_words(s);
}

bool
ctx_recall_measure(struct ctx_recall_turn *turns, size_t n, struct ctx_span query,
    double (*features)[F_COUNT])
{
	struct measure s = {.turns = turns, .n = n};

	memset(features, 0, n * sizeof(*features));
	read_all(&s, query);
	for (size_t i = 0; i < n; i++) {
		const struct recall_passage *p = s.m[i].best;
		if (p->words > s.top_words)
			s.top_words = p->words;
		if (p->grams > s.top_grams)
			s.top_grams = p->grams;
		if (passage_score(p) > s.top_score)
			s.top_score = passage_score(p);
		turns[i].from = p->from;
		turns[i].to = p->to;
		turns[i].part = (size_t)(p - &s.t.passages[s.m[i].passage]) + 1;
		turns[i].parts = s.m[i].n_passages;
	}
	measure_sittings(&s, features);
	for (size_t i = 0; i < n; i++)
		measure_turn(&s, i, features[i]);
	rank_passages(&s, features);
	feed_turns(&s, features);
	ctx_recall_text_release(&s.t);
	return s.top_words > 0 ||
	       s.top_grams > (s.has_names && s.named != 0 ? 0 : GRAMS_ALONE);
}
