#include "cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/archive.h"
#include "archive/place.h"
#include "archive/scrub.h"
#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"
#include "store/purge.h"

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
    {"to", 0, "DEST", "with --receipt: look through the archives there too", CLI_STRING,
	&opt.archive, "CTX_ARCHIVE"},
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
static struct ctx_scrub scrub;
static int64_t refused, sessions, archives;
static bool rewrite;        /* bytes may be left that there is no looking for */
static struct ctx_buf done; /* records of what was purged, to print once it is gone */
static struct ctx_session *purged;
static size_t n_purged, cap_purged;
static struct ctx_removed total;

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

/* ---- purge: archives ---- */

struct uris {
	char **v;
	size_t n, cap;
};

static void
add_uri(struct uris *u, char *uri)
{
	for (size_t i = 0; i < u->n; i++)
		if (strcmp(u->v[i], uri) == 0) {
			free(uri);
			return;
		}
	CTX_MEM_GROW(u->v, u->n, u->cap);
	u->v[u->n++] = uri;
}

/* Every archive that the session's events tell of. */
static int
collect_uri(void *arg, struct ctx_span record, int64_t response_seq, struct ctx_err *err)
{
	char *uri = ctx_json_strdup(ctx_json_get(record, "uri"));

	(void)response_seq;
	(void)err;
	if (uri != NULL)
		add_uri(arg, uri);
	return 0;
}

/* Only a file that has the name of this session's archive is one of its archives. */
static bool
is_archive_of(const char *name, const struct ctx_session *s)
{
	struct ctx_buf want = CTX_BUF_INIT;
	bool same;

	ctx_archive_name(&want, s->created_at, ctx_span_of(s->session_id));
	same = strcmp(want.p, name) == 0;
	ctx_buf_release(&want);
	return same;
}

static int
remove_archive(const char *uri, const struct ctx_session *s, struct ctx_err *err)
{
	const char *args[] = {"--remove", "--", uri, NULL};
	struct ctx_blobs *place = NULL;
	char *dir = NULL, *name = NULL;
	struct ctx_err none = CTX_ERR_INIT;
	int rc = 0;

	if (ctx_place_split(uri, &dir, &name, &none) < 0 || !is_archive_of(name, s)) {
		cli_warn("'%s' is not the archive of session '%s': left alone", uri,
		    s->session_id);
	} else if (ctx_place_is_remote(uri)) {
		rc = cli_run_archive(args, err);
		archives++;
	} else if (access(uri, F_OK) == 0 || errno != ENOENT) {
		rc = ctx_place_open_dir(&place, dir, false, err);
		if (rc == 0)
			rc = ctx_blob_delete(place, name, err);
		ctx_blobs_close(place);
		archives++;
	}
	free(dir);
	free(name);
	return rc;
}

static int
remove_archives(const struct ctx_session *s, struct ctx_err *err)
{
	struct uris uris = {NULL, 0, 0};
	char *uri = ctx_archive_uri(s);
	int rc;

	if (uri != NULL)
		add_uri(&uris, uri);
	rc = ctx_store_events(store, s, collect_uri, &uris, err);
	for (size_t i = 0; i < uris.n; i++) {
		if (rc == 0)
			rc = remove_archive(uris.v[i], s, err);
		free(uris.v[i]);
	}
	free(uris.v);
	return rc;
}

/* ---- purge: what to look for afterwards ---- */

/* An archive that can't be read any more must not keep its session from being purged. */
static int
note_messages(const struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_session copy = *s;
	struct ctx_store *archived = NULL;
	struct ctx_err why = CTX_ERR_INIT;
	int rc;

	rewrite = rewrite || ctx_session_purging(s);
	if (!ctx_archive_cleaned(s))
		return ctx_scrub_note(&scrub, store, s, err);
	ctx_session_init(&copy);
	rc = cli_session_find(store, s->session_id, &copy, err);
	if (rc == 0 && cli_archived_open(&archived, &copy, &why) < 0) {
		cli_warn("the archive can't be read, its bytes are not looked for: %s",
		    why.msg);
		rewrite = true;
	} else if (rc == 0)
		rc = ctx_scrub_note(&scrub, archived, &copy, err);
	ctx_store_close(archived);
	ctx_session_release(&copy);
	return rc;
}

