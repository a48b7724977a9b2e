#include "cli.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/time.h"
#include "store/recount.h"
#include "track/track.h"

#define PAGE 256 /* sessions read at once, so that no lock is held while printing */

static struct {
	struct ctx_session_filter filter;
	struct cli_list status;
	const char *idle, *older, *newer, *deleted, *entity, *tokenizer;
	int64_t min_tokens;
	bool all, expired, hold, ids;
} opt = {.min_tokens = -1};

static struct cli_option options[] = {
    {"user", 'u', "ID", "of this user, or shared with them", CLI_STRING,
	&opt.filter.user_id, NULL},
    {"caller", 0, "ID", "of this caller", CLI_STRING, &opt.filter.caller_id, NULL},
    {"agent", 0, "NAME", "of this agent", CLI_STRING, &opt.filter.agent, NULL},
    {"status", 0, "STATUS", "active (default), archived or deleted; repeatable", CLI_LIST,
	&opt.status, NULL},
    {"all", 'a', NULL, "whatever their status", CLI_FLAG, &opt.all, NULL},
    {"idle", 0, "TIME", "without a message for so long", CLI_STRING, &opt.idle, NULL},
    {"older", 0, "TIME", "created longer ago, or before an RFC 3339 time", CLI_STRING,
	&opt.older, NULL},
    {"newer", 0, "TIME", "created since", CLI_STRING, &opt.newer, NULL},
    {"deleted", 0, "TIME", "deleted for so long", CLI_STRING, &opt.deleted, NULL},
    {"expired", 0, NULL, "whose time to live is over", CLI_FLAG, &opt.expired, NULL},
    {"hold", 0, NULL, "with --expired or --deleted: those on hold too", CLI_FLAG,
	&opt.hold, NULL},
    {"min-tokens", 0, "N", "with at least so many tokens", CLI_INT, &opt.min_tokens,
	NULL},
    {"tokenizer", 0, "NAME", "count by this tokenizer, rather than by those that counted",
	CLI_STRING, &opt.tokenizer, NULL},
    {"entity", 0, "NAME", "that mention this thing", CLI_STRING, &opt.entity, NULL},
    {"ids", '1', NULL, "print only ids", CLI_FLAG, &opt.ids, NULL},
    CLI_STORE_OPTIONS,
    CLI_END,
};

static int
make_filter(struct ctx_err *err)
{
	struct ctx_session_filter *f = &opt.filter;

	if (opt.all && opt.status.n > 0)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--all and --status cannot be used together");
	for (int i = 0; i < 3; i++)
		f->status[i] = opt.all;
	for (size_t i = 0; i < opt.status.n; i++) {
		int status = ctx_status_parse(ctx_span_of(opt.status.v[i]));
		if (status < 0)
			return ctx_err_set(err, CTX_EUSAGE,
			    "--status: '%s' is not active, archived or deleted",
			    opt.status.v[i]);
		f->status[status] = true;
	}
	if (opt.idle != NULL && cli_parse_when(opt.idle, &f->idle_before, err) < 0)
		return ctx_err_prefix(err, "--idle");
	if (opt.older != NULL && cli_parse_when(opt.older, &f->created_before, err) < 0)
		return ctx_err_prefix(err, "--older");
	if (opt.newer != NULL && cli_parse_when(opt.newer, &f->created_after, err) < 0)
		return ctx_err_prefix(err, "--newer");
	if (opt.deleted != NULL &&
	    cli_parse_when(opt.deleted, &f->deleted_before, err) < 0)
		return ctx_err_prefix(err, "--deleted");
	if (opt.deleted != NULL)
		f->status[CTX_STATUS_DELETED] = true;
	if (opt.hold && !opt.expired && opt.deleted == NULL)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--hold goes with --expired or --deleted");
	if (opt.expired)
		f->expired_at = cli_now();
	if (opt.tokenizer == NULL)
		f->min_tokens = opt.min_tokens;
	return 0;
}

static struct ctx_tracker *tracker;

static void
warn_list_tracker(void *arg, const char *text)
{
	(void)arg;
	cli_warn("%s", text);
}

