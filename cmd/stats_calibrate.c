/* ctx-stats --calibrate: computes the factor of each model from the usage of stored
 * answers. */
#include "stats.h"

#include <string.h>

#include "base/io.h"
#include "cli_options.h"
#include "json/json.h"
#include "tokens/calibrate.h"

#define CALIBRATION_MAX ((size_t)1 << 20)

struct learn {
	struct ctx_store *store;
	struct ctx_calibration *calibration;
	const struct ctx_session *session;
};

/* A ctx_store_message_fn. arg is a struct ctx_buf, which gets the model of the answer
 * (JSON). */
static int
take_answer_model(void *arg, const struct ctx_stored *m, struct ctx_err *err CTX_UNUSED)
{
	struct ctx_span model = ctx_json_get(m->metadata, "model");

	if (ctx_json_type(model) == CTX_JSON_STRING)
		ctx_buf_addspan(arg, model);
	return 0;
}

static int
learn_stored_request(
    void *arg, struct ctx_span record, int64_t response_seq, struct ctx_err *err)
{
	struct learn *l = arg;
	struct ctx_buf model = CTX_BUF_INIT;
	bool named = ctx_json_type(ctx_json_get(
			 ctx_json_get(record, "params"), "model")) == CTX_JSON_STRING;
	int rc = 0;

	if (response_seq <= 0)
		return 0;
	if (!named)
		rc = ctx_store_messages(l->store, l->session, response_seq, response_seq,
		    take_answer_model, &model, err);
	if (rc >= 0)
		rc = ctx_calibration_request(l->calibration, record,
		    model.n > 0 ? ctx_buf_span(&model) : CTX_SPAN_NONE, err);
	ctx_buf_release(&model);
	return rc < 0 ? -1 : 0;
}

static int
learn_session(void *arg, const struct ctx_session *s, struct ctx_err *err)
{
	struct learn *l = arg;

	l->session = s;
	return ctx_store_requests_stored(l->store, s, learn_stored_request, l, err) < 0
		   ? -1
		   : 0;
}

/* Keeps the lines of the file that were not learned, before the new ones. */
static int
keep_lines(const char *path, struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_span value;
	int rc = ctx_io_read_found(path, &text, CALIBRATION_MAX, err);
	struct ctx_span rest = ctx_buf_span(&text);

	while (rc == 0 && ctx_span_trim(rest).n > 0) {
		rc = ctx_json_check_next(rest, &value, &rest, err);
		if (rc == 0 && !ctx_json_true(ctx_json_get(value, "learned"))) {
			ctx_json_minify(value, out);
			ctx_buf_addc(out, '\n');
		}
	}
	ctx_buf_release(&text);
	return rc < 0 ? ctx_err_prefix(err, "%s", path) : 0;
}

static int
write_calibration(struct ctx_span learned, struct ctx_err *err)
{
	struct ctx_buf path = CTX_BUF_INIT, text = CTX_BUF_INIT;
	char *slash;
	int rc = cli_config_path(&path, "calibration.ndjson", err);

	if (rc == 1)
		rc = keep_lines(path.p, &text, err);
	else if (rc == 0 && cli_config_place(&path, "calibration.ndjson") == NULL)
		rc = ctx_err_set(
		    err, CTX_EUSAGE, "--calibrate needs HOME or XDG_CONFIG_HOME");
	if (rc == 0) {
		slash = strrchr(path.p, '/');
		*slash = '\0';
		rc = ctx_io_make_dirs(path.p, false, err);
		*slash = '/';
	}
	ctx_buf_addspan(&text, learned);
	if (rc == 0)
		rc = ctx_io_replace_file(path.p, text.p, text.n, err);
	ctx_buf_release(&path);
	ctx_buf_release(&text);
	return rc;
}

int
stats_calibrate(
    struct ctx_store *store, struct ctx_session_filter *which, struct ctx_err *err)
{
	struct learn l = {store, ctx_calibration_new(NULL), NULL};
	struct ctx_buf lines = CTX_BUF_INIT;
	int rc = cli_each_session(store, which, learn_session, &l, err);

	if (rc == 0) {
		ctx_calibration_print(l.calibration, true, &lines);
		rc =
		    lines.n > 0
			? write_calibration(ctx_buf_span(&lines), err)
			: ctx_err_set(err, CTX_EANSWER,
			      "no stored answer has reported token usage, which --calibrate needs");
	}
	if (rc == 0) {
		ctx_buf_addspan(&cli_out.buf, ctx_buf_span(&lines));
		rc = cli_flush(err);
	}
	ctx_calibration_free(l.calibration);
	ctx_buf_release(&lines);
	return rc;
}
