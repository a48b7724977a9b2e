#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/time.h"
#include "cli_options.h"
#include "json/json.h"

struct cli_common cli_common = {
    .busy_timeout = 10000, .tokenizer = "approx", .budget = -1};
struct cli_output cli_out;

static const char *program; /* name of the command */

const char *
cli_program(void)
{
	return program;
}

/* ---- exit status ---- This is the only table. */

static int
get_exit_status(enum ctx_code code)
{
	switch (code) {
	case CTX_OK:
		return 0;
	case CTX_EANSWER:
	case CTX_EMOVED:
		return 1;
	case CTX_EUSAGE:
		return 2;
	case CTX_EINPUT:
		return 3;
	case CTX_EIO:
		return 4;
	case CTX_ESTORE:
		return 5;
	case CTX_EBUSY:
		return 75;
	}
	return 4;
}

bool
cli_refused(const struct ctx_err *err)
{
	return err->code == CTX_EANSWER || err->code == CTX_EMOVED;
}

/* ---- messages ---- */

/* Returns whether the error is only that the reader has gone. Filters then end without a
 * message. */
static bool
is_silent(const struct ctx_err *err)
{
	return cli_out.gone && err->code == CTX_EIO && strstr(err->msg, "stdout") != NULL;
}

/* Writes the line with one system call, so that lines of several processes are not
 * mixed. */
static void
write_stderr_line(const char *text)
{
	struct ctx_buf line = CTX_BUF_INIT;

	cli_progress_wipe();
	ctx_buf_addf(&line, "%s: ", program);
	cli_name_origins(&line, text);
	ctx_buf_addc(&line, '\n');
	ctx_io_write(STDERR_FILENO, line.p, line.n, "stderr", NULL);
	ctx_buf_release(&line);
}

void
cli_error(const struct ctx_err *err)
{
	write_stderr_line(err->msg);
}

static void
write_stderr_format(const char *fmt, va_list ap)
{
	struct ctx_err clean = CTX_ERR_INIT;
	char text[sizeof(clean.msg)];

	vsnprintf(text, sizeof(text), fmt, ap);
	ctx_err_set(&clean, CTX_OK, "%s", text);
	write_stderr_line(clean.msg);
}

void
cli_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	write_stderr_format(fmt, ap);
	va_end(ap);
}

void
cli_warn_text(void *unused CTX_UNUSED, const char *text)
{
	cli_warn("%s", text);
}

void
cli_note(const char *fmt, ...)
{
	va_list ap;

	if (cli_common.quiet)
		return;
	va_start(ap, fmt);
	write_stderr_format(fmt, ap);
	va_end(ap);
}

/* ---- the clock ---- */

int64_t
cli_now(void)
{
	const char *fixed = getenv("CTX_NOW");
	struct ctx_err err;
	int64_t ms;

	if (fixed != NULL && ctx_time_parse(ctx_span_of(fixed), &ms, &err) == 0)
		return ms;
	return ctx_time_now();
}

/* Checks variables that do not correspond to options. An invalid value is an error, as
 * for an option. */
static int
check_variables(struct ctx_err *err)
{
	const char *now = getenv("CTX_NOW"), *progress = getenv("CTX_PROGRESS");
	int64_t ignored;

	if (now != NULL && *now != '\0' &&
	    ctx_time_parse(ctx_span_of(now), &ignored, err) < 0) {
		err->code = CTX_EUSAGE;
		return ctx_err_prefix(err, "CTX_NOW");
	}
	if (progress != NULL && *progress != '\0' && strcmp(progress, "never") != 0 &&
	    ctx_time_parse_duration(ctx_span_of(progress), &ignored, err) < 0)
		return ctx_err_prefix(err, "CTX_PROGRESS");
	return 0;
}

int
cli_parse_when(const char *s, int64_t *ms, struct ctx_err *err)
{
	struct ctx_err other = CTX_ERR_INIT;
	int64_t ago;

	if (ctx_time_parse(ctx_span_of(s), ms, &other) == 0)
		return 0;
	if (ctx_time_parse_duration(ctx_span_of(s), &ago, err) < 0)
		return ctx_err_set(err, CTX_EUSAGE,
		    "'%s' is neither a duration such as 90d or 1h30m nor a time such as 2026-01-31 or 2026-01-31T12:00:00Z",
		    s);
	*ms = cli_now() - ago;
	return 0;
}

/* ---- output ---- */

int
cli_flush(struct ctx_err *err)
{
	int rc = 0;

	if (!cli_out.failed && cli_out.buf.n > 0) {
		int64_t begun = cli_phase_begin();
		if (cli_out.open != NULL)
			cli_out.open();
		cli_out.open = NULL;
		cli_progress_wipe();
		rc = ctx_io_write(
		    STDOUT_FILENO, cli_out.buf.p, cli_out.buf.n, "stdout", err);
		cli_out.gone = rc < 0 && errno == EPIPE;
		cli_out.failed = rc < 0;
		cli_phase_end(CLI_PHASE_OUTPUT, begun);
	}
	ctx_buf_reset(&cli_out.buf);
	return rc;
}