/* ---- purge ---- */

/* From here on nobody appends, and a purge that is cut off can be found and repeated. */
static int
mark_deleted(struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_session now;
	int rc;

	ctx_session_init(&now);
	rc = ctx_store_begin(store, err);
	if (rc == 0)
		rc = find_and_check(s->session_id, s->last_seq, &now, err);
	if (rc == 0 && now.no != s->no)
		rc = ctx_err_set(err, CTX_EANSWER,
		    "session '%s' is another one now: left alone", s->session_id);
	if (rc == 0) {
		now.status = CTX_STATUS_DELETED;
		rc = ctx_store_session_update(store, &now, err);
	}
	if (rc == 0)
		rc = ctx_store_commit(store, err);
	ctx_store_rollback(store);
	ctx_session_release(&now);
	return rc;
}

static int
erase(const struct ctx_session *s, struct ctx_removed *removed, struct ctx_err *err)
{
	int rc = ctx_derived_erase(store, s, false, removed, err);

	if (rc == 0)
		rc = ctx_store_begin(store, err);
	if (rc == 0)
		rc = ctx_store_erase(store, s, removed, err);
	if (rc == 0)
		rc = ctx_store_commit(store, err);
	ctx_store_rollback(store);
	return rc;
}

static int
note_purged(struct ctx_session *s, struct ctx_removed *removed, struct ctx_err *err)
{
	if (opt.dry_run || ctx_archive_cleaned(s)) /* its messages were in the archive */
		removed->messages = s->message_count;
	sessions++;
	total.messages += removed->messages;
	total.requests += removed->requests;
	total.events += removed->events;
	total.derived += removed->derived;
	open_record("purge", s->session_id);
	ctx_json_add_int(&cli_out.buf, "messages", removed->messages);
	if (opt.dry_run)
		return cli_record_close(err);
	ctx_json_put_close(&cli_out.buf, '}');
	ctx_buf_addspan(&done, ctx_buf_span(&cli_out.buf));
	ctx_buf_addc(&done, '\n');
	ctx_buf_reset(&cli_out.buf);
	CTX_MEM_GROW(purged, n_purged, cap_purged);
	purged[n_purged++] = *s;
	ctx_session_init(s);
	return 0;
}

static int
purge_session(const char *session_id, int64_t last_seq, struct ctx_err *err)
{
	struct ctx_removed removed = {0, 0, 0, 0};
	struct ctx_session s;
	int rc;

	ctx_session_init(&s);
	rc = find_and_check(session_id, last_seq, &s, err);
	if (rc == 0 && !opt.dry_run) {
		if (note_messages(&s, err) < 0 || mark_deleted(&s, err) < 0 ||
		    remove_archives(&s, err) < 0 || erase(&s, &removed, err) < 0)
			rc = -1;
	}
	if (rc == 0)
		rc = note_purged(&s, &removed, err);
	ctx_session_release(&s);
	return rc;
}

/* The last of it: the rows that a repeated purge would find. */
static int
forget_purged(struct ctx_err *err)
{
	int64_t more = 0;
	int rc = ctx_store_begin(store, err);

	for (size_t i = 0; rc == 0 && i < n_purged; i++)
		rc = ctx_store_forget(store, &purged[i], err);
	if (rc == 0)
		rc = ctx_store_commit(store, err);
	ctx_store_rollback(store);
	if (rc == 0)
		rc = ctx_store_reclaim(store, &more, err);
	if (rc < 0)
		return -1;
	scrub.bytes_returned += more;
	ctx_buf_addspan(&cli_out.buf, ctx_buf_span(&done));
	return cli_flush(err);
}

static void
release_purged(void)
{
	for (size_t i = 0; i < n_purged; i++)
		ctx_session_release(&purged[i]);
	free(purged);
	ctx_buf_release(&done);
}

/* ---- receipt ---- */

