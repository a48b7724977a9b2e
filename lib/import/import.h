/* Converts the transcripts of other tools to session and message records. Each format is
 * defined by a jq program (ctx-import(1)). The functions here split the input into JSON
 * values, run the program on the values, join messages that the source stores in several
 * pieces, and count the records. */
#ifndef CTX_IMPORT_IMPORT_H
#define CTX_IMPORT_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* ---- splitting the input ---- */

/* Reads a file as a sequence of JSON values. The file may contain one value on each
 * line, or values one after the other, or a single array. The elements of the array are
 * then the values. Only one value is in memory at a time. */
struct ctx_cut;

/* Starts reading from fd, which stays open until the caller closes it. name: the file's
 * name in error messages. Values longer than max bytes are refused. The caller frees the
 * result with ctx_cut_free. */
struct ctx_cut *ctx_cut_new(int fd, const char *name, size_t max);
void ctx_cut_free(struct ctx_cut *c);

/* Treats the input as plain text: each line becomes one value, a JSON string with the
 * text of the line. Call before the first ctx_cut_next. */
void ctx_cut_text(struct ctx_cut *c);

/* Reads the next value: valid JSON without surrounding white space. *value is valid
 * until the next call. Returns 1 if there is a value, 0 at the end of the input, and -1
 * on error. CTX_EINPUT means that text that is not JSON was skipped; the caller can then
 * call the function again. CTX_EIO means that the input cannot be read. NUL bytes
 * between values are skipped without an error. */
int ctx_cut_next(struct ctx_cut *c, struct ctx_span *value, struct ctx_err *err);

/* Returns the number of the line on which the last value (or the last skipped text)
 * began. Lines are counted from 1. */
int64_t ctx_cut_line(const struct ctx_cut *c);

/* Makes the reader start in the middle of the file, where an earlier reader ended.
 * offset: the byte offset, to which the caller has already moved the file offset of fd;
 * line: the number of newlines before this offset. Call before the first ctx_cut_next. */
void ctx_cut_continue(struct ctx_cut *c, int64_t offset, int64_t line);
/* Returns the byte offset in the file of the end of the last value, or -1 if the file
 * does not have one value on each line. */
int64_t ctx_cut_offset(const struct ctx_cut *c);
/* Returns true if the last value (or the last skipped text) may be incomplete, because
 * its line does not end in a newline. */
bool ctx_cut_is_partial(const struct ctx_cut *c);

/* ---- formats ---- */

/* Iterates over the built-in formats, including "auto", in alphabetical order. Before the
 * first call, set *program to CTX_SPAN_NONE. Each call sets *name and *program to the
 * name and the jq program of the next format, and returns true. Returns false after the
 * last format. */
bool ctx_import_format_next(struct ctx_span *name, struct ctx_span *program);

/* Finds the next note with this name in a program. A note is a line "# ctx-import: NAME
 * VALUE" (ctx-import(1)). *rest is the part of the program that is still to be searched.
 * If this part contains such a note, sets *value to the note's value, moves the beginning
 * of *rest past the note, and returns true. Otherwise returns false. */
bool ctx_import_note(struct ctx_span *rest, const char *name, struct ctx_span *value);

/* Appends the program that detects the format of a file: auto.jq, completed with the
 * conditions of all formats. The program's input is an object {records, path, tables}.
 * Its output is the name of a format, or null if no format matches. Returns 0, or -1 with
 * err set. dirs: as for ctx_import_program. */
int ctx_import_detector(
    struct ctx_buf *out, const char *const dirs[], struct ctx_err *err);

/* Appends the jq program of a format: the common definitions, followed by the program of
 * this format. format: the format's NAME; dirs: directories, terminated by NULL. The
 * program is the file NAME.jq in the first directory that contains such a file. If no
 * directory contains one, the program is the built-in one. Directories that do not exist
 * are ignored. Fails with CTX_EUSAGE if the name is unknown. */
