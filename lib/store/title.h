/* Finds the title of a session, as shown to people. */
#ifndef CTX_STORE_TITLE_H
#define CTX_STORE_TITLE_H

#include "store/store.h"

/* Appends the title of a session. If the session has no title, appends the first 400
 * bytes of its first question. If the session was cleaned up after archiving, the
 * question is known only if the session's texts are stored for searches. Appends nothing
 * if neither a title nor a question is known. */
int ctx_store_title(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_buf *out, struct ctx_err *err);

#endif
