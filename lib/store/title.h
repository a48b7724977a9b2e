/* Finds titles of sessions. */
#ifndef CTX_STORE_TITLE_H
#define CTX_STORE_TITLE_H

#include "store/store.h"

/* Appends the title of a session or, if it has none, the text of its first question, at
 * most 400 bytes. The question of a cleaned-up session is found if its texts are kept for
 * search. Appends nothing if neither is known. */
int ctx_store_title(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_buf *out, struct ctx_err *err);

#endif
