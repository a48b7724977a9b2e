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
	bool gap; /* true: messages are missing before this turn */
	/* true: the turn is an assistant's remark before a tool call, or a note that a
	 * program wrote into a user message; it is chosen only if it contains enough
	 * words of the query */
	bool aside;
	int64_t created_at; /* ms since the epoch */
	/* plain text: a name, or "user" or "assistant"; borrowed */
	struct ctx_span speaker;
	struct ctx_span text; /* plain text; borrowed */
	int64_t cost;         /* number of tokens needed to quote the turn */
	/* number of tokens needed to quote only the turn's best passage; 0: the whole
	 * turn is quoted */
	int64_t part_cost;
	/* set by ctx_recall_rank: */
	/* index of the first turn of the sitting to which this turn belongs */
	size_t sitting;
	/* higher is better; can be compared only with scores from the same call */
	double score;
	size_t from, to; /* the best passage is bytes [from, to) of the text */
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
 * other turns of its sitting. A new sitting begins after an hour of silence, after a
 * hundred turns, and where messages are missing. Pure; time and memory are linear in the
 * length of the texts. */
void ctx_recall_rank(struct ctx_recall_turn *turns, size_t n, struct ctx_span query);

/* Combines the ranking by words with a ranking by vectors: a turn's new score depends on
 * its positions in both rankings. similarity[i] is the similarity of turns[i] to the
 * query, from 0 to 1, or negative if unknown. Call after ctx_recall_rank. */
void ctx_recall_fuse(struct ctx_recall_turn *turns, size_t n, const double *similarity);

/* Chooses the turns with the best scores for their costs: sets the member "keep" of these
 * turns to true. budget: the maximum total cost in tokens; sitting_cost: the cost of each
 * sitting with a chosen turn, in addition to the costs of the chosen turns. Returns the
 * total cost. Chooses nothing if no turn matches the query. Skips repetitions: a passage
 * that mostly repeats chosen passages, and a message with the same session, speaker and
 * text as a chosen message. (A message of a few words is not a repetition.) */
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
	/* Older turns that the request already quotes: the concatenated outputs of
	 * ctx_recall_format for earlier messages; NULL: there are none. A relevant turn
	 * that is already quoted uses up its part of the budget, but is not returned
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
	/* Returns the cost of a turn; used for benchmarks. NULL: the cost is the number
	 * of tokens, counted with the tokenizer above. */
	int64_t (*cost)(void *arg, const struct ctx_stored *m);
	void *cost_arg;
	bool whole; /* true: quote whole messages only; used for benchmarks */
	bool all;   /* true: choose every turn; used to fit the weights */
	/* The members from here on are used only for choosing from several sessions.
	 * sessions: numbers of the sessions; NULL: all visible sessions. */
	const int64_t *sessions;
	size_t n_sessions;
	/* use only sessions that belong to this user or are shared with this user; NULL:
	 * any user */
	const char *user_id;
	/* number of tokens of the heading that the caller prints before each sitting, in
	 * addition to the line with the date */
	int64_t sitting_cost;
};

/* The chosen turns, oldest first. Owns their texts. */
struct ctx_recall {
	struct ctx_recall_turn *turns;
	size_t n;
	/* total cost of the chosen turns and of their date lines, in tokens; turns that
	 * are already quoted do not count */
	int64_t cost;
	/* number of tokens of the line that is printed before each sitting (a part of
	 * the conversation without long pauses) */
	int64_t sitting_cost;
	struct ctx_arena arena;
};

#define CTX_RECALL_INIT                       \
	{                                     \
		NULL, 0, 0, 0, CTX_ARENA_INIT \
	}

/* Chooses turns of the stored session *s and sets *r to the chosen turns. A turn is a
 * text of the user or of the assistant. A long session (thousands of messages, or
 * hundreds of thousands of tokens) is not read as a whole, so that the cost does not
 * grow with the session: the function updates the full-text index, and reads only the
 * messages around the best matches and, with an embedder, some of the newest messages.
 *
 * If s is NULL, chooses turns of several sessions in the same way, but without the
 * embedder; the turns are ordered by session.
 *
 * Initialize *r with CTX_RECALL_INIT before the call, and release it after the call,
 * even after an error. Returns 0, or -1 on error. */
int ctx_recall_select(struct ctx_recall *r, struct ctx_store *st,
    const struct ctx_session *s, const struct ctx_recall_options *o, struct ctx_err *err);
/* Reduces the chosen turns to those that ctx_recall_fill chooses among them for a smaller
 * budget. budget: the new limit in tokens. Does not read the session again. */
void ctx_recall_reduce(struct ctx_recall *r, int64_t budget);
void ctx_recall_release(struct ctx_recall *r);

/* Appends the turns as quoted context. Each sitting begins with a line with its date,
 * but sittings of the same minute share one line. Each turn is printed as "SPEAKER:
 * TEXT" or, if only its best passage is quoted, as "SPEAKER (part 3 of 9): TEXT". A line
 * "…" stands for omitted turns within a sitting. */
void ctx_recall_format(struct ctx_buf *out, const struct ctx_recall *r);

#endif