/* Archives in object storage are removed, but not looked through. */
static int
scan_archives(struct ctx_err *err)
{
	struct ctx_blobs *place = NULL;
	int rc;

	if (opt.archive == NULL || ctx_place_is_remote(opt.archive) ||
	    access(opt.archive, F_OK) < 0)
		return 0;
	rc = ctx_place_open_dir(&place, opt.archive, false, err);
	if (rc == 0)
		rc = ctx_scrub_archives(&scrub, place, err);
	ctx_blobs_close(place);
	if (scrub.archives_damaged > 0)
		cli_warn(
		    "%lld archives are damaged, and searched as far as they can be read",
		    (long long)scrub.archives_damaged);
	return rc;
}

static int
print_receipt(struct ctx_err *err)
{
	struct ctx_buf *b = &cli_out.buf;
	struct ctx_needle_counts counts;

	if (scan_archives(err) < 0)
		return -1;
	ctx_needles_count(scrub.needles, &counts);
	open_record("receipt", NULL);
	ctx_json_add_time(b, "created_at", cli_now());
	ctx_json_add_int(b, "sessions", sessions);
	ctx_json_add_int(b, "messages", total.messages);
	ctx_json_add_int(b, "requests", total.requests);
	ctx_json_add_int(b, "events", total.events);
	ctx_json_add_int(b, "derived", total.derived);
	ctx_json_add_int(b, "archives", archives);
	ctx_json_add_int(b, "bytes_returned", scrub.bytes_returned);
	ctx_json_add_int(b, "bytes_scanned", scrub.bytes_scanned);
	ctx_json_add_int(b, "archives_scanned", scrub.archives_scanned);
	if (opt.archive != NULL && ctx_place_is_remote(opt.archive))
		ctx_json_add_str(b, "not_scanned", opt.archive);
	ctx_json_add_int(b, "texts", counts.texts);
	ctx_json_add_int(b, "texts_too_short", counts.too_short);
	ctx_json_add_int(b, "probes", counts.needles);
	ctx_json_add_int(b, "shared", counts.shared);
	ctx_json_add_int(b, "survivors", counts.survivors);
	if (cli_record_close(err) < 0)
		return -1;
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

/* Not those that are shared with the user. */
static int
act_on_own(const struct ctx_session *s, struct ctx_err *err)
{
	if (s->user_id == NULL || strcmp(s->user_id, opt.user) != 0 ||
	    (opt.restore && s->status != CTX_STATUS_DELETED) ||
	    (opt.release && s->hold == NULL))
		return 0;
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
	sessions += sessions == 0; /* there is something to scrub */
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
purge_all(struct ctx_err *err)
{
	struct ctx_needle_counts counts = {.survivors = 0};
	int lock = -1, rc = 0;

	scrub.st = store;
	scrub.needles = ctx_needles_new();
	if (!opt.dry_run) {
		rc = ctx_store_task(store, "archive", &lock, err);
		if (rc == 0)
			rc = ctx_err_set(err, CTX_EBUSY,
			    "another ctx-archive or ctx-delete is at work on this store");
		else if (rc == 1)
			rc = ctx_store_secure(store, err);
	}
	if (rc == 0)
		rc = opt.user != NULL ? act_on_user(err)
				      : cli_listed(&opt.session, act, err);
	if (rc == 0)
		rc = erase_user(err);
	if (rc == 0 && !opt.dry_run && sessions > 0)
		rc = ctx_scrub_store(&scrub, rewrite, &counts, err);
	if (rc == 0 && !opt.dry_run && sessions > 0)
		rc = forget_purged(err);
	release_purged();
	if (rc == 0 && !opt.dry_run && sessions > 0 && !opt.receipt) {
		cli_note("%lld bytes given back", (long long)scrub.bytes_returned);
		if (counts.survivors > 0)
			rc = ctx_err_set(err, CTX_EANSWER,
			    "bytes of what was removed are still there");
	}
	if (rc == 0 && !opt.dry_run && opt.receipt)
		rc = print_receipt(err);
	if (lock >= 0)
		close(lock);
	ctx_needles_free(scrub.needles);
	return rc;
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	int rc;

	if (cli_no_operands(argc, argv, err) < 0 || check_options(err) < 0 ||
	    cli_store_open(&store, false, false, err) < 0)
		return -1;
	if (opt.purge)
		rc = purge_all(err);
	else
		rc = opt.user != NULL ? act_on_user(err)
				      : cli_listed(&opt.session, act, err);
	ctx_store_close(store);
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
