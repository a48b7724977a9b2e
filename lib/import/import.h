/* Converts the transcripts of other tools to session and message records. A jq program
 * defines each format (ctx-import(1)). This layer splits the input into JSON values, runs
 * the program on them, joins messages that the source stores in several pieces, and
 * counts the records. */
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
 * function again. If the error is CTX_EIO, the input cannot be read. NUL bytes between
 * values are skipped without an error. */
int ctx_cut_next(struct ctx_cut *c, struct ctx_span *value, struct ctx_err *err);

/* Returns the number of the line on which the last value (or the last skipped text)
 * began. Lines are counted from 1. */
int64_t ctx_cut_line(const struct ctx_cut *c);

/* Continues an earlier pass over the file. That pass ended at this byte offset, in this
 * line. Call before the first ctx_cut_next, with the file offset of fd set to offset. */
void ctx_cut_continue(struct ctx_cut *c, int64_t offset, int64_t line);
/* Returns the byte offset in the file after the last value, or -1 if the file does not
 * have one value on each line. */
int64_t ctx_cut_offset(const struct ctx_cut *c);
/* Returns true if the line that was read last has no newline, so that the last value or
 * the last skipped text may be incomplete. */
bool ctx_cut_is_partial(const struct ctx_cut *c);

/* ---- formats ---- */

/* Iterates over the built-in formats, including "auto", in alphabetical order. Before the
 * first call, set *program to CTX_SPAN_NONE. Each call sets *name and *program to the
 * name and the jq program of the next format, and returns true. Returns false after the
 * last format. */
bool ctx_import_format_next(struct ctx_span *name, struct ctx_span *program);

/* Finds the next note in a program. Notes are lines "# ctx-import: NAME VALUE"
 * (ctx-import(1)). Searches *rest for a note with this name. If there is one, sets *value
 * to the note's value, moves the beginning of *rest past the note, and returns true.
 * Otherwise returns false. */
bool ctx_import_note(struct ctx_span *rest, const char *name, struct ctx_span *value);

/* Appends the program that detects the format of a file: auto.jq, completed with the
 * conditions of all formats. The program's input is an object {records, path, tables}.
 * Its output is the name of a format, or null if no format matches. dirs is as for
 * ctx_import_program. */
int ctx_import_detector(
    struct ctx_buf *out, const char *const dirs[], struct ctx_err *err);

/* Appends the jq program of a format; format is its name. The program is the file NAME.jq
 * in the first directory of dirs that contains this file; if no directory contains it,
 * the built-in program. dirs ends with NULL; directories that do not exist are ignored.
 * Fails with CTX_EUSAGE if the name is unknown. */
int ctx_import_program(struct ctx_buf *out, const char *format, const char *const dirs[],
    struct ctx_err *err);

/* Appends the SQL script of a format whose transcripts are in a database. The rows that
 * the script returns are the input values of the format's program. The script is the file
 * NAME.sql, which is searched for like the program. Fails with CTX_EINPUT if the format
 * has no script. */
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
	/* maximum length in bytes of a file if the program reads all values of a file at
	 * once */
	size_t max_all;

	/* called when a value is left out, unless the program says that the value is
	 * unimportant; reason says why it is left out; may be NULL */
	void (*left_out)(void *arg, const char *reason);
};

/* Called with each output record. The record is a line without its newline, and is valid
 * during the call only. Must return 0 to continue. To stop, the function sets err and
 * returns -1. */
typedef int ctx_import_fn(void *arg, struct ctx_span record, struct ctx_err *err);

struct ctx_import;
int ctx_import_open(struct ctx_import **out, const struct ctx_import_options *o,
    ctx_import_fn *fn, void *arg, struct ctx_err *err);
void ctx_import_close(struct ctx_import *im);

/* Returns true if the program reads lines of text instead of JSON values. */
bool ctx_import_reads_text(const struct ctx_import *im);

/* Returns true if the program distinguishes branches. Only then does the member current
 * of struct ctx_import_options have an effect. */
bool ctx_import_has_branches(struct ctx_span program);

/* Begins a file. path is absolute, or NULL if the input is not a file. A conversation
 * without an id gets an id that is derived from path and from the conversation's first
 * messages. */
void ctx_import_begin(struct ctx_import *im, const char *path);
/* Imports a value of the file. If the error is CTX_EINPUT, the value was skipped and
 * counted as skipped, and the import can continue. */
int ctx_import_add(struct ctx_import *im, struct ctx_span value, struct ctx_err *err);
/* Ends the file and outputs all records that are still queued. */
int ctx_import_end(struct ctx_import *im, struct ctx_err *err);

/* ---- files that grow ---- */

/* A position in a file at which a later import can continue. */
struct ctx_import_point {
	int64_t no; /* number of the file's values before this position */
	/* state: the state that the program stored for later values; own: id of the
	 * session. Both are owned strings, and may be NULL */
	char *state, *own;
};
void ctx_import_point_release(struct ctx_import_point *p);

/* If a later import can continue after the last value, sets *p to this position and
 * returns true. Otherwise leaves *p unchanged and returns false. An import cannot
 * continue there if the program reads whole files, or while pieces of a message or
 * records of a session without an id are queued. */
bool ctx_import_point(const struct ctx_import *im, struct ctx_import_point *p);
/* Continues the import of a file at the position *p. Call after ctx_import_begin, and
 * then add the values after this position. */
void ctx_import_continue(struct ctx_import *im, const struct ctx_import_point *p);
/* Discards the queued pieces of messages, to which the growing file may still add pieces.
 * Returns true if any pieces were queued. */
bool ctx_import_drop_pieces(struct ctx_import *im);

/* Counts a value that was not JSON as skipped, for this reason. */
void ctx_import_skip(struct ctx_import *im, const char *reason);

/* Appends the report record and a newline. Its members: kind, format, records, sessions,
 * messages, skipped {reason: count}, lost {field: count}. */
void ctx_import_report(const struct ctx_import *im, struct ctx_buf *out);

#endif
