/* ctx-render --batch: writes lines of a batch file. */
#include "render.h"

#include "base/io.h"
#include "json/json.h"

int
render_batch_wrap(struct render *r, struct ctx_err *err)
{
	const struct ctx_provider_facts *facts = ctx_provider_facts(r->how.provider);
	struct ctx_buf line = CTX_BUF_INIT;
	int64_t most;

	if (r->request.request_id == NULL)
		return ctx_err_set(err, CTX_EINPUT,
		    "--batch: the input has no request record (ctx-window makes one)");
	if (facts->batch_body == NULL)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--batch: %s does not support batches (%s)", facts->api,
		    facts->no_batch);
	if (ctx_json_true(ctx_json_get(r->how.params, "stream")))
		return ctx_err_set(err, CTX_EANSWER,
		    "\"stream\" cannot be used in a batch: remove it from the parameters");
	if (ctx_json_int(ctx_json_get(r->how.params, "max_tokens"), &most) && most == 0)
		return ctx_err_set(
		    err, CTX_EANSWER, "\"max_tokens\" of 0 cannot be used in a batch");
	ctx_json_put_open(&line, '{');
	ctx_json_add_str(&line, facts->batch_id, r->request.request_id);
	if (facts->batch_url != NULL)
		ctx_json_print(&line, "'method':'POST','url':%s", facts->batch_url);
	ctx_json_add_raw(
	    &line, facts->batch_body, (struct ctx_span){r->body.p, r->body.n - 1});
	ctx_buf_adds(&line, "}\n");
	ctx_buf_release(&r->body);
	r->body = line;
	return 0;
}

int
render_batch_finish(const struct render_settings *opt, struct ctx_err *err)
{
	if (!opt->batch)
		return 0;
	return ctx_io_replace_file(opt->request, opt->records.p, opt->records.n, err);
}
