/* Selection: decides which messages go into the next request, which do not, and why. Pure
 * functions over a history; no store, no I/O. */
#ifndef CTX_SELECT_SELECT_H
#define CTX_SELECT_SELECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/time.h"
#include "record/message.h"
#include "record/record.h"
#include "tokens/tokens.h"

/* Percent of the budget that a run of requests holds after a cut; measured by
 * tests/bench/append_only.py. */
#define CTX_RUN_LOW_WATER 55

/* Why a message was left out or changed. */
enum ctx_reason {
	CTX_REASON_NONE,
	CTX_REASON_BUDGET, /* did not fit into the token budget */
	CTX_REASON_COUNT,  /* beyond the last N messages */
	CTX_REASON_TURNS,  /* beyond the last N turns */
	CTX_REASON_SINCE,  /* older than asked for */
	CTX_REASON_STABLE, /* before the cut of a stable window */
	/* before the first user message, with which a window begins */
	CTX_REASON_NO_USER_BEFORE,
	CTX_REASON_ORPHAN_RESULT,     /* a tool result without its call */
	CTX_REASON_DUPLICATE_RESULT,  /* a second result of one call */
	CTX_REASON_UNANSWERED_CALL,   /* a call that was never answered */
	CTX_REASON_MALFORMED_CALL,    /* a call or result without id or name */
	CTX_REASON_MALFORMED_CONTENT, /* content that no provider accepts */
	CTX_REASON_HIDDEN,            /* hidden in the store */
	CTX_REASON_SUMMARIZED,        /* replaced by a summary */
	/* strategy score: items with higher scores used the budget */
	CTX_REASON_SCORE,
	CTX_REASON_FILTER,   /* removed by strategy filter: a tool call or its result */
	CTX_REASON_NEXT_CUT, /* a tool definition that cannot be added to a run */
	CTX_REASON_SYSTEM,   /* strategy system: a long system message */
	CTX_REASON_UNIMPORTANT, /* strategy important: neither recent nor important */
	/* kept, but changed: */
	CTX_REASON_CUT,       /* its tool results were shortened to fit */
	CTX_REASON_TRUNCATED, /* strategy truncate */
	CTX_REASON_CLEARED,   /* strategy tools or filter --stub: results cleared */
};
const char *ctx_reason_name(enum ctx_reason r); /* "over_budget", … */

/* A call that a message makes or answers. */
struct ctx_ref {
	struct ctx_span id;   /* JSON string */
	struct ctx_span name; /* JSON string: the tool of a call; absent for a result */
	bool result;
	bool async; /* a call whose result may come turns later */
};

/* One message of a history, oldest first. */
struct ctx_item {
	/* given by the caller */
	struct ctx_span message; /* checked JSON; borrowed */
	int64_t seq;             /* -1 unknown */
	int64_t created_at;      /* ms; CTX_TIME_NONE unknown */
	int64_t tokens;          /* cost of the message in a request */
	int64_t token_sum;       /* tokens of the session before it; for stable windows */
	enum ctx_slot slot;
	/* The message was parsed before: role, starts_turn and its calls are given too
	 * (borrowed until the item is added). */
	bool known;
	const struct ctx_ref *calls;
	size_t n_calls;
	bool pinned;
	bool sent;  /* kept unchanged: an earlier request of the run sent it */
	bool named; /* names an entity, or lists tools that were used: important */
	/* present only to complete what must be kept; never counts as recent */
	bool far;
	double score; /* similarity of an addition, 0…1 */
	/* position in the input, from 1, for messages to people; 0: use its index */
	int64_t place;
	/* found by ctx_history_add and ctx_history_group */
	enum ctx_role role;
	bool starts_turn;
	bool flawed;               /* no provider accepts its content */
	size_t first_ref, n_refs;  /* ids of the calls that it makes or answers */
	size_t group;              /* index of the first item of its group */
	bool open;                 /* makes a call that has no result yet */
	enum ctx_reason malformed; /* why its group can never be sent, or NONE */
	/* set by ctx_select */
	bool keep;
	enum ctx_reason reason; /* why it was dropped or, if kept, changed */
};

