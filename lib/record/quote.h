/* Quotes texts of messages in plain-text output, so that no text can be mistaken for the
 * structure around it. */
#ifndef CTX_RECORD_QUOTE_H
#define CTX_RECORD_QUOTE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Appends the text, with two spaces before each line that could be mistaken for the start
 * of a message or section, or for a tool call or another part. */
void ctx_quote_lines(struct ctx_buf *out, struct ctx_span text);

/* Like ctx_quote_lines, for a text that continues a line of output, such as the text
 * after "Ann: ". The first line of the text is therefore never indented. The later lines
 * are also indented if they begin with the name of a speaker, because a message in this
 * output begins with such a name. speakers: the names of the n speakers. */
void ctx_quote_after(
    struct ctx_buf *out, struct ctx_span text, const struct ctx_span *speakers, size_t n);

/* Appends the trimmed text between the lines <quote> and </quote>. These lines show a
 * model where the quoted text begins and ends. "</quote" within the text becomes
 * "&lt;/quote". */
void ctx_quote_block(struct ctx_buf *out, struct ctx_span text);

/* Returns true if the name can be printed in the middle of other text without quotation
 * marks. */
bool ctx_quote_is_plain(struct ctx_span name);

#endif