int ctx_import_program(struct ctx_buf *out, const char *format, const char *const dirs[],
    struct ctx_err *err);

/* Appends the SQL script of a format whose transcripts are in a database. The rows that
 * the script returns are the input values of the format's program. The script is the
 * file NAME.sql, which is found in the same way as NAME.jq (see ctx_import_program).
 * Fails with CTX_EINPUT if the format has no script. */
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
	/* maximum length in bytes of a file, if the program reads all values of a file
	 * at once; also the maximum total length of the accompanying files */
	size_t max_all;

	/* Called when a value is left out. arg: as passed to ctx_import_open; reason: why
	 * the value is left out. Not called if the program says that the value is
	 * unimportant. May be NULL. */
	void (*left_out)(void *arg, const char *reason);
};

/* Called with each output record. The record is a line without its newline, and is valid
 * during the call only. Must return 0 to continue the import. To stop the import, the
 * function must set err and return -1. */
typedef int ctx_import_fn(void *arg, struct ctx_span record, struct ctx_err *err);

struct ctx_import;
/* Creates an importer, which calls fn for each output record. Returns 0, or -1 with err
 * set. The caller closes the importer with ctx_import_close. */
int ctx_import_open(struct ctx_import **out, const struct ctx_import_options *o,
    ctx_import_fn *fn, void *arg, struct ctx_err *err);
void ctx_import_close(struct ctx_import *im);

/* Returns true if the program reads lines of text instead of JSON values. */
bool ctx_import_reads_text(const struct ctx_import *im);

/* Returns true if the program distinguishes branches. The member "current" of struct
 * ctx_import_options has an effect only for such a program. */
bool ctx_import_has_branches(struct ctx_span program);

/* Begins a file. path: the file's absolute path; NULL: the input is not a file. A
 * conversation without an id gets an id that is derived from this path and from the
 * conversation's first messages. */
void ctx_import_begin(struct ctx_import *im, const char *path);
/* Imports a value of the file. Returns 0, or -1 with err set. If the error is
 * CTX_EINPUT, the value was skipped and counted as skipped, and the import can
 * continue. */
int ctx_import_add(struct ctx_import *im, struct ctx_span value, struct ctx_err *err);
/* Ends the file and outputs all records that are still queued. Returns 0, or -1 with err
 * set. */
int ctx_import_end(struct ctx_import *im, struct ctx_err *err);

/* ---- files that grow ---- */

/* A position in a file at which a later import can continue. */
struct ctx_import_point {
	int64_t no; /* number of values in the file before this position */
	/* state: what the jq program stored for later values of the file; own: the id
	 * that was created for the session of a file without a session id. Both strings
	 * are owned, and may be NULL. */
	char *state, *own;
};
void ctx_import_point_release(struct ctx_import_point *p);

/* If a later import can continue after the last value, sets *p to this position and
 * returns true. Otherwise leaves *p unchanged and returns false. A later import cannot
 * continue there in three cases: the program reads whole files, pieces of a message are
 * queued, or records of a session without an id are queued. */
bool ctx_import_point(const struct ctx_import *im, struct ctx_import_point *p);
/* Continues the import of a file at the position *p. Call after ctx_import_begin, and
 * then add the values after this position. */
void ctx_import_continue(struct ctx_import *im, const struct ctx_import_point *p);
/* Discards all queued pieces of messages, because the growing file may still add other
 * pieces. Returns true if any pieces were queued. */
bool ctx_import_drop_pieces(struct ctx_import *im);

/* Counts a skipped value and the reason for which it was skipped. The caller uses this
 * function for text that is not JSON. */
void ctx_import_skip(struct ctx_import *im, const char *reason);

/* Appends the report record and a newline. Its members: kind, format, records, sessions,
 * messages, skipped {reason: count}, lost {field: count}. */
void ctx_import_report(const struct ctx_import *im, struct ctx_buf *out);

#endif
