#include "entity.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "entity/batch.h"
#include "entity/change.h"
#include "entity/resolve.h"
#include "entity/session.h"
#include "store/derived.h"

static struct entity_work entity_work = {
    .opt = {.max = -1, .seq = -1, .timeout = 30000, .ttl = CTX_RESOLVE_TTL},
    .tenant = "",
};

static struct cli_option options[] = {
    {"session", 's', "SID", "limit to entities of this session (repeatable)", CLI_LIST,
	&entity_work.opt.session, NULL},
    {"type", 0, "TYPE", "limit to entities of this type", CLI_STRING,
	&entity_work.opt.type, NULL},
    {"target-type", 0, "TYPE", "ctx-entity relate, merge: type of the second entity",
	CLI_STRING, &entity_work.opt.target_type, NULL},
    {"seq", 0, "N", "ctx-entity list: print only entities that message N mentions",
	CLI_INT, &entity_work.opt.seq, NULL},
    {"action", 0, "ACTION",
	"ctx-entity track: what the session did with the entities, such as created",
	CLI_STRING, &entity_work.opt.action, NULL},
    {"max", 'n', "N", "ctx-entity list, find, show: print at most N records", CLI_INT,
	&entity_work.opt.max, NULL},
    {"sessions", 0, NULL, "ctx-entity find: print the sessions that mention the entity",
	CLI_FLAG, &entity_work.opt.sessions, NULL},
    {"remove", 0, NULL, "ctx-entity load, relate, alias, track: remove instead of adding",
	CLI_FLAG, &entity_work.opt.remove, NULL},
    {"replace", 0, NULL,
	"ctx-entity load: clear stored members that the input record does not have",
	CLI_FLAG, &entity_work.opt.replace, NULL},
    {"rebuild", 0, NULL,
	"ctx-entity track: discard all mentions and scan the session again", CLI_FLAG,
	&entity_work.opt.rebuild, NULL},
    {"resolve-exec", 0, "CMD", "ctx-entity resolve: shell command that looks up entities",
	CLI_STRING, &entity_work.opt.resolve, "CTX_RESOLVE_EXEC"},
    {"exec-timeout", 0, "TIME",
	"ctx-entity resolve: time limit of the command (default 30s)", CLI_TIMEOUT,
	&entity_work.opt.timeout, "CTX_EXEC_TIMEOUT"},
    {"resolve-ttl", 0, "TIME",
	"ctx-entity resolve: how long results are valid (default 1h)", CLI_DURATION,
	&entity_work.opt.ttl, "CTX_RESOLVE_TTL"},
    {"quiet", 'q', NULL, "do not print records", CLI_FLAG, &cli_common.quiet, NULL},
    CLI_STORE_OPTIONS,
    CLI_END,
};

int
open_tracker(struct entity_work *ent, struct ctx_err *err)
{
	return ent->tracker != NULL ? 0
				    : ctx_tracker_open(&ent->tracker, ent->store,
					  ent->tenant, cli_warn_text, NULL, err);
}

int
open_session(struct entity_work *ent, const char *session_id, struct ctx_session *s,
    struct ctx_err *err)
{
	int rc = cli_session_open(ent->store, session_id, s, err);
	const char *of = s->tenant_id == NULL ? "" : s->tenant_id;

	if (rc == 0 && strcmp(of, ent->tenant) != 0) {
		ctx_tracker_free(ent->tracker);
		ent->tracker = NULL;
		ent->tenant = ctx_mem_str(of); /* freed when the process ends */
	}
	if (rc == 0)
		rc = open_tracker(ent, err);
	return rc == 0 ? ctx_tracker_catch_up(ent->tracker, s, err) : rc;
}

/* ---- load ---- */

static int
print_loaded(void *arg, int64_t no, struct ctx_err *err)
{
	struct entity_work *ent = arg;

	return cli_common.quiet ? 0 : print_entity(ent, no, NULL, NULL, err);
}

/* Stores the records before an invalid one, and prints them. */
static int
load_batch(struct entity_work *ent, struct ctx_load_batch *b, struct ctx_loader *l,
    const struct cli_input *in, struct ctx_err *err)
{
	struct ctx_err flushing = CTX_ERR_INIT;
	long bad;
	int rc = ctx_load_batch_run(b, l, ent->opt.remove, print_loaded, ent, &bad, err);

	if (bad > 0)
		ctx_err_prefix(err, "%s:%ld", ctx_reader_name(in->reader), bad);
	if ((rc == 0 || bad > 0) && cli_flush(&flushing) < 0) {
		*err = flushing;
		return -1;
	}
	return rc;
}

