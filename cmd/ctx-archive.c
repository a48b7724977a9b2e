#include "cli.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/mark.h"
#include "archive/restore.h"
#include "base/id.h"
#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"
#include "store/purge.h"

#define JOBS_MAX 16
#define LEFT_MS (24 * 3600 * INT64_C(1000)) /* no writer takes so long */
#define LARGE_MESSAGES 20000 /* of a session that is worth several threads */

static struct {
	struct cli_list session;
	const char *to, *as;
	int64_t jobs, sample;
	bool cleanup, forget, snapshot, restore, verify, all, list, cat, keep_going,
	    remove, dry_run;
} opt = {.jobs = 1, .sample = -1};

static struct cli_option options[] = {
    {"to", 0, "DEST", "a directory or s3://BUCKET/PREFIX", CLI_STRING, &opt.to,
	"CTX_ARCHIVE"},
    {"session", 's', "SID", "the session (repeatable); else those of the records read",
	CLI_LIST, &opt.session, NULL},
    {"cleanup", 0, NULL, "remove what is safe in its archive from the store", CLI_FLAG,
	&opt.cleanup, NULL},
    {"forget", 0, NULL, "with --cleanup: from the full-text index too", CLI_FLAG,
	&opt.forget, NULL},
    {"jobs", 0, "N", "archive in N processes", CLI_INT, &opt.jobs, NULL},
    {"snapshot", 0, NULL, "write the archive and leave the session active", CLI_FLAG,
	&opt.snapshot, NULL},
    {"restore", 0, NULL, "bring sessions back, or the archives named as operands",
	CLI_FLAG, &opt.restore, NULL},
    {"as", 0, "SID", "restore under another id", CLI_STRING, &opt.as, NULL},
    {"verify", 0, NULL, "read archives, and report those damaged or missing", CLI_FLAG,
	&opt.verify, NULL},
    {"all", 0, NULL, "verify the archives of all sessions", CLI_FLAG, &opt.all, NULL},
    {"sample", 0, "N", "verify N of them, chosen by chance", CLI_INT, &opt.sample, NULL},
    {"list", 0, NULL, "print what is archived: of the store, or in DEST", CLI_FLAG,
	&opt.list, NULL},
    {"cat", 0, NULL, "print the records of archives, once verified", CLI_FLAG, &opt.cat,
	NULL},
    {"keep-going", 0, NULL, "with --cat: of damaged archives, too, what can be read",
	CLI_FLAG, &opt.keep_going, NULL},
    {"remove", 0, NULL, "remove the archives named as operands", CLI_FLAG, &opt.remove,
	NULL},
    {"dry-run", 'n', NULL, "change nothing, print what would be done", CLI_FLAG,
	&opt.dry_run, NULL},
    CLI_QUIET_OPTION,
    CLI_STORE_OPTIONS,
    CLI_END,
};

static struct ctx_store *store;
static int64_t refused; /* sessions or archives that were left alone */

static const char *
environment(const char *name)
{
	return getenv(name);
}

static int
open_place(
    struct ctx_blobs **blobs, const char *destination, bool create, struct ctx_err *err)
{
	return ctx_place_open(blobs, destination, environment, create, err);
}

static struct ctx_places places = {.open = open_place};

/* ---- output ---- */

static void
open_record(const char *action, const char *session_id)
{
	cli_record_open("archive", session_id, action, opt.dry_run);
}

static void
add_info(const char *uri, const struct ctx_archive_info *info)
{
	struct ctx_buf *b = &cli_out.buf;

	ctx_json_add_str(b, "uri", uri);
	if (info == NULL)
		return;
	ctx_json_add_str(b, "sha256", info->file_sha256);
	ctx_json_add_int(b, "bytes", info->file_bytes);
	ctx_json_add_int(b, "messages", info->counts[CTX_KIND_MESSAGE]);
	ctx_json_add_int(b, "records", info->records);
}

/* Left alone, and why; the rest goes on. */
static int
refuse(const struct ctx_err *why)
{
	cli_error(why);
	refused++;
	return 0;
}

