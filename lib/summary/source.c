/* Quotes the main lines of files that were read or changed in the section State. */
#include "summary/doc.h"

#include <string.h>

#include "json/json.h"

/* facts that a quoted line of code must contain, unless it defines something */
#define CODE_FACTS 2
#define LINE_MAX_BYTES 200
#define LINES_MAX 400 /* quoted lines of one result */
/* Worth of a line by what it is: a definition; an option, a setting or a path; a
 * documented one. */
#define DEFINES 0.10f
#define SETS 0.30f
#define DOCUMENTS 0.45f
#define SOUGHT 0.3f     /* added for a line that was searched for (summary/sought.c) */
#define NEAR 0.1f       /* added for the lines after such a line */
#define NEAR_LINES 4    /* number of these lines */
#define INTRODUCES 1.0f /* the first sentences of a document */
#define INTRODUCTION 2  /* their number */
#define MARKUP_MAX 8192 /* bytes of a document in which they are looked for */
#define CHANGE 0.6f     /* worth of a line that was changed */
#define CHANGED_MAX 5   /* lines of a change that have this worth */

enum line_class { LINE_NOISE, LINE_PLAIN, LINE_DEFINES, LINE_SETS, LINE_DOCUMENTS };

/* True for brackets and the marks around results. */
bool
ctx_doc_is_mark(struct ctx_span line)
{
	size_t letters = 0;

	for (size_t i = 0; i < line.n; i++)
		letters += (unsigned char)line.p[i] >= 0x80 || ctx_is_letter(line.p[i]);
	return letters < 3 ||
	       ctx_span_begins_any(line,
		   "<match |</match>|```|⋮|(Showing lines|(Results are truncated|"
		   "(End of file") > 0;
}

/* Returns the line of a file without what a viewer put before it: its number, with a mark
 * or with ": ", or the tag that opens the content. */
static struct ctx_span
get_source_line(struct ctx_span line)
{
	size_t i = 0;

	line = ctx_doc_plain_line(line);
	if (ctx_span_begins(line, "<content>"))
		line = ctx_span_from(line, 9);
	while (i < line.n && i < 7 && ctx_is_digit(line.p[i]))
		i++;
	if (i > 0 && i + 1 < line.n && line.p[i] == ':' && !ctx_is_digit(line.p[i + 1]))
		line = ctx_span_from(line, i + 1);
	return ctx_span_trim(line);
}

/* Returns the number that a viewer put before the line of which the rest is in; 0 if there
 * is none. */
static uint32_t
parse_line_number(struct ctx_span line, struct ctx_span rest)
{
	uint32_t n = 0;
	size_t i = 0;

	line = ctx_span_trim(line);
	if (ctx_span_begins(line, "<content>"))
		line = ctx_span_from(line, 9);
	for (; i < line.n && i < 7 && ctx_is_digit(line.p[i]); i++)
		n = n * 10 + (uint32_t)(line.p[i] - '0');
	return i > 0 && rest.p > line.p ? n : 0;
}

/* True for lines of source code that tell nothing by themselves. */
static bool
is_noise_line(struct ctx_span line)
{
	return ctx_doc_is_mark(line) ||
	       ctx_span_begins_any(line,
		   "#[derive|return|else|} else|break|continue|pass|#!|__all__") > 0;
}

/* True for a line of source code that defines something. Other lines of a file say little
 * without their neighbors. */
static bool
is_definition(struct ctx_span line)
{
	size_t n = 0;

	if (ctx_span_begins(line, "local function "))
		return true;
	while (n < line.n && line.p[n] != ' ' && line.p[n] != '\t')
		n++;
	return n < line.n &&
	       ctx_span_is_any((struct ctx_span){line.p, n},
		   "def|defp|defmodule|class|function|func|fn|pub|struct|enum|interface|"
		   "trait|impl|module|namespace|export|type|static|int|void|bool|public|"
		   "private|protected|async|CREATE|#define");
}

/* True for options, settings and addresses: "--flag" or a path in a string, a URL, a key
 * with its value or branch. */
