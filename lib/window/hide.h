/* Prunes a stored session: selects the messages to keep visible, and hides the others.
 * Nothing is deleted, and the last change can be undone. */
#ifndef CTX_WINDOW_HIDE_H
#define CTX_WINDOW_HIDE_H

#include "entity/recognise.h"
#include "select/select.h"
#include "store/store.h"

/* Type of a function that tests whether a message of session s names an entity that users
 * loaded into the store. seq: the message's sequence number. The function is called only
 * if ctx_names_entity returned false for the message. It returns 1 if the message names
 * such an entity, 0 if not, -1 on error. */
typedef int ctx_names_fn(
    void *arg, const struct ctx_session *s, int64_t seq, struct ctx_err *err);

/* Selects messages by the policy. Unless dry_run is true, then hides the messages that
 * were not selected, and stores an event. Appends the event record, a JSON line, to
 * *event, even if no message had to be hidden. A message is kept or hidden as a whole,
 * never shortened: the members tokenizer and cut_base of the policy are ignored. t counts
 * tokens. names is called if a strategy of the policy depends on named entities; it may
 * be NULL. Reads only the metadata of the session's messages into memory, not their
 * texts. Fails with CTX_EANSWER if the session does not exist, if the messages that must
 * stay do not fit the budget, if the session has messages after last_seq (-1: not
 * checked), or if another process changed the session meanwhile. */
int ctx_hide_session(struct ctx_store *st, const char *session_id, int64_t last_seq,
    const struct ctx_policy *policy, struct ctx_tokenizer *t, int64_t now, bool dry_run,
    ctx_names_fn *names, void *arg, struct ctx_buf *event, struct ctx_err *err);

/* Says which messages to hide: a range of sequence numbers, the last visible message, or
 * the last visible turn. */
struct ctx_hide_choice {
	enum { CTX_HIDE_RANGE, CTX_HIDE_LAST, CTX_HIDE_TURN } what;
	struct ctx_seq_range range; /* the range, used with CTX_HIDE_RANGE only */
};

/* Hides the messages of n choices. A call and its results are hidden together: if one of
 * them is chosen, the others are hidden too, and *more is set to the number of messages
 * hidden in this way. Exception: if the chosen messages at the end of the session are
 * results, their calls are not hidden; these calls then wait for results again. dry_run
 * and event are as for ctx_hide_session. Fails with CTX_EANSWER if a choice matches
 * no visible message, if the session does not exist, or if another process changed the
 * session meanwhile. */
int ctx_hide_chosen(struct ctx_store *st, const char *session_id,
    const struct ctx_hide_choice *choices, size_t n, struct ctx_tokenizer *t, int64_t now,
    bool dry_run, size_t *more, struct ctx_buf *event, struct ctx_err *err);

/* Returns true if a strategy of the policy needs to know which messages name entities. */
bool ctx_asks_names(const struct ctx_policy *policy);

/* Returns true if the message's text names an entity that is recognized by its form. The
 * caller stores the result in the member named of struct ctx_item. r is NULL if no
 * strategy uses this member (see ctx_asks_names); then the result is false. */
bool ctx_names_entity(struct ctx_recognisers *r, struct ctx_span message);

/* Undoes the last ctx_hide_session or ctx_hide_chosen: the messages that this call hid
 * are visible again. dry_run and event are as for ctx_hide_session. Fails with
 * CTX_EANSWER if no messages are hidden, or if the session has messages after last_seq
 * (-1: not checked). */
int ctx_hide_undo(struct ctx_store *st, const char *session_id, int64_t last_seq,
    int64_t now, bool dry_run, struct ctx_buf *event, struct ctx_err *err);

#endif