/* A progress line, for people who look at a terminal; done wipes it. */
static void
progress(bool done)
{
	static int64_t sessions, last;
	static int terminal = -1;
	int64_t now = ctx_time_monotonic();

	if (terminal < 0)
		terminal = !cli_common.quiet && isatty(STDERR_FILENO);
	sessions++;
	if (!terminal || (!done && now - last < 200))
		return;
	last = now;
	dprintf(STDERR_FILENO, done ? "\r\033[K" : "\rctx-archive: %lld sessions",
	    (long long)sessions);
}

/* ---- archiving ---- */

static struct ctx_mark *marks;
static int64_t archived;

static int
marked(void *arg, const struct ctx_marked *m, struct ctx_err *err)
{
	(void)arg;
	if (m->action == NULL) {
		ctx_err_set(err, CTX_EANSWER,
		    "session '%s' moved on meanwhile: left alone",
		    m->session->session_id);
		return refuse(err);
	}
	if (m->derived != NULL)
		cli_warn("derived rows of session '%s' stay: %s", m->session->session_id,
		    m->derived->msg);
	archived++;
	open_record(m->action, m->session->session_id);
	add_info(m->saved->uri, &m->saved->info);
	if (opt.cleanup)
		ctx_json_add_bool(&cli_out.buf, "cleaned", true);
	return cli_record_close(err);
}

/* May this be done to the session? */
static int
check_session(const struct ctx_session *s, int64_t last_seq, struct ctx_err *err)
{
	const char *id = s->session_id;

	if (s->status == CTX_STATUS_DELETED)
		return ctx_err_set(err, CTX_EANSWER, "session '%s' is deleted", id);
	if (last_seq >= 0 && s->last_seq != last_seq)
		return ctx_err_set(err, CTX_EANSWER,
		    "session '%s' moved on since it was listed: left alone", id);
	if (opt.cleanup && s->hold != NULL)
		return ctx_err_set(err, CTX_EANSWER,
		    "session '%s' is on hold (%s): left alone", id, s->hold);
	return 0;
}

/* It is safe in its archive. *s and *saved are taken over. */
static int
take(struct ctx_session *s, struct ctx_saved *saved, bool again, struct ctx_err *err)
{
	progress(false);
	return ctx_mark_add(marks, s, saved, again, err);
}

static int
moved_on(const struct ctx_session *s, struct ctx_err *err)
{
	return ctx_err_set(err, CTX_EANSWER,
	    "session '%s' moved on meanwhile: left alone", s->session_id);
}

/* ---- archiving in several processes: workers write and verify, this one marks ---- */

static struct cli_jobs *jobs;

static void
put_failure(struct ctx_buf *b, const struct ctx_err *err)
{
	ctx_json_add_int(b, "rc", -1);
	ctx_json_add_int(b, "code", (int64_t)err->code);
	ctx_json_add_str(b, "msg", err->msg);
}

/* In a worker. A large session is cut among threads as well. */
static void
work(struct ctx_span job, struct ctx_buf *result)
{
	struct ctx_err err = CTX_ERR_INIT;
	struct ctx_saved saved;
	struct ctx_session s;
	int64_t no = -1, last_seq = -1;
	int rc = 0;

	ctx_session_init(&s);
	ctx_json_int(ctx_json_get(job, "no"), &no);
	ctx_json_int(ctx_json_get(job, "last_seq"), &last_seq);
	if (store == NULL)
		rc = cli_store_open(&store, false, false, &err);
	if (rc == 0)
		rc = ctx_places_open(&places, opt.to, true, &err);
	if (rc == 0)
		rc = ctx_store_session_get(store, no, &s, &err);
	if (rc == 1 && (s.last_seq != last_seq || s.status != CTX_STATUS_ACTIVE))
		rc = 0;
	if (rc == 1)
		rc = ctx_save_session(places.blobs, store, &s,
		    s.message_count > LARGE_MESSAGES ? (int)opt.jobs : 0, &saved, &err);
	ctx_json_put_open(result, '{');
	if (rc < 0)
		put_failure(result, &err);
	else if (rc == 0)
		ctx_json_add_int(result, "rc", 0);
	else {
		ctx_json_add_int(result, "rc", 1);
		ctx_json_put_key(result, "saved");
		ctx_saved_print(result, &saved);
	}
	ctx_json_put_close(result, '}');
	if (rc == 1)
		ctx_saved_release(&saved);
	ctx_session_release(&s);
}

