#include "cli.h"

#include "store/export.h"
#include "store/purge.h"

static struct {
	struct cli_list session;
} opt;

static struct cli_option options[] = {
    {"session", 's', "SID", "the session (repeatable); else those of the records read",
	CLI_LIST, &opt.session, NULL},
    CLI_STORE_OPTIONS,
    CLI_END,
};

static struct ctx_store *store;

static int
print(void *arg, enum ctx_kind kind, struct ctx_span line, struct ctx_err *err)
{
	(void)arg;
	(void)kind;
	ctx_buf_addspan(&cli_out.buf, line);
	return cli_flush_some(err);
}

/* Messages that are in the archive alone are read there. */
static int
print_messages(struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_store *archived = NULL;
	int rc = 0;

	if (ctx_archive_cleaned(s))
		rc = cli_archived_open(&archived, s, err);
	if (rc == 0)
		rc = ctx_store_export(archived != NULL ? archived : store, s, CTX_EXPORT_MESSAGES, print,
		    NULL, err);
	ctx_store_close(archived);
	return rc;
}

static int
show(const char *session_id, struct ctx_err *err)
{
	struct ctx_session s;
	int64_t no = 0;
	int rc;

	ctx_session_init(&s);
	rc = cli_session_find(store, session_id, &s, err);
	if (rc == 0 && s.status == CTX_STATUS_DELETED)
		rc = ctx_err_set(err, CTX_EANSWER, "session '%s' is deleted", session_id);
	if (rc == 0) {
		no = s.no;
		rc = ctx_store_export(store, &s, CTX_EXPORT_SESSION, print, NULL, err);
	}
	if (rc == 0)
		rc = print_messages(&s, err);
	if (rc == 0) {
		s.no = no;
		rc = ctx_store_export(store, &s, CTX_EXPORT_RECORDS, print, NULL, err);
	}
	if (rc == 0)
		rc = cli_flush(err);
	ctx_session_release(&s);
	return rc;
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	int rc;

	if (cli_no_operands(argc, argv, err) < 0)
		return -1;
	if (opt.session.n == 0)
		cli_input_wait();
	if (cli_store_open(&store, false, false, err) < 0)
		return -1;
	rc = cli_sessions(&opt.session, show, err);
	ctx_store_close(store);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-show",
    .synopsis = "[-s SID] [OPTION ...]",
    .about = "Prints everything about sessions: their records, messages, requests and events.",
    .options = options,
    .run = run,
};

int
main(int argc, char **argv)
{
	return cli_main(&command, argc, argv);
}
