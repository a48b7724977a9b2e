/* What rendering sends, lint accepts: two readings of the same rules. */
#include "test.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"
#include "lint/lint.h"
#include "lint_random.h"
#include "render/render.h"

struct world {
	struct ctx_buf history, repaired, body;
	struct ctx_render_item items[64];
	size_t n;
	int sent;
};

static void
show(void *arg CTX_UNUSED, const struct ctx_lint_diagnostic *d)
{
	printf("# %s at %ld: %s\n", d->rule, d->index, d->text);
}

static void
random_list(struct ctx_buf *b)
{
	static void (*const kinds[])(struct ctx_buf *) = {
	    openai_message, anthropic_message, any_message};

	ctx_buf_reset(b);
	ctx_buf_adds(b, "[{\"role\":\"user\",\"content\":\"begin\"},");
	list(b, kinds[dice(3)], 1 + dice(14));
	ctx_buf_adds(b, ",{\"role\":\"user\",\"content\":\"end\"}]");
}

static void
take_items(struct world *w, struct ctx_span array)
{
	w->n = 0;
	CTX_JSON_EACH_WHILE(w->n < 64, it, array)
		w->items[w->n++] = (struct ctx_render_item){
		    .message = it.value, .seq = -1, .created_at = CTX_TIME_NONE};
}

/* One history, mended or as it is, for one provider. */
static bool
accepted(struct world *w, enum ctx_provider provider, bool mend)
{
	struct ctx_lint_options o = CTX_LINT_OPTIONS_INIT;
	struct ctx_render_options r = {.provider = provider, .cut = dice(2)};
	struct ctx_err err = CTX_ERR_INIT;

	o.rules = provider;
	ctx_buf_reset(&w->repaired);
	ctx_buf_reset(&w->body);
	if (mend)
		ctx_lint_repair(
		    ctx_buf_span(&w->history), &o, &w->repaired, NULL, NULL, &err);
	take_items(w, ctx_buf_span(mend ? &w->repaired : &w->history));
	if (ctx_render_body(&w->body, w->items, w->n, &r, &err) < 0)
		return true;
	w->sent++;
	return ctx_lint_body(ctx_buf_span(&w->body), &o, NULL, NULL, &err) == 0 ||
	       (ctx_lint_body(ctx_buf_span(&w->body), &o, show, NULL, &err) == 0);
}

static void
rendered_bodies(void)
{
	struct world w;
	const char *runs = getenv("CTX_TEST_RUNS");
	int n = runs == NULL ? 5000 : atoi(runs);

	memset(&w, 0, sizeof(w));
	for (int i = 1; i <= n; i++) {
		state = 0x9e3779b97f4a7c15u * (uint64_t)i;
		random_list(&w.history);
		for (int p = 0; p < 2 * CTX_PROVIDER_COUNT; p++) {
			if (accepted(&w, (enum ctx_provider)(p / 2), p % 2))
				continue;
			printf("# run %d for %s\n# history\n%s\n# body\n%s\n", i,
			    ctx_provider_name((enum ctx_provider)(p / 2)),
			    p % 2 ? w.repaired.p : w.history.p, w.body.p);
			CHECK(0 && "a rendered body breaks a rule");
			i = n;
			break;
		}
	}
	CHECK(w.sent > n / 10);
	printf("# %d of %d sent\n", w.sent, 8 * n);
	ctx_buf_release(&w.history);
	ctx_buf_release(&w.repaired);
	ctx_buf_release(&w.body);
}

int
main(void)
{
	RUN(rendered_bodies);
	return TEST_END();
}
