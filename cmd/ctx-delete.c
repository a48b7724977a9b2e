#include "cli.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/erase.h"
#include "archive/place.h"
#include "base/mem.h"
#include "json/json.h"

#define AT_ONCE 256 /* archives that one run of ctx-archive searches */

static struct {
	struct cli_list session;
	const char *user, *hold, *archive;
	bool purge, restore, receipt, release, dry_run;
} opt;

static struct cli_option options[] = {
    {"session", 's', "SID", "the session (repeatable); else those of the records read",
	CLI_LIST, &opt.session, NULL},
    {"user", 'u', "ID",
	"all sessions of this user; with --purge all that is known of them", CLI_STRING,
	&opt.user, NULL},
    {"purge", 0, NULL, "remove for good, from the store and from archives", CLI_FLAG,
	&opt.purge, NULL},
    {"receipt", 0, NULL,
	"with --purge: look for the removed bytes, and say what was found", CLI_FLAG,
	&opt.receipt, NULL},
    {"to", 0, "DEST", "with --purge: where archives are, to look for what is left there",
	CLI_STRING, &opt.archive, "CTX_ARCHIVE"},
    {"restore", 0, NULL, "take a deletion back that was not purged yet", CLI_FLAG,
	&opt.restore, NULL},
    {"hold", 0, "REASON", "refuse every deletion from now on", CLI_STRING, &opt.hold,
	NULL},
    {"release", 0, NULL, "end a hold", CLI_FLAG, &opt.release, NULL},
    {"dry-run", 'n', NULL, "change nothing, print what would be done", CLI_FLAG,
	&opt.dry_run, NULL},
    CLI_QUIET_OPTION,
    CLI_STORE_OPTIONS,
    CLI_END,
};

static struct ctx_store *store;
static struct ctx_erase erase;
static int64_t refused;
static struct ctx_buf done; /* records of what was purged, to print once it is gone */

/* ---- records ---- */

static void
open_record(const char *action, const char *session_id)
{
	cli_record_open("deletion", session_id, action, opt.dry_run);
}

static int
add_event(const struct ctx_session *s, const char *what, const char *reason,
    struct ctx_err *err)
{
	struct ctx_buf event = CTX_BUF_INIT;
	int64_t now = cli_now(), id;
	int rc;

	ctx_json_put_open(&event, '{');
	ctx_json_add_str(&event, "kind", "event");
	ctx_json_add_str(&event, "session_id", s->session_id);
	ctx_json_add_time(&event, "created_at", now);
	ctx_json_add_str(&event, "event", what);
	ctx_json_add_str(&event, "reason", reason);
	ctx_json_put_close(&event, '}');
	rc = ctx_store_event_add(store, s, now, ctx_buf_span(&event), &id, err);
	ctx_buf_release(&event);
	return rc;
}

/* ---- what may be done ---- */

/* In the transaction that does it. */
static int
check_session(const struct ctx_session *s, int64_t last_seq, struct ctx_err *err)
{
	bool deletes = !opt.restore && !opt.release && opt.hold == NULL;

	if (deletes && s->hold != NULL)
		return ctx_err_set(err, CTX_EANSWER,
		    "session '%s' is on hold (%s): left alone", s->session_id, s->hold);
	if (last_seq >= 0 && s->last_seq != last_seq)
		return ctx_err_set(err, CTX_EANSWER,
		    "session '%s' moved on since it was listed: left alone",
		    s->session_id);
	if (!opt.purge && ctx_session_purging(s))
		return ctx_err_set(
		    err, CTX_EANSWER, "session '%s' is being purged", s->session_id);
	if (opt.restore && s->status != CTX_STATUS_DELETED)
		return ctx_err_set(
		    err, CTX_EANSWER, "session '%s' is not deleted", s->session_id);
	if (opt.release && s->hold == NULL)
		return ctx_err_set(
		    err, CTX_EANSWER, "session '%s' is not on hold", s->session_id);
	return 0;
}

static int
find_and_check(
    const char *session_id, int64_t last_seq, struct ctx_session *s, struct ctx_err *err)
{
	if (cli_session_find(store, session_id, s, err) < 0)
		return -1;
	return check_session(s, last_seq, err);
}

/* ---- deletion that can be taken back, holds ---- */

static const char *
change(struct ctx_session *s)
{
	if (opt.hold != NULL || opt.release) {
		free(s->hold);
		s->hold = ctx_mem_str(opt.hold);
		return opt.release ? "release" : "hold";
	}
	if (opt.restore) {
		s->status = s->archive_json != NULL ? CTX_STATUS_ARCHIVED
						    : CTX_STATUS_ACTIVE;
		return "undelete";
	}
	s->status = CTX_STATUS_DELETED;
	return "delete";
}

