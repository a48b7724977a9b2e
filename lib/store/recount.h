/* Token counts of messages by another tokenizer than the one used when they were stored.
 * The counts are cached in the derived file; if that cannot be read or written, messages
 * are counted again and no error is reported. */
#ifndef CTX_STORE_RECOUNT_H
#define CTX_STORE_RECOUNT_H

#include "store/store.h"
#include "tokens/tokens.h"

struct ctx_recount;

/* Counter for messages of the session by tokenizer t; st and t are borrowed until it is
 * freed. The derived file is opened only when a message needs it. */
struct ctx_recount *ctx_recount_new(
    struct ctx_store *st, const struct ctx_session *s, struct ctx_tokenizer *t);

/* Returns the tokens of a message, as ctx_tokens_message counts them: the stored count if
 * t made it, else the cached count, else a new count. */
int64_t ctx_recount_tokens(struct ctx_recount *r, const struct ctx_stored *m);

/* Caches the new counts, without waiting for other users of the derived file, and frees
 * the counter. Must not be called inside a transaction. NULL does nothing. */
void ctx_recount_free(struct ctx_recount *r);

/* Sums the tokens of all messages of the session by t; looks only at messages that came
 * after the previous call. For a session that is only in its archive, the stored sum is
 * returned. Must not be called inside a transaction. */
int ctx_recount_total(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_tokenizer *t, int64_t *tokens, struct ctx_err *err);

/* Calls fn with the name of each tokenizer that has cached counts. */
typedef int ctx_recount_name_fn(void *arg, const char *tokenizer, struct ctx_err *err);
int ctx_recount_names(
    struct ctx_store *st, ctx_recount_name_fn *fn, void *arg, struct ctx_err *err);

/* Updates the session's counts by t, if it has any. Must not be called inside a
 * transaction. */
int ctx_recount_catch_up(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_tokenizer *t, struct ctx_err *err);

/* Functions for struct ctx_derived_kind. ctx_recount_clear keeps the information which
 * sessions are counted by which tokenizer, for ctx_recount_catch_up. */
int ctx_recount_erase(struct ctx_store *st, int64_t first_no, int64_t last_no,
    int64_t *rows, struct ctx_err *err);
int ctx_recount_clear(struct ctx_store *st, struct ctx_err *err);

#endif
