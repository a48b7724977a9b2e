#include "cli.h"

#include <stdlib.h>
#include <string.h>

#include "base/exec.h"
#include "base/mem.h"
#include "json/json.h"
#include "record/stream.h"
#include "select/account.h"
#include "window/summarize.h"

#define MAX_OUTPUT ((size_t)4 << 20) /* bytes that --exec may print */

static struct {
	struct cli_list session, require;
	struct ctx_summarize_options s;
	const char *threshold, *fraction, *format;
	int64_t timeout;
	bool undo, keep_facts, no_keep_facts;
} opt = {.timeout = 60000,
    .format = "ndjson",
    .s = {.budget = -1,
	.max_turns = -1,
	.max_tokens = -1,
	.piece = 100000,
	.cover = {.fraction = 0.4, .keep_last = -1}}};

static struct cli_option options[] = {
    {"session", 's', "SID",
	"a stored session (repeatable; - those of the records read): store the summary",
	CLI_LIST, &opt.session, NULL},
    {"undo", 0, NULL, "with -s: the window as it was before the last summary", CLI_FLAG,
	&opt.undo, NULL},
    {"dry-run", 'n', NULL, "with -s: store nothing, print what would be", CLI_FLAG,
	&opt.s.dry_run, NULL},
    {"threshold", 0, "SHARE",
	"only from this share of -b or --max-turns on (default 0.70)", CLI_STRING,
	&opt.threshold, NULL},
    CLI_BUDGET_OPTION,
    {"max-turns", 0, "N", "turns that --threshold is a share of", CLI_INT,
	&opt.s.max_turns, NULL},
    {"fraction", 0, "SHARE",
	"summarise this share of the turns, the oldest (default 0.40)", CLI_STRING,
	&opt.fraction, NULL},
    {"keep-last", 0, "N", "summarise all but the newest N groups", CLI_INT,
	&opt.s.cover.keep_last, NULL},
    {"max-tokens", 0, "N", "length of the summary (default a fifth, 64 to 2000)", CLI_INT,
	&opt.s.max_tokens, NULL},
    {"require", 0, "TEXT", "a fact that must not get lost (repeatable)", CLI_LIST,
	&opt.require, NULL},
    {"keep-facts", 0, NULL, "list numbers, paths, names, errors … (the default)",
	CLI_FLAG, &opt.keep_facts, NULL},
    {"no-keep-facts", 0, NULL, "no such list", CLI_FLAG, &opt.no_keep_facts, NULL},
    {"condense-tools", 0, NULL, "condense long tool outputs by their type before",
	CLI_FLAG, &opt.s.condense_tools, NULL},
    {"piece", 0, "TOKENS", "the most to summarise at once (default 100000)", CLI_INT,
	&opt.s.piece, NULL},
    {"exec", 0, "COMMAND", "a shell command that reads messages and prints a summary",
	CLI_STRING, &opt.s.command, "CTX_SUMMARIZER"},
    {"exec-format", 0, "FORMAT", "what it reads: ndjson (default) or text", CLI_STRING,
	&opt.format, NULL},
    {"timeout", 0, "TIME", "how long it may take (default 60s)", CLI_DURATION,
	&opt.timeout, NULL},
    CLI_TOKENIZER_OPTION,
    CLI_STORE_OPTIONS,
    CLI_QUIET_OPTION,
    CLI_END,
};

static struct ctx_store *store;

static int
run_command(void *arg, struct ctx_span input, struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_exec_options o = {.command = opt.s.command,
	    .timeout_ms = opt.timeout,
	    .max_output = MAX_OUTPUT};

	(void)arg;
	return ctx_exec_run(&o, input, out, err);
}

/* ---- a window ---- */

/* One window, or one list of messages. Arrays are beside in->records or, where they are
 * of items, beside history.items. */
