/* Private to lib/recall: the features from which the score of each turn (a message of the
 * conversation) is computed. A sitting is a part of the conversation without long pauses.
 * The rarity of a word is its inverse document frequency: the fewer turns contain the
 * word, the higher its rarity. */
#ifndef CTX_RECALL_INTERNAL_H
#define CTX_RECALL_INTERNAL_H

#include "base/map.h"
#include "recall/recall.h"

#define RECALL_TERMS_MAX 48 /* maximum number of words of the query that are used */
/* maximum number of four-character sequences of the query that are used */
#define RECALL_GRAMS_MAX 192

enum recall_feature {
	/* score of the turn's best passage, divided by the best score of all turns */
	F_BEST,
	/* logarithm of the turn's place when the turns are sorted by their best
	 * passages */
	F_RANK,
	/* BM25 score of the query's four-character sequences in the previous and next
	 * turn, if they are in the same sitting; divided by the best score of all
	 * turns */
	F_GRAMS_NEAR,
	/* The sum of the rarities of the query words that are in the turn's best passage,
	 * divided by the sum of the rarities of all query words. */
	F_COVERAGE,
	/* Like F_COVERAGE, but a query word may also be in the best passage of a
	 * neighboring turn: one of the three turns before or after, in the same
	 * sitting. */
	F_COVERAGE_NEAR,
	/* BM25 score of the turn's whole sitting, divided by the best score of all
	 * sittings */
	F_SITTING,
	/* 1 if two words of the query are adjacent in the turn's best passage, otherwise
	 * 0 */
	F_PAIR,
	/* Sum of the rarities of the names that are in both the query and the turn's
	 * best passage. Names of speakers do not count. */
	F_PROPER,
	F_SPEAKER, /* 1 if the query names the turn's speaker and no other speaker */
	/* If F_SPEAKER is 1: BM25 score of the words in the turn's best passage;
	 * otherwise 0. */
	F_SPEAKER_WORDS,
	/* If the previous turn contains a question mark: BM25 score of the words in the
	 * previous turn's best passage; otherwise 0. */
	F_ANSWER,
	/* 1 if the query asks when something happened and the turn contains a word for a
	 * time, otherwise 0 */
	F_TIME,
	/* 1 if the turn is from the day that the query names; a lower value if the turn
	 * is from the week after this day */
	F_DAY,
	/* 1 if the turn is from the month that the query names; a lower value if the
	 * turn is from the weeks after this month, or if the query names only the year
	 * of the turn */
	F_MONTH,
	F_COST, /* logarithm of the turn's tokens */
	/* position in the conversation, from 0 (first turn) to almost 1 (last turn) */
	F_LATE,
	/* BM25 score of the words that the best-scored turns have in common */
	F_FEEDBACK,
	/* 1 if the query asks for a summary and the turn is an answer of an assistant
	 * without a name, otherwise 0 */
	F_SUMMARY,
	/* 1 if the user says how something is always to be done, otherwise 0 */
	F_STANDING,
	/* The features from here on are 0 for answers of an assistant without a name. */
	F_FIRST_PERSON, /* 1 if the turn says "I" or "we" */
	F_ASKS,         /* 1 if the turn ends with a question mark */
	F_REACTION,     /* 1 if the turn begins with a reaction, such as "thanks" */
	F_COUNT,
};

/* Computes the features of the n turns: sets features[i][f] to feature f of turns[i],
 * usually a number from 0 to 1. Returns false if no turn has anything in common with the
 * query. */
bool ctx_recall_measure(struct ctx_recall_turn *turns, size_t n, struct ctx_span query,
    double (*features)[F_COUNT]);

/* A position in a ranking. ctx_recall_best_first, for qsort(), sorts the highest score
 * first; if scores are equal, the later turn comes first. */
struct recall_place {
	double score;
	size_t at; /* index of the turn */
};
int ctx_recall_best_first(const void *a, const void *b);

/* ---- repetitions ---- */

/* ctx_recall_quote_once and ctx_recall_quote_message_once find repetitions. Each
 * function records the quoted texts in a map, which must be empty at the start. The two
 * functions need separate maps. */

/* Records the text of a passage in *quoted and returns true. If the passages recorded
 * before contain most of this passage, only returns false. */
bool ctx_recall_quote_once(struct ctx_map *quoted, struct ctx_span text);
/* If a message with the same session, speaker and text as *t is recorded in *quoted,
 * returns false. Otherwise records the message and returns true. For a message of a few
 * words, such as "Yes, do that", always returns true, because the meaning of such a
 * message depends on the previous message. */
bool ctx_recall_quote_message_once(
    struct ctx_map *quoted, const struct ctx_recall_turn *t);

/* ---- the query ---- */

