/* Private to ctx-import: its state, and the functions that its files share. */
#ifndef CTX_CMD_IMPORT_H
#define CTX_CMD_IMPORT_H

#include <sys/types.h>

#include "cli.h"
#include "import/import.h"
#include "append/append.h"

/* The importer of a format; its program is compiled once. */
struct importer {
	struct ctx_import *im;
	char *format;
	struct ctx_buf program;
	struct importer *next;
};

/* The state of one run. */
struct importing {
	struct {
		const char *format, *session, *report, *dir;
		int64_t max_record;
		bool current, formats, append, sync, sources;
	} opt;
	size_t failures;
	bool single; /* one operand was given */
	struct importer *importers;
	struct ctx_import *into; /* receives the rows of a database */
	struct {
		const char *name;
		int64_t line, no; /* 0: the file as a whole */
		int64_t size;     /* bytes of the only file that is read; 0: not known */
	} at;                     /* the position that messages refer to */
	struct ctx_jq *detector;
	char *detected;          /* format */
	bool unknown;            /* the format of the last file is unknown */
	struct ctx_store *store; /* with --append and --sync */
	struct ctx_tokenizer *tokenizer;
	struct ctx_appender appender;
	int64_t refused, taken; /* records */
};

/* Callbacks of an importer: print_record takes a record, tell_reason the reason why
 * something is skipped. */
int print_record(void *arg, struct ctx_span record, struct ctx_err *err);
void tell_reason(void *arg, const char *reason);

/* ---- reading (import_read.c) ---- */

/* The state for reading a file again after it has grown. */
struct import_resume {
	char *format; /* owned; NULL: not known yet */
	int64_t offset,
	    line; /* where reading continues, and the line there; 0: at the start */
	struct ctx_import_point point;
	bool settled; /* input: the file has not changed for a while */
	bool waits;   /* output: a message at its end was left for later */
};

/* Reads one file, or standard input for "-". If resume is not NULL, reading starts
 * there, and resume is then moved to where the next run can continue: before an
 * incomplete last line, and before a message that may still grow. CTX_EINPUT if the
 * file was skipped. */
int import_file(struct importing *imp, const char *path, struct import_resume *resume,
    struct ctx_err *err);

/* ---- the store (import_store.c), with --append and --sync ---- */

struct import_sums {
	int64_t added, repeated, refused; /* messages */
};

int open_import_store(struct importing *imp, struct ctx_err *err);
/* Queues a record. Queued records are stored when a batch is full, and every second. */
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

/* Reads all files under a directory; files of an unknown format are only counted. */
int import_directory(struct importing *imp, const char *path, struct ctx_err *err);
/* Reads new and grown files in the places of the formats in argv, or of all formats if
 * there are none. */
int sync_places(struct importing *imp, int argc, char **argv, struct ctx_err *err);

/* Marks the position in the file that a format's program works on, for the report if
 * it crashes; 0: the whole file. After a crash the process prints the report and exits
 * (import_crash.c). */
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
/* Closes the input. CTX_EINPUT if it could not be unpacked. */
int close_input(struct opened *o, const char *path, struct ctx_err *err);
/* Copies the rest of the input to a new file and appends that file's path to path. The caller
 * removes the file. */
int spool_database(struct opened *o, struct ctx_buf *path, struct ctx_err *err);

/* ---- formats (import_format.c) ---- */

int find_importer(struct importing *imp, struct ctx_import **out, const char *format,
    struct ctx_err *err);
/* The same for the format detected for the file name. CTX_EINPUT if there is no
 * program for it. */
int find_detected(struct importing *imp, struct ctx_import **out, const char *format,
    const char *name, struct ctx_err *err);
void release_importers(struct importing *imp);

#define PEEK_VALUES 50 /* values read to detect the format */

struct peek {
	/* the first values, an array; null for a value that is not JSON */
	struct ctx_buf list;
	size_t n;
	int64_t line[PEEK_VALUES], offset[PEEK_VALUES];
	struct ctx_err err[PEEK_VALUES]; /* errors of values that are not JSON */
};

/* Reads the first values, as many as needed to detect the format. Returns 1, 0 at the
 * end, -1 on error. */
int look(struct ctx_cut *cut, struct peek *p, struct ctx_err *err);
/* Detects the format of a file that begins with these values (an array), or of a
 * database with these tables ({"tables": …}). name is the name of the file. *format is
 * valid until the next call. */
int detect(struct importing *imp, const char **format, struct ctx_span values,
    struct ctx_span tables, const char *name, struct ctx_err *err);
/* Appends the SQL script of a format. */
int read_script(
    struct importing *imp, struct ctx_buf *out, const char *format, struct ctx_err *err);

#endif
