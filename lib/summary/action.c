/* Builds the lines of the document from calls and their results. */
#include "summary/doc.h"

#include <string.h>

#include "base/mem.h"
#include "json/json.h"

/* facts that a quoted line of code must contain, unless it defines something */
#define CODE_FACTS 2
#define ACTION 0.5f
/* worth of a call of an unknown tool that may have changed something */
#define EFFECT 4.0f
#define CHANGED 1.5f /* worth of a file that was changed */
#define TELLING 1.0f /* worth of a failure, a commit, or a count of tests */
#define FEW_LINES 3
#define TODO 1.5f
#define LINE_MAX_BYTES 200
#define ACTIONS_MAX 4 /* actions on one line */
#define NAMES_MAX 400 /* quoted lines of one result */
#define USED 0.2f     /* lowest score of a fact that is worth quoting */

static uint64_t
hash_action_key(const char *kind, struct ctx_span text)
{
	return ctx_summary_hash(ctx_summary_hash(5, kind, strlen(kind)), text.p, text.n);
}

/* Returns the group of a file, in which everything about the file is printed. */
static uint32_t
file_group(struct ctx_doc *d, struct ctx_span path)
{
	struct ctx_buf b = CTX_BUF_INIT;
	uint32_t group;

	ctx_doc_add_code(&b, ctx_doc_short_path(d, path), 240);
	group = ctx_doc_subject(d, ctx_buf_span(&b));
	ctx_buf_release(&b);
	return group;
}

static bool
changes_files(enum ctx_tool_kind kind)
{
	return kind == CTX_TOOL_EDIT || kind == CTX_TOOL_WRITE || kind == CTX_TOOL_PATCH;
}

/* True if the name of an unknown tool says that it only reads something. */
static bool
looks_up(struct ctx_span text)
{
	static const char *const verbs[] = {"get", "list", "search", "find", "read",
	    "fetch", "lookup", "look", "view", "show", "query", "check", "calculate",
	    "think"};

	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		size_t n = strlen(verbs[i]);
		if (text.n > n && memcmp(text.p, verbs[i], n) == 0 &&
		    !(text.p[n] >= 'a' && text.p[n] <= 'z'))
			return true;
	}
	return false;
}

/* Returns the item of an action. An equal action of the same request shares its item; a
 * line has at most ACTIONS_MAX actions. */
static uint32_t
add_action(struct ctx_doc *d, enum ctx_tool_kind kind, struct ctx_span text)
{
	uint64_t key = ctx_summary_hash(
	    ((uint64_t)d->requests << 8) + (uint64_t)kind, text.p, text.n);
	size_t *at = ctx_map_at(&d->by_action, key, NULL, NULL);
	uint32_t item;

	if (*at != 0) {
		d->items[*at - 1].times++;
		return (uint32_t)*at - 1;
	}
	if (d->line_request != d->requests + 1 || d->line_actions >= ACTIONS_MAX) {
		d->line = ctx_doc_group(
		    d, CTX_DOC_ACTIONS, d->requests, CTX_SPAN_NONE, 0);
		d->line_request = d->requests + 1;
		d->line_actions = 0;
	}
	d->line_actions++;
	item = ctx_doc_item(d, d->line, text, 0,
	    kind == CTX_TOOL_OTHER && !looks_up(text) ? EFFECT : ACTION);
	d->items[item].verb = (int)kind;
	*at = item + 1;
	return item;
}

void
ctx_doc_add_call(struct ctx_doc *d, uint32_t piece, uint32_t *item_of)
{
	struct ctx_span name = ctx_summary_piece_name(d->in, piece),
			args = ctx_summary_piece_json(d->in, piece), path;
	enum ctx_tool_kind kind = ctx_tool_find(name, args);
	struct ctx_buf b = CTX_BUF_INIT, tmp = CTX_BUF_INIT;
	const char *verb;

	if (kind == CTX_TOOL_THINK)
		return;
	verb = ctx_doc_word(d->language, kind);
	if (args.p == NULL)
		args = ctx_summary_piece_body(d->in, piece);
	path = ctx_tool_path(args, &tmp);
	ctx_tool_put(&b, kind, name, args, ctx_doc_short_path(d, path));
	item_of[piece] = add_action(d, kind, ctx_buf_span(&b)) + 1;
	if (changes_files(kind) && path.n > 0) {
		ctx_doc_item(d, file_group(d, path), ctx_span_of(verb),
		    hash_action_key("changed", ctx_span_of(verb)), CHANGED);
	}
	ctx_buf_release(&b);
	ctx_buf_release(&tmp);
}

/* ---- results ---- */