static int
worked(void *tag, struct ctx_span result, struct ctx_err *err)
{
	struct ctx_session *s = tag;
	struct ctx_saved saved;
	int64_t answer = -1, code = CTX_EIO;
	int rc;

	if (result.p == NULL) {
		rc = ctx_err_set(err, CTX_EIO, "a worker died");
	} else {
		ctx_json_int(ctx_json_get(result, "rc"), &answer);
		ctx_json_int(ctx_json_get(result, "code"), &code);
		if (answer == 1) {
			ctx_saved_parse(&saved, ctx_json_get(result, "saved"));
			rc = take(s, &saved, false, err);
		} else if (answer == 0) {
			rc = moved_on(s, err);
		} else {
			char *msg = ctx_json_strdup(ctx_json_get(result, "msg"));
			rc = ctx_err_set(err, (enum ctx_code)code,
			    "session '%s' stays as it is: %s", s->session_id, msg);
			free(msg);
		}
	}
	ctx_session_release(s);
	free(s);
	if (rc < 0 && err->code == CTX_EANSWER)
		rc = refuse(err);
	return rc;
}

static int
give_to_worker(struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_session *tag = ctx_mem_new(sizeof(*tag));
	struct ctx_buf job = CTX_BUF_INIT;
	int rc;

	ctx_json_put_open(&job, '{');
	ctx_json_add_int(&job, "no", s->no);
	ctx_json_add_int(&job, "last_seq", s->last_seq);
	ctx_json_put_close(&job, '}');
	*tag = *s;
	ctx_session_init(s);
	rc = cli_jobs_put(jobs, ctx_buf_span(&job), tag, err);
	ctx_buf_release(&job);
	return rc;
}

static int
save(struct ctx_session *s, struct ctx_err *err)
{
	bool again = s->status == CTX_STATUS_ARCHIVED;
	struct ctx_saved saved;
	int rc;

	if (again && (opt.snapshot || !opt.cleanup || ctx_archive_cleaned(s))) {
		cli_note("session '%s' is archived already", s->session_id);
		return 0;
	}
	if (opt.dry_run) {
		open_record(again          ? "cleaned"
			    : opt.snapshot ? "snapshot"
					   : "archived",
		    s->session_id);
		ctx_json_add_int(&cli_out.buf, "messages", s->message_count);
		return cli_record_close(err);
	}
	if (!again && jobs != NULL)
		return give_to_worker(s, err);
	if (again)
		rc = ctx_save_again(&places, store, s, &saved, err);
	else if (ctx_places_open(&places, opt.to, true, err) < 0)
		rc = -1;
	else
		rc = ctx_save_session(places.blobs, store, s, 0, &saved, err);
	if (rc == 0)
		return moved_on(s, err);
	if (rc < 0)
		return ctx_err_prefix(err, "session '%s' stays as it is", s->session_id);
	return take(s, &saved, again, err);
}

static int
archive_one(const char *session_id, int64_t last_seq, struct ctx_err *err)
{
	struct ctx_session s;
	int rc;

	ctx_session_init(&s);
	rc = cli_session_find(store, session_id, &s, err);
	if (rc == 0)
		rc = check_session(&s, last_seq, err);
	if (rc == 0)
		rc = save(&s, err);
	ctx_session_release(&s);
	if (rc < 0 && err->code == CTX_EANSWER)
		return refuse(err);
	return rc;
}

