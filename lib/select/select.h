/* Selection: decides which messages go into the next request, which are left out, and
 * why. Pure: these functions work on a history in memory. */
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

/* When a new run of requests begins because the budget is exceeded, older messages are
 * dropped until the request needs only this percentage of the budget. The value was
 * measured with tests/bench/append_only.py. */
#define CTX_RUN_LOW_WATER 55

/* Why a message was left out or changed. */
enum ctx_reason {
	CTX_REASON_NONE,
	CTX_REASON_BUDGET, /* does not fit into the token budget */
	CTX_REASON_COUNT,  /* older than the last N messages */
	CTX_REASON_TURNS,  /* older than the last N turns */
	CTX_REASON_SINCE,  /* older than the given time */
	/* before the position at which the window begins, which stays the same for
	 * several requests (stable_step) */
	CTX_REASON_STABLE,
	/* no user message before it: a window must begin with a user message */
	CTX_REASON_NO_USER_BEFORE,
	CTX_REASON_ORPHAN_RESULT,     /* a tool result without a call */
	CTX_REASON_DUPLICATE_RESULT,  /* a second result for the same call */
	CTX_REASON_UNANSWERED_CALL,   /* a call that was never answered */
	CTX_REASON_MALFORMED_CALL,    /* a call or result without an id or name */
	CTX_REASON_MALFORMED_CONTENT, /* content that no provider accepts */
	CTX_REASON_HIDDEN,            /* hidden in the store (ctx-prune --apply) */
	CTX_REASON_SUMMARIZED,        /* replaced by a summary */
	/* strategy "score": messages with higher scores used up the budget */
	CTX_REASON_SCORE,
	CTX_REASON_FILTER, /* strategy "filter": a tool call or a result */
	/* a tool definition that can be added only when the next run of requests
	 * begins */
	CTX_REASON_NEXT_CUT,
	CTX_REASON_SYSTEM, /* strategy "system": a long system message */
	/* strategy "important": the message is neither recent nor important */
	CTX_REASON_UNIMPORTANT,
	/* The following values mean that the message was kept but changed: */
	/* tool results or inputs of tool calls were shortened, or tool calls were
	 * removed */
	CTX_REASON_CUT,
	CTX_REASON_TRUNCATED, /* strategy "truncate": long texts were cut */
	/* strategy "tools", or "filter" with --stub: the content of tool results was
	 * replaced by a marker */
	CTX_REASON_CLEARED,
};
const char *ctx_reason_name(enum ctx_reason r); /* such as "over_budget" */

/* A tool call or a tool result in a message. */
struct ctx_ref {
	struct ctx_span id; /* id of the call, JSON string */
	/* name of the called tool, JSON string; absent for a result */
	struct ctx_span name;
	bool result;
	bool async; /* true: the result of the call may come several turns later */
};

/* One message of a history. The oldest message comes first. */
struct ctx_item {
	/* Set by the caller: */
	struct ctx_span message; /* valid JSON; borrowed */
	int64_t seq;             /* -1 if unknown */
	int64_t created_at;      /* ms since the epoch; CTX_TIME_NONE if unknown */
	int64_t tokens;          /* tokens that the message costs in a request */
	/* number of tokens of all messages of the session before this message; needed for
	 * stable_step and stable_base (struct ctx_policy) */
	int64_t token_sum;
	enum ctx_slot slot;
	/* true: the message is already parsed, and the caller has also set the members
	 * "role", "starts_turn", "calls" and "n_calls". The array "calls" must be valid
	 * until ctx_history_add returns. */
	bool known;
	const struct ctx_ref *calls;
	size_t n_calls;
	bool pinned;
	/* true: an earlier request of the run contained the message; therefore the
	 * message must be kept unchanged */
	bool sent;
	/* true: the message mentions an entity, or the message's metadata lists used
	 * tools; needed for the strategy "important" */
	bool named;
	/* true: the message is in the history only because items that must be kept depend
	 * on it; the message never counts as recent */
	bool far;
	/* true: the message certainly has no flaw (ctx_message_flaw); false: unknown */
	bool flawless;
	double score; /* similarity of an addition, from 0 to 1 */
	/* position in the input, counted from 1, for error messages; 0: error messages
	 * use the item's index */
	int64_t place;
	/* Set by ctx_history_add and ctx_history_group: */
	enum ctx_role role;
	bool starts_turn;
	bool flawed; /* true: no provider accepts the message's content */
	/* the calls and results in the message. first_ref: index of the first call or
	 * result in ctx_history.refs; n_refs: number of calls and results */
	size_t first_ref, n_refs;
	size_t group; /* index of the first item in the item's group */
	/* true: the message contains a call that has no result yet; async calls are not
	 * counted */
	bool open;
	/* why the item's group can never be sent; CTX_REASON_NONE: the group can be
	 * sent */
	enum ctx_reason malformed;
	/* Set by ctx_select: */
	bool keep;
	/* why the item was dropped; for an item that is kept: why the item was changed */
	enum ctx_reason reason;
};

