/* How tokens are counted: by the tokenizer that was named, in the tokens of the model that the
 * request goes to. */
#include "cli.h"

#include <stdlib.h>
#include <string.h>

#include "base/io.h"
#include "base/mem.h"
#include "cli_options.h"
#include "json/json.h"

#define CALIBRATION_MAX ((size_t)1 << 20)

/* What models cost: learned factors, and the user's rows of the model table. */
static struct {
	struct ctx_buf calibration, models;
	bool read;
} costs;

/* The text of calibration.ndjson, which is beside config.json. */
static int
read_calibration(struct ctx_buf *text, struct ctx_err *err)
{
	struct ctx_buf path = CTX_BUF_INIT;
	int rc = cli_config_path(&path, "calibration.ndjson", err);

	if (rc == 1)
		rc = ctx_io_read_found(path.p, text, CALIBRATION_MAX, err);
	ctx_buf_release(&path);
	return rc < 0 ? -1 : 0;
}

static int
read_model_costs(struct ctx_err *err)
{
	if (costs.read)
		return 0;
	if (read_calibration(&costs.calibration, err) < 0 ||
	    cli_models_read("models.ndjson", &costs.models, err) < 0)
		return -1;
	costs.read = true;
	return 0;
}

int
cli_tokenizer_open(struct ctx_tokenizer **out, struct ctx_err *err)
{
	const char *dir = getenv("CTX_TOKENIZER_DIR"), *name = cli_common.tokenizer;
	struct ctx_buf found = CTX_BUF_INIT;
	bool chosen = strncmp(name, "auto:", 5) == 0;
	int rc = 0;

	if (chosen) {
		rc = read_model_costs(err);
		if (rc == 0)
			ctx_tokenizer_for_model(&found, name + 5,
			    ctx_buf_span(&costs.calibration),
			    ctx_buf_span(&costs.models));
		name = found.p;
	}
	if (rc == 0)
		rc = ctx_tokenizer_open(
		    out, name, dir != NULL && *dir != '\0' ? dir : CTX_TOKENIZERS, err);
	if (rc < 0 && chosen &&
	    (err->code == CTX_EIO ||
		err->code == CTX_EUSAGE)) { /* nobody asked for the table */
		cli_warn("%s: token counts are estimates (--tokenizer approx)", err->msg);
		*err = (struct ctx_err)CTX_ERR_INIT;
		rc = ctx_tokenizer_open(out, "approx", NULL, err);
	}
	ctx_buf_release(&found);
	return rc;
}

/* Whoever names a tokenizer on the command line, or one with a factor, gets its counts. */
static bool
is_tokenizer_settled(void)
{
	return cli_flagged(&cli_common.tokenizer) ||
	       !ctx_tokenizer_is_scalable(cli_common.tokenizer);
}

int
cli_tokenizer_model(struct ctx_tokenizer *t, struct ctx_span model, struct ctx_err *err)
{
	struct ctx_buf name = CTX_BUF_INIT, text = CTX_BUF_INIT;
	int rc = 0;

	if (is_tokenizer_settled())
		return 0;
	if (ctx_json_is_text(model)) {
		ctx_json_decode(model, &text);
		rc = read_model_costs(err);
	}
	if (rc == 0 && text.n > 0)
		ctx_tokenizer_scaled_name(&name, cli_common.tokenizer, text.p,
		    ctx_buf_span(&costs.calibration), ctx_buf_span(&costs.models));
	else
		ctx_buf_adds(&name, cli_common.tokenizer);
	if (rc == 0 && ctx_tokenizer_rescale(t, name.p) && cli_common.verbose &&
	    strcmp(name.p, cli_common.tokenizer) != 0)
		cli_warn("tokens are counted for %s with %s", text.p, name.p);
	ctx_buf_release(&name);
	ctx_buf_release(&text);
	return rc;
}

void
cli_tokenizer_follow(struct ctx_tokenizer *t, const char *recorded)
{
	if (is_tokenizer_settled())
		return;
	if (recorded == NULL || !ctx_tokenizer_rescale(t, recorded))
		ctx_tokenizer_rescale(t, cli_common.tokenizer);
}

int
cli_tokenizer_request(struct ctx_tokenizer *t, struct ctx_span params,
    const struct ctx_request *q, struct ctx_err *err)
{
	struct ctx_span model = ctx_json_get(params, "model");

	if (q->tokenizer == NULL || ctx_json_is_text(model))
		return cli_tokenizer_model(t, model, err);
	cli_tokenizer_follow(t, q->tokenizer);
	return 0;
}

void
cli_tokenizer_note(const struct ctx_tokenizer *t, struct ctx_request *q)
{
	free(q->tokenizer);
	q->tokenizer = ctx_mem_str(ctx_tokenizer_name(t));
}

int
cli_tokenizer_session(struct ctx_tokenizer *t, struct ctx_span params,
    struct ctx_store *st, const char *session_id, struct ctx_err *err)
{
	struct ctx_span model = ctx_json_get(params, "model");
	struct ctx_buf last = CTX_BUF_INIT;
	struct ctx_session s = CTX_SESSION_INIT;
	int rc = 0;

	if (is_tokenizer_settled())
		return 0;
	if (!ctx_json_is_text(model)) {
		rc = ctx_store_session_find(st, session_id, &s, err);
		if (rc == 1)
			rc = ctx_store_last_model(st, &s, NULL, &last, err);
		model = ctx_buf_span(&last);
	}
	if (rc >= 0)
		rc = cli_tokenizer_model(t, model, err);
	ctx_session_release(&s);
	ctx_buf_release(&last);
	return rc < 0 ? -1 : 0;
}
