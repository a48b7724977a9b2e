/* Private to ctx-lint: functions that its files share. */
#ifndef LINT_H
#define LINT_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "lint/lint.h"

/* The diagnostics of one file. */
struct lint_report {
	const char *file;
	size_t before; /* number of lines of the file before the part being checked */
	struct ctx_buf *out;
	size_t warnings;
	bool strict; /* true: warnings count as errors */
	bool failed; /* true: a diagnostic that counts as an error was printed */
};

/* An output format for diagnostics (lint_format.c). Any of the functions may be NULL; it
 * is then not called. */
struct lint_format {
	const char *name;
	void (*put)(struct lint_report *r, const struct ctx_lint_diagnostic *d);
	/* prints that the file cannot be read or checked; d->text is the reason */
	void (*fail)(struct lint_report *r, const struct ctx_lint_diagnostic *d);
	void (*end_file)(struct lint_report *r);
	/* text to print before the first diagnostic, and after the last; may be NULL */
	const char *begin, *end;
};
/* Returns the format with this name, or NULL if the name is unknown. */
const struct lint_format *lint_format_find(const char *name);

/* Splits a file into parts, which are checked separately. If each line of the file is a
 * JSON object, a part is one transcript (a line for each message) or one request body (a
 * single line). Otherwise the whole file is one part. */
struct lint_parts;

/* Opens a file; "-" is stdin. Returns NULL with err set if the file cannot be opened. */
struct lint_parts *lint_parts_open(const char *path, struct ctx_err *err);
void lint_parts_close(struct lint_parts *p); /* p may be NULL */

/* Sets *text to the text of the next part, valid until the next call, and *before to the
 * number of lines of the file before this part. Returns 1 if there is a part, 0 at the
 * end of the file, -1 on error: CTX_EIO if reading fails, CTX_EINPUT if the part is too
 * long. An empty file has one empty part. */
int lint_parts_next(
    struct lint_parts *p, struct ctx_span *text, size_t *before, struct ctx_err *err);

#endif
