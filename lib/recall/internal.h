/* Private to recall: what is measured of a turn. */
#ifndef CTX_RECALL_INTERNAL_H
#define CTX_RECALL_INTERNAL_H

#include "recall/recall.h"

#define RECALL_TERMS_MAX 48  /* words of the query that count */
#define RECALL_GRAMS_MAX 192 /* runs of four characters of it */

enum recall_feature {
	F_WORDS,   /* BM25 of the turn's words */
	F_WORDS_1, /* of its neighbours at distance 1, 2, 3 in the sitting */
	F_WORDS_2,
	F_WORDS_3,
	F_SITTING,    /* BM25 of the sitting as a whole, against the best */
	F_COVERAGE,   /* share of the query's rarity that the turn holds */
	F_COVERAGE_1, /* that it and its neighbours hold together */
	F_COVERAGE_3,
	F_SPEAKER,       /* the query names its speaker */
	F_SPEAKER_WORDS, /* that, by the words of the turn */
	F_SPEAKER_NEAR,  /* that, by the words around it */
	F_ANSWER,        /* the turn before it asks, with words of the query */
	F_ASKS,          /* it asks itself */
	F_ASKS_WORDS,
	F_TIME, /* the query asks when, the turn has words of time */
	F_TIME_WORDS,
	F_DAY, /* the sitting is of the day that the query names, or soon after */
	F_MONTH,
	F_NUMBER, /* the query asks how many, the turn has a number */
	F_GRAMS,  /* BM25 of runs of four characters */
	F_GRAMS_1,
	F_PAIR,   /* two words of the query follow each other in the turn */
	F_LENGTH, /* logarithm of the number of words */
	F_LATE,   /* place in the conversation, 0 first to 1 last */
	F_EDGE,   /* one of the first turns of its sitting */
	F_PROPER, /* names other than the speakers' */
	F_RAREST, /* rarity of the rarest word that it holds */
	F_BEST,   /* its words against the best turn's */
	F_NEAR,   /* best words at distance 1 to 3 */
	F_COUNT,
};

/* features[n][F_COUNT], all about 0…1; false when no turn has anything of the query. */
bool ctx_recall_measure(struct ctx_recall_turn *turns, size_t n, struct ctx_span query,
    double (*features)[F_COUNT]);

/* A place in a ranking; sorted by this, the best first, at equal score the later turn. */
struct recall_place {
	double score;
	size_t at; /* index of the turn */
};
int ctx_recall_best_first(const void *a, const void *b);

/* ---- the query ---- */

struct recall_term {
	char text[48];
	size_t n;
	bool proper, number;
	double rarity, sitting_rarity;
};

struct recall_query {
	struct recall_term terms[RECALL_TERMS_MAX];
	size_t n;
	bool when, how_many;
	int year, month, day;  /* 0: not named */
	struct ctx_buf folded; /* the words that count, with a space on either side */
};

/* speakers: names that are no words of the query. *named gets bits of those it names. */
void ctx_recall_read_query(struct recall_query *q, struct ctx_span text,
    const struct ctx_span speakers[], size_t n_speakers, unsigned *named);

bool ctx_recall_time_word(struct ctx_span folded);
bool ctx_recall_number_word(struct ctx_span folded);
bool ctx_recall_stop_word(struct ctx_span folded);

#endif
