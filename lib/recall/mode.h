/* Infers the kind of work that a message asks for, to choose a prompt for it. */
#ifndef CTX_RECALL_MODE_H
#define CTX_RECALL_MODE_H

#include <stddef.h>

#include "base/buf.h"

/* A mode and the words that indicate it, separated by white space. */
struct ctx_mode {
	struct ctx_span name, words;
};

/* Returns the built-in modes: creation, search, modification, analysis; *n is their
 * number. They are used unless a user defined a mode of that name. */
const struct ctx_mode *ctx_mode_builtin(size_t *n);

#define CTX_MODE_TOOLS 5 /* number of last tools that are considered */

/* The number of the mode that fits best, or -1 when none does ("general"). Words compare
 * by their stems (similar.h). Each word of the message that speaks for a mode gives it
 * two points, the first such word of the message one more, since requests begin with
 * what is to be done; each of the last CTX_MODE_TOOLS tools used (names, oldest first)
 * one point when a word of its name speaks for the mode. Of modes with equal points the
 * one whose word comes first in the message wins, then the one that comes first in modes.
 */
int ctx_mode_infer(const struct ctx_mode modes[], size_t n, struct ctx_span message,
    const struct ctx_span tools[], size_t n_tools);

#endif
