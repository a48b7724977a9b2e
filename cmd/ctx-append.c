#include "append.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/time.h"

static struct appending appending = {
    .opt = {.role = "user",
	.if_seq = -1,
	.max_record = (int64_t)CTX_READER_MAX,
	.ttl = CTX_TIME_NONE},
    .rejects_fd = -1,
};

static struct cli_option options[] = {
    {"session", 's', "SID",
	"append to this session (default: each record names its session)", CLI_STRING,
	&appending.opt.session, NULL},
    {"text", 't', "TEXT", "append a message with this text (repeatable)", CLI_LIST,
	&appending.opt.text, NULL},
    {"attach", 0, "FILE",
	"attach an image, PDF or text to the message of -t or --raw (repeatable)",
	CLI_LIST, &appending.opt.attach, NULL},
    {"raw", 0, NULL, "append one message whose text is the whole input", CLI_FLAG,
	&appending.opt.raw, NULL},
    {"question", 0, "TEXT", "store this question together with its answer", CLI_STRING,
	&appending.opt.question, NULL},
    {"role", 0, "ROLE", "role of the message (default user)", CLI_STRING,
	&appending.opt.role, NULL},
    {"id", 0, "ID", "record id of the message", CLI_STRING, &appending.opt.id, NULL},
    {"call-id", 0, "ID", "with --role tool: id of the call to which the result belongs",
	CLI_STRING, &appending.opt.call, NULL},
    {"result", 0, "ID", "append the text or file as the result of this waiting call",
	CLI_STRING, &appending.opt.result, NULL},
    {"error", 0, NULL, "with --result: mark the call as failed", CLI_FLAG,
	&appending.opt.error, NULL},
    {"type", 0, "TYPE", "message_type of the message", CLI_STRING, &appending.opt.type,
	NULL},
    {"metadata", 0, "JSON", "metadata of the message, a JSON object", CLI_STRING,
	&appending.opt.metadata, NULL},
    {"pin", 0, NULL, "pin the messages: every window contains them", CLI_FLAG,
	&appending.opt.pin, NULL},
    {"create", 0, NULL, "create the session if it does not exist", CLI_FLAG,
	&appending.opt.create, NULL},
    {"resume", 0, NULL, "restore the session first if it is archived", CLI_FLAG,
	&appending.opt.resume, NULL},
    {"user", 'u', "ID", "with --create: user of the session", CLI_STRING,
	&appending.opt.user, NULL},
    {"agent", 0, "NAME", "with --create: agent of the session", CLI_STRING,
	&appending.opt.agent, NULL},
    {"ttl", 0, "TIME", "with --create: time to live of the session", CLI_LIFETIME,
	&appending.opt.ttl, "CTX_TTL"},
    {"if-seq", 0, "N",
	"append only if the last message has the number N (implies --atomic)", CLI_INT,
	&appending.opt.if_seq, NULL},
    {"atomic", 0, NULL, "store the whole input or nothing", CLI_FLAG,
	&appending.opt.atomic, NULL},
    {"keep-going", 0, NULL, "skip invalid lines and continue", CLI_FLAG,
	&appending.opt.keep_going, NULL},
    {"rejects", 0, "FILE",
	"with --keep-going: write invalid lines to this file, unchanged", CLI_STRING,
	&appending.opt.rejects, NULL},
    {"max-record", 0, "BYTES", "maximum size of a record (default 64 MiB)", CLI_COUNT,
	&appending.opt.max_record, "CTX_MAX_RECORD"},
    {"request", 0, "FILE",
	"the input is the provider's answer to the request in this file", CLI_STRING,
	&appending.opt.request, NULL},
    {"batch", 0, NULL,
	"the input contains the results of the batch whose requests are in --request FILE",
	CLI_FLAG, &appending.opt.batch, NULL},
    CLI_PROVIDER_OPTION,
    {"echo", 0, NULL, "print the answer's text on stderr as it arrives", CLI_FLAG,
	&appending.opt.echo, NULL},
    {"print", 0, "WHAT", "output for an answer: record (default) or text", CLI_STRING,
	&appending.opt.print, NULL},
    {"quiet", 'q', NULL, "do not print the stored records", CLI_FLAG, &cli_common.quiet,
	NULL},
    CLI_REDACT_OPTIONS,
    CLI_TOKENIZER_OPTION,
    CLI_STORE_OPTIONS,
    CLI_END,
};

