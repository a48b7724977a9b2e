/* ctx-summarize: summarizes a window in a pipe. */
#include "summarize.h"

#include <stdlib.h>

#include "base/mem.h"
#include "json/json.h"
#include "select/account.h"

/* The state for one window, or one list of messages. Arrays are parallel to in->records
 * or, for items, to history.items. */
struct pipe {
	struct ctx_stream *in;
	struct ctx_history history, after;
	/* for each record, the index of its item; SIZE_MAX if it has none */
	size_t *item_of;
	size_t *record_of;   /* for each item, the index of its record */
	enum ctx_cover *how; /* for each item */
	struct ctx_span *sources, *sources_after;
	struct ctx_request request;
	struct ctx_summary_made made;
	struct ctx_buf message, source;
	int64_t summary, messages, fed; /* tokens */
	int64_t first, last;
};

static int64_t
count_summary_message(struct summarizing *sum, struct ctx_span message)
{
	static struct ctx_message view;

	return ctx_message_parse(&view, message, NULL) < 0
		   ? 0
		   : ctx_tokens_message(sum->opt.s.tokenizer, &view);
}

static int
load_summary_window(struct summarizing *sum, struct pipe *p, struct ctx_err *err)
{
	struct ctx_stream *in = p->in;

	p->item_of = ctx_mem_new((in->n + 1) * sizeof(*p->item_of));
	p->record_of = ctx_mem_new((in->n + 1) * sizeof(*p->record_of));
	p->how = ctx_mem_new((in->n + 1) * sizeof(*p->how));
	p->sources = ctx_mem_new((in->n + 1) * sizeof(*p->sources));
	p->sources_after = ctx_mem_new((in->n + 2) * sizeof(*p->sources));
	if (in->request < in->n &&
	    ctx_request_parse(&p->request, in->records[in->request].line, err) < 0)
		return -1;
	cli_tokenizer_follow(sum->opt.s.tokenizer, p->request.tokenizer);
	for (size_t i = 0; i < in->n; i++) {
		const struct ctx_record *r = &in->records[i];
		struct ctx_item item = {.message = r->message,
		    .seq = r->seq,
		    .created_at = r->created_at,
		    .slot = r->slot,
		    .pinned = r->pinned == 1};
		p->item_of[i] = SIZE_MAX;
		if (r->kind != CTX_KIND_MESSAGE)
			continue;
		item.tokens = count_summary_message(sum, r->message);
		p->item_of[i] = p->history.n;
		p->record_of[p->history.n] = i;
		p->sources[p->history.n] = r->source;
		if (ctx_history_add(&p->history, &item, err) < 0)
			return -1;
	}
	ctx_history_group(&p->history);
	return 0;
}

/* Computes the tokens and the range of the messages that the summary will replace. */
static void
measure_covered_messages(struct pipe *p)
{
	for (size_t i = 0; i < p->history.n; i++) {
		const struct ctx_item *it = &p->history.items[i];
		bool summary = it->slot == CTX_SLOT_SUMMARY;
		int64_t first = it->seq, last = it->seq;
		if (p->how[i] != CTX_COVER_IN && p->how[i] != CTX_COVER_BOTH)
			continue;
		if (p->how[i] == CTX_COVER_IN)
			*(summary ? &p->summary : &p->messages) += it->tokens;
		p->fed += it->tokens;
		if (summary &&
		    (!ctx_json_int(ctx_json_get(p->sources[i], "first_seq"), &first) ||
			!ctx_json_int(ctx_json_get(p->sources[i], "last_seq"), &last)))
			continue;
		if (first >= 1 && (p->first < 1 || first < p->first))
			p->first = first;
		if (last > p->last)
			p->last = last;
	}
}

static void
feed_summary_maker(
    struct summarizing *sum, struct pipe *p, struct ctx_summary_maker *maker)
{
	struct ctx_message view = CTX_MESSAGE_INIT;
	struct ctx_buf b = CTX_BUF_INIT, record = CTX_BUF_INIT;

