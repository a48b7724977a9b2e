#include "append.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/time.h"

struct append_options opt = {.role = "user",
    .if_seq = -1,
    .max_record = (int64_t)CTX_READER_MAX,
    .ttl = CTX_TIME_NONE};

static struct cli_option options[] = {
    {"session", 's', "SID", "append to this session (else each record names its own)",
	CLI_STRING, &opt.session, NULL},
    {"text", 't', "TEXT", "a message with this text (repeatable)", CLI_LIST, &opt.text,
	NULL},
    {"attach", 0, "FILE", "an image, PDF or text that goes with -t or --raw (repeatable)",
	CLI_LIST, &opt.attach, NULL},
    {"raw", 0, NULL, "one message: the whole input is its text", CLI_FLAG, &opt.raw,
	NULL},
    {"question", 0, "TEXT", "the question that the answer belongs to: both or neither",
	CLI_STRING, &opt.question, NULL},
    {"role", 0, "ROLE", "role of a message made by -t or --raw (default user)",
	CLI_STRING, &opt.role, NULL},
    {"id", 0, "ID", "record id of a message made by -t or --raw", CLI_STRING, &opt.id,
	NULL},
    {"call-id", 0, "ID", "with --role tool: the call that it is the result of",
	CLI_STRING, &opt.call, NULL},
    {"result", 0, "ID", "the text or file is the result of this waiting call", CLI_STRING,
	&opt.result, NULL},
    {"error", 0, NULL, "with --result: the call has failed", CLI_FLAG, &opt.error, NULL},
    {"type", 0, "TYPE", "its message_type", CLI_STRING, &opt.type, NULL},
    {"metadata", 0, "JSON", "its metadata, an object", CLI_STRING, &opt.metadata, NULL},
    {"pin", 0, NULL, "pin the messages: windows always hold them", CLI_FLAG, &opt.pin,
	NULL},
    {"create", 0, NULL, "make the session when it is missing", CLI_FLAG, &opt.create,
	NULL},
    {"resume", 0, NULL, "restore the session first when it is archived", CLI_FLAG,
	&opt.resume, NULL},
    {"user", 'u', "ID", "user of a session made by --create", CLI_STRING, &opt.user,
	NULL},
    {"agent", 0, "NAME", "agent of a session made by --create", CLI_STRING, &opt.agent,
	NULL},
    {"ttl", 0, "TIME", "time to live of a session made by --create", CLI_LIFETIME,
	&opt.ttl, "CTX_TTL"},
    {"if-seq", 0, "N", "only if the session's last message is N (implies --atomic)",
	CLI_INT, &opt.if_seq, NULL},
    {"atomic", 0, NULL, "all of the input or nothing", CLI_FLAG, &opt.atomic, NULL},
    {"keep-going", 0, NULL, "leave bad lines out and go on", CLI_FLAG, &opt.keep_going,
	NULL},
    {"rejects", 0, "FILE", "with --keep-going: put bad lines there, unchanged",
	CLI_STRING, &opt.rejects, NULL},
    {"max-record", 0, "BYTES", "longest record that is accepted (default 64 MiB)",
	CLI_INT, &opt.max_record, "CTX_MAX_RECORD"},
    {"request", 0, "FILE", "the input is the provider's answer to this request",
	CLI_STRING, &opt.request, NULL},
    CLI_PROVIDER_OPTION,
    {"echo", 0, NULL, "show the answer's text on stderr as it comes", CLI_FLAG, &opt.echo,
	NULL},
    {"print", 0, "WHAT", "what an answer prints: record (default) or text", CLI_STRING,
	&opt.print, NULL},
    {"quiet", 'q', NULL, "print no records", CLI_FLAG, &cli_common.quiet, NULL},
    CLI_REDACT_OPTIONS,
    CLI_TOKENIZER_OPTION,
    CLI_STORE_OPTIONS,
    CLI_END,
};

struct ctx_store *store;
static struct ctx_tokenizer *tokenizer;
struct ctx_ingest ingest;
struct cli_input input;
static int rejects_fd = -1;
static size_t rejected;
static struct ctx_err stop; /* why the input was left before its end */
static struct ctx_err lost; /* the reader of our output has gone */

/* ---- acknowledgements ----
 * They go out after the commit that they acknowledge. A reader that has gone does not
 * stop the storing. */

void
acknowledge(void)
{
	if (cli_common.quiet || append_prints_text())
		ctx_buf_reset(&cli_out.buf);
	print_pending();
}

