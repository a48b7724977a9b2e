/* Counts of messages by another tokenizer than the one that counted them when they came.
 * They are derived: kept in the derived file, so that each is made once. A file that
 * cannot be read or written costs counting again, and is no error. */
#ifndef CTX_STORE_RECOUNT_H
#define CTX_STORE_RECOUNT_H

#include "store/store.h"
#include "tokens/tokens.h"

struct ctx_recount;

/* For messages of the session, by t; st and t are borrowed until it is freed. The derived
 * file is not looked at before a message needs it. */
struct ctx_recount *ctx_recount_new(
    struct ctx_store *st, const struct ctx_session *s, struct ctx_tokenizer *t);

/* Tokens of a message as ctx_tokens_message counts them: as stored where t counted it
 * then, else as kept, else counted now. */
int64_t ctx_recount_tokens(struct ctx_recount *r, const struct ctx_stored *m);

/* Keep what was counted, and free. Call it in no transaction. Who has the derived file is
 * not waited for. NULL: does nothing. */
void ctx_recount_free(struct ctx_recount *r);

/* Tokens of all messages of the session by t; it looks at those alone that came since it
 * was asked last. Of a session that is in its archive alone, what was stored. In no
 * transaction. */
int ctx_recount_total(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_tokenizer *t, int64_t *tokens, struct ctx_err *err);

/* Call fn with the name of each tokenizer that counts are kept of. */
typedef int ctx_recount_name_fn(void *arg, const char *tokenizer, struct ctx_err *err);
int ctx_recount_names(
    struct ctx_store *st, ctx_recount_name_fn *fn, void *arg, struct ctx_err *err);

/* Bring the counts of the session by t up to date, where it has any. In no transaction. */
int ctx_recount_catch_up(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_tokenizer *t, struct ctx_err *err);

/* As struct ctx_derived_kind. clear leaves which sessions are counted by which tokenizer,
 * for ctx_recount_catch_up. */
int ctx_recount_erase(
    struct ctx_store *st, int64_t session_no, int64_t *rows, struct ctx_err *err);
int ctx_recount_clear(struct ctx_store *st, struct ctx_err *err);

#endif
