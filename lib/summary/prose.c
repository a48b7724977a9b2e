/* Splits what people say into sentences for the document. */
#include "summary/doc.h"

#include <string.h>

/* Returns the length of the number of a list item, "2. " or "2) ", or 0. */
static size_t
measure_item_number(struct ctx_span s)
{
	size_t n = ctx_span_digits(s);

	return n > 0 && n <= 3 && n + 1 < s.n && (s.p[n] == '.' || s.p[n] == ')') &&
		       s.p[n + 1] == ' '
		   ? n + 2
		   : 0;
}

/* Returns the sentence without list and emphasis marks; empty if nothing else is left. */
static struct ctx_span
clean_sentence(struct ctx_span s, struct ctx_buf *tmp)
{
	size_t at = 0;

	while (at < s.n && strchr("-*#>| \t+", s.p[at]) != NULL && s.p[at] != '\0')
		at++;
	at += measure_item_number(ctx_span_from(s, at));
	ctx_buf_reset(tmp);
	for (; at < s.n; at++) {
		if (at + 1 < s.n && s.p[at] == '*' && s.p[at + 1] == '*')
			at++;
		else
			ctx_buf_addc(tmp, s.p[at]);
	}
	while (tmp->n > 0 && (tmp->p[tmp->n - 1] == '*' || tmp->p[tmp->n - 1] == '|'))
		tmp->n--;
	return ctx_span_trim(ctx_buf_span(tmp));
}

#define JOINED_MAX 300   /* bytes of a lead-in and the sentence after it */
#define LIST_MAX 480     /* bytes of a lead-in and the whole list after it */
#define ENTRY_MAX 480    /* bytes of an item of a list with the lines below it */
#define SENTENCE_MAX 600 /* bytes of a sentence; of a longer one the rest is left out */

void
ctx_prose_init(struct ctx_prose *p, struct ctx_span text)
{
	*p = (struct ctx_prose){.max = SENTENCE_MAX};
	ctx_summary_sentences_init(&p->it, text);
}

void
ctx_prose_release(struct ctx_prose *p)
{
	ctx_buf_release(&p->tmp);
	ctx_buf_release(&p->joined);
	ctx_buf_release(&p->ahead);
}

/* True for a line that a viewer printed with its line number, such as
 * "1474: base_unit = 1" or "12:x". */
static bool
has_line_number(struct ctx_span s)
{
	size_t n = ctx_span_digits(s);

	return n > 0 && n < s.n && s.p[n] == ':' &&
	       (n + 1 == s.n || !ctx_is_digit(s.p[n + 1]));
}

/* True for a line of source code outside of fences: it ends like a statement, begins with
 * a keyword and has brackets, or is one word and a comma. s is a part of text. */
static bool
is_code_line(struct ctx_span text, struct ctx_span s)
{
	size_t end = (size_t)(s.p - text.p) + s.n, marks = 0, spaces = 0;
	char last = s.p[s.n - 1];

	if (ctx_doc_is_outline(s) || has_line_number(s))
		return true;
	for (size_t i = 0; i < s.n; i++) {
		marks += strchr("{}();=<>\"", s.p[i]) != NULL && s.p[i] != '\0';
		spaces += s.p[i] == ' ';
	}
	if (marks > 1 &&
	    ctx_span_begins_any(s,
		"import |export |const |function |def |class |return |if (|for (|while (|"
		"#include |//|/*|</|<div|@|} ") > 0)
		return true;
	if (end < text.n && text.p[end] != '\n' && text.p[end] != '\r')
		return false;
	return strchr(";{}([", last) != NULL || (last == ')' && s.p[0] == '}') ||
	       (last == ',' && spaces < 2) || (marks * 5 > s.n && marks > 3);
}

