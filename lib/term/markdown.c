/* Formats Markdown for a terminal. Markup that is not recognized stays as it was
 * written. */
#include <string.h>

#include "term/term.h"

struct markdown {
	struct ctx_flow *f;
	const char *indent; /* indent of the flow, outside of quotes */
	char fence;         /* '`' or '~' inside a fenced block, else 0 */
	size_t fence_n;
	bool blank; /* the last line was empty */
};

static size_t
count_run(struct ctx_span s, char c)
{
	size_t n = 0;

	while (n < s.n && s.p[n] == c)
		n++;
	return n;
}

static struct ctx_span
skip_bytes(struct ctx_span s, size_t n)
{
	return (struct ctx_span){s.p + n, s.n - n};
}

/* ---- inside a line ---- */

static bool
is_word_byte(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || (unsigned char)c >= 0x80;
}

/* Returns the position in s of a closing run of n characters c, or SIZE_MAX. */
static size_t
find_closing(struct ctx_span s, char c, size_t n)
{
	for (size_t i = 0; i + n <= s.n; i++) {
		size_t run = count_run(skip_bytes(s, i), c);
		if (run == n && i > 0 && (c == '`' || s.p[i - 1] != ' ') &&
		    (c != '_' || i + n == s.n || !is_word_byte(s.p[i + n])))
			return i;
		if (run > 0)
			i += run - 1;
	}
	return SIZE_MAX;
}

static void put_inline(struct ctx_flow *f, struct ctx_span s, enum ctx_style style);

/* Writes [text](address): the text, and the address if it differs from the text. Returns
 * the bytes of s used, 0 if s does not begin with a link. */
static size_t
put_link(struct ctx_flow *f, struct ctx_span s)
{
	const char *close = memchr(s.p, ']', s.n), *end;
	struct ctx_span text, url;

	if (close == NULL || close + 1 >= s.p + s.n || close[1] != '(')
		return 0;
	end = memchr(close, ')', (size_t)(s.p + s.n - close));
	if (end == NULL)
		return 0;
	text = (struct ctx_span){s.p + 1, (size_t)(close - s.p - 1)};
	url = (struct ctx_span){close + 2, (size_t)(end - close - 2)};
	if (text.n == 0 || url.n == 0 || memchr(url.p, ' ', url.n) != NULL)
		return 0;
	if (ctx_span_eq(text, url)) {
		ctx_flow_text(f, url, CTX_STYLE_LINK);
	} else {
		put_inline(f, text, CTX_STYLE_PLAIN);
		ctx_flow_text(f, ctx_span_of(" <"), CTX_STYLE_PLAIN);
		ctx_flow_text(f, url, CTX_STYLE_LINK);
		ctx_flow_text(f, ctx_span_of(">"), CTX_STYLE_PLAIN);
	}
	return (size_t)(end + 1 - s.p);
}

/* Writes a styled span. Returns the bytes of s used, 0 if s does not begin with one. */
static size_t
put_span(struct ctx_flow *f, struct ctx_span s, char before, enum ctx_style outer)
{
	char c = s.p[0];
	size_t run = count_run(s, c), close;
	struct ctx_span inside;

	if (run > 3 || run == s.n || (c != '`' && (s.p[run] == ' ' || run == 3)) ||
	    (c == '_' && is_word_byte(before)))
		return 0;
	inside = skip_bytes(s, run);
	close = find_closing(inside, c, run);
	if (close == SIZE_MAX)
		return 0;
	inside.n = close;
	if (c == '`')
		ctx_flow_text(f, inside, CTX_STYLE_CODE);
	else
		put_inline(f, inside,
		    run == 2                   ? CTX_STYLE_BOLD
		    : outer == CTX_STYLE_PLAIN ? CTX_STYLE_ITALIC
					       : outer);
	return 2 * run + close;
}

static void
put_inline(struct ctx_flow *f, struct ctx_span s, enum ctx_style style)
{
	size_t from = 0, i = 0;

	while (i < s.n) {
		char c = s.p[i];
		size_t n = 0;
		if (c != '`' && c != '*' && c != '_' && c != '[') {
			i++;
			continue;
		}
		ctx_flow_text(f, (struct ctx_span){s.p + from, i - from}, style);
		from = i;
		n = c == '['
			? put_link(f, skip_bytes(s, i))
			: put_span(f, skip_bytes(s, i), i > 0 ? s.p[i - 1] : ' ', style);
		if (n == 0) { /* not markup: written verbatim */
			n = c == '[' ? 1 : count_run(skip_bytes(s, i), c);
			ctx_flow_text(f, (struct ctx_span){s.p + i, n}, style);
		}
		i += n;
		from = i;
	}
	ctx_flow_text(f, (struct ctx_span){s.p + from, s.n - from}, style);
}

/* ---- lines ---- */

/* Returns the length of a list item's marker, and in *spaces the spaces before it; 0 if
 * the line is not an item. */
static size_t
find_item(struct ctx_span line, size_t *spaces)
{
	size_t i = count_run(line, ' '), digits;

	*spaces = i;
	if (i + 1 < line.n && strchr("-*+", line.p[i]) != NULL && line.p[i + 1] == ' ')
		return i + 2;
	digits = i;
	while (digits < line.n && digits < i + 4 && line.p[digits] >= '0' &&
	       line.p[digits] <= '9')
		digits++;
	if (digits > i && digits + 1 < line.n &&
	    (line.p[digits] == '.' || line.p[digits] == ')') && line.p[digits + 1] == ' ')
		return digits + 2;
	return 0;
}

