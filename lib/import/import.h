/* Importing: from the transcripts of other tools to session and message records. What a
 * format means is a jq program, one file each (ctx-import(1)); this layer cuts the input
 * into values, runs the program over them, joins pieces, and counts. */
#ifndef CTX_IMPORT_IMPORT_H
#define CTX_IMPORT_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* ---- cutting ---- */

/* A file as a sequence of JSON values: one a line, one after the other, or the elements
 * of an array, whichever it looks like. Memory: the longest value. */
struct ctx_cut;

/* Reads fd, which stays the caller's; values longer than max bytes are refused. */
struct ctx_cut *ctx_cut_new(int fd, const char *name, size_t max);
void ctx_cut_free(struct ctx_cut *c);

/* Call before the first value: the input is text, and each line a value, a JSON string. */
void ctx_cut_text(struct ctx_cut *c);

/* The next value, checked, without white space around it, borrowed until the next call:
 * 1; 0 at the end; -1 with CTX_EIO, or with CTX_EINPUT for text that is no JSON, which is
 * skipped: reading can go on; so are NUL bytes between values. */
int ctx_cut_next(struct ctx_cut *c, struct ctx_span *value, struct ctx_err *err);

/* The line, from 1, in which what the last call gave or refused begins. */
int64_t ctx_cut_line(const struct ctx_cut *c);

/* ---- formats ---- */

/* The built-in formats in the order of the alphabet, auto among them. Start with *program = CTX_SPAN_NONE;
 * each call sets the name and the program's text, until false is returned. */
bool ctx_import_format_next(struct ctx_span *name, struct ctx_span *program);

/* A program's notes are lines "# ctx-import: NAME VALUE" (ctx-import(1)). Finds the next one
 * of that name in *rest, sets *value, and moves *rest past it. */
bool ctx_import_note(struct ctx_span *rest, const char *name, struct ctx_span *value);

/* The program that tells formats apart: auto.jq with the claims of all formats. It gets
 * {records, path, tables} and puts out the name of a format, or null. */
int ctx_import_detector(
    struct ctx_buf *out, const char *const dirs[], struct ctx_err *err);

/* The program of a format: the file NAME.jq in the first of the directories (absent ones
 * are passed over, NULL ends them) that has it, else the built-in one. CTX_EUSAGE for a
 * name that none has. */
int ctx_import_program(struct ctx_buf *out, const char *format, const char *const dirs[],
    struct ctx_err *err);

/* The SQL script of a format whose sessions are kept in a database, which makes the values
 * that the program gets: NAME.sql, looked for as the program. CTX_EINPUT when there is
 * none. */
int ctx_import_script(struct ctx_buf *out, const char *format, const char *const dirs[],
    struct ctx_err *err);

/* ---- importing ---- */

struct ctx_import_options {
	const char *format; /* for messages and metadata */
	struct ctx_span program;
	const char *session; /* id where the source has none; may be NULL */
	bool current;        /* of a tree only the branch that was shown last */
	size_t max_all;      /* bytes of a file that a program wants as a whole */

	/* Told of content that was left out, with the reason; may be NULL. */
	void (*left_out)(void *arg, const char *reason);
};

/* Called with each record, a line without its end, borrowed for the call. */
typedef int ctx_import_fn(void *arg, struct ctx_span record, struct ctx_err *err);

struct ctx_import;
int ctx_import_open(struct ctx_import **out, const struct ctx_import_options *o,
    ctx_import_fn *fn, void *arg, struct ctx_err *err);
void ctx_import_close(struct ctx_import *im);

/* Does the program want the lines of a text in place of JSON values? */
bool ctx_import_reads_text(const struct ctx_import *im);

/* A new file begins; path is absolute, or NULL for input that is not a file. Conversations
 * without an id get one that is made of the path and their first messages. */
void ctx_import_begin(struct ctx_import *im, const char *path);
/* One value of it. CTX_EINPUT: the value was left out and counted, go on. */
int ctx_import_add(struct ctx_import *im, struct ctx_span value, struct ctx_err *err);
/* Its end: what still waits is given out. */
int ctx_import_end(struct ctx_import *im, struct ctx_err *err);

/* Count a value that was no JSON. */
void ctx_import_skip(struct ctx_import *im, const char *reason);

/* Append the report record and a newline: kind, format, records, sessions, messages,
 * skipped {reason: count}, lost {field: count}. */
void ctx_import_report(const struct ctx_import *im, struct ctx_buf *out);

#endif