/* Checks for counts of what passed, failed or changed, as in "87 tests, 0 failures".
 * Returns -1 if there are none, 1 if something failed, otherwise 0. */
static int
count_outcome(struct ctx_span line)
{
	static const char *const nouns[] = {"test", "tests", "passed", "passing",
	    "failed", "failing", "failure", "failures", "error", "errors", "warnings",
	    "examples", "assertions", "insertions", "deletions", "file", "files",
	    "issues", "problems", "skipped"};
	int found = -1;
	size_t n, at;

	for (size_t i = 0; i < line.n; i = at) {
		for (at = i; at < line.n && line.p[at] >= '0' && line.p[at] <= '9';)
			at++;
		if (at == i || at == line.n || line.p[at] != ' ') {
			at = i + 1;
			continue;
		}
		for (n = at + 1; n < line.n && line.p[n] >= 'a' && line.p[n] <= 'z';)
			n++;
		for (size_t k = 0; k < sizeof(nouns) / sizeof(nouns[0]); k++) {
			struct ctx_span word = {line.p + at + 1, n - at - 1};
			if (!ctx_span_is(word, nouns[k]))
				continue;
			found = found < 0 ? 0 : found;
			if (k >= 4 && k <= 9 && (at - i > 1 || line.p[i] != '0'))
				found = 1;
		}
	}
	return found;
}

/* True if the line reports a failure, in one word or in several. */
static bool
tells_failure(struct ctx_span line)
{
	return ctx_summary_error_line(line) ||
	       ctx_summary_contains(line, ctx_span_of("No such file or directory")) ||
	       ctx_summary_contains(line, ctx_span_of("not found"));
}

