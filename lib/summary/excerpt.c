/* Quotes lines of outputs in the section State. */
#include "summary/doc.h"

#include <string.h>

#define LINE_MAX_BYTES 200
#define LINES_MAX 400 /* quoted lines of one result */
#define USED 0.2f     /* lowest score of a fact that is worth quoting */
#define FAILS 0.2f    /* worth of a line that reports an error */
#define ASKED 0.5f    /* worth of a line below a heading that names what the user named */
#define REST 0.01f    /* worth of other lines, which are quoted if space is left */
#define FOR_LAST 2.0f /* factor for what the last request needed */

/* True if the fact is worth quoting the line. Unless the line is of a file, the fact must
 * also occur in other pieces. */
static bool
is_used(const struct ctx_doc_fact *f, bool file)
{
	return f != NULL && f->kind != CTX_FACT_NAME && f->score >= USED &&
	       (file || f->pieces > 1 ||
		   (f->said & ~(CTX_SAID_RESULT | CTX_SAID_ID)) != 0);
}

/* Removes a line number such as "  12→", which a viewer has put before the line, and the
 * bar of a repository map. */
struct ctx_span
ctx_doc_plain_line(struct ctx_span line)
{
	size_t i = 0;

	while (i < line.n && (line.p[i] == ' ' || ctx_is_digit(line.p[i])))
		i++;
	if (i + 3 <= line.n &&
	    (memcmp(line.p + i, "→", 3) == 0 || memcmp(line.p + i, "│", 3) == 0))
		i += 3;
	else if (i < line.n && i > 0 && line.p[i] == '\t')
		i++;
	else
		i = 0;
	return ctx_span_trim(ctx_span_from(line, i));
}

/* Returns how many facts of the line the conversation uses. */
int
ctx_doc_count_used(
    struct ctx_doc *d, struct ctx_span line, bool file, struct ctx_facts *f)
{
	struct ctx_span name;
	int used = 0;

	f->n = 0;
	ctx_summary_facts_scan(line, false, 0, f);
	for (size_t i = 0; i < f->n; i++) {
		name = (struct ctx_span){line.p + f->v[i].offset, f->v[i].n};
		used += is_used(ctx_doc_fact_find(d, name), file);
	}
	return used;
}

struct ctx_doc_item *
ctx_doc_quote_line(struct ctx_doc *d, uint32_t group, struct ctx_span line, uint64_t key,
    enum ctx_excerpt kind, float base)
{
	struct ctx_buf b = CTX_BUF_INIT;
	uint32_t item = UINT32_MAX;

	ctx_doc_add_quoted(&b, line, LINE_MAX_BYTES);
	if (b.n > 0)
		item = ctx_doc_excerpt(d, group, ctx_buf_span(&b), key, kind,
		    d->is_last ? base * FOR_LAST : base);
	ctx_buf_release(&b);
	return item == UINT32_MAX ? NULL : &d->items[item];
}

void
ctx_doc_quote_rest(struct ctx_doc *d, uint32_t group, struct ctx_span line, uint64_t key,
    enum ctx_excerpt kind)
{
	uint64_t pair[2] = {group, key};
	struct ctx_doc_item *it;

	/* a line that is quoted already keeps its worth */
	if (ctx_map_get(&d->by_item,
		ctx_summary_hash(3, (const char *)pair, sizeof(pair)), NULL, NULL) != 0)
		return;
	if (line.n > LINE_MAX_BYTES || line.p[0] == '<' || ctx_span_count(line, ' ') < 3)
		return;
	it = ctx_doc_quote_line(d, group, line, key, kind, REST);
	if (it != NULL)
		it->rest = true;
}

uint64_t
ctx_doc_hash_line(struct ctx_span line)
{
	return ctx_summary_hash(41, line.p, line.n);
}

/* Returns the same key for lines of errors that differ only in numbers. */
static uint64_t
hash_output_line(struct ctx_span line, bool *error)
{
	uint64_t h = 43;

	*error = ctx_summary_error_line(line);
	if (!*error)
		return ctx_doc_hash_line(line);
	for (size_t i = 0; i < line.n; i++)
		if (!ctx_is_digit(line.p[i]))
			h = ctx_summary_hash(h, line.p + i, 1);
	return h;
}

/* Quotes the line of an output if it contains facts that the conversation uses. Another
 * line is quoted if space is left, unless the note of the action quotes it. */
