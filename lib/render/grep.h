/* Lines of a message that hold words of a query. */
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

/* Appends the lines of the message that hold most of the words, with their context: on a
 * terminal "SEQ ROLE: LINE", cut to its width; else "SESSION:SEQ:ROLE: LINE", whole. Lines of
 * context have '-' in the place of ':', and "--" stands between lines that do not follow each
 * other. The first line stands for a message in which no line holds a word. */
void ctx_grep_print(struct ctx_buf *out, const struct ctx_grep_message *m,
    const struct ctx_grep_options *o);

#endif
