/* Prints a session for people on a terminal. */
#ifndef CTX_RENDER_VIEW_H
#define CTX_RENDER_VIEW_H

#include "record/message.h"
#include "render/html.h"
#include "term/term.h"

struct ctx_view_options {
	const struct ctx_term *term;
	/* true: print arguments, results, thinking and long texts in full */
	bool full;
	/* number of turns to print (the newest turns); 0: print all turns */
	int64_t turns;
};

/* Appends the session: first its title and statistics, then the messages. If o->full is
 * false, a tool call and its result are on one line, thinking and long user and system
 * messages are cut, and the last line says how much was cut. marks: array of n_marks
 * records of hidden ranges and summaries. Returns -1 with CTX_EINPUT, and appends
 * nothing, if a message is invalid. */
int ctx_view_print(struct ctx_buf *out, const struct ctx_page *page,
    const struct ctx_span *marks, size_t n_marks, const struct ctx_view_options *o,
    struct ctx_err *err);

/* ---- lines of a message that match a search query ---- */

struct ctx_grep_message {
	const char *session_id;
	int64_t seq, created_at;
	enum ctx_role role;
	struct ctx_span text;
};

struct ctx_grep_options {
	const struct ctx_term *term;
	struct ctx_span query;
	size_t context; /* number of context lines to print before and after each match */
};

/* Appends the matching lines of the message, with context lines around them. The
 * matching lines are those lines that contain the most words of the query. On a
 * terminal, a line is printed as "SEQ ROLE: LINE" and cut to the terminal's width;
 * otherwise, it is printed as "SESSION:SEQ:ROLE: LINE" and not cut. Context lines have
 * '-' in place of ':'. If context lines are requested, a line "--" separates groups of
 * lines that are not adjacent. If no line contains a word of the query, only the first
 * line is printed. */
void ctx_grep_print(struct ctx_buf *out, const struct ctx_grep_message *m,
    const struct ctx_grep_options *o);

#endif