static void
put_item(struct markdown *m, struct ctx_span line, size_t spaces, size_t marker)
{
	bool bullet = strchr("-*+", line.p[spaces]) != NULL;

	ctx_flow_text(m->f, (struct ctx_span){line.p, spaces}, CTX_STYLE_PLAIN);
	if (bullet)
		ctx_flow_text(
		    m->f, ctx_span_of(m->f->term->utf8 ? "• " : "- "), CTX_STYLE_PLAIN);
	else
		ctx_flow_text(m->f, (struct ctx_span){line.p + spaces, marker - spaces},
		    CTX_STYLE_PLAIN);
	m->f->hang = marker;
	put_inline(m->f, skip_bytes(line, marker), CTX_STYLE_PLAIN);
	ctx_flow_end_line(m->f);
	m->f->hang = 0;
}

/* Returns whether the line is a rule: three or more of one of - * _ and nothing else. */
static bool
is_rule(struct ctx_span line)
{
	struct ctx_span s = ctx_span_trim(line);
	size_t n = 0;

	if (s.n < 3 || strchr("-*_", s.p[0]) == NULL)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] != s.p[0] && s.p[i] != ' ')
			return false;
		n += s.p[i] == s.p[0];
	}
	return n >= 3;
}

static void
put_rule(struct markdown *m)
{
	const char *dash = m->f->term->utf8 ? "─" : "-";
	struct ctx_buf line = CTX_BUF_INIT;

	for (int i = 0; i < 20; i++)
		ctx_buf_adds(&line, dash);
	ctx_flow_raw_line(m->f, ctx_buf_span(&line), CTX_STYLE_DIM);
	ctx_buf_release(&line);
}

static void
put_heading(struct markdown *m, struct ctx_span line)
{
	struct ctx_span s = ctx_span_trim(skip_bytes(line, count_run(line, '#')));

	while (s.n > 0 && s.p[s.n - 1] == '#')
		s.n--;
	s = ctx_span_trim(s);
	if (s.n >= 4 && memcmp(s.p, "**", 2) == 0 && memcmp(s.p + s.n - 2, "**", 2) == 0)
		s = (struct ctx_span){s.p + 2, s.n - 4};
	put_inline(m->f, s, CTX_STYLE_BOLD);
	ctx_flow_end_line(m->f);
}

static void put_line(struct markdown *m, struct ctx_span line);

static void
put_quote(struct markdown *m, struct ctx_span line)
{
	struct ctx_buf indent = CTX_BUF_INIT;
	const char *outer = m->f->indent;

	ctx_buf_addf(&indent, "%s%s ", outer, m->f->term->utf8 ? "│" : "|");
	m->f->indent = indent.p;
	line = skip_bytes(line, line.n > 1 && line.p[1] == ' ' ? 2 : 1);
	if (line.n == 0)
		ctx_flow_blank(m->f);
	else
		put_line(m, line);
	m->f->indent = outer;
	ctx_buf_release(&indent);
}

/* Begins or ends a fenced block, whose lines are written verbatim. */
static bool
see_fence(struct markdown *m, struct ctx_span line)
{
	struct ctx_span s = ctx_span_trim(line);
	size_t n = s.n > 0 && (s.p[0] == '`' || s.p[0] == '~') ? count_run(s, s.p[0]) : 0;

	if (m->fence == 0 && n >= 3 && memchr(s.p + n, '`', s.n - n) == NULL) {
		m->fence = s.p[0];
		m->fence_n = n;
		return true;
	}
	if (m->fence != 0 && n >= m->fence_n && n == s.n && s.p[0] == m->fence) {
		m->fence = 0;
		return true;
	}
	return false;
}

static void
put_code_line(struct markdown *m, struct ctx_span line)
{
	struct ctx_buf indent = CTX_BUF_INIT;
	const char *outer = m->f->indent;

	ctx_buf_addf(&indent, "%s    ", outer);
	m->f->indent = indent.p;
	ctx_flow_raw_line(m->f, line, CTX_STYLE_CODE);
	m->f->indent = outer;
	ctx_buf_release(&indent);
}

static void
put_line(struct markdown *m, struct ctx_span line)
{
	size_t spaces, marker;

	if (is_rule(line))
		put_rule(m);
	else if (line.p[0] == '#' && count_run(line, '#') <= 6 &&
		 count_run(line, '#') < line.n && line.p[count_run(line, '#')] == ' ')
		put_heading(m, line);
	else if (line.p[0] == '>')
		put_quote(m, line);
	else if (line.p[0] == '|')
		ctx_flow_raw_line(m->f, line, CTX_STYLE_PLAIN);
	else if ((marker = find_item(line, &spaces)) > 0)
		put_item(m, line, spaces, marker);
	else {
		m->f->hang = count_run(line, ' ');
		put_inline(m->f, line, CTX_STYLE_PLAIN);
		ctx_flow_end_line(m->f);
		m->f->hang = 0;
	}
}

void
ctx_flow_markdown(struct ctx_flow *f, struct ctx_span text)
{
	struct markdown m = {.f = f, .blank = true};
	struct ctx_span line;

	while (ctx_span_split(&text, '\n', &line)) {
		if (line.n > 0 && line.p[line.n - 1] == '\r')
			line.n--;
		if (see_fence(&m, line))
			continue;
		if (m.fence != 0) {
			put_code_line(&m, line);
			m.blank = false;
		} else if (ctx_span_trim(line).n > 0) {
			put_line(&m, line);
			m.blank = false;
		} else if (!m.blank) {
			ctx_flow_blank(f);
			m.blank = true;
		}
	}
	ctx_flow_end_line(f);
}
