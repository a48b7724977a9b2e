/* The part of a request before its messages, as given by its parameters. */
#ifndef CTX_RECORD_FRONT_H
#define CTX_RECORD_FRONT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Sets text to part i of params, minified, empty if it is missing: the tools, then the
 * system text under each name that a provider uses for it. Returns false if there is no
 * part i. */
bool ctx_front_member(struct ctx_span params, size_t i, struct ctx_buf *text);

#endif
