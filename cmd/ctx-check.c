#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/place.h"
#include "archive/save.h"
#include "base/mem.h"
#include "json/json.h"
#include "store/check.h"
#include "store/derived.h"
#include "store/purge.h"
#include "track/track.h"

static struct {
	struct cli_list session;
	const char *backup;
	bool rebuild, catch_up, no_archives;
} opt;

static struct cli_option options[] = {
    {"session", 's', "SID", "check only this session and its archive (repeatable)",
	CLI_LIST, &opt.session, NULL},
    {"no-archives", 0, NULL, "leave archives unread", CLI_FLAG, &opt.no_archives, NULL},
    {"catch-up", 0, NULL, "bring what is derived up to date", CLI_FLAG, &opt.catch_up,
	NULL},
    {"rebuild", 0, NULL, "derive everything again", CLI_FLAG, &opt.rebuild, NULL},
    {"backup", 0, "FILE", "copy the store, as it is at one moment, while it is in use",
	CLI_STRING, &opt.backup, NULL},
    CLI_QUIET_OPTION,
    CLI_STORE_OPTIONS,
    CLI_END,
};

static struct ctx_store *store;
static int64_t findings, sessions;

static int
print_finding(void *arg, const struct ctx_finding *f, struct ctx_err *err)
{
	struct ctx_buf *b = &cli_out.buf;

	(void)arg;
	findings++;
	ctx_json_put_open(b, '{');
	ctx_json_add_str(b, "kind", "diagnostic");
	ctx_json_add_str(b, "check", f->check);
	ctx_json_add_str(b, "severity", "error");
	ctx_json_add_str(b, "session_id", f->session_id);
	if (f->seq > 0)
		ctx_json_add_int(b, "seq", f->seq);
	ctx_json_add_str(b, "message", f->message);
	ctx_json_put_close(b, '}');
	ctx_buf_addc(b, '\n');
	return cli_flush(err);
}

/* ---- archives ---- */

/* The archive of the session against its digest: 0 sound, -1 with the reason. */
static int
verify_local(const struct ctx_session *s, const char *uri, struct ctx_err *err)
{
	char *sha256 = ctx_json_strdup(
	    ctx_json_get(ctx_span_of(s->archive_json), "sha256"));
	struct ctx_archive_info info;
	struct ctx_source src = {.path = uri, .fd = -1};
	char *dir = NULL, *name = NULL;
	int rc = ctx_place_split(uri, &dir, &name, err);

	if (rc == 0 && access(dir, F_OK) == 0) {
		rc = ctx_place_open_dir(&src.blobs, dir, false, err);
		src.name = name;
	}
	if (rc == 0)
		rc = ctx_save_verify(&src, sha256, &info, err);
	if (rc == 1)
		ctx_archive_info_release(&info);
	if (rc == 0)
		rc = ctx_err_set(err, CTX_EANSWER, "it is missing");
	ctx_blobs_close(src.blobs);
	free(sha256);
	free(dir);
	free(name);
	return rc < 0 ? -1 : 0;
}

static int
check_archive(const struct ctx_session *s, struct ctx_err *err)
{
	const char *args[] = {"--verify", "--quiet", "--session", s->session_id, NULL,
	    NULL, NULL, NULL, NULL};
	size_t n = 4;
	struct ctx_err why = CTX_ERR_INIT;
	struct ctx_buf text = CTX_BUF_INIT;
	char *uri = ctx_archive_uri(s);
	int rc = 0;

	if (uri == NULL || opt.no_archives) {
		free(uri);
		return 0;
	}
	if (cli_common.store != NULL) {
		args[n++] = "--store";
		args[n++] = cli_common.store;
	}
	if (s->tenant_id != NULL) {
		args[n++] = "--tenant";
		args[n++] = s->tenant_id;
	}
	rc = ctx_place_is_remote(uri) ? cli_run_archive(args, &why)
				      : verify_local(s, uri, &why);
	if (rc < 0) {
		struct ctx_finding f = {.check = "archive", .session_id = s->session_id};
		ctx_buf_addf(&text, "archive '%s': %s", uri, why.msg);
		f.message = text.p;
		rc = print_finding(NULL, &f, err);
	}
	ctx_buf_release(&text);
	free(uri);
	return rc;
}

/* ---- sessions ---- */

static int
check_session(const struct ctx_session *s, struct ctx_err *err)
{
	sessions++;
	if (ctx_check_session(store, s->no, print_finding, NULL, err) < 0)
		return -1;
	return check_archive(s, err);
}

