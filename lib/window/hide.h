/* Prunes a stored session: selects the messages to keep visible, and hides the others.
 * Nothing is deleted, and the last change can be undone. */
#ifndef CTX_WINDOW_HIDE_H
#define CTX_WINDOW_HIDE_H

#include "entity/recognise.h"
#include "select/select.h"
#include "store/store.h"

/* Type of a function that tests whether message seq of session s names a known entity (an
 * entity that users loaded into the store). It returns 1 if the message names one, 0 if
 * not, -1 on error. It is called only for messages for which ctx_names_entity returned
 * false. */
typedef int ctx_names_fn(
    void *arg, const struct ctx_session *s, int64_t seq, struct ctx_err *err);

/* Selects messages by the policy. Then, unless dry_run is true, hides the other messages
 * and stores an event. Appends the event record, a JSON line, to *event; if there is
 * nothing to hide, the record is appended but not stored. Messages are never shortened:
 * the members "tokenizer" and "cut_base" of the policy are ignored. t: the tokenizer that
 * counts the tokens; names: called if a strategy of the policy depends on named entities;
 * may be NULL. The texts of users and of the assistant are not kept in memory.
 *
 * Fails with CTX_EANSWER if the session does not exist or is not active, if the messages
 * that must stay exceed the budget, if the session has messages after last_seq (-1: not
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

/* Hides the messages that the n choices select. A call and its results are hidden
 * together: if one of them is chosen, the others are hidden too, and *more is set to the
 * number of these other messages. Exception: if results at the end of the session are
 * chosen, their calls stay visible and wait for results again. The arguments dry_run and
 * event are as for ctx_hide_session. Fails with CTX_EANSWER if a choice matches no
 * visible message, if the session does not exist, or if another process changed the
 * session meanwhile. */
int ctx_hide_chosen(struct ctx_store *st, const char *session_id,
    const struct ctx_hide_choice *choices, size_t n, struct ctx_tokenizer *t, int64_t now,
    bool dry_run, size_t *more, struct ctx_buf *event, struct ctx_err *err);

/* Returns true if a strategy of the policy needs to know which messages name entities. */
bool ctx_asks_names(const struct ctx_policy *policy);

/* Returns true if the text of the message contains an entity that can be recognized by
 * its form, such as an e-mail address. The caller stores the result in ctx_item.named. If
 * no strategy of the policy uses this member (ctx_asks_names), r may be NULL; the
 * function then returns false. */
bool ctx_names_entity(struct ctx_recognisers *r, struct ctx_span message);

/* Undoes the last ctx_hide_session or ctx_hide_chosen: the messages that this call hid
 * are visible again. The arguments dry_run and event are as for ctx_hide_session. Fails
 * with CTX_EANSWER if no messages are hidden, or if the session has messages after
 * last_seq (-1: not checked). */
int ctx_hide_undo(struct ctx_store *st, const char *session_id, int64_t last_seq,
    int64_t now, bool dry_run, struct ctx_buf *event, struct ctx_err *err);

#endif
