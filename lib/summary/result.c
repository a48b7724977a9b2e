/* Adds to the actions what came of them: failures, counts, and numbers of results. */
#include "summary/doc.h"

#include <string.h>

#include "json/json.h"

#define TELLING 1.0f /* worth of a failure, a commit, or a count of tests */
#define FAILED 2.0f  /* largest worth of a call that failed */
#define FEW_LINES 3
#define HEADING_MAX 8 /* bytes of a line such as "ERRORS:" */
#define LINE_MAX_BYTES 200
#define ERROR_MAX_BYTES 300

/* Checks for counts of what passed, failed or changed, as in "87 tests, 0 failures".
 * Returns -1 if there are none, 1 if something failed, otherwise 0. */
static int
count_outcome(struct ctx_span line)
{
	static const char bad[] = "failed|failing|failure|failures|error|errors",
			  good[] =
			      "test|tests|passed|passing|warnings|examples|assertions|"
			      "insertions|deletions|file|files|issues|problems|skipped";
	int found = -1;
	size_t n, at;

	for (size_t i = 0; i < line.n; i = at) {
		struct ctx_span word;
		at = i + ctx_span_digits(ctx_span_from(line, i));
		if (at == i || at == line.n || line.p[at] != ' ') {
			at = i + 1;
			continue;
		}
		for (n = at + 1; n < line.n && ctx_is_lower(line.p[n]);)
			n++;
		word = (struct ctx_span){line.p + at + 1, n - at - 1};
		if (ctx_span_is_any(word, bad) && (at - i > 1 || line.p[i] != '0'))
			found = 1;
		else if (ctx_span_is_any(word, bad) || ctx_span_is_any(word, good))
			found = found < 0 ? 0 : found;
	}
	return found;
}

/* True if the line reports a failure, in one word or in several. */
static bool
tells_failure(struct ctx_span line)
{
	return ctx_summary_error_line(line) ||
	       ctx_summary_contains_any(line, "No such file or directory|not found");
}

static bool
tells_success(struct ctx_span line)
{
	return ctx_summary_contains_any(line,
	    "success|successful|successfully|Success|Successfully|succeeded|no issues|"
	    "no errors|no problems|up to date|All checks passed|PASS|erfolgreich|成功");
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
	       (ctx_is_digit(end[-1 - (ptrdiff_t)hex]) ||
		   (end[-1 - (ptrdiff_t)hex] >= 'a' && end[-1 - (ptrdiff_t)hex] <= 'f')))
		hex++;
	return hex >= 7 && end[-1 - (ptrdiff_t)hex] == ' ';
}

static bool
is_sentence_line(struct ctx_span line)
{
	return ctx_span_count(line, ' ') > 3 && line.p[0] != '#' && line.p[0] != '<';
}

