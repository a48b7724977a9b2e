/* Recall: which older turns of a long conversation matter for a new message. Words decide,
 * no model: those of the turn, of its neighbours and of its sitting, how rare they are,
 * who is asked about, and when. */
#ifndef CTX_RECALL_RECALL_H
#define CTX_RECALL_RECALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "embed/embed.h"
#include "store/store.h"
#include "tokens/tokens.h"

/* A message of the conversation, oldest first. */
struct ctx_recall_turn {
	/* given */
	int64_t seq;
	bool gap;           /* what stood before it is not among the turns */
	int64_t created_at; /* ms */
	struct ctx_span
	    speaker; /* plain text: a name, else "user" or "assistant"; borrowed */
	struct ctx_span text; /* plain text; borrowed */
	int64_t cost;         /* tokens that quoting it takes */
	int64_t
	    part_cost; /* that quoting only its best passage takes; 0: it is quoted whole */
	/* set by ctx_recall_rank */
	size_t sitting;     /* index of the first turn of its sitting */
	double score;       /* greater is better; comparable within one call */
	size_t from, to;    /* its best passage, in bytes of the text … */
	size_t part, parts; /* … which is the part-th of so many */
	/* set by ctx_recall_fill */
	bool keep;
};

/* Score every turn against the query. A sitting ends where nobody spoke for an hour, or
 * after a hundred turns. Pure; time and memory are linear in the text. */
void ctx_recall_rank(struct ctx_recall_turn *turns, size_t n, struct ctx_span query);

/* Rank by vectors too: similarity[i] of turn i to the query, 0 … 1, or below 0 where it is
 * not known. Both rankings are fused by their places. After ctx_recall_rank. */
void ctx_recall_fuse(struct ctx_recall_turn *turns, size_t n, const double *similarity);

/* Keep the turns that are worth most for their cost, as many as fit: their costs, and
 * sitting_cost for each sitting that has one, add up to at most budget. When no turn has
 * anything of the query, none is kept. Returns what those kept cost. */
int64_t ctx_recall_fill(
    struct ctx_recall_turn *turns, size_t n, int64_t budget, int64_t sitting_cost);

/* The score of a turn that has nothing to do with the query. */
#define CTX_RECALL_NOTHING (-1e9)

/* ---- from the store ---- */

struct ctx_recall_options {
	struct ctx_span query; /* the new message's text */
	int64_t before_seq;    /* only messages before this one; 0: all */
	int64_t budget;        /* tokens for what ctx_recall_format prints */
	struct ctx_tokenizer *tokenizer;
	bool hidden;                   /* hidden messages may be recalled too */
	struct ctx_embedder *embedder; /* rank by vectors too; NULL: by words alone */
	/* Told of a failure of the embedder: then words alone rank. May be NULL. */
	void (*embed_failed)(void *arg, const struct ctx_err *err);
	void *embed_arg;
	/* Instead of the tokenizer: what a turn costs. For measuring. */
	int64_t (*cost)(void *arg, const struct ctx_stored *m);
	void *cost_arg;
	bool whole; /* only whole messages. For measuring. */
};

/* What was chosen, oldest first. Texts belong to it. */
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

/* Choose turns of a stored session: texts of the user and of the assistant. Of a session
 * of more than a few thousand messages only the surroundings of the best matches in the
 * full-text index are read, so that cost does not follow its length; the index is caught
 * up first. With an embedder some newest ones are read besides. r is CTX_RECALL_INIT; release it in either case. */
int ctx_recall_select(struct ctx_recall *r, struct ctx_store *st,
    const struct ctx_session *s, const struct ctx_recall_options *o, struct ctx_err *err);
void ctx_recall_release(struct ctx_recall *r);

/* Append the turns as quoted context: the date once for each sitting, a line "…" where
 * turns are left out, "SPEAKER: TEXT". Of a long turn only the best passage is quoted, after
 * "SPEAKER (part 3 of 9): ". */
void ctx_recall_format(struct ctx_buf *out, const struct ctx_recall *r);

#endif
