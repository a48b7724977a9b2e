/* Private to lib/recall: the features from which the score of each turn (a message of the
 * conversation) is computed. A sitting is a part of the conversation without long
 * pauses. */
#ifndef CTX_RECALL_INTERNAL_H
#define CTX_RECALL_INTERNAL_H

#include "base/map.h"
#include "recall/recall.h"

#define RECALL_TERMS_MAX 48 /* maximum number of words of the query that are used */
/* maximum number of four-character sequences of the query that are used */
#define RECALL_GRAMS_MAX 192

enum recall_feature {
	F_BEST, /* score of the turn's best passage, relative to the best of all turns */
	F_RANK, /* logarithm of the turn's place in the ranking by best passages */
	/* BM25 score of four-character sequences in the turns before and after in the
	 * same sitting, relative to the best of all turns */
	F_GRAMS_NEAR,
	/* summed rarity of the query words in the turn's best passage, divided by the
	 * summed rarity of all query words */
	F_COVERAGE,
	/* like F_COVERAGE, but for several best passages: those of the turn, and of up to
	 * three turns before it and after it in the same sitting */
	F_COVERAGE_NEAR,
	F_SITTING, /* BM25 score of the whole sitting, relative to the best sitting */
	F_PAIR,    /* two words of the query are adjacent in the turn's best passage */
	/* rarity of the names in the query (other than those of speakers) that the turn's
	 * best passage contains */
	F_PROPER,
	F_SPEAKER, /* 1 if the query names the turn's speaker and no other speaker */
	/* BM25 score of the words in the turn's best passage if F_SPEAKER is 1, otherwise
	 * 0 */
	F_SPEAKER_WORDS,
	/* BM25 score of the words in the previous turn's best passage if that turn has a
	 * question mark, otherwise 0 */
	F_ANSWER,
	/* the query asks when something happened, and the turn has words that express
	 * a time */
	F_TIME,
	F_DAY, /* the sitting is on the day that the query names, or soon after */
	/* the sitting is in the month or year that the query names, or soon after */
	F_MONTH,
	F_COST,     /* logarithm of the turn's tokens */
	F_LATE,     /* position in the conversation, from 0 (first) to 1 (last) */
	F_FEEDBACK, /* BM25 score of words that the user's best turns have in common */
	F_SUMMARY,  /* the turn is an answer, and the query asks for a summary */
	F_STANDING, /* the turn expresses a lasting wish of the user */
	/* the following are 0 for answers of an assistant without a name */
	F_FIRST_PERSON, /* the turn says "I" or "we" */
	F_ASKS,         /* the turn ends with a question */
	F_REACTION,     /* the turn begins with a reaction, such as "thanks" */
	F_COUNT,
};

/* Computes the features of the n turns: sets features[i][f] to feature f of turns[i], a
 * number roughly from 0 to 1. Returns false if no turn has anything in common with the
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

/* The next two functions keep a set of the quotations that were chosen so far, in the map
 * *quoted. Start with an empty map, and use separate maps for the two functions. */

/* If the quoted passages already contain most of the passage text, returns false.
 * Otherwise adds this passage to the quoted passages and returns true. */
bool ctx_recall_quote_once(struct ctx_map *quoted, struct ctx_span text);
/* If a message with the same session, speaker and text as *t is already quoted, returns
 * false. Otherwise adds the whole message to the quoted messages and returns true. For a
 * message of a few words, such as "Yes, do that", always returns true, because the
 * meaning of such a message depends on the message before it. */
bool ctx_recall_quote_message_once(
    struct ctx_map *quoted, const struct ctx_recall_turn *t);

/* ---- the query ---- */

/* Classes of words; a word can have several. */
enum recall_kind {
	RECALL_STOP = 1,
	RECALL_TIME = 2,
	RECALL_FIRST_PERSON = 8,
	RECALL_STANDING = 16, /* words of a lasting wish: always, never, prefer … */
	RECALL_REQUEST = 32,  /* instructions about the result: list, explain … */
	RECALL_SUMMARY = 64,
	RECALL_SAYING = 128,   /* verbs of saying: say, recommend, … */
	RECALL_REACTION = 256, /* first words of a reaction: thanks, sure … */
};
unsigned ctx_recall_word_kinds(struct ctx_span folded);

struct recall_term {
	char text[48];
	size_t n;
	bool proper;
	/* weight of the word: 1, or less for a word that is only an instruction, such as
	 * "list" */
	double weight;
	double rarity, sitting_rarity;
};

struct recall_query {
	struct recall_term terms[RECALL_TERMS_MAX];
	size_t n;
	bool when;            /* the query asks when something happened */
	bool summary;         /* the query asks for a summary */
	int year, month, day; /* the date that the query names; 0: not named */
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

/* Parses text, the query, into *q. speakers: the names of the speakers; these names do
 * not count as words of the query. Sets bit i of *named for each speaker i that the query
 * names. */
void ctx_recall_read_query(struct recall_query *q, struct ctx_span text,
    const struct ctx_span speakers[], size_t n_speakers, unsigned *named);

bool ctx_recall_stop_word(struct ctx_span folded);

/* ---- the turns' texts ---- */

/* Finds the end of a passage of text, and returns it as a byte offset. from: the byte
 * offset at which the passage starts. A passage ends with a sentence or line. If no
 * sentence or line ends near enough, it ends with a word or, if the text has no spaces
 * there, with a character. If little text is left, the passage is the rest of the
 * text. */
size_t ctx_recall_cut(struct ctx_span text, size_t from);

struct recall_passage {
	uint32_t from, to; /* byte range within the turn's text */
	uint32_t word, n;  /* range of the passage's stems in recall_text.words */
	uint32_t length;   /* number of words, including stop words */
	uint64_t set;      /* bit set of the query's terms that the passage contains */
	bool pair;
	double words, grams, feedback;
};

/* The words of a turn, and its best passage. */
struct recall_turn_words {
	size_t passage, n_passages; /* range of passages in recall_text.passages */
	const struct recall_passage *best;
	/* number of occurrences of each query term in the whole turn */
	uint16_t tf[RECALL_TERMS_MAX];
	size_t length; /* number of words */
	/* kinds: classes (enum recall_kind) of all words of the turn; first_kinds:
	 * classes of the turn's first word */
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
	/* stems of all words except stop words; the query's terms come first */
	uint32_t *words;
	size_t n_words, cap_words, n_stems;
	uint32_t *with; /* with[i]: number of turns that contain stem i */
	/* number of occurrences of the query's four-character sequences in each passage,
	 * as [n_passages][q->n_grams] */
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

/* Relevance feedback: takes terms from the best passages, and sets the member feedback of
 * each passage to the passage's score for these terms. */
void ctx_recall_feed(struct recall_text *t, size_t n, size_t n_terms, double mean_length);
/* Takes terms from the user's turns with the highest scores, and sets the member
 * feedback_2 of each turn (in t->m) to the turn's score for these terms. scores has one
 * score for each of the n turns. */
void ctx_recall_feed_turns(struct recall_text *t, size_t n, size_t n_terms,
    double mean_length, const double *scores);

#endif