/* A reader may be in the way: then the next run gives the rest back. */
static int
reclaim(int64_t messages, struct ctx_err *err)
{
	int64_t bytes = 0;
	int rc = messages > 0 ? ctx_store_reclaim(store, &bytes, err) : 0;

	if (rc < 0 && err->code != CTX_EBUSY)
		return -1;
	if (messages > 0)
		cli_note("%lld messages cleaned up, %lld bytes given back",
		    (long long)messages, (long long)bytes);
	return 0;
}

/* What killed runs left at the destination, whoever's; that of a run which is at work is
 * younger. */
static void
sweep(void)
{
	struct ctx_err err = CTX_ERR_INIT;
	int64_t n = 0;

	if (ctx_places_open(&places, opt.to, false, &err) < 0 ||
	    ctx_blob_sweep(places.blobs, ctx_time_now() - LEFT_MS, &n, &err) < 0)
		cli_warn("what killed runs left may be there still: %s", err.msg);
	else if (n > 0)
		cli_note("%lld files removed that killed runs left", (long long)n);
}

static int
archive(struct ctx_err *err)
{
	struct ctx_mark_options o = {.snapshot = opt.snapshot,
	    .clean = opt.cleanup,
	    .forget = opt.forget,
	    .now = cli_now()};
	int lock = -1, rc;

	if (opt.to == NULL)
		return ctx_err_set(
		    err, CTX_EUSAGE, "where to? (--to DEST or CTX_ARCHIVE)");
	/* workers first: a store must not be carried over into another process */
	if (opt.jobs > 1 && !opt.dry_run &&
	    cli_jobs_start(&jobs, (int)opt.jobs, work, worked, err) < 0)
		return -1;
	if (cli_store_open(&store, false, false, err) < 0)
		return -1;
	marks = ctx_mark_new(store, &o, marked, NULL);
	rc = opt.dry_run ? 1 : ctx_store_task(store, "archive", &lock, err);
	if (rc == 0)
		rc = ctx_err_set(
		    err, CTX_EBUSY, "another ctx-archive is at work on this store");
	else if (rc == 1)
		rc = cli_listed(&opt.session, archive_one, err);
	if (rc == 0 && jobs != NULL)
		rc = cli_jobs_wait(jobs, err);
	cli_jobs_end(jobs);
	if (rc == 0)
		rc = ctx_mark_flush(marks, err);
	progress(true);
	if (rc == 0 && archived > 0)
		sweep();
	if (rc == 0)
		rc = reclaim(ctx_mark_removed(marks)->messages, err);
	ctx_mark_free(marks);
	if (lock >= 0)
		close(lock);
	return rc;
}

/* ---- naming archives ---- */

typedef int source_fn(struct ctx_source *source, const char *uri,
    const struct ctx_session *s, struct ctx_err *err);

static int
with_address(
    const char *uri, const struct ctx_session *s, source_fn *fn, struct ctx_err *err)
{
	struct ctx_source src;

	return ctx_places_find(&places, uri, &src, err) < 0 ? -1 : fn(&src, uri, s, err);
}

/* An operand: a URI, or any file. */
static int
with_operand(const char *operand, source_fn *fn, struct ctx_err *err)
{
	struct ctx_source src = {.path = operand, .fd = -1};
	char *real;
	int rc;

	if (ctx_place_is_remote(operand))
		return with_address(operand, NULL, fn, err);
	real = realpath(operand, NULL);
	rc = fn(&src, real != NULL ? real : operand, NULL, err);
	free(real);
	return rc;
}

static source_fn *session_source;

static int
with_session(const struct ctx_session *s, struct ctx_err *err)
{
	char *uri = ctx_archive_uri(s);
	int rc;

	if (s->status == CTX_STATUS_DELETED)
		rc = ctx_err_set(
		    err, CTX_EANSWER, "session '%s' is deleted", s->session_id);
	else if (uri == NULL)
		rc = ctx_err_set(
		    err, CTX_EANSWER, "session '%s' is not archived", s->session_id);
	else
		rc = with_address(uri, s, session_source, err);
	free(uri);
	if (rc < 0 && (err->code == CTX_EANSWER || err->code == CTX_EINPUT))
		return refuse(err);
	return rc;
}

