/* Private to recall: the features that are measured of each turn. */
#ifndef CTX_RECALL_INTERNAL_H
#define CTX_RECALL_INTERNAL_H

#include "recall/recall.h"

#define RECALL_TERMS_MAX 48 /* most query words that are used */
/* most four-character sequences of the query that are used */
#define RECALL_GRAMS_MAX 192

enum recall_feature {
	F_WORDS,   /* BM25 of the turn's words */
	F_WORDS_1, /* BM25 of its neighbours at distance 1, 2, 3 in the same sitting */
	F_WORDS_2,
	F_WORDS_3,
	F_SITTING,    /* BM25 of the whole sitting, relative to the best sitting */
	F_COVERAGE,   /* share of the query's total term rarity that the turn covers */
	F_COVERAGE_1, /* the same share for the turn and its neighbours together */
	F_COVERAGE_3,
	F_SPEAKER,       /* the query names the turn's speaker */
	F_SPEAKER_WORDS, /* F_SPEAKER times the words of the turn */
	F_SPEAKER_NEAR,  /* F_SPEAKER times the words around it */
	F_ANSWER,        /* the previous turn is a question with words of the query */
	F_ASKS,          /* the turn itself is a question */
	F_ASKS_WORDS,
	F_TIME, /* the query asks when, and the turn has words for a time */
	F_TIME_WORDS,
	F_DAY, /* the sitting is on the day that the query names, or soon after */
	F_MONTH,
	F_NUMBER, /* the query asks how many, and the turn has a number */
	F_GRAMS,  /* BM25 of four-character sequences */
	F_GRAMS_1,
	F_PAIR,       /* two words of the query are adjacent in the turn */
	F_LENGTH,     /* logarithm of the number of words in its best passage */
	F_COST,       /* logarithm of the number of its tokens */
	F_LATE,       /* position in the conversation, from 0 (first) to 1 (last) */
	F_EDGE,       /* one of the first turns of its sitting */
	F_PROPER,     /* names other than the speakers' */
	F_RAREST,     /* rarity of the rarest query word in it */
	F_BEST,       /* its words relative to the best turn's */
	F_NEAR,       /* the best F_WORDS score of the turns at distance 1 to 3 */
	F_FEEDBACK,   /* BM25 of words that the best passages share */
	F_FEEDBACK_2, /* BM25 of words that the user's best turns share */
	/* an answer, when the query asks for a summary or for what "you" said */
	F_REPLY,
	F_STANDING,  /* a lasting wish of the user */
	F_STATEMENT, /* the user states something personal and asks nothing */
	F_COUNT,
};

/* Computes features[n][F_COUNT], all about 0…1. Returns false when no turn has anything
 * in common with the query. */
bool ctx_recall_measure(struct ctx_recall_turn *turns, size_t n, struct ctx_span query,
    double (*features)[F_COUNT]);

/* A position in a ranking, best first; at equal score the later turn comes first. */
struct recall_place {
	double score;
	size_t at; /* index of the turn */
};
int ctx_recall_best_first(const void *a, const void *b);

/* ---- the query ---- */

/* Classes of words. */
enum recall_kind {
	RECALL_STOP = 1,
	RECALL_TIME = 2,
	RECALL_NUMBER = 4,
	RECALL_FIRST_PERSON = 8,
	RECALL_STANDING = 16, /* always, never, prefer … */
	RECALL_REQUEST = 32,  /* an instruction about the result: list, explain … */
	RECALL_SUMMARY = 64,
	RECALL_SAYING = 128, /* say, recommend, … */
	RECALL_SECOND_PERSON = 256,
};
unsigned ctx_recall_word_kinds(struct ctx_span folded);

struct recall_term {
	char text[48];
	size_t n;
	bool proper, number;
	double weight; /* 1, or less for a word of the instruction */
	double rarity, sitting_rarity;
};

struct recall_query {
	struct recall_term terms[RECALL_TERMS_MAX];
	size_t n;
	bool when, how_many, reply;
	int year, month, day; /* 0: not named */
	/* four-character sequences of its words, ascending */
	uint32_t grams[RECALL_GRAMS_MAX];
	size_t n_grams;
};

/* Packs four bytes into a number. */
static inline uint32_t
ctx_recall_gram(const char *p)
{
	return (uint32_t)(unsigned char)p[0] << 24 | (uint32_t)(unsigned char)p[1] << 16 |
	       (uint32_t)(unsigned char)p[2] << 8 | (unsigned char)p[3];
}

/* speakers: names that are not words of the query. Sets bits in *named for the speakers
 * that the query names. */
void ctx_recall_read_query(struct recall_query *q, struct ctx_span text,
    const struct ctx_span speakers[], size_t n_speakers, unsigned *named);

bool ctx_recall_stop_word(struct ctx_span folded);

/* ---- the text ---- */

/* Returns the end of the passage that starts at from: the end of a sentence or line,
 * else a gap between words. */
size_t ctx_recall_cut(struct ctx_span text, size_t from);

struct recall_passage {
	uint32_t from, to; /* bytes within the turn's text */
	uint32_t word, n;  /* its stems in recall_text.words */
	uint32_t length;   /* words, stop words too */
	uint64_t set;      /* bit set of the query's terms in it */
	bool pair;
	double words, grams, feedback;
};

/* A turn after reading, and its best passage. */
struct recall_turn_words {
	size_t passage, n_passages; /* in recall_text.passages */
	const struct recall_passage *best;
	uint16_t tf[RECALL_TERMS_MAX]; /* of the whole turn */
	size_t length;                 /* words */
	unsigned kinds, first_kinds;   /* classes of all words, and of the first */
	bool asks, ends_asking;
	int speaker; /* index of a known speaker, or -1 */
	double feedback_2;
};

struct recall_text {
	struct recall_turn_words *m;
	struct recall_passage *passages;
	size_t n_passages, cap_passages;
	uint32_t
	    *words; /* stems of all words except stop words; the query's terms first */
	size_t n_words, cap_words, n_stems;
	uint32_t *with;   /* for each stem, the number of turns that contain it */
	uint8_t *gram_tf; /* [n_passages][four-character sequences of the query] */
};

void ctx_recall_read(struct recall_text *t, const struct ctx_recall_turn *turns, size_t n,
    const struct recall_query *q);
void ctx_recall_text_release(struct recall_text *t);

/* BM25 parameters for a turn or a passage: k1 sets how fast repetition saturates, b
 * how much length counts. Turns have their own values, because a turn is short and
 * rarely repeats a word, while a sitting repeats its subject. */
#define RECALL_TURN_K1 1.2
#define RECALL_TURN_B 0.5
double ctx_recall_saturate(double tf, double k1, double b, double length);

/* Relevance feedback: sets feedback of each passage from the terms of the best
 * passages. */
void ctx_recall_feed(struct recall_text *t, size_t n, size_t n_terms, double mean_length);
/* Sets feedback_2 of each turn. Uses the terms of the user's turns that have the
 * highest scores (scores[n], one per turn). */
void ctx_recall_feed_turns(struct recall_text *t, size_t n, size_t n_terms,
    double mean_length, const double *scores);

#endif
