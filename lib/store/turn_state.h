/* The state of the last turn of a stored session. */
#ifndef CTX_STORE_TURN_STATE_H
#define CTX_STORE_TURN_STATE_H

#include "store/store.h"

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