	for (size_t i = 0; i < p->history.n; i++) {
		const struct ctx_item *it = &p->history.items[i];
		const struct ctx_record *r = &p->in->records[p->record_of[i]];
		struct ctx_span message = it->message, line = r->line;
		if (p->how[i] != CTX_COVER_IN && p->how[i] != CTX_COVER_BOTH)
			continue;
		if (it->slot == CTX_SLOT_SUMMARY) {
			ctx_summary_maker_add_summary(
			    maker, ctx_summarize_text(message, &b), line, it->tokens);
			continue;
		}
		if (it->slot != CTX_SLOT_HISTORY)
			continue;
		if (sum->opt.s.condense_tools) {
			ctx_buf_reset(&b);
			ctx_buf_reset(&record);
			ctx_summarize_condense(&b, message, sum->opt.s.tokenizer);
			message = ctx_buf_span(&b);
			ctx_record_replace(&record, r, message, -1);
			line = ctx_buf_span(&record);
		}
		if (ctx_message_parse(&view, message, NULL) == 0)
			ctx_summary_maker_add(maker, &view, line,
			    ctx_tokens_message(sum->opt.s.tokenizer, &view));
	}
	ctx_message_release(&view);
	ctx_buf_release(&b);
	ctx_buf_release(&record);
}

/* Returns 1 if a summary was made, 0 if the window stays unchanged. */
static int
make_window_summary(struct summarizing *sum, struct pipe *p, struct ctx_err *reason)
{
	struct ctx_summarize_options o = sum->opt.s;
	struct ctx_summary_make_options m;
	struct ctx_summary_maker *maker;
	int64_t tokens = ctx_account_total(&p->history);
	int rc;

	for (size_t i = 0; i < p->history.n;
	     i++) /* before selection, every message is kept */
		tokens += p->history.items[i].keep ? 0 : p->history.items[i].tokens;
	if (o.threshold > 0 && o.budget < 0 && o.max_turns < 0)
		o.budget = p->request.budget;
	if (!ctx_summarize_due(&o, ctx_cover_turns(&p->history), tokens))
		return ctx_err_set(reason, CTX_OK,
			   "the window is unchanged: it has not reached --threshold"),
		       0;
	if (ctx_cover_plan(&p->history, &o.cover, p->how) == 0)
		return ctx_err_set(reason, CTX_OK,
			   "the window is unchanged: no message is old enough to be summarized"),
		       0;
	measure_covered_messages(p);
	m = ctx_summarize_make_options(&o, p->summary, p->messages, p->fed);
	maker = ctx_summary_maker_new(&m);
	feed_summary_maker(sum, p, maker);
	rc = ctx_summary_maker_end(maker, &p->made);
	ctx_summary_maker_free(maker);
	ctx_summarize_tell(&p->made, rc == 1, reason);
	if (rc == 0)
		ctx_err_prefix(reason, "left unchanged");
	return rc;
}

static void
put_window_summary_record(struct summarizing *sum, struct pipe *p, int64_t tokens)
{
	struct ctx_envelope e = {.seq = -1,
	    .created_at = sum->opt.s.now,
	    .token_count = tokens,
	    .tokenizer = ctx_tokenizer_name(sum->opt.s.tokenizer),
	    .message_type = CTX_TYPE_SUMMARY,
	    .slot = ctx_slot_name(CTX_SLOT_SUMMARY),
	    .source = ctx_buf_span(&p->source),
	    .message = ctx_buf_span(&p->message)};
	char *session_id = NULL;

	for (size_t i = 0; session_id == NULL && i < p->in->n; i++)
		session_id = ctx_json_strdup(p->in->records[i].session_id);
	e.session_id = session_id;
	ctx_envelope_print(&cli_out.buf, &e);
	free(session_id);
}

