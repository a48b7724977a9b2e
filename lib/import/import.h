/* Converts the transcripts of other tools to session and message records. Each format is
 * defined by a jq program (ctx-import(1)). This layer splits the input into JSON values,
 * runs the jq program on the values, joins messages that the source stores in several
 * pieces, and counts the records. */
#ifndef CTX_IMPORT_IMPORT_H
#define CTX_IMPORT_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* ---- splitting the input ---- */

/* Reads a file as a sequence of JSON values. The file may contain one value on each line,
 * values one after the other, or an array, whose elements are then the values. Only one
 * value is in memory at a time. */
struct ctx_cut;

/* Starts reading from fd, which stays open until the caller closes it. name is the file's
 * name in error messages. Values longer than max bytes are refused. The caller frees the
 * result with ctx_cut_free. */
struct ctx_cut *ctx_cut_new(int fd, const char *name, size_t max);
void ctx_cut_free(struct ctx_cut *c);

/* Treats the input as plain text: each line becomes a value, which is the line as a JSON
 * string. Call before the first ctx_cut_next. */
void ctx_cut_text(struct ctx_cut *c);

/* Reads the next value: valid JSON without surrounding white space. *value is valid until
 * the next call. Returns 1 for a value, 0 at the end of the input, -1 on error. If the
 * error is CTX_EINPUT, text that is not JSON was skipped, and the caller can call the
 * function again; if it is CTX_EIO, the input cannot be read. NUL bytes between values
 * are skipped without an error. */
int ctx_cut_next(struct ctx_cut *c, struct ctx_span *value, struct ctx_err *err);

/* Returns the number of the line on which the last value (or the last skipped text)
 * began. Lines are counted from 1. */
int64_t ctx_cut_line(const struct ctx_cut *c);

/* Continues an earlier pass over the file, which ended at this byte offset in this line.
 * Call before the first ctx_cut_next, with the file offset of fd set to offset. */
void ctx_cut_continue(struct ctx_cut *c, int64_t offset, int64_t line);
/* Returns the byte offset in the file after the last value, or -1 if the file does not
 * have one value on each line. */
int64_t ctx_cut_offset(const struct ctx_cut *c);
/* Returns true if the last line read has no newline, so that the last value or skipped
 * text may be incomplete. */
bool ctx_cut_is_partial(const struct ctx_cut *c);

/* ---- formats ---- */

/* Iterates over the built-in formats in alphabetical order; "auto" is one of them. Begin
 * with *program = CTX_SPAN_NONE. Each call sets *name to the name and *program to the jq
 * program of the next format. Returns false after the last format. */
bool ctx_import_format_next(struct ctx_span *name, struct ctx_span *program);

/* Finds the next note in a program. Notes are lines "# ctx-import: NAME VALUE"
 * (ctx-import(1)). Searches *rest for a note with this name, sets *value to the note's
 * value, and moves the beginning of *rest past the note. Returns false if there is no
 * such note. */
bool ctx_import_note(struct ctx_span *rest, const char *name, struct ctx_span *value);

/* Appends the program that detects the format of a file. This is auto.jq, completed with
 * the conditions of all formats. The input of the program is an object {records, path,
 * tables}; its output is the name of a format, or null if no format matches. */
int ctx_import_detector(
    struct ctx_buf *out, const char *const dirs[], struct ctx_err *err);

/* Appends the jq program of the format whose name is the argument format. The program is
 * the file NAME.jq from the first directory of dirs that has this file, or otherwise the
 * built-in program. dirs ends with NULL; directories that do not exist are ignored. Fails
 * with CTX_EUSAGE if the name is unknown. */
int ctx_import_program(struct ctx_buf *out, const char *format, const char *const dirs[],
    struct ctx_err *err);

/* Appends the SQL script of a format whose transcripts are in a database. The rows that
 * the script returns are the input values of the format's program. The script is the file
 * NAME.sql, which is searched for in the same places as the program. Fails with
 * CTX_EINPUT if the format has no script. */
int ctx_import_script(struct ctx_buf *out, const char *format, const char *const dirs[],
    struct ctx_err *err);

/* ---- importing ---- */

struct ctx_import_options {
	const char *format; /* name of the format, for error messages and metadata */
	struct ctx_span program;
	/* id to use for a session that has no id in its source; may be NULL */
	const char *session;
	/* true: if a conversation has branches, import only the branch that the tool
	 * showed last */
	bool current;
	/* maximum length in bytes of a file, if the program needs all values of a file at
	 * once */
	size_t max_all;

	/* called when a value is left out, unless the program knows that the value is
	 * unimportant; reason says why the value is left out; may be NULL */
	void (*left_out)(void *arg, const char *reason);
};

/* Called with each output record. The record is a line without its newline, and is valid
 * during the call only. Must return 0, or -1 with err set to stop. */
typedef int ctx_import_fn(void *arg, struct ctx_span record, struct ctx_err *err);

struct ctx_import;
int ctx_import_open(struct ctx_import **out, const struct ctx_import_options *o,
    ctx_import_fn *fn, void *arg, struct ctx_err *err);
void ctx_import_close(struct ctx_import *im);

/* Returns whether the program reads lines of text instead of JSON values. */
bool ctx_import_reads_text(const struct ctx_import *im);

/* Returns whether the program distinguishes branches, so that the option current has an
 * effect. */
bool ctx_import_has_branches(struct ctx_span program);

/* Begins a file. path is absolute, or NULL if the input is not a file. A conversation
 * without an id gets an id that is derived from path and from the conversation's first
 * messages. */
void ctx_import_begin(struct ctx_import *im, const char *path);
/* Imports a value of the file. If this fails with CTX_EINPUT, the value was skipped and
 * counted as skipped, and the import can continue. */
int ctx_import_add(struct ctx_import *im, struct ctx_span value, struct ctx_err *err);
/* Ends the file and outputs all records that are still queued. */
int ctx_import_end(struct ctx_import *im, struct ctx_err *err);

/* ---- files that grow ---- */

/* A position in a file at which a later import can continue. */
struct ctx_import_point {
	int64_t no; /* number of the file's values before this position */
	/* state: what the program stored for later values; own: id of the session. Both
	 * are owned strings, and may be NULL */
	char *state, *own;
};
void ctx_import_point_release(struct ctx_import_point *p);

/* Stores the position after the last value in *p. Returns false, and leaves *p unchanged,
 * if a later import cannot continue at this position, because the program reads whole
 * files or because pieces of a message or records of a session without an id are still
 * queued. */
bool ctx_import_point(const struct ctx_import *im, struct ctx_import_point *p);
/* Continues the import of a file at the position *p. Call after ctx_import_begin, and
 * then add the values after this position. */
void ctx_import_continue(struct ctx_import *im, const struct ctx_import_point *p);
/* Discards the queued pieces of messages, to which the growing file may still add pieces.
 * Returns true if any pieces were queued. */
bool ctx_import_drop_pieces(struct ctx_import *im);

/* Counts a value that was not JSON as skipped, with this reason. */
void ctx_import_skip(struct ctx_import *im, const char *reason);

/* Appends the report record and a newline. Its members: kind, format, records, sessions,
 * messages, skipped {reason: count}, lost {field: count}. */
void ctx_import_report(const struct ctx_import *im, struct ctx_buf *out);

#endif
