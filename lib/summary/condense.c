/* Condenses tool outputs: detects their type, and condenses plain text. */
#include "summary/internal.h"

#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "json/json.h"

bool
ctx_summary_line(struct ctx_span *rest, struct ctx_span *line)
{
	if (!ctx_span_split(rest, '\n', line))
		return false;
	if (line->n > 0 && line->p[line->n - 1] == '\r')
		line->n--;
	return true;
}

static size_t
count_output_lines(struct ctx_span text)
{
	struct ctx_span line;
	size_t n = 0;

	while (ctx_summary_line(&text, &line))
		n++;
	return n;
}

/* True if the line contains a level or word of failure as a whole word: in logs, compiler
 * output and stack traces. */
bool
ctx_summary_error_line(struct ctx_span line)
{
	static const char words[] =
	    "error|err|fatal|failed|failure|fail|exception|panic|panicked|traceback|critical|"
	    "severe|denied|cannot|segfault|abort|aborted|timeout|undefined|"
	    "错误|錯誤|失败|失敗|エラー|ошибка|fehler|erreur";
	char word[16] = "";
	size_t n = 0;

	for (size_t i = 0; i <= line.n; i++) {
		char c = i < line.n ? line.p[i] : ' ';
		bool part = ctx_is_letter(c);
		if (part || (unsigned char)c >= 0x80) {
			if (n < sizeof(word))
				word[n] = part ? (char)(c | 0x20) : c;
			n++;
			continue;
		}
		if (n > 0 && n < sizeof(word) &&
		    ctx_span_is_any((struct ctx_span){word, n}, words))
			return true;
		/* FileNotFoundError, java.lang.IllegalStateException */
		if (i >= 5 && n > 5 && memcmp(line.p + i - 5, "Error", 5) == 0)
			return true;
		if (i >= 9 && n > 9 && memcmp(line.p + i - 9, "Exception", 9) == 0)
			return true;
		n = 0;
	}
	return false;
}

/* True if the line begins like a log line: with a date, a time, a level, a bracket and
 * digits, or a syslog month. */
static bool
is_log_line(struct ctx_span line)
{
	size_t digits = 0, signs = 0;

	line = ctx_span_trim(line);
	while (line.n > 0 && (line.p[0] == '[' || line.p[0] == '<')) {
		line.p++;
		line.n--;
	}
	if (ctx_span_begins_any(line,
		"DEBUG|INFO|WARN|ERROR|TRACE|FATAL|NOTICE|debug|info|warn|error") > 0 ||
	    (line.n > 6 && line.p[3] == ' ' &&
		ctx_span_begins_any(
		    line, "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec") > 0))
		return true;
	for (size_t i = 0; i < line.n && i < 20; i++) {
		digits += ctx_is_digit(line.p[i]);
		signs += line.p[i] == ':' || line.p[i] == '-' || line.p[i] == '.' ||
			 line.p[i] == '/';
		if (!ctx_is_digit(line.p[i]) && strchr(":-./T ", line.p[i]) == NULL)
			break;
	}
	return digits >= 4 && signs >= 2;
}

bool
ctx_summary_is_json(struct ctx_span text)
{
	struct ctx_err ignored;

	text = ctx_span_trim(text);
	return ctx_span_begins_any(text, "{|[") > 0 &&
	       ctx_json_check(text, NULL, NULL, &ignored) == 0;
}

#define SAMPLE 400 /* lines that are examined to detect logs and diffs */

