/* Finds the words that calls search for in files, and the line numbers that people
 * name. */
/* NOLINTNEXTLINE(bugprone-reserved-identifier) */
#define _GNU_SOURCE /* memmem */
#include "summary/doc.h"

#include <stdio.h>
#include <string.h>

#include "json/json.h"

#define WORD_MIN 4   /* minimum length of a word, in bytes */
#define WORDS_MAX 64 /* maximum number of words */

static bool
is_pattern_char(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
	       c == '_';
}

/* Adds the words of a pattern to d->sought, one a line. */
static void
add_pattern(struct ctx_doc *d, struct ctx_span pattern)
{
	struct ctx_buf *b = &d->sought;
	size_t n;

	for (size_t i = 0; i < pattern.n; i += n + 1) {
		struct ctx_span word = {pattern.p + i, 0};
		for (n = 0; i + n < pattern.n && is_pattern_char(word.p[n]);)
			n++;
		word.n = n;
		/* "\bword" */
		if (n > 1 && i > 0 && word.p[-1] == '\\')
			word = (struct ctx_span){word.p + 1, n - 1};
		if (word.n < WORD_MIN ||
		    ctx_span_count(ctx_buf_span(b), '\n') >= WORDS_MAX ||
		    (b->n > 0 && memmem(b->p, b->n, word.p, word.n) != NULL))
			continue;
		ctx_buf_addspan(b, word);
		ctx_buf_addc(b, '\n');
	}
}

/* Adds the pattern of "grep" or "rg" in a command: the first argument that is not an
 * option. */
static void
add_command_pattern(struct ctx_doc *d, struct ctx_span command)
{
	static const char *const names[] = {"grep ", "rg "};
	const char *end, *p = NULL, *stop;

	if (command.n == 0)
		return;
	end = command.p + command.n;
	for (size_t i = 0; i < 2 && p == NULL; i++) {
		p = memmem(command.p, command.n, names[i], strlen(names[i]));
		p = p != NULL ? p + strlen(names[i]) : NULL;
	}
	while (p != NULL && p < end && (*p == '-' || *p == ' ')) {
		p = *p == ' ' ? p : memchr(p, ' ', (size_t)(end - p));
		p = p != NULL ? p + 1 : NULL;
	}
	if (p == NULL || p >= end)
		return;
	stop = *p == '"' || *p == '\'' ? memchr(p + 1, *p, (size_t)(end - p) - 1)
				       : memchr(p, ' ', (size_t)(end - p));
	add_pattern(d, (struct ctx_span){p, (size_t)((stop != NULL ? stop : end) - p)});
}

void
ctx_doc_find_sought(struct ctx_doc *d)
{
	struct ctx_buf tmp = CTX_BUF_INIT;
	struct ctx_span args;

	for (uint32_t i = 0; i < d->in->n; i++) {
		if (d->in->v[i].kind != CTX_PIECE_CALL)
			continue;
		args = ctx_summary_piece_json(d->in, i);
		switch (ctx_tool_find(ctx_summary_piece_name(d->in, i), args)) {
		case CTX_TOOL_SEARCH:
			add_pattern(
			    d, ctx_json_text(ctx_json_get(args, "pattern"), &tmp));
			add_pattern(d, ctx_json_text(ctx_json_get(args, "query"), &tmp));
			break;
		case CTX_TOOL_SHELL:
			add_command_pattern(
			    d, ctx_json_text(ctx_json_get(args, "command"), &tmp));
			break;
		default:
			break;
		}
	}
	ctx_buf_release(&tmp);
}

bool
ctx_doc_is_sought(struct ctx_doc *d, struct ctx_span line, uint32_t number)
{
	struct ctx_span rest = ctx_buf_span(&d->sought), word;
	const struct ctx_doc_fact *f;
	char digits[16];

	while (ctx_summary_line(&rest, &word))
		if (word.n > 0 && memmem(line.p, line.n, word.p, word.n) != NULL)
			return true;
	if (number == 0)
		return false;
	snprintf(digits, sizeof(digits), "%u", (unsigned)number);
	f = ctx_doc_fact_find(d, ctx_span_of(digits));
	return f != NULL && (f->said & (CTX_SAID_USER | CTX_SAID_ASSISTANT)) != 0;
}
