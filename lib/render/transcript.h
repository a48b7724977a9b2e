/* Transcripts: reads the records of a session and prints them in other formats. */
#ifndef CTX_RENDER_TRANSCRIPT_H
#define CTX_RENDER_TRANSCRIPT_H

#include "base/arena.h"
#include "provider/provider.h"
#include "record/record.h"
#include "render/html.h"
#include "render/view.h"

enum ctx_transcript_format {
	/* smaller values are those of enum ctx_provider: bodies */
	CTX_TRANSCRIPT_SHAREGPT = CTX_PROVIDER_COUNT,
	CTX_TRANSCRIPT_MARKDOWN,
	CTX_TRANSCRIPT_HTML,
};

/* Finds a format by name: a provider's, or sharegpt, markdown, html. -1 if unknown. */
int ctx_transcript_parse(const char *name);
/* Appends the names of all formats, with ", " between them and " or " before the last. */
void ctx_transcript_names(struct ctx_buf *out);

/* The records of one session. Zero-filled to start. */
struct ctx_transcript {
	struct ctx_arena arena;
	struct ctx_span session;
	struct ctx_record *messages;
	struct ctx_span *requests;
	struct ctx_span *marks; /* records of other kinds: hidden messages, summaries */
	size_t n, cap, n_requests, cap_requests, n_marks, cap_marks;
};

/* Adds a copy of a record. CTX_EINPUT if it is invalid. */
int ctx_transcript_add(struct ctx_transcript *s, enum ctx_kind kind, struct ctx_span line,
    struct ctx_err *err);
/* Appends the transcript: for a provider one line, a body with the session's id, title
 * and time first, in which results may be missing; for ShareGPT one line with text only;
 * a Markdown text. HTML has a function of its own. */
int ctx_transcript_print(struct ctx_transcript *s, enum ctx_transcript_format format,
    struct ctx_buf *out, struct ctx_err *err);
/* Appends the session to a page. */
int ctx_transcript_html(
    const struct ctx_transcript *s, struct ctx_html *html, struct ctx_err *err);
/* Appends the session for a terminal (render/view.h). */
int ctx_transcript_view(const struct ctx_transcript *s, const struct ctx_view_options *o,
    struct ctx_buf *out, struct ctx_err *err);
void ctx_transcript_release(struct ctx_transcript *s);

#endif