static int
each_session(
    int (*fn)(const struct ctx_session *s, struct ctx_err *err), struct ctx_err *err)
{
	struct ctx_session_filter f;

	ctx_session_filter_init(&f);
	f.status[0] = f.status[1] = f.status[2] = true;
	return cli_each_session(store, &f, fn, err);
}

static int
check_named(const char *session_id, struct ctx_err *err)
{
	struct ctx_session s;
	int rc;

	ctx_session_init(&s);
	rc = cli_session_find(store, session_id, &s, err);
	if (rc == 0)
		rc = check_session(&s, err);
	ctx_session_release(&s);
	return rc;
}

static int
check(struct ctx_err *err)
{
	int rc;

	if (opt.session.n > 0) {
		rc = cli_sessions(&opt.session, check_named, err);
	} else {
		rc = ctx_check_integrity(store, print_finding, NULL, err);
		if (rc == 0)
			rc = ctx_check_strays(store, print_finding, NULL, err);
		if (rc == 0)
			rc = each_session(check_session, err);
	}
	if (rc < 0)
		return -1;
	cli_note("%lld sessions checked, %lld findings", (long long)sessions,
	    (long long)findings);
	if (findings > 0)
		return ctx_err_set(
		    err, CTX_EANSWER, "the store is not what it should be");
	return 0;
}

/* ---- derived data ---- */

static const struct ctx_derived_kind *kind;

static int
catch_up_session(const struct ctx_session *s, struct ctx_err *err)
{
	int64_t mark;

	if (s->status == CTX_STATUS_DELETED || ctx_archive_cleaned(s))
		return 0;
	if (ctx_derived_mark(store, kind->name, s, &mark, err) < 0)
		return -1;
	return mark >= s->last_seq ? 0 : kind->catch_up(store, s, err);
}

/* Who is named: a tracker has the names of one tenant. */
static struct ctx_tracker *tracker;
static char *tenant;

static void
warn(void *arg, const char *text)
{
	(void)arg;
	cli_warn("%s", text);
}

static int
track_session(const struct ctx_session *s, struct ctx_err *err)
{
	const char *of = s->tenant_id == NULL ? "" : s->tenant_id;

	if (s->status == CTX_STATUS_DELETED)
		return 0;
	if (tracker == NULL || strcmp(tenant, of) != 0) {
		ctx_tracker_free(tracker);
		free(tenant);
		tenant = ctx_mem_str(of);
		if (ctx_tracker_open(&tracker, store, of, warn, NULL, err) < 0)
			return -1;
	}
	return ctx_tracker_catch_up(tracker, s, err);
}

static int
clear_kinds(struct ctx_err *err)
{
	int rc = 0;

	if (!ctx_derived_exists(store))
		return 0;
	if (ctx_derived_begin(store, err) < 0)
		return -1;
	for (const struct ctx_derived_kind *const *k = ctx_derived_kinds;
	     rc == 0 && *k != NULL; k++)
		rc = (*k)->clear(store, err);
	if (rc == 0)
		rc = ctx_derived_commit(store, err);
	ctx_derived_rollback(store);
	return rc;
}

static int
derive(struct ctx_err *err)
{
	int rc = opt.rebuild ? clear_kinds(err) : 0;

	for (const struct ctx_derived_kind *const *k = ctx_derived_kinds;
	     rc == 0 && *k != NULL; k++) {
		kind = *k;
		if (kind->catch_up != NULL)
			rc = each_session(catch_up_session, err);
	}
	if (rc == 0)
		rc = each_session(track_session, err);
	ctx_tracker_free(tracker);
	free(tenant);
	return rc;
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	int rc;

	if (cli_no_operands(argc, argv, err) < 0)
		return -1;
	if ((opt.backup != NULL) + opt.rebuild + opt.catch_up > 1)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--backup, --rebuild and --catch-up exclude each other");
	if (cli_store_open(&store, false, false, err) < 0)
		return -1;
	if (opt.backup != NULL)
		rc = ctx_store_backup(store, opt.backup, err);
	else
		rc = opt.rebuild || opt.catch_up ? derive(err) : check(err);
	ctx_store_close(store);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-check",
    .synopsis =
	"[-s SID] [--no-archives] [OPTION ...]\n--catch-up | --rebuild\n--backup FILE",
    .about = "Checks the store and its archives, and derives again what is derived.",
    .options = options,
    .run = run,
};

int
main(int argc, char **argv)
{
	return cli_main(&command, argc, argv);
}
