#include "enrich.h"

#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/utf8.h"
#include "enrich/arrange.h"
#include "enrich/view.h"
#include "json/json.h"
#include "record/stream.h"
#include "select/account.h"
#include "select/select.h"
#include "entity/resolve.h"

#define ATTACH_MAX ((size_t)64 << 20)
#define ENTITIES 20

static struct {
	const char *session, *mode, *topic, *instructions, *idle, *resolve, *embed,
	    *min_score;
	struct cli_list entities, attach;
	const char *history;
	int64_t history_tokens, top_k, top_n, max_tokens, cache_ttl, resolve_ttl, timeout;
	bool explain;
} opt = {.history_tokens = -1,
    .top_k = 20,
    .top_n = 5,
    .max_tokens = -1,
    .cache_ttl = 10 * 60 * 1000,
    .resolve_ttl = CTX_RESOLVE_TTL,
    .timeout = 30000};

static struct cli_option options[] = {
    {"session", 's', "SID",
	"session to which the messages belong, if the input consists of bare messages",
	CLI_STRING, &opt.session, NULL},
    {"mode", 0, "NAME",
	"name of the current mode, which selects prompt modules (default auto: inferred)",
	CLI_STRING, &opt.mode, "CTX_MODE"},
    {"top-k", 0, "N",
	"consider the N items of the agent that are most similar to the message (default 20)",
	CLI_INT, &opt.top_k, NULL},
    {"top-n", 0, "N", "add at most N of the agent's items (default 5)", CLI_INT,
	&opt.top_n, NULL},
    {"min-score", 0, "SCORE",
	"add only items whose similarity to the message is at least SCORE, 0 to 1 (default 0.35)",
	CLI_STRING, &opt.min_score, NULL},
    {"entities", 0, "[TYPE:]N",
	"list the N most relevant entities, or the N most recent of a TYPE", CLI_LIST,
	&opt.entities, NULL},
    {"attach", 0, "NAME=FILE",
	"add a text file, or an NDJSON file of documents (repeatable)", CLI_LIST,
	&opt.attach, NULL},
    {"history", 0, "WHICH", "older messages to add: relevant or none (default)",
	CLI_STRING, &opt.history, NULL},
    {"history-tokens", 0, "N",
	"maximum tokens for --history (default: --max-tokens minus the other additions)",
	CLI_INT, &opt.history_tokens, NULL},
    {"topic", 0, "TEXT",
	"topic to add: TEXT, auto (the session's topic, default), derived (from messages) or none",
	CLI_STRING, &opt.topic, NULL},
    {"idle-note", 0, "TIME", "add a note if the session was idle for longer than this",
	CLI_STRING, &opt.idle, "CTX_IDLE_NOTE"},
    {"instructions", 0, "TEXT",
	"how the model should use the additions: TEXT, auto (default) or none",
	CLI_STRING, &opt.instructions, NULL},
    {"resolve-exec", 0, "CMD", "shell command that looks up entities", CLI_STRING,
	&opt.resolve, "CTX_RESOLVE_EXEC"},
    {"resolve-ttl", 0, "TIME",
	"how long results of --resolve-exec are valid (default 1h)", CLI_DURATION,
	&opt.resolve_ttl, "CTX_RESOLVE_TTL"},
    {"embed-exec", 0, "CMD", "shell command that computes embedding vectors", CLI_STRING,
	&opt.embed, "CTX_EMBED_EXEC"},
    {"exec-timeout", 0, "TIME", "time limit for each command (default 30s)", CLI_TIMEOUT,
	&opt.timeout, "CTX_EXEC_TIMEOUT"},
    {"cache-ttl", 0, "TIME", "how long additions are cached (default 10m; 0: not at all)",
	CLI_DURATION, &opt.cache_ttl, "CTX_CACHE_TTL"},
    {"max-tokens", 0, "N",
	"maximum tokens of everything added to a message (default: computed from the budget)",
	CLI_INT, &opt.max_tokens, NULL},
    {"explain", 0, NULL, "print on stderr why each text, item or entity was added",
	CLI_FLAG, &opt.explain, NULL},
    CLI_QUIET_OPTION,
    CLI_TOKENIZER_OPTION,
    CLI_STORE_OPTIONS,
    CLI_END,
};

static struct ctx_store *store;
static struct ctx_tokenizer *tokenizer;
static struct ctx_enrich *enrich;
static struct ctx_enrich_options how;
static struct ctx_enrich_entities *wishes;
static struct ctx_enrich_attachment *attachments;
static struct ctx_buf *attached;

/* ---- one window ---- */

struct window {
	struct ctx_stream *in;
	struct ctx_session session;
	bool has_session;
	struct ctx_enriched w;
	struct ctx_request request;
	bool has_request;
	int64_t room;         /* tokens for additions to the message; -1: no limit */
	struct ctx_view view; /* used in a run */
};