void
print_pending(void)
{
	struct ctx_err err = CTX_ERR_INIT;

	if (cli_flush(&err) < 0 && lost.code == CTX_OK)
		lost = err;
}

/* ---- bad lines ---- */

static int
refuse_line(struct ctx_span line, const char *file, long line_no, struct ctx_err *err)
{
	if (file != NULL)
		ctx_err_prefix(err, "%s:%ld", file, line_no);
	if (!opt.keep_going) {
		stop = *err;
		return -1;
	}
	cli_error(err);
	rejected++;
	err->code = CTX_OK;
	if (rejects_fd >= 0) {
		struct ctx_buf b = CTX_BUF_INIT;
		int rc;
		ctx_buf_addspan(&b, line);
		ctx_buf_addc(&b, '\n');
		rc = ctx_io_write(rejects_fd, b.p, b.n, opt.rejects, err);
		ctx_buf_release(&b);
		if (rc < 0)
			stop = *err;
		return rc;
	}
	return 0;
}

int
refuse_pending(void *arg, const struct ctx_pending *p, struct ctx_err *err)
{
	(void)arg;
	return refuse_line(p->line, p->file, p->line_no, err);
}

/* ---- --resume ---- */

int
resume(const char *session_id, struct ctx_err *err)
{
	return opt.resume && session_id != NULL
		   ? cli_archived_resume(store, session_id, err)
		   : 0;
}

int
resume_named(void *arg, const char *session_id, struct ctx_err *err)
{
	char **last = arg;

	if (session_id == NULL || (*last != NULL && strcmp(*last, session_id) == 0))
		return 0;
	free(*last);
	*last = ctx_mem_str(session_id);
	if (resume(session_id, err) == 0)
		return 0;
	if (err->code != CTX_EANSWER)
		return -1;
	err->code = CTX_OK;
	return 0;
}

static int
resume_batch(struct ctx_err *err)
{
	char *last = NULL;
	int rc = 0;

	if (opt.resume)
		rc = ctx_ingest_sessions(&ingest, store, resume_named, &last, err);
	free(last);
	return rc;
}

/* ---- batches ---- */

int
apply_batch(struct ctx_err *err)
{
	int rc = ctx_ingest_apply(
	    &ingest, store, &cli_out.buf, refuse_pending, NULL, err);
	if (rc >= 0 && ctx_ingest_finish(&ingest, store, err) < 0)
		rc = -1;
	if (rc >= 0 && ctx_store_commit(store, err) < 0)
		rc = -1;
	ctx_store_rollback(store);
	if (rc < 0)
		ctx_buf_reset(&cli_out.buf);
	else
		acknowledge();
	return rc;
}

int
commit_batch(struct ctx_err *err)
{
	if (ingest.n == 0)
		return 0;
	if (resume_batch(err) < 0 || ctx_store_begin(store, err) < 0)
		return -1;
	return apply_batch(err);
}

/* The next line into the batch: 1, 0 at the end, -1 (stop holds why). */
int
take_line(struct ctx_err *err)
{
	struct ctx_span line = CTX_SPAN_NONE;
	const char *file;
	int rc = cli_input_next(&input, &line, err);

	if (rc == 0)
		return 0;
	file = input.reader == NULL ? NULL : ctx_reader_name(input.reader);
	if (rc == 1 || err->code == CTX_EINPUT)
		line = ctx_reader_raw(input.reader);
	if (rc == 1) {
		struct ctx_span kept = line;
		rc = cli_redact_json(&kept, err);
		if (rc == 0)
			rc = ctx_ingest_add(
			    &ingest, kept, file, ctx_reader_line(input.reader), err);
		if (rc < 0)
			cli_input_hint(&input, err);
	} else if (err->code != CTX_EINPUT) {
		stop = *err;
		return -1;
	}
	if (rc < 0 && opt.keep_going) { /* in its turn, behind those before it */
		ctx_ingest_refuse(
		    &ingest, line, file, ctx_reader_line(input.reader), err->msg);
		err->code = CTX_OK;
		return 1;
	}
	if (rc < 0)
		rc = refuse_line(line, file, ctx_reader_line(input.reader), err);
	return rc < 0 ? -1 : 1;
}

/* A line too long to be held goes to the rejects while it is read. */
static int
commit_before_spill(struct ctx_err *err)
{
	int rc = commit_batch(err);

	if (rc > 0)
		*err = stop;
	return rc == 0 ? 0 : -1;
}

