/* A session as a person reads it on a terminal. */
#ifndef CTX_RENDER_VIEW_H
#define CTX_RENDER_VIEW_H

#include "render/html.h"
#include "term/term.h"

struct ctx_view_options {
	const struct ctx_term *term;
	bool full;     /* arguments, results, thinking and long texts whole */
	int64_t turns; /* only the newest so many; 0: all */
};

/* Appends the session: its title and figures, then the messages. A call of a tool and what
 * came of it are one line; thinking, long texts of the user and of the system are cut; the
 * last line says what is not shown. marks are the records of hidden messages and summaries,
 * n_marks of them. CTX_EINPUT for a record that is not a message; then nothing is added. */
int ctx_view_print(struct ctx_buf *out, const struct ctx_page *page,
    const struct ctx_span *marks, size_t n_marks, const struct ctx_view_options *o,
    struct ctx_err *err);

#endif
