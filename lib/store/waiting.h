/* Finds the tool calls of a stored session that still have no result. */
#ifndef CTX_STORE_WAITING_H
#define CTX_STORE_WAITING_H

#include "record/calls.h"
#include "store/store.h"

/* Reads the session's last answer and the messages after it into calls. The caller
 * initialises and releases calls. */
int ctx_store_calls(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_calls *calls, struct ctx_err *err);

/* The same of the whole session: async calls may wait since earlier turns. */
int ctx_store_all_calls(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_calls *calls, struct ctx_err *err);

#endif
