#include "cli.h"

#include <stdlib.h>
#include <string.h>

#include "archive/save.h"
#include "base/buf.h"
#include "base/mem.h"
#include "entity/track.h"
#include "json/json.h"
#include "store/check.h"
#include "store/derived.h"
#include "store/fulltext.h"
#include "store/purge.h"
#include "store/recount.h"

static struct {
	struct cli_list session;
	const char *backup;
	bool rebuild, catch_up, no_archives;
} opt;

static struct cli_option options[] = {
    {"session", 's', "SID", "check only this session and its archive (repeatable)",
	CLI_LIST, &opt.session, NULL},
    {"no-archives", 0, NULL, "do not read archives", CLI_FLAG, &opt.no_archives, NULL},
    {"catch-up", 0, NULL, "update indexes and entity mentions", CLI_FLAG, &opt.catch_up,
	NULL},
    {"rebuild", 0, NULL, "rebuild indexes and caches", CLI_FLAG, &opt.rebuild, NULL},
    {"backup", 0, "FILE", "copy the store to FILE, even while the store is in use",
	CLI_STRING, &opt.backup, NULL},
    CLI_QUIET_OPTION,
    CLI_STORE_OPTIONS,
    CLI_END,
};

static struct ctx_store *store;
static int64_t findings, sessions;
static int64_t unreachable; /* number of archives that could not be reached */

static int
print_finding(void *arg CTX_UNUSED, const struct ctx_finding *f, struct ctx_err *err)
{
	struct ctx_buf *b = &cli_out.buf;

	findings++;
	ctx_json_print(b,
	    "{'kind':'diagnostic','check':%s,'severity':'error','session_id':%s",
	    f->check, f->session_id);
	if (f->seq > 0)
		ctx_json_add_int(b, "seq", f->seq);
	ctx_json_print(b, "'message':%s}\n", f->message);
	return cli_flush(err);
}

/* ---- archives ---- */

static struct ctx_places places = {.open = ctx_place_open_dir};

/* Verifies an archive; one in object storage by running ctx-archive. Returns a negative
 * value with the reason in *why if the archive is not valid. */
static int
verify_archive(const struct ctx_session *s, const char *uri, struct ctx_err *why)
{
	const char *args[] = {"--verify", "--quiet", "--session", s->session_id,
	    "--tenant", s->tenant_id != NULL ? s->tenant_id : "",
	    cli_common.store != NULL ? "--store" : NULL, cli_common.store, NULL};
	int rc;

	if (ctx_place_is_remote(uri))
		return cli_run_archive(args, why);
	rc = ctx_save_verify_session(&places, s, NULL, why);
	return rc != 0 ? rc : ctx_err_set(why, CTX_EANSWER, "the archive is missing");
}

static int
tell_of_archive(const struct ctx_session *s, const char *uri, const struct ctx_err *why,
    struct ctx_err *err)
{
	struct ctx_finding f = {.check = "archive", .session_id = s->session_id};
	struct ctx_buf text = CTX_BUF_INIT;
	int rc;

	if (why->code == CTX_EIO) {
		cli_warn("archive '%s' of session '%s' cannot be reached: %s", uri,
		    s->session_id, why->msg);
		unreachable++;
		return 0;
	}
	ctx_buf_addf(&text, "archive '%s': %s", uri, why->msg);
	f.message = text.p;
	rc = print_finding(NULL, &f, err);
	ctx_buf_release(&text);
	return rc;
}

/* If the session now has another archive than in *s, or none, sets *now to the session
 * and returns 1. Returns 0 if it has not changed, -1 on error. */
static int
archived_anew(const struct ctx_session *s, struct ctx_session *now, struct ctx_err *err)
{
	int rc = ctx_store_session_get(store, s->no, now, err);

	if (rc == 0 || (rc == 1 && ctx_session_purging(now))) {
		free(now->archive_json); /* there is no archive to check any more */
		now->archive_json = NULL;
		return 1;
	}
	if (rc == 1 && now->archive_json != NULL &&
	    strcmp(now->archive_json, s->archive_json) == 0)
		return 0;
	return rc;
}

/* Checks the archive of a session. The session may be archived, restored or purged
 * meanwhile. */
static int
check_archive(const struct ctx_session *s, struct ctx_err *err)
{
	char *uri = opt.no_archives ? NULL : ctx_archive_uri(s);
	struct ctx_err why = CTX_ERR_INIT;
	struct ctx_session now = CTX_SESSION_INIT;
	int rc = 0;

	if (uri != NULL && verify_archive(s, uri, &why) < 0) {
		rc = archived_anew(s, &now, err);
		if (rc == 0)
			rc = tell_of_archive(s, uri, &why, err);
		else if (rc == 1)
			rc = check_archive(&now, err);
	}
	ctx_session_release(&now);
	free(uri);
	return rc;
}

/* ---- sessions ---- */

static int
check_stored_session(
    void *arg CTX_UNUSED, const struct ctx_session *s, struct ctx_err *err)
{
	sessions++;
	if (ctx_check_session(store, s->no, print_finding, NULL, err) < 0)
		return -1;
	return check_archive(s, err);
}

