/* Adds attachments, the note about a pause, and instructions. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/time.h"
#include "enrich/arrange.h"
#include "enrich/internal.h"
#include "json/json.h"
#include "record/quote.h"

#define DAY_MS ((int64_t)24 * 3600 * 1000)

/* ---- attachments ---- */

/* Returns whether the text is NDJSON: every line that is not blank is a JSON object, and
 * there is at least one. */
static bool
is_ndjson(struct ctx_span text)
{
	struct ctx_err ignored = CTX_ERR_INIT;
	struct ctx_span line, v;
	size_t n = 0;

	while (ctx_span_split(&text, '\n', &line)) {
		line = ctx_span_trim(line);
		if (line.n == 0)
			continue;
		if (line.p[0] != '{' || ctx_json_check(line, &v, NULL, &ignored) < 0)
			return false;
		n++;
	}
	return n > 0;
}

static struct ctx_span
first_string(struct ctx_span object, const char *const keys[], struct ctx_buf *tmp)
{
	for (; *keys != NULL; keys++) {
		struct ctx_span v = ctx_json_get(object, *keys);
		if (ctx_json_type(v) == CTX_JSON_STRING)
			return ctx_json_text(v, tmp);
	}
	return CTX_SPAN_NONE;
}

struct document {
	struct ctx_span title, text;
	/* the document's origin, if the title does not contain it */
	struct ctx_span source;
};

static void
add_document(struct ctx_enrich *e, const char *name, const struct document *d)
{
	struct ctx_buf b = CTX_BUF_INIT, full = CTX_BUF_INIT;
	struct enrich_source source = {
	    .type = "reference", .reason = "attached", .score = -1};

	ctx_buf_adds(&full, name);
	if (d->title.n > 0) {
		ctx_buf_adds(&full, ": ");
		ctx_buf_addspan(&full, d->title);
	}
	if (d->source.n > 0) {
		ctx_buf_adds(&full, " (");
		ctx_buf_addspan(&full, d->source);
		ctx_buf_addc(&full, ')');
	}
	source.name = full.p;
	ctx_buf_addf(&b, "Document: %s\n", full.p);
	ctx_quote_block(&b, d->text);
	ctx_enrich_add_text(e, CTX_SLOT_VOLATILE, &source, ctx_buf_span(&b));
	ctx_buf_release(&b);
	ctx_buf_release(&full);
}

void
ctx_enrich_add_attachments(struct ctx_enrich *e)
{
	static const char *const titles[] = {"title", "name", "source", "id", NULL};
	static const char *const texts[] = {"content", "text", "body", NULL};
	static const char *const sources[] = {"source", "url", "uri", NULL};
	struct ctx_buf title = CTX_BUF_INIT, tmp = CTX_BUF_INIT, from = CTX_BUF_INIT;

	for (size_t i = 0; i < e->o.n_attachments; i++) {
		const struct ctx_enrich_attachment *a = &e->o.attachments[i];
		struct ctx_span rest = a->text, line;
		if (!is_ndjson(rest)) {
			add_document(e, a->name, &(struct document){.text = rest});
			continue;
		}
		while (ctx_span_split(&rest, '\n', &line)) {
			struct document d;
			line = ctx_span_trim(line);
			if (line.n == 0)
				continue;
			d.text = first_string(line, texts, &tmp);
			if (d.text.p == NULL)
				d.text = line;
			d.title = first_string(line, titles, &title);
			d.source = first_string(line, sources, &from);
			if (ctx_span_eq(d.source, d.title))
				d.source = CTX_SPAN_NONE;
			add_document(e, a->name, &d);
		}
	}
	ctx_buf_release(&title);
	ctx_buf_release(&tmp);
	ctx_buf_release(&from);
}

/* ---- notes ---- */

void
ctx_enrich_add_idle_note(struct ctx_enrich *e)
{
	struct enrich_source source = {.type = "note", .name = "idle", .score = -1};
	int64_t at = e->messages[e->turn].created_at, before = CTX_TIME_NONE, days;
	struct ctx_buf text = CTX_BUF_INIT;

	for (size_t i = e->turn; i-- > 0 && before == CTX_TIME_NONE;)
		if (e->messages[i].slot == CTX_SLOT_HISTORY)
			before = e->messages[i].created_at;
	if (e->o.idle_ms < 0 || at == CTX_TIME_NONE || before == CTX_TIME_NONE ||
	    at - before <= e->o.idle_ms)
		return;
	days = (at - before) / DAY_MS;
	if (days > 0)
		ctx_buf_addf(&text,
		    "Note: this conversation rested for %lld day%s before the user's message; what "
		    "was said before may be out of date.",
		    (long long)days, days == 1 ? "" : "s");
	else
		ctx_buf_addf(&text,
		    "Note: this conversation rested for %lld minutes before the user's message.",
		    (long long)((at - before) / 60000));
	ctx_enrich_add_text(e, CTX_SLOT_VOLATILE, &source, ctx_buf_span(&text));
	ctx_buf_release(&text);
}

void
ctx_enrich_add_instructions(struct ctx_enrich *e, bool entities)
{
	static const char usual[] =
	    "Use the entities listed above to understand what the message refers to, also "
	    "where it names a thing in short or only points at it. Keep to their types and "
	    "ids. Ask when it stays unclear which one is meant.";
	struct enrich_source source = {
	    .type = "note", .name = "instructions", .score = -1};
	bool automatic = e->o.instructions == NULL ||
			 strcmp(e->o.instructions, "auto") == 0;

	if (automatic ? !entities : strcmp(e->o.instructions, "none") == 0)
		return;
	if (automatic)
		source.reason = CTX_ENRICH_FOR_ENTITIES;
	ctx_enrich_add_text(e, CTX_SLOT_VOLATILE, &source,
	    ctx_span_of(automatic ? usual : e->o.instructions));
}
