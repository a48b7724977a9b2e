/* Inside of ctx-import: its state, and what the parts of the program do. */
#ifndef CTX_CMD_IMPORT_H
#define CTX_CMD_IMPORT_H

#include "cli.h"
#include "import/import.h"

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
		bool current, formats;
	} opt;
	size_t failures;
	struct importer *importers;
	struct ctx_import *into; /* what rows of a database go to */
	struct {
		const char *name;
		int64_t line, no; /* 0: the file as a whole */
	} at;                     /* where in the input what is told stands */
	struct ctx_jq *detector;
	char *detected; /* format */
};

/* What an importer gives out, and tells of what it leaves out. */
int print_record(void *arg, struct ctx_span record, struct ctx_err *err);
void tell_reason(void *arg, const char *reason);

/* From here the format's program runs over what stands there in the file, 0: over all of it.
 * When it crashes, the process says so and ends (import_crash.c). */
void guard(const char *name, int64_t at_line, int64_t at_no);
void guard_end(void);

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
	int64_t line[PEEK_VALUES];
	struct ctx_err err[PEEK_VALUES]; /* of those that are no JSON */
};

/* The first values, as many as it takes to tell what they are: 1, 0 at the end, -1. */
int look(struct ctx_cut *cut, struct peek *p, struct ctx_err *err);
/* The format of a file that begins with these values (an array), good until the next call;
 * name is the file's. */
int detect(struct importing *imp, const char **format, struct ctx_span values,
    const char *name, struct ctx_err *err);
/* Append the SQL script of a format. */
int read_script(
    struct importing *imp, struct ctx_buf *out, const char *format, struct ctx_err *err);

#endif
