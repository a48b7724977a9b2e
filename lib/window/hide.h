/* Prunes a stored session: selects among all its visible messages and hides those that
 * are not kept. Nothing is deleted, and the last change can be undone. */
#ifndef CTX_WINDOW_HIDE_H
#define CTX_WINDOW_HIDE_H

#include "select/select.h"
#include "store/store.h"

/* Tests whether the message names an entity that is known by name, not only by its
 * form. Returns 1, 0, or -1 on error. */
typedef int ctx_names_fn(
    void *arg, const struct ctx_session *s, int64_t seq, struct ctx_err *err);

/* Selects by the policy and, unless dry_run, hides the messages that are not kept,
 * with an event. The policy's tokenizer is not used, because stored messages do not
 * change. Appends the event record, JSON with a newline, to *event, even if nothing
 * had to be hidden. names is called if a strategy of the policy needs it and the form
 * of the text does not decide; NULL for none. Holds the session's message metadata in
 * memory, not its texts. CTX_EANSWER if there is no such session, if the messages that
 * must stay do not fit, or if the session was changed meanwhile or after message
 * last_seq (-1: any). */
int ctx_hide_session(struct ctx_store *st, const char *session_id, int64_t last_seq,
    const struct ctx_policy *policy, struct ctx_tokenizer *t, int64_t now, bool dry_run,
    ctx_names_fn *names, void *arg, struct ctx_buf *event, struct ctx_err *err);

/* A choice of messages: a range of sequence numbers, the last visible message, or the
 * last visible turn. */
struct ctx_hide_choice {
	enum { CTX_HIDE_RANGE, CTX_HIDE_LAST, CTX_HIDE_TURN } what;
	struct ctx_seq_range range; /* for CTX_HIDE_RANGE */
};

/* Hides n choices of messages, together with the calls and results that belong to
 * them; *more is the number of these. Results at the end of a session can be hidden
 * without their calls, which are then open again. The event is as for
 * ctx_hide_session. CTX_EANSWER if a choice matches no visible message, if there is no
 * such session, or if it was changed meanwhile. */
int ctx_hide_chosen(struct ctx_store *st, const char *session_id,
    const struct ctx_hide_choice *choices, size_t n, struct ctx_tokenizer *t, int64_t now,
    bool dry_run, size_t *more, struct ctx_buf *event, struct ctx_err *err);

/* True if a strategy of the policy needs to know whether messages name entities. */
bool ctx_asks_names(const struct ctx_policy *policy);

/* True if the text of the message names an entity that is recognised by its form; sets
 * ctx_item.named. Returns false at once if no strategy of the policy needs it. */
bool ctx_names_entity(const struct ctx_policy *policy, struct ctx_span message);

/* Shows the messages again that the last ctx_hide_session or ctx_hide_chosen hid.
 * CTX_EANSWER if nothing is hidden, or if the session has messages after last_seq (-1:
 * any). */
int ctx_hide_undo(struct ctx_store *st, const char *session_id, int64_t last_seq,
    int64_t now, bool dry_run, struct ctx_buf *event, struct ctx_err *err);

#endif
