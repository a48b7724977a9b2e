/* The most that a request can hold of a session. */
#ifndef CTX_STATS_VISIBLE_H
#define CTX_STATS_VISIBLE_H

#include "store/store.h"
#include "tokens/tokens.h"

/* Counts the tokens of everything that is not hidden, with the summary in use in place of
 * what it covers. t counts the summary and, with recount, the messages; otherwise stored
 * counts are used. A session without hidden messages and summary is not read; of others
 * the heads of the messages are read, with recount also the messages. *tokens is -1 when
 * the messages are only in the archive. */
int ctx_visible_tokens(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_tokenizer *t, bool recount, int64_t *tokens, struct ctx_err *err);

#endif
