/* Finds the title by which a session is shown to people. */
#ifndef CTX_STORE_TITLE_H
#define CTX_STORE_TITLE_H

#include "store/store.h"

/* Appends the title of a session or, if it has none, the text of its first question, at
 * most 400 bytes. The question of a session that was cleaned up after archiving is known
 * only if its texts are stored for search. Appends nothing if neither the title nor the
 * question is known. */
int ctx_store_title(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_buf *out, struct ctx_err *err);

#endif