static bool
is_setting(struct ctx_span line)
{
	const char *quote = memchr(line.p, '"', line.n), *end;
	struct ctx_span inner;
	size_t i = 0;

	if (ctx_summary_contains_any(line, "https://|http://"))
		return true;
	if (quote == NULL)
		quote = memchr(line.p, '\'', line.n);
	if (quote == NULL)
		return false;
	inner = (struct ctx_span){quote + 1, line.n - (size_t)(quote + 1 - line.p)};
	end = memchr(inner.p, *quote, inner.n);
	if (end == NULL || end - inner.p < 3)
		return false;
	i = (size_t)(end + 1 - line.p);
	inner.n = (size_t)(end - inner.p);
	if (memchr(inner.p, ' ', inner.n) != NULL)
		return false;
	if (quote == line.p && i < line.n) /* "key": value, "key" => … */
		return line.p[i] == ':' || ctx_span_begins(ctx_span_from(line, i), " =>");
	return ctx_span_begins_any(inner, "--|~/") > 0 ||
	       (inner.p[0] == '.' && inner.n > 3 && inner.p[1] != '.' &&
		   inner.p[1] != '/') ||
	       (inner.p[0] == '/' && inner.n > 3);
}

static struct ctx_span
get_comment_text(struct ctx_span line)
{
	size_t n = ctx_span_begins_any(
	    line, "/// |//! |// |/** |/* |* |# |-- |\"\"\"|;; ");

	return n > 0 ? ctx_span_trim(ctx_span_from(line, n)) : CTX_SPAN_NONE;
}

/* True for a definition, a field or a variant, but not for a statement. */
static bool
is_declaration(struct ctx_span line)
{
	if (ctx_span_begins_any(line,
		"let |if |for |while |match |switch |const |var |*|try|with |this.|self.") >
	    0)
		return false;
	return is_definition(line) ||
	       (line.n > 2 && strchr(",{=:;(", line.p[line.n - 1]) != NULL &&
		   memchr(line.p, '.', line.n) == NULL && line.p[0] != '}' &&
		   ctx_span_count(line, ' ') < 6);
}

struct file_lines {
	struct ctx_doc *d;
	uint32_t group;
	struct ctx_facts facts;
	struct ctx_buf before; /* the comment and the attributes before the line */
	bool documented;
	int near; /* number of further lines that get NEAR */
};

static enum line_class
classify_line(const struct file_lines *f, struct ctx_span line)
{
	return is_noise_line(line)                     ? LINE_NOISE
	       : f->documented && is_declaration(line) ? LINE_DOCUMENTS
	       : is_setting(line)                      ? LINE_SETS
	       : is_definition(line)                   ? LINE_DEFINES
						       : LINE_PLAIN;
}

static void
add_source_line(struct file_lines *f, struct ctx_span line)
{
	static const float worth[] = {0, 0, DEFINES, SETS, DOCUMENTS};
	enum line_class c = classify_line(f, line);
	bool add = c >= LINE_DEFINES;
	uint64_t key = ctx_doc_hash_line(line);
	float base = worth[c];

	if (ctx_doc_is_sought(f->d, line, f->d->file_line)) {
		f->near = NEAR_LINES;
		base += SOUGHT;
		add = true;
	} else if (f->near > 0 && !ctx_doc_is_mark(line)) {
		f->near--;
		base += NEAR;
		add = true;
	} else if (c == LINE_NOISE) {
		return;
	}
	if (!add)
		add = ctx_doc_count_used(f->d, line, true, &f->facts) >= CODE_FACTS;
	if (c == LINE_DOCUMENTS && f->before.n + line.n < LINE_MAX_BYTES) {
		ctx_buf_addc(&f->before, ' ');
		ctx_buf_addspan(&f->before, line);
		line = ctx_buf_span(&f->before);
	}
	if (add && line.n <= LINE_MAX_BYTES)
		ctx_doc_quote_line(f->d, f->group, line, key, CTX_EXCERPT_FILE, base);
	else
		ctx_doc_quote_rest(f->d, f->group, line, key, CTX_EXCERPT_FILE);
}

/* Keeps a comment or an attribute for the line that it is about. Returns false if the
 * line is another. */