static int
change_session(const char *session_id, int64_t last_seq, struct ctx_err *err)
{
	struct ctx_session s;
	const char *what = NULL;
	bool already;
	int rc;

	ctx_session_init(&s);
	rc = ctx_store_begin(store, err);
	if (rc == 0)
		rc = find_and_check(session_id, last_seq, &s, err);
	already = rc == 0 && s.status == CTX_STATUS_DELETED && !opt.restore &&
		  !opt.release && opt.hold == NULL;
	if (rc == 0 && !already) {
		what = change(&s);
		rc = add_event(&s, what, opt.hold, err);
		if (rc == 0)
			rc = ctx_store_session_update(store, &s, err);
		if (rc == 0 && !opt.dry_run)
			rc = ctx_store_commit(store, err);
	}
	ctx_store_rollback(store);
	if (already) {
		cli_note("session '%s' is deleted already", session_id);
	} else if (rc == 0) {
		open_record(what, s.session_id);
		ctx_json_add_str(
		    &cli_out.buf, "status", ctx_status_name((enum ctx_status)s.status));
		ctx_json_add_str(&cli_out.buf, "reason", opt.hold);
		ctx_json_add_int(&cli_out.buf, "messages", s.message_count);
		rc = cli_record_close(err);
	}
	ctx_session_release(&s);
	return rc;
}

/* ---- purge ---- */

/* Archives in object storage are ctx-archive's. */
static int
remove_remote(const char *uri, struct ctx_err *err)
{
	const char *args[] = {"--remove", "--", uri, NULL};

	return cli_run_archive(args, err);
}

/* One that is damaged tells of nothing. */
static int
read_archive(const char *address, cli_record_fn *fn, void *arg, struct ctx_err *err)
{
	const char *args[] = {"--cat", "--keep-going", "--quiet", "--", address, NULL};
	int rc = cli_read_archive(args, fn, arg, err);

	return rc < 0 && err->code == CTX_EANSWER ? 0 : rc;
}

static const struct ctx_erase_calls calls = {
    remove_remote, cli_archived_open, read_archive, cli_warn};

static int
purge_session(const char *session_id, int64_t last_seq, struct ctx_err *err)
{
	struct ctx_removed removed = {.messages = 0};
	struct ctx_buf *b = &cli_out.buf;
	struct ctx_session s;
	int rc;

	ctx_session_init(&s);
	rc = find_and_check(session_id, last_seq, &s, err);
	removed.messages = s.message_count;
	if (rc == 0 && !opt.dry_run)
		rc = ctx_erase_session(&erase, &s, &removed, err);
	if (rc == 0) {
		open_record("purge", s.session_id);
		ctx_json_add_str(b, "tenant_id", s.tenant_id);
		ctx_json_add_int(b, "messages", removed.messages);
	}
	if (rc == 0 && opt.dry_run) {
		rc = cli_record_close(err);
	} else if (rc == 0) {
		ctx_json_put_close(b, '}');
		ctx_buf_addspan(&done, ctx_buf_span(b));
		ctx_buf_addc(&done, '\n');
		ctx_buf_reset(b);
	}
	ctx_session_release(&s);
	return rc;
}

/* ---- receipt ---- */

static int
scan_record(void *arg, const struct ctx_record *record, struct ctx_err *err)
{
	(void)arg;
	return ctx_scrub_archived(&erase.scrub, record, err);
}

static int
search(const char *const args[], struct ctx_err *err)
{
	int64_t damaged = erase.scrub.archives_damaged;
	int rc = cli_read_archive(args, scan_record, NULL, err);

	if (rc < 0 && err->code == CTX_EANSWER && erase.scrub.archives_damaged > damaged)
		rc = 0;
	return rc;
}

static int
know(const struct ctx_session *s, struct ctx_err *err)
{
	return ctx_erase_know(&erase, s, err);
}

/* Is it searched with all others of the destination? */
static bool
is_there(const char *uri, const char *destination)
{
	struct ctx_err ignored = CTX_ERR_INIT;
	char *dir = NULL, *name = NULL;
	bool there = destination != NULL &&
		     ctx_place_split(uri, &dir, &name, &ignored) == 0 &&
		     strcmp(dir, destination) == 0;

	free(dir);
	free(name);
	return there;
}

