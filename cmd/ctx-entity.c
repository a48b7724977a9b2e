#include "entity.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/plural.h"
#include "track/batch.h"
#include "track/change.h"
#include "track/resolve.h"
#include "track/session.h"

struct entity_options opt = {
    .max = -1, .seq = -1, .timeout = 30000, .ttl = CTX_RESOLVE_TTL};

static struct cli_option options[] = {
    {"session", 's', "SID", "of this session (repeatable)", CLI_LIST, &opt.session, NULL},
    {"type", 0, "TYPE", "only of this type", CLI_STRING, &opt.type, NULL},
    {"target-type", 0, "TYPE", "relate, merge: type of the second entity", CLI_STRING,
	&opt.target_type, NULL},
    {"seq", 0, "N", "list: only of this message, with its mentions", CLI_INT, &opt.seq,
	NULL},
    {"action", 0, "ACTION", "track: what the session did with the entities", CLI_STRING,
	&opt.action, NULL},
    {"max", 'n', "N", "list, find, show: at most N", CLI_INT, &opt.max, NULL},
    {"sessions", 0, NULL, "find: print the sessions that mention it", CLI_FLAG,
	&opt.sessions, NULL},
    {"remove", 0, NULL, "load, relate, alias, track: take away instead", CLI_FLAG,
	&opt.remove, NULL},
    {"replace", 0, NULL, "load: what an entity's record lacks is taken away", CLI_FLAG,
	&opt.replace, NULL},
    {"rebuild", 0, NULL, "track: forget what was found and begin anew", CLI_FLAG,
	&opt.rebuild, NULL},
    {"resolve-exec", 0, "CMD", "resolve: a shell command that knows entities", CLI_STRING,
	&opt.resolve, "CTX_RESOLVE_EXEC"},
    {"exec-timeout", 0, "TIME", "how long it may take (default 30s)", CLI_DURATION,
	&opt.timeout, "CTX_EXEC_TIMEOUT"},
    {"resolve-ttl", 0, "TIME", "how long its answers hold (default 1h)", CLI_DURATION,
	&opt.ttl, "CTX_RESOLVE_TTL"},
    {"quiet", 'q', NULL, "print no records", CLI_FLAG, &cli_common.quiet, NULL},
    CLI_STORE_OPTIONS,
    CLI_END,
};

struct ctx_store *store;
struct ctx_tracker *tracker;
const char *tenant = "";

static void
warn_entity_command(void *arg, const char *text)
{
	(void)arg;
	cli_warn("%s", text);
}

int
open_tracker(struct ctx_err *err)
{
	return tracker != NULL ? 0
			       : ctx_tracker_open(&tracker, store, tenant,
				     warn_entity_command, NULL, err);
}

int
open_session(const char *session_id, struct ctx_session *s, struct ctx_err *err)
{
	int rc = cli_session_find(store, session_id, s, err);
	const char *of = s->tenant_id == NULL ? "" : s->tenant_id;

	if (rc == 0 && s->status == CTX_STATUS_DELETED)
		rc = cli_deleted(session_id, err);
	if (rc == 0 && strcmp(of, tenant) != 0) {
		ctx_tracker_free(tracker);
		tracker = NULL;
		tenant = ctx_mem_str(of); /* lives as long as the process */
	}
	if (rc == 0)
		rc = open_tracker(err);
	return rc == 0 ? ctx_tracker_catch_up(tracker, s, err) : rc;
}

/* ---- load ---- */

static int
print_loaded(void *arg, int64_t no, struct ctx_err *err)
{
	(void)arg;
	return cli_common.quiet ? 0 : print_entity(no, NULL, NULL, err);
}

/* What stands before a bad record stays, and is told. */
static int
load_batch(struct ctx_load_batch *b, struct ctx_loader *l, const struct cli_input *in,
    struct ctx_err *err)
{
	struct ctx_err flushing = CTX_ERR_INIT;
	long bad;
	int rc = ctx_load_batch_run(b, l, opt.remove, print_loaded, NULL, &bad, err);

	if (bad > 0)
		ctx_err_prefix(err, "%s:%ld", ctx_reader_name(in->reader), bad);
	if ((rc == 0 || bad > 0) && cli_flush(&flushing) < 0) {
		*err = flushing;
		return -1;
	}
	return rc;
}

static int
finish_load(struct ctx_loader *l, struct ctx_err *err)
{
	struct ctx_buf first = CTX_BUF_INIT;
	size_t missing = 0;
	int rc = ctx_store_begin(store, err);

	if (rc == 0)
		rc = ctx_loader_finish(l, &missing, &first, err);
	if (rc == 0)
		rc = ctx_store_commit(store, err);
	ctx_store_rollback(store);
	if (rc == 0 && missing > 0)
		cli_warn(
		    "%zu relation%s to no single known entity, the first to '%s': left out",
		    missing, CTX_PLURAL_OF(missing, " leads", "s lead"), first.p);
	ctx_buf_release(&first);
	return rc;
}

