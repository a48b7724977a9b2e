/* ctx-prune: hides stored messages that are not kept, or shows them again. */
#include "prune.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "entity/track.h"
#include "window/hide.h"

/* Refuses strategies that change messages, because stored messages never change. */
static int
check_stored(struct pruning *pru, struct ctx_err *err)
{
	for (size_t i = 0; i < pru->opt.policy.n_strategies; i++) {
		enum ctx_strategy s = pru->opt.policy.strategies[i];
		if (s == CTX_STRATEGY_TOOLS || s == CTX_STRATEGY_TRUNCATE ||
		    (s == CTX_STRATEGY_FILTER && pru->opt.policy.stub))
			return ctx_err_set(err, CTX_EUSAGE,
			    "strategy '%s' changes messages and cannot be applied to stored messages",
			    ctx_strategy_name(s));
	}
	pru->opt.policy.budget = cli_common.budget;
	pru->opt.policy.only_over = cli_flagged(&cli_common.budget);
	return pru->opt.policy.budget < 0 ? limit_by_keep(&pru->opt.policy, err) : 0;
}

/* Updates the mentions of the session. Returns false if that fails, with a warning, or if
 * the session does not exist. */
static bool
update_prune_tracker(struct pruning *pru, const char *session_id)
{
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_tracker *t = NULL;
	struct ctx_session s = CTX_SESSION_INIT;
	int rc = ctx_store_session_find(pru->store, session_id, &s, &err);

	if (rc == 1 && s.status == CTX_STATUS_ACTIVE &&
	    (ctx_tracker_open(&t, pru->store, s.tenant_id, cli_warn_text, NULL, &err) <
		    0 ||
		ctx_tracker_catch_up(t, &s, &err) < 0))
		rc = -1;
	if (rc < 0)
		cli_warn(
		    "named entities are not recognized, only entities with a known form, such as addresses: %s",
		    err.msg);
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

/* Prunes one session. If that fails, the session is skipped and the others follow. */
static int
prune_stored(void *arg, const struct cli_listed *listed, struct ctx_err *err)
{
	struct pruning *pru = arg;
	ctx_names_fn *names = NULL;
	int rc;

	if (!pru->opt.undo && cli_tokenizer_session(pru->tokenizer, pru->params,
				  pru->store, listed->session_id, err) < 0)
		return -1;
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

/* Parses "7", "3-5", "last" or "turn". */
static int
parse_choice(struct ctx_hide_choice *c, const char *word, struct ctx_err *err)
{
	char *end;

	*c = (struct ctx_hide_choice){CTX_HIDE_RANGE, {0, 0}};
	if (strcmp(word, "last") == 0 || strcmp(word, "turn") == 0) {
		c->what = word[0] == 'l' ? CTX_HIDE_LAST : CTX_HIDE_TURN;
		return 0;
	}
	if (*word >= '0' && *word <= '9') {
		c->range.first = c->range.last = strtoll(word, &end, 10);
		if (*end == '-' && end[1] >= '0' && end[1] <= '9')
			c->range.last = strtoll(end + 1, &end, 10);
		if (*end == '\0' && c->range.first >= 1 &&
		    c->range.last >= c->range.first && c->range.last <= CTX_SEQ_MAX)
			return 0;
	}
	return ctx_err_set(err, CTX_EUSAGE,
	    "--hide: '%s' is none of: a message number, a range such as 3-5, 'last', 'turn'",
	    word);
}

/* Hides the messages that the operands name. */
static int
hide_chosen(struct pruning *pru, int argc, char **argv, struct ctx_err *err)
{
	struct ctx_hide_choice *choices = ctx_mem_new((size_t)argc * sizeof(*choices));
	size_t more = 0;
	int rc = 0;

	for (int i = 0; rc == 0 && i < argc; i++)
		rc = parse_choice(&choices[i], argv[i], err);
	if (rc == 0)
		rc = cli_store_open(&pru->store, 0, err);
	if (rc == 0)
		rc = ctx_hide_chosen(pru->store, pru->opt.session.v[0], choices,
		    (size_t)argc, pru->tokenizer, cli_now(), pru->opt.dry_run, &more,
		    &cli_out.buf, err);
	if (rc == 0 && more > 0)
		cli_warn(
		    "%zu more message%s hidden, because a tool call and its results stay together",
		    more, CTX_PLURAL_OF(more, " is", "s are"));
	if (rc == 0)
		rc = cli_flush(err);
	ctx_store_close(pru->store);
	free(choices);
	return rc;
}

int
run_stored(struct pruning *pru, int argc, char **argv, struct ctx_err *err)
{
	int rc;

	if (pru->opt.hide && pru->opt.session.n == 0 && cli_session_default() != NULL)
		cli_list_add(&pru->opt.session, cli_session_default());
	else
		cli_sessions_default(&pru->opt.session);
	if (pru->opt.hide && (pru->opt.session.n != 1 || argc == 0))
		return ctx_err_set(err, CTX_EUSAGE,
		    "--hide needs one session (-s SID) and the numbers of its messages");
	if (pru->opt.hide)
		return hide_chosen(pru, argc, argv, err);
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
