/* For people: what an answer was given besides the conversation. */
#ifndef CTX_WINDOW_CONTEXT_H
#define CTX_WINDOW_CONTEXT_H

#include "base/buf.h"

/* Which request of a run brought each addition: filled as records are printed, oldest
 * first. */
struct ctx_context_log {
	struct ctx_context_seen *list;
	size_t n, cap;
};
void ctx_context_log_release(struct ctx_context_log *log);

/* Append which request of which run it is, and why that began; the additions of a request
 * record by kind, each with how it came in ([Always], [Manual], [Agent - 0.87]) and, where
 * it was chosen while an earlier request held it, since which one; and a line that counts
 * them by mode. log may be NULL. "No context data available" for an absent record, "No
 * additions" for a request without any. */
void ctx_context_print(
    struct ctx_buf *out, struct ctx_span record, struct ctx_context_log *log);

#endif
