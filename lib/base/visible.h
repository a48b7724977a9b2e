/* Makes untrusted text safe to print on a terminal. */
#ifndef CTX_BASE_VISIBLE_H
#define CTX_BASE_VISIBLE_H

#include "base/buf.h"

/* Appends text, with control characters written as \xNN. C1 controls (two bytes in UTF-8)
 * are also written in this way, because some terminals obey them. Invalid bytes become
 * U+FFFD. Newlines and tabs stay; CR LF, U+2028 and U+2029 become a newline. */
void ctx_visible_add(struct ctx_buf *out, struct ctx_span text);

/* Like ctx_visible_add, but newlines and tabs become spaces. */
void ctx_visible_add_line(struct ctx_buf *out, struct ctx_span text);

#endif
