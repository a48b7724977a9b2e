/* Selection: what goes into the next request and what stays out, and why. Pure functions
 * over a history; no store, no I/O. */
#ifndef CTX_SELECT_SELECT_H
#define CTX_SELECT_SELECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/time.h"
#include "record/message.h"
#include "record/record.h"
#include "tokens/tokens.h"

/* Why a message was left out or changed. */
enum ctx_reason {
	CTX_REASON_NONE,
	CTX_REASON_BUDGET,            /* did not fit the token budget */
	CTX_REASON_COUNT,             /* beyond the last N messages */
	CTX_REASON_TURNS,             /* beyond the last N turns */
	CTX_REASON_SINCE,             /* older than asked for */
	CTX_REASON_NO_USER_BEFORE,    /* a window begins with a user message */
	CTX_REASON_ORPHAN_RESULT,     /* a tool result without its call */
	CTX_REASON_DUPLICATE_RESULT,  /* a second result of one call */
	CTX_REASON_UNANSWERED_CALL,   /* a call that was never answered */
	CTX_REASON_HIDDEN,            /* hidden in the store */
	CTX_REASON_CUT,               /* kept, its tool result shortened */
};
const char *ctx_reason_name(enum ctx_reason r);   /* "over_budget", … */

/* One message of a history, oldest first. */
struct ctx_item {
	/* given by the caller */
	struct ctx_span message;   /* checked JSON; borrowed */
	int64_t seq;               /* -1 unknown */
	int64_t created_at;        /* ms; CTX_TIME_NONE unknown */
	int64_t tokens;            /* what the message costs in a request */
	enum ctx_slot slot;
	bool pinned;
	bool far;                  /* there only to complete what must stay: never "recent" */
	double score;              /* of a volatile addition: its similarity, 0…1 */
	/* found by ctx_history_add and ctx_history_group */
	enum ctx_role role;
	bool starts_turn;
	size_t first_ref, n_refs;  /* call ids that it makes or answers */
	size_t group;              /* index of the first item of its atomic group */
	enum ctx_reason malformed; /* why its group can never be sent, or NONE */
	/* set by ctx_select */
	bool keep;
	enum ctx_reason reason;    /* of a dropped item */
	int64_t cut_to;            /* kept, but its results must shrink to so many tokens; 0: no */
};

struct ctx_ref {
	struct ctx_span id;   /* JSON string */
	bool result;
};

struct ctx_history {
	struct ctx_item *items;
	size_t n, cap;
	struct ctx_ref *refs;
	size_t n_refs, cap_refs;
	struct ctx_message scratch;
};

#define CTX_HISTORY_INIT {NULL, 0, 0, NULL, 0, 0, CTX_MESSAGE_INIT}

void ctx_history_reset(struct ctx_history *h);
void ctx_history_release(struct ctx_history *h);

/* Append a copy of *item (its given half), parsed. CTX_EINPUT as ctx_message_parse. */
int ctx_history_add(struct ctx_history *h, const struct ctx_item *item, struct ctx_err *err);

/* Form atomic groups by call id: a message with tool calls and all their results, wherever
 * they stand. An open group at the end (calls not answered yet) is well formed; results
 * without call, second results and calls that were passed over are marked malformed. A
 * volatile addition joins the turn-starting message that follows it, unless that one
 * begins the current turn. Call again after items were added. */
void ctx_history_group(struct ctx_history *h);

/* Index of the message that begins the current turn (the last of history that starts
 * one); h->n when there is none. */
size_t ctx_history_current_turn(const struct ctx_history *h);

struct ctx_policy {
	int64_t budget;         /* tokens for everything kept; -1: no limit */
	int64_t max_messages;   /* history: only the last N, -1: no limit */
	int64_t max_turns;      /* history: only the last N turns, -1: no limit */
	int64_t since;          /* history: not older, ms; CTX_TIME_NONE: no limit */
	/* A tool result counts as at most a quarter of so many tokens (but 64 may always be),
	 * and is to be cut to that; -1: never cut. As a share of the whole budget, a larger budget never keeps
	 * less than a smaller one. */
	int64_t cut_base;
};

#define CTX_POLICY_INIT {-1, -1, -1, CTX_TIME_NONE, -1}

/* Strategy "recent": the newest groups that fit, whole. Always in: opening system
 * messages, prefix and summary additions, pinned messages (with the message that begins
 * their turn), the message that begins the current turn, and the last group. The rest is
 * taken from the newest backwards and ends at the first group that does not fit; what is
 * kept begins with a turn. CTX_EANSWER, naming the largest and the excess, when what must
 * stay does not fit. Needs ctx_history_group first. */
int ctx_select_recent(struct ctx_history *h, const struct ctx_policy *p, struct ctx_err *err);

/* Append the message with the texts of its tool results shortened, head and tail kept and
 * a marker between that says how much is gone, so that the whole message costs at most
 * max_tokens where results allow it; nothing else of its bytes changes. Characters and
 * grapheme clusters stay whole. */
void ctx_cut_results(struct ctx_buf *out, struct ctx_span message, int64_t max_tokens,
    struct ctx_tokenizer *t);

#endif
