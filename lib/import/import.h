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

/* Reads the next value: valid JSON without surrounding white space, borrowed until the
 * next call. Returns 1, 0 at the end, -1 with CTX_EIO or, for text that is not JSON, with
 * CTX_EINPUT; that text is skipped and reading can continue. NUL bytes between values are
 * skipped too. */
int ctx_cut_next(struct ctx_cut *c, struct ctx_span *value, struct ctx_err *err);

/* Returns the number of the line, from 1, on which the last value or the refused text
 * began. */
int64_t ctx_cut_line(const struct ctx_cut *c);

/* ---- formats ---- */

/* Names of the built-in formats in alphabetical order, ended by NULL. */
extern const char *const ctx_import_formats[];

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

/* Counts a value that was not JSON. */
void ctx_import_skip(struct ctx_import *im, const char *reason);

/* Appends the report record and a newline. Members: kind, format, records, sessions,
 * messages, skipped {reason: count}, lost {field: count}. */
void ctx_import_report(const struct ctx_import *im, struct ctx_buf *out);

#endif