/* Commit when the input pauses or the batch is full. */
static int
append_stream(struct ctx_err *err)
{
	while (take_line(err) == 1) {
		int rc;
		if (!ctx_ingest_full(&ingest) && ctx_reader_ready(input.reader))
			continue;
		rc = commit_batch(err);
		if (rc != 0)
			return rc < 0 ? -1 : 0;
	}
	if (commit_batch(err) < 0) /* what stands before a bad line stays */
		return -1;
	return 0;
}

/* ---- the session that is named ---- */

int
check_session(struct ctx_err *err)
{
	struct ctx_session s;
	int rc;

	if (opt.session == NULL)
		return 0;
	if (opt.create)
		return resume(opt.session, err);
	ctx_session_init(&s);
	rc = ctx_store_session_find(store, opt.session, &s, err);
	if (rc == 0)
		rc = ctx_err_set(err, CTX_EANSWER,
		    "no session '%s' (ctx-new or --create makes one)", opt.session);
	ctx_session_release(&s);
	return rc < 0 ? -1 : resume(opt.session, err);
}

/* ---- */

/* What a session that is made would get of them. */
static int
check_ids(struct ctx_err *err)
{
	if (opt.user != NULL && cli_check_id(opt.user, "user", err) < 0)
		return -1;
	if (opt.agent != NULL && cli_check_id(opt.agent, "agent", err) < 0)
		return -1;
	if (!opt.create)
		return 0;
	if (opt.session != NULL && cli_check_id(opt.session, "session id", err) < 0)
		return -1;
	return cli_check_tenant(err);
}

bool
append_prints_text(void)
{
	return opt.print != NULL && strcmp(opt.print, "text") == 0;
}

static int
check_print(bool answer, struct ctx_err *err)
{
	if (opt.print == NULL)
		return 0;
	if (!append_prints_text() && strcmp(opt.print, "record") != 0)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--print: '%s' is not record or text", opt.print);
	if (append_prints_text() && !answer)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--print text goes with an answer (--request or -p)");
	return 0;
}

static int
check_question(bool given, bool answer, struct ctx_err *err)
{
	if (!given && !answer)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--question goes with its answer: -t TEXT, --raw, --request or -p");
	if (opt.text.n > 1)
		return ctx_err_set(err, CTX_EUSAGE, "--question has one answer");
	if (opt.id != NULL || opt.type != NULL || opt.call != NULL ||
	    cli_flagged(&opt.role))
		return ctx_err_set(err, CTX_EUSAGE,
		    "--question takes no --id, --type, --role or --call-id");
	return 0;
}

static int
check_options(int argc, char **argv, struct ctx_err *err)
{
	bool given = opt.text.n > 0 || opt.raw;
	bool answer = opt.request != NULL || cli_flagged(&cli_common.provider);
	bool text = given && !answer;

	if (opt.session == NULL && (text || opt.result != NULL))
		opt.session = cli_session_default();
	if (check_print(answer, err) < 0)
		return -1;
	if (opt.attach.n > 0 && opt.result != NULL)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--attach and --result cannot be used together");
	if (opt.result != NULL)
		return check_result(argc, argv, err);
	if (opt.error)
		return ctx_err_set(err, CTX_EUSAGE, "--error goes with --result");
	if (answer && !given && argc > 0)
		return ctx_err_set(err, CTX_EUSAGE,
		    "'%s': the answer is read from standard input (< %s)", argv[0],
		    argv[0]);
	if ((given || answer) && cli_no_operands(argc, argv, err) < 0)
		return -1;
	if (opt.question != NULL && check_question(given, answer, err) < 0)
		return -1;
	if (given && answer && opt.request == NULL)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--text and --raw take no -p: --request FILE makes them an answer");
	if (answer && cli_flagged(&opt.role) && strcmp(opt.role, "assistant") != 0)
		return ctx_err_set(err, CTX_EUSAGE, "an answer is the assistant's");
	if (opt.text.n > 1 && answer)
		return ctx_err_set(err, CTX_EUSAGE, "an answer is one --text");
	if (opt.text.n > 0 && opt.raw)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--text and --raw exclude each other");
	if (opt.attach.n > 0 && (!text || opt.question != NULL || opt.text.n > 1))
		return ctx_err_set(err, CTX_EUSAGE,
		    "--attach goes with one message made by -t or --raw");
	if (text && opt.session == NULL)
		return ctx_err_set(err, CTX_EUSAGE, "--text and --raw need -s SID");
	if (text && check_text(err) < 0)
		return -1;
	if (opt.metadata != NULL && check_metadata(err) < 0)
		return -1;
	if (!text && (opt.id != NULL || opt.type != NULL || opt.call != NULL))
		return ctx_err_set(err, CTX_EUSAGE,
		    "--id, --call-id and --type go with --text or --raw");
	if (!text && !answer && opt.metadata != NULL)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--metadata goes with --text, --raw or an answer");
	if (opt.rejects != NULL && !opt.keep_going)
		return ctx_err_set(err, CTX_EUSAGE, "--rejects goes with --keep-going");
	if (opt.keep_going && (opt.atomic || opt.if_seq >= 0))
		return ctx_err_set(
		    err, CTX_EUSAGE, "--keep-going and --atomic exclude each other");
	if (check_ids(err) < 0)
		return -1;
	return answer;
}