int
cli_flush_some(struct ctx_err *err)
{
	return cli_out.buf.n > (size_t)64 << 10 ? cli_flush(err) : 0;
}

/* Flushes and closes stdout at the end of a command, with a check for errors. */
static int
finish_command_output(int status)
{
	struct ctx_err err = CTX_ERR_INIT;
	bool wrote = cli_out.buf.n > 0;

	cli_progress_end();
	if (cli_flush(&err) == 0 && close(STDOUT_FILENO) < 0 && (wrote || errno != EBADF))
		ctx_err_sys(&err, CTX_EIO, errno, "cannot write stdout");
	if (cli_out.close != NULL)
		cli_out.close();
	ctx_buf_release(&cli_out.buf);
	if (err.code != CTX_OK && status == 0) {
		if (!is_silent(&err))
			cli_error(&err);
		status = get_exit_status(err.code);
	}
	if (cli_out.failed && status == 0)
		status = get_exit_status(CTX_EIO);
	return status;
}

/* Opens /dev/null for each standard stream that the caller has closed. Otherwise a file
 * that is opened later could get its number: the store would be read as input, or a
 * message written to a request file. /dev/null is opened in the wrong direction, so that
 * using the stream still fails. */
static int
hold_standard_streams(struct ctx_err *err)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd)
			return ctx_err_set(err, CTX_EIO, "cannot open '/dev/null'");
	return 0;
}

int
cli_main(const struct cli_command *c, int argc, char **argv)
{
	struct ctx_err err = CTX_ERR_INIT;
	int64_t begun;
	int rc;

	program = c->name;
	if (c->init != NULL)
		c->init();
	signal(SIGPIPE, SIG_IGN);
	/* exceeding the file size limit makes write() fail instead */
	signal(SIGXFSZ, SIG_IGN);
	rc = hold_standard_streams(&err);
	if (rc == 0)
		rc = cli_options_parse(c, argc, argv, &err);
	if (rc == 1)
		return finish_command_output(0);
	if (rc == 0) {
		begun = cli_phase_begin();
		rc = cli_settings_apply(&err);
		cli_phase_end(CLI_PHASE_SETTINGS, begun);
	}
	if (rc == 0)
		rc = check_variables(&err);
	if (rc == 0)
		rc = cli_check_sync(&err);
	if (rc == 0)
		rc = cli_engine_hand_over(c->name, argv, &err);
	if (rc == 0)
		rc = c->run(argc - optind, argv + optind, &err);
	if (rc < 0) {
		if (!is_silent(&err))
			cli_error(&err);
		rc = get_exit_status(err.code);
	}
	rc = finish_command_output(rc);
	cli_timings_print();
	return rc;
}

int
cli_no_operands(int argc, char **argv, struct ctx_err *err)
{
	if (argc == 0)
		return 0;
	return ctx_err_set(
	    err, CTX_EUSAGE, "unexpected operand '%s'%s", argv[0], cli_operand_hint());
}

const struct cli_action *
cli_action(const struct cli_action actions[], int argc, char **argv, struct ctx_err *err)
{
	struct ctx_buf names = CTX_BUF_INIT;
	struct cli_nearest near;

	for (size_t i = 0; argc > 0 && actions[i].name != NULL; i++)
		if (strcmp(argv[0], actions[i].name) == 0)
			return &actions[i];
	cli_nearest_init(&near, argc > 0 ? argv[0] : "");
	for (size_t i = 0; actions[i].name != NULL; i++) {
		cli_nearest_try(&near, actions[i].name);
		ctx_buf_addf(&names, "%s%s", i > 0 ? ", " : "", actions[i].name);
	}
	if (argc > 0 && near.name != NULL)
		ctx_err_set(err, CTX_EUSAGE,
		    "unknown action '%s': did you mean %s? (actions: %s)", argv[0],
		    near.name, names.p);
	else if (argc > 0)
		ctx_err_set(err, CTX_EUSAGE, "unknown action '%s' (actions: %s)", argv[0],
		    names.p);
	else
		ctx_err_set(err, CTX_EUSAGE, "no action given (actions: %s)", names.p);
	ctx_buf_release(&names);
	return NULL;
}

void
cli_record_open(
    const char *kind, const char *session_id, const char *action, bool dry_run)
{
	ctx_json_print(&cli_out.buf, "{'kind':%s,'session_id':%s,'action':%s", kind,
	    session_id, action);
	if (dry_run)
		ctx_json_add_bool(&cli_out.buf, "dry_run", true);
}

void
cli_record_end(void)
{
	ctx_buf_adds(&cli_out.buf, "}\n");
}

int
cli_record_close(struct ctx_err *err)
{
	cli_record_end();
	return cli_flush(err);
}
