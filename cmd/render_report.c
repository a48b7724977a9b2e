#include "render_report.h"

#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "json/json.h"

#define OMITTED_SHOWN 5

/* Returns the members as the text of a JSON object or array; NULL if there are none. */
static char *
wrap_report_members(const struct ctx_buf *members, const char *brackets)
{
	struct ctx_buf b = CTX_BUF_INIT;

	if (members->n > 0)
		ctx_buf_addf(&b, "%c%.*s%c", brackets[0], (int)members->n, members->p,
		    brackets[1]);
	return members->n > 0 ? ctx_buf_detach(&b) : NULL;
}

void
render_report_note(const struct ctx_render_report *report, struct ctx_request *q)
{
	free(q->names_json);
	free(q->omitted_json);
	q->names_json = wrap_report_members(&report->names, "{}");
	q->omitted_json = wrap_report_members(&report->omitted, "[]");
}

/* Prints a separate note about an answer that is not sent. Returns whether it did. */
static bool
tell_withheld(struct ctx_span entry, struct ctx_span seq)
{
	char *reason = ctx_json_strdup(ctx_json_get(entry, "reason"));
	bool withheld = reason != NULL;

	if (withheld && strcmp(reason, "continued") == 0)
		cli_note(
		    "message %.*s is not sent, because the provider's continuation token takes its place",
		    (int)seq.n, seq.p);
	else if (withheld)
		cli_note(
		    "message %.*s is not sent: the answer ended with %s (--refused sends it)",
		    (int)seq.n, seq.p, reason);
	free(reason);
	return withheld;
}

void
render_report_tell(const struct ctx_render_report *report, enum ctx_provider provider)
{
	struct ctx_buf text = CTX_BUF_INIT;
	char *array = wrap_report_members(&report->omitted, "[]");
	size_t n = 0;

	CTX_JSON_EACH_WHILE(array != NULL, it, ctx_span_of(array)) {
		struct ctx_span seq = ctx_json_get(it.value, "seq");
		if (seq.p == NULL)
			seq = ctx_json_get(it.value, "position");
		if (tell_withheld(it.value, seq))
			continue;
		if (n++ >= OMITTED_SHOWN)
			continue;
		ctx_buf_adds(&text, n > 1 ? ", message " : "message ");
		ctx_buf_addspan(&text, seq);
		ctx_buf_adds(&text, " (");
		ctx_json_decode(ctx_json_get(it.value, "type"), &text);
		ctx_buf_addc(&text, ')');
	}
	if (n > OMITTED_SHOWN)
		ctx_buf_addf(&text, " and %zu more", n - OMITTED_SHOWN);
	if (n > 0)
		cli_note("%s does not support some parts of %s: they are not sent",
		    ctx_provider_name(provider), text.p);
	ctx_buf_release(&text);
	free(array);
}

void
render_report_release(struct ctx_render_report *report)
{
	ctx_buf_release(&report->names);
	ctx_buf_release(&report->omitted);
}