struct ctx_history {
	struct ctx_item *items;
	size_t n, cap;
	struct ctx_ref *refs;
	size_t n_refs, cap_refs;
	struct ctx_message scratch;
	struct ctx_arena arena; /* memory of changed messages */
};

#define CTX_HISTORY_INIT                                                 \
	{                                                                \
		NULL, 0, 0, NULL, 0, 0, CTX_MESSAGE_INIT, CTX_ARENA_INIT \
	}

void ctx_history_reset(struct ctx_history *h);
void ctx_history_release(struct ctx_history *h);

/* Appends a copy of *item (the members set by the caller) and parses its message. Returns
 * -1 with CTX_EINPUT if the message is invalid (see ctx_message_parse). */
int ctx_history_add(
    struct ctx_history *h, const struct ctx_item *item, struct ctx_err *err);

/* Forms groups. A message with tool calls and all results of these calls, wherever they
 * are, form a group; results are matched by the ids of the calls. A volatile addition
 * joins the group of the next message that starts a turn, unless that message starts the
 * current turn.
 *
 * Groups that cannot be sent are marked as malformed: results without a call, second
 * results for the same call, calls without a result (except async calls, and calls in the
 * last group), calls without an id or name, and content that no provider accepts. Call
 * this function again after adding items. */
void ctx_history_group(struct ctx_history *h);

/* Returns the index of the last message that starts a turn (the current turn), or h->n if
 * no message starts a turn. */
size_t ctx_history_current_turn(const struct ctx_history *h);

/* Returns the total number of tokens of the items that are kept. */
int64_t ctx_history_kept(const struct ctx_history *h);

/* Returns true if the item with this index contains a tool result. */
bool ctx_history_has_result(const struct ctx_history *h, size_t item);

enum ctx_strategy {
	/* Keeps the newest groups that fit. No group is split, and no group between two
	 * kept groups is dropped. If the first kept group is inside a turn, the message
	 * that starts that turn is kept too. */
	CTX_STRATEGY_RECENT,
	/* Goes through the groups by score, highest first, and keeps each group that
	 * still fits. The score of a group is the lowest score of its messages. The score
	 * of a message is 1.0 for a user message without tool results, 0.9 for an
	 * assistant message, 0.7 for a user message with tool results, and for any other
	 * message 0.7 or, if it has more than 1000 characters, 0.5. Of groups with equal
	 * scores, the newer group comes first. */
	CTX_STRATEGY_SCORE,
	/* Drops tool calls with their results; the text of a message with calls is kept.
	 * If the member "stub" of the policy is true, keeps the calls and results, but
	 * replaces the contents of the results by a marker. */
	CTX_STRATEGY_FILTER,
	/* Drops system messages of 200 characters or more, even those that open the
	 * history. */
	CTX_STRATEGY_SYSTEM,
	/* If the budget is exceeded, or if there is no budget, keeps only two kinds of
	 * groups: those that contain one of the last 10 messages, and those that contain
	 * one of the last 5 messages that use tools or mention entities. */
	CTX_STRATEGY_IMPORTANT,
	/* Applies the strategy "important", then the strategy "recent". The default
	 * budget is 4000 tokens. */
	CTX_STRATEGY_COMPREHENSIVE,
	/* Clears all tool results except the newest ones, and shortens long inputs of the
	 * calls in the same groups. The policy's member "tools_keep" is the number of
	 * results that are not cleared. Clears nothing if less than "clear_at_least"
	 * tokens (a member of the policy) would be freed. Inputs of newer calls are
	 * shortened only in groups that use more than a quarter of the budget. */
	CTX_STRATEGY_TOOLS,
	/* Cuts texts that have more characters than the policy's member "max_chars"
	 * allows; a marker says how much was cut. */
	CTX_STRATEGY_TRUNCATE,
	CTX_STRATEGY_COUNT,
};
const char *ctx_strategy_name(enum ctx_strategy s);
int ctx_strategy_parse(struct ctx_span name); /* Returns -1 if the name is unknown. */

