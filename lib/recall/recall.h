/* Recall: finds older turns of a long conversation that are relevant to a new message.
 * Uses no model: the score of a turn depends on the turn's words and their rarity, on the
 * words of the neighboring turns and of the turn's sitting, and on the speaker and the
 * time that the new message asks about. A sitting is a part of the conversation without
 * long pauses. */
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
	int64_t session_no; /* number of the turn's session */
	int64_t seq;
	bool gap; /* true: messages are missing between the previous turn and this one */
	/* true: the turn is a remark before a tool call, or a program's note in the
	 * user's name; it is scored only if it contains significant words of the query */
	bool aside;
	int64_t created_at; /* ms since the epoch */
	/* plain text: a name, or "user" or "assistant"; borrowed */
	struct ctx_span speaker;
	struct ctx_span text; /* plain text; borrowed */
	int64_t cost;         /* number of tokens needed to quote the turn */
	/* number of tokens needed to quote only the turn's best passage; 0: the turn is
	 * always quoted whole */
	int64_t part_cost;
	/* set by ctx_recall_rank: */
	size_t sitting;  /* index of the first turn in the turn's sitting */
	double score;    /* higher is better; comparable within one call */
	size_t from, to; /* best passage: byte range in the text */
	/* parts: number of passages in the text; part: number of the best passage, from 1
	 * to parts */
	size_t part, parts;
	/* true: the texts in ctx_recall_options.quoted already contain the turn */
	bool quoted;
	/* set by ctx_recall_fill: */
	bool keep;
};

/* Returns true if earlier turns can be relevant to the text. Returns false if the text
 * only agrees, thanks or greets ("Yes, thank you", "Go on"). */
bool ctx_recall_asks(struct ctx_span text);

/* Scores every turn against the query. Some parts of the score compare the turn with the
 * other turns of its sitting. A sitting ends after an hour of silence or after a hundred
 * turns. Pure; time and memory are linear in the length of the texts. */
void ctx_recall_rank(struct ctx_recall_turn *turns, size_t n, struct ctx_span query);

/* Combines the ranking by words with a ranking by vectors: a turn's new score depends on
 * its positions in both rankings. similarity[i] is the similarity of turns[i] to the
 * query, from 0 to 1, or negative if unknown. Call after ctx_recall_rank. */
void ctx_recall_fuse(struct ctx_recall_turn *turns, size_t n, const double *similarity);

/* Chooses the turns with the best scores for their costs: sets their member keep to true.
 * The total cost does not exceed budget (in tokens). It consists of the costs of the
 * chosen turns, plus sitting_cost for each sitting with a chosen turn. Does not choose
 * any turn if no turn matches the query. Does not choose a passage that mostly repeats
 * chosen passages, or a message with the same session, speaker and text as a chosen
 * message, unless the message has only a few words. Returns the total cost. */
int64_t ctx_recall_fill(
    struct ctx_recall_turn *turns, size_t n, int64_t budget, int64_t sitting_cost);

/* score of a turn that does not match the query at all */
#define CTX_RECALL_NOTHING (-1e9)

/* ---- from the store ---- */

struct ctx_recall_options {
	struct ctx_span query; /* text of the new message */
	/* use only messages before this sequence number; 0: all messages */
	int64_t before_seq;
	int64_t budget; /* maximum number of tokens of the output of ctx_recall_format */
	/* Older turns that the request already quotes: the output of ctx_recall_format
	 * for earlier messages, concatenated; NULL: no such output. If a quoted turn is
	 * relevant, its tokens are subtracted from the budget, but it is not chosen
	 * again. */
	const char *quoted;
	struct ctx_tokenizer *tokenizer;
	bool hidden; /* true: include hidden messages */
	/* the embedder for ranking by vectors in addition to words; NULL: rank by words
	 * only */
	struct ctx_embedder *embedder;
	/* Called if the embedder fails; ranking continues with words only. May be
	 * NULL. */
	void (*embed_failed)(void *arg, const struct ctx_err *err);
	void *embed_arg;
	/* Returns the cost of a turn; used for benchmarks. NULL: the cost is counted with
	 * tokenizer. */
	int64_t (*cost)(void *arg, const struct ctx_stored *m);
	void *cost_arg;
	bool whole; /* true: quote whole messages only; used for benchmarks */
	bool all;   /* true: choose every turn; used to fit the weights */
	/* The following members are for choosing turns of several sessions. sessions: the
	 * numbers of the sessions (NULL: all visible sessions); user_id: use only
	 * sessions that belong to this user or are shared with this user (NULL: any
	 * user); sitting_cost: number of tokens of the heading that the caller prints for
	 * each sitting in addition to the line with the date. */
	const int64_t *sessions;
	size_t n_sessions;
	const char *user_id;
	int64_t sitting_cost;
};

/* The chosen turns, oldest first. Owns their texts. */
struct ctx_recall {
	struct ctx_recall_turn *turns;
	size_t n;
	/* tokens of the chosen turns, without turns that were already quoted */
	int64_t cost;
	/* number of tokens of the line that is printed before each sitting */
	int64_t sitting_cost;
	struct ctx_arena arena;
};

#define CTX_RECALL_INIT                       \
	{                                     \
		NULL, 0, 0, 0, CTX_ARENA_INIT \
	}

/* Chooses turns of the stored session *s and sets *r to the chosen turns. A turn is a
 * text of the user or of the assistant. Updates the full-text index first. If the session
 * has more than a few thousand messages, reads only the messages around the best
 * full-text matches and, with an embedder, some of the newest messages, so that the cost
 * does not grow with the session. If s is NULL, chooses turns of several sessions,
 * ordered by session; reads only the messages around the best full-text matches, and does
 * not use the embedder. Initialize *r with CTX_RECALL_INIT before the call, and release
 * it after the call, even after an error. */
int ctx_recall_select(struct ctx_recall *r, struct ctx_store *st,
    const struct ctx_session *s, const struct ctx_recall_options *o, struct ctx_err *err);
/* Drops the worst of the chosen turns until the remaining turns fit into a smaller
 * budget. budget: the new limit in tokens. Does not read the session again. */
void ctx_recall_reduce(struct ctx_recall *r, int64_t budget);
void ctx_recall_release(struct ctx_recall *r);

/* Appends the turns as quoted context: for each sitting, a line with the date (sittings
 * of the same minute share one line); for each turn, "SPEAKER: TEXT"; and a line "…"
 * wherever turns are omitted. If only the best passage of a long turn is quoted, the turn
 * begins with "SPEAKER (part 3 of 9): ". */
void ctx_recall_format(struct ctx_buf *out, const struct ctx_recall *r);

#endif
