/* For people: what an answer was given besides the conversation. */
#ifndef CTX_WINDOW_CONTEXT_H
#define CTX_WINDOW_CONTEXT_H

#include "base/buf.h"

/* Append the additions of a request record by kind, each with how it came in ([Always],
 * [Manual], [Agent - 0.87]), and a line that counts them by mode; "No context data
 * available" for an absent record, "No additions" for a request without any. */
void ctx_context_print(struct ctx_buf *out, struct ctx_span record);

#endif
