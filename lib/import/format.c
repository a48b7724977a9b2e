/* Finds formats: built-in ones, and files of the user. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "import/import.h"

#define PROGRAM_MAX ((size_t)1 << 20)

/* Name and text of each file in this directory, each followed by a NUL. */
static const char files[] = {
#include "import/formats.inc"
};

static bool
has_ending(struct ctx_span name, const char *ending)
{
	size_t n = strlen(ending);

	return name.n > n && memcmp(name.p + name.n - n, ending, n) == 0;
}

/* Returns the name of the file after text (NULL: of the first file), and sets *text to
 * its text. Returns NULL at the end. */
static const char *
next_format_file(const char **text)
{
	const char *name = *text == NULL ? files : *text + strlen(*text) + 1;

	if (*name == '\0')
		return NULL;
	*text = name + strlen(name) + 1;
	return name;
}

/* Returns the text of the built-in file FORMAT.ENDING, or NULL. */
static const char *
find_format_file(const char *format, const char *ending)
{
	const char *text = NULL, *name;
	size_t n = strlen(format);

	while ((name = next_format_file(&text)) != NULL)
		if (strncmp(name, format, n) == 0 && strcmp(name + n, ending) == 0)
			return text;
	return NULL;
}

bool
ctx_import_format_next(struct ctx_span *name, struct ctx_span *program)
{
	const char *text = program->p, *file;

	while ((file = next_format_file(&text)) != NULL) {
		*name = ctx_span_of(file);
		*program = ctx_span_of(text);
		if (!has_ending(*name, ".jq") || strcmp(file, "common.jq") == 0)
			continue;
		name->n -= strlen(".jq");
		return true;
	}
	return false;
}

/* Appends the file FORMAT.ENDING from the first directory that has it. Returns 1, 0 if
 * none has it, -1 on error. */
static int
read_users(struct ctx_buf *out, const char *format, const char *ending,
    const char *const dirs[], struct ctx_err *err)
{
	struct ctx_buf path = CTX_BUF_INIT;
	int rc = 0;

	if (strchr(format, '/') != NULL || format[0] == '.' || format[0] == '\0')
		return ctx_err_set(
		    err, CTX_EUSAGE, "'%s' is not a valid format name", format);
	for (size_t i = 0; rc == 0 && dirs[i] != NULL; i++) {
		ctx_buf_reset(&path);
		ctx_buf_addf(&path, "%s/%s%s", dirs[i], format, ending);
		if (access(path.p, F_OK) == 0)
			rc = ctx_io_read_found(path.p, out, PROGRAM_MAX, err) < 0 ? -1
										  : 1;
		else if (errno != ENOENT && errno != ENOTDIR)
			rc = ctx_err_sys(err, CTX_EIO, errno, "cannot open '%s'", path.p);
	}
	ctx_buf_release(&path);
	return rc;
}

/* Like read_users, but falls back to the built-in file. */
static int
read_format_file(struct ctx_buf *out, const char *format, const char *ending,
    const char *const dirs[], struct ctx_err *err)
{
	int rc = read_users(out, format, ending, dirs, err);
	const char *text = rc == 0 ? find_format_file(format, ending) : NULL;

	if (text == NULL)
		return rc;
	ctx_buf_adds(out, text);
	return 1;
}

int
ctx_import_program(struct ctx_buf *out, const char *format, const char *const dirs[],
    struct ctx_err *err)
{
	int rc;

	ctx_buf_adds(out, find_format_file("common", ".jq"));
	rc = read_format_file(out, format, ".jq", dirs, err);
	if (rc == 0)
		return ctx_err_set(err, CTX_EUSAGE,
		    "unknown format '%s' (--formats lists them)", format);
	return rc < 0 ? -1 : 0;
}

int
ctx_import_script(struct ctx_buf *out, const char *format, const char *const dirs[],
    struct ctx_err *err)
{
	int rc = read_format_file(out, format, ".sql", dirs, err);

	if (rc == 0)
		return ctx_err_set(
		    err, CTX_EINPUT, "format '%s' does not read databases", format);
	return rc < 0 ? -1 : 0;
}

/* ---- notes ---- */

bool
ctx_import_note(struct ctx_span *rest, const char *name, struct ctx_span *value)
{
	static const char mark[] = "# ctx-import: ";
	size_t head = sizeof(mark) - 1 + strlen(name);
	struct ctx_span line;

	while (ctx_span_split(rest, '\n', &line)) {
		if (!ctx_span_begins(line, mark) || line.n < head ||
		    memcmp(line.p + sizeof(mark) - 1, name, strlen(name)) != 0 ||
		    (line.n > head && line.p[head] != ' '))
			continue;
		*value = ctx_span_trim((struct ctx_span){line.p + head, line.n - head});
		return true;
	}
	return false;
}

/* Appends a jq function that returns the format of a value, built from the notes of all
 * formats. */
static void
add_claims(struct ctx_buf *out, const char *function, const char *note)
{
	struct ctx_span name, program = CTX_SPAN_NONE;

	ctx_buf_addf(out, "def %s: ", function);
	while (ctx_import_format_next(&name, &program)) {
		struct ctx_span rest = program, claim;
		while (ctx_import_note(&rest, note, &claim)) {
			ctx_buf_adds(out, "if (try (");
			ctx_buf_addspan(out, claim);
			ctx_buf_adds(out, ") catch false) then \"");
			ctx_buf_addspan(out, name);
			ctx_buf_adds(out, "\" el");
		}
	}
	ctx_buf_adds(out, "if true then null else null end;\n");
}

int
ctx_import_detector(struct ctx_buf *out, const char *const dirs[], struct ctx_err *err)
{
	ctx_buf_adds(out, find_format_file("common", ".jq"));
	ctx_buf_adds(out,
	    "def object: type == \"object\"; def array: type == \"array\"; "
	    "def string: type == \"string\"; .path as $path | .tables as $tables | "
	    "def holds($table; $columns): ($tables[$table] | array) and all($columns[]; "
	    ". as $c | $tables[$table] | any(.[]; . == $c));\n");
	add_claims(out, "claimed", "claims");
	add_claims(out, "stored", "tables");
	return read_format_file(out, "auto", ".jq", dirs, err) < 0 ? -1 : 0;
}
