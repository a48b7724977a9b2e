#include "window/context.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "json/json.h"
#include "record/usage.h"

static const struct type {
	const char *name, *heading, *one, *many;
} types[] = {
    {"rule", "Rules", "rule", "rules"},
    {"reference", "References", "reference", "references"},
    {"tool", "Tools", "tool", "tools"},
    {"prompt", "Prompt modules", "prompt module", "prompt modules"},
    {"entity", "Entities", "entity", "entities"},
    {"topic", "Topic", "topic", "topics"},
    {"note", "Notes", "note", "notes"},
    {"history", "Older messages", "older message", "older messages"},
    {"summary", "Summary", "summary", "summaries"},
};
#define TYPES (sizeof(types) / sizeof(types[0]))

static const char *const modes[] = {"agent", "always", "manual"};

static void
put_context_title(struct ctx_buf *out, struct ctx_span string)
{
	size_t at = out->n;

	ctx_json_decode(string, out);
	if (out->n > at && out->p[at] >= 'a' && out->p[at] <= 'z')
		out->p[at] = (char)(out->p[at] - 'a' + 'A');
}

/* Names are other people's text: no line may begin inside one. */
static void
put_context_name(struct ctx_buf *out, struct ctx_span string)
{
	struct ctx_buf tmp = CTX_BUF_INIT;

	ctx_visible_add_line(out, ctx_json_text(string, &tmp));
	ctx_buf_release(&tmp);
}

static void
put_context_line(struct ctx_buf *out, struct ctx_span source)
{
	struct ctx_span mode = ctx_json_find(source, "include_mode");
	struct ctx_span reason = ctx_json_find(source, "reason");
	struct ctx_span server = ctx_json_find(source, "server_name");
	struct ctx_span name = ctx_json_find(source, "name");
	double score;

	ctx_buf_adds(out, "  ");
	if (ctx_json_type(server) == CTX_JSON_STRING) {
		put_context_name(out, server);
		ctx_buf_addc(out, ':');
	}
	put_context_name(out, name.p != NULL ? name : ctx_json_get(source, "type"));
	if (mode.p != NULL || reason.p != NULL) {
		ctx_buf_adds(out, " [");
		put_context_title(out, mode.p != NULL ? mode : reason);
		if (ctx_json_double(ctx_json_get(source, "similarity_score"), &score))
			ctx_buf_addf(out, " - %.2f", score);
		ctx_buf_addc(out, ']');
	}
	ctx_buf_addc(out, '\n');
}

/* ---- runs ---- */

/* An addition of a run, and the first request that held it. */
struct ctx_context_seen {
	char *run, *sha256, *request_id; /* JSON strings */
};

void
ctx_context_log_release(struct ctx_context_log *log)
{
	for (size_t i = 0; i < log->n; i++) {
		free(log->list[i].run);
		free(log->list[i].sha256);
		free(log->list[i].request_id);
	}
	free(log->list);
	*log = (struct ctx_context_log){NULL, 0, 0};
}

/* The newest are looked at first: they are the run's. */
static const struct ctx_context_seen *
find_seen_context(
    const struct ctx_context_log *log, struct ctx_span run, struct ctx_span sha256)
{
	for (size_t i = log->n; i-- > 0;)
		if (ctx_span_is(sha256, log->list[i].sha256) &&
		    ctx_span_is(run, log->list[i].run))
			return &log->list[i];
	return NULL;
}

static void
note_seen(struct ctx_context_log *log, struct ctx_span record)
{
	struct ctx_span run = ctx_json_get(ctx_json_get(record, "run"), "id");
	struct ctx_span request = ctx_json_get(record, "request_id");

	if (run.p == NULL || request.p == NULL)
		return;
	CTX_JSON_EACH(it, ctx_json_get(record, "messages")) {
		struct ctx_span sha256 = ctx_json_get(it.value, "sha256");
		if (sha256.p == NULL || find_seen_context(log, run, sha256) != NULL)
			continue;
		CTX_MEM_GROW(log->list, log->n, log->cap);
		log->list[log->n++] = (struct ctx_context_seen){
		    ctx_span_dup(run), ctx_span_dup(sha256), ctx_span_dup(request)};
	}
}

/* The choice of an item that an earlier request holds: its source, with the score for this
 * message; absent: it was not chosen now. */
static struct ctx_span
find_choice(struct ctx_span record, struct ctx_span entry)
{
	struct ctx_span sha256 = ctx_json_get(entry, "sha256");

	CTX_JSON_EACH(it, ctx_json_get(record, "in_view"))
		if (sha256.p != NULL &&
		    ctx_span_eq(ctx_json_get(it.value, "sha256"), sha256))
			return ctx_json_get(it.value, "source");
	return CTX_SPAN_NONE;
}