struct pipe {
	struct ctx_stream *in;
	struct ctx_history history, after;
	size_t *item_of;     /* of a record; SIZE_MAX: none */
	size_t *record_of;   /* of an item */
	enum ctx_cover *how; /* of an item */
	struct ctx_span *sources, *sources_after;
	struct ctx_request request;
	struct ctx_summary_made made;
	struct ctx_buf message, source;
	int64_t summary, messages, fed; /* tokens */
	int64_t first, last;
};

static int64_t
count(struct ctx_span message)
{
	static struct ctx_message view;
	struct ctx_err ignored;

	return ctx_message_parse(&view, message, &ignored) < 0
		   ? 0
		   : ctx_tokens_message(opt.s.tokenizer, &view);
}

static int
load(struct pipe *p, struct ctx_err *err)
{
	struct ctx_stream *in = p->in;

	p->item_of = ctx_mem_new((in->n + 1) * sizeof(*p->item_of));
	p->record_of = ctx_mem_new((in->n + 1) * sizeof(*p->record_of));
	p->how = ctx_mem_new((in->n + 1) * sizeof(*p->how));
	p->sources = ctx_mem_new((in->n + 1) * sizeof(*p->sources));
	p->sources_after = ctx_mem_new((in->n + 2) * sizeof(*p->sources));
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
		item.tokens = count(r->message);
		p->item_of[i] = p->history.n;
		p->record_of[p->history.n] = i;
		p->sources[p->history.n] = r->source;
		if (ctx_history_add(&p->history, &item, err) < 0)
			return -1;
	}
	ctx_history_group(&p->history);
	if (in->request == in->n)
		return 0;
	return ctx_request_parse(&p->request, in->records[in->request].line, err);
}

/* Tokens and range of what the summary is to take the place of. */
static void
measure(struct pipe *p)
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
feed(struct pipe *p, struct ctx_summary_maker *maker)
{
	struct ctx_message view = CTX_MESSAGE_INIT;
	struct ctx_buf b = CTX_BUF_INIT, record = CTX_BUF_INIT;
	struct ctx_err ignored;

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
		if (opt.s.condense_tools) {
			ctx_buf_reset(&b);
			ctx_buf_reset(&record);
			ctx_summarize_condense(&b, message, opt.s.tokenizer);
			message = ctx_buf_span(&b);
			ctx_record_replace(&record, r, message, -1);
			line = ctx_buf_span(&record);
		}
		if (ctx_message_parse(&view, message, &ignored) == 0)
			ctx_summary_maker_add(maker, &view, line,
			    ctx_tokens_message(opt.s.tokenizer, &view));
	}
	ctx_message_release(&view);
	ctx_buf_release(&b);
	ctx_buf_release(&record);
}

/* 1 made, 0: the window stays as it is. */
static int
make(struct pipe *p, struct ctx_err *reason)
{
	struct ctx_summarize_options o = opt.s;
	struct ctx_summary_make_options m;
	struct ctx_summary_maker *maker;
	int64_t tokens = ctx_account_total(&p->history);
	int rc;

	for (size_t i = 0; i < p->history.n;
	     i++) /* nothing was chosen yet: all is kept */
		tokens += p->history.items[i].keep ? 0 : p->history.items[i].tokens;
	if (o.threshold > 0 && o.budget < 0 && o.max_turns < 0)
		o.budget = p->request.budget;
	if (!ctx_summarize_due(&o, ctx_cover_turns(&p->history), tokens))
		return ctx_err_set(reason, CTX_OK, "below the threshold: left as it is"),
		       0;
	if (ctx_cover_plan(&p->history, &o.cover, p->how) == 0)
		return ctx_err_set(
			   reason, CTX_OK, "nothing is old enough: left as it is"),
		       0;
	measure(p);
	m = ctx_summarize_make_options(&o, p->summary, p->messages, p->fed);
	maker = ctx_summary_maker_new(&m);
	feed(p, maker);
	rc = ctx_summary_maker_end(maker, &p->made);
	ctx_summary_maker_free(maker);
	ctx_summarize_tell(&p->made, rc == 1, reason);
	if (rc == 0)
		ctx_err_prefix(reason, "left as it is");
	return rc;
}

