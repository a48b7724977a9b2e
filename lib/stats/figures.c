#include "stats/figures.h"

#include <stdio.h>
#include <string.h>

#include "json/json.h"

void
ctx_figures_begin(
    struct ctx_figures *f, const char *member, const char *label, struct ctx_span value)
{
	f->label = label;
	f->value = value;
	if (f->prometheus)
		return;
	ctx_json_print(f->out, "{'kind':'stats'");
	if (member != NULL)
		ctx_json_add_string(f->out, member, value);
}

void
ctx_figures_end(struct ctx_figures *f)
{
	if (f->prometheus)
		return;
	ctx_buf_adds(f->out, "}\n");
}

/* ---- metrics ---- */

static struct ctx_buf *
samples_of(struct ctx_figures *f, const char *name)
{
	size_t i = 0;

	while (f->metrics[i].name != NULL && strcmp(f->metrics[i].name, name) != 0)
		i++;
	f->metrics[i].name = name;
	return &f->metrics[i].samples;
}

static void
add_figure_name(const struct ctx_figures *f, struct ctx_buf *b, const char *name)
{
	ctx_buf_addf(b, "ctx_%s%s%s", f->group == NULL ? "" : f->group,
	    f->group == NULL ? "" : "_", name);
}

/* Appends a label's value. Newline, quote and backslash are escaped as the format
 * requires. Other control characters become \xNN, and so does a backslash that would look
 * like such an escape: two different values must never become the same sample. */
static void
add_label_value(struct ctx_buf *b, struct ctx_span value)
{
	for (size_t i = 0; i < value.n; i++) {
		unsigned char c = (unsigned char)value.p[i],
			      next = i + 1 < value.n ? (unsigned char)value.p[i + 1] : 0;
		/* C1 control characters in UTF-8 */
		bool c1 = c == 0xc2 && next >= 0x80 && next < 0xa0;
		if (c == '\n') {
			ctx_buf_adds(b, "\\n");
		} else if (c < 0x20 || c == 0x7f || c1 || (c == '\\' && next == 'x')) {
			ctx_buf_addf(b, "\\\\x%02x", c1 ? next : c);
			i += c1;
		} else {
			if (c == '\\' || c == '"')
				ctx_buf_addc(b, '\\');
			ctx_buf_addc(b, (char)c);
		}
	}
}

static void
add_sample(struct ctx_figures *f, const char *name, const char *v)
{
	struct ctx_buf *b = samples_of(f, name);

	add_figure_name(f, b, name);
	if (f->label != NULL)
		ctx_buf_addf(b, "{%s=\"", f->label);
	if (f->label != NULL)
		add_label_value(b, f->value);
	ctx_buf_addf(b, "%s %s\n", f->label != NULL ? "\"}" : "", v);
}

void
ctx_figures_add(struct ctx_figures *f, const char *name, int64_t v)
{
	char text[24];

	snprintf(text, sizeof(text), "%lld", (long long)v);
	if (v >= 0 && f->prometheus)
		add_sample(f, name, text);
	else if (v >= 0)
		ctx_json_add_int(f->out, name, v);
}

void
ctx_figures_add_share(
    struct ctx_figures *f, const char *name, int64_t part, int64_t whole)
{
	double share = whole > 0 ? (double)part / (double)whole : 0;
	char text[24];

	snprintf(text, sizeof(text), "%.4g", share);
	if (f->prometheus && whole > 0)
		add_sample(f, name, text);
	else if (!f->prometheus && whole > 0)
		ctx_json_add_double(f->out, name, share, 4);
	else if (!f->prometheus)
		ctx_json_add_raw(f->out, name, ctx_span_of("null"));
}

