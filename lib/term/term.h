/* Formats text for a terminal that a person reads: columns, colors, wrapped lines, simple
 * Markdown. The caller describes the terminal; nothing is read from the environment. */
#ifndef CTX_TERM_TERM_H
#define CTX_TERM_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct ctx_term {
	int columns; /* width of the terminal; 0: lines are neither wrapped nor cut */
	bool colour;
	bool many_colours; /* true: the 256-color palette is available */
	bool utf8;         /* false: only ASCII is written */
	int64_t now;       /* current time, ms since the epoch, for relative times */
};

/* Text styles. Each style is readable on light and on dark backgrounds. Red and magenta
 * are the terminal's standard colors. The terminal's standard green and cyan are too
 * pale on white, so medium green and cyan of the 256-color palette are used if this
 * palette is available. */
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

/* Appends the escape sequence that selects the style. Appends nothing if term->colour is
 * false. */
void ctx_term_style(
    struct ctx_buf *out, const struct ctx_term *term, enum ctx_style style);

/* ---- width ---- */

/* Returns the number of columns that a text occupies on one line. A wide character
 * occupies two columns, a combining mark none. An emoji that consists of several joined
 * characters counts as the sum of the characters' widths. */
size_t ctx_term_width(struct ctx_span text);

/* Returns the length in bytes of the longest prefix of the text that fits into this
 * number of columns and does not split a character. Sets *width to the number of columns
 * that the prefix occupies. */
size_t ctx_term_fit(struct ctx_span text, size_t columns, size_t *width);

/* Appends a text in a form that is safe to print on the terminal: control characters
 * except newlines and tabs become \xNN, and characters that change the direction of
 * writing are removed. If term->utf8 is false, accents are dropped, and other non-ASCII
 * characters become a similar ASCII character or '?'. */
void ctx_term_clean(
    struct ctx_buf *out, const struct ctx_term *term, struct ctx_span text);

/* Like ctx_term_clean, but puts the text on one line: each sequence of white space
 * becomes one space, and white space at both ends is dropped. */
void ctx_term_clean_line(
    struct ctx_buf *out, const struct ctx_term *term, struct ctx_span text);

/* Appends a text, which must be one line that is safe to print (see ctx_term_clean_line).
 * If the text is wider than this number of columns, it is cut and ends with an ellipsis;
 * if even the ellipsis does not fit, nothing is appended. Returns the number of columns
 * used. */
size_t ctx_term_put_cut(struct ctx_buf *out, const struct ctx_term *term,
    struct ctx_span text, size_t columns);

void ctx_term_pad(struct ctx_buf *out, size_t columns); /* appends spaces */

/* ---- numbers and times ---- */

/* Appends the age of something in words, such as "now", "5 minutes", "3 hours", "2 days",
 * "6 weeks", "4 months", "2 years". now: the current time; then: the time at which it
 * happened; both in ms since the epoch. If that time is in the future, the form is "in 3
 * hours". */
void ctx_term_age(struct ctx_buf *out, int64_t now, int64_t then);
/* Appends n with thousands separators: 12,345. */
void ctx_term_count(struct ctx_buf *out, int64_t n);
/* Appends n in a short form, such as 950, 12.3k or 4.5M. The result has at most five
 * characters if n is less than 1e9. */
void ctx_term_short_count(struct ctx_buf *out, int64_t n);
/* Appends a time as "2026-01-31 09:05", in the process's time zone. ms: the time in ms
 * since the epoch. */
void ctx_term_time(struct ctx_buf *out, int64_t ms);

/* ---- flowing text ---- */

/* The state of a flow: text that is written piece by piece, wrapped to term->columns,
 * and indented on each line. Call ctx_flow_init first and ctx_flow_release last;
 * ctx_flow_release also ends the last line. */
struct ctx_flow {
	struct ctx_buf *out;
	const struct ctx_term *term;
	const char *indent; /* text that is printed before each line; borrowed */
	enum ctx_style indent_style;
	/* number of spaces that are added to the indentation of each line that continues
	 * another line */
	size_t hang;
	/* private */
	/* column: number of columns used in the current line; space: number of spaces
	 * before the pending word */
	size_t column, space;
	bool begun;            /* true: the current line is not empty */
	struct ctx_buf word;   /* the pending word, not written yet */
	struct ctx_buf styles; /* one style byte for each byte of the pending word */
	enum ctx_style style;  /* style that the last escape sequence selected */
};
void ctx_flow_init(struct ctx_flow *f, struct ctx_buf *out, const struct ctx_term *term,
    const char *indent);
/* Adds a text in this style, made safe as by ctx_term_clean. A newline in the text ends
 * the line. */
void ctx_flow_text(struct ctx_flow *f, struct ctx_span text, enum ctx_style style);
/* Adds one line without wrapping it, made safe as by ctx_term_clean; tabs become four
 * spaces. Ends the current line first. */
void ctx_flow_raw_line(struct ctx_flow *f, struct ctx_span line, enum ctx_style style);
/* Ends the current line, unless the line is empty. */
void ctx_flow_end_line(struct ctx_flow *f);
void ctx_flow_blank(struct ctx_flow *f); /* ends the current line and adds an empty one */
void ctx_flow_release(struct ctx_flow *f);

/* Adds a Markdown text, formatted for reading. Supports headings, emphasis, code, lists,
 * quotes and links. */
void ctx_flow_markdown(struct ctx_flow *f, struct ctx_span text);

/* Appends plain text as HTML text: '<', '&' and similar characters are escaped. Control
 * characters except newlines and tabs, and invalid UTF-8, become U+FFFD; carriage
 * returns are removed. */
void ctx_term_html(struct ctx_buf *out, struct ctx_span text);

#endif