/* Fills p->after with the kept and dropped messages, with the summary in place of those
 * it covers. */
static int
account_window_summary(
    struct summarizing *sum, struct pipe *p, int64_t *tokens, struct ctx_err *err)
{
	struct ctx_item summary = {.seq = -1,
	    .created_at = sum->opt.s.now,
	    .slot = CTX_SLOT_SUMMARY,
	    .message = ctx_buf_span(&p->message)};
	bool put = false;
	int rc = 0;

	summary.tokens = *tokens = count_summary_message(sum, summary.message);
	for (size_t i = 0; rc == 0 && i < p->history.n; i++) {
		struct ctx_item *it;
		if (!put && p->how[i] == CTX_COVER_IN) {
			put = true;
			p->sources_after[p->after.n] = ctx_buf_span(&p->source);
			rc = ctx_history_add(&p->after, &summary, err);
			p->after.items[p->after.n - 1].keep = true;
		}
		p->sources_after[p->after.n] = p->sources[i];
		if (rc == 0)
			rc = ctx_history_add(&p->after, &p->history.items[i], err);
		if (rc < 0)
			break;
		it = &p->after.items[p->after.n - 1];
		it->keep = p->how[i] != CTX_COVER_IN;
		it->reason = it->keep ? CTX_REASON_NONE : CTX_REASON_SUMMARIZED;
	}
	return rc;
}

static int
print_summarized_window(struct summarizing *sum, struct pipe *p, struct ctx_err *err)
{
	bool put = false;
	int64_t tokens;

	/* messages that the run has sent are replaced, so it is cut */
	if (ctx_request_continues(&p->request)) {
		ctx_stream_cut(p->in);
		ctx_request_cut(&p->request, "summary");
	}
	ctx_summarize_put_message(&p->message, ctx_buf_span(&p->made.text));
	ctx_summarize_put_source(&p->source, &p->made, p->first, p->last);
	if (account_window_summary(sum, p, &tokens, err) < 0)
		return -1;
	for (size_t i = 0; i < p->in->n; i++) {
		size_t item = p->item_of[i];
		if (item != SIZE_MAX && p->how[item] == CTX_COVER_IN) {
			if (!put)
				put_window_summary_record(sum, p, tokens);
			put = true;
			continue;
		}
		if (i == p->in->request) {
			cli_tokenizer_note(sum->opt.s.tokenizer, &p->request);
			ctx_account(&p->request, &p->after, p->sources_after);
			ctx_request_print(&cli_out.buf, &p->request);
			continue;
		}
		ctx_buf_addspan(&cli_out.buf, p->in->records[i].line);
		ctx_buf_addc(&cli_out.buf, '\n');
	}
	return 0;
}

int
summarize_window(void *arg, struct ctx_stream *in, struct ctx_err *err)
{
	struct summarizing *sum = arg;
	struct ctx_err reason = CTX_ERR_INIT;
	struct pipe p = {.in = in, .request = CTX_REQUEST_INIT};
	int rc = load_summary_window(sum, &p, err);

	if (rc == 0)
		rc = make_window_summary(sum, &p, &reason);
	for (size_t i = 0; rc == 0 && i < in->n; i++) {
		ctx_buf_addspan(&cli_out.buf, in->records[i].line);
		ctx_buf_addc(&cli_out.buf, '\n');
	}
	if (rc >= 0)
		tell(&reason, rc == 1);
	if (rc == 1)
		rc = print_summarized_window(sum, &p, err);
	if (rc == 0)
		rc = cli_flush(err);
	free(p.item_of);
	free(p.record_of);
	free(p.how);
	free(p.sources);
	free(p.sources_after);
	ctx_history_release(&p.history);
	ctx_history_release(&p.after);
	ctx_request_release(&p.request);
	ctx_summary_made_release(&p.made);
	ctx_buf_release(&p.message);
	ctx_buf_release(&p.source);
	return rc;
}