/* What the sessions of the store tell of, a few in a run of ctx-archive. */
static int
scan_known(const char *destination, struct ctx_err *err)
{
	const char *args[4 + AT_ONCE + 1] = {"--cat", "--keep-going", "--quiet", "--"};
	struct ctx_session_filter f;
	size_t n = 4;
	int rc;

	ctx_session_filter_init(&f);
	f.status[0] = f.status[1] = f.status[2] = true;
	rc = cli_each_session(store, &f, know, err);
	for (size_t i = 0; rc == 0 && i < erase.known.n; i++) {
		if (!is_there(erase.known.v[i], destination))
			args[n++] = erase.known.v[i];
		if (n > 4 && (n == 4 + AT_ONCE || i == erase.known.n - 1)) {
			args[n] = NULL;
			rc = search(args, err);
			n = 4;
		}
	}
	return rc;
}

/* All archives of the destination, wherever it is, and all that the store knows of. */
static int
scan_archives(struct ctx_err *err)
{
	const char *args[] = {
	    "--cat", "--keep-going", "--quiet", "--to", opt.archive, NULL};
	bool remote = opt.archive != NULL && ctx_place_is_remote(opt.archive);
	char *real = NULL;
	int rc = 0;

	if (opt.archive != NULL)
		real = remote ? ctx_mem_str(opt.archive) : realpath(opt.archive, NULL);
	for (size_t n = real != NULL ? strlen(real) : 0; n > 1 && real[n - 1] == '/'; n--)
		real[n - 1] = '\0';
	if (real != NULL)
		rc = search(args, err);
	if (rc == 0 && erase.sessions > 0)
		rc = scan_known(real, err);
	free(real);
	if (erase.scrub.archives_damaged > 0)
		cli_warn(
		    "%lld archives are damaged, and searched as far as they can be read",
		    (long long)erase.scrub.archives_damaged);
	return rc;
}

static void
add_counts(const struct ctx_needle_counts *counts)
{
	struct ctx_buf *b = &cli_out.buf;

	ctx_json_add_int(b, "sessions", erase.sessions);
	ctx_json_add_int(b, "messages", erase.total.messages);
	ctx_json_add_int(b, "requests", erase.total.requests);
	ctx_json_add_int(b, "events", erase.total.events);
	ctx_json_add_int(b, "additions", erase.total.additions);
	ctx_json_add_int(b, "additions_kept", erase.total.additions_kept);
	ctx_json_add_int(b, "derived", erase.total.derived);
	ctx_json_add_int(b, "archives", erase.archives);
	ctx_json_add_int(b, "bytes_returned", erase.scrub.bytes_returned);
	ctx_json_add_int(b, "bytes_scanned", erase.scrub.bytes_scanned);
	ctx_json_add_int(b, "archives_scanned", erase.scrub.archives_scanned);
	ctx_json_add_int(b, "archives_damaged", erase.scrub.archives_damaged);
	ctx_json_add_int(b, "texts", counts->texts);
	ctx_json_add_int(b, "texts_too_short", counts->too_short);
	ctx_json_add_int(b, "probes", counts->needles);
	ctx_json_add_int(b, "shared", counts->shared);
	ctx_json_add_int(b, "survivors", counts->survivors);
}

/* Also when archives could not be searched: then it says so. */
static int
print_receipt(struct ctx_err *err)
{
	struct ctx_err failure = CTX_ERR_INIT;
	struct ctx_needle_counts counts;
	int rc = scan_archives(&failure);

	ctx_needles_count(erase.scrub.needles, &counts);
	open_record("receipt", NULL);
	ctx_json_add_time(&cli_out.buf, "created_at", cli_now());
	add_counts(&counts);
	if (rc < 0)
		ctx_json_add_str(&cli_out.buf, "not_scanned",
		    opt.archive != NULL ? opt.archive : "archives");
	if (cli_record_close(err) < 0)
		return -1;
	if (rc < 0)
		return ctx_err_set(err, failure.code, "cannot search '%s': %s",
		    opt.archive != NULL ? opt.archive : "archives", failure.msg);
	if (counts.survivors > 0)
		return ctx_err_set(
		    err, CTX_EANSWER, "bytes of what was removed are still there");
	return 0;
}

/* ---- */

static int
act(const char *session_id, int64_t last_seq, struct ctx_err *err)
{
	int rc = opt.purge ? purge_session(session_id, last_seq, err)
			   : change_session(session_id, last_seq, err);

	if (rc < 0 && err->code == CTX_EANSWER) {
		cli_error(err);
		refused++;
		err->code = CTX_OK;
		return 0;
	}
	return rc;
}

static int64_t owned; /* sessions of the user that something was to be done to */

/* Not those that are shared with the user. */
static int
act_on_own(const struct ctx_session *s, struct ctx_err *err)
{
	if (s->user_id == NULL || strcmp(s->user_id, opt.user) != 0 ||
	    (opt.restore && s->status != CTX_STATUS_DELETED) ||
	    (opt.release && s->hold == NULL))
		return 0;
	owned++;
	return act(s->session_id, -1, err);
}

