/* Formats text for a person's terminal: columns, colors, wrapped lines, light Markdown.
 * Pure: the caller describes the terminal, nothing is read from the environment. */
#ifndef CTX_TERM_TERM_H
#define CTX_TERM_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct ctx_term {
	int columns; /* width; 0: lines are neither wrapped nor cut */
	bool colour;
	bool many_colours; /* the 256-color palette is available */
	bool utf8;         /* false: only ASCII is written */
	int64_t now;       /* current time, ms since the epoch, for relative times */
};

/* Text styles. Each is readable on light and on dark backgrounds. Red and magenta come
 * from the terminal's own palette; its green and cyan are too pale on white, so middle
 * tones of the 256-color palette are used instead. */
enum ctx_style {
	CTX_STYLE_PLAIN,
	CTX_STYLE_BOLD,
	CTX_STYLE_DIM,
	CTX_STYLE_ITALIC,
	CTX_STYLE_CODE,
	CTX_STYLE_LINK,
	CTX_STYLE_USER,
	CTX_STYLE_ASSISTANT,
	CTX_STYLE_SYSTEM,
	CTX_STYLE_TOOL,
	CTX_STYLE_ERROR,
	CTX_STYLE_ADDED,
	CTX_STYLE_MATCH, /* a word that matches the search */
};

/* Appends the escape sequence that selects the style; nothing if colors are off. */
void ctx_term_style(
    struct ctx_buf *out, const struct ctx_term *term, enum ctx_style style);

/* ---- width ---- */

/* Returns the number of columns that text occupies on one line. A wide character occupies
 * two and a combining mark none; an emoji made of several joined characters counts as the
 * sum of its parts. */
size_t ctx_term_width(struct ctx_span text);

/* Returns how many bytes of text fit into the columns, without splitting a character, and
 * stores the columns that these bytes occupy in *width. */
size_t ctx_term_fit(struct ctx_span text, size_t columns, size_t *width);

/* Appends text made safe for the terminal: control characters become \xNN, and marks that
 * change the direction of writing are removed. Newlines and tabs stay. If the terminal is
 * not UTF-8, accents are dropped and other non-ASCII characters become '?' or a similar
 * ASCII character. */
void ctx_term_clean(
    struct ctx_buf *out, const struct ctx_term *term, struct ctx_span text);

/* Like ctx_term_clean, but on one line: each run of white space becomes one space, and
 * white space at the ends is dropped. */
void ctx_term_clean_line(
    struct ctx_buf *out, const struct ctx_term *term, struct ctx_span text);

/* Appends one line of clean text, cut with an ellipsis to fit the columns. Returns the
 * number of columns used. */
size_t ctx_term_put_cut(struct ctx_buf *out, const struct ctx_term *term,
    struct ctx_span text, size_t columns);

void ctx_term_pad(struct ctx_buf *out, size_t columns); /* appends spaces */

/* ---- numbers and times ---- */

/* Appends the time between then and now (ms since the epoch): "now", "5 minutes", "3
 * hours", "2 days", "6 weeks", "4 months" or "2 years". A future time is printed as "in 3
 * hours". */
void ctx_term_age(struct ctx_buf *out, int64_t now, int64_t then);
/* Appends n with thousands separators: 12,345. */
void ctx_term_count(struct ctx_buf *out, int64_t n);
/* Appends n shortened, such as 950, 12.3k or 4.5M: at most five characters for n <
 * 1e9. */
void ctx_term_short_count(struct ctx_buf *out, int64_t n);
/* Appends a time (ms since the epoch) as "2026-01-31 09:05", in the process's time
 * zone. */
void ctx_term_time(struct ctx_buf *out, int64_t ms);

/* ---- flowing text ---- */

/* Writes text wrapped to term->columns, with an indent before each line. Begin with
 * ctx_flow_init; end with ctx_flow_release, which also ends the last line. */
struct ctx_flow {
	struct ctx_buf *out;
	const struct ctx_term *term;
	const char *indent; /* printed before each line; borrowed */
	enum ctx_style indent_style;
	size_t hang; /* additional columns before continuation lines */
	/* private */
	/* columns used in the current line; spaces before the pending word */
	size_t column, space;
	bool begun;            /* the current line is not empty */
	struct ctx_buf word;   /* the pending word, not written yet */
	struct ctx_buf styles; /* one style byte for each byte of word */
	enum ctx_style style;  /* style that the terminal has now */
};
void ctx_flow_init(struct ctx_flow *f, struct ctx_buf *out, const struct ctx_term *term,
    const char *indent);
/* Adds text in a style. The text is cleaned as by ctx_term_clean; a newline ends a
 * line. */
void ctx_flow_text(struct ctx_flow *f, struct ctx_span text, enum ctx_style style);
/* Adds one line verbatim, without wrapping. */
void ctx_flow_raw_line(struct ctx_flow *f, struct ctx_span line, enum ctx_style style);
void ctx_flow_end_line(struct ctx_flow *f); /* ends the current line if one is begun */
void ctx_flow_blank(struct ctx_flow *f); /* ends the current line and adds an empty one */
void ctx_flow_release(struct ctx_flow *f);

/* Adds Markdown formatted for reading: headings, emphasis, code, lists, quotes, links. */
void ctx_flow_markdown(struct ctx_flow *f, struct ctx_span text);

/* Appends text as HTML: markup is escaped; control characters and invalid UTF-8 become
 * U+FFFD. */
void ctx_term_html(struct ctx_buf *out, struct ctx_span text);

#endif
