#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"
#include "record/provider.h"
#include "record/record.h"
#include "record/stream.h"

#ifndef CTX_VERSION
#error "CTX_VERSION is set by the Makefile"
#endif

struct cli_common cli_common = {
    .busy_timeout = 10000, .tokenizer = "approx", .budget = -1};
struct cli_output cli_out;

static const struct cli_command *command;

/* ---- exit statuses: the one table ---- */

static int
status_of(enum ctx_code code)
{
	switch (code) {
	case CTX_OK:
		return 0;
	case CTX_EANSWER:
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

#define TRIM_BYTES ((size_t)1 << 20) /* of a list, before it is first trimmed */

/* ---- messages ---- */

/* One write, so that lines of several processes do not mix. */
static void
say(const char *text)
{
	struct ctx_buf line = CTX_BUF_INIT;
	struct ctx_err ignored;

	ctx_buf_addf(&line, "%s: %s\n", command->name, text);
	ctx_io_write(STDERR_FILENO, line.p, line.n, "stderr", &ignored);
	ctx_buf_release(&line);
}

void
cli_error(const struct ctx_err *err)
{
	say(err->msg);
}

static void
vsay(const char *fmt, va_list ap)
{
	struct ctx_err clean = CTX_ERR_INIT;
	char text[sizeof(clean.msg)];

	vsnprintf(text, sizeof(text), fmt, ap);
	ctx_err_set(&clean, CTX_OK, "%s", text);
	say(clean.msg);
}

void
cli_warn(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsay(fmt, ap);
	va_end(ap);
}

void
cli_note(const char *fmt, ...)
{
	va_list ap;

	if (cli_common.quiet)
		return;
	va_start(ap, fmt);
	vsay(fmt, ap);
	va_end(ap);
}

/* ---- options ---- */

#define MAX_OPTIONS 64

static bool flagged[MAX_OPTIONS];

bool
cli_flagged(const void *value)
{
	for (size_t i = 0; command->options[i].name != NULL; i++)
		if (command->options[i].value == value)
			return flagged[i];
	return false;
}

static void
list_add(struct cli_list *list, const char *s)
{
	CTX_MEM_GROW(list->v, list->n, list->cap);
	list->v[list->n++] = s;
}

static int
set_int(int64_t *out, const char *s, struct ctx_err *err)
{
	struct ctx_span v = ctx_span_of(s);

	if (v.n == 0 || s[0] < '0' || s[0] > '9' || !ctx_json_int(v, out))
		return ctx_err_set(err, CTX_EUSAGE, "'%s' is not a whole number", s);
	return 0;
}

static int
set_bool(bool *out, const char *s, struct ctx_err *err)
{
	*out = strcmp(s, "1") == 0 || strcmp(s, "true") == 0;
	if (!*out && strcmp(s, "0") != 0 && strcmp(s, "false") != 0 && *s != '\0')
		return ctx_err_set(err, CTX_EUSAGE, "'%s' is not true or false", s);
	return 0;
}

static int
set_option(const struct cli_option *o, const char *s, struct ctx_err *err)
{
	switch (o->type) {
	case CLI_FLAG:
		return set_bool(o->value, s, err);
	case CLI_STRING:
		*(const char **)o->value = s;
		return 0;
	case CLI_INT:
		return set_int(o->value, s, err);
	case CLI_DURATION:
		return ctx_time_parse_duration(ctx_span_of(s), o->value, err);
	case CLI_LIST:
		list_add(o->value, s);
		return 0;
	}
	return 0;
}

static void
help_line(const struct cli_option *o)
{
	struct ctx_buf left = CTX_BUF_INIT;

	if (o->letter)
		ctx_buf_addf(&left, "  -%c, --%s", o->letter, o->name);
	else
		ctx_buf_addf(&left, "      --%s", o->name);
	if (o->arg != NULL)
		ctx_buf_addf(&left, " %s", o->arg);
	ctx_buf_addf(&cli_out.buf, "%-30s %s", left.p, o->help);
	if (o->env != NULL)
		ctx_buf_addf(&cli_out.buf, " [%s]", o->env);
	ctx_buf_addc(&cli_out.buf, '\n');
	ctx_buf_release(&left);
}

static void
usage(struct ctx_buf *b)
{
	const char *p = command->synopsis;

	for (const char *lead = "usage: "; *p; lead = "       ") {
		size_t n = strcspn(p, "\n");
		ctx_buf_addf(
		    b, "%s%s%s%.*s\n", lead, command->name, n > 0 ? " " : "", (int)n, p);
		p += n + (p[n] == '\n');
	}
}

static void
help(void)
{
	usage(&cli_out.buf);
	ctx_buf_addf(&cli_out.buf, "\n%s\n\n", command->about);
	for (const struct cli_option *o = command->options; o->name != NULL; o++)
		help_line(o);
	ctx_buf_addf(&cli_out.buf, "%-30s %s\n%-30s %s\n%-30s %s\n\nManual: %s(1)\n",
	    "  -v, --verbose", "print on stderr what took how long", "  -h, --help",
	    "this text", "  -V, --version", "name and version", command->name);
}

/* getopt's tables, made from ours */
struct getopt_tables {
	struct option longs[MAX_OPTIONS + 4];
	char shorts[2 * MAX_OPTIONS + 9];
};

static void
make_tables(struct getopt_tables *t)
{
	char *s = t->shorts;
	size_t i;

	memset(t, 0, sizeof(*t));
	if (command->stop_at_operand)
		*s++ = '+';
	*s++ = ':';
	for (i = 0; command->options[i].name != NULL; i++) {
		const struct cli_option *o = &command->options[i];
		t->longs[i] = (struct option){o->name,
		    o->arg != NULL ? required_argument : no_argument, NULL, 256 + (int)i};
		if (o->letter) {
			*s++ = o->letter;
			if (o->arg != NULL)
				*s++ = ':';
		}
	}
	t->longs[i] = (struct option){"help", no_argument, NULL, 'h'};
	t->longs[i + 1] = (struct option){"version", no_argument, NULL, 'V'};
	t->longs[i + 2] = (struct option){"verbose", no_argument, NULL, 'v'};
	memcpy(s, "hVv", 4);
}

static int
row_of(int c)
{
	if (c >= 256)
		return c - 256;
	for (int i = 0; command->options[i].name != NULL; i++)
		if (command->options[i].letter == c)
			return i;
	return -1;
}

/* Flags. 1: help or version was printed. */
static int
parse_flags(int argc, char **argv, struct ctx_err *err)
{
	struct getopt_tables t;
	int c;

	make_tables(&t);
	opterr = 0;
	while ((c = getopt_long(argc, argv, t.shorts, t.longs, NULL)) != -1) {
		const struct cli_option *o;
		int row;
		if (c == '?' || c == ':') {
			char letter[3] = {'-', (char)optopt, 0};
			const char *what = optind > 0 &&
						   strncmp(argv[optind - 1], "--", 2) == 0
					       ? argv[optind - 1]
					       : letter;
			return ctx_err_set(err, CTX_EUSAGE,
			    "%s '%s' (--help lists the options)",
			    c == ':' ? "an argument is missing after" : "unknown option",
			    what);
		}
		if (c == 'h' || c == 'V') {
			if (c == 'h')
				help();
			else
				ctx_buf_addf(
				    &cli_out.buf, "%s %s\n", command->name, CTX_VERSION);
			return 1;
		}
		if (c == 'v') {
			cli_timings_start();
			continue;
		}
		row = row_of(c);
		o = &command->options[row];
		if (set_option(o, o->arg == NULL ? "true" : optarg, err) < 0)
			return ctx_err_prefix(err, "--%s", o->name);
		flagged[row] = true;
	}
	return 0;
}

/* ---- settings ---- */

/* The path of a file of the configuration, when there is such a file, else empty. */
static void
config_path(struct ctx_buf *path, const char *name)
{
	const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (base != NULL && base[0] == '/')
		ctx_buf_addf(path, "%s/ctx/%s", base, name);
	else if (home != NULL && home[0] != '\0')
		ctx_buf_addf(path, "%s/.config/ctx/%s", home, name);
	if (path->n > 0 && access(path->p, F_OK) != 0)
		ctx_buf_reset(path);
}

static int
read_config(struct ctx_buf *text, struct ctx_err *err)
{
	struct ctx_buf path = CTX_BUF_INIT;
	struct ctx_span value = CTX_SPAN_NONE;
	int rc = 0;

	config_path(&path, "config.json");
	if (path.n > 0) {
		if (ctx_io_read_file(path.p, text, (size_t)1 << 20, err) < 0 ||
		    ctx_json_check(ctx_buf_span(text), &value, NULL, err) < 0) {
			err->code = CTX_EUSAGE;
			rc = ctx_err_prefix(err, "%s", path.p);
		} else if (ctx_json_type(value) != CTX_JSON_OBJECT) {
			rc = ctx_err_set(
			    err, CTX_EUSAGE, "%s: not a JSON object", path.p);
		}
	}
	ctx_buf_release(&path);
	return rc;
}

/* The member of the configuration that belongs to the option, as text; NULL: none. */
static char *
config_text(struct ctx_span config, const struct cli_option *o)
{
	char key[64];
	struct ctx_span v;
	size_t i;

	for (i = 0; i < sizeof(key) - 1 && o->name[i]; i++)
		key[i] = o->name[i] == '-' ? '_' : o->name[i];
	key[i] = '\0';
	v = ctx_json_get(config, key);
	if (ctx_json_type(v) == CTX_JSON_STRING)
		return ctx_json_strdup(v);
	return ctx_json_type(v) <= CTX_JSON_NULL ? NULL : ctx_span_dup(v);
}

/* Environment and configuration file, for what no flag has set. Strings live as long as
 * the process. */
static int
apply_settings(struct ctx_err *err)
{
	struct ctx_buf config = CTX_BUF_INIT;
	bool read = false;
	int rc = 0;

	for (size_t i = 0; rc == 0 && command->options[i].name != NULL; i++) {
		const struct cli_option *o = &command->options[i];
		const char *env = o->env == NULL ? NULL : getenv(o->env);
		char *text;
		if (o->env == NULL || flagged[i])
			continue;
		if (env != NULL && env[0] != '\0') {
			if (set_option(o, env, err) < 0)
				rc = ctx_err_prefix(err, "%s", o->env);
			continue;
		}
		if (!read && read_config(&config, err) < 0) {
			rc = -1;
			break;
		}
		read = true;
		text = config_text(ctx_span_trim(ctx_buf_span(&config)), o);
		if (text == NULL)
			continue;
		if (set_option(o, text, err) < 0) {
			err->code = CTX_EUSAGE;
			rc = ctx_err_prefix(err, "config.json: %s", o->name);
		}
	}
	ctx_buf_release(&config);
	return rc;
}

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

int
cli_parse_when(const char *s, int64_t *ms, struct ctx_err *err)
{
	struct ctx_err other = CTX_ERR_INIT;
	int64_t ago;

	if (ctx_time_parse(ctx_span_of(s), ms, &other) == 0)
		return 0;
	if (ctx_time_parse_duration(ctx_span_of(s), &ago, err) < 0)
		return ctx_err_set(err, CTX_EUSAGE,
		    "'%s' is neither a duration nor an RFC 3339 time", s);
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
		rc = ctx_io_write(
		    STDOUT_FILENO, cli_out.buf.p, cli_out.buf.n, "stdout", err);
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

/* The end of every command: what is buffered goes out, and stdout is closed, checked. */
static int
finish(int status)
{
	struct ctx_err err = CTX_ERR_INIT;
	bool wrote = cli_out.buf.n > 0;

	if (cli_flush(&err) == 0 && close(STDOUT_FILENO) < 0 && (wrote || errno != EBADF))
		ctx_err_sys(&err, CTX_EIO, errno, "cannot write stdout");
	ctx_buf_release(&cli_out.buf);
	if (err.code != CTX_OK && status == 0) {
		cli_error(&err);
		status = status_of(err.code);
	}
	if (cli_out.failed && status == 0)
		status = status_of(CTX_EIO);
	return status;
}

/* A file that is opened must not get the number of a standard stream that the caller has
 * closed: the store would be read as input, a message end in a request file. What stands
 * in for the stream is open the wrong way round, so that using it still fails. */
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

	command = c;
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* then writing fails, and is reported */
	rc = hold_standard_streams(&err);
	if (rc == 0)
		rc = parse_flags(argc, argv, &err);
	if (rc == 1)
		return finish(0);
	if (rc == 0) {
		begun = cli_phase_begin();
		rc = apply_settings(&err);
		cli_phase_end(CLI_PHASE_SETTINGS, begun);
	}
	if (rc == 0)
		rc = c->run(argc - optind, argv + optind, &err);
	if (rc < 0) {
		cli_error(&err);
		rc = status_of(err.code);
	}
	rc = finish(rc);
	cli_timings_print();
	return rc;
}

/* ---- input ---- */

/* CTX_MAX_RECORD, for all readers alike; ctx-append has an option too. */
static size_t
max_record(void)
{
	const char *env = getenv("CTX_MAX_RECORD");
	struct ctx_err ignored;
	int64_t v;

	if (env == NULL || *env == '\0' || set_int(&v, env, &ignored) < 0 || v == 0)
		return CTX_READER_MAX;
	return (size_t)v;
}

void
cli_input_open(struct cli_input *in, int argc, char **argv)
{
	static char *stdin_only[] = {"-"};

	memset(in, 0, sizeof(*in));
	in->argc = argc > 0 ? argc : 1;
	in->argv = argc > 0 ? argv : stdin_only;
	in->max_record = max_record();
	in->spill_fd = -1;
}

static int input_fd = -1; /* of the operand being read, when it isn't standard input */

static int
next_operand(struct cli_input *in, struct ctx_err *err)
{
	const char *path = in->argv[in->next++];
	bool std = strcmp(path, "-") == 0;

	if (in->fds != NULL && in->fds[in->next - 1] >= 0)
		input_fd = in->fds[in->next - 1];
	else
		input_fd = std ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	if (!std && input_fd < 0)
		return ctx_err_sys(err, CTX_EIO, errno, "cannot open '%s'", path);
	in->reader = ctx_reader_new(
	    input_fd < 0 ? STDIN_FILENO : input_fd, std ? "stdin" : path, in->max_record);
	ctx_reader_spill(in->reader, in->spill_fd, in->spill_name);
	return 0;
}

static void
close_operand(struct cli_input *in)
{
	ctx_reader_free(in->reader);
	in->reader = NULL;
	if (input_fd >= 0)
		close(input_fd);
	input_fd = -1;
}

int
cli_input_next(struct cli_input *in, struct ctx_span *line, struct ctx_err *err)
{
	for (;;) {
		int64_t begun;
		int rc;
		if (in->reader == NULL) {
			if (in->next == in->argc)
				return 0;
			if (next_operand(in, err) < 0)
				return -1;
		}
		begun = cli_phase_begin();
		rc = ctx_reader_next(in->reader, line, err);
		cli_phase_end(CLI_PHASE_INPUT, begun);
		if (rc != 0)
			return rc;
		if (in->next ==
		    in->argc) /* keep the reader: messages may still name it */
			return 0;
		close_operand(in);
	}
}

void
cli_input_close(struct cli_input *in)
{
	close_operand(in);
	free(in->fds);
	in->fds = NULL;
}

int
cli_input_blame(const struct cli_input *in, struct ctx_err *err)
{
	if (in->reader != NULL)
		ctx_err_prefix(err, "%s:%ld", ctx_reader_name(in->reader),
		    ctx_reader_line(in->reader));
	return -1;
}

int
cli_no_operands(int argc, char **argv, struct ctx_err *err)
{
	if (argc == 0)
		return 0;
	return ctx_err_set(err, CTX_EUSAGE, "unexpected operand '%s'", argv[0]);
}

/* ---- whose sessions ---- */

static struct ctx_store *opened; /* by cli_store_open */

/* The tenant that a session record tells of, owned: "" when it has none. NULL: it tells of
 * nothing, as a record that names a session and no more. */
static char *
record_tenant(const struct ctx_record *r)
{
	struct ctx_span tenant = ctx_json_get(r->line, "tenant_id");

	if (r->kind != CTX_KIND_SESSION)
		return NULL;
	if (ctx_json_type(tenant) == CTX_JSON_STRING)
		return ctx_json_strdup(tenant);
	return ctx_json_get(r->line, "created_at").p != NULL ? ctx_mem_str("") : NULL;
}

/* From now on the store shows the sessions of the tenant alone, that a record has told of,
 * or with NULL what it showed at first. */
static int
see_tenant(const char *tenant, struct ctx_err *err)
{
	if (tenant != NULL && cli_common.tenant != NULL &&
	    strcmp(tenant, cli_common.tenant) != 0)
		return ctx_err_set(err, CTX_EINPUT,
		    *tenant == '\0' ? "the session is of no tenant, not of '%s'"
				    : "the session is of another tenant than '%s'",
		    cli_common.tenant);
	if (opened != NULL)
		ctx_store_set_tenant(opened, tenant != NULL ? tenant : cli_common.tenant);
	return 0;
}

static struct cli_input *windows_input;

bool
cli_windows_ended(void *unused)
{
	const struct cli_input *in = windows_input;

	(void)unused;
	return in == NULL || ((in->reader == NULL || ctx_reader_ended(in->reader)) &&
				 in->next >= in->argc);
}

int
cli_windows(int argc, char **argv, cli_stream_fn *fn, struct ctx_err *err)
{
	return cli_windows_trimmed(argc, argv, fn, NULL, err);
}

/* A window is of the session that its record tells of. */
static int
call_for_window(struct ctx_stream *in, cli_stream_fn *fn, struct ctx_err *err)
{
	char *tenant = NULL;
	int rc;

	for (size_t i = 0; i < in->n && tenant == NULL; i++)
		tenant = record_tenant(&in->records[i]);
	rc = see_tenant(tenant, err);
	if (rc == 0)
		rc = fn(in, err);
	free(tenant);
	return rc;
}

/* Trim when the list has doubled, so that each record is looked at a few times at most. */
static int
trim_list(struct ctx_stream *in, cli_stream_fn *trim, size_t *limit, struct ctx_err *err)
{
	if (trim == NULL || in->window || in->arena.used < *limit)
		return 0;
	if (trim(in, err) < 0)
		return -1;
	*limit = TRIM_BYTES + 2 * in->arena.used;
	return 0;
}

int
cli_windows_trimmed(
    int argc, char **argv, cli_stream_fn *fn, cli_stream_fn *trim, struct ctx_err *err)
{
	struct ctx_stream stream = CTX_STREAM_INIT;
	struct cli_input in;
	struct ctx_span line;
	size_t limit = TRIM_BYTES;
	int rc;

	cli_input_open(&in, argc, argv);
	windows_input = &in;
	while ((rc = cli_input_next(&in, &line, err)) == 1) {
		rc = ctx_stream_add(&stream, line, err);
		if (rc < 0)
			cli_input_blame(&in, err);
		else if (rc == 1) {
			rc = call_for_window(&stream, fn, err);
			ctx_stream_reset(&stream);
		} else {
			rc = trim_list(&stream, trim, &limit, err);
		}
		if (rc < 0)
			break;
	}
	if (rc == 0)
		rc = ctx_stream_end(&stream, err);
	if (rc == 1)
		rc = call_for_window(&stream, fn, err);
	ctx_stream_release(&stream);
	windows_input = NULL;
	cli_input_close(&in);
	return rc;
}

void
cli_input_wait(void)
{
	struct pollfd p = {.fd = STDIN_FILENO, .events = POLLIN};
	int64_t begun = cli_phase_begin();

	while (poll(&p, 1, -1) < 0 && errno == EINTR)
		continue;
	cli_phase_end(CLI_PHASE_INPUT, begun);
}

/* What the record at hand names; the record before, until it is looked at. */
struct named {
	char *session_id, *tenant; /* tenant: as record_tenant */
	int64_t last_seq;
};

/* Take over a or free it. 1: it is another session than the one before. */
static int
take_named(struct named *last, char *sid, char *tenant)
{
	if (sid == NULL ||
	    (last->session_id != NULL && strcmp(sid, last->session_id) == 0 &&
		(tenant == NULL || last->tenant == NULL ||
		    strcmp(tenant, last->tenant) == 0))) {
		free(sid);
		free(tenant);
		return 0;
	}
	free(last->session_id);
	free(last->tenant);
	last->session_id = sid;
	last->tenant = tenant;
	last->last_seq = -1;
	return 1;
}

/* 1 when the line names another session than the one before. */
static int
next_session(struct ctx_span line, struct named *last, struct ctx_err *err)
{
	struct ctx_record r;
	int rc;

	if (ctx_record_parse(&r, line, err) < 0)
		return -1;
	rc = take_named(last, ctx_json_strdup(r.session_id), record_tenant(&r));
	if (rc == 1 && r.kind == CTX_KIND_SESSION &&
	    !ctx_json_int(ctx_json_get(r.line, "last_seq"), &last->last_seq))
		last->last_seq = -1;
	return rc == 1 && see_tenant(last->tenant, err) < 0 ? -1 : rc;
}

int
cli_listed(const struct cli_list *list,
    int (*fn)(const char *sid, int64_t last_seq, struct ctx_err *err),
    struct ctx_err *err)
{
	struct cli_input in;
	struct ctx_span line;
	struct named last = {NULL, NULL, -1};
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < list->n; i++)
		rc = fn(list->v[i], -1, err);
	if (list->n > 0)
		return rc;
	cli_input_open(&in, 0, NULL);
	while ((rc = cli_input_next(&in, &line, err)) == 1) {
		rc = next_session(line, &last, err);
		if (rc < 0)
			cli_input_blame(&in, err);
		else if (rc == 1)
			rc = fn(last.session_id, last.last_seq, err);
		if (rc < 0)
			break;
	}
	see_tenant(NULL, err);
	free(last.session_id);
	free(last.tenant);
	cli_input_close(&in);
	return rc;
}

static int (*session_fn)(const char *sid, struct ctx_err *err);

static int
without_seq(const char *sid, int64_t last_seq, struct ctx_err *err)
{
	(void)last_seq;
	return session_fn(sid, err);
}

int
cli_sessions(const struct cli_list *list, int (*fn)(const char *sid, struct ctx_err *err),
    struct ctx_err *err)
{
	session_fn = fn;
	return cli_listed(list, without_seq, err);
}

#define PARAMS_MAX ((size_t)16 << 20)

int
cli_read_params(
    const char *path, struct ctx_buf *text, struct ctx_span *params, struct ctx_err *err)
{
	*params = CTX_SPAN_NONE;
	if (path == NULL)
		return 0;
	if (ctx_io_read_file(path, text, PARAMS_MAX, err) < 0)
		return -1;
	if (ctx_json_check(ctx_buf_span(text), params, NULL, err) < 0)
		return ctx_err_prefix(err, "%s", path);
	if (ctx_json_type(*params) != CTX_JSON_OBJECT)
		return ctx_err_set(err, CTX_EINPUT, "%s: not a JSON object", path);
	return 0;
}

#define SESSION_PAGE 64

int
cli_each_session(struct ctx_store *st, struct ctx_session_filter *f,
    int (*fn)(const struct ctx_session *s, struct ctx_err *err), struct ctx_err *err)
{
	struct ctx_session page[SESSION_PAGE];
	int n = SESSION_PAGE, rc = 0;

	for (int i = 0; i < SESSION_PAGE; i++)
		ctx_session_init(&page[i]);
	while (rc == 0 && n == SESSION_PAGE) {
		n = ctx_store_session_list(st, f, page, SESSION_PAGE, err);
		for (int i = 0; i < n; i++) {
			if (rc == 0)
				rc = see_tenant(
				    page[i].tenant_id != NULL ? page[i].tenant_id : "",
				    err);
			if (rc == 0)
				rc = fn(&page[i], err);
			f->after_no = page[i].no;
			ctx_session_release(&page[i]);
		}
		if (n < 0)
			rc = -1;
		see_tenant(NULL, err);
	}
	return rc;
}

/* ---- what most commands open ---- */

static int
sync_mode(enum ctx_sync *out, struct ctx_err *err)
{
	static const char *const names[] = {"full", "normal", "off"};

	*out = CTX_SYNC_FULL;
	if (cli_common.sync == NULL)
		return 0;
	for (int i = 0; i < 3; i++)
		if (strcmp(cli_common.sync, names[i]) == 0) {
			*out = (enum ctx_sync)i;
			return 0;
		}
	return ctx_err_set(
	    err, CTX_EUSAGE, "--sync: '%s' is not full, normal or off", cli_common.sync);
}

static int
store_path(struct ctx_buf *path, struct ctx_err *err)
{
	const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");

	if (cli_common.store != NULL)
		ctx_buf_adds(path, cli_common.store);
	else if (data != NULL && data[0] == '/')
		ctx_buf_addf(path, "%s/ctx/ctx.db", data);
	else if (home != NULL && home[0] != '\0')
		ctx_buf_addf(path, "%s/.local/share/ctx/ctx.db", home);
	else
		return ctx_err_set(
		    err, CTX_EUSAGE, "no store: set CTX_STORE or HOME, or give --store");
	return 0;
}

int
cli_store_exists(struct ctx_err *err)
{
	struct ctx_buf path = CTX_BUF_INIT;
	int rc = store_path(&path, err);

	if (rc == 0)
		rc = access(path.p, F_OK) == 0 || errno != ENOENT;
	ctx_buf_release(&path);
	return rc;
}

int
cli_store_open(struct ctx_store **out, bool create, bool bulk, struct ctx_err *err)
{
	struct ctx_store_options o = {.tenant = cli_common.tenant,
	    .busy_ms = cli_common.busy_timeout,
	    .create = create,
	    .bulk = bulk,
	    .times = cli_store_times()};
	struct ctx_buf path = CTX_BUF_INIT;
	int rc = -1;

	*out = NULL;
	if (sync_mode(&o.sync, err) == 0 && store_path(&path, err) == 0) {
		int64_t begun = cli_phase_begin();
		o.path = path.p;
		rc = ctx_store_open(out, &o, err);
		opened = *out;
		cli_phase_end(CLI_PHASE_OPEN, begun);
	}
	ctx_buf_release(&path);
	return rc;
}

/* What ctx-count --calibrate found belongs into calibration.ndjson, beside config.json. */
static int
tokenizer_of_model(struct ctx_buf *name, const char *model, struct ctx_err *err)
{
	struct ctx_buf path = CTX_BUF_INIT, text = CTX_BUF_INIT;
	int rc = 0;

	config_path(&path, "calibration.ndjson");
	if (path.n > 0)
		rc = ctx_io_read_file(path.p, &text, (size_t)1 << 20, err);
	if (rc == 0)
		ctx_tokenizer_for_model(name, model, ctx_buf_span(&text));
	ctx_buf_release(&path);
	ctx_buf_release(&text);
	return rc;
}

int
cli_tokenizer_open(struct ctx_tokenizer **out, struct ctx_err *err)
{
	const char *dir = getenv("CTX_TOKENIZER_DIR"), *name = cli_common.tokenizer;
	struct ctx_buf found = CTX_BUF_INIT;
	int rc = 0;

	if (strncmp(name, "auto:", 5) == 0) {
		rc = tokenizer_of_model(&found, name + 5, err);
		name = found.p;
	}
	if (rc == 0)
		rc = ctx_tokenizer_open(
		    out, name, dir != NULL && *dir != '\0' ? dir : CTX_TOKENIZERS, err);
	ctx_buf_release(&found);
	return rc;
}

int
cli_session_find(struct ctx_store *st, const char *session_id, struct ctx_session *out,
    struct ctx_err *err)
{
	int rc = ctx_store_session_find(st, session_id, out, err);

	if (rc == 0)
		return ctx_err_set(err, CTX_EANSWER, "no session '%s'", session_id);
	return rc < 0 ? -1 : 0;
}

int
cli_provider(int *out, bool required, struct ctx_err *err)
{
	*out = -1;
	if (cli_common.provider == NULL) {
		if (required)
			return ctx_err_set(err, CTX_EUSAGE,
			    "which provider? (-p or CTX_PROVIDER: openai, anthropic, "
			    "gemini or responses)");
		return 0;
	}
	*out = ctx_provider_parse(cli_common.provider);
	if (*out < 0)
		return ctx_err_set(err, CTX_EUSAGE,
		    "unknown provider '%s' (openai, anthropic, gemini or responses)",
		    cli_common.provider);
	return 0;
}

const struct cli_action *
cli_action(const struct cli_action actions[], int argc, char **argv, struct ctx_err *err)
{
	for (size_t i = 0; argc > 0 && actions[i].name != NULL; i++)
		if (strcmp(argv[0], actions[i].name) == 0)
			return &actions[i];
	ctx_err_set(err, CTX_EUSAGE, "what to do? (--help lists the actions)");
	return NULL;
}

void
cli_record_open(
    const char *kind, const char *session_id, const char *action, bool dry_run)
{
	struct ctx_buf *b = &cli_out.buf;

	ctx_json_put_open(b, '{');
	ctx_json_add_str(b, "kind", kind);
	ctx_json_add_str(b, "session_id", session_id);
	ctx_json_add_str(b, "action", action);
	if (dry_run)
		ctx_json_add_bool(b, "dry_run", true);
}

int
cli_record_close(struct ctx_err *err)
{
	ctx_json_put_close(&cli_out.buf, '}');
	ctx_buf_addc(&cli_out.buf, '\n');
	return cli_flush(err);
}
