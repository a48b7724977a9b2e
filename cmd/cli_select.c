/* Selects sessions: see cli_select.h. */
#include "cli_select.h"

#include <stdlib.h>

#include "base/mem.h"
#include "store/recount.h"
#include "entity/track.h"

struct cli_select cli_select = {.min_tokens = -1};

void
cli_select_init(void)
{
	cli_select.filter = (struct ctx_session_filter)CTX_SESSION_FILTER_INIT;
}

int
cli_select_check(struct ctx_err *err)
{
	struct ctx_session_filter *f = &cli_select.filter;

	if (cli_check_alone("all status", err) < 0)
		return -1;
	for (int i = 0; i < 3; i++)
		f->status[i] = cli_select.all;
	for (size_t i = 0; i < cli_select.status.n; i++) {
		int status = ctx_status_parse(ctx_span_of(cli_select.status.v[i]));
		if (status < 0)
			return ctx_err_set(err, CTX_EUSAGE,
			    "--status: '%s' is not active, archived or deleted",
			    cli_select.status.v[i]);
		f->status[status] = true;
	}
	if (cli_select.idle != NULL &&
	    cli_parse_when(cli_select.idle, &f->idle_before, err) < 0)
		return ctx_err_prefix(err, "--idle");
	if (cli_select.older != NULL &&
	    cli_parse_when(cli_select.older, &f->created_before, err) < 0)
		return ctx_err_prefix(err, "--older");
	if (cli_select.newer != NULL &&
	    cli_parse_when(cli_select.newer, &f->created_after, err) < 0)
		return ctx_err_prefix(err, "--newer");
	if (cli_select.deleted != NULL &&
	    cli_parse_when(cli_select.deleted, &f->deleted_before, err) < 0)
		return ctx_err_prefix(err, "--deleted");
	if (cli_select.deleted != NULL && cli_select.status.n > 0 &&
	    !f->status[CTX_STATUS_DELETED])
		return ctx_err_set(err, CTX_EUSAGE,
		    "--deleted cannot be used with a --status other than deleted");
	if (cli_select.deleted != NULL)
		f->status[CTX_STATUS_DELETED] = true;
	if (cli_check_needs(&cli_select.hold,
		cli_select.expired || cli_select.deleted != NULL,
		"--expired or --deleted", err) < 0)
		return -1;
	if (cli_select.expired)
		f->expired_at = cli_now();
	if (cli_select.tokenizer == NULL)
		f->min_tokens = cli_select.min_tokens;
	return 0;
}

static struct ctx_tracker *tracker;

static bool named; /* a session mentions the entity */

/* Prints a note if no session matched and the entity is not known at all. All sessions
 * were updated before. */
static int
note_unknown(struct ctx_err *err)
{
	int64_t *nos = NULL;
	size_t n = 0;
	int rc = 0;

	if (cli_select.entity == NULL || named || tracker == NULL)
		return 0;
	rc = ctx_tracker_named(tracker, cli_select.entity, &nos, &n, err);
	if (rc == 0 && n == 0)
		cli_warn("no entity has the name '%s'", cli_select.entity);
	free(nos);
	return rc;
}

/* Returns whether the session mentions the entity of --entity. The tracker is for one
 * tenant. */
static int
match_listed_entity(
    struct ctx_store *st, const struct ctx_session *s, struct ctx_err *err)
{
	int rc;

	if (cli_select.entity == NULL)
		return 1;
	if (ctx_tracker_follow(&tracker, st, s, cli_warn_text, NULL, err) < 0)
		return -1;
	rc = ctx_tracker_mentions(tracker, s, cli_select.entity, err);
	named |= rc == 1;
	return rc;
}

static struct ctx_tokenizer *tokenizer;

/* Returns whether to print the session. With --expired and --deleted, sessions on hold
 * are omitted because they cannot be deleted. With --tokenizer, sets the session's count
 * by that tokenizer. */
static int
match_list_filters(struct ctx_store *st, struct ctx_session *s, struct ctx_err *err)
{
	if (s->hold != NULL && !cli_select.hold &&
	    (cli_select.expired || cli_select.deleted != NULL))
		return 0;
	if (tokenizer != NULL) {
		if (ctx_recount_total(st, s, tokenizer, &s->token_count, err) < 0)
			return -1;
		if (s->token_count < cli_select.min_tokens)
			return 0;
	}
	return match_listed_entity(st, s, err);
}

struct selection {
	struct ctx_store *st;
	int (*fn)(struct ctx_session *s, struct ctx_err *err);
};

static int
visit_listed(void *arg, struct ctx_session *s, struct ctx_err *err)
{
	const struct selection *sel = arg;
	int yes = match_list_filters(sel->st, s, err);

	return yes < 0 || (yes == 1 && sel->fn(s, err) < 0) ? -1 : cli_flush_some(err);
}

int
cli_select_each(struct ctx_store *st,
    int (*fn)(struct ctx_session *s, struct ctx_err *err), struct ctx_err *err)
{
	struct selection sel = {st, fn};
	int rc = 0;

	if (cli_select.tokenizer != NULL) {
		cli_common.tokenizer = cli_select.tokenizer;
		rc = cli_tokenizer_open(&tokenizer, err);
	}
	if (rc == 0)
		rc = ctx_store_each_session(
		    st, &cli_select.filter, visit_listed, &sel, err);
	if (rc == 0)
		rc = note_unknown(err);
	ctx_tokenizer_close(tokenizer);
	ctx_tracker_free(tracker);
	return rc;
}
