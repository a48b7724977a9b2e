/* Transcripts: collects the records of a session and prints them in other formats. */
#ifndef CTX_RENDER_TRANSCRIPT_H
#define CTX_RENDER_TRANSCRIPT_H

#include "base/arena.h"
#include "provider/provider.h"
#include "record/record.h"
#include "render/html.h"
#include "render/view.h"

enum ctx_transcript_format {
	/* A value less than CTX_PROVIDER_COUNT is a value of enum ctx_provider: the
	 * transcript then has the format of that provider's request bodies. */
	CTX_TRANSCRIPT_SHAREGPT = CTX_PROVIDER_COUNT,
	CTX_TRANSCRIPT_MARKDOWN,
	CTX_TRANSCRIPT_HTML,
};

/* Returns the format with this name (a provider, sharegpt, markdown or html), or -1 if
 * the name is unknown. */
int ctx_transcript_parse(const char *name);
/* Appends the names of all formats, separated by ", "; " or " precedes the last name. */
void ctx_transcript_names(struct ctx_buf *out);

/* The records of one session. Zero-fill it before the first use. */
struct ctx_transcript {
	struct ctx_arena arena;
	struct ctx_span session;
	struct ctx_record *messages;
	struct ctx_span *requests;
	/* all records other than session, message and request records, such as hidden
	 * ranges and summaries */
	struct ctx_span *marks;
	size_t n, cap, n_requests, cap_requests, n_marks, cap_marks;
};

/* Adds a copy of a record. Returns -1 with CTX_EINPUT if the record is invalid. */
int ctx_transcript_add(struct ctx_transcript *s, enum ctx_kind kind, struct ctx_span line,
    struct ctx_err *err);
/* Appends the transcript. In a provider's format, the transcript is one line: a request
 * body that begins with the session's id, title and creation time. Results of calls may
 * be missing in the body. In the format ShareGPT, the transcript is one line with texts
 * only. In Markdown, it has many lines. For HTML, call ctx_transcript_html. Returns 0, or
 * -1 with err set. */
int ctx_transcript_print(struct ctx_transcript *s, enum ctx_transcript_format format,
    struct ctx_buf *out, struct ctx_err *err);
/* Appends the session to an HTML page. Returns 0, or -1 with err set. */
int ctx_transcript_html(
    const struct ctx_transcript *s, struct ctx_html *html, struct ctx_err *err);
/* Appends the session in the format for a terminal (see render/view.h). Returns 0, or -1
 * with err set. */
int ctx_transcript_view(const struct ctx_transcript *s, const struct ctx_view_options *o,
    struct ctx_buf *out, struct ctx_err *err);
void ctx_transcript_release(struct ctx_transcript *s);

#endif
