/* Inside of ctx-import: its state, and what the parts of the program do. */
#ifndef CTX_CMD_IMPORT_H
#define CTX_CMD_IMPORT_H

#include <sys/types.h>

#include "cli.h"
#include "import/import.h"
#include "ingest/ingest.h"

/* One a format that was met: its program is compiled once. */
struct importer {
	struct ctx_import *im;
	char *format;
	struct ctx_buf program;
	struct importer *next;
};

/* What one run of the program works with. */
struct importing {
	struct {
		const char *format, *session, *report, *dir;
		int64_t max_record;
		bool current, formats, append, sync, sources;
	} opt;
	size_t failures;
	bool single; /* one operand was given */
	struct importer *importers;
	struct ctx_import *into; /* what rows of a database go to */
	struct {
		const char *name;
		int64_t line, no; /* 0: the file as a whole */
		int64_t size;     /* bytes of the only file that is read; 0: not known */
	} at;                     /* where in the input what is told stands */
	struct ctx_jq *detector;
	char *detected;          /* format */
	bool unknown;            /* the last file was of no known format */
	struct ctx_store *store; /* with --append and --sync */
	struct ctx_tokenizer *tokenizer;
	struct ctx_ingest ingest;
	int64_t refused, taken; /* records */
};

/* What an importer gives out, and tells of what it leaves out. */
int print_record(void *arg, struct ctx_span record, struct ctx_err *err);
void tell_reason(void *arg, const char *reason);

/* ---- reading (import_read.c) ---- */

/* What is known of a file that is read again when it has grown. */
struct import_resume {
	char *format; /* owned; NULL: not known yet */
	int64_t offset,
	    line; /* where reading continues, and the line there; 0: at the start */
	struct ctx_import_point point;
	bool settled; /* in: nothing has been written to the file for a while */
};

/* Reads one file, or standard input for "-". resume may be NULL; else reading begins there,
 * and it is moved to where it can continue: before a last line without an end, and before a
 * message that may still grow. CTX_EINPUT: the file was left out. */
int import_file(struct importing *imp, const char *path, struct import_resume *resume,
    struct ctx_err *err);

/* ---- the store (import_store.c), with --append and --sync ---- */

struct import_sums {
	int64_t added, repeated, refused; /* messages */
};

int open_import_store(struct importing *imp, struct ctx_err *err);
/* Takes a record; what is taken is stored when a batch is full, and by the second. */
int store_import_record(
    struct importing *imp, struct ctx_span record, struct ctx_err *err);
int flush_import_store(struct importing *imp, struct ctx_err *err);
void read_import_sums(const struct importing *imp, struct import_sums *out);
void close_import_store(struct importing *imp);

/* ---- the tools' own places (import_place.c) ---- */

/* Calls fn for each file in the places of a format, in order; places may be absent. */
typedef int place_fn(
    void *arg, const char *format, const char *path, struct ctx_err *err);
int walk_places(const char *format, place_fn *fn, void *arg, struct ctx_err *err);
/* Prints a record for each place that holds files. */
int print_sources(struct ctx_err *err);

/* ---- directories and --sync (import_sync.c) ---- */

/* Reads all files under a directory; those of no known format are counted only. */
int import_directory(struct importing *imp, const char *path, struct ctx_err *err);
/* Reads what is new in the places of these formats; of all without any. */
int sync_places(struct importing *imp, int argc, char **argv, struct ctx_err *err);

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

int find_importer(struct importing *imp, struct ctx_import **out, const char *format,
    struct ctx_err *err);
/* The same for a format that the file of this name was found to have: CTX_EINPUT when there
 * is no program for it. */
int find_detected(struct importing *imp, struct ctx_import **out, const char *format,
    const char *name, struct ctx_err *err);
void release_importers(struct importing *imp);

#define PEEK_VALUES 50 /* looked at to tell the format */

struct peek {
	struct ctx_buf list; /* the first values, an array; null where one is no JSON */
	size_t n;
	int64_t line[PEEK_VALUES], offset[PEEK_VALUES];
	struct ctx_err err[PEEK_VALUES]; /* of those that are no JSON */
};

/* The first values, as many as it takes to tell what they are: 1, 0 at the end, -1. */
int look(struct ctx_cut *cut, struct peek *p, struct ctx_err *err);
/* The format of a file that begins with these values (an array), or of a database with these
 * tables ({"tables": …}), good until the next call; name is the file's. */
int detect(struct importing *imp, const char **format, struct ctx_span values,
    struct ctx_span tables, const char *name, struct ctx_err *err);
/* Append the SQL script of a format. */
int read_script(
    struct importing *imp, struct ctx_buf *out, const char *format, struct ctx_err *err);

#endif
