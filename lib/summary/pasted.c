/* Files that messages contain as text: a path on a line of its own, and below it a code
 * block, or the outline of a repository map. They are printed in the section State, like
 * files that were read or changed by tools. */
#include "summary/doc.h"

#include <string.h>

#include "base/mem.h"

#define CLASS 0.12f /* worth of a type, and of a function, in an outline */
#define FUNCTION 0.05f
#define LISTED 0.02f /* worth of a file of which only the name is given */
#define EDITED 1.5f
#define PATH_MAX_BYTES 200

/* Returns the path if the line consists of nothing else, apart from marks around it and a
 * colon; otherwise an absent span. */
static struct ctx_span
find_path_line(struct ctx_span line)
{
	struct ctx_facts f = CTX_FACTS_INIT;
	bool whole;

	line = ctx_span_trim(line);
	while (line.n > 0 && strchr("#*` ", line.p[0]) != NULL) {
		line.p++;
		line.n--;
	}
	while (line.n > 0 && strchr("*`: ", line.p[line.n - 1]) != NULL)
		line.n--;
	if (line.n < 4 || line.n > PATH_MAX_BYTES)
		return CTX_SPAN_NONE;
	ctx_summary_facts_scan(line, false, 0, &f);
	whole = f.n == 1 && f.v[0].kind == CTX_FACT_PATH && f.v[0].offset == 0 &&
		f.v[0].n == line.n;
	ctx_facts_release(&f);
	return whole ? line : CTX_SPAN_NONE;
}

bool
ctx_doc_is_outline(struct ctx_span line)
{
	return ctx_span_begins_any(line, "│|⋮") > 0;
}

static bool
is_fence(struct ctx_span line)
{
	return ctx_span_begins(line, "```");
}

/* Reads a definition such as "class Name(Base):" or "def name(self)". Returns the text to
 * print: the name, for a type with its keyword; absent if the line defines nothing. */
static struct ctx_span
find_defined(struct ctx_span line, bool *type)
{
	size_t w = ctx_span_begins_any(line, "class |struct |interface |enum |trait "), n;

	*type = w > 0;
	if (w == 0)
		w = ctx_span_begins_any(line, "def |fn |func |function ");
	for (n = w; n < line.n && strchr("(:{ <;", line.p[n]) == NULL;)
		n++;
	if (w == 0 || n == w)
		return CTX_SPAN_NONE;
	return *type ? (struct ctx_span){line.p, n}
		     : (struct ctx_span){line.p + w, n - w};
}

/* Adds what an outline defines, type by type. Names that begin with an underscore are
 * internal. Returns the text after the outline. */
static struct ctx_span
add_outline(struct ctx_doc *d, uint32_t group, struct ctx_span text)
{
	struct ctx_span rest = text, line, name;
	bool type;

	while (ctx_summary_line(&rest, &line)) {
		line = ctx_span_trim(line);
		if (line.n > 0 && !ctx_doc_is_outline(line))
			break;
		text = rest;
		if (line.n < 4)
			continue;
		line = ctx_span_trim(ctx_span_from(line, 3));
		name = find_defined(line, &type);
		if (name.n == 0 || name.p[0] == '_')
			continue;
		ctx_doc_item(d, group, name, ctx_summary_hash(53, name.p, name.n),
		    type ? CLASS : FUNCTION);
	}
	return text;
}

/* Splits "<<<<<<< SEARCH\nold\n=======\nnew\n>>>>>>> REPLACE". Returns the text after it,
 * or an absent span if there is none. */
static struct ctx_span
split_change(struct ctx_span body, struct ctx_span *old, struct ctx_span *now)
{
	struct ctx_span line, before = body;
	int part = 0;

	for (; ctx_summary_line(&body, &line); before = body) {
		if (part == 0 && line.n > 7 && memcmp(line.p, "<<<<<<<", 7) == 0) {
			part = 1;
			*old = body;
		} else if (part == 1 && ctx_span_begins(line, "=======")) {
			part = 2;
			old->n = (size_t)(before.p - old->p);
			*now = body;
		} else if (part == 2 && ctx_span_begins(line, ">>>>>>>")) {
			now->n = (size_t)(before.p - now->p);
			return body;
		}
	}
	return CTX_SPAN_NONE;
}

/* Adds a code block below a path: changes, or the text of the file. */
static void
add_block(struct ctx_doc *d, struct ctx_span path, struct ctx_span body, bool answer)
{
	uint32_t group = ctx_doc_file(d, path);
	struct ctx_span old, now, rest = body;
	bool changed = false;

	while ((rest = split_change(rest, &old, &now)).p != NULL) {
		ctx_doc_add_replacement(d, group, old, now);
		changed = true;
	}
	if (changed && answer)
		ctx_doc_add_edit(d, path, group);
	if (!changed)
		ctx_doc_add_file_lines(d, group, body, false);
}

/* Returns the text up to the line that closes the fence; *rest starts after it. */
static struct ctx_span
take_fenced(struct ctx_span *rest)
{
	struct ctx_span body = *rest, line, before = *rest;

	for (; ctx_summary_line(rest, &line); before = *rest)
		if (is_fence(line)) {
			body.n = (size_t)(before.p - body.p);
			return body;
		}
	return body;
}

void
ctx_doc_add_pasted(struct ctx_doc *d, struct ctx_span text, bool answer)
{
	struct ctx_span line, path = CTX_SPAN_NONE, at = text;
	bool outlined = false;

	for (; ctx_summary_line(&text, &line); at = text) {
		struct ctx_span found;
		line = ctx_span_trim(line);
		if (line.n == 0)
			continue;
		if (is_fence(line)) {
			struct ctx_span body = take_fenced(&text);
			if (path.n > 0)
				add_block(d, path, body, answer);
			path = CTX_SPAN_NONE;
			continue;
		}
		if (ctx_doc_is_outline(line) && path.n > 0) {
			text = add_outline(d, ctx_doc_file(d, path), at);
			path = CTX_SPAN_NONE;
			outlined = true;
			continue;
		}
		found = find_path_line(line);
		/* the names of further files of a map */
		if (outlined && path.n > 0)
			ctx_doc_item(d, ctx_doc_file(d, path), CTX_SPAN_NONE, 59, LISTED);
		path = found;
	}
}
