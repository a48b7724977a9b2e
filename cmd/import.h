/* Inside of ctx-import: options, and what the parts of the program do. */
#ifndef CTX_CMD_IMPORT_H
#define CTX_CMD_IMPORT_H

#include <sys/types.h>

#include "cli.h"
#include "import/import.h"

extern struct import_options {
	const char *format, *session, *report, *dir;
	int64_t max_record;
	bool current, formats;
} opt;

/* What an importer gives out, and tells of what it leaves out. */
int print_record(void *arg, struct ctx_span record, struct ctx_err *err);
void tell_reason(void *arg, const char *reason);

/* ---- reading (import_read.c) ---- */

extern size_t import_failures; /* values, rows and files that were left out and named */

/* Reads one file, or standard input for "-". CTX_EINPUT: the file was left out. */
int import_file(const char *path, struct ctx_err *err);

/* From here the format's program runs over what stands there in the file, 0: over all of it.
 * When it crashes, the process says so and ends (import_crash.c). */
void guard(const char *name, int64_t at_line, int64_t at_no);
void guard_end(void);

/* ---- files (import_open.c) ---- */

struct opened {
	int fd;
	const char *unpacker; /* NULL: the file is not packed */
	pid_t child;
};

/* Opens a file for reading, through gzip(1) and the like if it is packed. */
int open_input(struct opened *o, const char *path, struct ctx_err *err);
/* CTX_EINPUT when it could not be unpacked. */
int close_input(struct opened *o, const char *path, struct ctx_err *err);
/* Copies what is left of the input to a new file; appends its path, whose file the caller
 * removes. */
int spool_database(struct opened *o, struct ctx_buf *path, struct ctx_err *err);

/* ---- formats (import_format.c) ---- */

/* One a format that was met: its program is compiled once. */
extern struct importer {
	struct ctx_import *im;
	char *format;
	struct ctx_buf program;
	struct importer *next;
} * importers;

int find_importer(struct ctx_import **out, const char *format, struct ctx_err *err);
/* The same for a format that the file of this name was found to have: CTX_EINPUT when there
 * is no program for it. */
int find_detected(
    struct ctx_import **out, const char *format, const char *name, struct ctx_err *err);
void release_importers(void);

#define PEEK_VALUES 50 /* looked at to tell the format */

struct peek {
	struct ctx_buf list; /* the first values, an array; null where one is no JSON */
	size_t n;
	int64_t line[PEEK_VALUES];
	struct ctx_err err[PEEK_VALUES]; /* of those that are no JSON */
};

/* The first values, as many as it takes to tell what they are: 1, 0 at the end, -1. */
int look(struct ctx_cut *cut, struct peek *p, struct ctx_err *err);
/* The format of a file that begins with these values (an array), or of a database with these
 * tables ({"tables": …}), good until the next call; name is the file's. */
int detect(const char **format, struct ctx_span values, struct ctx_span tables,
    const char *name, struct ctx_err *err);
/* Append the SQL script of a format. */
int read_script(struct ctx_buf *out, const char *format, struct ctx_err *err);

#endif
