/* The calls of a stored session that wait for their results. */
#ifndef CTX_STORE_WAITING_H
#define CTX_STORE_WAITING_H

#include "record/calls.h"
#include "store/store.h"

/* Reads the newest messages of the session, as many as its last answer and what follows it
 * are, into calls (initialised by the caller, who releases it). */
int ctx_store_calls(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_calls *calls, struct ctx_err *err);

#endif
