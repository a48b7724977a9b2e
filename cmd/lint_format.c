/* ctx-lint: prints diagnostics in several formats. */
#include <string.h>

#include "json/json.h"
#include "lint.h"

static void
put_ndjson(struct lint_report *r, const struct ctx_lint_diagnostic *d)
{
	ctx_json_put_open(r->out, '{');
	ctx_json_add_str(r->out, "kind", "diagnostic");
	ctx_json_add_str(r->out, "file", r->file);
	ctx_json_add_int(r->out, "line", (int64_t)(r->before + d->line));
	if (d->index >= 0)
		ctx_json_add_int(r->out, "index", d->index);
	ctx_json_add_str(r->out, "rule", d->rule);
	ctx_json_add_str(r->out, "severity", d->error ? "error" : "warning");
	ctx_json_add_str(r->out, "provider", d->provider);
	ctx_json_add_str(r->out, "message", d->text);
	ctx_json_put_close(r->out, '}');
	ctx_buf_addc(r->out, '\n');
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

static struct ctx_lint_diagnostic
describe_unreadable(struct lint_report *r, size_t line, const char *text)
{
	r->before = 0;
	return (struct ctx_lint_diagnostic){.rule = "unreadable",
	    .provider = "all",
	    .error = true,
	    .line = line,
	    .index = -1,
	    .text = text};
}

static void
fail_github(struct lint_report *r, size_t line, const char *text)
{
	struct ctx_lint_diagnostic d = describe_unreadable(r, line, text);

	put_github(r, &d);
}

/* ---- SARIF 2.1.0 ---- */

static void
begin_sarif(struct ctx_buf *out)
{
	ctx_buf_adds(out,
	    "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\","
	    "\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":{\"name\":\"ctx-lint\","
	    "\"version\":\"" CTX_VERSION "\"}},\"results\":[");
}

static bool more_results;

static void
put_sarif(struct lint_report *r, const struct ctx_lint_diagnostic *d)
{
	struct ctx_buf b = CTX_BUF_INIT;

	ctx_json_put_open(&b, '{');
	ctx_json_add_str(&b, "ruleId", d->rule);
	ctx_json_add_str(&b, "level", d->error ? "error" : "warning");
	ctx_json_add_open(&b, "message", '{');
	ctx_json_add_str(&b, "text", d->text);
	ctx_json_put_close(&b, '}');
	ctx_json_put_key(&b, "locations");
	ctx_buf_adds(&b, "[{\"physicalLocation\":{\"artifactLocation\":{");
	ctx_json_add_str(&b, "uri", r->file);
	ctx_buf_addf(&b, "},\"region\":{\"startLine\":%zu}}}]", r->before + d->line);
	ctx_json_put_close(&b, '}');
	ctx_buf_adds(r->out, more_results ? ",\n" : "\n");
	more_results = true;
	ctx_buf_addspan(r->out, ctx_buf_span(&b));
	ctx_buf_release(&b);
}

static void
fail_sarif(struct lint_report *r, size_t line, const char *text)
{
	struct ctx_lint_diagnostic d = describe_unreadable(r, line, text);

	put_sarif(r, &d);
}

static void
end_sarif(struct ctx_buf *out)
{
	ctx_buf_adds(out, "]}]}\n");
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

static void
begin_junit(struct ctx_buf *out)
{
	ctx_buf_adds(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
			  "<testsuites>\n<testsuite name=\"ctx-lint\">\n");
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
fail_junit(struct lint_report *r, size_t line, const char *text)
{
	struct ctx_buf *b = r->out;

	r->failed = true;
	ctx_buf_adds(b, "<testcase classname=\"");
	put_xml(b, r->file);
	ctx_buf_addf(b, "\" name=\"line %zu: unreadable\"><error message=\"", line);
	put_xml(b, text);
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

static void
end_junit(struct ctx_buf *out)
{
	ctx_buf_adds(out, "</testsuite>\n</testsuites>\n");
}

/* ---- the table of formats ---- */

const struct lint_format *
lint_format_find(const char *name)
{
	static const struct lint_format formats[] = {
	    {.name = "ndjson", .put = put_ndjson},
	    {.name = "text", .put = put_lint_diagnostic},
	    {.name = "github", .put = put_github, .fail = fail_github},
	    {"sarif", put_sarif, fail_sarif, begin_sarif, NULL, end_sarif},
	    {"junit", put_junit, fail_junit, begin_junit, end_junit_file, end_junit},
	};

	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (strcmp(name, formats[i].name) == 0)
			return &formats[i];
	return NULL;
}