static bool
hold_comment(struct file_lines *f, struct ctx_span line)
{
	struct ctx_span comment = get_comment_text(line);
	bool attribute = ctx_span_begins(line, "#[") || ctx_span_begins(line, "@");

	if (comment.n > 3 && memcmp(comment.p, "====", 4) == 0) {
		return true;
	} else if (comment.n > 0) {
		if (!f->documented)
			ctx_buf_reset(&f->before);
		f->documented |= ctx_span_count(comment, ' ') > 0;
	} else if (!attribute || ctx_span_begins(line, "#[derive")) {
		return attribute;
	}
	if (f->before.n + line.n < LINE_MAX_BYTES) {
		ctx_buf_adds(&f->before, f->before.n > 0 ? " " : "");
		ctx_buf_addspan(&f->before, line);
	}
	return true;
}

static void
add_source_lines(struct file_lines *f, struct ctx_span text)
{
	struct ctx_span line, rest;
	size_t blank = 0;

	for (size_t n = 0; n < LINES_MAX * 4 && ctx_summary_line(&text, &rest); n++) {
		line = get_source_line(rest);
		f->d->file_line = parse_line_number(rest, line);
		if (line.n == 0 && blank++ < 1)
			continue;
		if (line.n > 0 && hold_comment(f, line)) {
			blank = 0;
			continue;
		}
		if (line.n > 0)
			add_source_line(f, line);
		blank = 0;
		ctx_buf_reset(&f->before);
		f->documented = false;
	}
	f->d->file_line = 0;
}

/* Quotes the first sentences of a document, and lines with facts. */
static void
add_markup_lines(struct file_lines *f, struct ctx_span text)
{
	struct ctx_span rest = text, line, s;
	struct ctx_buf plain = CTX_BUF_INIT;
	struct ctx_prose p;
	size_t n = 0;

	while (plain.n < MARKUP_MAX && ctx_summary_line(&rest, &line)) {
		ctx_buf_addspan(&plain, get_source_line(line));
		ctx_buf_addc(&plain, '\n');
	}
	rest = text;
	ctx_prose_init(&p, ctx_buf_span(&plain));
	while (n < INTRODUCTION && ctx_prose_next(&p, &s)) {
		if (p.line.heading || ctx_span_count(s, ' ') < 5 || s.p[0] == '<' ||
		    s.p[0] == '[')
			continue;
		ctx_buf_set(&f->before, s);
		s = ctx_buf_span(&f->before);
		ctx_doc_quote_line(f->d, f->group, s, ctx_doc_hash_line(s),
		    CTX_EXCERPT_FILE, n++ == 0 ? INTRODUCES : INTRODUCES / 2);
	}
	ctx_prose_release(&p);
	ctx_buf_release(&plain);
	while (ctx_summary_line(&rest, &line)) {
		line = get_source_line(line);
		if (line.n == 0 || line.n > LINE_MAX_BYTES || is_noise_line(line) ||
		    line.p[0] == '#' ||
		    ctx_doc_count_used(f->d, line, true, &f->facts) < CODE_FACTS)
			continue;
		ctx_doc_quote_line(
		    f->d, f->group, line, ctx_doc_hash_line(line), CTX_EXCERPT_FILE, 0);
	}
}

/* Removes a code fence around the whole text. */
static struct ctx_span
without_fence(struct ctx_span text)
{
	struct ctx_span line;

	text = ctx_span_trim(text);
	if (!ctx_span_begins(text, "```") || text.n < 8 || !ctx_span_ends(text, "```"))
		return text;
	ctx_summary_line(&text, &line);
	while (text.n > 0 && text.p[text.n - 1] == '`')
		text.n--;
	return text;
}

void
ctx_doc_add_file_lines(
    struct ctx_doc *d, uint32_t group, struct ctx_span text, bool markup)
{
	struct file_lines f = {.d = d, .group = group, .facts = CTX_FACTS_INIT};

	text = without_fence(text);
	if (markup)
		add_markup_lines(&f, text);
	else
		add_source_lines(&f, text);
	ctx_facts_release(&f.facts);
	ctx_buf_release(&f.before);
}

/* ---- changes ---- */

