/* Converts the transcripts of other tools to session and message records. The meaning of
 * each format is in a jq program of its own (ctx-import(1)); this layer cuts the input
 * into values, runs the program over them, joins pieces, and counts. */
#ifndef CTX_IMPORT_IMPORT_H
#define CTX_IMPORT_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

/* ---- cutting ---- */

/* Reads a file as a sequence of JSON values: one per line, one after the other, or the
 * elements of an array, whichever the file contains. Memory is bounded by the longest
 * value. */
struct ctx_cut;

/* Reads fd, which stays open and belongs to the caller. Values longer than max bytes are
 * refused. */
struct ctx_cut *ctx_cut_new(int fd, const char *name, size_t max);
void ctx_cut_free(struct ctx_cut *c);

/* Call before the first value: the input is text, and each line a value, a JSON string. */
void ctx_cut_text(struct ctx_cut *c);

/* Reads the next value: valid JSON without surrounding white space, borrowed until the
 * next call. Returns 1, 0 at the end, -1 with CTX_EIO or, for text that is not JSON, with
 * CTX_EINPUT; that text is skipped and reading can continue. NUL bytes between values are
 * skipped too. */
int ctx_cut_next(struct ctx_cut *c, struct ctx_span *value, struct ctx_err *err);

/* Returns the number of the line, from 1, on which the last value or the refused text
 * began. */
int64_t ctx_cut_line(const struct ctx_cut *c);

/* Call before the first value, with the descriptor at that offset of its file: what was read
 * before ended there, on that line. */
void ctx_cut_continue(struct ctx_cut *c, int64_t offset, int64_t line);
/* Returns the offset in the file after the last value; -1 if the values are not lines. */
int64_t ctx_cut_offset(const struct ctx_cut *c);
/* Returns whether the input ended inside the last value or text: a line without its end. */
bool ctx_cut_is_partial(const struct ctx_cut *c);

/* ---- formats ---- */

/* The built-in formats in the order of the alphabet, auto among them. Start with *program =
 * CTX_SPAN_NONE; each call sets the name and the program's text, until false is returned. */
bool ctx_import_format_next(struct ctx_span *name, struct ctx_span *program);

/* A program's notes are lines "# ctx-import: NAME VALUE" (ctx-import(1)). Finds the next one
 * of that name in *rest, sets *value, and moves *rest past it. */
bool ctx_import_note(struct ctx_span *rest, const char *name, struct ctx_span *value);

/* The program that tells formats apart: auto.jq with the claims of all formats. It gets
 * {records, path, tables} and puts out the name of a format, or null. */
int ctx_import_detector(
    struct ctx_buf *out, const char *const dirs[], struct ctx_err *err);

/* Appends the program of a format: the file NAME.jq from the first of the directories
 * that has it, else the built-in one. Missing directories are ignored; NULL ends the
 * list. CTX_EUSAGE for an unknown name. */
int ctx_import_program(struct ctx_buf *out, const char *format, const char *const dirs[],
    struct ctx_err *err);

/* Appends the SQL script of a format that is kept in a database: it makes the values for
 * the program. It is NAME.sql, found like the program. CTX_EINPUT when there is none. */
int ctx_import_script(struct ctx_buf *out, const char *format, const char *const dirs[],
    struct ctx_err *err);

/* ---- importing ---- */

struct ctx_import_options {
	const char *format; /* for messages and metadata */
	struct ctx_span program;
	const char *session; /* id to use when the source has none; may be NULL */
	bool current;        /* of a tree, only the branch shown last */
	/* size limit in bytes for a program that needs the whole file */
	size_t max_all;

	/* Called for content that was left out, with the reason; may be NULL. */
	void (*left_out)(void *arg, const char *reason);
};

/* Called with each record: a line without its newline, borrowed for the call. */
typedef int ctx_import_fn(void *arg, struct ctx_span record, struct ctx_err *err);

struct ctx_import;
int ctx_import_open(struct ctx_import **out, const struct ctx_import_options *o,
    ctx_import_fn *fn, void *arg, struct ctx_err *err);
void ctx_import_close(struct ctx_import *im);

/* Does the program want the lines of a text in place of JSON values? */
bool ctx_import_reads_text(const struct ctx_import *im);

/* Returns whether the program tells branches apart, so that the option current has an
 * effect. */
bool ctx_import_has_branches(struct ctx_span program);

/* Starts a new file. path is absolute, or NULL if the input is not a file; a conversation
 * without an id gets one made from path and the first messages. */
void ctx_import_begin(struct ctx_import *im, const char *path);
/* Adds a value of the file. CTX_EINPUT: the value was left out and counted; continue. */
int ctx_import_add(struct ctx_import *im, struct ctx_span value, struct ctx_err *err);
/* Ends the file and outputs everything that is still queued. */
int ctx_import_end(struct ctx_import *im, struct ctx_err *err);

/* ---- files that grow ---- */

/* A place in a file from which importing can continue later. */
struct ctx_import_point {
	int64_t no; /* values before it */
	char *state,
	    *own; /* what the program keeps, and the session's id; owned, may be NULL */
};
void ctx_import_point_release(struct ctx_import_point *p);

/* Sets the point after the last value. Returns false, and leaves it, if there is none:
 * the program reads whole files, or pieces of a message are queued. */
bool ctx_import_point(const struct ctx_import *im, struct ctx_import_point *p);
/* Call after ctx_import_begin, before the first value after that point. */
void ctx_import_continue(struct ctx_import *im, const struct ctx_import_point *p);
/* Forgets the queued pieces of messages that may still grow. Returns true if there were
 * any. */
bool ctx_import_drop_pieces(struct ctx_import *im);

/* Counts a value that was not JSON. */
void ctx_import_skip(struct ctx_import *im, const char *reason);

/* Appends the report record and a newline. Members: kind, format, records, sessions,
 * messages, skipped {reason: count}, lost {field: count}. */
void ctx_import_report(const struct ctx_import *im, struct ctx_buf *out);

#endif
