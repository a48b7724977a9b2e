/* Counts the visible tokens of a session, which are the maximum number of tokens of its
 * history that a request can contain. */
#ifndef CTX_STATS_VISIBLE_TOKENS_H
#define CTX_STATS_VISIBLE_TOKENS_H

#include "store/store.h"
#include "tokens/tokens.h"

/* Sets *tokens to the tokens of all messages of the session that are not hidden. If a
 * summary is in use, the summary is counted instead of the messages that it covers. The
 * tokens of the summary are counted with the tokenizer t. With recount = true, t counts
 * the messages too; otherwise their stored counts are used. The messages are read only if
 * the session has hidden messages or a summary. Sets *tokens to -1 if the messages are
 * only in the archive. */
int ctx_visible_tokens(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_tokenizer *t, bool recount, int64_t *tokens, struct ctx_err *err);

#endif