/* A function that is called for each session. */
struct session_walk {
	cli_session_fn *fn;
};

static int
visit_session(void *arg, const struct ctx_session *s, struct ctx_err *err)
{
	const struct session_walk *walk = arg;
	int rc = walk->fn(NULL, s, err);

	cli_progress(1, "sessions");
	return rc;
}

static int
each_session(cli_session_fn *fn, struct ctx_err *err)
{
	struct session_walk walk = {fn};
	struct ctx_session_filter f = CTX_SESSION_FILTER_INIT;
	int rc;

	f.status[0] = f.status[1] = f.status[2] = true;
	rc = cli_each_session(store, &f, visit_session, &walk, err);
	cli_progress_end();
	return rc;
}

/* Checks the rows of the store. Reading a row with a wrong value fails, but that value
 * was already reported. */
static int
check_store_rows(struct ctx_err *err)
{
	struct ctx_err damage = CTX_ERR_INIT;
	long long before = findings;
	int rc = ctx_check_columns(store, print_finding, NULL, err);

	if (rc == 0)
		rc = ctx_check_derived_columns(store, print_finding, NULL, err);
	if (rc < 0)
		return -1;
	rc = ctx_check_strays(store, print_finding, NULL, &damage);
	if (rc == 0)
		rc = each_session(check_stored_session, &damage);
	if (rc == 0 || (damage.code == CTX_ESTORE && findings > before)) {
		if (rc < 0)
			cli_warn("the check stopped before its end: %s", damage.msg);
		return 0;
	}
	*err = damage;
	return -1;
}

static int
check_whole_store(struct ctx_err *err)
{
	struct session_walk walk = {check_stored_session};
	int rc;

	if (opt.session.n > 0) {
		rc = cli_named_sessions(
		    store, &opt.session, false, visit_session, &walk, err);
	} else {
		rc = ctx_check_integrity(store, print_finding, NULL, err);
		if (rc == 0)
			rc = check_store_rows(err);
	}
	if (rc < 0)
		return -1;
	cli_note("%lld session%s checked, %lld finding%s", (long long)sessions,
	    CTX_PLURAL(sessions), (long long)findings, CTX_PLURAL(findings));
	if (findings > 0)
		return ctx_err_set(err, CTX_EANSWER, "the store has errors");
	if (unreachable > 0)
		return ctx_err_set(err, CTX_EIO, "%lld archive%s cannot be reached",
		    (long long)unreachable, CTX_PLURAL(unreachable));
	return 0;
}

/* ---- derived data ---- */

static const struct ctx_derived_kind *kind;

static int
catch_up_session(void *arg CTX_UNUSED, const struct ctx_session *s, struct ctx_err *err)
{
	int64_t mark;

	if (s->status == CTX_STATUS_DELETED ||
	    (ctx_archive_cleaned(s) && !kind->serves_archived))
		return 0;
	if (ctx_derived_mark(store, kind->name, s->no, &mark, err) < 0)
		return -1;
	return mark >= s->last_seq ? 0 : kind->catch_up(store, s, err);
}

/* Updates the mentions of sessions; opened for one tenant at a time. */
static struct ctx_tracker *tracker;

static int
update_session_tracker(
    void *arg CTX_UNUSED, const struct ctx_session *s, struct ctx_err *err)
{
	if (s->status == CTX_STATUS_DELETED)
		return 0;
	if (ctx_tracker_follow(&tracker, store, s, cli_warn_text, NULL, err) < 0)
		return -1;
	return ctx_tracker_catch_up(tracker, s, err);
}

static int
clear_kinds(struct ctx_err *err)
{
	int rc = 0;

	if (ctx_derived_begin(store, err) < 0)
		return -1;
	for (const struct ctx_derived_kind *const *k = ctx_derived_kinds;
	     rc == 0 && *k != NULL; k++)
		rc = (*k)->clear(store, err);
	return ctx_derived_end(store, rc, err);
}

static int
note_wrong_value(
    void *arg, const struct ctx_finding *f CTX_UNUSED, struct ctx_err *err CTX_UNUSED)
{
	*(bool *)arg = true;
	return 0;
}

/* Clears the derived file. If the file is damaged, or has wrong values after it was
 * cleared, it is removed, to be built again. */
static int
clear_derived_file(struct ctx_err *err)
{
	struct ctx_err damage = CTX_ERR_INIT;
	int rc = ctx_derived_sound(store, err);
	bool wrong = false;

	if (rc < 0 || !ctx_derived_exists(store))
		return rc < 0 ? -1 : 0;
	if (rc == 1 && clear_kinds(&damage) == 0 &&
	    ctx_check_derived_columns(store, note_wrong_value, &wrong, &damage) == 0 &&
	    !wrong)
		return 0;
	if (damage.code != CTX_OK && damage.code != CTX_ESTORE) {
		*err = damage;
		return -1;
	}
	cli_warn("the derived file (indexes and caches) is damaged and will be rebuilt");
	ctx_derived_remove(store);
	return 0;
}

