/* Finds the tool calls of a stored session that have no result yet. */
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

#endif
