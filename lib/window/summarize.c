#include "window/summarize.h"

#include <string.h>

#include "json/json.h"

#define TARGET_MIN 64
#define TARGET_MAX 2000

static const char header[] = "Summary of the earlier conversation:\n";

bool
ctx_summarize_due(const struct ctx_summarize_options *o, int64_t turns, int64_t tokens)
{
	if (o->budget < 0 && o->max_turns < 0)
		return true;
	return (o->budget >= 0 && (double)tokens >= o->threshold * (double)o->budget) ||
	       (o->max_turns >= 0 &&
		   (double)turns >= o->threshold * (double)o->max_turns);
}

/* Returns the target size (tokens) of a summary that replaces an older summary (0: none)
 * and messages of the given sizes: the size of the older summary plus a fifth of the
 * messages, between 64 and 2000. */
static int64_t
choose_summary_target(int64_t summary_tokens, int64_t message_tokens)
{
	int64_t tokens = summary_tokens + message_tokens / 5;

	return tokens < TARGET_MIN   ? TARGET_MIN
	       : tokens > TARGET_MAX ? TARGET_MAX
				     : tokens;
}

static int64_t
count_summary_overhead(struct ctx_tokenizer *t)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_buf b = CTX_BUF_INIT;
	struct ctx_err ignored;
	int64_t tokens = 0;

	ctx_summarize_put_message(&b, ctx_span_of(""));
	if (ctx_message_parse(&m, ctx_buf_span(&b), &ignored) == 0)
		tokens = ctx_tokens_message(t, &m);
	ctx_message_release(&m);
	ctx_buf_release(&b);
	return tokens;
}

struct ctx_summary_make_options
ctx_summarize_make_options(const struct ctx_summarize_options *o, int64_t summary,
    int64_t messages, int64_t total)
{
	struct ctx_summary_make_options m = {.tokenizer = o->tokenizer,
	    .max_tokens = o->max_tokens >= 0 ? o->max_tokens
					     : choose_summary_target(summary, messages),
	    .strict = o->max_tokens >= 0,
	    .language = o->language,
	    .required = o->required,
	    .n_required = o->n_required,
	    .piece = o->piece,
	    .total = total,
	    .exec = o->exec,
	    .arg = o->arg,
	    .ndjson = o->ndjson};

	/* the message around the text has tokens too, and the summary must save at least
	 * one */
	m.max_tokens -= count_summary_overhead(o->tokenizer);
	m.replaces = summary + messages - count_summary_overhead(o->tokenizer) - 1;
	return m;
}

void
ctx_summarize_put_message(struct ctx_buf *out, struct ctx_span text)
{
	struct ctx_buf content = CTX_BUF_INIT;

	ctx_buf_adds(&content, header);
	ctx_buf_addspan(&content, text);
	/* role "user": text of tools and strangers must not gain the authority of a
	 * system message because it was summarized */
	ctx_json_print(out, "{'role':'user','content':%t}", ctx_buf_span(&content));
	ctx_buf_release(&content);
}

struct ctx_span
ctx_summarize_text(struct ctx_span message, struct ctx_buf *tmp)
{
	struct ctx_message m = CTX_MESSAGE_INIT;
	struct ctx_err ignored;
	struct ctx_span text;

	ctx_buf_reset(tmp);
	if (ctx_message_parse(&m, message, &ignored) == 0)
		ctx_message_text(&m, tmp);
	ctx_message_release(&m);
	text = ctx_buf_span(tmp);
	if (text.n >= sizeof(header) - 1 &&
	    memcmp(text.p, header, sizeof(header) - 1) == 0) {
		text.p += sizeof(header) - 1;
		text.n -= sizeof(header) - 1;
	}
	return text;
}

void
ctx_summarize_put_source(
    struct ctx_buf *out, const struct ctx_summary_made *made, int64_t first, int64_t last)
{
	ctx_json_print(
	    out, "{'type':'summary','name':%s", ctx_summary_method_name(made->method));
	if (first >= 1) {
		ctx_json_add_int(out, "first_seq", first);
		ctx_json_add_int(out, "last_seq", last);
	}
	ctx_json_put_close(out, '}');
}

void
ctx_summarize_tell(const struct ctx_summary_made *made, bool ok, struct ctx_err *reason)
{
	struct ctx_buf all = CTX_BUF_INIT, line = CTX_BUF_INIT, tmp = CTX_BUF_INIT;

	if (made->fallbacks.n == 0)
		return;
	ctx_buf_addf(&all, "[%s]", made->fallbacks.p);
	if (ok)
		ctx_buf_addf(&line, "the method %s made the summary instead: ",
		    ctx_summary_method_name(made->method));
	CTX_JSON_EACH(it, ctx_buf_span(&all)) {
		ctx_buf_adds(&line, it.value.p == all.p + 1 ? "" : "; ");
		ctx_buf_addspan(
		    &line, ctx_json_text(ctx_json_get(it.value, "method"), &tmp));
		ctx_buf_adds(&line, ": ");
		ctx_buf_addspan(
		    &line, ctx_json_text(ctx_json_get(it.value, "reason"), &tmp));
	}
	ctx_err_set(reason, CTX_OK, "%s", line.p);
	ctx_buf_release(&all);
	ctx_buf_release(&line);
	ctx_buf_release(&tmp);
}

static bool
condense_window_text(struct ctx_buf *out, struct ctx_span text, void *arg)
{
	return ctx_summary_condense(out, text, arg, CTX_SUMMARIZE_CONDENSED, NULL);
}

void
ctx_summarize_condense(
    struct ctx_buf *out, struct ctx_span message, struct ctx_tokenizer *t)
{
	ctx_change_results(out, message, condense_window_text, t);
}