static int
act_on_user(struct ctx_err *err)
{
	struct ctx_session_filter f;

	ctx_session_filter_init(&f);
	f.user_id = opt.user;
	f.status[0] = f.status[1] = f.status[2] = true;
	return cli_each_session(store, &f, act_on_own, err);
}

static bool user_erased; /* there is something to scrub */

/* What is kept of a user outside of sessions. */
static int
erase_user(struct ctx_err *err)
{
	int64_t rows = 0;
	int rc;

	if (!opt.purge || opt.user == NULL)
		return 0;
	rc = ctx_store_begin(store, err);
	if (rc == 0)
		rc = ctx_store_erase_user(store, opt.user, &rows, err);
	if (rc == 0 && !opt.dry_run)
		rc = ctx_store_commit(store, err);
	ctx_store_rollback(store);
	if (rc < 0 || rows == 0)
		return rc;
	open_record("purge", NULL);
	ctx_json_add_str(&cli_out.buf, "user_id", opt.user);
	ctx_json_add_int(&cli_out.buf, "rows", rows);
	user_erased = true;
	return cli_record_close(err);
}

static int
check_options(struct ctx_err *err)
{
	int modes = opt.purge + opt.restore + (opt.hold != NULL) + opt.release;

	if (modes > 1)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--purge, --restore, --hold and --release exclude each other");
	if (opt.receipt && !opt.purge)
		return ctx_err_set(err, CTX_EUSAGE, "--receipt goes with --purge");
	if (opt.user != NULL && opt.session.n > 0)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--user and --session exclude each other");
	if (opt.hold != NULL && *opt.hold == '\0')
		return ctx_err_set(err, CTX_EUSAGE, "--hold: a reason is needed");
	return 0;
}

static int
act_on_all(struct ctx_err *err)
{
	return opt.user != NULL ? act_on_user(err) : cli_listed(&opt.session, act, err);
}

/* Records come when the bytes are gone. */
static int
finish_purge(struct ctx_err *err)
{
	struct ctx_needle_counts counts = {.survivors = 0};
	int rc = 0;

	if (erase.sessions > 0 || user_erased)
		rc = ctx_erase_finish(&erase, &counts, err);
	if (rc == 0) {
		ctx_buf_addspan(&cli_out.buf, ctx_buf_span(&done));
		rc = cli_flush(err);
	}
	if (rc == 0 && opt.receipt)
		return print_receipt(err);
	if (rc == 0 && (erase.sessions > 0 || user_erased))
		cli_note("%lld bytes given back", (long long)erase.scrub.bytes_returned);
	if (rc == 0 && counts.survivors > 0)
		rc = ctx_err_set(
		    err, CTX_EANSWER, "bytes of what was removed are still there");
	return rc;
}

static int
purge_all(struct ctx_err *err)
{
	int lock = -1, rc;

	if (opt.dry_run)
		return act_on_all(err) < 0 ? -1 : erase_user(err);
	rc = ctx_store_task(store, "archive", &lock, err);
	if (rc == 0)
		rc = ctx_err_set(err, CTX_EBUSY,
		    "another ctx-archive or ctx-delete is at work on this store");
	else if (rc == 1)
		rc = ctx_erase_open(&erase, store, &calls, err);
	erase.destination = opt.archive;
	if (rc == 0)
		rc = act_on_all(err);
	if (rc == 0)
		rc = erase_user(err);
	if (rc == 0)
		rc = finish_purge(err);
	ctx_erase_close(&erase);
	ctx_buf_release(&done);
	if (lock >= 0)
		close(lock);
	return rc;
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	int rc;

	if (cli_no_operands(argc, argv, err) < 0 || check_options(err) < 0 ||
	    cli_store_open(&store, 0, err) < 0)
		return -1;
	if (opt.purge)
		rc = purge_all(err);
	else
		rc = act_on_all(err);
	ctx_store_close(store);
	if (rc == 0 && opt.user != NULL && owned == 0 && !user_erased)
		cli_note("nothing to do for user '%s'", opt.user);
	if (rc == 0 && refused > 0)
		return ctx_err_set(
		    err, CTX_EANSWER, "left alone: %lld", (long long)refused);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-delete",
    .synopsis = "[-s SID | -u USER] [OPTION ...]\n"
		"--purge [--receipt] [-s SID | -u USER] [OPTION ...]\n"
		"--restore [-s SID | -u USER]\n"
		"--hold REASON | --release [-s SID | -u USER]",
    .about =
	"Deletes sessions: first so that it can be taken back, with --purge for good.",
    .options = options,
    .run = run,
};

int
main(int argc, char **argv)
{
	return cli_main(&command, argc, argv);
}