#define CTX_STRATEGIES_MAX 16

struct ctx_policy {
	/* strategies to apply, in this order */
	enum ctx_strategy strategies[CTX_STRATEGIES_MAX];
	size_t n_strategies; /* 0: the strategy "recent" is applied */
	/* counts the tokens of changed messages; NULL: messages are never changed */
	struct ctx_tokenizer *tokenizer;
	int provider; /* enum ctx_provider whose token costs apply; -1: unknown */
	/* true: the kept messages must always begin with a user message; false: they must
	 * do so only if a strategy was applied */
	bool user_first;

	/* budget: token limit for all kept items; -1: no limit. If the items fit into the
	 * budget, the strategies "score", "important" and "comprehensive" change nothing,
	 * and "recent" applies only its other limits (the members "max_messages",
	 * "max_turns", "since", "stable_step" and "stable_base"). only_over: true if the
	 * other strategies, too, change nothing as long as the items fit. */
	int64_t budget;
	bool only_over;
	/* true: the input exceeds the budget. Needed if a part of the input was discarded
	 * earlier (see ctx_select_forget), because the remaining items may fit into the
	 * budget. */
	bool over;
	/* strategy "recent": when this strategy runs, it cuts tool results to at most a
	 * quarter of this number of tokens (but at least 64 tokens); -1: results are
	 * never cut. This number is derived from the budget before any reserve is
	 * subtracted. */
	int64_t cut_base;
	/* strategy "recent": keep only the last N messages; -1: no limit */
	int64_t max_messages;
	/* reason that is recorded for messages that are dropped because of the limit
	 * "max_messages"; CTX_REASON_NONE: the usual reason (CTX_REASON_COUNT) is
	 * recorded */
	enum ctx_reason beyond;
	/* strategy "recent": keep only the last N turns; -1: no limit */
	int64_t max_turns;
	/* strategy "recent": keep only messages that are not older than this time, in ms
	 * since the epoch; CTX_TIME_NONE: no limit */
	int64_t since;
	/* strategy "recent": drop only the messages whose member "token_sum" is less than
	 * a multiple of this number, so that consecutive requests begin with the same
	 * message; 0: drop any number of messages */
	int64_t stable_step;
	/* strategy "recent" with stable_step: drop only the messages whose member
	 * "token_sum" is less than this number. If the remaining messages do not fit, the
	 * number is ignored. 0: not used. */
	int64_t stable_base;

	/* The following members select items that no strategy drops or changes, in
	 * addition to the items that are always kept: */
	unsigned protect_roles;           /* set of roles, bits 1 << enum ctx_role */
	const char *const *protect_tools; /* names of tools */
	size_t n_protect_tools;
	int64_t keep_last;  /* protect this number of newest groups */
	int64_t keep_turns; /* protect this number of newest turns */
	/* true: strategies may drop prefix additions (texts added before the
	 * conversation); the addition with the lowest similarity score is dropped
	 * first */
	bool drop_prefix;

