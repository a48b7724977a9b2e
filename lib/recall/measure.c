#include "recall/internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/time.h"
#include "words/words.h"

#define SITTING_GAP INT64_C(3600000) /* ms of silence that end a sitting */
#define SITTING_TURNS 100
#define SPEAKERS_MAX 16
#define TEXT_MAX ((size_t)8 << 10) /* bytes of a turn that are looked at */

/* BM25: how fast repetition saturates, how far length counts. A turn is short and says a
 * word once; a sitting repeats what it is about. */
#define TURN_K1 1.2
#define TURN_B 0.5
#define SITTING_K1 1.5
#define SITTING_B 0.75

struct turn {
	uint16_t tf[RECALL_TERMS_MAX];
	uint64_t set;  /* which terms */
	size_t length; /* words */
	int speaker;   /* index, -1 none of the known */
	bool asks, time, number, pair;
	double words, grams;
};

struct measure {
	struct ctx_recall_turn *turns;
	struct turn *m;
	size_t n;
	struct recall_query q;
	struct ctx_span speakers[SPEAKERS_MAX];
	size_t n_speakers;
	unsigned named;
	uint32_t grams[RECALL_GRAMS_MAX]; /* of the query, ascending */
	double gram_rarity[RECALL_GRAMS_MAX];
	size_t n_grams;
	uint8_t *gram_tf; /* [n][n_grams] */
	double total_rarity, mean_length;
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

/* ---- runs of four characters ---- */

static uint32_t
gram_at(const char *p)
{
	return (uint32_t)(unsigned char)p[0] << 24 | (uint32_t)(unsigned char)p[1] << 16 |
	       (uint32_t)(unsigned char)p[2] << 8 | (unsigned char)p[3];
}

static int
compare_grams(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void
query_grams(struct measure *s)
{
	const struct ctx_buf *b = &s->q.folded;
	size_t n = 0;

	for (size_t i = 0; i + 4 <= b->n && n < RECALL_GRAMS_MAX; i++)
		s->grams[n++] = gram_at(b->p + i);
	qsort(s->grams, n, sizeof(*s->grams), compare_grams);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || s->grams[i] != s->grams[i - 1])
			s->grams[s->n_grams++] = s->grams[i];
}

static void
count_grams(struct measure *s, size_t turn, const struct ctx_buf *folded)
{
	uint8_t *tf = s->gram_tf + turn * s->n_grams;

	for (size_t i = 0; i + 4 <= folded->n; i++) {
		uint32_t g = gram_at(folded->p + i);
		const uint32_t *at = bsearch(
		    &g, s->grams, s->n_grams, sizeof(g), compare_grams);
		if (at != NULL && tf[at - s->grams] < UINT8_MAX)
			tf[at - s->grams]++;
	}
}

/* ---- the words of a turn ---- */

static int
find_term(const struct recall_query *q, const char *p, size_t n)
{
	for (size_t i = 0; i < q->n; i++)
		if (q->terms[i].n == n && memcmp(q->terms[i].text, p, n) == 0)
			return (int)i;
	return -1;
}

/* folded gets the words that count, with spaces around. */
static void
read_turn(struct measure *s, size_t i, struct ctx_buf *folded)
{
	struct turn *m = &s->m[i];
	struct ctx_span text = s->turns[i].text;
	struct ctx_buf word = CTX_BUF_INIT;
	struct ctx_words w;
	int last = -1;

	if (text.n > TEXT_MAX)
		text.n = TEXT_MAX;
	m->speaker = speaker_index(s, s->turns[i].speaker);
	m->asks = text.n > 0 && memchr(text.p, '?', text.n) != NULL;
	ctx_buf_addc(folded, ' ');
	ctx_words_init(&w, text);
	while (ctx_words_next(&w)) {
		struct ctx_span f;
		int term;
		if (w.emoji)
			continue;
		ctx_buf_reset(&word);
		ctx_words_fold(w.raw, &word);
		f = ctx_buf_span(&word);
		m->length++;
		if (f.n == 0)
			continue;
		m->time |= ctx_recall_time_word(f);
		m->number |= ctx_recall_number_word(f);
		if (ctx_recall_stop_word(f))
			continue;
		ctx_buf_addspan(folded, f);
		ctx_buf_addc(folded, ' ');
		term = find_term(&s->q, word.p, ctx_words_stem(word.p, word.n));
		if (term >= 0) {
			if (m->tf[term] < UINT16_MAX)
				m->tf[term]++;
			m->set |= UINT64_C(1) << term;
			m->pair |= last >= 0 && last != term;
		}
		last = term;
	}
	ctx_buf_release(&word);
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
		s->q.terms[k].rarity = ctx_words_rarity((double)s->n, (double)with);
		s->q.terms[k].sitting_rarity = ctx_words_rarity(
		    (double)sittings, (double)sittings_with);
		if (with > 0)
			s->total_rarity += s->q.terms[k].rarity;
	}
	for (size_t g = 0; g < s->n_grams; g++) {
		size_t with = 0;
		for (size_t i = 0; i < s->n; i++)
			with += s->gram_tf[i * s->n_grams + g] > 0;
		s->gram_rarity[g] = ctx_words_rarity((double)s->n, (double)with);
	}
}

static double
saturate(double tf, double k1, double b, double length)
{
	return tf * (k1 + 1) / (tf + k1 * (1 - b + b * length));
}