static int
with_listed(const char *session_id, int64_t last_seq, struct ctx_err *err)
{
	struct ctx_session s;
	int rc;

	(void)last_seq;
	ctx_session_init(&s);
	rc = cli_session_find(store, session_id, &s, err);
	if (rc == 0)
		rc = with_session(&s, err);
	else if (err->code == CTX_EANSWER)
		rc = refuse(err);
	ctx_session_release(&s);
	return rc;
}

/* All that are named: operands, else sessions. */
static int
with_named(int argc, char **argv, source_fn *fn, struct ctx_err *err)
{
	int rc = 0;

	session_source = fn;
	for (int i = 0; rc == 0 && i < argc; i++) {
		rc = with_operand(argv[i], fn, err);
		if (rc < 0 && (err->code == CTX_EANSWER || err->code == CTX_EINPUT))
			rc = refuse(err);
	}
	if (rc == 0 && (argc == 0 || opt.session.n > 0))
		rc = cli_listed(&opt.session, with_listed, err);
	return rc;
}

/* ---- restoring ---- */

static struct ctx_unarchive *unarchive;

static int
restored(void *arg, const struct ctx_unarchived *u, struct ctx_err *err)
{
	(void)arg;
	if (u->failure != NULL) {
		struct ctx_err why = *u->failure;
		ctx_err_prefix(&why, "%s", u->uri);
		return refuse(&why);
	}
	if (u->left_out > 0)
		cli_warn("%lld requests of session '%s' are left out: another session "
			 "has them",
		    (long long)u->left_out, u->session->session_id);
	open_record("restored", u->session->session_id);
	add_info(u->uri, u->info);
	progress(false);
	return cli_record_close(err);
}

static int
restore_one(struct ctx_source *source, const char *uri, const struct ctx_session *s,
    struct ctx_err *err)
{
	char *sha256 = s == NULL ? NULL : ctx_archive_sha256(s);
	int rc = ctx_unarchive_add(unarchive, source, uri, sha256, err);

	free(sha256);
	return rc;
}

static int
restore(int argc, char **argv, struct ctx_err *err)
{
	struct ctx_unarchive_options o = {
	    .as = opt.as, .now = cli_now(), .dry_run = opt.dry_run, .event = true};
	int rc;

	if (opt.as != NULL && (size_t)argc + opt.session.n != 1)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--as goes with one session or archive");
	if (opt.as != NULL && ctx_id_check(ctx_span_of(opt.as), "--as", err) < 0) {
		err->code = CTX_EUSAGE;
		return -1;
	}
	if (cli_store_open(&store, argc > 0 && !opt.dry_run, true, err) < 0)
		return -1;
	unarchive = ctx_unarchive_new(store, &o, restored, NULL);
	rc = with_named(argc, argv, restore_one, err);
	if (rc == 0)
		rc = ctx_unarchive_flush(unarchive, err);
	progress(true);
	ctx_unarchive_free(unarchive);
	return rc;
}

/* ---- verifying, printing, removing ---- */

static int64_t sound;

static int
verify_one(struct ctx_source *source, const char *uri, const struct ctx_session *s,
    struct ctx_err *err)
{
	struct ctx_archive_info info;
	char *sha256 = s == NULL ? NULL : ctx_archive_sha256(s);
	int rc = ctx_save_verify(source, sha256, &info, err);

	free(sha256);
	progress(false);
	if (rc == 1) {
		ctx_archive_info_release(&info);
		sound++;
		return 0;
	}
	if (rc < 0 && err->code != CTX_EANSWER && err->code != CTX_EINPUT)
		return -1;
	refused++;
	open_record(rc < 0 ? "damaged" : "missing", s == NULL ? NULL : s->session_id);
	add_info(uri, NULL);
	ctx_json_add_str(
	    &cli_out.buf, "reason", rc < 0 ? err->msg : "there is no such archive");
	return cli_record_close(err);
}

