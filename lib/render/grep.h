/* Prints the lines of a message that match a query. */
#ifndef CTX_RENDER_GREP_H
#define CTX_RENDER_GREP_H

#include "record/message.h"
#include "term/term.h"

struct ctx_grep_message {
	const char *session_id;
	int64_t seq, created_at;
	enum ctx_role role;
	struct ctx_span text;
};

struct ctx_grep_options {
	const struct ctx_term *term;
	struct ctx_span query;
	size_t context; /* lines before and after */
};

/* Appends the lines of the message that contain the most words of the query, with
 * their context. Format: on a terminal "SEQ ROLE: LINE", cut to its width; otherwise
 * "SESSION:SEQ:ROLE: LINE", uncut. Context lines have '-' instead of ':', and a line
 * "--" separates lines that are not adjacent. If no line contains a word, the first
 * line is printed. */
void ctx_grep_print(struct ctx_buf *out, const struct ctx_grep_message *m,
    const struct ctx_grep_options *o);

#endif