/* ---- acknowledgments ---- They are printed after the commit. If the reader has gone,
 * storing continues. */

void
acknowledge(struct appending *app)
{
	if (cli_common.quiet || append_prints_text(app))
		ctx_buf_reset(&cli_out.buf);
	print_pending(app);
}

void
print_pending(struct appending *app)
{
	struct ctx_err err = CTX_ERR_INIT;

	if (cli_flush(&err) < 0 && app->lost.code == CTX_OK)
		app->lost = err;
}

/* ---- bad lines ---- */

static int
refuse_line(struct appending *app, struct ctx_span line, const char *file, long line_no,
    struct ctx_err *err)
{
	if (file != NULL)
		ctx_err_prefix(err, "%s:%ld", file, line_no);
	if (!app->opt.keep_going) {
		app->stop = *err;
		return -1;
	}
	cli_error(err);
	app->rejected++;
	err->code = CTX_OK;
	if (app->rejects_fd >= 0) {
		struct ctx_buf b = CTX_BUF_INIT;
		int rc;
		ctx_buf_addspan(&b, line);
		ctx_buf_addc(&b, '\n');
		rc = ctx_io_write(app->rejects_fd, b.p, b.n, app->opt.rejects, err);
		ctx_buf_release(&b);
		if (rc < 0)
			app->stop = *err;
		return rc;
	}
	return 0;
}

int
refuse_pending(void *arg, const struct ctx_pending *p, struct ctx_err *err)
{
	struct appending *app = arg;

	return refuse_line(app, p->line, p->file, p->line_no, err);
}

/* ---- --resume ---- */

int
resume(struct appending *app, const char *session_id, struct ctx_err *err)
{
	return app->opt.resume && session_id != NULL
		   ? cli_archived_resume(app->store, session_id, err)
		   : 0;
}

int
resume_named(void *arg, const char *session_id, struct ctx_err *err)
{
	struct appending *app = arg;

	if (session_id == NULL ||
	    (app->last_resumed != NULL && strcmp(app->last_resumed, session_id) == 0))
		return 0;
	free(app->last_resumed);
	app->last_resumed = ctx_mem_str(session_id);
	if (resume(app, session_id, err) == 0)
		return 0;
	if (err->code != CTX_EANSWER)
		return -1;
	err->code = CTX_OK;
	return 0;
}

void
forget_resumed(struct appending *app)
{
	free(app->last_resumed);
	app->last_resumed = NULL;
}

static int
resume_batch(struct appending *app, struct ctx_err *err)
{
	int rc = 0;

	if (app->opt.resume)
		rc = ctx_append_sessions(
		    &app->appender, app->store, resume_named, app, err);
	forget_resumed(app);
	return rc;
}

/* ---- batches ---- */

int
apply_batch(struct appending *app, struct ctx_err *err)
{
	int rc = ctx_append_apply(
	    &app->appender, app->store, &cli_out.buf, refuse_pending, app, err);
	if (rc >= 0 && ctx_append_finish(&app->appender, app->store, err) < 0)
		rc = -1;
	if (rc >= 0 && ctx_store_commit(app->store, err) < 0)
		rc = -1;
	ctx_store_rollback(app->store);
	if (rc < 0)
		ctx_buf_reset(&cli_out.buf);
	else
		acknowledge(app);
	return rc;
}

