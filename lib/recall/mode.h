/* Infers the mode of a message. A mode is a kind of work that a message can request. The
 * mode decides which prompt module is added to the request. */
#ifndef CTX_RECALL_MODE_H
#define CTX_RECALL_MODE_H

#include <stddef.h>

#include "base/buf.h"

/* name: the name of a mode; words: the words that indicate the mode, separated by white
 * space. */
struct ctx_mode {
	struct ctx_span name, words;
};

/* Returns the built-in modes (creation, search, modification, analysis), and sets *n to
 * their number. A mode that the user defines replaces the built-in mode of the same
 * name. */
const struct ctx_mode *ctx_mode_builtin(size_t *n);

/* only this many of the latest tool uses are considered */
#define CTX_MODE_TOOLS 5

/* Returns the index of the mode with the most points, or -1 if no mode has points (the
 * mode is then "general"). A word of the message that indicates a mode gives this mode
 * two points; the first such word of the message gives three, since requests tend to
 * begin with the action. Each of the last CTX_MODE_TOOLS tools gives a mode one point if
 * a word of the tool's name indicates the mode. tools: the names of the tools used,
 * oldest first. Words are compared by their stems (words/stems.h).
 *
 * If several modes have the most points, the mode whose word comes first in the message
 * wins; if the message has no such word, the mode that comes first in the array "modes"
 * wins. */
int ctx_mode_infer(const struct ctx_mode modes[], size_t n, struct ctx_span message,
    const struct ctx_span tools[], size_t n_tools);

#endif
