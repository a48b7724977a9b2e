/* Private to ctx-import: its state, and the functions that its files share. */
#ifndef CTX_CMD_IMPORT_H
#define CTX_CMD_IMPORT_H

#include <sys/types.h>

#include "cli.h"
#include "import/import.h"
#include "append/append.h"

/* The importer of one format. Its jq program is compiled once. */
struct importer {
	struct ctx_import *im;
	char *format;
	struct ctx_buf program;
	struct importer *next;
};

/* The state of one run of the program. */
struct importing {
	struct {
		const char *format, *session, *report, *dir;
		int64_t max_record;
		bool current, formats, append, sync, sources;
	} opt;
	size_t failures;
	struct importer *importers;
	struct ctx_import *into; /* importer of the database that is being read */
	struct {
		const char *name;
		/* for error messages: line number ("line") and record number ("no") of
		 * the current record; both are 0 if an error concerns the whole file */
		int64_t line, no;
		/* Sizes in bytes, for the progress line. before: the files before this
		 * one together; size: this file, 0 if it is compressed; total: all files
		 * together, 0 or less if unknown. */
		int64_t before, size, total;
	} at; /* the file being read, and the position in it, for error messages */
	struct ctx_jq *detector;
	char *detected; /* name of the detected format */
	/* true: the format of the last file was not recognized */
	bool unknown;
	struct ctx_store *store; /* used with --append and --sync */
	struct ctx_tokenizer *tokenizer;
	struct ctx_appender appender;
	int64_t refused, taken; /* numbers of records */
};

/* Callbacks of an importer. print_record prints a record; tell_reason prints why a part
 * of the file was skipped. arg points to a struct importing. */
int print_record(void *arg, struct ctx_span record, struct ctx_err *err);
void tell_reason(void *arg, const char *reason);

/* ---- reading (import_read.c) ---- */

/* The position in a file at which reading continues after the file has grown. */
struct import_resume {
	char *format; /* name of the file's format, owned; NULL: not detected yet */
	/* byte offset and line number at which the next run continues; 0: at the start of
	 * the file */
	int64_t offset, line;
	struct ctx_import_point point;
	/* Set by the caller. true: the file has not changed recently, so an incomplete
	 * message at its end is imported as it is */
	bool settled;
	/* Set by import_file. true: an incomplete message at the end of the file was not
	 * imported, because the rest of the message may still be written */
	bool waits;
};

/* Imports one file, or stdin if path is "-". If resume is not NULL, starts at the
 * position in *resume and then sets *resume to the position for the next run. The new
 * position is before an incomplete last line, and before a message to which lines may
 * still be added. Fails with CTX_EINPUT if the file was skipped. */
int import_file(struct importing *imp, const char *path, struct import_resume *resume,
    struct ctx_err *err);

/* ---- storing, with --append and --sync (import_store.c) ---- */

struct import_sums {
	int64_t added, repeated, refused; /* numbers of messages */
};

int open_import_store(struct importing *imp, struct ctx_err *err);
/* Queues a record to be stored. Queued records are stored when a batch is full, and at
 * least once a second. */
int store_import_record(
    struct importing *imp, struct ctx_span record, struct ctx_err *err);
int flush_import_store(struct importing *imp, struct ctx_err *err);
void read_import_sums(const struct importing *imp, struct import_sums *out);
void close_import_store(struct importing *imp);

/* ---- the directories where tools keep transcripts (import_place.c) ---- */

/* Calls fn for each file in the directories in which a tool keeps its transcripts.
 * format: the format that this tool writes. Missing directories are skipped. */
typedef int place_fn(
    void *arg, const char *format, const char *path, struct ctx_err *err);
int walk_places(const char *format, place_fn *fn, void *arg, struct ctx_err *err);
/* Prints a record for each directory of a known tool that contains transcripts. */
int print_sources(struct ctx_err *err);

/* ---- directories and --sync (import_sync.c) ---- */

/* Reads all files below the directory with this path. Files of an unknown format are
 * skipped and counted. */
int import_directory(struct importing *imp, const char *path, struct ctx_err *err);
/* Reads new and grown files in the directories of the formats named in argv, or of all
 * formats if argv is empty. */
int sync_places(struct importing *imp, int argc, char **argv, struct ctx_err *err);

/* Protection against crashes of a format's jq program. guard sets the position to report:
 * the file, and the line and number of the record (both 0: the whole file). If the jq
 * program crashes after that, the process prints the position and exits (import_crash.c).
 * guard_end ends the protection. */
void guard(const char *name, int64_t at_line, int64_t at_no);
void guard_end(void);

/* ---- files (import_open.c) ---- */

struct opened {
	int fd;
	/* name of the program that decompresses the file; NULL: the file is not
	 * compressed */
	const char *unpacker;
	pid_t child;
};

/* Opens a file for reading. A compressed file is read through gzip(1) or a similar
 * program. */
int open_input(struct opened *o, const char *path, struct ctx_err *err);
/* Closes the file. Fails with CTX_EINPUT if the file could not be decompressed. */
int close_input(struct opened *o, const char *path, struct ctx_err *err);
/* Copies a compressed database to a temporary file, and appends the path of that file to
 * *path. The caller removes the file. */
int spool_database(struct opened *o, struct ctx_buf *path, struct ctx_err *err);

/* ---- formats (import_format.c) ---- */

int find_importer(struct importing *imp, struct ctx_import **out, const char *format,
    struct ctx_err *err);
/* Like find_importer, but for a detected format. Fails with CTX_EINPUT if there is no jq
 * program for the format. name: name of the file with this format, for the error
 * message. */
int find_detected(struct importing *imp, struct ctx_import **out, const char *format,
    const char *name, struct ctx_err *err);
void release_importers(struct importing *imp);

#define PEEK_VALUES 50 /* maximum number of values read to detect the format */

struct peek {
	/* JSON array of the first values of the file; an invalid value is replaced with
	 * null */
	struct ctx_buf list;
	size_t n;
	int64_t line[PEEK_VALUES], offset[PEEK_VALUES];
	struct ctx_err err[PEEK_VALUES]; /* err[i]: why value i is not valid JSON */
};

/* Reads the first values of a file into *p, at most PEEK_VALUES, until the format can be
 * detected. Returns 1 if the file may have more values, 0 if it has ended, -1 on
 * error. */
int look(struct ctx_cut *cut, struct peek *p, struct ctx_err *err);
/* Detects the format of a file from its first values (values: a JSON array), or of a
 * database from its tables (tables: an object {"tables": …}). name: the file's name.
 * *format is valid until the next call. */
int detect(struct importing *imp, const char **format, struct ctx_span values,
    struct ctx_span tables, const char *name, struct ctx_err *err);
/* Appends to *out the SQL script that reads databases of this format. */
int read_script(
    struct importing *imp, struct ctx_buf *out, const char *format, struct ctx_err *err);

#endif