/* True for a complete sentence of several words, which ends a block of code. */
static bool
is_plain_prose(struct ctx_span s)
{
	size_t words = 1, marks = 0;

	for (size_t i = 0; i < s.n; i++) {
		words += s.p[i] == ' ';
		marks += strchr("{}()[];=<>\"&|", s.p[i]) != NULL && s.p[i] != '\0';
	}
	return (words > 3 && marks * 20 < s.n && strchr(".?!:", s.p[s.n - 1]) != NULL) ||
	       ((unsigned char)s.p[0] >= 0x80 && marks == 0);
}

/* True if code between backticks begins or ends outside of the sentence. */
static bool
cuts_code(struct ctx_span s)
{
	return ctx_span_count(s, '`') % 2 != 0;
}

/* True for "## Steps" or "3. **Set goals**", the title of a part of an answer, unless it
 * contains code. */
static bool
is_heading(struct ctx_span s)
{
	size_t at = 0;

	if (s.p[0] == '#')
		return true;
	while (at < s.n && strchr("-*+ ", s.p[at]) != NULL && s.n - at > 4 &&
	       memcmp(s.p + at, "**", 2) != 0)
		at++;
	at += measure_item_number(ctx_span_from(s, at));
	while (s.n > at + 4 && (s.p[s.n - 1] == ':' || s.p[s.n - 1] == ' '))
		s.n--;
	return s.n > at + 4 && memcmp(s.p + at, "**", 2) == 0 &&
	       memcmp(s.p + s.n - 2, "**", 2) == 0 && memchr(s.p, '`', s.n) == NULL;
}

/* True for a line that only names what is in the code block directly below it. */
static bool
is_code_label(struct ctx_span text, struct ctx_span s)
{
	size_t end = (size_t)(s.p - text.p) + s.n;

	return memchr(s.p, ' ', s.n) == NULL && end + 4 < text.n && text.p[end] == '\n' &&
	       memcmp(text.p + end + 1, "```", 3) == 0;
}

/* True if the comma at the end of the first clause is part of a date or a number. */
static bool
continues_number(struct ctx_span s, struct ctx_span next)
{
	return s.n > 1 && s.p[s.n - 1] == ',' && ctx_is_digit(s.p[s.n - 2]) &&
	       ctx_is_digit(next.p[0]);
}

/* Returns the sentence with the clauses that follow its first one. A sentence of more than
 * p->max bytes keeps its first clauses; *cut tells that. */
static struct ctx_span
take_clauses(struct ctx_prose *p, struct ctx_span s, bool *cut)
{
	struct ctx_span next;

	while (p->it.in_sentence && ctx_summary_sentences_next(&p->it, &next)) {
		if (p->it.fresh) /* another sentence: cannot happen inside of one */
			break;
		if ((size_t)(next.p - s.p) + next.n > p->max &&
		    !continues_number(s, next))
			*cut = true;
		else if (!*cut)
			s.n = (size_t)(next.p - s.p) + next.n;
	}
	return s;
}

/* Returns the start of the line that contains place. */
static const char *
find_line_start(struct ctx_span text, const char *place)
{
	while (place > text.p && place[-1] != '\n')
		place--;
	return place;
}

static bool
starts_line_with_hash(struct ctx_span text, const char *place)
{
	return *find_line_start(text, place) == '#';
}

/* Returns the number of spaces before the first word of the line that contains place. */
static size_t
measure_indent(struct ctx_span text, const char *place)
{
	const char *line = find_line_start(text, place), *word;

	for (word = line; word < place && (*word == ' ' || *word == '\t');)
		word++;
	return (size_t)(word - line);
}

