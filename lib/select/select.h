/* Selection: what goes into the next request and what stays out, and why. Pure functions
 * over a history; no store, no I/O. */
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

/* Why a message was left out or changed. */
enum ctx_reason {
	CTX_REASON_NONE,
	CTX_REASON_BUDGET,            /* did not fit the token budget */
	CTX_REASON_COUNT,             /* beyond the last N messages */
	CTX_REASON_TURNS,             /* beyond the last N turns */
	CTX_REASON_SINCE,             /* older than asked for */
	CTX_REASON_STABLE,            /* before the cut of a stable window */
	CTX_REASON_NO_USER_BEFORE,    /* a window begins with a user message */
	CTX_REASON_ORPHAN_RESULT,     /* a tool result without its call */
	CTX_REASON_DUPLICATE_RESULT,  /* a second result of one call */
	CTX_REASON_UNANSWERED_CALL,   /* a call that was never answered */
	CTX_REASON_MALFORMED_CALL,    /* a call or result without id or name */
	CTX_REASON_MALFORMED_CONTENT, /* content that no provider takes */
	CTX_REASON_HIDDEN,            /* hidden in the store */
	CTX_REASON_SUMMARIZED,        /* a summary stands in its place */
	CTX_REASON_SCORE,             /* strategy score: the budget went to higher ones */
	CTX_REASON_FILTER,            /* strategy filter: a tool call with its results */
	CTX_REASON_SYSTEM,            /* strategy system: a long system message */
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
	struct ctx_span name; /* JSON string: of a call, the tool; absent for a result */
	bool result;
};

/* One message of a history, oldest first. */
struct ctx_item {
	/* given by the caller */
	struct ctx_span message; /* checked JSON; borrowed */
	int64_t seq;             /* -1 unknown */
	int64_t created_at;      /* ms; CTX_TIME_NONE unknown */
	int64_t tokens;          /* what the message costs in a request */
	int64_t token_sum;       /* tokens of the session before it; for stable windows */
	enum ctx_slot slot;
	/* It was looked into before: role, starts_turn and the calls that it makes and answers
	 * (borrowed until it is added) are given too. */
	bool known;
	const struct ctx_ref *calls;
	size_t n_calls;
	bool pinned;
	bool sent;     /* stays, and as it is: an earlier request of the run held it */
	bool named;    /* names an entity, or says that tools were used: important */
	bool far;      /* there only to complete what must stay: never "recent" */
	double score;  /* of an addition: its similarity, 0…1 */
	int64_t place; /* in the input, from 1, for messages to people; 0: its index */
	/* found by ctx_history_add and ctx_history_group */
	enum ctx_role role;
	bool starts_turn;
	bool flawed;               /* no provider takes its content */
	size_t first_ref, n_refs;  /* call ids that it makes or answers */
	size_t group;              /* index of the first item of its atomic group */
	bool open;                 /* makes a call that has no result (yet) */
	enum ctx_reason malformed; /* why its group can never be sent, or NONE */
	/* set by ctx_select */
	bool keep;
	enum ctx_reason reason; /* why it was dropped or, when kept, changed */
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

/* Append a copy of *item (its given half), parsed. CTX_EINPUT as ctx_message_parse. */
int ctx_history_add(
    struct ctx_history *h, const struct ctx_item *item, struct ctx_err *err);

/* Form atomic groups by call id: a message with tool calls and all their results, wherever
 * they stand. An open group at the end (calls not answered yet) is well formed; results
 * without call, second results and calls that were passed over are marked malformed. A
 * volatile addition joins the turn-starting message that follows it, unless that one
 * begins the current turn. Call again after items were added. */
void ctx_history_group(struct ctx_history *h);

/* Index of the message that begins the current turn (the last of history that starts
 * one); h->n when there is none. */
size_t ctx_history_current_turn(const struct ctx_history *h);

/* Does the item carry a tool result? */
bool ctx_history_has_result(const struct ctx_history *h, size_t item);

enum ctx_strategy {
	/* The newest groups that fit, whole, as one stretch up to the end. A stretch that
	 * begins inside a turn brings the message that begins that turn along. */
	CTX_STRATEGY_RECENT,
	/* By score, as fits: user 1.0, assistant 0.9, others 0.7 or, over 1000 characters,
	 * 0.5; a group by its lowest; at equal score the newer. */
	CTX_STRATEGY_SCORE,
	/* Tool calls out with their results or, with stub, results cleared. */
	CTX_STRATEGY_FILTER,
	/* System messages of 200 characters and more out, even opening ones. */
	CTX_STRATEGY_SYSTEM,
	/* Over the budget, or without one: only the last 10 messages and the last 5 that used tools or name entities, with
	 * their groups. */
	CTX_STRATEGY_IMPORTANT,
	/* important, then recent; budget 4000 when none is given. */
	CTX_STRATEGY_COMPREHENSIVE,
	/* Old tool results cleared: all but the newest tools_keep, if that frees at least
	 * clear_at_least tokens. */
	CTX_STRATEGY_TOOLS,
	/* Texts over max_chars characters cut, with a marker that says how much is gone. */
	CTX_STRATEGY_TRUNCATE,
	CTX_STRATEGY_COUNT,
};
const char *ctx_strategy_name(enum ctx_strategy s);
int ctx_strategy_parse(struct ctx_span name); /* -1 when it is none */

#define CTX_STRATEGIES_MAX 16

struct ctx_policy {
	enum ctx_strategy strategies[CTX_STRATEGIES_MAX]; /* in this order */
	size_t n_strategies;                              /* 0: recent */
	struct ctx_tokenizer
	    *tokenizer; /* to count what is changed; NULL: change nothing */
	int provider;   /* enum ctx_provider: what it costs there; -1: not known */
	/* What is kept begins with a user message even where nothing has to go; else only
	 * where something went. */
	bool user_first;

