/* Counts the tokens of stored messages with any tokenizer. (The store itself has the
 * counts of one tokenizer per message.) The new counts are cached in the derived file. If
 * the cache cannot be used, messages are counted again, and no error is reported. */
#ifndef CTX_STORE_RECOUNT_H
#define CTX_STORE_RECOUNT_H

#include "store/store.h"
#include "tokens/tokens.h"

struct ctx_recount;

/* Creates a counter that uses tokenizer t to count the tokens of messages of session s.
 * st and t are borrowed until the counter is freed. The derived file is opened only when
 * it is needed for a message. */
struct ctx_recount *ctx_recount_new(
    struct ctx_store *st, const struct ctx_session *s, struct ctx_tokenizer *t);

/* Returns the number of tokens of a message (ctx_tokens_message), counted with the
 * tokenizer of ctx_recount_new: the stored count if this tokenizer made it, otherwise the
 * cached count, otherwise a new count. */
int64_t ctx_recount_tokens(struct ctx_recount *r, const struct ctx_stored *m);

/* Returns the number of tokens of a message, counted with tokenizer t. If the message is
 * not valid, counts the tokens of the message's JSON text. scratch: memory that is reused
 * between calls. */
int64_t ctx_recount_message(
    struct ctx_tokenizer *t, struct ctx_message *scratch, struct ctx_span message);

/* Caches the new counts, unless another process is writing to the derived file, and frees
 * the counter. Must not be called inside a transaction. r may be NULL. */
void ctx_recount_free(struct ctx_recount *r);

/* Sets *tokens to the number of tokens of all messages of the session, counted with
 * tokenizer t. Caches the sum, so that the next call counts only messages that were added
 * since then. If the session's messages are only in its archive, sets *tokens to the
 * stored number of tokens. Must not be called inside a transaction. */
int ctx_recount_total(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_tokenizer *t, int64_t *tokens, struct ctx_err *err);

typedef int ctx_recount_name_fn(void *arg, const char *tokenizer, struct ctx_err *err);
/* Calls fn with the name of each tokenizer that has cached counts. */
int ctx_recount_names(
    struct ctx_store *st, ctx_recount_name_fn *fn, void *arg, struct ctx_err *err);

/* Counts the tokens of the session's new messages with tokenizer t, if earlier messages
 * of the session were counted with t. Must not be called inside a transaction. */
int ctx_recount_catch_up(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_tokenizer *t, struct ctx_err *err);

#endif