static int
finish_load(struct entity_work *ent, struct ctx_loader *l, struct ctx_err *err)
{
	struct ctx_buf first = CTX_BUF_INIT;
	size_t missing = 0;
	int rc = ctx_store_begin(ent->store, err);

	if (rc == 0)
		rc = ctx_loader_finish(l, &missing, &first, err);
	rc = ctx_store_end(ent->store, rc, err);
	if (rc == 0 && missing > 0)
		cli_warn(
		    "%zu relation%s because the target entity is unknown or ambiguous (first such target: '%s')",
		    missing, CTX_PLURAL_OF(missing, " was skipped", "s were skipped"),
		    first.p);
	ctx_buf_release(&first);
	return rc;
}

static int
load_entities(void *arg, int argc, char **argv, struct ctx_err *err)
{
	struct entity_work *ent = arg;
	struct ctx_load_batch *b = ctx_load_batch_new();
	struct ctx_loader *l = ctx_loader_new(ent->store, ent->tenant, cli_now());
	struct ctx_err before = CTX_ERR_INIT;
	struct cli_input in;
	struct ctx_span line;
	int rc;

	if (ent->opt.replace)
		ctx_loader_replace(l);
	cli_input_open(&in, argc, argv);
	while ((rc = cli_input_next(&in, &line, err)) == 1) {
		if ((!ctx_load_batch_add(b, line, ctx_reader_line(in.reader)) ||
			!ctx_reader_ready(in.reader)) &&
		    load_batch(ent, b, l, &in, err) < 0)
			break;
	}
	if (rc < 0 && err->code != CTX_EIO)
		cli_input_blame(&in, err);
	if (rc <= 0 && load_batch(ent, b, l, &in, rc < 0 ? &before : err) < 0)
		rc = -1;
	/* the records before an invalid one are stored with their relations */
	if ((rc == 0 || err->code == CTX_EINPUT) &&
	    finish_load(ent, l, rc == 0 ? err : &before) < 0)
		rc = -1;
	cli_input_close(&in);
	ctx_load_batch_free(b);
	ctx_loader_free(l);
	return rc == 0 ? 0 : -1;
}

/* ---- relate, alias, merge ---- */

static int
print_changed(struct entity_work *ent, int64_t no, struct ctx_err *err)
{
	ent->opt.type = NULL;
	return cli_common.quiet ? 0 : print_entity(ent, no, NULL, NULL, err);
}

static int
relate_entities(void *arg, int argc, char **argv, struct ctx_err *err)
{
	struct entity_work *ent = arg;
	int64_t no;

	if (argc != 3)
		return ctx_err_set(
		    err, CTX_EUSAGE, "relate needs a name, a relation and another name");
	if (ctx_change_relate(ent->store, ent->tenant,
		(struct ctx_named){ent->opt.type, argv[0]}, argv[1],
		(struct ctx_named){ent->opt.target_type, argv[2]}, ent->opt.remove, &no,
		err) < 0)
		return -1;
	return print_changed(ent, no, err);
}

static int
alias_entity(void *arg, int argc, char **argv, struct ctx_err *err)
{
	struct entity_work *ent = arg;
	int64_t no;

	if (argc < 2)
		return ctx_err_set(
		    err, CTX_EUSAGE, "alias needs a name and its other names");
	if (ctx_change_alias(ent->store, ent->tenant,
		(struct ctx_named){ent->opt.type, argv[0]}, argv + 1, argc - 1,
		ent->opt.remove, &no, err) < 0)
		return -1;
	return print_changed(ent, no, err);
}

static int
merge_entities(void *arg, int argc, char **argv, struct ctx_err *err)
{
	struct entity_work *ent = arg;
	int64_t no;

	if (argc != 2)
		return ctx_err_set(err, CTX_EUSAGE,
		    "merge needs two names: the one to remove and the one to keep");
	if (ctx_change_merge(ent->store, ent->tenant,
		(struct ctx_named){ent->opt.type, argv[0]},
		(struct ctx_named){ent->opt.target_type, argv[1]}, &no, err) < 0)
		return -1;
	return print_changed(ent, no, err);
}

/* ---- resolve ---- */

/* Opens a resolver for the current tenant. What a resolver says about one tenant's
 * entities is not used for another tenant. */
static void
open_resolver(struct entity_work *ent)
{
	struct ctx_resolver_options o = {
	    .exec = {.command = ent->opt.resolve, .timeout_ms = ent->opt.timeout},
	    .tenant = ent->tenant,
	    .now = cli_now(),
	    .ttl_ms = ent->opt.ttl};

	if (ent->resolver != NULL && ent->resolver_tenant == ent->tenant)
		return;
	ctx_resolver_free(ent->resolver);
	ent->resolver = ctx_resolver_new(ent->store, &o);
	ent->resolver_tenant = ent->tenant;
}

