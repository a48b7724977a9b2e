/* Prints a session for people on a terminal. */
#ifndef CTX_RENDER_VIEW_H
#define CTX_RENDER_VIEW_H

#include "render/html.h"
#include "term/term.h"

struct ctx_view_options {
	const struct ctx_term *term;
	/* true: print arguments, results, thinking and long texts in full */
	bool full;
	/* print only this number of the newest turns; 0: print all turns */
	int64_t turns;
};

/* Appends the session: first its title and statistics, then the messages. Unless o->full
 * is set, a tool call and its result are on one line, thinking and long user and system
 * messages are cut, and the last line says how much was cut. marks is an array of
 * n_marks records of hidden ranges and summaries. Returns -1 with CTX_EINPUT, and
 * appends nothing, if a message is invalid. */
int ctx_view_print(struct ctx_buf *out, const struct ctx_page *page,
    const struct ctx_span *marks, size_t n_marks, const struct ctx_view_options *o,
    struct ctx_err *err);

#endif
