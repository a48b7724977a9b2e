/* Rows of tables of models, shared by the files of this layer only. */
#ifndef CTX_MODEL_ROW_H
#define CTX_MODEL_ROW_H

#include <stdbool.h>

#include "base/buf.h"

/* Returns whether a row applies beyond its patterns. */
typedef bool ctx_model_row_fn(const void *arg, struct ctx_span row);

/* Finds the first row with a pattern that matches the model's name and that accepts takes
 * (NULL: any), in the user's table (may be absent), then in the built-in one. Names are
 * compared as ctx_model_find does. */
bool ctx_model_row_find(struct ctx_span *row, struct ctx_span name, struct ctx_span user,
    struct ctx_span builtin, ctx_model_row_fn *accepts, const void *arg);

#endif
