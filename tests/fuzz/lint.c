/* Any bytes: no crash, and what repair leaves is final, and clean as far as it can be. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lint/lint.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

/* An error that repair leaves: only where it has nothing to mend it with. */
static void
judge_left(void *arg, const struct ctx_lint_diagnostic *d)
{
	static const char *const rules[] = {"all-call-id", "all-call-name",
	    "all-function-call", "all-image", "all-role", "an-body-size",
	    "an-cache-marks", "an-citations", "an-compaction", "an-edits",
	    "an-image-count", "an-search-result", "in-member", "in-step", "oa-name",
	    "re-compaction-trigger", "re-image-url", "re-program"};

	(void)arg;
	for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
		if (strcmp(d->rule, rules[i]) == 0)
			return;
	if (d->error)
		abort();
}

static void
check(struct ctx_span text, const struct ctx_lint_options *o)
{
	struct ctx_buf once = CTX_BUF_INIT, twice = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	int errors = ctx_lint_check(text, o, NULL, NULL, &err);
	int left = ctx_lint_repair(text, o, &once, NULL, NULL, &err);

	if ((errors < 0) != (left < 0))
		abort();
	if (left > 0)
		ctx_lint_check(ctx_buf_span(&once), o, judge_left, NULL, &err);
	if (left >= 0) {
		if (errors == 0 && !ctx_span_eq(text, ctx_buf_span(&once)) && text.n > 0)
			abort();
		if (ctx_lint_repair(ctx_buf_span(&once), o, &twice, NULL, NULL, &err) !=
		    left)
			abort();
		if (once.n != twice.n || (once.n > 0 && !ctx_span_eq(ctx_buf_span(&once),
							    ctx_buf_span(&twice))))
			abort();
	}
	ctx_buf_release(&once);
	ctx_buf_release(&twice);
}

/* The first byte chooses the rules. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct ctx_lint_options o = CTX_LINT_OPTIONS_INIT;

	if (n == 0)
		return 0;
	o.rules = (enum ctx_provider)(data[0] % (CTX_PROVIDER_COUNT + 1) - 1);
	o.soft = data[0] & 64;
	check((struct ctx_span){(const char *)data + 1, n - 1}, &o);
	return 0;
}
