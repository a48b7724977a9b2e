/* Computes the marks of the texts in requests. The marks of a text are hashes of its
 * words and special tokens (stats/marks.h). The marks are cached, up to a memory limit,
 * because consecutive requests contain almost the same texts. */
#ifndef CTX_STATS_TEXTS_H
#define CTX_STATS_TEXTS_H

#include "stats/marks.h"
#include "store/store.h"

struct ctx_texts;

struct ctx_texts *ctx_texts_new(struct ctx_store *st);
void ctx_texts_free(struct ctx_texts *t);

/* ctx_texts_addition and ctx_texts_message compute the marks of one text: hashes of its
 * words and special tokens (stats/marks.h). They set *marks to these marks and return 1,
 * or return 0 if the text is not in the store, -1 on error. *marks is valid until the
 * next call.
 *
 * ctx_texts_addition is for a text that was added to a request of the session. sha256:
 * the digest of the added message (a JSON string); name: a name that counts as part of
 * the text (a JSON string, or absent).
 *
 * ctx_texts_message is for the session's message with the sequence number seq. The text
 * of a message includes the names and arguments of its tool calls. */
int ctx_texts_addition(struct ctx_texts *t, const struct ctx_session *session,
    struct ctx_span sha256, struct ctx_span name, const struct ctx_marks **marks,
    struct ctx_err *err);
int ctx_texts_message(struct ctx_texts *t, const struct ctx_session *s, int64_t seq,
    const struct ctx_marks **marks, struct ctx_err *err);
/* Returns one set with the marks of all strings and numbers in a JSON value. The result
 * is valid until the next call. */
const struct ctx_marks *ctx_texts_json(struct ctx_texts *t, struct ctx_span json);

/* Appends the text of a message to *out, including the names and arguments of the
 * message's tool calls. */
void ctx_texts_of(struct ctx_span message, struct ctx_buf *out);

#endif
