/* The marks (stats/marks.h) of what requests held, each text read once where memory allows:
 * requests that follow each other hold almost the same. */
#ifndef CTX_STATS_TEXTS_H
#define CTX_STATS_TEXTS_H

#include "stats/marks.h"
#include "store/store.h"

struct ctx_texts;

struct ctx_texts *ctx_texts_new(struct ctx_store *st);
void ctx_texts_free(struct ctx_texts *t);

/* 1 and the marks, valid until the next call; 0 there is no such text (any more); -1.
 * An addition is known by the digest of its message (a JSON string), and holds its name, too
 * (a JSON string or absent). A message has the texts of its calls' arguments. */
int ctx_texts_addition(struct ctx_texts *t, struct ctx_span sha256, struct ctx_span name,
    const struct ctx_marks **marks, struct ctx_err *err);
int ctx_texts_message(struct ctx_texts *t, const struct ctx_session *s, int64_t seq,
    const struct ctx_marks **marks, struct ctx_err *err);
/* Of any JSON value, all its strings. */
const struct ctx_marks *ctx_texts_json(struct ctx_texts *t, struct ctx_span json);

/* Append what a message says, calls and their arguments included. */
void ctx_texts_of(struct ctx_span message, struct ctx_buf *out);

#endif