static int
each_archived(
    int (*fn)(const struct ctx_session *s, struct ctx_err *err), struct ctx_err *err)
{
	struct ctx_session_filter f;

	ctx_session_filter_init(&f);
	f.status[CTX_STATUS_ARCHIVED] = true;
	return cli_each_session(store, &f, fn, err);
}

/* Numbers of sessions. */
static struct chosen {
	int64_t *v;
	size_t n, cap, seen;
	uint64_t random;
} chosen;

/* Of all, each with the same chance (reservoir sampling). */
static int
choose(const struct ctx_session *s, struct ctx_err *err)
{
	size_t at = chosen.n;

	(void)err;
	chosen.seen++;
	if (opt.sample >= 0 && chosen.n == (size_t)opt.sample) {
		chosen.random = chosen.random * 6364136223846793005u +
				1442695040888963407u;
		at = (size_t)(chosen.random >> 33) % chosen.seen;
		if (at >= chosen.n)
			return 0;
	} else {
		CTX_MEM_GROW(chosen.v, chosen.n, chosen.cap);
		chosen.n++;
	}
	chosen.v[at] = s->no;
	return 0;
}

static int
verify_chosen(struct ctx_err *err)
{
	struct ctx_session s;
	int rc;

	chosen.random = (uint64_t)ctx_time_now() * 2862933555777941757u ^
			(uint64_t)getpid();
	rc = each_archived(choose, err);
	for (size_t i = 0; rc == 0 && i < chosen.n; i++) {
		ctx_session_init(&s);
		rc = ctx_store_session_get(store, chosen.v[i], &s, err);
		/* one that was restored or purged meanwhile has nothing to verify */
		if (rc == 1)
			rc = s.status == CTX_STATUS_ARCHIVED ? with_session(&s, err) : 0;
		ctx_session_release(&s);
	}
	free(chosen.v);
	return rc;
}

static int
verify(int argc, char **argv, struct ctx_err *err)
{
	int rc;

	session_source = verify_one;
	if ((argc == 0 || opt.session.n > 0 || opt.all) &&
	    cli_store_open(&store, false, false, err) < 0)
		return -1;
	rc = opt.all ? verify_chosen(err) : with_named(argc, argv, verify_one, err);
	progress(true);
	if (rc == 0)
		cli_note("%lld archives are sound, %lld are not", (long long)sound,
		    (long long)refused);
	return rc;
}

static int
print_listed(const struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_json_iter it;

	open_record("listed", s->session_id);
	if (s->archive_json != NULL)
		for (ctx_json_iter_init(&it, ctx_span_of(s->archive_json));
		     ctx_json_iter_next(&it);) {
			ctx_buf_addc(&cli_out.buf, ',');
			ctx_buf_addspan(&cli_out.buf, it.key);
			ctx_buf_addc(&cli_out.buf, ':');
			ctx_buf_addspan(&cli_out.buf, it.value);
		}
	return cli_record_close(err);
}

static int
print_blob(void *arg, const struct ctx_blob *blob, struct ctx_err *err)
{
	struct ctx_buf address = CTX_BUF_INIT;

	(void)arg;
	(void)err;
	ctx_blob_address(places.blobs, blob->name, &address);
	open_record("listed", NULL);
	ctx_json_add_str(&cli_out.buf, "uri", address.p);
	ctx_json_add_int(&cli_out.buf, "bytes", blob->size);
	ctx_json_add_time(&cli_out.buf, "modified_at", blob->modified);
	ctx_buf_release(&address);
	return cli_record_close(err);
}

static int
list(struct ctx_err *err)
{
	if (cli_flagged(&opt.to)) {
		if (ctx_places_open(&places, opt.to, false, err) < 0)
			return -1;
		return ctx_blob_list(places.blobs, "", print_blob, NULL, err);
	}
	if (cli_store_open(&store, false, false, err) < 0)
		return -1;
	return each_archived(print_listed, err);
}

