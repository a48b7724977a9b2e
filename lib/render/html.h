/* Prints sessions as one self-contained HTML page that needs no scripts. */
#ifndef CTX_RENDER_HTML_H
#define CTX_RENDER_HTML_H

#include "render/render.h"

struct ctx_page_message {
	/* the message, valid JSON; like all spans in this struct, borrowed */
	struct ctx_span message;
	/* sequence number of the message, -1 if unknown; time of the message,
	 * CTX_TIME_NONE if unknown */
	int64_t seq, created_at;
	int64_t tokens; /* number of tokens of the message; -1 if unknown */
	/* if the message is an answer: the record of its request; otherwise absent */
	struct ctx_span request;
	/* true: the answer failed, and the message is the part of the answer that was
	 * received */
	bool partial;
	/* failures: number of consecutive failed requests that this entry stands for; 0 if
	 * it stands for a message. failure: reason of the failure (a JSON string), or
	 * absent. If failures is not 0, the member "message" is absent, except if
	 * "partial" is true. */
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
	/* HTML texts: the table of contents, the sessions, and the title of the first
	 * session */
	struct ctx_buf toc, body, title;
	size_t n; /* number of sessions */
};

/* Appends a session (*page) to the HTML page: a chart with the tokens of each turn, then
 * the turns. Tool calls, tool results and thinking are folded. Each answer is followed by
 * a description of its request: the messages sent and the messages left out. All text is
 * escaped. An image is shown only if its data is in the message; the HTML page loads
 * nothing from elsewhere. Returns -1 with CTX_EINPUT, and adds nothing, if a message is
 * invalid. */
int ctx_html_add(struct ctx_html *html, const struct ctx_page *page, struct ctx_err *err);
/* Appends the complete page to out. It has a table of contents if there are several
 * sessions. */
void ctx_html_print(const struct ctx_html *html, struct ctx_buf *out);
void ctx_html_release(struct ctx_html *html);

#endif
