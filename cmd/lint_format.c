/* ctx-lint: prints diagnostics in several formats. */
#include <string.h>

#include "json/json.h"
#include "lint.h"

static void
put_ndjson(struct lint_report *r, const struct ctx_lint_diagnostic *d)
{
	ctx_json_print(r->out, "{'kind':'diagnostic','file':%s,'line':%d", r->file,
	    (int64_t)(r->before + d->line));
	if (d->index >= 0)
		ctx_json_add_int(r->out, "index", d->index);
	ctx_json_print(r->out, "'rule':%s,'severity':%s,'provider':%s,'message':%s}\n",
	    d->rule, d->error ? "error" : "warning", d->provider, d->text);
}

static void
put_lint_diagnostic(struct lint_report *r, const struct ctx_lint_diagnostic *d)
{
	ctx_buf_addf(r->out, "%s:%zu: %s: %s [%s]\n", r->file, r->before + d->line,
	    d->error ? "error" : "warning", d->text, d->rule);
}

/* Escapes data of GitHub Actions' workflow commands, as in a URL. Properties also end at
 * ':' and ','. */
static void
put_escaped(struct ctx_buf *b, const char *s, const char *special)
{
	for (; *s; s++) {
		if (strchr(special, *s) != NULL)
			ctx_buf_addf(b, "%%%02X", (unsigned char)*s);
		else
			ctx_buf_addc(b, *s);
	}
}

static void
put_github(struct lint_report *r, const struct ctx_lint_diagnostic *d)
{
	ctx_buf_addf(r->out, "::%s file=", d->error ? "error" : "warning");
	put_escaped(r->out, r->file, "%\r\n:,");
	ctx_buf_addf(r->out, ",line=%zu,title=%s::", r->before + d->line, d->rule);
	put_escaped(r->out, d->text, "%\r\n");
	ctx_buf_addc(r->out, '\n');
}

/* ---- SARIF 2.1.0 ---- */

static bool more_results;

static void
put_sarif(struct lint_report *r, const struct ctx_lint_diagnostic *d)
{
	ctx_buf_adds(r->out, more_results ? ",\n" : "\n");
	more_results = true;
	ctx_json_print(r->out,
	    "{'ruleId':%s,'level':%s,'message':{'text':%s},'locations':[{'physicalLocation':{'artifactLocation':{'uri':%s},'region':{'startLine':%d}}}]}",
	    d->rule, d->error ? "error" : "warning", d->text, r->file,
	    (int64_t)(r->before + d->line));
}

/* ---- JUnit ---- */

/* Appends text of an XML attribute or element. Characters that XML does not allow become
 * U+FFFD. */
static void
put_xml(struct ctx_buf *b, const char *s)
{
	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;
		if (strchr("<>&\"'", c) != NULL)
			ctx_buf_addf(b, "&#%u;", c);
		else if (c < ' ' && c != '\n' && c != '\t')
			ctx_buf_adds(b, "\xef\xbf\xbd");
		else
			ctx_buf_addc(b, *s);
	}
}

/* Prints a test case. It failed if the diagnostic is an error; a warning passes unless it
 * counts as an error. */
static void
put_junit(struct lint_report *r, const struct ctx_lint_diagnostic *d)
{
	struct ctx_buf *b = r->out;
	bool failed = d->error || r->strict;

	r->failed |= failed;
	ctx_buf_adds(b, "<testcase classname=\"");
	put_xml(b, r->file);
	ctx_buf_addf(b, "\" name=\"line %zu: %s\">", r->before + d->line, d->rule);
	ctx_buf_addf(b, failed ? "<failure type=\"%s\" message=\"" : "<system-out>",
	    d->error ? "error" : "warning");
	put_xml(b, d->text);
	ctx_buf_adds(b, failed ? "\"/>" : "</system-out>");
	ctx_buf_adds(b, "</testcase>\n");
}

static void
fail_junit(struct lint_report *r, const struct ctx_lint_diagnostic *d)
{
	struct ctx_buf *b = r->out;

	r->failed = true;
	ctx_buf_adds(b, "<testcase classname=\"");
	put_xml(b, r->file);
	ctx_buf_addf(b, "\" name=\"line %zu: unreadable\"><error message=\"", d->line);
	put_xml(b, d->text);
	ctx_buf_adds(b, "\"/></testcase>\n");
}

static void
end_junit_file(struct lint_report *r)
{
	if (r->failed)
		return;
	ctx_buf_adds(r->out, "<testcase classname=\"");
	put_xml(r->out, r->file);
	ctx_buf_adds(r->out, "\" name=\"all rules\"></testcase>\n");
}

/* ---- the table of formats ---- */

const struct lint_format *
lint_format_find(const char *name)
{
	static const struct lint_format formats[] = {
	    {.name = "ndjson", .put = put_ndjson},
	    {.name = "text", .put = put_lint_diagnostic},
	    {.name = "github", .put = put_github, .fail = put_github},
	    {"sarif", put_sarif, put_sarif, NULL,
		"{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\","
		"\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":\"ctx-lint\","
		"\"version\":\"" CTX_VERSION "\"}},\"results\":[",
		"]}]}\n"},
	    {"junit", put_junit, fail_junit, end_junit_file,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuites>\n<testsuite name=\"ctx-lint\">\n",
		"</testsuite>\n</testsuites>\n"},
	};

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (strcmp(name, formats[i].name) == 0)
			return &formats[i];
	return NULL;
}
