/* Computes the marks (stats/marks.h) of the texts in requests. Results are cached within
 * a memory limit, because consecutive requests contain almost the same texts. */
#ifndef CTX_STATS_TEXTS_H
#define CTX_STATS_TEXTS_H

#include "stats/marks.h"
#include "store/store.h"

struct ctx_texts;

struct ctx_texts *ctx_texts_new(struct ctx_store *st);
void ctx_texts_free(struct ctx_texts *t);

/* ctx_texts_addition and ctx_texts_message return 1 and set *marks, valid until the next
 * call; 0 if the text is not (or no longer) stored; -1 on error. An addition to a request
 * of the session is found by sha256, the digest of its message (a JSON string); its name
 * (a JSON string, or absent) counts as part of its text. The text of a message includes
 * the arguments of its tool calls. */
int ctx_texts_addition(struct ctx_texts *t, const struct ctx_session *session,
    struct ctx_span sha256, struct ctx_span name, const struct ctx_marks **marks,
    struct ctx_err *err);
int ctx_texts_message(struct ctx_texts *t, const struct ctx_session *s, int64_t seq,
    const struct ctx_marks **marks, struct ctx_err *err);
/* Returns the marks of all strings in a JSON value. */
const struct ctx_marks *ctx_texts_json(struct ctx_texts *t, struct ctx_span json);

/* Appends the text of a message, including tool calls and their arguments. */
void ctx_texts_of(struct ctx_span message, struct ctx_buf *out);

#endif