	/* Tokens for everything kept; -1: no limit. What is within it is left as it is by
	 * recent, score, important and comprehensive; with only_over by the others, too. */
	int64_t budget;
	bool only_over;
	bool over; /* more than the budget came, though some of it was forgotten */
	/* recent: when something has to go, a tool result counts as at most a quarter of so many tokens (but 64 may
	 * always be), and is cut to that; -1: never. As a share of the whole budget, a larger
	 * budget never keeps less. */
	int64_t cut_base;
	int64_t max_messages; /* recent: only the last N, -1: no limit */
	enum ctx_reason
	    beyond;        /* why what is beyond those goes; NONE: for their number */
	int64_t max_turns; /* recent: only the last N turns, -1: no limit */
	int64_t since;     /* recent: not older, ms; CTX_TIME_NONE: no limit */
	/* recent: cut only at multiples of so many tokens of the session (token_sum), so that
	 * consecutive requests begin alike; 0: cut anywhere */
	int64_t stable_step;
	/* recent: nothing that begins before so many tokens of the session, if the rest fits;
	 * else as stable_step says. 0: no such cut */
	int64_t stable_base;

	/* What no strategy drops or changes, besides what always stays. */
	unsigned protect_roles;           /* bits 1 << enum ctx_role */
	const char *const *protect_tools; /* names */
	size_t n_protect_tools;
	int64_t keep_last;  /* the newest N groups; 0 none */
	int64_t keep_turns; /* the newest N turns; 0 none */
	bool drop_prefix;   /* prefix additions may go, the least similar first */

	bool stub;                          /* filter: clear instead of dropping */
	int64_t tools_keep, clear_at_least; /* tools */
	int64_t max_chars;            /* truncate: characters (code points) of a text */
	bool results_only, head_tail; /* truncate: only tool results; keep the end too */
};

void ctx_policy_init(
    struct ctx_policy *p); /* recent, no limits, the defaults of ctx-prune */

/* Decide on every item: keep, reason and, with a tokenizer, changed messages (owned by
 * the history) with their tokens. Always in: opening system messages, prefix and summary
 * additions, pinned and protected messages (with the message that begins their turn), the
 * message that begins the current turn, and the last group. Malformed groups never are.
 * When the strategies leave more than the budget, recent is applied at the end.
 * CTX_EANSWER, naming the largest and the excess, when what must stay does not fit.
 * Needs ctx_history_group first. */
int ctx_select(struct ctx_history *h, const struct ctx_policy *p, struct ctx_err *err);

/* For filters of streams: set gone[i], of h->n, for items that ctx_select will not keep
 * whatever is added behind, and that make no difference to it: neither what must stay, nor
 * the first message of a turn of which something may stay, nor calls without result. Items
 * with tokens below 0 are counted as far as needed. False, and none gone, where the policy
 * doesn't allow to tell, or all may be within the budget. After true, the policy's over
 * must be set for what is left. Needs ctx_history_group first. */
bool ctx_select_forget(struct ctx_history *h, const struct ctx_policy *p, bool gone[]);

/* Append the message with the texts of its tool results shortened, head and tail kept and
 * a marker between that says how much is gone, so that the whole message costs at most
 * max_tokens where results allow it; nothing else of its bytes changes. Characters and
 * grapheme clusters stay whole. */
void ctx_cut_results(struct ctx_buf *out, struct ctx_span message, int64_t max_tokens,
    struct ctx_tokenizer *t);

/* Append the message with texts of more than max_chars characters cut to at most that,
 * marker included: its head or, with head_tail, head and tail. max_chars counts as 50 at
 * least, which the marker may take. Arguments of calls are never touched. */
void ctx_truncate_texts(struct ctx_buf *out, struct ctx_span message, int64_t max_chars,
    bool results_only, bool head_tail);

/* Append the message with each text of its tool results replaced by what change appends
 * for it; the text stays where that returns false. */
void ctx_change_results(struct ctx_buf *out, struct ctx_span message,
    bool (*change)(struct ctx_buf *out, struct ctx_span text, void *arg), void *arg);

/* Append the message with the long texts (over 200 characters) in the inputs of its tool
 * calls cut to their heads and a marker that says how much is gone. Inputs stay JSON. */
void ctx_cut_inputs(struct ctx_buf *out, struct ctx_span message);

/* Append the message with what was said beside its calls alone. Returns false, and appends
 * nothing, when nothing was said. */
bool ctx_keep_said(struct ctx_buf *out, struct ctx_span message);

/* Append the message with the content of each tool result replaced by a short marker. A
 * result that is no longer than the marker stays. */
void ctx_clear_results(struct ctx_buf *out, struct ctx_span message);

#endif