/* True for "20 matches" or "Found 3 files" at the start of a line; cuts the line to it. */
static bool
tells_matches(struct ctx_span *line)
{
	const char *mark = memchr(line->p, '<', line->n);
	struct ctx_span head = {
	    line->p, mark != NULL ? (size_t)(mark - line->p) : line->n};

	if (head.n == 0 || head.n > 80 || !(ctx_is_digit(head.p[0]) || head.p[0] == 'F'))
		return false;
	if (!ctx_summary_contains_any(
		head, "match|matches|result|results|files|file|Found"))
		return false;
	*line = head;
	return true;
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
	bool trace = false;

	while (ctx_summary_line(&text, &l)) {
		/* a traceback lists calls, which are indented, before the error */
		trace = ctx_span_begins(l, "Traceback (most") ||
			(trace && l.n > 0 && l.p[0] == ' ');
		l = ctx_span_trim(l);
		if (l.n == 0 || trace)
			continue;
		count = l.n < LINE_MAX_BYTES ? count_outcome(l) : -1;
		now = kind != CTX_TOOL_SHELL || l.n >= LINE_MAX_BYTES ? TELLS_NOTHING
		      : is_commit_line(l)                             ? TELLS_COMMIT
		      : count >= 0                                    ? TELLS_COUNT
		      : tells_success(l)                              ? TELLS_SUCCESS
								      : TELLS_NOTHING;
		/* Take the first error. If a change was refused, take the second error,
		 * which gives the reason. */
		if (now <= TELLS_SUCCESS && l.n < 400 && tells_failure(l) &&
		    (best < TELLS_ERROR || (ctx_tool_changes(kind) &&
					       lines <= FEW_LINES && l.n > HEADING_MAX)))
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
		*failed = ctx_tool_changes(kind) && first.n > 0 && tells_failure(first);
	if (kind == CTX_TOOL_TASK && told.p != NULL) { /* the report of a sub-agent */
		*line = told;
		return TELLS_SUCCESS;
	}
	if (kind == CTX_TOOL_SEARCH && lines > 1 && best == TELLS_ERROR)
		best = TELLS_NOTHING;
	if (best != TELLS_NOTHING || lines == 0)
		return best;
	if (kind == CTX_TOOL_SEARCH && (lines == 1 || tells_matches(&first))) {
		*line = first; /* "No files found", "Found 3 matches" */
		return TELLS_SUCCESS;
	}
	*line = kind == CTX_TOOL_SHELL ? last : first;
	return kind == CTX_TOOL_SHELL && lines > FEW_LINES ? TELLS_NOTHING : TELLS_LAST;
}

/* Returns the number of lines that are not blank. */
static size_t
count_result_lines(struct ctx_span text)
{
	struct ctx_span line;
	size_t n = 0;

	while (ctx_summary_line(&text, &line))
		n += ctx_span_trim(line).n > 0;
	return n;
}

/* Raises the worth of an action to TELLING if it is lower. */
static void
raise_worth(struct ctx_doc *d, uint32_t item)
{
	if (d->items[item].base < TELLING)
		d->items[item].base = TELLING;
}

/* Adds to a call how much it returned. */
static void
note_amount(struct ctx_doc *d, uint32_t item, size_t n, enum ctx_doc_word unit)
{
	struct ctx_buf b = CTX_BUF_INIT;

	if (n == 0)
		ctx_buf_adds(&b, ctx_doc_word(d->language, CTX_WORD_NOTHING));
	else
		ctx_buf_addf(&b, "%zu %s", n, ctx_doc_word(d->language, unit));
	ctx_doc_item_note(d, item, ctx_buf_span(&b));
	if (n == 0)
		raise_worth(d, item);
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
		ctx_doc_add_quoted(&b, line, failed ? ERROR_MAX_BYTES : LINE_MAX_BYTES);
	if (item > 0) {
		if (kind == CTX_TOOL_SEARCH && b.n == 0)
			note_amount(
			    d, item - 1, count_result_lines(text), CTX_WORD_LINES);
		else
			ctx_doc_item_note(d, item - 1, ctx_buf_span(&b));
		if (failed || tells >= TELLS_COUNT)
			raise_worth(d, item - 1);
	}
	d->failed = failed;
	ctx_buf_release(&b);
}

/* Adds to a call what its JSON result says about the outcome: an error, or the number of
 * results. */
static void
note_json_outcome(struct ctx_doc *d, struct ctx_span json, uint32_t item, bool error)
{
	struct ctx_buf b = CTX_BUF_INIT, tmp = CTX_BUF_INIT;
	bool failed = error || ctx_span_is(ctx_json_get(json, "success"), "false") ||
		      ctx_span_is(ctx_json_get(json, "ok"), "false");

	struct ctx_span v = ctx_doc_get_text(json,
	    failed ? "error|error_message|message|detail" : "error|error_message", &tmp);

	failed |= v.n > 0;
	d->failed = failed;
	if (ctx_json_type(json) == CTX_JSON_ARRAY && !failed) {
		note_amount(d, item, ctx_json_count(json), CTX_WORD_RESULTS);
	} else if (failed) {
		ctx_doc_add_quoted(&b, v.n > 0 ? v : json, LINE_MAX_BYTES);
		ctx_doc_item_note(d, item, ctx_buf_span(&b));
		raise_worth(d, item);
		if (d->items[item].base > FAILED) /* a failed call had no effect */
			d->items[item].base = FAILED;
	}
	ctx_buf_release(&b);
	ctx_buf_release(&tmp);
}

/* True if an earlier call had the same arguments. */
static bool
is_call_repeated(struct ctx_doc *d, struct ctx_span args)
{
	size_t *at = ctx_map_at(
	    &d->by_action, ctx_summary_hash(67, args.p, args.n), NULL, NULL);

	return (*at)++ > 0;
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
		if (item > 0)
			note_json_outcome(d, json, item - 1, p->error);
		ctx_doc_add_records(d, json, name, args);
	} else {
		add_note(d, text, kind, item, p->error);
		ctx_doc_add_excerpts(d, text, kind, ctx_tool_path(args, &tmp), item,
		    is_call_repeated(d, args));
	}
	ctx_buf_release(&tmp);
}
