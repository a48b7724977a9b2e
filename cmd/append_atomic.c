/* --atomic: stores the whole input in one transaction. The input is copied to a temporary
 * file first, because no lock may be held while the command waits for input;
 * acknowledgments are kept in a file until the commit. */
#include "append.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "json/json.h"

/* Moves the acknowledgments so far from memory to the temporary file. */
static int
spool_acknowledgements(int fd, struct ctx_err *err)
{
	int rc = 0;

	if (!cli_common.quiet)
		rc = ctx_io_write(fd, cli_out.buf.p, cli_out.buf.n, "the spool", err);
	ctx_buf_reset(&cli_out.buf);
	return rc;
}

static int
apply_all(struct appending *app, int acks, struct ctx_err *err)
{
	int rc;

	while ((rc = take_line(app, err)) == 1) {
		if (!ctx_append_full(&app->appender))
			continue;
		rc = ctx_append_apply(
		    &app->appender, app->store, &cli_out.buf, refuse_pending, app, err);
		if (rc == 0)
			rc = spool_acknowledgements(acks, err);
		if (rc != 0)
			return -1;
	}
	if (rc < 0 ||
	    ctx_append_apply(&app->appender, app->store, &cli_out.buf, refuse_pending,
		app, err) != 0 ||
	    ctx_append_finish(&app->appender, app->store, err) < 0)
		return -1;
	return ctx_store_commit(app->store, err);
}

/* Reads the input once to restore the sessions that it names, and rewinds the temporary
 * files. */
static int
resume_input(struct appending *app, struct ctx_err *err)
{
	struct cli_input in;
	struct ctx_err bad = CTX_ERR_INIT;
	struct ctx_span line;
	struct ctx_record r;
	char *sid;
	int rc = 0;

	if (!app->opt.resume || app->opt.session != NULL)
		return 0;
	cli_input_open(&in, app->input.argc, app->input.argv);
	in.max_record = app->input.max_record;
	in.fds = ctx_mem_new((size_t)in.argc * sizeof(*in.fds));
	for (int i = 0; i < in.argc; i++)
		in.fds[i] = app->input.fds[i] < 0 ? -1 : dup(app->input.fds[i]);
	/* invalid lines are reported when they are read again */
	while (rc == 0 && cli_input_next(&in, &line, &bad) == 1) {
		if (ctx_record_parse(&r, line, &bad) < 0)
			continue;
		sid = r.kind == CTX_KIND_MESSAGE ? ctx_json_strdup(r.session_id) : NULL;
		rc = resume_named(app, sid, err);
		free(sid);
	}
	cli_input_close(&in);
	for (int i = 0; i < app->input.argc; i++)
		if (app->input.fds[i] >= 0)
			lseek(app->input.fds[i], 0, SEEK_SET);
	forget_resumed(app);
	return rc;
}

int
append_atomic(struct appending *app, struct ctx_err *err)
{
	static char chunk[65536];
	int acks = -1, rc = -1;
	long n;

	if (cli_input_spool(&app->input, err) < 0 || resume_input(app, err) < 0)
		goto done;
	acks = cli_spool_new(err);
	if (acks < 0 || ctx_store_begin(app->store, err) < 0)
		goto done;
	rc = apply_all(app, acks, err);
	ctx_store_rollback(app->store);
	if (rc < 0) {
		ctx_buf_reset(&cli_out.buf);
		goto done;
	}
	lseek(acks, 0, SEEK_SET);
	{
		struct ctx_buf tail = cli_out.buf;
		cli_out.buf = (struct ctx_buf)CTX_BUF_INIT;
		while ((n = ctx_io_read(acks, chunk, sizeof(chunk))) > 0) {
			ctx_buf_add(&cli_out.buf, chunk, (size_t)n);
			acknowledge(app);
		}
		ctx_buf_addspan(&cli_out.buf, ctx_buf_span(&tail));
		ctx_buf_release(&tail);
	}
	acknowledge(app);
done:
	if (acks >= 0)
		close(acks);
	return rc;
}
