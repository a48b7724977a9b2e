/* Takes over the lines of an earlier summary, section by section. */
#include "summary/doc.h"

#include <string.h>

#include "base/mem.h"

#define EARLIER 1.0f /* worth of an item that was chosen before */
#define FOREIGN 0.4f
#define NO_GROUP UINT32_MAX

/* Parses "12. " or "- ". Returns its length; *request is the number, or 0. */
static size_t
parse_line_lead(struct ctx_span line, uint32_t *request)
{
	size_t i = 0;

	*request = 0;
	if (line.n > 2 && line.p[0] == '-' && line.p[1] == ' ')
		return 2;
	while (i < line.n && i < 6 && ctx_is_digit(line.p[i]))
		*request = *request * 10 + (uint32_t)(line.p[i++] - '0');
	if (i > 0 && i + 1 < line.n && line.p[i] == '.' && line.p[i + 1] == ' ')
		return i + 2;
	*request = 0;
	return 0;
}

/* Returns the end of the item at from: the next separator outside of quotations and
 * brackets. */
static size_t
item_end(struct ctx_span s, size_t from, const char *separator)
{
	int quoted = 0, depth = 0;
	bool code = false;

	for (size_t i = from; i < s.n; i++) {
		if (i + 3 <= s.n && memcmp(s.p + i, "“", 3) == 0)
			quoted++;
		else if (i + 3 <= s.n && memcmp(s.p + i, "”", 3) == 0)
			quoted--;
		else if (s.p[i] == '`')
			code = !code;
		else if (s.p[i] == '(')
			depth++;
		else if (s.p[i] == ')')
			depth--;
		if (quoted <= 0 && !code && depth <= 0 && i + 1 < s.n &&
		    s.p[i] == separator[0] && s.p[i + 1] == ' ')
			return i;
	}
	return s.n;
}

static void
add_items(struct ctx_doc *d, uint32_t group, struct ctx_span s, const char *separator)
{
	for (size_t from = 0, end; from < s.n; from = end + 2) {
		struct ctx_span item;
		end = item_end(s, from, separator);
		item = (struct ctx_span){s.p + from, end - from};
		ctx_doc_item(
		    d, group, item, ctx_summary_hash(23, item.p, item.n), EARLIER);
	}
}

/* Adds sentences. An ellipsis between them again means that something was left out. */
static void
add_prose(struct ctx_doc *d, uint32_t group, struct ctx_span s)
{
	struct ctx_summary_sentences it;
	struct ctx_span sentence;
	bool gap = false;
	uint32_t item;

	ctx_summary_sentences_init(&it, s);
	while (ctx_summary_sentences_next(&it, &sentence)) {
		while (sentence.n >= 3 && memcmp(sentence.p, "…", 3) == 0) {
			gap = true;
			sentence = ctx_span_trim(ctx_span_from(sentence, 3));
		}
		if (sentence.n == 0)
			continue;
		item = ctx_doc_item(d, group, sentence, 0, EARLIER);
		d->items[item].gap = gap;
		gap = false;
	}
}

/* Adds a line below the State line that was added last: a quotation, or a record of its
 * own inside another one. */
static void
add_earlier_part(struct ctx_doc *d, uint32_t group, struct ctx_span line)
{
	const struct ctx_doc_group *g = &d->groups[group];
	struct ctx_span quoted = line, subject = {d->bytes.p + g->subject, g->n_subject};
	bool file = ctx_span_begins(subject, "`") &&
		    memchr(subject.p, ' ', subject.n) == NULL;
	uint32_t item, number = 0;
	size_t at = 0;

	while (at < line.n && at < 7 && ctx_is_digit(line.p[at]))
		number = number * 10 + (uint32_t)(line.p[at++] - '0');
	if (at > 0 && at + 2 < line.n && line.p[at] == ':' && line.p[at + 1] == ' ')
		quoted = ctx_span_from(line, at + 2);
	if (ctx_span_begins(quoted, "“")) {
		d->file_line = quoted.p > line.p ? number : 0;
		ctx_doc_excerpt(d, group, quoted,
		    ctx_summary_hash(23, quoted.p, quoted.n),
		    file ? CTX_EXCERPT_FILE : CTX_EXCERPT_OUTPUT, 0);
		d->file_line = 0;
		return;
	}
	item = ctx_doc_item(
	    d, group, line, ctx_summary_hash(23, line.p, line.n), EARLIER);
	d->items[item].part = true;
}

/* Adds a line. Returns its group, or NO_GROUP. */
static uint32_t
add_earlier_line(struct ctx_doc *d, enum ctx_doc_section section, struct ctx_span line)
{
	uint32_t request, group;
	size_t n = parse_line_lead(line, &request);
	struct ctx_span rest = {line.p + n, line.n - n}, subject = CTX_SPAN_NONE;
	size_t colon = 0;

	if (request > d->requests)
		d->requests = request;
	if (section == CTX_DOC_OPEN)
		return NO_GROUP; /* no longer valid */
	if (section == CTX_DOC_STATE && rest.n > 0 && rest.p[rest.n - 1] == ':') {
		subject = (struct ctx_span){rest.p, rest.n - 1};
		rest.n = 0;
	} else if (section == CTX_DOC_STATE) {
		colon = item_end(rest, 0, ":");
		if (colon < rest.n) {
			subject = (struct ctx_span){rest.p, colon};
			rest = ctx_span_from(rest, colon + 2);
		}
	}
	group = subject.n > 0 ? ctx_doc_subject(d, subject)
			      : ctx_doc_group(d, section, request, CTX_SPAN_NONE, 0);
	if (section == CTX_DOC_STATE)
		add_items(d, group, rest, ",");
	else if (section == CTX_DOC_ACTIONS)
		add_items(d, group, rest, ";");
	else
		add_prose(d, group, rest);
	return group;
}

/* Adds a summary of another program: its sentences are outcomes of everything before. */
static void
add_foreign(struct ctx_doc *d, struct ctx_span text)
{
	uint32_t group = ctx_doc_group(
		     d, CTX_DOC_OUTCOMES, d->requests, CTX_SPAN_NONE, 0),
		 item;
	struct ctx_prose p;
	struct ctx_span s;

	ctx_prose_init(&p, text);
	while (ctx_prose_next(&p, &s)) {
		item = ctx_doc_item(d, group, s, 0, FOREIGN);
		d->items[item].gap = p.gap;
		p.gap = false;
	}
	ctx_prose_release(&p);
}

static bool
has_own_heading(struct ctx_span text)
{
	struct ctx_span line;

	while (ctx_summary_line(&text, &line))
		if (ctx_doc_heading_find(ctx_span_trim(line)) >= 0)
			return true;
	return false;
}

void
ctx_doc_add_earlier(struct ctx_doc *d, struct ctx_span text)
{
	enum ctx_doc_section section = CTX_DOC_OUTCOMES;
	struct ctx_span line;
	uint32_t group = NO_GROUP;
	int found;

	if (!has_own_heading(text)) {
		add_foreign(d, text);
		return;
	}
	while (ctx_summary_line(&text, &line)) {
		bool nested = line.n > 4 && memcmp(line.p, "  - ", 4) == 0;
		line = ctx_span_trim(line);
		found = ctx_doc_heading_find(line);
		if (found >= 0) {
			section = (enum ctx_doc_section)found;
			group = NO_GROUP;
		} else if (nested && section == CTX_DOC_STATE && group != NO_GROUP) {
			add_earlier_part(d, group, ctx_span_from(line, 2));
		} else if (line.n > 0) {
			group = add_earlier_line(d, section, line);
		}
	}
}
