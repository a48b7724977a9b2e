/* How a window counts tokens. */
#include "window/rows.h"

#include <string.h>

#include "json/json.h"
#include "window/run.h"

int
ctx_window_count_for_last(struct ctx_window_rows *l, struct ctx_err *err)
{
	const struct ctx_window_options *o = l->o;
	const struct ctx_request *q = l->run == NULL ? NULL : &l->run->last;
	struct ctx_buf last = CTX_BUF_INIT;
	struct ctx_span model = CTX_SPAN_NONE;
	int rc = 0;

	if (o->count_for == NULL)
		return 0;
	if (q != NULL && (o->provider == NULL || q->provider == NULL ||
			     strcmp(o->provider, q->provider) == 0))
		model = ctx_json_get(ctx_span_of(q->params_json), "model");
	if (model.p == NULL && l->st != NULL) {
		rc = ctx_store_last_model(l->st, &l->w->session, o->provider, &last, err);
		model = ctx_buf_span(&last);
	}
	if (rc == 0)
		rc = o->count_for(l->t, model, err);
	ctx_buf_release(&last);
	return rc;
}
