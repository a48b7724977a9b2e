/* ctx-render --batch: lines of a batch file. */
#include "render.h"

#include "base/io.h"
#include "json/json.h"

/* The URL of the API that a line of OpenAI's names. */
static const char *
get_batch_url(enum ctx_provider provider)
{
	return provider == CTX_PROVIDER_RESPONSES ? "/v1/responses"
						  : "/v1/chat/completions";
}

int
render_batch_wrap(struct render *r, struct ctx_err *err)
{
	bool gemini = r->how.provider == CTX_PROVIDER_GEMINI;
	bool anthropic = r->how.provider == CTX_PROVIDER_ANTHROPIC;
	struct ctx_buf line = CTX_BUF_INIT;

	if (r->request.request_id == NULL)
		return ctx_err_set(err, CTX_EINPUT,
		    "--batch: the input has no request record (ctx-window makes one)");
	if (ctx_json_true(ctx_json_get(r->how.params, "stream")))
		return ctx_err_set(err, CTX_EANSWER, "a batch takes no \"stream\"");
	ctx_json_put_open(&line, '{');
	ctx_json_add_str(&line, gemini ? "key" : "custom_id", r->request.request_id);
	if (!gemini && !anthropic) {
		ctx_json_add_str(&line, "method", "POST");
		ctx_json_add_str(&line, "url", get_batch_url(r->how.provider));
	}
	ctx_json_add_raw(&line,
	    gemini      ? "request"
	    : anthropic ? "params"
			: "body",
	    (struct ctx_span){r->body.p, r->body.n - 1});
	ctx_json_put_close(&line, '}');
	ctx_buf_addc(&line, '\n');
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
