/* Finds the tool calls that have no result yet, in a stored session. */
#ifndef CTX_STORE_WAITING_H
#define CTX_STORE_WAITING_H

#include "record/calls.h"
#include "store/store.h"

/* Adds the tool calls of the session's last answer, and the results after this answer, to
 * *calls. Adds nothing if a new question follows the answer. The caller initializes and
 * releases *calls. Ignores hidden messages. */
int ctx_store_calls(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_calls *calls, struct ctx_err *err);

/* Like ctx_store_calls, but for the whole session, because results of asynchronous calls
 * in earlier turns may still be missing. */
int ctx_store_all_calls(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_calls *calls, struct ctx_err *err);

/* The state of the last turn of a stored session. */
enum ctx_turn_state {
	/* there is no message, or the last message is an answer whose tool calls all have
	 * results */
	CTX_TURN_DONE,
	/* a question or tool results have no answer yet, or tool calls have no results */
	CTX_TURN_OPEN,
	/* a question or tool results have no answer yet, and the last request for this
	 * answer failed */
	CTX_TURN_FAILED,
};

/* Sets *state to the state of the last turn of the session, which must not be
 * archived. */
int ctx_store_turn_state(struct ctx_store *st, const struct ctx_session *s,
    enum ctx_turn_state *state, struct ctx_err *err);

#endif
