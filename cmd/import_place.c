/* ctx-import: finds the directories where tools keep their sessions. A format's program
 * names them by patterns that begin with "~/" or "${NAME:-DEFAULT}". */
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "import.h"
#include "json/json.h"

/* Appends the text with "~" replaced by the home directory. Returns false if there is no
 * home directory. */
static bool
add_home(struct ctx_buf *out, struct ctx_span text)
{
	const char *home = getenv("HOME");

	if (text.n == 0 || text.p[0] != '~') {
		ctx_buf_addspan(out, text);
		return true;
	}
	if (home == NULL || home[0] == '\0')
		return false;
	ctx_buf_adds(out, home);
	ctx_buf_add(out, text.p + 1, text.n - 1);
	return true;
}

/* Appends the expanded pattern. Returns false if a variable that it needs is not set. */
static bool
expand_place(struct ctx_buf *out, struct ctx_span place)
{
	const char *end = memchr(place.p, '}', place.n), *value;
	struct ctx_span name, other = CTX_SPAN_NONE;
	char *variable;
	bool known;

	if (place.n < 3 || place.p[0] != '$' || place.p[1] != '{' || end == NULL)
		return add_home(out, place);
	name = (struct ctx_span){place.p + 2, (size_t)(end - place.p) - 2};
	for (size_t i = 0; i + 1 < name.n; i++)
		if (name.p[i] == ':' && name.p[i + 1] == '-') {
			other = (struct ctx_span){name.p + i + 2, name.n - i - 2};
			name.n = i;
		}
	variable = ctx_span_dup(name);
	value = getenv(variable);
	free(variable);
	known = value != NULL && value[0] != '\0';
	if (known)
		ctx_buf_adds(out, value);
	else if (other.p != NULL)
		known = add_home(out, other);
	ctx_buf_add(out, end + 1, (size_t)(place.p + place.n - end) - 1);
	return known;
}

static int
walk_place(
    const char *format, const char *pattern, place_fn *fn, void *arg, struct ctx_err *err)
{
	glob_t found;
	int rc = 0;

	if (glob(pattern, 0, NULL, &found) != 0)
		return 0;
	for (size_t i = 0; rc == 0 && i < found.gl_pathc; i++)
		rc = fn(arg, format, found.gl_pathv[i], err);
	globfree(&found);
	return rc;
}

typedef int pattern_fn(
    void *arg, const char *format, const char *pattern, struct ctx_err *err);

static int
walk_patterns(struct ctx_span name, struct ctx_span program, pattern_fn *fn, void *arg,
    struct ctx_err *err)
{
	struct ctx_buf pattern = CTX_BUF_INIT;
	char *format = ctx_span_dup(name);
	struct ctx_span place;
	int rc = 0;

	while (rc == 0 && ctx_import_note(&program, "place", &place)) {
		ctx_buf_reset(&pattern);
		if (expand_place(&pattern, place))
			rc = fn(arg, format, pattern.p, err);
	}
	ctx_buf_release(&pattern);
	free(format);
	return rc;
}

struct walk {
	place_fn *fn;
	void *arg;
};

static int
walk_pattern(void *arg, const char *format, const char *pattern, struct ctx_err *err)
{
	struct walk *w = arg;

	return walk_place(format, pattern, w->fn, w->arg, err);
}

int
walk_places(const char *format, place_fn *fn, void *arg, struct ctx_err *err)
{
	struct ctx_span name, program = CTX_SPAN_NONE;
	struct walk w = {fn, arg};

	while (ctx_import_format_next(&name, &program))
		if (ctx_span_is(name, format))
			return walk_patterns(name, program, walk_pattern, &w, err);
	return ctx_err_set(
	    err, CTX_EUSAGE, "unknown format '%s' (--formats lists them)", format);
}

/* ---- --sources ---- */

struct source {
	int64_t files, bytes;
};

static int
count_source_file(void *arg, const char *format CTX_UNUSED, const char *path,
    struct ctx_err *err CTX_UNUSED)
{
	struct source *s = arg;
	struct stat st;

	if (stat(path, &st) == 0 && S_ISREG(st.st_mode)) {
		s->files++;
		s->bytes += st.st_size;
	}
	return 0;
}

static int
print_source(
    void *arg CTX_UNUSED, const char *format, const char *pattern, struct ctx_err *err)
{
	struct source s = {0, 0};
	if (walk_place(format, pattern, count_source_file, &s, err) < 0)
		return -1;
	if (s.files > 0)
		ctx_json_print(&cli_out.buf,
		    "{'kind':'source','format':%s,'place':%s,'files':%d,'bytes':%d}\n",
		    format, pattern, s.files, s.bytes);
	return 0;
}

int
print_sources(struct ctx_err *err)
{
	struct ctx_span name, program = CTX_SPAN_NONE;

	while (ctx_import_format_next(&name, &program))
		if (walk_patterns(name, program, print_source, NULL, err) < 0)
			return -1;
	return 0;
}
