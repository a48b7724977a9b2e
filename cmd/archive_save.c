/* ctx-archive: sessions into archives. */
#include "archive.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/mark.h"
#include "archive/owned.h"
#include "base/mem.h"
#include "base/plural.h"
#include "base/time.h"
#include "json/json.h"
#include "store/purge.h"

#define LEFT_MS (24 * 3600 * INT64_C(1000)) /* no writer takes so long */
#define LARGE_MESSAGES 20000 /* of a session that is worth several threads */

static struct ctx_mark *marks;
static int64_t archived;

/* The place that is written to, once it is; whether an earlier run was cut off there, and
 * whether this one leaves a file that is not recorded. */
static struct ctx_buf place;
static bool was_cut_off, is_incomplete;

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
		return cli_deleted(id, err);
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

/* ---- the place ---- */

/* From now on purges look there for what this run may leave. */
static int
begin_run(struct ctx_err *err)
{
	struct ctx_owner owner;
	int rc;

	if (place.n > 0)
		return 0;
	if (ctx_places_open(&places, opt.to, true, err) < 0)
		return -1;
	ctx_blob_address(places.blobs, "x", &place);
	place.n -= place.n > 2 ? 2 : 1;
	place.p[place.n] = '\0';
	rc = ctx_owner_begin_run(store, place.p, ctx_time_now(), &owner, err);
	was_cut_off = rc == 1;
	return rc < 0 ? -1 : 0;
}

/* A file that nobody has recorded: is it of a session of ours? */
static int
record_orphan(const char *name, const char *address, struct ctx_err *err)
{
	struct ctx_source src = {.blobs = places.blobs, .name = name, .fd = -1};
	struct ctx_session of, s;
	struct ctx_owner_file file = {address, NULL, CTX_OWNER_WRITTEN};
	enum ctx_owned owned = CTX_OWNED_NO;
	int rc = ctx_owner_knows(store, address, err);

	if (rc != 0)
		return rc < 0 ? -1 : 0;
	ctx_session_init(&of);
	ctx_session_init(&s);
	rc = ctx_owned_session(&src, &of, err);
	if (rc == 1 && of.session_id != NULL)
		rc = ctx_store_session_of(store, of.tenant_id != NULL ? of.tenant_id : "",
		    of.session_id, &s, err);
	if (rc == 1)
		rc = ctx_owned_look(&owned, &src, store, &s, err);
	if (rc == 0 && owned == CTX_OWNED_YES &&
	    (rc = ctx_store_begin(store, err)) == 0) {
		rc = ctx_owner_add(store, s.no, &file, err);
		if (rc == 0)
			rc = ctx_store_commit(store, err);
		ctx_store_rollback(store);
	}
	ctx_session_release(&of);
	ctx_session_release(&s);
	return rc < 0 ? -1 : 0;
}

static int
collect_name(void *arg, const struct ctx_blob *blob, struct ctx_err *err)
{
	struct ctx_buf *names = arg;

	(void)err;
	ctx_buf_adds(names, blob->name);
	ctx_buf_addc(names, '\n'); /* no name holds one */
	return 0;
}

/* An earlier run was cut off: what it wrote without a record is recorded. */
static int
record_orphans(struct ctx_err *err)
{
	struct ctx_buf names = CTX_BUF_INIT, address = CTX_BUF_INIT;
	int rc = ctx_places_open(&places, place.p, false, err);
	char *save = NULL;

	if (rc == 0)
		rc = ctx_blob_list(places.blobs, "", collect_name, &names, err);
	for (char *name = names.n > 0 ? strtok_r(names.p, "\n", &save) : NULL;
	     rc == 0 && name != NULL; name = strtok_r(NULL, "\n", &save)) {
		ctx_buf_reset(&address);
		ctx_blob_address(places.blobs, name, &address);
		rc = record_orphan(name, address.p, err);
	}
	ctx_buf_release(&names);
	ctx_buf_release(&address);
	return rc;
}

