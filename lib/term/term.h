/* Text for a person's terminal: columns, colours, wrapped lines, light Markdown. Pure: what
 * the terminal can do is told by the caller. */
#ifndef CTX_TERM_TERM_H
#define CTX_TERM_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct ctx_term {
	int columns; /* width; 0: no line is wrapped or cut */
	bool colour;
	bool many_colours; /* the palette of 256 */
	bool utf8;         /* else only ASCII is written */
	int64_t now;       /* ms: ages count back from it */
};

/* Each can be read on a light and on a dark ground: red and magenta are of the terminal's own
 * palette, whose green and cyan are too pale on white and are middle tones of 256 colours. */
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
	CTX_STYLE_MATCH, /* a word that was searched for */
};

/* Appends what switches the terminal to the style: nothing without colours. */
void ctx_term_style(
    struct ctx_buf *out, const struct ctx_term *term, enum ctx_style style);

/* ---- width ---- */

/* Returns how many columns text takes on one line: wide characters take two, combining
 * characters none, and a family of emoji the sum of its members. */
size_t ctx_term_width(struct ctx_span text);

/* Returns how many bytes of text fit into that many columns, counting whole characters
 * only. *width is set to the columns that those bytes take. */
size_t ctx_term_fit(struct ctx_span text, size_t columns, size_t *width);

/* Appends text so that it cannot steer the terminal: controls as \xNN, without marks that
 * turn the direction of writing. Newlines and tabs stay. Without UTF-8 letters lose their
 * accents, and what has no likeness in ASCII is '?'. */
void ctx_term_clean(
    struct ctx_buf *out, const struct ctx_term *term, struct ctx_span text);

/* The same on one line: runs of white space are one space, none at the ends. */
void ctx_term_clean_line(
    struct ctx_buf *out, const struct ctx_term *term, struct ctx_span text);

/* Appends one line of clean text, cut to so many columns with an ellipsis. Returns the
 * columns that were used. */
size_t ctx_term_put_cut(struct ctx_buf *out, const struct ctx_term *term,
    struct ctx_span text, size_t columns);

void ctx_term_pad(struct ctx_buf *out, size_t columns); /* so many spaces */

/* ---- numbers and times ---- */

/* How long before now: "now", "5 minutes", "3 hours", "2 days", "6 weeks", "4 months",
 * "2 years"; of a time to come "in 3 hours". */
void ctx_term_age(struct ctx_buf *out, int64_t now, int64_t then);
/* 12345 as 12,345. */
void ctx_term_count(struct ctx_buf *out, int64_t n);
/* 950, 12.3k, 4.5M: at most five characters up to 999M. */
void ctx_term_short_count(struct ctx_buf *out, int64_t n);
/* "2026-01-31 09:05", in the time zone of the process. */
void ctx_term_time(struct ctx_buf *out, int64_t ms);

/* ---- flowing text ---- */

/* Lines of at most term->columns, each begun with the indent. Start with ctx_flow_init and
 * end with ctx_flow_release, which ends the last line. */
struct ctx_flow {
	struct ctx_buf *out;
	const struct ctx_term *term;
	const char *indent; /* of each line, borrowed */
	enum ctx_style indent_style;
	size_t hang; /* more columns before lines that continue one */
	/* private */
	size_t column, space;  /* used in this line; spaces that wait for a word */
	bool begun;            /* something stands in this line */
	struct ctx_buf word;   /* that is not written yet */
	struct ctx_buf styles; /* a byte for each of the word's */
	enum ctx_style style;  /* the terminal's at the moment */
};
void ctx_flow_init(struct ctx_flow *f, struct ctx_buf *out, const struct ctx_term *term,
    const char *indent);
/* Adds text, which need not be clean, in a style; a newline ends a line. */
void ctx_flow_text(struct ctx_flow *f, struct ctx_span text, enum ctx_style style);
/* Adds a line as it is, without wrapping it. */
void ctx_flow_raw_line(struct ctx_flow *f, struct ctx_span line, enum ctx_style style);
void ctx_flow_end_line(struct ctx_flow *f); /* ends the line if one is begun */
void ctx_flow_blank(struct ctx_flow *f);    /* an empty line after that */
void ctx_flow_release(struct ctx_flow *f);

/* Adds Markdown as a person reads it: headings, emphasis, code, lists, quotes, links. */
void ctx_flow_markdown(struct ctx_flow *f, struct ctx_span text);

/* Appends text as HTML: markup is escaped, control characters and bytes that are not UTF-8
 * become U+FFFD. */
void ctx_term_html(struct ctx_buf *out, struct ctx_span text);

#endif
