/* Any bytes: no crash, and what repair leaves is clean and final. */
#include <stdint.h>
#include <stdlib.h>

#include "lint/lint.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void
check(struct ctx_span text, const struct ctx_lint_options *o)
{
	struct ctx_buf once = CTX_BUF_INIT, twice = CTX_BUF_INIT;
	struct ctx_err err = CTX_ERR_INIT;
	int errors = ctx_lint_check(text, o, NULL, NULL, &err);
	int left = ctx_lint_repair(text, o, &once, NULL, NULL, &err);

	if ((errors < 0) != (left < 0) || left > 0)
		abort();
	if (left == 0) {
		if (errors == 0 && !ctx_span_eq(text, ctx_buf_span(&once)) && text.n > 0)
			abort();
		if (ctx_lint_repair(ctx_buf_span(&once), o, &twice, NULL, NULL, &err) !=
		    0)
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
	o.rules = (enum ctx_lint_rules)(data[0] % 5 - 1);
	o.soft = data[0] & 64;
	check((struct ctx_span){(const char *)data + 1, n - 1}, &o);
	return 0;
}
