#include "cli.h"

#include "json/json.h"
#include "model/model.h"

static struct cli_option options[] = {
    CLI_END,
};

static struct ctx_buf table = CTX_BUF_INIT; /* the user's model table */

/* Prints the row of each named model. The exit status is 1 if one is unknown. */
static int
print_named_models(int argc, char **argv, struct ctx_err *err)
{
	int unknown = 0;

	for (int i = 0; i < argc; i++) {
		struct ctx_model m;
		if (!ctx_model_find(&m, ctx_span_of(argv[i]), ctx_buf_span(&table))) {
			cli_warn("the model table has no row for '%s'", argv[i]);
			unknown++;
			continue;
		}
		ctx_json_print(&cli_out.buf, "{'model':%s", argv[i]);
		ctx_buf_addc(&cli_out.buf, ',');
		ctx_json_minify(
		    (struct ctx_span){m.row.p + 1, m.row.n - 1}, &cli_out.buf);
		ctx_buf_addc(&cli_out.buf, '\n');
	}
	return cli_flush(err) < 0 ? -1 : unknown > 0;
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	int rc = cli_models_read("models.ndjson", &table, err);

	if (rc == 0 && argc > 0) {
		rc = print_named_models(argc, argv, err);
	} else if (rc == 0) {
		ctx_models_print(&cli_out.buf, ctx_buf_span(&table));
		rc = cli_flush(err);
	}
	ctx_buf_release(&table);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-models",
    .synopsis = "[MODEL ...]",
    .about = "Prints what ctx knows about each model, or about the named models.",
    .options = options,
    .run = run,
};

CLI_MAIN(command)