static int
end_run(struct ctx_err *err)
{
	if (place.n == 0 || is_incomplete)
		return 0;
	if (was_cut_off && record_orphans(err) < 0)
		return -1;
	return ctx_owner_end_run(store, place.p, err);
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
	struct ctx_saved saved = {.written = false};
	struct ctx_session s;
	int64_t no = -1, last_seq = -1;
	int rc = 0;

	ctx_session_init(&s);
	ctx_json_int(ctx_json_get(job, "no"), &no);
	ctx_json_int(ctx_json_get(job, "last_seq"), &last_seq);
	if (store == NULL)
		rc = cli_store_open(&store, 0, &err);
	if (rc == 0)
		rc = ctx_places_open(&places, opt.to, true, &err);
	if (rc == 0)
		rc = ctx_store_session_get(store, no, &s, &err);
	if (rc == 1 && (s.last_seq != last_seq || s.status != CTX_STATUS_ACTIVE))
		rc = 0;
	if (rc == 1)
		rc = ctx_save_session(places.blobs, store, &s, opt.snapshot,
		    s.message_count > LARGE_MESSAGES ? (int)opt.jobs : 0, &saved, &err);
	ctx_json_put_open(result, '{');
	if (rc < 0) {
		put_failure(result, &err);
		ctx_json_add_bool(result, "written", saved.written);
	} else if (rc == 0) {
		ctx_json_add_int(result, "rc", 0);
	} else {
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
		is_incomplete |= ctx_json_true(ctx_json_get(result, "written"));
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
	if (rc < 0 && cli_refused(err))
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
	struct ctx_saved saved = {.written = false};
	int rc;

	if (again &&
	    (opt.snapshot || !opt.cleanup ||
		(ctx_archive_cleaned(s) && (!opt.forget || ctx_archive_forgotten(s))))) {
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
	if (!again && begin_run(err) < 0)
		return -1;
	if (!again && jobs != NULL)
		return give_to_worker(s, err);
	if (again)
		rc = ctx_save_again(&places, store, s, &saved, err);
	else if (ctx_places_open(&places, opt.to, true, err) < 0)
		rc = -1;
	else
		rc = ctx_save_session(
		    places.blobs, store, s, opt.snapshot, 0, &saved, err);
	if (rc == 0)
		return moved_on(s, err);
	is_incomplete |= rc < 0 && saved.written;
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
	if (rc < 0 && cli_refused(err))
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
		cli_note("%lld message%s cleaned up, %lld byte%s given back",
		    (long long)messages, CTX_PLURAL(messages), (long long)bytes,
		    CTX_PLURAL(bytes));
	return 0;
}

/* What killed runs left at the destination, whoever's; that of a run which is at work is
 * locked or, an upload, younger. */
static void
sweep(void)
{
	struct ctx_err err = CTX_ERR_INIT;
	int64_t n = 0;

	if (ctx_places_open(&places, opt.to, false, &err) < 0 ||
	    ctx_blob_sweep(places.blobs, ctx_time_now() - LEFT_MS, &n, &err) < 0)
		cli_warn("what killed runs left may be there still: %s", err.msg);
	else if (n > 0)
		cli_note("%lld file%s removed that killed runs left", (long long)n,
		    CTX_PLURAL(n));
}

int
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
	if (cli_store_open(&store, 0, err) < 0)
		return -1;
	marks = ctx_mark_new(store, &o, marked, NULL);
	rc = opt.dry_run ? 1 : ctx_store_task(store, "archive", false, &lock, err);
	if (rc == 0)
		rc = ctx_err_set(
		    err, CTX_EBUSY, "another ctx-archive is at work on this store");
	else if (rc == 1 && opt.cleanup && !opt.dry_run)
		ctx_store_save_room(store);
	if (rc == 1)
		rc = cli_listed(&opt.session, archive_one, err);
	if (rc == 0 && jobs != NULL)
		rc = cli_jobs_wait(jobs, err);
	cli_jobs_end(jobs);
	if (rc == 0)
		rc = ctx_mark_flush(marks, err);
	if (rc == 0)
		rc = end_run(err);
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