/* Copy the records that an archive begins with: 0 all of them, -1. */
static int
copy_records(struct ctx_source *source, struct ctx_err *err)
{
	struct ctx_archive_reader *r = ctx_archive_reader_new(
	    CTX_ARCHIVE_LINE_MAX, ctx_source_read, source);
	struct ctx_record record;
	int rc;

	while ((rc = ctx_archive_next(r, &record, err)) == 1) {
		ctx_buf_addspan(&cli_out.buf, record.line);
		ctx_buf_addc(&cli_out.buf, '\n');
		if (cli_flush_some(err) < 0) {
			rc = -1;
			break;
		}
	}
	ctx_archive_reader_free(r);
	return rc;
}

/* As far as it can be read, and how far that is. */
static int
cat_damaged(struct ctx_source *source, const char *uri, struct ctx_err *err)
{
	struct ctx_err damage = CTX_ERR_INIT;
	int rc = ctx_source_open(source, err);

	if (rc <= 0)
		return rc; /* gone since it was listed */
	rc = copy_records(source, &damage);
	ctx_source_close(source);
	if (rc < 0 && damage.code != CTX_EANSWER && damage.code != CTX_EINPUT) {
		*err = damage;
		return -1;
	}
	refused += rc < 0;
	open_record(rc < 0 ? "damaged" : "read", NULL);
	add_info(uri, NULL);
	if (rc < 0)
		ctx_json_add_str(&cli_out.buf, "reason", damage.msg);
	return cli_record_close(err);
}

static int
cat_one(struct ctx_source *source, const char *uri, const struct ctx_session *s,
    struct ctx_err *err)
{
	struct ctx_archive_info info;
	char *sha256;
	int rc;

	if (opt.keep_going)
		return cat_damaged(source, uri, err);
	sha256 = s == NULL ? NULL : ctx_archive_sha256(s);
	rc = ctx_save_verify(source, sha256, &info, err);
	free(sha256);
	if (rc == 1) {
		ctx_archive_info_release(&info);
		rc = ctx_source_open(source, err);
	}
	if (rc == 0)
		rc = ctx_err_set(err, CTX_EANSWER, "there is no such archive");
	if (rc < 0)
		return ctx_err_prefix(err, "%s", uri);
	rc = copy_records(source, err);
	ctx_source_close(source);
	return rc;
}

static int
take_name(void *arg, const struct ctx_blob *blob, struct ctx_err *err)
{
	struct cli_list *names = arg;

	(void)err;
	CTX_MEM_GROW(names->v, names->n, names->cap);
	names->v[names->n++] = ctx_mem_str(blob->name);
	return 0;
}

/* What can't be an archive is passed over. */
static int
cat_place(struct ctx_err *err)
{
	struct cli_list names = {NULL, 0, 0};
	struct ctx_buf address = CTX_BUF_INIT;
	int rc = ctx_places_open(&places, opt.to, false, err);

	if (rc == 0)
		rc = ctx_blob_list(places.blobs, "", take_name, &names, err);
	for (size_t i = 0; i < names.n; i++) {
		struct ctx_source src = {
		    .blobs = places.blobs, .name = names.v[i], .fd = -1};
		ctx_buf_reset(&address);
		ctx_blob_address(places.blobs, names.v[i], &address);
		if (rc == 0)
			rc = cat_one(&src, address.p, NULL, err);
		if (rc < 0 && (err->code == CTX_EANSWER || err->code == CTX_EINPUT))
			rc = refuse(err);
		free((char *)names.v[i]);
	}
	free(names.v);
	ctx_buf_release(&address);
	return rc;
}

static int
cat(int argc, char **argv, struct ctx_err *err)
{
	if (cli_flagged(&opt.to))
		return cat_place(err);
	if ((argc == 0 || opt.session.n > 0) &&
	    cli_store_open(&store, false, false, err) < 0)
		return -1;
	return with_named(argc, argv, cat_one, err);
}

