/* ctx-prune: strategies, protected messages, and which options go together. */
#include "prune.h"

#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "record/message.h"

static int
parse_strategies(struct ctx_err *err)
{
	const char *p = opt.strategy;

	while (p != NULL) {
		const char *comma = strchr(p, ',');
		struct ctx_span name = {
		    p, comma == NULL ? strlen(p) : (size_t)(comma - p)};
		int s = ctx_strategy_parse(name);
		if (s < 0 || opt.policy.n_strategies == CTX_STRATEGIES_MAX)
			return ctx_err_set(err, CTX_EUSAGE,
			    "unknown strategy '%.*s' (--help lists them)", (int)name.n,
			    name.p);
		opt.policy.strategies[opt.policy.n_strategies++] = (enum ctx_strategy)s;
		p = comma == NULL ? NULL : comma + 1;
	}
	return 0;
}

static int
parse_protect(struct ctx_err *err)
{
	static const char **tools;

	tools = ctx_mem_new((opt.protect.n + 1) * sizeof(*tools));
	opt.policy.protect_tools = tools;
	for (size_t i = 0; i < opt.protect.n; i++) {
		const char *what = opt.protect.v[i];
		struct ctx_buf quoted = CTX_BUF_INIT;
		int role;
		if (strncmp(what, "tool=", 5) == 0 && what[5] != '\0') {
			tools[opt.policy.n_protect_tools++] = what + 5;
			continue;
		}
		ctx_json_put_string(
		    &quoted, ctx_span_of(strncmp(what, "role=", 5) == 0 ? what + 5 : ""));
		role = ctx_role_parse(ctx_buf_span(&quoted));
		ctx_buf_release(&quoted);
		if (role < 0)
			return ctx_err_set(err, CTX_EUSAGE,
			    "--protect: '%s' is neither role=ROLE nor tool=NAME", what);
		opt.policy.protect_roles |= 1u << role;
	}
	return 0;
}

int
prune_check_options(struct ctx_err *err)
{
	int provider;

	if (parse_strategies(err) < 0 || parse_protect(err) < 0)
		return -1;
	if (opt.keep != NULL && strcmp(opt.keep, "head") != 0 &&
	    strcmp(opt.keep, "head-tail") != 0)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--keep: '%s' is not head or head-tail", opt.keep);
	opt.policy.head_tail = opt.keep != NULL && strcmp(opt.keep, "head-tail") == 0;
	if (cli_flagged(&cli_common.provider) && cli_provider(&provider, false, err) < 0)
		return -1;
	if (opt.apply && opt.undo)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--apply and --undo exclude each other");
	if ((opt.session.n > 0 || opt.dry_run) && !opt.apply && !opt.undo)
		return ctx_err_set(
		    err, CTX_EUSAGE, "-s and -n go with --apply or --undo");
	if (opt.report != NULL && (opt.apply || opt.undo))
		return ctx_err_set(
		    err, CTX_EUSAGE, "--report is for filters; the event says it all");
	if (opt.undo)
		return cli_check_form("--undo", "undo session dry-run", err);
	return opt.apply
		   ? cli_check_form("--apply",
			 "apply session dry-run strategy budget protect keep-last keep-turns "
			 "tools-keep clear-at-least max-chars results-only keep stub tokenizer",
			 err)
		   : 0;
}
