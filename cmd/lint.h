/* Inside of ctx-lint. */
#ifndef LINT_H
#define LINT_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/* A file, transcript by transcript where it is written a record on a line, else whole. */
struct lint_parts;

/* "-" is standard input. NULL with err set when the file cannot be opened. */
struct lint_parts *lint_parts_open(const char *path, struct ctx_err *err);
void lint_parts_close(struct lint_parts *p); /* NULL is fine */

/* The next text, borrowed until the next call, and the number of lines before it: 1; 0 at
 * the end; -1 with CTX_EIO, or CTX_EINPUT when a text is too long. An empty file is one
 * empty text. */
int lint_parts_next(
    struct lint_parts *p, struct ctx_span *text, size_t *before, struct ctx_err *err);

#endif