struct ctx_history {
	struct ctx_item *items;
	size_t n, cap;
	struct ctx_ref *refs;
	size_t n_refs, cap_refs;
	struct ctx_message scratch;
	struct ctx_arena arena; /* messages that were changed */
};

#define CTX_HISTORY_INIT                                                 \
	{                                                                \
		NULL, 0, 0, NULL, 0, 0, CTX_MESSAGE_INIT, CTX_ARENA_INIT \
	}

void ctx_history_reset(struct ctx_history *h);
void ctx_history_release(struct ctx_history *h);

/* Appends a copy of *item (its given members), parsed. CTX_EINPUT as ctx_message_parse. */
int ctx_history_add(
    struct ctx_history *h, const struct ctx_item *item, struct ctx_err *err);

/* Forms groups by call id: a message with tool calls and all their results, wherever they
 * are. An open group at the end (calls not answered yet) is valid; results without a
 * call, second results and calls that were passed over are marked malformed. A volatile
 * addition joins the turn-starting message that follows it, unless that begins the
 * current turn. Call again after adding items. */
void ctx_history_group(struct ctx_history *h);

/* Returns the index of the message that begins the current turn (the last one that starts
 * a turn), or h->n. */
size_t ctx_history_current_turn(const struct ctx_history *h);

/* True if the item has a tool result. */
bool ctx_history_has_result(const struct ctx_history *h, size_t item);

enum ctx_strategy {
	/* Keeps the newest whole groups that fit, contiguous up to the end. If the first
	 * one is inside a turn, the message that begins that turn is kept too. */
	CTX_STRATEGY_RECENT,
	/* Keeps groups by score as they fit: user 1.0, assistant 0.9, others 0.7 or, over
	 * 1000 characters, 0.5. A group has its lowest score; at equal score the newer
	 * one wins. */
	CTX_STRATEGY_SCORE,
	/* Drops tool calls with their results or, with stub, clears the results. */
	CTX_STRATEGY_FILTER,
	/* Drops system messages of 200 characters or more, even opening ones. */
	CTX_STRATEGY_SYSTEM,
	/* If over the budget or without one, keeps only the last 10 messages and the last
	 * 5 that used tools or name entities, with their groups. */
	CTX_STRATEGY_IMPORTANT,
	/* important, then recent; the default budget is 4000. */
	CTX_STRATEGY_COMPREHENSIVE,
	/* Clears old tool results: all but the newest tools_keep, if that frees at least
	 * clear_at_least tokens. */
	CTX_STRATEGY_TOOLS,
	/* Cuts texts over max_chars characters, with a marker that says how much was cut. */
	CTX_STRATEGY_TRUNCATE,
	CTX_STRATEGY_COUNT,
};
const char *ctx_strategy_name(enum ctx_strategy s);
int ctx_strategy_parse(struct ctx_span name); /* -1 if unknown */

#define CTX_STRATEGIES_MAX 16

struct ctx_policy {
	enum ctx_strategy strategies[CTX_STRATEGIES_MAX]; /* in this order */
	size_t n_strategies;                              /* 0: recent */
	struct ctx_tokenizer
	    *tokenizer; /* for counting changed messages; NULL: nothing is changed */
	int provider;   /* enum ctx_provider whose costs are used; -1: unknown */
	/* The kept messages must begin with a user message even if nothing is dropped;
	 * otherwise only if something is. */
	bool user_first;

	/* Tokens for everything kept; -1: no limit. Within the budget, recent, score,
	 * important and comprehensive change nothing; with only_over the other strategies
	 * do not either. */
	int64_t budget;
	bool only_over;
	/* the input exceeded the budget, even if part of it was forgotten since */
	bool over;
	/* recent: when something must be dropped, a tool result counts as at most a
	 * quarter of this number of tokens (at least 64) and is cut to that; -1: never.
	 * Since it is a share of the whole budget, a larger budget never keeps less. */
	int64_t cut_base;
	int64_t max_messages; /* recent: only the last N messages; -1: no limit */
	enum ctx_reason
	    /* reason for dropping messages beyond max_messages; NONE: their number */
	    beyond;
	int64_t max_turns; /* recent: only the last N turns; -1: no limit */
	int64_t since;     /* recent: not older than this, ms; CTX_TIME_NONE: no limit */
	/* recent: cut only at multiples of this number of session tokens (token_sum), so
	 * that consecutive requests start alike; 0: cut anywhere */
	int64_t stable_step;
	/* recent: drop what begins before this number of session tokens if the rest then
	 * fits; otherwise as stable_step. 0: no such cut */
	int64_t stable_base;