static bool
scan_sentence(struct ctx_prose *p, struct ctx_span *out)
{
	struct ctx_span s;
	size_t end;
	bool whole, cut;

	while (ctx_summary_sentences_next(&p->it, &s)) {
		cut = false;
		s = take_clauses(p, s, &cut);
		whole = !p->inside;
		end = (size_t)(s.p + s.n - p->it.text.p);
		p->inside = ctx_summary_inside_word(p->it.text, end);
		if (s.n >= 3 && memcmp(s.p, "```", 3) == 0) {
			p->fenced = !p->fenced;
			p->gap = true;
			continue;
		}
		p->line.item = strchr("-*+", s.p[0]) != NULL ||
			       measure_item_number(s) > 0;
		p->line.indent = measure_indent(p->it.text, s.p);
		p->line.nested = s.p > p->it.text.p + 2 && s.p[-1] == ' ' &&
				 s.p[-2] == ' ' && (s.p[0] == '-' || s.p[0] == '*');
		p->code = is_code_line(p->it.text, s)         ? p->code + 1
			  : p->code > 1 && !is_plain_prose(s) ? p->code
							      : 0;
		if (p->code > 0 || is_code_label(p->it.text, s)) {
			p->gap = true;
			continue;
		}
		/* "### 2. Title" is two sentences */
		p->line.heading = is_heading(s) || starts_line_with_hash(p->it.text, s.p);
		*out = clean_sentence(s, &p->tmp);
		if (cut && out->n > 0) {
			ctx_buf_adds(&p->tmp, " …");
			*out = ctx_span_trim(ctx_buf_span(&p->tmp));
		}
		if (!p->fenced && whole && !p->inside && out->n > 0 && !cuts_code(*out))
			return true;
		p->gap = true;
	}
	return false;
}

static bool
is_lead(struct ctx_span s)
{
	return s.n > 0 &&
	       (s.p[s.n - 1] == ':' || (s.n > 3 && memcmp(s.p + s.n - 3, "：", 3) == 0));
}

/* Returns the indentation of the list item that the line is, or SIZE_MAX if it is none. */
static size_t
measure_item_indent(struct ctx_span line)
{
	size_t n = 0;

	while (n < line.n && (line.p[n] == ' ' || line.p[n] == '\t'))
		n++;
	line = ctx_span_from(line, n);
	return (line.n > 2 && strchr("-*+", line.p[0]) != NULL && line.p[1] == ' ') ||
		       measure_item_number(line) > 0
		   ? n
		   : SIZE_MAX;
}

/* Returns the offset of the end of an item of a list. The item contains the rest of its
 * line and the lines below that are indented more than the item. at is the offset of the
 * first byte after the item's sentence. */
static size_t
find_entry_end(struct ctx_span text, size_t at, size_t indent)
{
	struct ctx_span rest = {text.p + at, text.n - at}, line;
	size_t end = at;
	bool same = at > 0 && text.p[at - 1] != '\n';

	for (; ctx_summary_line(&rest, &line); same = false) {
		struct ctx_span plain = ctx_span_trim(line);
		if (plain.n == 0)
			continue;
		if (!same && (size_t)(plain.p - line.p) <= indent)
			break;
		end = (size_t)(line.p - text.p) + line.n;
	}
	return end;
}

/* Finds the list that follows byte at of the text. Returns its end, or at if there is
 * none; *items is the number of its items without those of nested lists, and *nested
 * tells whether there are some. */
static size_t
find_list_end(struct ctx_span text, size_t at, size_t *items, bool *nested)
{
	struct ctx_span rest = {text.p + at, text.n - at}, line;
	size_t indent, first = SIZE_MAX, end = at;

	*items = 0;
	*nested = false;
	while (ctx_summary_line(&rest, &line)) {
		if (ctx_span_trim(line).n == 0)
			continue;
		indent = measure_item_indent(line);
		first = first == SIZE_MAX ? indent : first;
		if (indent == SIZE_MAX || indent < first)
			break;
		*items += indent <= first;
		*nested |= indent > first;
		end = (size_t)(line.p - text.p) + line.n;
	}
	return end;
}

/* Saves the sentence for the next call. */
static void
put_ahead(struct ctx_prose *p, struct ctx_span next)
{
	ctx_buf_set(&p->ahead, next);
	p->has_ahead = true;
	p->ahead_line = p->line;
}