static bool named; /* a session mentions it */

/* Nothing was found: is the thing known at all? Each session was caught up. */
static int
note_unknown(struct ctx_err *err)
{
	int64_t *nos = NULL;
	size_t n = 0;
	int rc = 0;

	if (opt.entity == NULL || named || tracker == NULL)
		return 0;
	rc = ctx_tracker_named(tracker, opt.entity, &nos, &n, err);
	if (rc == 0 && n == 0)
		cli_warn("nothing is known by the name '%s'", opt.entity);
	free(nos);
	return rc;
}

/* Does the session pass --entity? A tracker has the names of one tenant. */
static int
match_listed_entity(
    struct ctx_store *st, const struct ctx_session *s, struct ctx_err *err)
{
	static char *tenant;
	const char *of = s->tenant_id == NULL ? "" : s->tenant_id;
	int rc;

	if (opt.entity == NULL)
		return 1;
	if (tracker == NULL || tenant == NULL || strcmp(tenant, of) != 0) {
		ctx_tracker_free(tracker);
		free(tenant);
		tenant = ctx_mem_str(of);
		if (ctx_tracker_open(&tracker, st, of, warn_list_tracker, NULL, err) < 0)
			return -1;
	}
	rc = ctx_tracker_mentions(tracker, s, opt.entity, err);
	named |= rc == 1;
	return rc;
}

static struct ctx_tokenizer *tokenizer;

/* Is it to be printed? What is on hold could not be deleted. With --tokenizer the record says what that counts. */
static int
match_list_filters(struct ctx_store *st, struct ctx_session *s, struct ctx_err *err)
{
	if (s->hold != NULL && !opt.hold && (opt.expired || opt.deleted != NULL))
		return 0;
	if (tokenizer != NULL) {
		if (ctx_recount_total(st, s, tokenizer, &s->token_count, err) < 0)
			return -1;
		if (s->token_count < opt.min_tokens)
			return 0;
	}
	return match_listed_entity(st, s, err);
}

static int
print_session_list(struct ctx_store *st, struct ctx_err *err)
{
	static struct ctx_session page[PAGE];
	int n = PAGE, rc = 0;

	for (int i = 0; i < PAGE; i++)
		ctx_session_init(&page[i]);
	while (rc == 0 && n == PAGE) {
		n = ctx_store_session_list(st, &opt.filter, page, PAGE, err);
		for (int i = 0; i < n; i++) {
			int yes = rc < 0 ? 0 : match_list_filters(st, &page[i], err);
			if (yes < 0)
				rc = -1;
			else if (yes == 1 && opt.ids)
				ctx_buf_addf(&cli_out.buf, "%s\n", page[i].session_id);
			else if (yes == 1)
				ctx_session_print(&cli_out.buf, &page[i]);
			opt.filter.after_no = page[i].no;
			ctx_session_release(&page[i]);
		}
		if (rc == 0)
			rc = n < 0 ? -1 : cli_flush_some(err);
	}
	return rc;
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	struct ctx_store *st;
	int rc = 0;

	if (cli_no_operands(argc, argv, err) < 0 || make_filter(err) < 0 ||
	    cli_store_open(&st, 0, err) < 0)
		return -1;
	if (opt.tokenizer != NULL) {
		cli_common.tokenizer = opt.tokenizer;
		rc = cli_tokenizer_open(&tokenizer, err);
	}
	if (rc == 0)
		rc = print_session_list(st, err);
	if (rc == 0)
		rc = note_unknown(err);
	ctx_tokenizer_close(tokenizer);
	ctx_tracker_free(tracker);
	ctx_store_close(st);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-list",
    .synopsis =
	"[-1a] [-u USER] [--status STATUS] [--idle TIME] [--expired] [OPTION ...]",
    .about = "Selects sessions and prints their records, in the order of their creation.",
    .options = options,
    .run = run,
};

int
main(int argc, char **argv)
{
	ctx_session_filter_init(&opt.filter);
	return cli_main(&command, argc, argv);
}