static void
put_since(struct ctx_buf *out, const struct ctx_context_log *log, struct ctx_span record,
    struct ctx_span entry)
{
	const struct ctx_context_seen *seen = log == NULL
						  ? NULL
						  : find_seen_context(log,
							ctx_json_get(
							    ctx_json_get(record, "run"),
							    "id"),
							ctx_json_get(entry, "sha256"));

	out->n--; /* the newline */
	ctx_buf_adds(out, ", in view");
	if (seen != NULL) {
		ctx_buf_adds(out, " since ");
		put_context_name(out, ctx_span_of(seen->request_id));
	}
	ctx_buf_addc(out, '\n');
}

static void
put_context_run(struct ctx_buf *out, struct ctx_span record)
{
	struct ctx_span run = ctx_json_get(record, "run");
	struct ctx_span cut = ctx_json_get(run, "cut"), id = ctx_json_get(run, "id");
	int64_t n;

	if (!ctx_json_int(ctx_json_get(run, "n"), &n) || id.p == NULL)
		return;
	ctx_buf_addf(out, "Request %lld of run ", (long long)n);
	put_context_name(out, id);
	if (n == 1 && cut.p != NULL) {
		ctx_buf_adds(out, ", after a cut: ");
		put_context_name(out, cut);
		ctx_usage_put_cut(out, ctx_json_get(record, "usage"));
	}
	ctx_buf_addc(out, '\n');
}

/* ---- kinds of additions ---- */

/* The lines of one addition: how many things it brings. Entities come several in one. */
static size_t
put_lines(struct ctx_buf *out, struct ctx_span source)
{
	size_t n = 0;

	CTX_JSON_EACH(it, ctx_json_get(source, "names")) {
		ctx_buf_adds(out, "  ");
		put_context_name(out, ctx_json_get(it.value, "type"));
		ctx_buf_addc(out, ' ');
		put_context_name(out, ctx_json_get(it.value, "name"));
		ctx_buf_addc(out, '\n');
		n++;
	}
	if (n > 0)
		return n;
	put_context_line(out, source);
	return 1;
}

static bool
is_context_type(struct ctx_span entry, const struct type *t, struct ctx_span *source)
{
	*source = ctx_json_get(entry, "source");
	return ctx_json_has_type(*source, t->name);
}

/* "3 rules (1 agent, 2 always)" */
static void
put_count(struct ctx_buf *out, const struct type *t, struct ctx_span messages, size_t n)
{
	struct ctx_span source;
	size_t by_mode[3] = {0}, known = 0;
	const char *lead = " (";

	CTX_JSON_EACH(it, messages)
		for (size_t m = 0; is_context_type(it.value, t, &source) && m < 3; m++)
			if (ctx_json_is(ctx_json_get(source, "include_mode"), modes[m])) {
				by_mode[m]++;
				known++;
			}
	ctx_buf_addf(out, "%zu %s", n, n == 1 ? t->one : t->many);
	for (size_t m = 0; m < 3; m++)
		if (by_mode[m] > 0) {
			ctx_buf_addf(out, "%s%zu %s", lead, by_mode[m], modes[m]);
			lead = ", ";
		}
	if (known > 0)
		ctx_buf_addc(out, ')');
}

/* The lines of an entry of the record's messages. */
static size_t
put_context_entry(struct ctx_buf *out, const struct ctx_context_log *log,
    struct ctx_span record, struct ctx_span entry, struct ctx_span source)
{
	struct ctx_span chosen = find_choice(record, entry);

	if (chosen.p == NULL)
		return put_lines(out, source);
	put_context_line(out, chosen);
	put_since(out, log, record, entry);
	return 1;
}

void
ctx_context_print(
    struct ctx_buf *out, struct ctx_span record, struct ctx_context_log *log)
{
	struct ctx_span messages = ctx_json_get(record, "messages"), source;
	struct ctx_buf lines = CTX_BUF_INIT, summary = CTX_BUF_INIT;

	put_context_run(out, record);
	for (size_t t = 0; t < TYPES; t++) {
		size_t n = 0;
		ctx_buf_reset(&lines);
		CTX_JSON_EACH(it, messages)
			if (is_context_type(it.value, &types[t], &source))
				n += put_context_entry(
				    &lines, log, record, it.value, source);
		if (n == 0)
			continue;
		ctx_buf_addf(out, "%s (%zu):\n", types[t].heading, n);
		ctx_buf_addspan(out, ctx_buf_span(&lines));
		if (summary.n > 0)
			ctx_buf_adds(&summary, ", ");
		put_count(&summary, &types[t], messages, n);
	}
	if (record.p == NULL)
		ctx_buf_adds(&summary, "No context data available");
	else if (summary.n == 0)
		ctx_buf_adds(&summary, "No additions");
	ctx_buf_addspan(out, ctx_buf_span(&summary));
	ctx_buf_addc(out, '\n');
	if (log != NULL)
		note_seen(log, record);
	ctx_buf_release(&lines);
	ctx_buf_release(&summary);
}
