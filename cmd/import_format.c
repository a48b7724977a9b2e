/* ctx-import: loads the programs of formats, and detects the format of a file. */
#include "import.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/jq.h"
#include "json/json.h"

#define PEEK_BYTES ((size_t)4 << 20)
#define WHOLE_MAX ((size_t)64 << 20) /* largest file that is read as a whole */

/* ---- importers ---- */

typedef int read_fn(struct ctx_buf *out, const char *format, const char *const dirs[],
    struct ctx_err *err);

/* Calls read, which reads a file of a format, with the directories to search: the user's
 * directory, then --import-dir. */
static int
read_format(struct importing *imp, struct ctx_buf *out, const char *format, read_fn *read,
    struct ctx_err *err)
{
	const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	const char *dirs[3] = {NULL, NULL, NULL};
	struct ctx_buf user = CTX_BUF_INIT;
	size_t n = 0;
	int rc;

	if (base != NULL && base[0] == '/')
		ctx_buf_addf(&user, "%s/ctx/import", base);
	else if (home != NULL && home[0] != '\0')
		ctx_buf_addf(&user, "%s/.config/ctx/import", home);
	if (user.n > 0)
		dirs[n++] = user.p;
	dirs[n] = imp->opt.dir;
	rc = read(out, format, dirs, err);
	ctx_buf_release(&user);
	return rc;
}

int
read_script(
    struct importing *imp, struct ctx_buf *out, const char *format, struct ctx_err *err)
{
	return read_format(imp, out, format, ctx_import_script, err);
}

int
find_importer(struct importing *imp, struct ctx_import **out, const char *format,
    struct ctx_err *err)
{
	struct ctx_import_options o = {.format = format,
	    .session = imp->opt.session,
	    .current = imp->opt.current,
	    .max_all = WHOLE_MAX,
	    .left_out = tell_reason};
	struct importer *u;

	for (u = imp->importers; u != NULL; u = u->next)
		if (strcmp(u->format, format) == 0) {
			*out = u->im;
			return 0;
		}
	u = ctx_mem_new(sizeof(*u));
	if (read_format(imp, &u->program, format, ctx_import_program, err) == 0) {
		o.program = ctx_buf_span(&u->program);
		if (ctx_import_open(&u->im, &o, print_record, imp, err) == 0) {
			u->format = ctx_mem_str(format);
			u->next = imp->importers;
			*out = (imp->importers = u)->im;
			if (imp->opt.current && !ctx_import_has_branches(o.program))
				cli_note(
				    "--current has no effect: the format %s has no branches",
				    format);
			return 0;
		}
	}
	ctx_buf_release(&u->program);
	free(u);
	return -1;
}

/* ---- detecting the format ---- */

static int
take_format_name(void *arg, struct ctx_span json, struct ctx_err *err CTX_UNUSED)
{
	struct importing *imp = arg;

	free(imp->detected);
	imp->detected = ctx_json_strdup(json);
	return 0;
}

static int
read_detector(struct ctx_buf *out, const char *format CTX_UNUSED,
    const char *const dirs[], struct ctx_err *err)
{
	return ctx_import_detector(out, dirs, err);
}

int
detect(struct importing *imp, const char **format, struct ctx_span values,
    struct ctx_span tables, const char *name, struct ctx_err *err)
{
	struct ctx_buf path = CTX_BUF_INIT;
	struct ctx_jq_input in[] = {{"records", values},
	    {"tables", ctx_json_get(tables, "tables")}, {"path", CTX_SPAN_NONE}};
	struct ctx_buf program = CTX_BUF_INIT;
	int rc = 0;

	free(imp->detected);
	imp->detected = NULL;
	if (imp->detector == NULL) {
		rc = read_format(imp, &program, NULL, read_detector, err);
		if (rc == 0)
			rc = ctx_jq_open(
			    &imp->detector, ctx_buf_span(&program), "auto", err);
		ctx_buf_release(&program);
	}
	ctx_json_put_string(&path, ctx_span_of(name));
	in[2].json = ctx_buf_span(&path);
	if (rc == 0)
		rc = ctx_jq_run(imp->detector, in, 3, take_format_name, imp, err);
	ctx_buf_release(&path);
	if (rc == 0 && imp->detected != NULL && strcmp(imp->detected, "records") == 0)
		rc = ctx_err_set(err, CTX_EINPUT,
		    "%s: the file already contains records: append them with ctx-append",
		    name);
	imp->unknown = rc == 0 && imp->detected == NULL;
	if (imp->unknown)
		rc = ctx_err_set(err, CTX_EINPUT,
		    "%s: unknown format (use -f FORMAT; --formats lists the formats)",
		    name);
	*format = imp->detected;
	return rc;
}

/* Reports a format that was detected but for which there is no program. */
int
find_detected(struct importing *imp, struct ctx_import **out, const char *format,
    const char *name, struct ctx_err *err)
{
	if (find_importer(imp, out, format, err) == 0)
		return 0;
	if (err->code == CTX_EUSAGE && strcmp(imp->opt.format, "auto") == 0)
		ctx_err_set(err, CTX_EINPUT,
		    "%s: the file seems to be from '%s', which is not supported (--formats lists the formats)",
		    name, format);
	return -1;
}

int
look(struct ctx_cut *cut, struct peek *p, struct ctx_err *err)
{
	struct ctx_span value;
	int end = 1;

	ctx_json_put_open(&p->list, '[');
	while (p->n < PEEK_VALUES && p->list.n < PEEK_BYTES &&
	       (end = ctx_cut_next(cut, &value, err)) != 0) {
		if (end < 0 && err->code != CTX_EINPUT)
			return -1;
		ctx_json_put_raw(&p->list, end < 0 ? ctx_span_of("null") : value);
		p->err[p->n] = *err;
		p->offset[p->n] = ctx_cut_offset(cut);
		p->line[p->n++] = ctx_cut_line(cut);
		*err = (struct ctx_err)CTX_ERR_INIT;
		end = 1;
	}
	ctx_json_put_close(&p->list, ']');
	return end;
}

void
release_importers(struct importing *imp)
{
	while (imp->importers != NULL) {
		struct importer *next = imp->importers->next;
		ctx_import_close(imp->importers->im);
		ctx_buf_release(&imp->importers->program);
		free(imp->importers->format);
		free(imp->importers);
		imp->importers = next;
	}
	ctx_jq_close(imp->detector);
	free(imp->detected);
}
