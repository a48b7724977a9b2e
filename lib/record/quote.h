/* Quotes text of messages in plain text, so that it cannot pass for what is around it. */
#ifndef CTX_RECORD_QUOTE_H
#define CTX_RECORD_QUOTE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Appends text with two spaces before each line that could be taken for the start of a
 * message or a section, or for a call or another part of a message. */
void ctx_quote_lines(struct ctx_buf *out, struct ctx_span text);

/* The same after the beginning of a line, such as "Ann: ". n speakers: other names that
 * messages begin with. */
void ctx_quote_after(
    struct ctx_buf *out, struct ctx_span text, const struct ctx_span *speakers, size_t n);

/* Tells whether a name needs no quotation marks beside other text. */
bool ctx_quote_is_plain(struct ctx_span name);

#endif
