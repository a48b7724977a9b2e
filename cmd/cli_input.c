/* Reads operands and stdin: lines, windows, and the sessions that they name. */
#include "cli.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "cli_options.h"
#include "json/json.h"
#include "record/record.h"
#include "record/stream.h"

#define BATCH 1000                   /* records stored in one transaction */
#define TRIM_BYTES ((size_t)1 << 20) /* bytes of a list before it is first trimmed */

/* Returns CTX_MAX_RECORD, which applies to all readers. ctx-append also has an option for
 * it. */
static size_t
max_record(void)
{
	const char *env = getenv("CTX_MAX_RECORD");
	int64_t v;

	if (env == NULL || *env == '\0' || cli_parse_int(&v, env, NULL) < 0 || v == 0)
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

void
cli_note_terminal(void)
{
	static bool noted;

	if (!noted && isatty(STDIN_FILENO))
		cli_note("reading from the terminal (--help shows the usage)");
	noted = true;
}

static int input_fd = -1; /* descriptor of the operand being read, unless that is stdin */

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
	if (std && input_fd < 0)
		cli_note_terminal();
	in->reader = ctx_reader_new(
	    input_fd < 0 ? STDIN_FILENO : input_fd, std ? "stdin" : path, in->max_record);
	if (!in->is_list)
		cli_progress_files(in->argc, in->argv, in->next - 1,
		    input_fd < 0 ? STDIN_FILENO : input_fd);
	ctx_reader_allow(in->reader, CTX_READER_ENVELOPE);
	ctx_reader_spill(
	    in->reader, in->spill_fd, in->spill_name, in->before_spill, in->before_arg);
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
		if (rc == 1)
			cli_progress_line();
		if (rc != 0)
			return rc;
		/* keep the reader, which knows the line number */
		if (in->next == in->argc)
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

static bool
holds_messages(struct ctx_span line)
{
	struct ctx_span v;

	return line.n > 0 && line.p[0] == '{' &&
	       ctx_json_check(line, &v, NULL, NULL) == 0 &&
	       ctx_json_type(ctx_json_get(v, "messages")) == CTX_JSON_ARRAY;
}

void
cli_input_hint(const struct cli_input *in, struct ctx_err *err)
{
	const struct cli_option *session = cli_option_row("session");
	struct ctx_err told = *err;
	struct ctx_span line;

	if (in->reader == NULL || ctx_reader_line(in->reader) != 1 ||
	    err->code != CTX_EINPUT || strstr(err->msg, "(ctx-import ") != NULL)
		return; /* not the first line, or the message already has a hint */
	line = ctx_span_trim(ctx_reader_raw(in->reader));
	if (line.n > 0 && line.p[0] == '{' && line.p[line.n - 1] != '}')
		ctx_err_set(
		    err, told.code, "%s (jq -c . puts each value on one line)", told.msg);
	else if (holds_messages(line))
		ctx_err_set(err, told.code,
		    "%s (use ctx-import, or use jq -c '.messages[]' to put each message on its own line)",
		    told.msg);
	else if (line.n > 0 && line.p[0] == '[')
		ctx_err_set(err, told.code,
		    "%s (jq -c '.[]' puts each element of a list on a line)", told.msg);
	else if (line.n > 0 && isalpha((unsigned char)line.p[0]) && cli_has_option("raw"))
		ctx_err_set(err, told.code, "%s (--raw reads plain text)", told.msg);
	else if (line.n > 0 && isalnum((unsigned char)line.p[0]) && session != NULL &&
		 session->type == CLI_LIST)
		ctx_err_set(err, told.code,
		    "%s (-s - reads session ids from standard input)", told.msg);
}

int
cli_input_blame(const struct cli_input *in, struct ctx_err *err)
{
	cli_input_hint(in, err);
	if (in->reader != NULL)
		ctx_err_prefix(err, "%s:%ld", ctx_reader_name(in->reader),
		    ctx_reader_line(in->reader));
	return -1;
}

/* Like cli_input_blame, but only if the line was invalid and not if reading failed. */
static void
blame_line(const struct cli_input *in, struct ctx_err *err)
{
	if (err->code == CTX_EINPUT)
		cli_input_blame(in, err);
}

int
cli_each_line(int argc, char **argv, cli_read_fn *fn, void *arg, struct ctx_err *err)
{
	struct cli_input in;
	struct ctx_span line;
	int rc;

	cli_input_open(&in, argc, argv);
	while ((rc = cli_input_next(&in, &line, err)) == 1)
		if ((rc = fn(arg, &in, line, err)) < 0)
			break;
	if (rc < 0)
		blame_line(&in, err);
	cli_input_close(&in);
	return rc;
}

/* Commits and prints the records. If the commit fails, the records are not printed. */
static int
commit_input_batch(struct ctx_store *st, struct ctx_err *err)
{
	int rc = ctx_store_commit(st, err);

	if (rc < 0)
		ctx_buf_reset(&cli_out.buf);
	ctx_store_rollback(st);
	return rc == 0 ? cli_flush(err) : -1;
}

/* Reads one line and stores it. Returns 1, 0 at the end, -1 on error. *refused is set if
 * the line was refused; the records before it are then kept. */
static int
store_next(struct ctx_store *st, struct cli_input *in, bool begun, cli_line_fn *fn,
    void *arg, bool *refused, struct ctx_err *err)
{
	struct ctx_span line;
	int rc = cli_input_next(in, &line, err);

	*refused = rc < 0;
	if (rc <= 0)
		return rc;
	if (!begun && ctx_store_begin(st, err) < 0)
		return -1;
	if (fn(arg, st, line, err) < 0) {
		*refused = err->code == CTX_EINPUT || err->code == CTX_EANSWER;
		return -1;
	}
	return 1;
}

int
cli_input_store(struct ctx_store *st, struct cli_input *in, cli_line_fn *fn, void *arg,
    struct ctx_err *err)
{
	struct ctx_err failed = CTX_ERR_INIT;
	bool refused = false;
	int n = 0, rc;

	while ((rc = store_next(st, in, n > 0, fn, arg, &refused, err)) == 1) {
		if (++n < BATCH && ctx_reader_ready(in->reader) &&
		    !ctx_reader_ended(in->reader))
			continue;
		n = 0;
		if (commit_input_batch(st, err) < 0)
			return -1;
	}
	if (rc < 0 && refused)
		cli_input_blame(in, err);
	if (rc < 0 && !refused)
		ctx_buf_reset(&cli_out.buf);
	else if (n > 0 && commit_input_batch(st, rc < 0 ? &failed : err) < 0)
		rc = -1;
	ctx_store_rollback(st);
	if (failed.code != CTX_OK)
		*err = failed;
	return rc;
}

/* Returns the tenant that a record states, as a heap string: "" if its session has no
 * tenant. Returns NULL if it states none, as a record with just a session id does. */
static char *
record_tenant(const struct ctx_record *r)
{
	struct ctx_span tenant = ctx_json_get(r->line, "tenant_id");

	if (r->kind != CTX_KIND_SESSION && r->kind != CTX_KIND_REQUEST)
		return NULL;
	if (ctx_json_type(tenant) == CTX_JSON_STRING)
		return ctx_json_strdup(tenant);
	if (r->kind == CTX_KIND_REQUEST)
		return NULL;
	return ctx_json_find(r->line, "created_at").p != NULL ? ctx_mem_str("") : NULL;
}

static struct cli_input *windows_input;

bool
cli_windows_ended(void *unused CTX_UNUSED)
{
	const struct cli_input *in = windows_input;

	return in == NULL || ((in->reader == NULL || ctx_reader_ended(in->reader)) &&
				 in->next >= in->argc);
}

int
cli_windows(struct ctx_store *st, int argc, char **argv, cli_stream_fn *fn, void *arg,
    struct ctx_err *err)
{
	return cli_windows_trimmed(st, argc, argv, fn, NULL, arg, err);
}

/* Restricts the store to the tenant of the window's session record, and calls fn. */
static int
call_for_window(struct ctx_store *st, struct ctx_stream *in, cli_stream_fn *fn, void *arg,
    struct ctx_err *err)
{
	char *tenant = NULL;
	int rc;

	for (size_t i = 0; i < in->n && tenant == NULL; i++)
		tenant = record_tenant(&in->records[i]);
	rc = cli_see_tenant(st, tenant, err);
	if (rc == 0)
		rc = fn(arg, in, err);
	free(tenant);
	return rc;
}

/* Trims the list whenever it has doubled in size, so that each record is examined only a
 * few times. */
static int
trim_list(struct ctx_stream *in, cli_stream_fn *trim, void *arg, size_t *limit,
    struct ctx_err *err)
{
	if (trim == NULL || in->window || in->arena.used < *limit)
		return 0;
	if (trim(arg, in, err) < 0)
		return -1;
	*limit = TRIM_BYTES + 2 * in->arena.used;
	return 0;
}

int
cli_windows_trimmed(struct ctx_store *st, int argc, char **argv, cli_stream_fn *fn,
    cli_stream_fn *trim, void *arg, struct ctx_err *err)
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
			rc = call_for_window(st, &stream, fn, arg, err);
			ctx_stream_reset(&stream);
		} else {
			rc = trim_list(&stream, trim, arg, &limit, err);
		}
		if (rc < 0)
			goto done;
	}
	if (rc < 0)
		blame_line(&in, err);
	else
		rc = ctx_stream_end(&stream, err);
	if (rc == 1)
		rc = call_for_window(st, &stream, fn, arg, err);
