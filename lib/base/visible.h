/* Other people's text for a terminal: nothing in it may steer one. */
#ifndef CTX_BASE_VISIBLE_H
#define CTX_BASE_VISIBLE_H

#include "base/buf.h"

/* Append text with controls as \xNN, C1 too (two bytes in UTF-8, on which a terminal may
 * still act), and U+FFFD for what is no UTF-8. Newline and tab stay; CR LF
 * and Unicode's separators of lines and paragraphs are a newline. */
void ctx_visible_add(struct ctx_buf *out, struct ctx_span text);

/* The same on one line: newlines and tabs become spaces. */
void ctx_visible_add_line(struct ctx_buf *out, struct ctx_span text);

#endif
