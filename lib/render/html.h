/* Prints sessions as one self-contained HTML page that needs no scripts. */
#ifndef CTX_RENDER_HTML_H
#define CTX_RENDER_HTML_H

#include "render/render.h"

struct ctx_page_message {
	/* the message, valid JSON; like all spans in this struct, borrowed */
	struct ctx_span message;
	int64_t seq, created_at; /* -1 and CTX_TIME_NONE if unknown */
	int64_t tokens;          /* -1 if unknown */
	/* if the message is an answer: the record of its request; otherwise absent */
	struct ctx_span request;
	bool partial; /* true for the received part of an answer that failed */
	/* if a request failed here: why (a JSON string, or absent), and how often in a row (0:
	 * none failed). Unless partial is true, message is absent. */
	struct ctx_span failure;
	int64_t failures;
};

struct ctx_page {
	struct ctx_span session; /* the session record, JSON */
	const struct ctx_page_message *messages;
	size_t n;
};

/* An HTML page under construction. Zero-fill it before the first use. */
struct ctx_html {
	struct ctx_buf toc, body, title; /* title: HTML, from the first session */
	size_t n;
};

/* Appends a session to the page: a chart with the tokens of each turn, then the turns.
 * Tool calls, tool results and thinking are folded; each answer is followed by the
 * context of its request. All text is escaped. Only images embedded in messages are
 * shown; nothing is loaded. Returns -1 with CTX_EINPUT, and adds nothing, if a message is
 * invalid. */
int ctx_html_add(struct ctx_html *html, const struct ctx_page *page, struct ctx_err *err);
/* Appends the complete page to out. It has a table of contents if there are several
 * sessions. */
void ctx_html_print(const struct ctx_html *html, struct ctx_buf *out);
void ctx_html_release(struct ctx_html *html);

#endif