/* Classes of words, as bits; a word can be in several classes. */
enum recall_kind {
	RECALL_STOP = 1,
	RECALL_TIME = 2,
	RECALL_FIRST_PERSON = 8,
	/* words that ask for something lasting: always, never, prefer … */
	RECALL_STANDING = 16,
	RECALL_REQUEST = 32, /* words that ask for a kind of reply: list, explain … */
	RECALL_SUMMARY = 64,
	RECALL_SAYING = 128, /* verbs of saying: say, recommend, … */
	/* words with which people react to a message: thanks, sure … */
	RECALL_REACTION = 256,
};
unsigned ctx_recall_word_kinds(struct ctx_span folded);

struct recall_term {
	char text[48];
	size_t n;
	bool proper;
	/* weight of the word: 1, or less for a word that only asks for a kind of reply,
	 * such as "list" */
	double weight;
	double rarity, sitting_rarity;
};

struct recall_query {
	struct recall_term terms[RECALL_TERMS_MAX];
	size_t n;
	bool when;    /* true: the query asks when something happened */
	bool summary; /* true: the query asks for a summary */
	/* date that the query names; a part that is not named is 0 */
	int year, month, day;
	/* four-character sequences of the query's words, sorted */
	uint32_t grams[RECALL_GRAMS_MAX];
	size_t n_grams;
};

/* Packs a sequence of four bytes into a number. */
static inline uint32_t
ctx_recall_gram(const char *p)
{
	return (uint32_t)(unsigned char)p[0] << 24 | (uint32_t)(unsigned char)p[1] << 16 |
	       (uint32_t)(unsigned char)p[2] << 8 | (unsigned char)p[3];
}

/* Parses the text of the query into *q. speakers: the names of the speakers; these names
 * do not count as words of the query. Sets bit i of *named for each speaker i that the
 * query names. */
void ctx_recall_read_query(struct recall_query *q, struct ctx_span text,
    const struct ctx_span speakers[], size_t n_speakers, unsigned *named);

bool ctx_recall_stop_word(struct ctx_span folded);

/* ---- the turns' texts ---- */

/* Finds the end of a passage of a text, and returns the byte offset of this end. from:
 * the byte offset at which the passage starts. A passage ends with a sentence or line. If
 * no sentence or line ends near enough, the passage ends with a word or, if the text has
 * no spaces there, with a character. If little text is left, the passage is the rest of
 * the text. */
size_t ctx_recall_cut(struct ctx_span text, size_t from);

struct recall_passage {
	uint32_t from, to; /* the passage is bytes [from, to) of the turn's text */
	/* the passage's stems are recall_text.words[word .. word + n) */
	uint32_t word, n;
	uint32_t length; /* number of words, including stop words */
	uint64_t set;    /* bit set of the query's terms that the passage contains */
	bool pair;
	double words, grams, feedback;
};

/* The words of a turn, and its best passage. */
struct recall_turn_words {
	/* the turn's passages are recall_text.passages[passage .. passage +
	 * n_passages) */
	size_t passage, n_passages;
	const struct recall_passage *best;
	/* number of occurrences of each query term in the whole turn */
	uint16_t tf[RECALL_TERMS_MAX];
	size_t length; /* number of words */
	/* Bit sets of word classes (enum recall_kind). kinds: classes of all words of
	 * the turn; first_kinds: classes of the turn's first word. */
	unsigned kinds, first_kinds;
	bool asks, ends_asking;
	/* index of the turn's speaker in the list of speakers; -1 if the speaker is not
	 * in the list */
	int speaker;
	double feedback_2;
};

struct recall_text {
	struct recall_turn_words *m;
	struct recall_passage *passages;
	size_t n_passages, cap_passages;
	/* The numbers of the stems of all words except stop words, in the order of the
	 * texts. n_stems: how many different stems there are. Term k of the query has
	 * the stem number k. */
	uint32_t *words;
	size_t n_words, cap_words, n_stems;
	uint32_t *with; /* with[i]: number of turns that contain the stem with number i */
	/* gram_tf[p * q->n_grams + g]: how often passage p contains the query's
	 * four-character sequence g */
	uint8_t *gram_tf;
};

void ctx_recall_read(struct recall_text *t, const struct ctx_recall_turn *turns, size_t n,
    const struct recall_query *q);
void ctx_recall_text_release(struct recall_text *t);

/* BM25 parameters for turns and passages: k1 controls how fast repeated words stop
 * counting; b controls how much the length counts. Sittings have other parameters,
 * because a sitting repeats the words of its subject, while a turn is short and rarely
 * repeats a word. */
#define RECALL_TURN_K1 1.2
#define RECALL_TURN_B 0.5
double ctx_recall_saturate(double tf, double k1, double b, double length);

/* Relevance feedback: finds words that the passages with the best scores have in common,
 * and sets the member "feedback" of each passage to the passage's score for these
 * words. */
void ctx_recall_feed(struct recall_text *t, size_t n, size_t n_terms, double mean_length);
/* Finds words that the turns with the best scores have in common, and sets the member
 * "feedback_2" of each turn in t->m to the turn's score for these words. scores: the
 * scores of the n turns; turns with the score 0 are not used. */
void ctx_recall_feed_turns(struct recall_text *t, size_t n, size_t n_terms,
    double mean_length, const double *scores);

#endif
