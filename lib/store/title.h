/* What a session is called. */
#ifndef CTX_STORE_TITLE_H
#define CTX_STORE_TITLE_H

#include "store/store.h"

/* Appends the title of a session or, where it has none, the text of its first question: of an
 * archived session too, if its texts are kept for search. Nothing is appended where there is
 * neither. */
int ctx_store_title(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_buf *out, struct ctx_err *err);

#endif