done:
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

	cli_note_terminal();
	while (poll(&p, 1, -1) < 0 && errno == EINTR)
		continue;
	cli_phase_end(CLI_PHASE_INPUT, begun);
}

/* The session named by the current line; before that, by the previous line. */
struct named {
	char *session_id, *tenant; /* tenant: as from record_tenant */
	int64_t last_seq;
};

static bool
is_last_input_session(const struct named *last, struct ctx_span sid, const char *tenant)
{
	return last->session_id != NULL && ctx_json_is(sid, last->session_id) &&
	       (tenant == NULL || last->tenant == NULL ||
		   strcmp(tenant, last->tenant) == 0);
}

/* Returns whether the record is one of those that belong to a window or an export without
 * naming their session. */
static bool
goes_with_session(const struct ctx_record *r)
{
	return r->kind == CTX_KIND_MESSAGE || r->kind == CTX_KIND_REQUEST ||
	       r->kind == CTX_KIND_ENTITY || r->kind == CTX_KIND_ITEM ||
	       r->kind == CTX_KIND_EVENT || r->kind == CTX_KIND_DIAGNOSTIC;
}

/* Parses a line that is not a record: a session id as ctx-list -1 prints it, or as a JSON
 * string. Returns 1 if it is another id than that of the previous line, 0 if not, -1 on
 * error. */
