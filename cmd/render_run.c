/* ctx-render: which reasoning a request of a run takes back. */
#include "render_run.h"

#include <stdlib.h>

#include "json/json.h"
#include "model/model.h"
#include "render/bound.h"

/* Does the model check what stands before its reasoning? One that is not known may. */
static int
is_checked(const struct ctx_render_options *how, bool *checked, struct ctx_err *err)
{
	struct ctx_buf models = CTX_BUF_INIT, name = CTX_BUF_INIT;
	struct ctx_span model = ctx_json_text(ctx_json_get(how->params, "model"), &name);
	struct ctx_model m;
	int rc = cli_models_read(&models, err);

	*checked = how->provider == CTX_PROVIDER_ANTHROPIC ||
		   how->provider == CTX_PROVIDER_RESPONSES;
	if (rc == 0 && *checked && model.p != NULL &&
	    ctx_model_find(&m, model, ctx_buf_span(&models)))
		*checked = ctx_json_is(m.reasoning, "checked") ||
			   ctx_json_is(m.reasoning, "silent");
	ctx_buf_release(&models);
	ctx_buf_release(&name);
	return rc;
}

/* At the beginning of a run the running tool loop's reasoning goes back, unless the model
 * checks what stood before it: then only what was made in the run does. */
int
render_choose_reasoning(struct ctx_render_options *how, struct ctx_render_item *items,
    size_t n, const struct ctx_request *q, int64_t turn, bool replay,
    char digest[CTX_HASH_HEX + 1], struct ctx_err *err)
{
	struct ctx_span run = ctx_span_of(q->run_json);
	bool checked;
	int64_t broken;

	if (is_checked(how, &checked, err) < 0)
		return -1;
	if (!ctx_json_int(ctx_json_get(run, "reasoning_after"), &how->reasoning_after))
		how->reasoning_after = checked || turn < 0 ? q->for_seq : turn;
	broken = ctx_bound_find(items, n, how, run, digest);
	for (size_t i = 0; !checked && i < n; i++)
		items[i].unbound = false;
	if (!checked || replay || broken <= how->reasoning_after)
		return 0;
	how->reasoning_after = broken;
	cli_warn("what stood before the answers up to message %lld is not what it was: "
		 "their reasoning is left out (did ctx-window read the same --params?)",
	    (long long)broken);
	return 0;
}

void
render_note_run(struct ctx_request *q, int64_t reasoning_after, const char *digest)
{
	struct ctx_buf b = CTX_BUF_INIT;
	struct ctx_json_iter it;

	ctx_json_put_open(&b, '{');
	ctx_json_iter_init(&it, ctx_span_of(q->run_json));
	while (ctx_json_iter_next(&it)) {
		if (ctx_json_is(it.key, "reasoning_after") ||
		    ctx_json_is(it.key, "digest"))
			continue;
		ctx_json_put_raw(&b, it.key);
		ctx_buf_addc(&b, ':');
		ctx_buf_addspan(&b, it.value);
	}
	ctx_json_add_int(&b, "reasoning_after", reasoning_after);
	ctx_json_add_str(&b, "digest", digest);
	ctx_json_put_close(&b, '}');
	free(q->run_json);
	q->run_json = ctx_buf_detach(&b);
}