int
commit_batch(struct appending *app, struct ctx_err *err)
{
	if (app->appender.n == 0)
		return 0;
	if (resume_batch(app, err) < 0 || ctx_store_begin(app->store, err) < 0)
		return -1;
	return apply_batch(app, err);
}

/* Reads the next line into the batch. Returns 1; 0 at the end; -1 if reading must stop,
 * with the reason in app->stop. */
int
take_line(struct appending *app, struct ctx_err *err)
{
	struct ctx_span line = CTX_SPAN_NONE;
	const char *file;
	int rc = cli_input_next(&app->input, &line, err);

	if (rc == 0)
		return 0;
	file = app->input.reader == NULL ? NULL : ctx_reader_name(app->input.reader);
	if (rc == 1 || err->code == CTX_EINPUT)
		line = ctx_reader_raw(app->input.reader);
	if (rc == 1) {
		struct ctx_span kept = line;
		rc = cli_redact_json(&kept, err);
		if (rc == 0)
			rc = ctx_append_add(&app->appender, kept, file,
			    ctx_reader_line(app->input.reader), err);
		if (rc < 0)
			cli_input_hint(&app->input, err);
	} else if (err->code != CTX_EINPUT) {
		app->stop = *err;
		return -1;
	}
	/* queue the invalid line, to be rejected after the lines before it */
	if (rc < 0 && app->opt.keep_going) {
		ctx_append_refuse(&app->appender, line, file,
		    ctx_reader_line(app->input.reader), err->msg);
		err->code = CTX_OK;
		return 1;
	}
	if (rc < 0)
		rc = refuse_line(
		    app, line, file, ctx_reader_line(app->input.reader), err);
	return rc < 0 ? -1 : 1;
}

/* Commits the batch before a line that is too long for memory is copied to the rejects
 * file. */
static int
commit_before_spill(void *arg, struct ctx_err *err)
{
	struct appending *app = arg;
	int rc = commit_batch(app, err);

	if (rc > 0)
		*err = app->stop;
	return rc == 0 ? 0 : -1;
}

/* Stores the input, with a commit whenever it pauses or the batch is full. */
static int
append_stream(struct appending *app, struct ctx_err *err)
{
	while (take_line(app, err) == 1) {
		int rc;
		if (!ctx_append_full(&app->appender) &&
		    ctx_reader_ready(app->input.reader))
			continue;
		rc = commit_batch(app, err);
		if (rc != 0)
			return rc < 0 ? -1 : 0;
	}
	if (commit_batch(app, err) < 0) /* the lines before an invalid line are stored */
		return -1;
	return 0;
}

/* ---- the session of --session ---- */

int
check_session(struct appending *app, struct ctx_err *err)
{
	struct ctx_session s = CTX_SESSION_INIT;
	int rc;

	if (app->opt.session == NULL)
		return 0;
	if (app->opt.create)
		return resume(app, app->opt.session, err);
	rc = ctx_store_session_find(app->store, app->opt.session, &s, err);
	if (rc == 0)
		rc = ctx_err_set(err, CTX_EANSWER,
		    "no session '%s' (ctx-new or --create creates it)", app->opt.session);
	ctx_session_release(&s);
	return rc < 0 ? -1 : resume(app, app->opt.session, err);
}

/* ---- main ---- */

static int
append_input(
    struct appending *app, int argc, char **argv, bool answer, struct ctx_err *err)
{
	if (app->opt.batch)
		return append_batch(app, argc, argv, err);
	if (answer)
		return append_answer(app, err);
	if (app->opt.result != NULL)
		return append_result(app, err);
	if (app->opt.text.n > 0 || app->opt.raw)
		return append_text(app, err);
	cli_input_open(&app->input, argc, argv);
	app->input.max_record = (size_t)app->opt.max_record;
	app->input.spill_fd = app->rejects_fd;
	app->input.spill_name = app->opt.rejects;
	app->input.before_spill = commit_before_spill;
	app->input.before_arg = app;
	return app->opt.atomic || app->opt.if_seq >= 0 ? append_atomic(app, err)
						       : append_stream(app, err);
}

