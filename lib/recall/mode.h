/* Infers the mode of a message, which is the kind of work that the message requests. The
 * mode decides which prompt module is added to the request. */
#ifndef CTX_RECALL_MODE_H
#define CTX_RECALL_MODE_H

#include <stddef.h>

#include "base/buf.h"

/* A mode and the words that indicate it, separated by white space. */
struct ctx_mode {
	struct ctx_span name, words;
};

/* Returns the built-in modes: creation, search, modification, analysis. *n is their
 * number. A user's mode of the same name replaces a built-in one. */
const struct ctx_mode *ctx_mode_builtin(size_t *n);

/* maximum number of tool uses, the latest ones, that are considered */
#define CTX_MODE_TOOLS 5

/* Returns the index of the mode with the most points, or -1 if no mode has points (the
 * mode is then "general"). Words are compared by their stems (similar.h). Each word of
 * the message that indicates a mode gives the mode two points. The first such word in the
 * message gives one more point, since requests tend to begin with the action. tools has
 * the names of the tools used, oldest first; each of the last CTX_MODE_TOOLS tools gives
 * one point to a mode that a word of its name indicates. If several modes have the most
 * points, the mode whose word comes first in the message wins; if that does not decide,
 * the first one in modes. */
int ctx_mode_infer(const struct ctx_mode modes[], size_t n, struct ctx_span message,
    const struct ctx_span tools[], size_t n_tools);

#endif
