/* Private to redaction: recognises redacted texts in other texts. */
#ifndef CTX_RECORD_REDACTION_FIND_H
#define CTX_RECORD_REDACTION_FIND_H

#include "record/redaction.h"

/* Looks for what is redacted in a decoded text. With match, *out gets the text without it;
 * without, CTX_REDACTION_MARK if it holds a text of a redacted message. Returns false and
 * leaves out empty if there is nothing. */
bool ctx_redaction_find(
    struct ctx_redaction *r, struct ctx_span text, struct ctx_buf *out);

#endif