static int
find_enriched_session(struct window *w, struct ctx_err *err)
{
	const struct ctx_stream *in = w->in;
	char *sid = NULL;
	bool had_messages = false;
	int64_t last_seq;
	int rc;

	for (size_t i = 0; i < in->n && sid == NULL; i++)
		if (in->records[i].kind == CTX_KIND_SESSION) {
			sid = ctx_json_strdup(in->records[i].session_id);
			had_messages = ctx_json_int(
					   ctx_json_get(in->records[i].line, "last_seq"),
					   &last_seq) &&
				       last_seq > 0;
		}
	if (sid != NULL && opt.session != NULL && strcmp(sid, opt.session) != 0) {
		ctx_err_set(err, CTX_EUSAGE,
		    "-s: the input is a window of session '%s' (-s is for bare messages)",
		    sid);
		free(sid);
		return -1;
	}
	if (sid == NULL)
		sid = ctx_mem_str(opt.session);
	if (sid == NULL)
		return ctx_err_set(
		    err, CTX_EUSAGE, "the messages name no session: use -s SID");
	rc = store == NULL ? 0 : ctx_store_session_find(store, sid, &w->session, err);
	w->has_session = rc == 1;
	if (rc == 1 && w->session.status == CTX_STATUS_DELETED)
		rc = cli_deleted(sid, err);
	if (rc == 0 && !in->window) /* the session of a window need not be in the store */
		rc = ctx_err_set(err, CTX_EANSWER, "no session '%s'", sid);
	else if (rc == 0 && had_messages)
		cli_warn(
		    "session '%s' is not in this store, so nothing of this session is added",
		    sid);
	free(sid);
	return rc < 0 ? -1 : 0;
}

static int
read_window_request(struct window *w, struct ctx_err *err)
{
	const struct ctx_stream *in = w->in;

	w->has_request = in->request < in->n;
	return w->has_request
		   ? ctx_request_parse(&w->request, in->records[in->request].line, err)
		   : 0;
}

/* ---- printing ---- */

static void
print_additions(struct window *w, enum ctx_slot slot)
{
	for (size_t i = 0; i < w->w.n_additions; i++) {
		const struct ctx_addition *a = &w->w.additions[i];
		const struct ctx_item *it = &w->w.history.items[w->w.item_of[i]];
		struct ctx_envelope e = {
		    .session_id = w->has_session ? w->session.session_id : NULL,
		    .seq = -1,
		    .created_at = CTX_TIME_NONE,
		    .token_count = it->tokens,
		    .tokenizer = ctx_tokenizer_name(tokenizer),
		    .message_type = -1,
		    .slot = ctx_slot_name(slot),
		    .source = ctx_span_of(a->source),
		    .message = ctx_span_of(a->message)};
		if (a->slot == slot && it->keep)
			ctx_envelope_print(&cli_out.buf, &e);
	}
}

static void
print_enriched_request(struct window *w)
{
	if (ctx_enrich_mode(enrich) != NULL) {
		free(w->request.mode);
		w->request.mode = ctx_mem_str(ctx_enrich_mode(enrich));
	}
	cli_tokenizer_note(tokenizer, &w->request);
	ctx_account(&w->request, &w->w.history, w->w.sources);
	ctx_request_print(&cli_out.buf, &w->request);
}

static void
print_enriched_window(struct window *w)
{
	bool prefixed = false;

	for (size_t i = 0, m = 0; i < w->in->n; i++) {
		const struct ctx_record *r = &w->in->records[i];
		if (r->kind != CTX_KIND_SESSION && !prefixed) {
			print_additions(w, CTX_SLOT_PREFIX);
			prefixed = true;
		}
		if (i == w->in->request) {
			print_enriched_request(w);
			continue;
		}
		if (r->kind == CTX_KIND_MESSAGE && m++ == w->w.turn)
			print_additions(w, CTX_SLOT_VOLATILE);
		ctx_buf_addspan(&cli_out.buf, r->line);
		ctx_buf_addc(&cli_out.buf, '\n');
	}
}

/* Determines the number of tokens for additions to a message: three quarters of the
 * reserve; the rest is for the answer. A rolling window and the first request of the
 * first run may use all free tokens. In a window that grows, the free tokens are kept for
 * later turns, even after a cut, because every request until the next cut repeats the
 * additions. */