static void
put_summary(struct pipe *p, int64_t tokens)
{
	struct ctx_envelope e = {.seq = -1,
	    .created_at = opt.s.now,
	    .token_count = tokens,
	    .tokenizer = ctx_tokenizer_name(opt.s.tokenizer),
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

/* Into p->after: what is left and what is gone, with the summary in its place. */
static int
account(struct pipe *p, int64_t *tokens, struct ctx_err *err)
{
	struct ctx_item summary = {.seq = -1,
	    .created_at = opt.s.now,
	    .slot = CTX_SLOT_SUMMARY,
	    .message = ctx_buf_span(&p->message)};
	bool put = false;
	int rc = 0;

	summary.tokens = *tokens = count(summary.message);
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
print(struct pipe *p, struct ctx_err *err)
{
	bool put = false;
	int64_t tokens;

	ctx_summarize_put_message(&p->message, ctx_buf_span(&p->made.text));
	ctx_summarize_put_source(&p->source, &p->made, p->first, p->last);
	if (account(p, &tokens, err) < 0)
		return -1;
	for (size_t i = 0; i < p->in->n; i++) {
		size_t item = p->item_of[i];
		if (item != SIZE_MAX && p->how[item] == CTX_COVER_IN) {
			if (!put)
				put_summary(p, tokens);
			put = true;
			continue;
		}
		if (i == p->in->request) {
			ctx_account(&p->request, &p->after, p->sources_after);
			ctx_request_print(&cli_out.buf, &p->request);
			continue;
		}
		ctx_buf_addspan(&cli_out.buf, p->in->records[i].line);
		ctx_buf_addc(&cli_out.buf, '\n');
	}
	return 0;
}

static void
print_unchanged(const struct ctx_stream *in)
{
	for (size_t i = 0; i < in->n; i++) {
		ctx_buf_addspan(&cli_out.buf, in->records[i].line);
		ctx_buf_addc(&cli_out.buf, '\n');
	}
}

static void
tell(const struct ctx_err *reason, bool made)
{
	if (reason->msg[0] != '\0' && made)
		cli_warn("%s", reason->msg);
	else if (reason->msg[0] != '\0')
		cli_note("%s", reason->msg);
}

static int
summarize_window(struct ctx_stream *in, struct ctx_err *err)
{
	struct ctx_err reason = CTX_ERR_INIT;
	struct pipe p = {.in = in};
	int rc;

	ctx_request_init(&p.request);
	rc = load(&p, err);
	if (rc == 0)
		rc = make(&p, &reason);
	if (rc == 0)
		print_unchanged(in);
	if (rc >= 0)
		tell(&reason, rc == 1);
	if (rc == 1)
		rc = print(&p, err);
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

/* ---- in the store ---- */

static int
summarize_stored(const char *session_id, struct ctx_err *err)
{
	struct ctx_err reason = CTX_ERR_INIT;
	int rc;

	if (opt.undo)
		rc = ctx_summarize_undo(
		    store, session_id, opt.s.now, opt.s.dry_run, &cli_out.buf, err);
	else
		rc = ctx_summarize_session(
		    store, session_id, &opt.s, &cli_out.buf, &reason, err);
	if (rc >= 0)
		tell(&reason, rc == 1);
	return rc < 0 ? -1 : cli_flush(err);
}

static int
run_stored(int argc, char **argv, struct ctx_err *err)
{
	int rc;

	if (cli_no_operands(argc, argv, err) < 0)
		return -1;
	if (opt.session.n == 1 && strcmp(opt.session.v[0], "-") == 0) {
		opt.session.n = 0;
		cli_input_wait();
	}
	if (cli_store_open(&store, 0, err) < 0)
		return -1;
	rc = cli_sessions(&opt.session, summarize_stored, err);
	ctx_store_close(store);
	return rc;
}

/* ---- options ---- */

static int
parse_share(const char *name, const char *s, double *out, struct ctx_err *err)
{
	struct ctx_span v = CTX_SPAN_NONE;
	struct ctx_err ignored;

	if (s == NULL)
		return 0;
	if (ctx_json_check(ctx_span_of(s), &v, NULL, &ignored) < 0 ||
	    !ctx_json_double(v, out) || !(*out > 0 && *out <= 1))
		return ctx_err_set(
		    err, CTX_EUSAGE, "%s: '%s' is no share above 0, up to 1", name, s);
	return 0;
}

static int
check_limits(struct ctx_err *err)
{
	bool stored = opt.session.n > 0;

	if (opt.threshold != NULL && stored && cli_common.budget < 0 &&
	    opt.s.max_turns < 0)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--threshold: of what? (-b or --max-turns)");
	if (opt.s.max_turns >= 0 || opt.threshold != NULL ||
	    cli_flagged(&cli_common.budget)) {
		opt.s.threshold = 0.7;
		/* a budget that the environment gives is no wish to wait for it */
		if (opt.s.max_turns < 0 || cli_flagged(&cli_common.budget))
			opt.s.budget = cli_common.budget;
	}
	return parse_share("--threshold", opt.threshold, &opt.s.threshold, err);
}

static int
check_options(struct ctx_err *err)
{
	if ((opt.undo || opt.s.dry_run) && opt.session.n == 0)
		return ctx_err_set(err, CTX_EUSAGE, "--undo and -n need -s");
	if (opt.fraction != NULL && opt.s.cover.keep_last >= 0)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--fraction and --keep-last exclude each other");
	if (opt.keep_facts && opt.no_keep_facts)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--keep-facts and --no-keep-facts exclude each other");
	opt.s.ndjson = strcmp(opt.format, "ndjson") == 0;
	if (!opt.s.ndjson && strcmp(opt.format, "text") != 0)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--exec-format: '%s' is not ndjson or text", opt.format);
	if (opt.s.max_tokens == 0 || opt.s.piece < 1000)
		return ctx_err_set(err, CTX_EUSAGE,
		    opt.s.max_tokens == 0 ? "--max-tokens: at least 1"
					  : "--piece: at least 1000");
	if (check_limits(err) < 0)
		return -1;
	opt.s.keep_facts = !opt.no_keep_facts;
	opt.s.exec = opt.s.command == NULL ? NULL : run_command;
	opt.s.now = cli_now();
	return parse_share("--fraction", opt.fraction, &opt.s.cover.fraction, err);
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	struct ctx_span *required = ctx_mem_new((opt.require.n + 1) * sizeof(*required));
	int rc = check_options(err);

	for (size_t i = 0; i < opt.require.n; i++)
		required[i] = ctx_span_of(opt.require.v[i]);
	opt.s.required = required;
	opt.s.n_required = opt.require.n;
	if (rc == 0)
		rc = cli_tokenizer_open(&opt.s.tokenizer, err);
	if (rc == 0)
		rc = opt.session.n > 0 ? run_stored(argc, argv, err)
				       : cli_windows(argc, argv, summarize_window, err);
	ctx_tokenizer_close(opt.s.tokenizer);
	free(required);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-summarize",
    .synopsis = "[--fraction SHARE | --keep-last N] [OPTION ...] [FILE ...]\n"
		"-s SID [-n] [--fraction SHARE | --keep-last N] [OPTION ...]\n"
		"-s SID --undo [-n]",
    .about =
	"Puts a summary in the place of old messages: in a window that passes, or beside "
	"those in the store.",
    .options = options,
    .run = run,
};

int
main(int argc, char **argv)
{
	return cli_main(&command, argc, argv);
}