/* Resolves the entities that a session mentions and that nobody has loaded with data. */
static int
resolve_session(void *arg, const struct cli_listed *listed, struct ctx_err *err)
{
	struct entity_work *ent = arg;
	struct ctx_err why = CTX_ERR_INIT;
	struct ctx_session s = CTX_SESSION_INIT;
	int rc = open_session(ent, listed->session_id, &s, err);

	if (rc == 0)
		open_resolver(ent);
	if (rc == 0)
		rc = ctx_entity_resolve(&cli_out.buf, ent->store, ent->resolver, &s,
		    ent->opt.type, cli_now(), &why, err);
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
	struct entity_work *ent = arg;
	int rc;

	if (cli_no_operands(argc, argv, err) < 0)
		return -1;
	if (ent->opt.resolve == NULL)
		return ctx_err_set(err, CTX_EUSAGE, "resolve needs --resolve-exec CMD");
	rc = cli_sessions(ent->store, &ent->opt.session, resolve_session, ent, err);
	ctx_resolver_free(ent->resolver);
	return rc;
}

/* ---- track ---- */

static int
track_entity_session(void *arg, const struct cli_listed *listed, struct ctx_err *err)
{
	struct entity_work *ent = arg;
	struct ctx_session s = CTX_SESSION_INIT;
	int rc = open_session(ent, listed->session_id, &s, err);

	if (rc == 0 && ent->opt.rebuild)
		rc = ctx_tracker_rebuild(ent->tracker, &s, err);
	ctx_session_release(&s);
	return rc == 0 && !cli_common.quiet ? list_session(ent, listed, err) : rc;
}

/* Links the open session to a named entity, or removes the link. */
static int
link_entity(
    struct entity_work *ent, struct ctx_session *s, const char *name, struct ctx_err *err)
{
	struct ctx_entity_use use = {0};
	int64_t no = 0;
	int rc = ctx_change_link(ent->store, ent->tenant, s,
	    (struct ctx_named){ent->opt.type, name},
	    ent->opt.remove ? NULL : ent->opt.action, cli_now(), &no, err);

	if (rc < 0 || cli_common.quiet)
		return rc;
	rc = ctx_mention_use(ent->store, s, no, &use, err);
	return rc < 0 ? -1 : rc == 0 ? 0 : print_entity(ent, no, s, &use, err);
}

static int
link_session(void *arg, const struct cli_listed *listed, struct ctx_err *err)
{
	struct entity_work *ent = arg;
	struct ctx_session s = CTX_SESSION_INIT;
	int rc = open_session(ent, listed->session_id, &s, err);

	for (int i = 0; rc == 0 && i < ent->n_linked; i++)
		rc = link_entity(ent, &s, ent->linked[i], err);
	ctx_session_release(&s);
	return rc;
}

static int
track_entities(void *arg, int argc, char **argv, struct ctx_err *err)
{
	struct entity_work *ent = arg;

	if ((ent->opt.action != NULL || ent->opt.remove) && argc == 0)
		return ctx_err_set(err, CTX_EUSAGE, "track needs the name of an entity");
	if (argc > 0 && ent->opt.action == NULL && !ent->opt.remove)
		return ctx_err_set(err, CTX_EUSAGE,
		    "ctx-entity track: '%s' needs an action (for example --action created)",
		    argv[0]);
	if (argc > 0) {
		ent->linked = argv;
		ent->n_linked = argc;
		return cli_sessions(
		    ent->store, &ent->opt.session, link_session, ent, err);
	}
	return cli_no_operands(argc, argv, err) < 0 ||
		       ctx_derived_check_kept(ent->store, err) < 0
		   ? -1
		   : cli_sessions(
			 ent->store, &ent->opt.session, track_entity_session, ent, err);
}

/* ---- main ---- */

static int
run(int argc, char **argv, struct ctx_err *err)
{
	struct entity_work *ent = &entity_work;
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
		ent->tenant = cli_common.tenant;
	if (ent->opt.action != NULL && (action->fn != track_entities || ent->opt.remove))
		return ctx_err_set(err, CTX_EUSAGE,
		    "--action can only be used with track, without --remove");
	if (ent->opt.seq >= 0 && ent->opt.session.n != 1)
		return ctx_err_set(err, CTX_EUSAGE, "--seq needs one -s SID");
	if (cli_check_alone("remove replace", err) < 0 ||
	    cli_check_alone("session sessions", err) < 0 ||
	    cli_check_form(action->name, takes[action - actions], err) < 0 ||
	    (action->fn == track_entities &&
		(ent->opt.action != NULL || ent->opt.remove) &&
		cli_check_form(ent->opt.remove ? "--remove" : "--action",
		    "session type action remove", err) < 0))
		return -1;
	if (action->fn == load_entities && !ent->opt.remove && cli_check_tenant(err) < 0)
		return -1;
	if (cli_store_open(
		&ent->store, action->fn == load_entities ? CLI_CREATE : 0, err) < 0)
		return -1;
	rc = action->fn(ent, argc - 1, argv + 1, err);
	if (rc == 0)
		rc = cli_flush(err);
	ctx_tracker_free(ent->tracker);
	ctx_store_close(ent->store);
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
	"Loads named entities, finds them in sessions and prints what is known about them.",
    .options = options,
    .run = run,
};

CLI_MAIN(command)