static void
warn_orphan(const char *session_id, const char *id, bool answered)
{
	if (answered)
		cli_warn(
		    "call '%s' of session '%s' already has a result: the new result is stored, but will not be sent to a model",
		    id, session_id);
	else
		cli_warn(
		    "no call '%s' in session '%s': the result is stored, but will not be sent to a model",
		    id, session_id);
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	struct appending *app = &appending;
	struct ctx_append_options o = {.session = app->opt.session,
	    .create = app->opt.create,
	    .user = app->opt.user,
	    .agent = app->opt.agent,
	    .ttl_ms = app->opt.ttl,
	    .ttl_default = !cli_flagged(&app->opt.ttl),
	    .if_seq = app->opt.if_seq,
	    .now = cli_now(),
	    .pinned = app->opt.pin,
	    .silent = cli_common.quiet,
	    .max_bytes = (size_t)app->opt.max_record};
	int answer = append_check_options(app, argc, argv, err), rc = -1;
	bool single = answer > 0 || app->opt.text.n > 0 || app->opt.raw ||
		      app->opt.result != NULL;

	if (answer < 0 || cli_redact_start(err) < 0 ||
	    cli_tokenizer_open(&app->tokenizer, err) < 0)
		return -1;
	ctx_append_init(&app->appender, &o, app->tokenizer);
	app->appender.orphans.fn = warn_orphan;
	if (!single && argc == 0 && app->opt.session == NULL && !app->opt.create)
		cli_input_wait();
	if (cli_store_open(&app->store,
		(app->opt.create ? CLI_CREATE : 0) | (!single ? CLI_BULK : 0), err) < 0)
		goto done;
	app->appender.o.session = app->opt.session; /* with its id completed */
	if (answer == 0 && check_session(app, err) < 0)
		goto done;
	if (app->opt.create &&
	    cli_warn_agent(app->store, cli_common.tenant, app->opt.agent, err) < 0)
		goto done;
	if (app->opt.rejects != NULL) {
		app->rejects_fd = open(
		    app->opt.rejects, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		if (app->rejects_fd < 0) {
			ctx_err_sys(
			    err, CTX_EIO, errno, "cannot create '%s'", app->opt.rejects);
			goto done;
		}
	}
	rc = append_input(app, argc, argv, answer > 0, err);
	if (app->stop.code != CTX_OK) {
		*err = app->stop;
		rc = -1;
	}
	if (app->rejects_fd >= 0 && close(app->rejects_fd) < 0 && rc == 0)
		rc = ctx_err_sys(
		    err, CTX_EIO, errno, "cannot write '%s'", app->opt.rejects);
	if (rc == 0 && app->lost.code != CTX_OK) {
		*err = app->lost;
		rc = -1;
	} else if (rc == 0 && app->rejected > 0) {
		rc = ctx_err_set(err, CTX_EINPUT, "%zu line%s rejected", app->rejected,
		    app->rejected == 1 ? " was" : "s were");
	}
done:
	cli_input_close(&app->input);
	ctx_append_release(&app->appender);
	ctx_tokenizer_close(app->tokenizer);
	ctx_store_close(app->store);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-append",
    .synopsis =
	"[-s SID] [--create] [OPTION ...] [FILE ...]\n"
	"-s SID {-t TEXT | --raw} [OPTION ...]\n"
	"{--request FILE [--raw | -t TEXT] | -p PROVIDER -s SID} [--echo] [--print text]\n"
	"--batch --request FILE [FILE ...]\n"
	"-s SID --question TEXT {-t ANSWER | --raw} [OPTION ...]",
    .about =
	"Appends messages to sessions and prints the stored records once they are durable.",
    .options = options,
    .init = cli_progress_with_quiet,
    .run = run,
};

CLI_MAIN(command)