/* Returns the description that Prometheus shows for a metric. */
static const char *
find_figure_help(const char *name)
{
	static const struct {
		const char *name, *help;
	} helps[] = {
	    {"sessions_active", "Active sessions."},
	    {"sessions_archived", "Archived sessions."},
	    {"sessions_deleted", "Deleted sessions that are not purged yet."},
	    {"sessions_expired", "Sessions past their time to live and not on hold."},
	    {"sessions_held", "Sessions on hold."},
	    {"sessions", "Sessions."},
	    {"users", "Users that own a session."},
	    {"messages", "Messages, archived ones included."},
	    {"hidden_messages", "Hidden messages, which windows leave out."},
	    {"tool_calls", "Tool calls in messages."},
	    {"tokens", "Tokens of all messages."},
	    {"requests", "Stored requests."},
	    {"answered_requests", "Stored requests that have an answer."},
	    {"failed_requests", "Stored requests that failed."},
	    {"store_bytes", "Size of the store, without its write-ahead log."},
	    {"derived_bytes",
		"Size of the file of indexes and caches, without its write-ahead log."},
	    {"archive_bytes", "Size of the archives of all sessions."},
	    {"oldest_idle_seconds",
		"Time since the last use of the least recently used session with status active."},
	    {"index_behind_messages",
		"Messages that are not in the full-text index yet."},
	    {"last_check_timestamp_seconds",
		"Time of the last check of the whole store that found no error."},
	    {"last_backup_timestamp_seconds", "Time of the last backup of the store."},
	    {"input_tokens", "Input tokens that providers reported."},
	    {"output_tokens", "Output tokens that providers reported."},
	    {"entries", "Entries of the cache."},
	    {"bytes", "Size of all entries in the cache."},
	    {"hits", "Cache look-ups that found an entry."},
	    {"misses", "Cache look-ups that found no entry."},
	    {"hit_rate", "Share of cache look-ups that found an entry."},
	    {"answers", "Answers with reported usage."},
	    {"cache_read_tokens", "Input tokens read from the provider's cache."},
	    {"cache_write_tokens", "Input tokens written to the provider's cache."},
	    {"cache_write_1h_tokens",
		"Input tokens written to the provider's cache with a lifetime of one hour."},
	    {"uncached_tokens",
		"Input tokens neither read from the provider's cache nor written to it."},
	    {"read_share", "Share of input tokens read from the provider's cache."},
	    {"cuts", "Requests that began a new run of append-only requests."},
	    {"cut_tokens",
		"Input tokens, not read from the provider's cache, of requests that began a new run of append-only requests."},
	    {"missed",
		"Requests that read less than half of the previous request from the provider's cache, although the cache was still valid."},
	};

	for (size_t i = 0; i < sizeof(helps) / sizeof(helps[0]); i++)
		if (strcmp(helps[i].name, name) == 0)
			return helps[i].help;
	return name;
}

void
ctx_figures_finish(struct ctx_figures *f)
{
	for (size_t i = 0; i < CTX_FIGURES_MAX && f->metrics[i].name != NULL; i++) {
		ctx_buf_adds(f->out, "# HELP ");
		add_figure_name(f, f->out, f->metrics[i].name);
		ctx_buf_addf(
		    f->out, " %s\n# TYPE ", find_figure_help(f->metrics[i].name));
		add_figure_name(f, f->out, f->metrics[i].name);
		ctx_buf_adds(f->out, " gauge\n");
		ctx_buf_addspan(f->out, ctx_buf_span(&f->metrics[i].samples));
		ctx_buf_release(&f->metrics[i].samples);
		f->metrics[i].name = NULL;
	}
}

/* Adds the price of some tokens. Returns false if the price is not known. */
static bool
add_tokens_cost(double *sum, int64_t tokens, double per_million)
{
	if (tokens > 0 && per_million < 0)
		return false;
	if (tokens > 0)
		*sum += (double)tokens * per_million / 1e6;
	return true;
}

bool
ctx_cost_add(struct ctx_cost *sum, struct ctx_span model, int64_t at,
    const struct ctx_usage *u, struct ctx_span prices)
{
	struct ctx_price p;
	double cost = 0;
	bool known = model.p != NULL && ctx_price_find(&p, model, at, u->input, prices) &&
		     add_tokens_cost(&cost, u->uncached, p.input) &&
		     add_tokens_cost(&cost, u->read, p.cache_read) &&
		     add_tokens_cost(
			 &cost, u->written - u->written_1h, p.cache_write_5m) &&
		     add_tokens_cost(&cost, u->written_1h, p.cache_write_1h) &&
		     add_tokens_cost(&cost, u->output, p.output);

	sum->answers++;
	sum->unpriced += !known;
	sum->usage.input += u->input;
	sum->usage.read += u->read;
	sum->usage.written += u->written;
	sum->usage.written_1h += u->written_1h;
	sum->usage.uncached += u->uncached;
	sum->usage.output += u->output;
	if (known)
		sum->dollars += cost;
	return known;
}
