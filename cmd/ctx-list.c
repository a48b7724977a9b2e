#include "cli_select.h"

static bool only_ids;

static struct cli_option options[] = {
    CLI_SELECT_OPTIONS,
    {"ids", '1', NULL, "print only session ids", CLI_FLAG, &only_ids, NULL},
    CLI_STORE_OPTIONS,
    CLI_END,
};

static int
print_listed_session(struct ctx_session *s, struct ctx_err *err CTX_UNUSED)
{
	if (only_ids)
		ctx_buf_addf(&cli_out.buf, "%s\n", s->session_id);
	else
		ctx_session_print(&cli_out.buf, s);
	return 0;
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	struct ctx_store *st;
	int rc;

	if (cli_no_operands(argc, argv, err) < 0 || cli_select_check(err) < 0 ||
	    cli_store_open(&st, 0, err) < 0)
		return -1;
	rc = cli_select_each(st, print_listed_session, err);
	ctx_store_close(st);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-list",
    .synopsis =
	"[-1a] [-u USER] [--status STATUS] [--idle TIME] [--expired] [OPTION ...]",
    .about = "Prints the records of the selected sessions, in order of creation.",
    .options = options,
    .init = cli_select_init,
    .run = run,
};

CLI_MAIN(command)
