/* A session as one HTML page, self-contained and readable without scripts. */
#ifndef CTX_RENDER_HTML_H
#define CTX_RENDER_HTML_H

#include "render/render.h"

struct ctx_page_message {
	struct ctx_span message; /* checked JSON; borrowed, as all spans here */
	int64_t seq, created_at; /* -1, CTX_TIME_NONE unknown */
	int64_t tokens;          /* -1 unknown */
	struct ctx_span request; /* the request record that it answers, or absent */
	bool partial;            /* what had come of an answer that failed */
};

struct ctx_page {
	struct ctx_span session; /* the session record */
	const struct ctx_page_message *messages;
	size_t n;
};

/* A page under construction: sessions one after the other. Zero-filled to start. */
struct ctx_html {
	struct ctx_buf toc, body, title; /* title: HTML, of the first session */
	size_t n;
};

/* Append a session. Turns with their tokens as a chart; calls, results and thinking folded;
 * under each answer what it was given, from its request record. All text is escaped;
 * of images only those that stand in the message are shown. CTX_EINPUT for what is no
 * message; then nothing is added. */
int ctx_html_add(struct ctx_html *html, const struct ctx_page *page, struct ctx_err *err);
/* Append the page to out, with a table of contents where there are several sessions. */
void ctx_html_print(const struct ctx_html *html, struct ctx_buf *out);
void ctx_html_release(struct ctx_html *html);

#endif
