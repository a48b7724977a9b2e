/* ctx-render: writes the record of a request. */
#include "render.h"
#include "render_report.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/io.h"
#include "base/mem.h"
#include "json/json.h"

/* Appends the tokens of each component of the request, as counted here. */
static void
put_components(const struct render *r, struct ctx_buf *members)
{
	struct ctx_message *views = ctx_mem_new((r->n + 1) * sizeof(*views));
	int64_t sum[CTX_COMPONENTS] = {0};
	size_t turn = r->n;

	for (size_t i = 0; i < r->n; i++)
		if (ctx_message_parse(&views[i], r->sent[i].message, NULL) == 0 &&
		    r->sent[i].slot == CTX_SLOT_HISTORY &&
		    ctx_message_starts_turn(&views[i]))
			turn = i;
	for (size_t i = 0; i < r->n; i++) {
		const struct ctx_sent *m = &r->sent[i];
		enum ctx_component c = i == turn ? CTX_COMPONENT_MESSAGE
						 : ctx_component_of(
						       m->slot, views[i].role, m->source);
		sum[c] += m->tokens;
		ctx_message_release(&views[i]);
	}
	for (int c = 0; c < CTX_COMPONENTS; c++)
		ctx_json_add_int(
		    members, ctx_component_name((enum ctx_component)c), sum[c]);
	free(views);
}

/* Sets the total in the record's "tokens" to the tokens counted here, including params.
 * If another tokenizer counted the components, they are counted anew. */
static void
set_total(const struct render *r, struct ctx_request *q)
{
	struct ctx_buf members = CTX_BUF_INIT, object = CTX_BUF_INIT;
	const char *name = ctx_tokenizer_name(r->tokenizer);

	if (q->tokenizer != NULL && strcmp(q->tokenizer, name) != 0) {
		put_components(r, &members);
		ctx_buf_reset(&q->tokens);
	}
	ctx_buf_addf(
	    &object, "{%.*s}", (int)q->tokens.n, q->tokens.n > 0 ? q->tokens.p : "");
	ctx_json_put_members(&members, ctx_buf_span(&object), "total");
	ctx_json_add_int(&members, "total", r->tokens);
	ctx_buf_release(&object);
	ctx_buf_release(&q->tokens);
	q->tokens = members;
}

/* Records what is needed to render the request again: provider, params and thinking. */
static void
note_how(struct ctx_request *q, const struct ctx_render_form *form,
    const struct ctx_render_options *h)
{
	struct ctx_buf params = CTX_BUF_INIT;

	if (h->params.p != NULL) /* on one line */
		ctx_json_minify(h->params, &params);
	free(q->provider);
	free(q->params_json);
	free(q->thinking);
	free(q->cache);
	free(q->layout);
	q->layout = h->untyped ? NULL
			       : ctx_mem_str(ctx_provider_facts(h->provider)->layout);
	free(q->system);
	free(q->server);
	q->server = h->server != NULL && *h->server->name != '\0'
			? ctx_mem_str(h->server->name)
			: NULL;
	q->system = h->system_inside ? ctx_mem_str("inside") : NULL;
	q->provider = ctx_mem_str(
	    form == NULL ? ctx_provider_name(h->provider) : form->name);
	q->params_json = h->params.p != NULL ? ctx_span_dup(ctx_buf_span(&params)) : NULL;
	q->thinking = h->thinking == CTX_THINKING_KEEP    ? ctx_mem_str("keep")
		      : h->thinking == CTX_THINKING_STRIP ? ctx_mem_str("strip")
							  : NULL;
	q->cache = ctx_provider_facts(h->provider)->cache_marks ? ctx_mem_str(h->cache)
								: NULL;
	ctx_buf_release(&params);
}

int
render_record_write(struct render *r, struct render_settings *opt, struct ctx_err *err)
{
	struct ctx_request *q = &r->request;
	struct ctx_buf b = CTX_BUF_INIT;
	int rc;

	if (!r->has_request)
		return ctx_err_set(err, CTX_EINPUT,
		    "--request: the input has no request record (ctx-window makes one)");
	if (opt->written && !opt->batch)
		return ctx_err_set(
		    err, CTX_EINPUT, "--request: the input contains several windows");
	opt->written = true;
	note_how(q, r->form, &r->how);
	render_report_note(&r->report, q);
	if (r->how.in_run)
		render_run_note(&r->run, &r->how, q);
	ctx_account_sent(q, r->sent, r->n);
	set_total(r, q);
	free(q->tokenizer);
	q->tokenizer = ctx_mem_str(ctx_tokenizer_name(r->tokenizer));
	free(q->body_sha256);
	q->body_sha256 = ctx_mem_new(CTX_HASH_HEX + 1);
	ctx_hash_sha256(r->body.p, r->body.n == 0 ? 0 : r->body.n - 1, q->body_sha256);
	if (cli_common.budget >= 0)
		q->budget = cli_common.budget;
	ctx_request_print(&b, q);
	if (opt->batch)
		ctx_buf_addspan(&opt->records, ctx_buf_span(&b));
	rc = opt->batch ? 0 : ctx_io_replace_file(opt->request, b.p, b.n, err);
	ctx_buf_release(&b);
	return rc;
}
