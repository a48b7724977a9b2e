/* Converts the transcripts of other tools to session and message records. Each format is
 * defined by a jq program (ctx-import(1)). This layer splits the input into values, runs
 * the program on them, joins the pieces of messages, and counts. */
#ifndef CTX_IMPORT_IMPORT_H
#define CTX_IMPORT_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* ---- splitting the input ---- */

/* Reads a file as a sequence of JSON values: one on each line, one after the other, or
 * the elements of an array, whichever the file contains. Uses memory for one value at a
 * time. */
struct ctx_cut;

/* Reads from fd, which the caller keeps open and closes. name is used in messages. Values
 * longer than max bytes are refused. */
struct ctx_cut *ctx_cut_new(int fd, const char *name, size_t max);
void ctx_cut_free(struct ctx_cut *c);

/* Treats the input as text: each line is a value, a JSON string. Call before the first
 * value. */
void ctx_cut_text(struct ctx_cut *c);

/* Reads the next value: valid JSON without surrounding white space, valid until the next
 * call. Returns 1, 0 at the end, or -1 with CTX_EIO. Text that is not JSON is skipped:
 * returns -1 with CTX_EINPUT, and reading can continue. NUL bytes between values are
 * skipped too. */
int ctx_cut_next(struct ctx_cut *c, struct ctx_span *value, struct ctx_err *err);

/* Returns the number of the line, from 1, on which the last value (or the skipped text)
 * began. */
int64_t ctx_cut_line(const struct ctx_cut *c);

/* Continues an earlier pass over the file, which ended at byte offset, in the given line.
 * Call before the first value, with fd positioned at offset. */
void ctx_cut_continue(struct ctx_cut *c, int64_t offset, int64_t line);
/* Returns the byte offset in the file after the last value, or -1 if the file does not
 * have one value on each line. */
int64_t ctx_cut_offset(const struct ctx_cut *c);
/* Returns whether the input ended within the last value or text: a line without a
 * newline. */
bool ctx_cut_is_partial(const struct ctx_cut *c);

/* ---- formats ---- */

/* Iterates over the built-in formats in alphabetical order; "auto" is one of them. Begin
 * with *program = CTX_SPAN_NONE. Each call sets the name and the text of the program;
 * returns false after the last one. */
bool ctx_import_format_next(struct ctx_span *name, struct ctx_span *program);

/* Finds the next note in a program. Notes are lines "# ctx-import: NAME VALUE"
 * (ctx-import(1)). Searches *rest for a note with this name, sets *value, and moves *rest
 * past the note. Returns false if there is none. */
bool ctx_import_note(struct ctx_span *rest, const char *name, struct ctx_span *value);

/* Appends the program that detects the format of a file: auto.jq with the conditions of
 * all formats. Its input is {records, path, tables}, its output the name of a format, or
 * null. */
int ctx_import_detector(
    struct ctx_buf *out, const char *const dirs[], struct ctx_err *err);

/* Appends the program of a format: the file NAME.jq from the first of the directories
 * that has it, else the built-in program. dirs is NULL-terminated; missing directories
 * are ignored. Fails with CTX_EUSAGE if the name is unknown. */
int ctx_import_program(struct ctx_buf *out, const char *format, const char *const dirs[],
    struct ctx_err *err);

/* Appends the SQL script of a format whose transcripts are in a database. Its rows are
 * the values for the program. The script is NAME.sql, found in the same places as the
 * program. Fails with CTX_EINPUT if the format has no script. */
int ctx_import_script(struct ctx_buf *out, const char *format, const char *const dirs[],
    struct ctx_err *err);

/* ---- importing ---- */

struct ctx_import_options {
	const char *format; /* name of the format, for messages and metadata */
	struct ctx_span program;
	const char *session; /* id for a session whose source has none; may be NULL */
	/* if the conversation is a tree, import only the branch shown last */
	bool current;
	/* maximum length in bytes of a file, for a program that needs the whole file at
	 * once */
	size_t max_all;

	/* Called when content was left out, with the reason. May be NULL. */
	void (*left_out)(void *arg, const char *reason);
};

/* Called with each record: a line without its newline, valid during the call only. */
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
 * without an id gets one derived from path and its first messages. */
void ctx_import_begin(struct ctx_import *im, const char *path);
/* Processes a value of the file. If it fails with CTX_EINPUT, the value was skipped and
 * counted, and the import can continue. */
int ctx_import_add(struct ctx_import *im, struct ctx_span value, struct ctx_err *err);
/* Ends the file and outputs all records that are still queued. */
int ctx_import_end(struct ctx_import *im, struct ctx_err *err);

/* ---- files that grow ---- */

/* A position in a file at which a later import can continue. */
struct ctx_import_point {
	int64_t no; /* number of values before it */
	/* state that the program keeps, and the id of the session; owned, may be NULL */
	char *state, *own;
};
void ctx_import_point_release(struct ctx_import_point *p);

/* Stores the position after the last value in *p. Returns false, and leaves *p unchanged,
 * if an import cannot continue there: the program reads whole files, or pieces of a
 * message are queued. */
bool ctx_import_point(const struct ctx_import *im, struct ctx_import_point *p);
/* Continues at p. Call after ctx_import_begin, before the first value after that
 * position. */
void ctx_import_continue(struct ctx_import *im, const struct ctx_import_point *p);
/* Discards the queued pieces of messages that may still grow. Returns true if there were
 * any. */
bool ctx_import_drop_pieces(struct ctx_import *im);

/* Counts a value that was not JSON, under this reason. */
void ctx_import_skip(struct ctx_import *im, const char *reason);

/* Appends the report record and a newline. Its members: kind, format, records, sessions,
 * messages, skipped {reason: count}, lost {field: count}. */
void ctx_import_report(const struct ctx_import *im, struct ctx_buf *out);

#endif