/* Appends the rest of the list item whose sentence is in p->joined (see
 * find_entry_end). */
static void
join_entry(struct ctx_prose *p)
{
	size_t end = find_entry_end(p->it.text, p->it.at, p->line.indent);
	struct ctx_span next;
	bool cut = false, gap = p->gap;

	while (p->it.at < end && scan_sentence(p, &next)) {
		if (p->it.at > end) {
			put_ahead(p, next);
			break;
		}
		cut |= p->joined.n + next.n > ENTRY_MAX;
		if (cut)
			continue;
		ctx_buf_adds(&p->joined,
		    p->line.item && !is_lead(ctx_buf_span(&p->joined)) ? "; " : " ");
		ctx_buf_addspan(&p->joined, next);
	}
	if (cut)
		ctx_buf_adds(&p->joined, " …");
	p->gap = gap;
	p->line.item = true;
	p->line.nested = p->line.heading = false;
}

/* Joins the items of a short list, which ends at byte end. */
static void
join_items(struct ctx_prose *p, size_t end)
{
	struct ctx_span next;
	size_t n = 0;

	while (p->it.at < end && scan_sentence(p, &next)) {
		if (p->it.at > end) {
			put_ahead(p, next);
			break;
		}
		ctx_buf_adds(&p->joined, n++ > 0 && p->line.item ? "; " : " ");
		ctx_buf_addspan(&p->joined, next);
	}
	if (n == 0)
		ctx_buf_reset(&p->joined);
}

/* Joins a lead-in, which ends with a colon, with what it introduces in p->joined: a short
 * list, or the next sentence, which may be another lead-in. If that sentence is the first
 * item of a list, the number of items follows. p->joined stays empty if code follows or if
 * it would be too long; what follows then goes to p->ahead. */
static void
join_lead(struct ctx_prose *p, struct ctx_span lead)
{
	struct ctx_prose_line line = p->line;
	bool gap = p->gap, inner, more = true;
	size_t items, end;
	struct ctx_span next;

	ctx_buf_set(&p->joined, lead);
	p->gap = false;
	while (more) {
		end = find_list_end(p->it.text, p->it.at, &items, &inner);
		if (items > 0 && !inner && end - p->it.at + p->joined.n <= LIST_MAX) {
			join_items(p, end);
			break;
		}
		if (!scan_sentence(p, &next)) {
			ctx_buf_reset(&p->joined);
			break;
		}
		if (p->gap || p->joined.n + next.n > JOINED_MAX ||
		    (p->entries && p->line.item)) {
			put_ahead(p, next);
			if (p->gap || !p->line.item || !p->entries)
				ctx_buf_reset(&p->joined);
			break;
		}
		ctx_buf_addc(&p->joined, ' ');
		ctx_buf_addspan(&p->joined, next);
		more = is_lead(next);
		p->counted = !more && items > 1;
		if (p->counted)
			ctx_buf_addf(&p->joined, " (1/%zu)", items);
	}
	p->gap = gap;
	p->line.nested = line.nested;
	p->line.item = line.item;
	p->line.heading = false;
}

bool
ctx_prose_next(struct ctx_prose *p, struct ctx_span *out)
{
	p->counted = false;
	for (;;) {
		if (p->has_ahead) {
			ctx_buf_set(&p->tmp, ctx_buf_span(&p->ahead));
			*out = ctx_buf_span(&p->tmp);
			p->has_ahead = false;
			p->gap = true;
			p->line = p->ahead_line;
		} else if (!scan_sentence(p, out)) {
			return false;
		}
		if (p->entries && p->line.item) {
			ctx_buf_set(&p->joined, *out);
			join_entry(p);
		} else if (is_lead(*out)) {
			join_lead(p, *out);
		} else {
			return true;
		}
		*out = ctx_buf_span(&p->joined);
		if (out->n > 0)
			return true;
		p->gap = true;
	}
}