static void
score_words(struct measure *s)
{
	double total = 0, gram_total = 0;

	for (size_t i = 0; i < s->n; i++)
		total += (double)s->m[i].length;
	s->mean_length = s->n == 0 ? 1 : total / (double)s->n + 1;
	for (size_t g = 0; g < s->n_grams; g++)
		gram_total += s->gram_rarity[g];
	for (size_t i = 0; i < s->n; i++) {
		struct turn *m = &s->m[i];
		double length = (double)m->length / s->mean_length;
		for (size_t k = 0; k < s->q.n; k++)
			if (m->tf[k] > 0)
				m->words += s->q.terms[k].rarity *
					    saturate(m->tf[k], TURN_K1, TURN_B, length);
		for (size_t g = 0; g < s->n_grams; g++)
			m->grams += s->gram_rarity[g] *
				    saturate(s->gram_tf[i * s->n_grams + g], TURN_K1,
					TURN_B, length);
		m->words /= s->total_rarity > 0 ? s->total_rarity : 1;
		m->grams /= gram_total > 0 ? gram_total : 1;
	}
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
				 saturate(tf[k], SITTING_K1, SITTING_B, length / mean);
		for (size_t i = first; i < end; i++)
			f[i][F_SITTING] = score;
		if (score > best)
			best = score;
	}
	for (size_t i = 0; i < s->n && best > 0; i++)
		f[i][F_SITTING] /= best;
}

/* The turn at distance d of i in the same sitting; NULL when there is none. */
static const struct turn *
neighbour(const struct measure *s, size_t i, int d)
{
	if ((d < 0 && i < (size_t)-d) || (d > 0 && i + (size_t)d >= s->n))
		return NULL;
	i += (size_t)d;
	return s->turns[i].sitting == s->turns[i - (size_t)d].sitting ? &s->m[i] : NULL;
}

static void
measure_near(const struct measure *s, size_t i, double *f)
{
	uint64_t set1 = s->m[i].set, set3 = s->m[i].set;

	for (int d = -3; d <= 3; d++) {
		const struct turn *o = d == 0 ? NULL : neighbour(s, i, d);
		int distance = abs(d);
		if (o == NULL)
			continue;
		f[F_WORDS + distance] += o->words;
		set3 |= o->set;
		if (distance == 1) {
			set1 |= o->set;
			f[F_GRAMS_1] += o->grams;
		}
		if (o->words > f[F_NEAR])
			f[F_NEAR] = o->words;
	}
	f[F_COVERAGE] = set_rarity(s, s->m[i].set);
	f[F_COVERAGE_1] = set_rarity(s, set1);
	f[F_COVERAGE_3] = set_rarity(s, set3);
}

static void
measure_names(const struct measure *s, size_t i, double *f)
{
	const struct turn *m = &s->m[i];
	double proper = 0, rarest = 0;

	for (size_t k = 0; k < s->q.n; k++) {
		if (m->tf[k] == 0)
			continue;
		if (s->q.terms[k].proper)
			proper += s->q.terms[k].rarity;
		if (s->q.terms[k].rarity > rarest)
			rarest = s->q.terms[k].rarity;
	}
	f[F_PROPER] = proper / 8;
	f[F_RAREST] = rarest / 8;
	/* a question about all speakers says nothing about one */
	if (m->speaker >= 0 && (s->named >> m->speaker & 1) &&
	    (s->named & (s->named - 1)) == 0) {
		f[F_SPEAKER] = 1;
		f[F_SPEAKER_WORDS] = f[F_WORDS];
		f[F_SPEAKER_NEAR] = f[F_WORDS_1] + f[F_WORDS_2] / 2;
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
		f[F_MONTH] = 0.25;
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

static void
measure_turn(const struct measure *s, size_t i, double best, double *f)
{
	const struct turn *m = &s->m[i], *before = neighbour(s, i, -1);

	f[F_WORDS] = m->words;
	f[F_BEST] = best > 0 ? m->words / best : 0;
	f[F_GRAMS] = m->grams;
	measure_near(s, i, f);
	measure_names(s, i, f);
	measure_date(s, i, f);
	if (before != NULL && before->asks)
		f[F_ANSWER] = before->words;
	f[F_ASKS] = m->asks;
	f[F_ASKS_WORDS] = m->asks ? m->words : 0;
	f[F_TIME] = s->q.when && m->time;
	f[F_TIME_WORDS] = f[F_TIME] * m->words;
	f[F_NUMBER] = s->q.how_many && m->number;
	f[F_PAIR] = m->pair;
	f[F_LENGTH] = log(1 + (double)m->length) / 5;
	f[F_LATE] = (double)i / (double)s->n;
	f[F_EDGE] = i - s->turns[i].sitting < 2;
}

bool
ctx_recall_measure(struct ctx_recall_turn *turns, size_t n, struct ctx_span query,
    double (*features)[F_COUNT])
{
	struct measure s = {
	    .turns = turns, .n = n, .m = ctx_mem_new(n * sizeof(struct turn))};
	struct ctx_buf folded = CTX_BUF_INIT;
	double best = 0, any = 0;

	find_sittings(turns, n);
	for (size_t i = 0; i < n; i++)
		speaker_index(&s, turns[i].speaker);
	ctx_recall_read_query(&s.q, query, s.speakers, s.n_speakers, &s.named);
	query_grams(&s);
	s.gram_tf = ctx_mem_new(n * s.n_grams);
	for (size_t i = 0; i < n; i++) {
		ctx_buf_reset(&folded);
		read_turn(&s, i, &folded);
		count_grams(&s, i, &folded);
	}
	find_rarity(&s);
	score_words(&s);
	for (size_t i = 0; i < n; i++) {
		if (s.m[i].words > best)
			best = s.m[i].words;
		any += s.m[i].grams;
	}
	memset(features, 0, n * sizeof(*features));
	measure_sittings(&s, features);
	for (size_t i = 0; i < n; i++)
		measure_turn(&s, i, best, features[i]);
	ctx_buf_release(&folded);
	ctx_buf_release(&s.q.folded);
	free(s.gram_tf);
	free(s.m);
	return best > 0 || any > 0;
}