static int
append_input(int argc, char **argv, bool answer, struct ctx_err *err)
{
	if (answer)
		return append_answer(err);
	if (opt.result != NULL)
		return append_result(err);
	if (opt.text.n > 0 || opt.raw)
		return append_text(err);
	cli_input_open(&input, argc, argv);
	input.max_record = (size_t)opt.max_record;
	input.spill_fd = rejects_fd;
	input.spill_name = opt.rejects;
	input.before_spill = commit_before_spill;
	return opt.atomic || opt.if_seq >= 0 ? append_atomic(err) : append_stream(err);
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	struct ctx_ingest_options o = {.session = opt.session,
	    .create = opt.create,
	    .user = opt.user,
	    .agent = opt.agent,
	    .ttl_ms = opt.ttl,
	    .ttl_default = !cli_flagged(&opt.ttl),
	    .if_seq = opt.if_seq,
	    .now = cli_now(),
	    .pinned = opt.pin,
	    .silent = cli_common.quiet,
	    .max_bytes = (size_t)opt.max_record};
	int answer = check_options(argc, argv, err), rc = -1;
	bool single = answer > 0 || opt.text.n > 0 || opt.raw || opt.result != NULL;

	if (answer < 0 || cli_redact_start(err) < 0 ||
	    cli_tokenizer_open(&tokenizer, err) < 0)
		return -1;
	ctx_ingest_init(&ingest, &o, tokenizer);
	if (!single && argc == 0 && opt.session == NULL && !opt.create)
		cli_input_wait();
	if (cli_store_open(&store,
		(opt.create ? CLI_CREATE : 0) | (!single ? CLI_BULK : 0), err) < 0)
		goto done;
	ingest.o.session = opt.session; /* completed */
	if (answer == 0 && check_session(err) < 0)
		goto done;
	if (opt.create && cli_warn_agent(store, cli_common.tenant, opt.agent, err) < 0)
		goto done;
	if (opt.rejects != NULL) {
		rejects_fd = open(
		    opt.rejects, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		if (rejects_fd < 0) {
			ctx_err_sys(
			    err, CTX_EIO, errno, "cannot create '%s'", opt.rejects);
			goto done;
		}
	}
	rc = append_input(argc, argv, answer > 0, err);
	if (stop.code != CTX_OK) {
		*err = stop;
		rc = -1;
	}
	if (rejects_fd >= 0 && close(rejects_fd) < 0 && rc == 0)
		rc = ctx_err_sys(err, CTX_EIO, errno, "cannot write '%s'", opt.rejects);
	if (rc == 0 && lost.code != CTX_OK) {
		*err = lost;
		rc = -1;
	} else if (rc == 0 && rejected > 0) {
		rc = ctx_err_set(err, CTX_EINPUT, "%zu line%s rejected", rejected,
		    rejected == 1 ? " was" : "s were");
	}
done:
	cli_input_close(&input);
	ctx_ingest_release(&ingest);
	ctx_tokenizer_close(tokenizer);
	ctx_store_close(store);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-append",
    .synopsis = "[-s SID] [--create] [OPTION ...] [FILE ...]\n"
		"-s SID {-t TEXT | --raw} [OPTION ...]\n"
		"{--request FILE [--raw | -t TEXT] | -p PROVIDER -s SID} [--echo]\n"
		"-s SID --question TEXT {-t ANSWER | --raw} [OPTION ...]",
    .about =
	"Appends messages to sessions and prints the stored records once they are durable.",
    .options = options,
    .run = run,
};

int
main(int argc, char **argv)
{
	cli_progress_with_quiet();
	return cli_main(&command, argc, argv);
}