	/* strategy "filter": if true, replace the contents of tool results by a marker,
	 * and do not drop calls and results */
	bool stub;
	int64_t tools_keep, clear_at_least; /* see CTX_STRATEGY_TOOLS */
	/* strategy "truncate": maximum length of a text in characters (code points) */
	int64_t max_chars;
	/* For the strategy "truncate". If results_only is true, only tool results are
	 * cut. If head_tail is true, the start and the end of a text are kept, otherwise
	 * only its start. */
	bool results_only, head_tail;
};

/* Initializes a policy: the strategy "recent" without limits, and the defaults of
 * ctx-prune for the other members. */
void ctx_policy_init(struct ctx_policy *p);

/* Decides for every item whether it is kept, and sets the item's members "keep" and
 * "reason". If p->tokenizer is set, messages may also be changed; the history owns the
 * changed messages, and their token counts are updated.
 *
 * These items are always kept: opening system messages; summaries; prefix additions (if
 * p->drop_prefix is false); messages that are pinned, protected, or contained in an
 * earlier request of the run (each with the message that starts its turn); the message
 * that starts the current turn; and the last group. Malformed groups are never kept.
 *
 * If the items that remain after all strategies were applied exceed the budget, the
 * strategy "recent" is applied last. Returns -1 with CTX_EANSWER if the messages that must
 * be kept do not fit; the error text names the largest message and the number of excess
 * tokens. Call ctx_history_group first. */
int ctx_select(struct ctx_history *h, const struct ctx_policy *p, struct ctx_err *err);

/* Lets a filter discard items early, while it reads a stream. Sets gone[i] to true if
 * item i can be discarded: no other item depends on item i, and ctx_select would drop
 * item i even if more items are added. If the token count of an item is needed but is
 * negative (unknown), the tokens are counted.
 *
 * Returns false, and sets all gone[i] to false, if the policy does not allow discarding
 * or if all items may still fit. Otherwise returns true; a caller that then discards
 * items must set the member "over" of the policy to true. Call ctx_history_group
 * first. */
bool ctx_select_forget(struct ctx_history *h, const struct ctx_policy *p, bool gone[]);

/* Appends a copy of the message. In the copy, the texts of tool results are shortened
 * until the whole message costs at most max_tokens tokens, if that is possible. The start
 * and the end of each text are kept; a marker between them says how much was cut.
 * Grapheme clusters are not split. All other bytes are unchanged. */
void ctx_cut_results(struct ctx_buf *out, struct ctx_span message, int64_t max_tokens,
    struct ctx_tokenizer *t);

/* Appends the message with each text cut to max_chars characters, including a marker. If
 * head_tail is true, the start and the end of a text are kept, otherwise only the start.
 * max_chars must be at least 50, to leave room for the marker. Arguments of calls are not
 * changed. If results_only is true, only tool results are cut. */
void ctx_truncate_texts(struct ctx_buf *out, struct ctx_span message, int64_t max_chars,
    bool results_only, bool head_tail);

/* Appends a copy of the message, in which some texts of tool results can be replaced.
 * change: function that is called for each of these texts. To replace the text, the
 * function appends a new text to its argument "out" and returns true; to keep the text,
 * it returns false. */
void ctx_change_results(struct ctx_buf *out, struct ctx_span message,
    bool (*change)(struct ctx_buf *out, struct ctx_span text, void *arg), void *arg);

/* Appends the message with the inputs of its tool calls shortened: a text of more than
 * 200 characters is cut to its start and a marker that says how much was cut. Inputs
 * remain valid JSON. */
void ctx_cut_inputs(struct ctx_buf *out, struct ctx_span message);

/* If the message has text, appends the message without its tool calls and returns true.
 * Otherwise appends nothing and returns false. */
bool ctx_keep_said(struct ctx_buf *out, struct ctx_span message);

/* Appends the message with the content of each tool result replaced by a short marker. A
 * result that is not longer than the marker is not changed. */
void ctx_clear_results(struct ctx_buf *out, struct ctx_span message);

#endif
