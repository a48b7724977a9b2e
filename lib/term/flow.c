/* Writes wrapped lines. */
#include <string.h>

#include "base/utf8.h"
#include "term/term.h"

#define NARROWEST 20 /* columns that remain for text even if the indent is deeper */

void
ctx_flow_init(struct ctx_flow *f, struct ctx_buf *out, const struct ctx_term *term,
    const char *indent)
{
	memset(f, 0, sizeof(*f));
	f->out = out;
	f->term = term;
	f->indent = indent;
	f->indent_style = CTX_STYLE_DIM;
}

static void
switch_style(struct ctx_flow *f, enum ctx_style style)
{
	if (f->style != style)
		ctx_term_style(f->out, f->term, style);
	f->style = style;
}

static void
begin_line(struct ctx_flow *f, bool continued)
{
	if (f->begun)
		return;
	if (*f->indent != '\0') {
		bool spaces = strspn(f->indent, " ") == strlen(f->indent);
		if (!spaces)
			switch_style(f, f->indent_style);
		ctx_buf_adds(f->out, f->indent);
		switch_style(f, CTX_STYLE_PLAIN);
	}
	f->column = ctx_term_width(ctx_span_of(f->indent));
	if (continued) {
		ctx_term_pad(f->out, f->hang);
		f->column += f->hang;
	}
	f->begun = true;
	f->space = 0;
}

static void
break_line(struct ctx_flow *f)
{
	switch_style(f, CTX_STYLE_PLAIN);
	while (f->out->n > 0 && f->out->p[f->out->n - 1] == ' ')
		f->out->n--;
	ctx_buf_addc(f->out, '\n');
	f->begun = false;
	f->column = f->space = 0;
}

/* Writes n bytes of the word, starting at byte at, each in its style. */
static void
write_word(struct ctx_flow *f, size_t at, size_t n)
{
	for (size_t i = at; i < at + n;) {
		char style = f->styles.p[i];
		size_t from = i;
		while (i < at + n && f->styles.p[i] == style)
			i++;
		switch_style(f, (enum ctx_style)style);
		ctx_buf_add(f->out, f->word.p + from, i - from);
	}
}

static size_t
limit_columns(const struct ctx_flow *f)
{
	size_t indent = ctx_term_width(ctx_span_of(f->indent)) + f->hang;
	size_t columns = (size_t)f->term->columns;

	return columns < indent + NARROWEST ? indent + NARROWEST : columns;
}

/* Writes the word. A word longer than a line is broken at the end of the line. */
static void
flush_word(struct ctx_flow *f)
{
	struct ctx_span word = ctx_buf_span(&f->word);
	size_t at = 0, width, limit = limit_columns(f);

	if (word.n == 0)
		return;
	width = ctx_term_width(word);
	if (f->term->columns > 0 && f->begun && f->column + f->space + width > limit &&
	    f->column > ctx_term_width(ctx_span_of(f->indent)) + f->hang) {
		break_line(f);
		begin_line(f, true);
	}
	begin_line(f, false);
	if (f->space > 0) {
		if (f->style == CTX_STYLE_LINK)
			switch_style(f, CTX_STYLE_PLAIN);
		ctx_term_pad(f->out, f->space);
		f->column += f->space;
		f->space = 0;
	}
	while (f->term->columns > 0 && f->column + width > limit) {
		size_t w, n = ctx_term_fit((struct ctx_span){word.p + at, word.n - at},
			      limit - f->column, &w);
		if (n == 0)
			break;
		write_word(f, at, n);
		at += n;
		width -= w;
		if (at == word.n)
			break;
		break_line(f);
		begin_line(f, true);
	}
	write_word(f, at, word.n - at);
	f->column += width;
	ctx_buf_reset(&f->word);
	ctx_buf_reset(&f->styles);
}

/* Returns whether a line may be broken before this character without a space: between
 * wide characters, because their scripts have no spaces between words. */
static bool
breaks_before(const struct ctx_flow *f, struct ctx_span cluster)
{
	size_t n = f->word.n;

	if ((unsigned char)cluster.p[0] < 0xe2 || n < 3 ||
	    (unsigned char)f->word.p[n - 1] < 0x80 || ctx_term_width(cluster) < 2)
		return false;
	n--;
	while (n > 0 && ((unsigned char)f->word.p[n] & 0xc0) == 0x80)
		n--;
	return ctx_term_width((struct ctx_span){f->word.p + n, f->word.n - n}) == 2;
}

static void
add_to_word(struct ctx_flow *f, struct ctx_span s, enum ctx_style style)
{
	ctx_buf_addspan(&f->word, s);
	for (size_t i = 0; i < s.n; i++)
		ctx_buf_addc(&f->styles, (char)style);
}

void
ctx_flow_text(struct ctx_flow *f, struct ctx_span text, enum ctx_style style)
{
	struct ctx_buf clean = CTX_BUF_INIT;
	size_t len;

	ctx_term_clean(&clean, f->term, text);
	for (size_t i = 0; i < clean.n; i += len) {
		char c = clean.p[i];
		len = 1;
		if (c == '\n') {
			flush_word(f);
			begin_line(f, false);
			break_line(f);
		} else if (c == ' ' || c == '\t') {
			flush_word(f);
			begin_line(f, false);
			f->space += c == '\t' ? 4 : 1;
		} else {
			struct ctx_span s;
			len = ctx_utf8_decode(clean.p + i, clean.n - i, NULL);
			s = (struct ctx_span){clean.p + i, len};
			if (breaks_before(f, s))
				flush_word(f);
			add_to_word(f, s, style);
		}
	}
	ctx_buf_release(&clean);
}

void
ctx_flow_raw_line(struct ctx_flow *f, struct ctx_span line, enum ctx_style style)
{
	struct ctx_buf clean = CTX_BUF_INIT;

	ctx_flow_end_line(f);
	begin_line(f, false);
	ctx_term_clean(&clean, f->term, line);
	switch_style(f, style);
	for (size_t i = 0; i < clean.n; i++)
		if (clean.p[i] == '\n') { /* U+2028 became a newline */
			break_line(f);
			begin_line(f, false);
			switch_style(f, style);
		} else if (clean.p[i] == '\t') {
			ctx_buf_adds(f->out, "    ");
		} else {
			ctx_buf_addc(f->out, clean.p[i]);
		}
	break_line(f);
	ctx_buf_release(&clean);
}

void
ctx_flow_end_line(struct ctx_flow *f)
{
	flush_word(f);
	if (f->begun)
		break_line(f);
}

void
ctx_flow_blank(struct ctx_flow *f)
{
	ctx_flow_end_line(f);
	begin_line(f, false);
	break_line(f);
}

void
ctx_flow_release(struct ctx_flow *f)
{
	ctx_flow_end_line(f);
	ctx_buf_release(&f->word);
	ctx_buf_release(&f->styles);
}
