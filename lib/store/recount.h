/* Token counts of messages by another tokenizer than the one that counted them when they
 * were stored. The counts are cached in the derived file. If the cache cannot be read or
 * written, messages are counted again, and no error is reported. */
#ifndef CTX_STORE_RECOUNT_H
#define CTX_STORE_RECOUNT_H

#include "store/store.h"
#include "tokens/tokens.h"

struct ctx_recount;

/* Creates a counter for messages of session s by tokenizer t; st and t are borrowed until
 * the counter is freed. The derived file is opened only when a message needs it. */
struct ctx_recount *ctx_recount_new(
    struct ctx_store *st, const struct ctx_session *s, struct ctx_tokenizer *t);

/* Returns the number of tokens of a message, as ctx_tokens_message counts them: the
 * stored count if t made it, else the cached count, else a new count. */
int64_t ctx_recount_tokens(struct ctx_recount *r, const struct ctx_stored *m);

/* Counts the tokens of a message with t. If the message is not valid, counts its JSON
 * text. scratch is reused between calls. */
int64_t ctx_recount_message(
    struct ctx_tokenizer *t, struct ctx_message *scratch, struct ctx_span message);

/* Caches the new counts, unless another process is writing to the derived file, and frees
 * the counter. Must not be called inside a transaction. NULL does nothing. */
void ctx_recount_free(struct ctx_recount *r);

/* Sets *tokens to the number of tokens of all messages of the session, counted by
 * tokenizer t. Only messages that were added since the last call are counted. For a
 * session that is only in its archive, the stored count is used. Must not be called
 * inside a transaction. */
int ctx_recount_total(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_tokenizer *t, int64_t *tokens, struct ctx_err *err);

typedef int ctx_recount_name_fn(void *arg, const char *tokenizer, struct ctx_err *err);
/* Calls fn with the name of each tokenizer that has cached counts. */
int ctx_recount_names(
    struct ctx_store *st, ctx_recount_name_fn *fn, void *arg, struct ctx_err *err);

/* Counts the tokens of the session's new messages by tokenizer t, if the session's
 * messages were counted by t before. Must not be called inside a transaction. */
int ctx_recount_catch_up(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_tokenizer *t, struct ctx_err *err);

#endif
