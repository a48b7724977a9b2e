/* A session as one HTML page that is self-contained and works without scripts. */
#ifndef CTX_RENDER_HTML_H
#define CTX_RENDER_HTML_H

#include "render/render.h"

struct ctx_page_message {
	struct ctx_span message; /* valid JSON; borrowed, like all spans here */
	int64_t seq, created_at; /* -1, CTX_TIME_NONE unknown */
	int64_t tokens;          /* -1 unknown */
	/* the record of the request that it answers, or absent */
	struct ctx_span request;
	bool partial; /* the part received of an answer that failed */
	/* of a request that failed, what went wrong (a JSON string), and how often in a row;
	 * message is absent unless partial */
	struct ctx_span failure;
	int64_t failures;
};

struct ctx_page {
	struct ctx_span session; /* the session record */
	const struct ctx_page_message *messages;
	size_t n;
};

/* A page under construction, to which sessions are added. Zero-filled to start. */
struct ctx_html {
	struct ctx_buf toc, body, title; /* title: HTML, of the first session */
	size_t n;
};

/* Appends a session: turns with their tokens as a chart; calls, results and thinking
 * folded; under each answer the additions of its request. All text is escaped; only
 * images contained in messages are shown. CTX_EINPUT for a record that is not a message;
 * nothing is added then. */
int ctx_html_add(struct ctx_html *html, const struct ctx_page *page, struct ctx_err *err);
/* Appends the page to out, with a table of contents if there are several sessions. */
void ctx_html_print(const struct ctx_html *html, struct ctx_buf *out);
void ctx_html_release(struct ctx_html *html);

#endif
