/* Finds rows in tables of models. Private to lib/model. */
#ifndef CTX_MODEL_ROW_H
#define CTX_MODEL_ROW_H

#include <stdbool.h>

#include "base/buf.h"

/* Returns true if the caller accepts the row. Called only for rows that have a pattern
 * matching the model's name. */
typedef bool ctx_model_row_fn(const void *arg, struct ctx_span row);

/* Finds the first row that has a pattern matching the model's name, and that the caller
 * accepts. Searches the user's table, then the built-in table. user: text of the user's
 * table, or absent; builtin: text of the built-in table; accepts: called with arg and
 * each row that has such a pattern; NULL: any row is accepted. Names are matched as
 * ctx_model_find does. If there is such a row, sets *row and returns true; otherwise
 * returns false. */
bool ctx_model_row_find(struct ctx_span *row, struct ctx_span name, struct ctx_span user,
    struct ctx_span builtin, ctx_model_row_fn *accepts, const void *arg);

#endif