	/* Items that no strategy drops or changes, besides those that are always kept. */
	unsigned protect_roles;           /* bits 1 << enum ctx_role */
	const char *const *protect_tools; /* names */
	size_t n_protect_tools;
	int64_t keep_last;  /* the newest N groups; 0: none */
	int64_t keep_turns; /* the newest N turns; 0: none */
	bool drop_prefix;   /* prefix additions may be dropped, the least similar first */

	/* filter: clear results instead of dropping them */
	bool stub;
	int64_t tools_keep, clear_at_least; /* tools */
	/* truncate: most characters (code points) of a text */
	int64_t max_chars;
	/* truncate: only tool results; keep the end as well */
	bool results_only, head_tail;
};

void ctx_policy_init(
    struct ctx_policy *p); /* strategy recent without limits; the defaults of ctx-prune */

/* Decides for every item whether it is kept, with the reason and, with a tokenizer,
 * changed messages (owned by the history) and their tokens. Always kept: opening system
 * messages, prefix and summary additions, pinned and protected messages (with the message
 * that begins their turn), the message that begins the current turn, and the last group.
 * Malformed groups are never kept. If the strategies leave more than the budget, recent
 * is applied last. CTX_EANSWER, naming the largest message and the excess, when the
 * messages that must be kept do not fit. Call ctx_history_group first. */
int ctx_select(struct ctx_history *h, const struct ctx_policy *p, struct ctx_err *err);

/* For filters of streams. Sets gone[i] (of h->n) for items that ctx_select will drop
 * whatever is added later, and that do not affect other items. Never set for items
 * that must be kept, for the first message of a turn that may be kept, and for calls
 * without a result. Items with negative tokens are counted as needed. Returns false,
 * with gone all false, if the policy does not allow this or everything may fit. After
 * true, set over in the policy for the remaining items. Call ctx_history_group first. */
bool ctx_select_forget(struct ctx_history *h, const struct ctx_policy *p, bool gone[]);

/* Appends the message with the texts of its tool results shortened, so that the whole
 * message costs at most max_tokens if possible. Start and end of a text are kept, with
 * a marker between them that says how much was cut. All other bytes are unchanged.
 * Grapheme clusters are never split. */
void ctx_cut_results(struct ctx_buf *out, struct ctx_span message, int64_t max_tokens,
    struct ctx_tokenizer *t);

/* Appends the message with texts cut to max_chars characters, marker included. Keeps
 * the start or, with head_tail, start and end. max_chars is at least 50, to leave room
 * for the marker. Arguments of calls are never changed. */
void ctx_truncate_texts(struct ctx_buf *out, struct ctx_span message, int64_t max_chars,
    bool results_only, bool head_tail);

/* Appends the message; change is called for each text of its tool results, and its
 * output replaces the text. A text for which change returns false stays unchanged. */
void ctx_change_results(struct ctx_buf *out, struct ctx_span message,
    bool (*change)(struct ctx_buf *out, struct ctx_span text, void *arg), void *arg);

/* Appends the message with texts of more than 200 characters in its calls' inputs cut
 * to their start and a marker that says how much was cut. Inputs remain valid JSON. */
void ctx_cut_inputs(struct ctx_buf *out, struct ctx_span message);

/* Appends the message with its text but without its calls. Returns false, and appends
 * nothing, if it has no text. */
bool ctx_keep_said(struct ctx_buf *out, struct ctx_span message);

/* Appends the message with the content of each tool result replaced by a short marker. A
 * result that is not longer than the marker is unchanged. */
void ctx_clear_results(struct ctx_buf *out, struct ctx_span message);

#endif