static int
next_id(
    struct ctx_store *st, struct ctx_span line, struct named *last, struct ctx_err *err)
{
	struct ctx_span v;
	char *id;

	line = ctx_span_trim(line);
	if (line.p[0] != '"') {
		id = ctx_span_dup(line);
	} else {
		if (ctx_json_check(line, &v, NULL, err) < 0)
			return -1;
		id = ctx_json_strdup(v);
	}
	if (last->session_id != NULL && strcmp(last->session_id, id) == 0) {
		free(id);
		return 0;
	}
	if (cli_check_id(id, "session id", err) < 0) {
		err->code = CTX_EINPUT;
		free(id);
		return -1;
	}
	free(last->session_id);
	free(last->tenant);
	*last = (struct named){id, NULL, -1};
	return cli_see_tenant(st, NULL, err) < 0 ? -1 : 1;
}

/* Returns 1 if the line names another session than the previous one, 0 if not, -1 on
 * error. */
static int
next_session(
    struct ctx_store *st, struct ctx_span line, struct named *last, struct ctx_err *err)
{
	struct ctx_record r;
	char *tenant;

	if (line.p[0] != '{' && line.p[0] != '[')
		return next_id(st, line, last, err);
	if (ctx_record_parse(&r, line, err) < 0)
		return -1;
	if (r.kind == CTX_KIND_OTHER)
		r.session_id = ctx_json_get(r.line, "session_id");
	if (ctx_json_type(r.session_id) != CTX_JSON_STRING ||
	    !ctx_json_is_text(r.session_id))
		return last->session_id != NULL && goes_with_session(&r)
			   ? 0
			   : ctx_err_set(err, CTX_EINPUT,
				 "session_id is missing or is not a string");
	tenant = record_tenant(&r);
	if (is_last_input_session(last, r.session_id, tenant)) {
		free(tenant);
		return 0;
	}
	free(last->session_id);
	free(last->tenant);
	last->session_id = ctx_json_strdup(r.session_id);
	last->tenant = tenant;
	if ((r.kind != CTX_KIND_SESSION && !r.kindless) ||
	    !ctx_json_int(ctx_json_get(r.line, "last_seq"), &last->last_seq))
		last->last_seq = -1;
	return cli_see_tenant(st, last->tenant, err) < 0 ? -1 : 1;
}

/* Ends the last group. Its sessions are committed even if the list ended with an
 * error. */
static int
end_last_group(cli_group_fn *end_group, void *arg, int rc, struct ctx_err *err)
{
	struct ctx_err failed = CTX_ERR_INIT;

	if (end_group == NULL || end_group(arg, rc < 0 ? &failed : err) == 0)
		return rc;
	if (failed.code != CTX_OK)
		*err = failed;
	return -1;
}

/* Computes the progress of a list from a pipe. The number of lines is known once the
 * writer has ended. Reads ahead only if progress is shown. */