static int64_t lost, fetched;

/* Fetches the texts of sessions that are only in their archives. */
static int
fetch_texts(void *arg CTX_UNUSED, const struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_session there = CTX_SESSION_INIT;
	struct ctx_store *archived = NULL;
	struct ctx_err why = CTX_ERR_INIT;
	int rc;

	if (s->status != CTX_STATUS_ARCHIVED || !ctx_archive_cleaned(s) ||
	    ctx_archive_forgotten(s) || (rc = ctx_fulltext_keeps(store, s, err)) == 1)
		return 0;
	if (rc < 0)
		return -1;
	rc = ctx_store_session_get(store, s->no, &there, err);
	if (rc == 1 && cli_archived_open(&archived, &there, &why) < 0) {
		cli_warn("session '%s' cannot be searched: %s", s->session_id, why.msg);
		lost++;
	} else if (rc == 1 && archived != NULL) {
		rc = ctx_fulltext_keep_from(store, s, archived, there.no, err);
		fetched++;
	}
	ctx_store_close(archived);
	ctx_session_release(&there);
	return rc < 0 ? -1 : 0;
}

static struct ctx_tokenizer *tokenizer;

static int
recount_session(void *arg CTX_UNUSED, const struct ctx_session *s, struct ctx_err *err)
{
	return ctx_recount_catch_up(store, s, tokenizer, err);
}

/* Recounts all messages by one tokenizer. If that tokenizer is not available any more,
 * its counts stay, and windows count again. */
static int
recount_tokenizer_counts(void *arg CTX_UNUSED, const char *name, struct ctx_err *err)
{
	struct ctx_err why = CTX_ERR_INIT;
	int rc;

	cli_common.tokenizer = name;
	if (cli_tokenizer_open(&tokenizer, &why) < 0) {
		cli_warn(
		    "the tokens of stored messages were not counted again: %s", why.msg);
		return 0;
	}
	rc = each_session(recount_session, err);
	ctx_tokenizer_close(tokenizer);
	return rc;
}

static int
update_derived_data(struct ctx_err *err)
{
	int rc = ctx_derived_check_kept(store, err);

	if (rc == 0 && opt.rebuild)
		rc = clear_derived_file(err);
	if (rc == 0)
		rc = each_session(fetch_texts, err);
	if (rc == 0 && fetched > 0)
		/* the fetched texts are added together with the others */
		rc = ctx_fulltext_rebuild(store, err);
	if (rc == 0) /* all sessions together, so that progress covers all of them */
		rc = ctx_fulltext_catch_up(store, NULL, err);
	for (const struct ctx_derived_kind *const *k = ctx_derived_kinds;
	     rc == 0 && *k != NULL; k++) {
		kind = *k;
		if (kind->catch_up != NULL)
			rc = each_session(catch_up_session, err);
	}
	if (rc == 0)
		rc = each_session(update_session_tracker, err);
	ctx_tracker_free(tracker);
	if (rc == 0)
		rc = ctx_recount_names(store, recount_tokenizer_counts, NULL, err);
	if (rc == 0 && lost > 0)
		rc = ctx_err_set(err, CTX_EANSWER,
		    "%lld archive%s cannot be read: repeat --catch-up when the archives can be read",
		    (long long)lost, CTX_PLURAL(lost));
	return rc;
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	int rc;

	if (cli_no_operands(argc, argv, err) < 0 ||
	    cli_check_alone("backup rebuild catch-up", err) < 0)
		return -1;
	if (cli_check_form(opt.backup != NULL ? "--backup"
			   : opt.rebuild      ? "--rebuild"
			   : opt.catch_up     ? "--catch-up"
					      : "checking",
		opt.backup != NULL || opt.rebuild || opt.catch_up
		    ? "backup rebuild catch-up"
		    : "session no-archives",
		err) < 0)
		return -1;
	if (opt.backup != NULL && cli_common.tenant != NULL)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--backup copies the sessions of all tenants: it cannot be used with --tenant or CTX_TENANT");
	if (cli_store_open(&store, 0, err) < 0)
		return -1;
	if (opt.backup != NULL)
		rc = ctx_store_backup(store, opt.backup, err);
	else
		rc = opt.rebuild || opt.catch_up ? update_derived_data(err)
						 : check_whole_store(err);
	if (rc == 0 && opt.backup != NULL)
		ctx_store_task_done(store, "backup", cli_now());
	else if (rc == 0 && !opt.rebuild && !opt.catch_up && opt.session.n == 0 &&
		 cli_common.tenant == NULL)
		ctx_store_task_done(store, "check", cli_now());
	ctx_places_close(&places);
	ctx_store_close(store);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-check",
    .synopsis =
	"[-s SID] [--no-archives] [OPTION ...]\n--catch-up | --rebuild\n--backup FILE",
    .about =
	"Checks the store and its archives, rebuilds indexes and caches, and makes backups.",
    .options = options,
    .run = run,
};

CLI_MAIN(command)
