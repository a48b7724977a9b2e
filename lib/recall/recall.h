/* Recall: finds older turns of a long conversation that are relevant to a new message.
 * Uses no model: a turn is scored by its words and their rarity, by the words of
 * neighboring turns and of its sitting, and by the speaker and the time that the new
 * message asks about. A sitting is a stretch of the conversation without long pauses. */
#ifndef CTX_RECALL_RECALL_H
#define CTX_RECALL_RECALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "recall/embed.h"
#include "store/store.h"
#include "tokens/tokens.h"

/* A message of the conversation. Turns are passed oldest first. */
struct ctx_recall_turn {
	/* set by the caller: */
	int64_t session_no; /* number of its session */
	int64_t seq;
	bool gap; /* true: messages before this one are missing from the turns */
	/* true: the turn is a remark before a tool call, or a program's note in the
	 * user's name; it is scored only if it contains significant words of the query */
	bool aside;
	int64_t created_at; /* ms since the epoch */
	/* plain text: a name, or "user" or "assistant"; borrowed */
	struct ctx_span speaker;
	struct ctx_span text; /* plain text; borrowed */
	int64_t cost;         /* tokens needed to quote the turn */
	/* tokens needed to quote only its best passage; 0: always quoted whole */
	int64_t part_cost;
	/* set by ctx_recall_rank: */
	size_t sitting;  /* index of the first turn of its sitting */
	double score;    /* higher is better; comparable within one call */
	size_t from, to; /* best passage: byte range in the text */
	/* part: number of the best passage; parts: number of passages in the text */
	size_t part, parts;
	bool quoted; /* true: the quotation is in the member quoted of the options */
	/* set by ctx_recall_fill: */
	bool keep;
};

/* Returns false if no earlier turn can be relevant to the text, because it only agrees,
 * thanks or greets: "Yes, thank you", "Go on". */
bool ctx_recall_asks(struct ctx_span text);

/* Scores every turn against the query. Some parts of the score compare the turn with the
 * others of its sitting, a sequence of turns that ends after an hour of silence or after a
 * hundred turns. Pure; time and memory are linear in the length of the texts. */
void ctx_recall_rank(struct ctx_recall_turn *turns, size_t n, struct ctx_span query);

/* Combines the ranking by words with a ranking by vectors: a turn's new score depends on
 * its positions in both rankings. similarity[i] is the similarity of turns[i] to the
 * query, from 0 to 1, or negative if unknown. Call after ctx_recall_rank. */
void ctx_recall_fuse(struct ctx_recall_turn *turns, size_t n, const double *similarity);

/* Chooses the turns with the best value for their cost until the budget (tokens) is full,
 * and sets their member keep. The kept turns' costs, plus sitting_cost for each sitting
 * with a kept turn, do not exceed budget. Keeps no turn if none matches the query, no
 * passage that mostly repeats the kept passages, and no message with the same session,
 * speaker and text as a kept one, unless the message has only a few words.
 * Returns the total cost. */
int64_t ctx_recall_fill(
    struct ctx_recall_turn *turns, size_t n, int64_t budget, int64_t sitting_cost);

/* The score of a turn that does not match the query at all. */
#define CTX_RECALL_NOTHING (-1e9)

/* ---- from the store ---- */

struct ctx_recall_options {
	struct ctx_span query; /* text of the new message */
	/* use only messages before this sequence number; 0: all messages */
	int64_t before_seq;
	int64_t budget; /* maximum number of tokens of the output of ctx_recall_format */
	/* Texts from ctx_recall_format that the request already contains, concatenated;
	 * NULL: none. A relevant turn that they quote uses tokens of the budget, but is
	 * not chosen again. */
	const char *quoted;
	struct ctx_tokenizer *tokenizer;
	bool hidden; /* true: include hidden messages */
	/* used to rank by vectors in addition to words; NULL: rank by words only */
	struct ctx_embedder *embedder;
	/* Called if the embedder fails; ranking continues with words only. May be
	 * NULL. */
	void (*embed_failed)(void *arg, const struct ctx_err *err);
	void *embed_arg;
	/* Returns the cost of a turn instead of the tokenizer; used for benchmarks. If
	 * the member is NULL, the tokenizer counts the cost. */
	int64_t (*cost)(void *arg, const struct ctx_stored *m);
	void *cost_arg;
	bool whole; /* true: quote whole messages only; used for benchmarks */
	bool all;   /* true: choose every turn; used to fit the weights */
	/* For several sessions: their numbers (NULL: all visible sessions), the user
	 * whose own or shared sessions are used (NULL: any user), and the tokens of the
	 * heading that the caller prints for each sitting. */
	const int64_t *sessions;
	size_t n_sessions;
	const char *user_id;
	int64_t sitting_cost;
};

/* The chosen turns, oldest first. Owns their texts. */
struct ctx_recall {
	struct ctx_recall_turn *turns;
	size_t n;
	int64_t cost; /* tokens, without those of quoted turns */
	/* number of tokens of the line that is printed before each sitting */
	int64_t sitting_cost;
	struct ctx_arena arena;
};

#define CTX_RECALL_INIT                       \
	{                                     \
		NULL, 0, 0, 0, CTX_ARENA_INIT \
	}

/* Chooses turns of a stored session among the texts of the user and of the assistant. If
 * the session has more than a few thousand messages, only the surroundings of the best
 * full-text matches (and, with an embedder, some of the newest messages) are read, so
 * that the cost does not grow with the session. If s is NULL, chooses turns of several
 * sessions, ordered by session, only around the best full-text matches and without the
 * embedder. Updates the full-text index first. Initialize r with CTX_RECALL_INIT and
 * release it afterward, even after an error. */
int ctx_recall_select(struct ctx_recall *r, struct ctx_store *st,
    const struct ctx_session *s, const struct ctx_recall_options *o, struct ctx_err *err);
/* Drops chosen turns until the remaining ones, which are the best, fit into a smaller
 * budget (in tokens). Does not read the session again. */
void ctx_recall_reduce(struct ctx_recall *r, int64_t budget);
void ctx_recall_release(struct ctx_recall *r);

/* Appends the turns as quoted context: the date once for each sitting (sittings of the
 * same minute share it), a line "…" where turns are omitted, and "SPEAKER: TEXT" for each
 * turn. If only the best passage of a long turn is quoted, the turn begins with
 * "SPEAKER (part 3 of 9): ". */
void ctx_recall_format(struct ctx_buf *out, const struct ctx_recall *r);

#endif
