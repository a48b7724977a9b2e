/* Finds rows in tables of models. Private to lib/model. */
#ifndef CTX_MODEL_ROW_H
#define CTX_MODEL_ROW_H

#include <stdbool.h>

#include "base/buf.h"

/* Returns whether a row whose pattern matches meets the other conditions too. */
typedef bool ctx_model_row_fn(const void *arg, struct ctx_span row);

/* Finds the first row with a pattern that matches the model's name and for which accepts
 * returns true (NULL: any row). Searches the user's table (may be absent), then the
 * built-in one. Names are compared as by ctx_model_find. */
bool ctx_model_row_find(struct ctx_span *row, struct ctx_span name, struct ctx_span user,
    struct ctx_span builtin, ctx_model_row_fn *accepts, const void *arg);

#endif
