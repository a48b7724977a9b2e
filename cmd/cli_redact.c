/* Removes secrets, for commands that have --redact. */
#include "base/io.h"
#include "cli.h"
#include "cli_options.h"
#include "json/json.h"
#include "redact/redact.h"

#define RULES_MAX ((size_t)1 << 20)

static struct ctx_redact *engine;
static struct ctx_buf redacted;

static int
add_redact_rules(struct ctx_redact *r, const char *path, struct ctx_err *err)
{
	struct ctx_buf text = CTX_BUF_INIT;
	int rc = ctx_io_read_file(path, &text, RULES_MAX, err);

	if (rc == 0 && ctx_redact_add(r, ctx_buf_span(&text), err) < 0) {
		err->code = CTX_EUSAGE;
		rc = ctx_err_prefix(err, "%s", path);
	}
	ctx_buf_release(&text);
	return rc;
}

int
cli_redact_open(struct ctx_redact **out, struct ctx_err *err)
{
	struct ctx_buf path = CTX_BUF_INIT;
	int rc = 0;

	if (engine == NULL) {
		engine = ctx_redact_new();
		rc = cli_config_path(&path, "redact.rules", err);
		if (rc == 1)
			rc = add_redact_rules(engine, path.p, err);
		if (rc == 0 && cli_common.redact_rules != NULL)
			rc = add_redact_rules(engine, cli_common.redact_rules, err);
		ctx_buf_release(&path);
	}
	*out = engine;
	return rc;
}

int
cli_redact_start(struct ctx_err *err)
{
	struct ctx_redact *r;

	if (!cli_common.redact)
		return cli_check_needs(&cli_common.redact_rules, false, "--redact", err);
	return cli_redact_open(&r, err);
}

int
cli_redact_json(struct ctx_span *json, struct ctx_err *err)
{
	struct ctx_err bad = CTX_ERR_INIT;
	struct ctx_span value;
	struct ctx_redact *r;

	if (!cli_common.redact || ctx_json_check(*json, &value, NULL, &bad) < 0)
		return 0;
	if (cli_redact_open(&r, err) < 0)
		return -1;
	ctx_buf_reset(&redacted);
	if (ctx_redact_json(r, value, &redacted, NULL, NULL) > 0)
		*json = ctx_buf_span(&redacted);
	return 0;
}