static int
load_entities(void *arg, int argc, char **argv, struct ctx_err *err)
{
	struct ctx_load_batch *b = ctx_load_batch_new();
	struct ctx_loader *l = ctx_loader_new(store, tenant, cli_now());
	struct ctx_err before = CTX_ERR_INIT;
	struct cli_input in;
	struct ctx_span line;
	int rc;

	(void)arg;
	if (opt.replace)
		ctx_loader_replace(l);
	cli_input_open(&in, argc, argv);
	while ((rc = cli_input_next(&in, &line, err)) == 1) {
		if ((!ctx_load_batch_add(b, line, ctx_reader_line(in.reader)) ||
			!ctx_reader_ready(in.reader)) &&
		    load_batch(b, l, &in, err) < 0)
			break;
	}
	if (rc < 0 && err->code != CTX_EIO)
		cli_input_blame(&in, err);
	if (rc <= 0 && load_batch(b, l, &in, rc < 0 ? &before : err) < 0)
		rc = -1;
	/* what stands before a bad record stays with its relations */
	if ((rc == 0 || err->code == CTX_EINPUT) &&
	    finish_load(l, rc == 0 ? err : &before) < 0)
		rc = -1;
	cli_input_close(&in);
	ctx_load_batch_free(b);
	ctx_loader_free(l);
	return rc == 0 ? 0 : -1;
}

/* ---- relate, alias, merge ---- */

static int
print_changed(int64_t no, struct ctx_err *err)
{
	opt.type = NULL;
	return cli_common.quiet ? 0 : print_entity(no, NULL, NULL, err);
}

static int
relate_entities(void *arg, int argc, char **argv, struct ctx_err *err)
{
	int64_t no;

	(void)arg;
	if (argc != 3)
		return ctx_err_set(
		    err, CTX_EUSAGE, "relate: give a name, a relation and another name");
	if (ctx_change_relate(store, tenant, (struct ctx_named){opt.type, argv[0]},
		argv[1], (struct ctx_named){opt.target_type, argv[2]}, opt.remove, &no,
		err) < 0)
		return -1;
	return print_changed(no, err);
}

static int
alias_entity(void *arg, int argc, char **argv, struct ctx_err *err)
{
	int64_t no;

	(void)arg;
	if (argc < 2)
		return ctx_err_set(
		    err, CTX_EUSAGE, "alias: give a name, and other names for it");
	if (ctx_change_alias(store, tenant, (struct ctx_named){opt.type, argv[0]},
		argv + 1, argc - 1, opt.remove, &no, err) < 0)
		return -1;
	return print_changed(no, err);
}

static int
merge_entities(void *arg, int argc, char **argv, struct ctx_err *err)
{
	int64_t no;

	(void)arg;
	if (argc != 2)
		return ctx_err_set(err, CTX_EUSAGE,
		    "merge: give the name to give up, and the one to keep");
	if (ctx_change_merge(store, tenant, (struct ctx_named){opt.type, argv[0]},
		(struct ctx_named){opt.target_type, argv[1]}, &no, err) < 0)
		return -1;
	return print_changed(no, err);
}

/* ---- resolve ---- */

static struct ctx_resolver *resolver;
static const char *resolver_tenant;

/* One for each tenant: what it says of a thing of one is not for others. */
static void
open_resolver(void)
{
	struct ctx_resolver_options o = {
	    .exec = {.command = opt.resolve, .timeout_ms = opt.timeout},
	    .tenant = tenant,
	    .now = cli_now(),
	    .ttl_ms = opt.ttl};

	if (resolver != NULL && resolver_tenant == tenant)
		return;
	ctx_resolver_free(resolver);
	resolver = ctx_resolver_new(store, &o);
	resolver_tenant = tenant;
}

/* What a session mentions and nobody has loaded with data. */
static int
resolve_session(void *arg, const struct cli_listed *listed, struct ctx_err *err)
{
	struct ctx_err why = CTX_ERR_INIT;
	struct ctx_session s;
	int rc;

	(void)arg;
	ctx_session_init(&s);
	rc = open_session(listed->session_id, &s, err);
	if (rc == 0)
		open_resolver();
	if (rc == 0)
		rc = ctx_entity_resolve(
		    &cli_out.buf, store, resolver, &s, opt.type, cli_now(), &why, err);
	if (rc == 0 && why.code != CTX_OK)
		cli_warn("%s", why.msg);
	if (rc == 0)
		rc = cli_flush(err);
	ctx_session_release(&s);
	return rc;
}

static int
resolve_entities(void *arg, int argc, char **argv, struct ctx_err *err)
{
	int rc;

	(void)arg;
	if (cli_no_operands(argc, argv, err) < 0)
		return -1;
	if (opt.resolve == NULL)
		return ctx_err_set(
		    err, CTX_EUSAGE, "resolve: by which command? (--resolve-exec CMD)");
	rc = cli_sessions(&opt.session, resolve_session, NULL, err);
	ctx_resolver_free(resolver);
	return rc;
}

/* ---- track ---- */

