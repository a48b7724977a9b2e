/* Inside of ctx-lint. */
#ifndef LINT_H
#define LINT_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "lint/lint.h"

/* What is told of one file. */
struct lint_report {
	const char *file;
	size_t before; /* lines of the file before the text that is judged */
	struct ctx_buf *out;
	size_t warnings;
	bool strict; /* they count as errors */
	bool failed; /* something was told that does */
};

/* A way to print diagnostics (lint_format.c); functions that are NULL do nothing. */
struct lint_format {
	const char *name;
	void (*put)(struct lint_report *r, const struct ctx_lint_diagnostic *d);
	/* the file cannot be read or judged: why, and its line */
	void (*fail)(struct lint_report *r, size_t line, const char *text);
	void (*begin)(struct ctx_buf *out);
	void (*end_file)(struct lint_report *r);
	void (*end)(struct ctx_buf *out);
};
const struct lint_format *lint_format_find(const char *name); /* NULL: unknown */

/* A file, transcript by transcript where it is written a record on a line, else whole. */
struct lint_parts;

/* "-" is standard input. NULL with err set when the file cannot be opened. */
struct lint_parts *lint_parts_open(const char *path, struct ctx_err *err);
void lint_parts_close(struct lint_parts *p); /* NULL is fine */

/* The next text, borrowed until the next call, and the number of lines before it: 1; 0 at
 * the end; -1 with CTX_EIO, or CTX_EINPUT when a text is too long. An empty file is one
 * empty text. */
int lint_parts_next(
    struct lint_parts *p, struct ctx_span *text, size_t *before, struct ctx_err *err);

#endif