/* Removes the quotations of the lines that new_text does not contain. */
static void
remove_old_lines(
    struct ctx_doc *d, uint32_t group, struct ctx_span old, struct ctx_span new_text)
{
	struct ctx_span line;

	while (ctx_summary_line(&old, &line)) {
		line = ctx_span_trim(line);
		if (line.n > 0 && !ctx_summary_contains(new_text, line))
			ctx_doc_item_remove(d, group, ctx_doc_hash_line(line));
	}
}

/* Quotes the main lines of text that other does not contain. mark, "+ " or "- ", precedes
 * each of the first lines; the rest is quoted only if it defines something. */
static void
add_changed_lines(struct ctx_doc *d, uint32_t group, struct ctx_span text,
    struct ctx_span other, const char *mark, float worth)
{
	struct file_lines f = {.d = d, .group = group, .facts = CTX_FACTS_INIT};
	struct ctx_span line;
	size_t n = 0;

	for (size_t i = 0; i < LINES_MAX && ctx_summary_line(&text, &line); i++) {
		line = ctx_span_trim(line);
		if (line.n > LINE_MAX_BYTES || get_comment_text(line).n > 0 ||
		    ctx_doc_is_mark(line) || ctx_summary_contains(other, line))
			continue;
		if (n++ >= CHANGED_MAX) {
			if (mark[0] == '+')
				add_source_line(&f, line);
			continue;
		}
		ctx_buf_reset(&f.before);
		ctx_buf_adds(&f.before, mark);
		ctx_buf_addspan(&f.before, line);
		ctx_doc_quote_line(d, group, ctx_buf_span(&f.before),
		    mark[0] == '+' ? ctx_doc_hash_line(line)
				   : ctx_doc_hash_line(ctx_buf_span(&f.before)),
		    CTX_EXCERPT_FILE, worth);
	}
	ctx_facts_release(&f.facts);
	ctx_buf_release(&f.before);
}

/* Quotes the definition in which the change is, if the changed text begins with it. */
static void
add_place(struct ctx_doc *d, uint32_t group, struct ctx_span text)
{
	struct ctx_span line;

	while (ctx_summary_line(&text, &line)) {
		line = ctx_span_trim(line);
		if (line.n > LINE_MAX_BYTES || !is_definition(line))
			continue;
		ctx_doc_quote_line(
		    d, group, line, ctx_doc_hash_line(line), CTX_EXCERPT_FILE, CHANGE);
		return;
	}
}

void
ctx_doc_add_replacement(
    struct ctx_doc *d, uint32_t group, struct ctx_span old, struct ctx_span now)
{
	ctx_doc_forget_lines(d, group);
	remove_old_lines(d, group, old, now);
	if (old.n > 0)
		add_place(d, group, now);
	add_changed_lines(d, group, now, old, "+ ", old.n > 0 ? CHANGE : DEFINES);
	add_changed_lines(d, group, old, now, "- ", CHANGE / 2);
}

static void
add_json_replacement(struct ctx_doc *d, uint32_t group, struct ctx_span edit)
{
	struct ctx_buf a = CTX_BUF_INIT, b = CTX_BUF_INIT;
	struct ctx_span old = ctx_doc_get_text(edit,
			    "old_string|oldString|old_str|oldText|old_text|search", &a),
			now = ctx_doc_get_text(edit,
			    "new_string|newString|new_str|newText|new_text|replace|"
			    "content|file_text",
			    &b);

	ctx_doc_add_replacement(d, group, old, now);
	ctx_buf_release(&a);
	ctx_buf_release(&b);
}

void
ctx_doc_add_change(
    struct ctx_doc *d, uint32_t group, enum ctx_tool_kind kind, struct ctx_span args)
{
	struct ctx_span edits = ctx_json_get(args, "edits");

	if (kind == CTX_TOOL_WRITE)
		ctx_doc_item_remove(d, group, 0);
	if (ctx_json_type(edits) == CTX_JSON_ARRAY) {
		CTX_JSON_EACH(it, edits)
			add_json_replacement(d, group, it.value);
	} else {
		add_json_replacement(d, group, args);
	}
}