static int
track_entity_session(void *arg, const struct cli_listed *listed, struct ctx_err *err)
{
	struct ctx_session s;
	int rc;

	(void)arg;
	ctx_session_init(&s);
	rc = open_session(listed->session_id, &s, err);
	if (rc == 0 && opt.rebuild)
		rc = ctx_tracker_rebuild(tracker, &s, err);
	ctx_session_release(&s);
	return rc == 0 && !cli_common.quiet ? list_session(NULL, listed, err) : rc;
}

/* Link the session that is open to a named entity, or remove the link. */
static int
link_entity(struct ctx_session *s, const char *name, struct ctx_err *err)
{
	struct ctx_entity_use use;
	int64_t no = 0;
	int rc = ctx_change_link(store, tenant, s, (struct ctx_named){opt.type, name},
	    opt.remove ? NULL : opt.action, cli_now(), &no, err);

	if (rc < 0 || cli_common.quiet)
		return rc;
	rc = ctx_mention_use(store, s, no, &use, err);
	return rc < 0 ? -1 : rc == 0 ? 0 : print_entity(no, s, &use, err);
}

static char **linked;
static int n_linked;

static int
link_session(void *arg, const struct cli_listed *listed, struct ctx_err *err)
{
	struct ctx_session s;
	int rc;

	(void)arg;
	ctx_session_init(&s);
	rc = open_session(listed->session_id, &s, err);
	for (int i = 0; rc == 0 && i < n_linked; i++)
		rc = link_entity(&s, linked[i], err);
	ctx_session_release(&s);
	return rc;
}

static int
track_entities(void *arg, int argc, char **argv, struct ctx_err *err)
{
	(void)arg;
	if ((opt.action != NULL || opt.remove) && argc == 0)
		return ctx_err_set(err, CTX_EUSAGE, "track: give the name of an entity");
	if (argc > 0 && opt.action == NULL && !opt.remove)
		return ctx_err_set(err, CTX_EUSAGE,
		    "track: what did the session do with '%s'? (--action created)",
		    argv[0]);
	if (argc > 0) {
		linked = argv;
		n_linked = argc;
		return cli_sessions(&opt.session, link_session, NULL, err);
	}
	return cli_no_operands(argc, argv, err) < 0
		   ? -1
		   : cli_sessions(&opt.session, track_entity_session, NULL, err);
}

/* ---- */

static int
run(int argc, char **argv, struct ctx_err *err)
{
	static const struct cli_action actions[] = {{"load", load_entities},
	    {"list", list}, {"find", find}, {"show", show}, {"relate", relate_entities},
	    {"alias", alias_entity}, {"merge", merge_entities},
	    {"resolve", resolve_entities}, {"track", track_entities}, {NULL, NULL}};
	static const char *const takes[] = {"remove replace", "session seq type max",
	    "session sessions type max", "session type max", "remove type target-type",
	    "remove type", "type target-type",
	    "session type resolve-exec exec-timeout resolve-ttl",
	    "session rebuild type action remove max"};
	const struct cli_action *action = cli_action(actions, argc, argv, err);
	int rc;

	if (action == NULL)
		return -1;
	if (cli_common.tenant != NULL)
		tenant = cli_common.tenant;
	if (opt.action != NULL && (action->fn != track_entities || opt.remove))
		return ctx_err_set(
		    err, CTX_EUSAGE, "--action goes with track, without --remove");
	if (opt.seq >= 0 && opt.session.n != 1)
		return ctx_err_set(err, CTX_EUSAGE, "--seq needs one -s SID");
	if (opt.remove && opt.replace)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--remove and --replace exclude each other");
	if (opt.sessions && opt.session.n > 0)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--session and --sessions cannot be used together");
	if (cli_check_form(action->name, takes[action - actions], err) < 0)
		return -1;
	if (action->fn == load_entities && !opt.remove && cli_check_tenant(err) < 0)
		return -1;
	if (cli_store_open(&store, action->fn == load_entities ? CLI_CREATE : 0, err) < 0)
		return -1;
	rc = action->fn(NULL, argc - 1, argv + 1, err);
	if (rc == 0)
		rc = cli_flush(err);
	ctx_tracker_free(tracker);
	ctx_store_close(store);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-entity",
    .synopsis = "load [--remove | --replace] [FILE ...]\n"
		"list [-s SID [--seq N]] [--type TYPE] [-n N]\n"
		"find [--type TYPE] [-s SID | --sessions] NAME ...\n"
		"show -s SID NAME\n"
		"relate [--remove] NAME RELATION NAME\n"
		"alias [--remove] NAME ALIAS ...\n"
		"merge NAME INTO\n"
		"resolve [-s SID] --resolve-exec CMD\n"
		"track [-s SID] [--rebuild]\n"
		"track [-s SID] [--type TYPE] --action ACTION | --remove NAME ...",
    .about =
	"Loads the names of things, finds them in sessions, and tells what is known of them.",
    .options = options,
    .run = run,
};

int
main(int argc, char **argv)
{
	return cli_main(&command, argc, argv);
}
