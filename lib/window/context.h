/* Prints, for people, the additions that an answer was given besides the conversation. */
#ifndef CTX_WINDOW_CONTEXT_H
#define CTX_WINDOW_CONTEXT_H

#include "base/buf.h"

/* For each addition of a run, the request that first held it. Filled while records are
 * printed, which must be done oldest first. Zero-filled to start. */
struct ctx_context_log {
	struct ctx_context_seen *list;
	size_t n, cap;
};
void ctx_context_log_release(struct ctx_context_log *log);

/* Appends a description of a request record: which request of which run it is, and why
 * that run began; its additions by kind, each with its include mode ([Always], [Manual],
 * [Agent - 0.87]) and, if an earlier request of the run already held it, "since" that
 * request; and a line that counts the additions by mode. Appends "No context data
 * available" if the record is absent, "No additions" if the request had none. log may be
 * NULL. */
void ctx_context_print(
    struct ctx_buf *out, struct ctx_span record, struct ctx_context_log *log);

#endif
