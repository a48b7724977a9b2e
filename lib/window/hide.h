/* Pruning a stored session: selection over all its visible messages, whose losers are
 * hidden. Nothing is removed, and the last time can be undone. */
#ifndef CTX_WINDOW_HIDE_H
#define CTX_WINDOW_HIDE_H

#include "select/select.h"
#include "store/store.h"

/* Does the message name an entity that is known by more than its form? 1, 0, -1. */
typedef int ctx_names_fn(
    void *arg, const struct ctx_session *s, int64_t seq, struct ctx_err *err);

/* Decide by the policy (its tokenizer is not used: stored messages do not change) and,
 * unless dry_run, hide what loses, with an event. *event is the event record, JSON with a
 * newline; it is appended also where nothing had to be hidden. CTX_EANSWER when there is
 * no such session, when what must stay does not fit, or when the session moved on
 * meanwhile, or since its last message was last_seq (-1: any). names (NULL: none) is
 * asked where a strategy of the policy asks and the form of the text tells nothing. Holds
 * the envelopes of the session in memory, not its texts. */
int ctx_hide_session(struct ctx_store *st, const char *session_id, int64_t last_seq,
    const struct ctx_policy *policy, struct ctx_tokenizer *t, int64_t now, bool dry_run,
    ctx_names_fn *names, void *arg, struct ctx_buf *event, struct ctx_err *err);

/* Messages that the caller names: a range of sequence numbers, the last visible message, or
 * those of the last visible turn. */
struct ctx_hide_choice {
	enum { CTX_HIDE_RANGE, CTX_HIDE_LAST, CTX_HIDE_TURN } what;
	struct ctx_seq_range range; /* of CTX_HIDE_RANGE */
};

/* Hides messages of a session that the caller names, n choices of them, and the calls and results
 * that belong to these; *more is the number of the latter. At the end of a session results can
 * be hidden without their calls, which then wait for results again. The event is as that of
 * ctx_hide_session. CTX_EANSWER for a choice without a visible message, when there is no such
 * session, or when it moved on meanwhile. */
int ctx_hide_chosen(struct ctx_store *st, const char *session_id,
    const struct ctx_hide_choice *choices, size_t n, struct ctx_tokenizer *t, int64_t now,
    bool dry_run, size_t *more, struct ctx_buf *event, struct ctx_err *err);

/* Does a strategy of the policy ask whether messages name entities? */
bool ctx_asks_names(const struct ctx_policy *policy);

/* Does the text of the message name an entity, of those that are known by their form? For
 * ctx_item.named, where a strategy of the policy asks (else false at once). */
bool ctx_names_entity(const struct ctx_policy *policy, struct ctx_span message);

/* Bring back what the last ctx_hide_session hid. CTX_EANSWER when nothing is hidden, or the
 * session moved on since its last message was last_seq (-1: any). */
int ctx_hide_undo(struct ctx_store *st, const char *session_id, int64_t last_seq,
    int64_t now, bool dry_run, struct ctx_buf *event, struct ctx_err *err);

#endif