static void
find_addition_room(struct window *w, struct ctx_enrich_room *room)
{
	const struct ctx_request *r = &w->request;
	struct ctx_span policy = ctx_span_of(r->policy_json);
	struct ctx_span run = ctx_span_of(r->run_json);
	int64_t answer = r->reserve - r->reserve * 3 / 4, free_tokens;

	*room = (struct ctx_enrich_room){
	    .tokens = opt.max_tokens, .limit = opt.max_tokens, .run = run};
	if (opt.max_tokens >= 0)
		return;
	room->limit = r->budget;
	if (r->reserve > 0)
		room->tokens = r->reserve * 3 / 4;
	if (r->budget < 0 || ctx_span_is(ctx_json_get(policy, "stable"), "true") ||
	    ctx_json_get(run, "sent_seq").p != NULL || ctx_json_get(run, "cut").p != NULL)
		return;
	free_tokens = r->budget - CTX_TOKENS_REPLY - answer -
		      ctx_enriched_window_tokens(&w->w, w->in);
	if (free_tokens > room->tokens) {
		room->tokens = free_tokens;
		room->shared = true;
	}
}

static int
enrich_stream(struct window *w, struct ctx_err *err)
{
	const struct ctx_addition *additions;
	struct ctx_enrich_room room;
	size_t n;

	if (find_enriched_session(w, err) < 0)
		return -1;
	find_addition_room(w, &room);
	if (ctx_enrich_window(enrich, w->has_session ? &w->session : NULL, w->w.messages,
		w->w.n, &room, &w->w.turn, err) < 0)
		return -1;
	w->room = ctx_enrich_room(enrich);
	additions = ctx_enrich_additions(enrich, &n);
	if (w->request.run_json != NULL) {
		w->view.mode = ctx_enrich_mode(enrich);
		if (!ctx_json_int(
			ctx_json_get(ctx_span_of(w->request.run_json), "sent_seq"),
			&w->view.sent_seq))
			w->view.sent_seq = -1;
		ctx_view_make(&w->view, additions, n, w->in, &w->w);
		ctx_buf_reset(&w->request.in_view);
		ctx_buf_addspan(&w->request.in_view, ctx_buf_span(&w->view.in_view));
		/* again the items that the failed request chose and that were in view */
		CTX_JSON_EACH(it, ctx_json_get(ctx_enrich_failed(enrich), "in_view"))
			ctx_json_put_raw(&w->request.in_view, it.value);
		additions = w->view.list;
		n = w->view.n;
	}
	if (ctx_enriched_arrange(&w->w, w->in, additions, n, err) < 0)
		return -1;
	ctx_enriched_fit(&w->w, w->room);
	print_enriched_window(w);
	if (cli_flush(err) < 0)
		return -1;
	if (opt.explain)
		enrich_explain(enrich, &w->w, w->room);
	if (opt.explain || w->w.turn + 1 == w->w.n || !ctx_enrich_cached(enrich))
		enrich_note_room(enrich, &w->w, w->room); /* once for each turn */
	return 0;
}

static int
enrich_window(void *arg CTX_UNUSED, struct ctx_stream *in, struct ctx_err *err)
{
	struct window w = {
	    .in = in, .session = CTX_SESSION_INIT, .request = CTX_REQUEST_INIT};
	int rc = read_window_request(&w, err);

	cli_tokenizer_follow(tokenizer, w.request.tokenizer);
	ctx_enriched_init(&w.w, in, tokenizer);
	if (rc == 0)
		rc = enrich_stream(&w, err);
	ctx_enriched_release(&w.w);
	ctx_view_release(&w.view);
	ctx_request_release(&w.request);
	ctx_session_release(&w.session);
	return rc;
}

/* ---- options ---- */

/* Parses the argument of --entities, for example "20", "workflow:5" or "0". */
static int
parse_entities(struct ctx_err *err)
{
	size_t n = opt.entities.n;

	wishes = ctx_mem_new((n + 1) * sizeof(*wishes));
	if (n == 0)
		wishes[how.n_entities++].max = ENTITIES;
	for (size_t i = 0; i < n; i++) {
		const char *what = opt.entities.v[i], *colon = strrchr(what, ':');
		const char *number = colon == NULL ? what : colon + 1;
		struct ctx_enrich_entities *wish = &wishes[how.n_entities];
		if (colon == what || *number < '0' || *number > '9' ||
		    !ctx_json_int(ctx_span_of(number), &wish->max))
			return ctx_err_set(
			    err, CTX_EUSAGE, "--entities: '%s' is not [TYPE:]N", what);
		if (wish->max == 0)
			continue;
		if (colon != NULL)
			wish->type = ctx_mem_dup(what, (size_t)(colon - what));
		how.n_entities++;
	}
	how.entities = wishes;
	how.all_entities = n > 0;
	return 0;
}

