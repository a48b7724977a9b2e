/* What loses is hidden in the store, or brought back. */
#include "prune.h"

#include <stdlib.h>

#include "base/plural.h"
#include "track/track.h"
#include "window/hide.h"

/* Stored messages never change: only strategies that drop can be applied. */
static int
check_stored(struct pruning *pru, struct ctx_err *err)
{
	for (size_t i = 0; i < pru->opt.policy.n_strategies; i++) {
		enum ctx_strategy s = pru->opt.policy.strategies[i];
		if (s == CTX_STRATEGY_TOOLS || s == CTX_STRATEGY_TRUNCATE ||
		    (s == CTX_STRATEGY_FILTER && pru->opt.policy.stub))
			return ctx_err_set(err, CTX_EUSAGE,
			    "strategy '%s' changes messages: it cannot be applied to stored ones",
			    ctx_strategy_name(s));
	}
	pru->opt.policy.budget = cli_common.budget;
	pru->opt.policy.only_over = cli_flagged(&cli_common.budget);
	return pru->opt.policy.budget < 0 ? limit_by_keep(&pru->opt.policy, err) : 0;
}

static void
warn_prune_tracker(void *arg, const char *text)
{
	(void)arg;
	cli_warn("%s", text);
}

/* Bring up to date what the session mentions. False, with a warning: it cannot be used. */
static bool
update_prune_tracker(struct pruning *pru, const char *session_id)
{
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_tracker *t = NULL;
	struct ctx_session s;
	int rc;

	ctx_session_init(&s);
	rc = ctx_store_session_find(pru->store, session_id, &s, &err);
	if (rc == 1 && s.status == CTX_STATUS_ACTIVE &&
	    (ctx_tracker_open(
		 &t, pru->store, s.tenant_id, warn_prune_tracker, NULL, &err) < 0 ||
		ctx_tracker_catch_up(t, &s, &err) < 0))
		rc = -1;
	if (rc < 0)
		cli_warn(
		    "only entities that are known by their form are seen: %s", err.msg);
	ctx_tracker_free(t);
	ctx_session_release(&s);
	return rc == 1;
}

static int
names_any(void *arg, const struct ctx_session *s, int64_t seq, struct ctx_err *err)
{
	struct pruning *pru = arg;
	struct ctx_mention_at *list = NULL;
	size_t n = 0;
	int rc = ctx_mention_get(pru->store, s, seq, &list, &n, err);

	free(list);
	return rc < 0 ? -1 : n > 0;
}

/* One of a list that cannot be pruned is skipped; the rest goes on. */
static int
prune_stored(void *arg, const struct cli_listed *listed, struct ctx_err *err)
{
	struct pruning *pru = arg;
	ctx_names_fn *names = NULL;
	int rc;

	if (!pru->opt.undo && ctx_asks_names(&pru->opt.policy) &&
	    update_prune_tracker(pru, listed->session_id))
		names = names_any;
	if (pru->opt.undo)
		rc = ctx_hide_undo(pru->store, listed->session_id, listed->last_seq,
		    cli_now(), pru->opt.dry_run, &cli_out.buf, err);
	else
		rc = ctx_hide_session(pru->store, listed->session_id, listed->last_seq,
		    &pru->opt.policy, pru->tokenizer, cli_now(), pru->opt.dry_run, names,
		    pru, &cli_out.buf, err);
	if (rc < 0 && cli_refused(err) && listed->last_seq >= 0) {
		cli_error(err);
		err->code = CTX_OK;
		pru->refused++;
		return 0;
	}
	return rc < 0 ? -1 : cli_flush(err);
}

int
run_stored(struct pruning *pru, int argc, char **argv, struct ctx_err *err)
{
	int rc;

	if (cli_no_operands(argc, argv, err) < 0 ||
	    (!pru->opt.undo && check_stored(pru, err) < 0) ||
	    cli_store_open(&pru->store, 0, err) < 0)
		return -1;
	rc = cli_sessions(pru->store, &pru->opt.session, prune_stored, pru, err);
	ctx_store_close(pru->store);
	if (rc == 0 && pru->refused > 0)
		rc = ctx_err_set(err, CTX_EANSWER, "%lld session%s skipped",
		    (long long)pru->refused, CTX_PLURAL(pru->refused));
	return rc;
}