static bool
tells_success(struct ctx_span line)
{
	static const char *const words[] = {"success", "successful", "successfully",
	    "Success", "Successfully", "succeeded", "no issues", "no errors",
	    "no problems", "up to date", "All checks passed", "PASS", "erfolgreich",
	    "成功"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (ctx_summary_contains(line, ctx_span_of(words[i])))
			return true;
	return false;
}

/* True for "[main a230dbf] Subject" and "05fd186..a230dbf main -> main", which git prints
 * after a commit and a push. */
static bool
is_commit_line(struct ctx_span line)
{
	const char *end = line.p[0] == '[' ? memchr(line.p, ']', line.n) : NULL;
	size_t hex = 0;

	if (line.n > 20 && ctx_summary_contains(line, ctx_span_of(" -> ")))
		return ctx_summary_contains(line, ctx_span_of(".."));

	while (end != NULL && end - 1 - hex > line.p &&
	       ((end[-1 - (ptrdiff_t)hex] >= '0' && end[-1 - (ptrdiff_t)hex] <= '9') ||
		   (end[-1 - (ptrdiff_t)hex] >= 'a' && end[-1 - (ptrdiff_t)hex] <= 'f')))
		hex++;
	return hex >= 7 && end[-1 - (ptrdiff_t)hex] == ' ';
}

static bool
is_sentence_line(struct ctx_span line)
{
	size_t spaces = 0;

	for (size_t i = 0; i < line.n; i++)
		spaces += line.p[i] == ' ';
	return spaces > 3 && line.p[0] != '#' && line.p[0] != '<';
}

/* What a line of the output tells about the outcome, from the least to the most
 * telling. */
enum telling {
	TELLS_NOTHING,
	TELLS_LAST,
	TELLS_SUCCESS,
	TELLS_ERROR,
	TELLS_COUNT,
	TELLS_COMMIT
};

/* Sets *line to the line that tells the outcome: one with a count or a commit; otherwise
 * the first line that reports a failure; otherwise the last line of a command's short
 * output, or the first line of another tool's. */
static enum telling
find_telling_line(
    struct ctx_span text, enum ctx_tool_kind kind, struct ctx_span *line, bool *failed)
{
	struct ctx_span l, first = CTX_SPAN_NONE, last = CTX_SPAN_NONE,
			   told = CTX_SPAN_NONE;
	enum telling best = TELLS_NOTHING, now;
	size_t lines = 0;
	int count;

	while (ctx_summary_line(&text, &l)) {
		l = ctx_span_trim(l);
		if (l.n == 0)
			continue;
		count = l.n < LINE_MAX_BYTES ? count_outcome(l) : -1;
		now = kind != CTX_TOOL_SHELL || l.n >= LINE_MAX_BYTES ? TELLS_NOTHING
		      : is_commit_line(l)                             ? TELLS_COMMIT
		      : count >= 0                                    ? TELLS_COUNT
		      : tells_success(l)                              ? TELLS_SUCCESS
								      : TELLS_NOTHING;
		if (now <= TELLS_SUCCESS && l.n < 400 && tells_failure(l) &&
		    best < TELLS_ERROR)
			now = TELLS_ERROR;
		if (now != TELLS_NOTHING && now >= best) {
			best = now;
			*line = l;
			*failed = now == TELLS_ERROR || count > 0;
		}
		first = first.p == NULL ? l : first;
		told = told.p == NULL && is_sentence_line(l) ? l : told;
		last = l;
		lines++;
	}
	/* Errors in text that was read or found are not failures of the call. */
	if (kind != CTX_TOOL_SHELL && (kind != CTX_TOOL_OTHER || lines > FEW_LINES))
		*failed = false;
	if (kind == CTX_TOOL_TASK && told.p != NULL) { /* the report of a sub-agent */
		*line = told;
		return TELLS_SUCCESS;
	}
	if (best != TELLS_NOTHING || lines == 0)
		return best;
	if (kind == CTX_TOOL_SEARCH && lines == 1) { /* "No files found" */
		*line = first;
		return TELLS_SUCCESS;
	}
	*line = kind == CTX_TOOL_SHELL ? last : first;
	return kind == CTX_TOOL_SHELL && lines > FEW_LINES ? TELLS_NOTHING : TELLS_LAST;
}

/* True if the fact is worth quoting the line. Unless the line is of a file, the fact must
 * also occur in other pieces. */
static bool
is_used(const struct ctx_doc_fact *f, bool file)
{
	return f != NULL && f->kind != CTX_FACT_NAME && f->score >= USED &&
	       (file || f->pieces > 1 || f->said != CTX_SAID_RESULT);
}

/* Removes a line number such as "  12→", which a viewer has put before the line. */
static struct ctx_span
without_number(struct ctx_span line)
{
	size_t i = 0;

	while (i < line.n && (line.p[i] == ' ' || (line.p[i] >= '0' && line.p[i] <= '9')))
		i++;
	if (i + 3 <= line.n && memcmp(line.p + i, "→", 3) == 0)
		i += 3;
	else if (i < line.n && i > 0 && line.p[i] == '\t')
		i++;
	else
		i = 0;
	return ctx_span_trim((struct ctx_span){line.p + i, line.n - i});
}

/* True for a line of source code that defines something. Other lines of a file say little
 * without their neighbors. */
static bool
is_definition(struct ctx_span line)
{
	static const char *const words[] = {"def", "defp", "defmodule", "class",
	    "function", "func", "fn", "struct", "enum", "interface", "trait", "impl",
	    "module", "namespace", "export", "type", "static", "int", "void", "bool",
	    "public", "private", "protected", "async", "CREATE", "#define", "#", "##",
	    "###"};
	size_t n = 0;

	while (n < line.n && line.p[n] != ' ' && line.p[n] != '\t')
		n++;
	for (size_t i = 0; n < line.n && i < sizeof(words) / sizeof(words[0]); i++)
		if (ctx_span_is((struct ctx_span){line.p, n}, words[i]))
			return true;
	return false;
}

/* Quotes the line, or a sentence of a long line, if it contains facts that the
 * conversation uses. */
static bool
add_used_line(struct ctx_doc *d, uint32_t group, struct ctx_span line, bool file,
    struct ctx_facts *f, struct ctx_buf *b)
{
	int used = 0, wanted = file && !is_definition(line) ? CODE_FACTS : 1;
	struct ctx_span name;

	f->n = 0;
	ctx_summary_facts_scan(line, false, 0, f);
	for (size_t i = 0; i < f->n; i++) {
		name = (struct ctx_span){line.p + f->v[i].offset, f->v[i].n};
		used += is_used(ctx_doc_fact_find(d, name), file);
	}
	if (used < wanted)
		return false;
	ctx_buf_reset(b);
	ctx_doc_add_quoted(b, line, LINE_MAX_BYTES);
	if (b->n > 0)
		ctx_doc_excerpt(d, group, ctx_buf_span(b), hash_action_key("line", line),
		    file ? CTX_EXCERPT_FILE : CTX_EXCERPT_OUTPUT);
	return true;
}

/* Quotes the lines of an output that contain facts which the conversation uses. */
static void
add_lines(struct ctx_doc *d, uint32_t group, struct ctx_span text, bool file)
{
	struct ctx_facts f = CTX_FACTS_INIT;
	struct ctx_buf b = CTX_BUF_INIT;
	struct ctx_summary_sentences it;
	struct ctx_span line, s;
	size_t n = 0;

	while (n < NAMES_MAX && ctx_summary_line(&text, &line)) {
		line = without_number(line);
		if (line.n == 0)
			continue;
		if (line.n <= LINE_MAX_BYTES) {
			n += add_used_line(d, group, line, file, &f, &b);
			continue;
		}
		ctx_summary_sentences_init(&it, line);
		while (!file && n < NAMES_MAX && ctx_summary_sentences_next(&it, &s))
			n += it.fresh && s.n <= LINE_MAX_BYTES &&
			     add_used_line(d, group, s, file, &f, &b);
	}
	ctx_facts_release(&f);
	ctx_buf_release(&b);
}

static void
add_action_text(struct ctx_doc *d, struct ctx_span text, enum ctx_tool_kind kind,
    struct ctx_span path, uint32_t item)
{
	struct ctx_buf b = CTX_BUF_INIT;
	uint32_t group;
	bool file;

	if (kind == CTX_TOOL_TODO || item == 0)
		return;
	file = (kind == CTX_TOOL_READ || changes_files(kind)) && path.n > 0;
	if (file)
		ctx_doc_add_code(&b, ctx_doc_short_path(d, path), 240);
	else
		ctx_buf_addspan(&b, ctx_doc_item_text(d, &d->items[item - 1]));
	group = ctx_doc_subject(d, ctx_buf_span(&b));
	add_lines(d, group, text, file);
	ctx_buf_release(&b);
}

/* Adds to the action the line that tells its outcome. */
static void
add_note(struct ctx_doc *d, struct ctx_span text, enum ctx_tool_kind kind, uint32_t item,
    bool error)
{
	struct ctx_span line = CTX_SPAN_NONE;
	struct ctx_buf b = CTX_BUF_INIT;
	bool failed = false;
	enum telling tells = find_telling_line(text, kind, &line, &failed);

	failed |= error;
	if (tells != TELLS_NOTHING &&
	    (failed || kind == CTX_TOOL_SHELL || kind == CTX_TOOL_OTHER ||
		((kind == CTX_TOOL_SEARCH || kind == CTX_TOOL_TASK) &&
		    tells == TELLS_SUCCESS)))
		ctx_doc_add_quoted(&b, line, LINE_MAX_BYTES);
	if (item > 0) {
		ctx_doc_item_note(d, item - 1, ctx_buf_span(&b));
		if (failed || tells >= TELLS_COUNT)
			d->items[item - 1].base = TELLING;
	}
	d->failed = failed;
	ctx_buf_release(&b);
}

void
ctx_doc_add_result(struct ctx_doc *d, uint32_t piece, const uint32_t *item_of)
{
	const struct ctx_summary_piece *p = &d->in->v[piece];
	struct ctx_span text = ctx_summary_piece_text(d->in, piece),
			json = ctx_summary_piece_json(d->in, piece),
			name = ctx_summary_piece_name(d->in, piece), args = CTX_SPAN_NONE;
	struct ctx_buf tmp = CTX_BUF_INIT;
	uint32_t item = p->call > 0 ? item_of[p->call - 1] : 0;
	enum ctx_tool_kind kind;

	if (p->call > 0)
		args = ctx_summary_piece_json(d->in, p->call - 1);
	kind = ctx_tool_find(name, args);
	if (json.p != NULL) {
		ctx_doc_add_records(d, json, name, args);
	} else {
		add_note(d, text, kind, item, p->error);
		add_action_text(d, text, kind, ctx_tool_path(args, &tmp), item);
	}
	ctx_buf_release(&tmp);
}

/* ---- lists ---- */

void
ctx_doc_add_todo(struct ctx_doc *d, struct ctx_span args)
{
	static const char *const lists[] = {"todos", "plan", "items"};
	static const char *const texts[] = {
	    "content", "step", "text", "title", "description", "task"};
	struct ctx_span list = args, text, status;
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_json_iter it;
	uint32_t group;

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (ctx_json_type(ctx_json_get(args, lists[i])) == CTX_JSON_ARRAY)
			list = ctx_json_get(args, lists[i]);
	group = ctx_doc_group(
	    d, CTX_DOC_OPEN, 0, ctx_span_of(ctx_doc_word(d->language, CTX_WORD_TODO)), 0);
	ctx_json_iter_init(&it, list);
	while (ctx_json_iter_next(&it)) {
		status = ctx_json_get(it.value, "status");
		if (ctx_json_is(status, "completed") || ctx_json_is(status, "done") ||
		    ctx_json_is(status, "cancelled"))
			continue;
		text = CTX_SPAN_NONE;
		for (size_t i = 0; i < 6 && text.p == NULL; i++)
			text = ctx_json_get(it.value, texts[i]);
		text = ctx_json_text(text, &tmp);
		if (text.n > 0 && text.n < 300)
			ctx_doc_item(d, group, text, 0, TODO);
	}
	ctx_buf_release(&tmp);
}