static int
read_attachments(struct ctx_err *err)
{
	attachments = ctx_mem_new((opt.attach.n + 1) * sizeof(*attachments));
	attached = ctx_mem_new((opt.attach.n + 1) * sizeof(*attached));
	for (size_t i = 0; i < opt.attach.n; i++) {
		const char *what = opt.attach.v[i], *equals = strchr(what, '=');
		struct ctx_buf *b = &attached[i];
		if (equals == NULL || equals == what || equals[1] == '\0')
			return ctx_err_set(
			    err, CTX_EUSAGE, "--attach: '%s' is not NAME=FILE", what);
		if (strcmp(equals + 1, "-") == 0)
			return ctx_err_set(err, CTX_EUSAGE,
			    "--attach: standard input cannot be attached, because the window is read from it");
		if (ctx_io_read_file(equals + 1, b, ATTACH_MAX, err) < 0)
			return -1;
		if (ctx_utf8_valid(b->p, b->n) != b->n ||
		    memchr(b->p == NULL ? "" : b->p, 0, b->n) != NULL)
			return ctx_err_set(
			    err, CTX_EINPUT, "%s: not valid UTF-8", equals + 1);
		attachments[i] = (struct ctx_enrich_attachment){
		    ctx_mem_dup(what, (size_t)(equals - what)), ctx_buf_span(b)};
	}
	how.attachments = attachments;
	how.n_attachments = opt.attach.n;
	return 0;
}

static int
check_options(struct ctx_err *err)
{
	struct ctx_span score = CTX_SPAN_NONE;
	bool relevant;

	how = (struct ctx_enrich_options){.now = cli_now(),
	    .mode = opt.mode,
	    .top_k = opt.top_k,
	    .top_n = opt.top_n,
	    .min_score = 0.35,
	    .topic = opt.topic,
	    .instructions = opt.instructions,
	    .idle_ms = -1,
	    .resolve = opt.resolve,
	    .embed = opt.embed,
	    .exec_timeout_ms = opt.timeout,
	    .resolve_ttl_ms = opt.resolve_ttl,
	    .cache_ttl_ms = opt.cache_ttl,
	    .warn = cli_warn_text,
	    .last = cli_windows_ended};
	if (opt.min_score != NULL &&
	    (ctx_json_check(ctx_span_of(opt.min_score), &score, NULL, NULL) < 0 ||
		!ctx_json_double(score, &how.min_score) || how.min_score < 0 ||
		how.min_score > 1))
		return ctx_err_set(
		    err, CTX_EUSAGE, "--min-score must be a number from 0 to 1");
	if (opt.idle != NULL &&
	    ctx_time_parse_duration(ctx_span_of(opt.idle), &how.idle_ms, err) < 0)
		return ctx_err_prefix(err, "--idle-note");
	relevant = opt.history != NULL && strcmp(opt.history, "relevant") == 0;
	if (relevant)
		how.history_tokens = opt.history_tokens;
	else if (opt.history != NULL && strcmp(opt.history, "none") != 0)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--history must be 'relevant' or 'none', not '%s'", opt.history);
	if (cli_check_needs(&opt.history_tokens, relevant, "--history relevant", err) <
		0 ||
	    cli_check_needs(
		&opt.resolve_ttl, opt.resolve != NULL, "--resolve-exec", err) < 0 ||
	    cli_check_needs(&opt.timeout, opt.resolve != NULL || opt.embed != NULL,
		"--resolve-exec or --embed-exec", err) < 0)
		return -1;
	if (parse_entities(err) < 0)
		return -1;
	return read_attachments(err);
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	int rc = check_options(err);

	if (rc == 0)
		rc = cli_tokenizer_open(&tokenizer, err);
	if (rc == 0 && argc == 0)
		cli_input_wait();
	if (rc == 0)
		rc = cli_store_open(&store, CLI_EXACT | CLI_IF_ANY, err);
	if (rc == 0) {
		how.tokenizer = tokenizer;
		enrich = ctx_enrich_new(store, &how);
		rc = cli_windows(store, argc, argv, enrich_window, NULL, err);
	}
	ctx_enrich_free(enrich);
	ctx_store_close(store);
	ctx_tokenizer_close(tokenizer);
	for (size_t i = 0; attached != NULL && i < opt.attach.n; i++) {
		ctx_buf_release(&attached[i]);
		free((char *)attachments[i].name);
	}
	for (size_t i = 0; i < how.n_entities; i++)
		free((char *)wishes[i].type);
	free(attached);
	free(attachments);
	free(wishes);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-enrich",
    .synopsis =
	"[--mode NAME] [--attach NAME=FILE] [--entities [TYPE:]N] [OPTION ...] [FILE ...]\n"
	"-s SID [OPTION ...] [FILE ...]",
    .about =
	"Adds prompt modules, items, entities, documents, topic and notes to a window.",
    .options = options,
    .run = run,
};

CLI_MAIN(command)