static void
note_list_progress(struct cli_input *in, long *total)
{
	if (*total < 0 && cli_progress_wanted()) {
		long left = ctx_reader_left(in->reader);
		if (left >= 0)
			*total = ctx_reader_line(in->reader) + left;
	}
	if (*total > 0)
		cli_progress_part((double)ctx_reader_line(in->reader) / (double)*total);
}

static int
each_listed(struct ctx_store *st, struct cli_input *in, cli_listed_fn *fn,
    cli_group_fn *end_group, void *arg, struct ctx_err *err)
{
	struct named last = {NULL, NULL, -1};
	struct ctx_span line;
	int64_t skipped = 0;
	long total = -1;
	int n = 0, rc;

	while ((rc = cli_input_next(in, &line, err)) == 1) {
		bool listed;
		rc = next_session(st, line, &last, err);
		if (rc >= 0)
			note_list_progress(in, &total);
		listed = rc == 1;
		if (rc < 0)
			cli_input_blame(in, err);
		else if (listed)
			rc = fn(arg,
			    &(struct cli_listed){
				last.session_id, last.tenant, last.last_seq},
			    err);
		if (rc < 0 && listed && end_group == NULL)
			rc = cli_skip_missing(st, last.session_id, &skipped, err);
		if (rc == 0 && end_group != NULL &&
		    (++n % CLI_GROUP == 0 || !ctx_reader_ready(in->reader)))
			rc = end_group(arg, err);
		if (rc < 0)
			goto done;
	}
	if (rc < 0)
		blame_line(in, err);
	else if (skipped > 0)
		rc = ctx_err_set(err, CTX_EANSWER, "%lld session%s skipped",
		    (long long)skipped, CTX_PLURAL(skipped));
done:
	free(last.session_id);
	free(last.tenant);
	return rc;
}

int
cli_sessions_in_groups(struct ctx_store *st, const struct cli_list *list,
    cli_listed_fn *fn, cli_group_fn *end_group, void *arg, struct ctx_err *err)
{
	bool stdin_too = list->n == 0;
	struct cli_input in;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < list->n; i++) {
		if (strcmp(list->v[i], "-") == 0)
			stdin_too = true;
		else
			rc = fn(arg, &(struct cli_listed){list->v[i], NULL, -1}, err);
		cli_progress_part((double)(i + 1) / (double)list->n);
		if (rc == 0 && end_group != NULL && (i + 1) % CLI_GROUP == 0)
			rc = end_group(arg, err);
	}
	if (rc == 0 && stdin_too) {
		cli_input_open(&in, 0, NULL);
		in.is_list = true;
		rc = each_listed(st, &in, fn, end_group, arg, err);
		cli_input_close(&in);
	}
	rc = end_last_group(end_group, arg, rc, err);
	cli_see_tenant(st, NULL, err);
	return rc;
}

int
cli_sessions(struct ctx_store *st, const struct cli_list *list, cli_listed_fn *fn,
    void *arg, struct ctx_err *err)
{
	return cli_sessions_in_groups(st, list, fn, NULL, arg, err);
}

struct session_walk {
	struct ctx_store *st;
	cli_session_fn *fn;
	void *arg;
	int64_t last;
	bool live;
};

static int
visit_named(void *arg, const struct cli_listed *listed, struct ctx_err *err)
{
	const struct session_walk *w = arg;
	struct ctx_session s = CTX_SESSION_INIT;
	int rc = (w->live ? cli_session_open : cli_session_find)(
	    w->st, listed->session_id, &s, err);

	if (rc == 0)
		rc = w->fn(w->arg, &s, err);
	ctx_session_release(&s);
	return rc;
}

int
cli_named_sessions(struct ctx_store *st, const struct cli_list *given, bool live,
    cli_session_fn *fn, void *arg, struct ctx_err *err)
{
	struct session_walk w = {st, fn, arg, 0, live};

	return cli_sessions(st, given, visit_named, &w, err);
}

static int
visit_of_tenant(void *arg, struct ctx_session *s, struct ctx_err *err)
{
	const struct session_walk *w = arg;
	int rc = cli_see_tenant(w->st, s->tenant_id != NULL ? s->tenant_id : "", err);

	cli_progress_part((double)s->order / (double)w->last);
	if (rc == 0)
		rc = w->fn(w->arg, s, err);
	cli_see_tenant(w->st, NULL, err);
	return rc;
}

int
cli_each_session(struct ctx_store *st, struct ctx_session_filter *f, cli_session_fn *fn,
    void *arg, struct ctx_err *err)
{
	struct session_walk w = {st, fn, arg, 0, false};
	int rc = ctx_store_session_last(st, &w.last, err);

	return rc == 0 ? ctx_store_each_session(st, f, visit_of_tenant, &w, err) : rc;
}
