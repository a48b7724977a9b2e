/* What the parameters of a request put before its messages. */
#ifndef CTX_RECORD_FRONT_H
#define CTX_RECORD_FRONT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

/* Sets text to member i of params, minified, empty where params have it not: the tools, then
 * the system text under each name that a provider has for it. False: there is no member i. */
bool ctx_front_member(struct ctx_span params, size_t i, struct ctx_buf *text);

#endif