enum ctx_output_type
ctx_summary_detect(struct ctx_span text)
{
	struct ctx_span rest = ctx_span_trim(text), line, last = CTX_SPAN_NONE;
	size_t n = 0, log = 0, errors = 0, headers = 0, hunks = 0;

	if (ctx_summary_is_json(rest))
		return CTX_OUTPUT_JSON;
	while (n < SAMPLE && ctx_summary_line(&rest, &line)) {
		n++;
		headers += ctx_span_begins(line, "diff --git ") ||
			   (ctx_span_begins(line, "+++ ") && last.p != NULL &&
			       ctx_span_begins(last, "--- "));
		hunks += ctx_span_begins(line, "@@ -");
		log += is_log_line(line);
		errors += ctx_summary_error_line(line);
		last = line;
	}
	if (headers > 0 && (hunks > 0 || headers > 1))
		return CTX_OUTPUT_DIFF;
	if (n >= 4 && log * 2 > n)
		return CTX_OUTPUT_LOG;
	return n >= 30 && errors > 0 && errors * 2 < n ? CTX_OUTPUT_LOG : CTX_OUTPUT_TEXT;
}

/* ---- plain text ---- */

/* Moves the cut to the end of a line, if one is in the last quarter. */
static size_t
whole_lines(struct ctx_span text, size_t n, bool tail)
{
	const char *nl;

	if (n == 0 || n >= text.n)
		return n;
	if (!tail) {
		for (size_t i = n; i > n - n / 4; i--)
			if (text.p[i - 1] == '\n')
				return i;
		return n;
	}
	nl = memchr(text.p + text.n - n, '\n', n);
	return nl && (size_t)(nl - (text.p + text.n - n)) < n / 4
		   ? (size_t)(text.p + text.n - nl) - 1
		   : n;
}

static void
put_condensed_text(struct ctx_buf *out, struct ctx_span text, size_t head, size_t tail)
{
	struct ctx_span gone = {text.p + head, text.n - head - tail};
	size_t lines = count_output_lines(gone);

	ctx_buf_add(out, text.p, head);
	if (head > 0 && text.p[head - 1] != '\n')
		ctx_buf_addc(out, lines > 1 ? '\n' : ' ');
	if (lines > 1)
		ctx_buf_addf(out, "[… %zu lines, %zu bytes left out]", lines, gone.n);
	else
		ctx_buf_addf(out, "[… %zu byte%s left out]", gone.n, CTX_PLURAL(gone.n));
	if (tail > 0)
		ctx_buf_addc(out, lines > 1 ? '\n' : ' ');
	ctx_buf_add(out, text.p + text.n - tail, tail);
}

void
ctx_summary_condense_text(
    struct ctx_buf *out, struct ctx_span text, struct ctx_tokenizer *t, int64_t max)
{
	size_t from = out->n, head, tail;

	if (max <= 0 || text.n == 0)
		return;
	if (ctx_tokens_text(t, text.p, text.n) <= max) {
		ctx_buf_addspan(out, text);
		return;
	}
	for (int64_t room = max; room > 0; room -= room / 8 + 1) {
		head = whole_lines(text, ctx_summary_head(text, t, room * 2 / 3), false);
		tail = whole_lines(text, ctx_summary_tail(text, t, room / 3), true);
		if (head + tail >= text.n)
			continue;
		put_condensed_text(out, text, head, tail);
		if (ctx_tokens_text(t, out->p + from, out->n - from) <= max)
			return;
		ctx_buf_cut(out, from);
	}
	ctx_buf_add(out, text.p, ctx_summary_head(text, t, max));
}

bool
ctx_summary_condense(struct ctx_buf *out, struct ctx_span text, struct ctx_tokenizer *t,
    int64_t max, enum ctx_output_type *type)
{
	enum ctx_output_type found = ctx_summary_detect(text);
	bool done = false;

	if (type != NULL)
		*type = found;
	if (text.n == 0)
		return false;
	if (ctx_tokens_text(t, text.p, text.n) <= max) {
		ctx_buf_addspan(out, text);
		return false;
	}
	if (found == CTX_OUTPUT_JSON)
		done = ctx_summary_condense_json(out, text, t, max);
	else if (found == CTX_OUTPUT_DIFF)
		done = ctx_summary_condense_diff(out, text, t, max);
	else if (found == CTX_OUTPUT_LOG)
		done = ctx_summary_condense_log(out, text, t, max);
	if (!done)
		ctx_summary_condense_text(out, text, t, max);
	return true;
}