/* Only what has the name of an archive in a place is removed. */
static int
remove_archives(int argc, char **argv, struct ctx_err *err)
{
	int rc = 0;

	for (int i = 0; rc == 0 && i < argc; i++) {
		char *real = ctx_place_is_remote(argv[i]) ? ctx_mem_str(argv[i])
							  : realpath(argv[i], NULL);
		char *dir = NULL, *name = NULL;
		if (real == NULL && access(argv[i], F_OK) < 0)
			real = ctx_mem_str(argv[i]);
		rc = ctx_place_split(real, &dir, &name, err);
		if (rc == 0)
			rc = ctx_places_open(&places, dir, false, err);
		if (rc == 0 && !opt.dry_run)
			rc = ctx_blob_delete(places.blobs, name, err);
		if (rc == 0) {
			open_record("removed", NULL);
			add_info(real, NULL);
			rc = cli_record_close(err);
		}
		free(real);
		free(dir);
		free(name);
	}
	return rc;
}

/* ---- */

static int
check_options(int argc, char **argv, struct ctx_err *err)
{
	int modes = opt.restore + opt.verify + opt.list + opt.cat + opt.remove +
		    (opt.snapshot || opt.cleanup);

	if (modes > 1)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--restore, --verify, --list, --cat, --remove, --snapshot and "
		    "--cleanup exclude each "
		    "other");
	if (opt.snapshot && opt.cleanup)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--snapshot and --cleanup exclude each other");
	if (opt.as != NULL && !opt.restore)
		return ctx_err_set(err, CTX_EUSAGE, "--as goes with --restore");
	if (opt.forget && !opt.cleanup)
		return ctx_err_set(err, CTX_EUSAGE, "--forget goes with --cleanup");
	if ((opt.all || opt.sample >= 0) && !opt.verify)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--all and --sample go with --verify");
	if (opt.keep_going && !opt.cat)
		return ctx_err_set(err, CTX_EUSAGE, "--keep-going goes with --cat");
	if (opt.cat && cli_flagged(&opt.to) && (argc > 0 || opt.session.n > 0))
		return ctx_err_set(
		    err, CTX_EUSAGE, "--cat: of DEST, or of what is named, not both");
	if (opt.jobs < 1 || opt.jobs > JOBS_MAX)
		return ctx_err_set(err, CTX_EUSAGE, "--jobs: from 1 to %d", JOBS_MAX);
	if (opt.remove && argc == 0)
		return ctx_err_set(err, CTX_EUSAGE, "--remove: which archives?");
	if (opt.sample >= 0)
		opt.all = true;
	return opt.restore || opt.verify || opt.cat || opt.remove
		   ? 0
		   : cli_no_operands(argc, argv, err);
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	int rc = check_options(argc, argv, err);

	if (rc < 0)
		return -1;
	if (opt.restore)
		rc = restore(argc, argv, err);
	else if (opt.verify)
		rc = verify(argc, argv, err);
	else if (opt.list)
		rc = list(err);
	else if (opt.cat)
		rc = cat(argc, argv, err);
	else if (opt.remove)
		rc = remove_archives(argc, argv, err);
	else
		rc = archive(err);
	ctx_places_close(&places);
	ctx_store_close(store);
	if (rc == 0 && refused > 0 && opt.verify)
		return ctx_err_set(err, CTX_EANSWER,
		    "%lld archives are damaged or missing", (long long)refused);
	if (rc == 0 && refused > 0)
		return ctx_err_set(
		    err, CTX_EANSWER, "left alone: %lld", (long long)refused);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-archive",
    .synopsis = "[-s SID] --to DEST [--cleanup [--forget] | --snapshot] [OPTION ...]\n"
		"--restore [-s SID] [--as SID] [FILE | URI ...]\n"
		"--verify [-s SID | --all | --sample N] [FILE | URI ...]\n"
		"--list [--to DEST]\n"
		"--cat [--keep-going] [-s SID | --to DEST] [FILE | URI ...]\n"
		"--remove FILE | URI ...",
    .about =
	"Moves sessions into archives that are verified before anything is removed, and "
	"back.",
    .options = options,
    .run = run,
};

int
main(int argc, char **argv)
{
	return cli_main(&command, argc, argv);
}