static bool
add_output_line(struct ctx_doc *d, uint32_t group, struct ctx_span line,
    struct ctx_span note, struct ctx_facts *f)
{
	struct ctx_doc_item *it;
	uint64_t key;
	bool error;

	if (ctx_doc_is_mark(line))
		return false;
	key = hash_output_line(line, &error);
	if (ctx_doc_count_used(d, line, false, f) < 1) {
		if (!ctx_summary_contains(note, line))
			ctx_doc_quote_rest(d, group, line, key, CTX_EXCERPT_OUTPUT);
		return false;
	}
	it = ctx_doc_quote_line(
	    d, group, line, key, CTX_EXCERPT_OUTPUT, error ? FAILS : 0);
	if (it != NULL)
		it->alike = error ? it->times - 1 : 0;
	return true;
}

/* Follows the headings of a document: *level is that of the heading about something that
 * the user named, or 0. Returns true for a heading. */
static bool
follow_heading(struct ctx_doc *d, struct ctx_span line, size_t *level)
{
	size_t n = 0;

	while (n < line.n && line.p[n] == '#')
		n++;
	if (n == 0 || n == line.n || line.p[n] != ' ')
		return false;
	if (*level == 0 || n <= *level)
		*level = ctx_doc_names(d, line, true, CTX_SAID_USER) ? n : 0;
	return true;
}

/* Quotes a line below a heading about something that the user named, unless the line is
 * markup or a short line without facts. */
static void
add_asked_line(
    struct ctx_doc *d, uint32_t group, struct ctx_span line, struct ctx_facts *f)
{
	f->n = 0;
	ctx_summary_facts_scan(line, false, 0, f);
	if (!ctx_doc_is_mark(line) && line.p[0] != '<' &&
	    (f->n > 0 || ctx_span_count(line, ' ') > 3))
		ctx_doc_quote_line(
		    d, group, line, ctx_doc_hash_line(line), CTX_EXCERPT_OUTPUT, ASKED);
}

static void
add_output_lines(
    struct ctx_doc *d, uint32_t group, struct ctx_span text, struct ctx_span note)
{
	struct ctx_facts f = CTX_FACTS_INIT;
	struct ctx_summary_sentences it;
	struct ctx_span line, s;
	size_t n = 0, asked = 0;

	while (n < LINES_MAX && ctx_summary_line(&text, &line)) {
		line = ctx_doc_plain_line(line);
		if (line.n == 0)
			continue;
		bool heading = follow_heading(d, line, &asked);
		if (line.n <= LINE_MAX_BYTES) {
			n += add_output_line(d, group, line, note, &f);
			if (asked > 0 && !heading)
				add_asked_line(d, group, line, &f);
			continue;
		}
		ctx_summary_sentences_init(&it, line);
		while (n < LINES_MAX && ctx_summary_sentences_next(&it, &s)) {
			if (!it.fresh || s.n > LINE_MAX_BYTES)
				continue;
			n += add_output_line(d, group, s, note, &f);
			if (asked > 0)
				add_asked_line(d, group, s, &f);
		}
	}
	ctx_facts_release(&f);
}

void
ctx_doc_add_excerpts(struct ctx_doc *d, struct ctx_span text, enum ctx_tool_kind kind,
    struct ctx_span path, uint32_t item, bool again)
{
	struct ctx_buf b = CTX_BUF_INIT;
	uint32_t group;

	if (kind == CTX_TOOL_TODO || item == 0)
		return;
	if ((kind == CTX_TOOL_READ || ctx_tool_changes(kind)) && path.n > 0) {
		ctx_doc_add_file_lines(d, ctx_doc_file(d, path), text,
		    ctx_span_ends_any(path, ".md|.rst|.txt|.mdx|.adoc") > 0);
	} else {
		ctx_buf_addspan(&b, ctx_doc_item_text(d, &d->items[item - 1]));
		group = ctx_doc_subject(d, ctx_buf_span(&b));
		/* The output of the earlier, equal call is no longer valid. */
		if (again)
			ctx_doc_item_remove(d, group, 0);
		ctx_buf_reset(&b);
		ctx_buf_add(
		    &b, d->bytes.p + d->items[item - 1].note, d->items[item - 1].n_note);
		add_output_lines(d, group, text, ctx_buf_span(&b));
	}
	ctx_buf_release(&b);
}
