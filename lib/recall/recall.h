/* Recall: finds the older turns of a long conversation that matter for a new message. No
 * model is used; a turn is scored by its words and those of its neighbours and its
 * sitting, their rarity, who is asked about, and when. */
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

/* A message of the conversation, oldest first. */
struct ctx_recall_turn {
	/* given */
	int64_t session_no; /* number of its session */
	int64_t seq;
	bool gap; /* messages before it are missing from the turns */
	/* a remark before a call of a tool, or a program's note in the user's name: it counts
	 * only if it has a word of the query */
	bool aside;
	int64_t created_at; /* ms */
	struct ctx_span
	    speaker;          /* plain text: a name, or "user" or "assistant"; borrowed */
	struct ctx_span text; /* plain text; borrowed */
	int64_t cost;         /* tokens needed to quote it */
	int64_t
	    /* tokens needed to quote only its best passage; 0: always quoted whole */
	    part_cost;
	/* set by ctx_recall_rank */
	size_t sitting;     /* index of the first turn of its sitting */
	double score;       /* higher is better; comparable within one call */
	size_t from, to;    /* its best passage, in bytes of the text … */
	size_t part, parts; /* … and its number among the passages of the text */
	/* set by ctx_recall_fill */
	bool keep;
};

/* Scores every turn against the query. A sitting ends after an hour of silence or after a
 * hundred turns. Pure; time and memory are linear in the text. */
void ctx_recall_rank(struct ctx_recall_turn *turns, size_t n, struct ctx_span query);

/* Ranks by vectors too: similarity[i] of turn i to the query is 0…1, or negative if
 * unknown. The two rankings are combined by rank. Call after ctx_recall_rank. */
void ctx_recall_fuse(struct ctx_recall_turn *turns, size_t n, const double *similarity);

/* Keeps the turns with the best value for their cost until the budget is full: their
 * costs, plus sitting_cost for each sitting with a kept turn, are at most budget. Keeps
 * none when no turn matches the query. Returns the cost of the kept turns. */
int64_t ctx_recall_fill(
    struct ctx_recall_turn *turns, size_t n, int64_t budget, int64_t sitting_cost);

/* The score of a turn without any match. */
#define CTX_RECALL_NOTHING (-1e9)

/* ---- from the store ---- */

struct ctx_recall_options {
	struct ctx_span query; /* the new message's text */
	int64_t before_seq;    /* only messages before this sequence number; 0: all */
	int64_t budget;        /* tokens available for the output of ctx_recall_format */
	struct ctx_tokenizer *tokenizer;
	bool hidden;                   /* include hidden messages */
	struct ctx_embedder *embedder; /* rank by vectors too; NULL: by words only */
	/* Called when the embedder fails; ranking continues with words only. May be NULL. */
	void (*embed_failed)(void *arg, const struct ctx_err *err);
	void *embed_arg;
	/* Replaces the tokenizer when measuring: the cost of a turn. */
	int64_t (*cost)(void *arg, const struct ctx_stored *m);
	void *cost_arg;
	bool whole; /* whole messages only; for measuring */
	/* For several sessions: their numbers (NULL: all visible ones), of this user or
	 * shared with it (NULL: any), and what the caller's heading of a sitting costs. */
	const int64_t *sessions;
	size_t n_sessions;
	const char *user_id;
	int64_t sitting_cost;
};

/* The chosen turns, oldest first. Owns their texts. */
struct ctx_recall {
	struct ctx_recall_turn *turns;
	size_t n;
	int64_t cost; /* tokens */
	struct ctx_arena arena;
};

#define CTX_RECALL_INIT                    \
	{                                  \
		NULL, 0, 0, CTX_ARENA_INIT \
	}

/* Chooses turns of a stored session, among texts of the user and of the assistant; of
 * several sessions if s is NULL, ordered by session, only the surroundings of the best
 * full-text matches, without an embedder. Of a session of more than a few thousand
 * messages, only the surroundings of the best full-text matches (and, with an embedder,
 * some of the newest messages) are read, so that the cost does not grow with the session.
 * Updates the full-text index first. The caller initialises r with CTX_RECALL_INIT and
 * releases it, also after an error. */
int ctx_recall_select(struct ctx_recall *r, struct ctx_store *st,
    const struct ctx_session *s, const struct ctx_recall_options *o, struct ctx_err *err);
void ctx_recall_release(struct ctx_recall *r);

/* Appends the turns as quoted context: the date once per sitting, a line "…" where turns
 * are omitted, "SPEAKER: TEXT". If only the best passage of a long turn is quoted,
 * "SPEAKER (part 3 of 9): " precedes it. */
void ctx_recall_format(struct ctx_buf *out, const struct ctx_recall *r);

#endif
