/* ctx-archive: writes sessions to archives. */
#include "archive.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/mark.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"
#include "store/owner.h"
#include "store/purge.h"

#define LEFT_MS (24 * 3600 * INT64_C(1000)) /* longer than any writer needs, ms */
/* a session with this many messages is read by several threads */
#define LARGE_MESSAGES 20000
#define GROUP_SESSIONS 32 /* sessions that are synced together */
#define GROUP_MESSAGES 20000

static int
report_marked_session(void *arg, const struct ctx_marked *m, struct ctx_err *err)
{
	struct archiving *arc = arg;

	if (m->action == NULL) {
		ctx_err_set(err, CTX_EANSWER, "session '%s' changed meanwhile: skipped",
		    m->session->session_id);
		return refuse(arc, err);
	}
	if (m->derived != NULL)
		cli_warn("session '%s' was not removed from the full-text index: %s",
		    m->session->session_id, m->derived->msg);
	arc->archived++;
	open_session_record(arc, m->action, m->session);
	add_info(m->saved->uri, &m->saved->info);
	if (arc->opt.cleanup)
		ctx_json_add_bool(&cli_out.buf, "cleaned", true);
	return cli_record_close(err);
}

/* Checks whether the session may be archived. */
static int
check_savable_session(struct archiving *arc, const struct ctx_session *s,
    int64_t last_seq, struct ctx_err *err)
{
	const char *id = s->session_id;

	if (s->status == CTX_STATUS_DELETED)
		return cli_deleted(id, err);
	if (last_seq >= 0 && s->last_seq != last_seq)
		return ctx_err_set(err, CTX_EANSWER,
		    "session '%s' changed since it was listed: skipped", id);
	if (arc->opt.cleanup && s->hold != NULL)
		return ctx_err_set(err, CTX_EANSWER,
		    "session '%s' is on hold (%s): skipped", id, s->hold);
	return 0;
}

/* Queues the mark that the session is safe in its archive. Takes over *s and *saved. */
static int
queue_archive_mark(struct archiving *arc, struct ctx_session *s, struct ctx_saved *saved,
    bool again, struct ctx_err *err)
{
	progress(false);
	return ctx_mark_add(arc->marks, s, saved, again, err);
}

/* ---- the destination ---- */

/* Records the destination of this run, so that purges search there for incomplete
 * archives. */
static int
begin_run(struct archiving *arc, struct ctx_err *err)
{
	struct ctx_owner owner;
	int rc;

	if (arc->place.n > 0)
		return 0;
	if (ctx_places_open(&arc->places, arc->opt.to, true, err) < 0)
		return -1;
	ctx_blob_address(arc->places.blobs, "x", &arc->place);
	arc->place.n -= arc->place.n > 2 ? 2 : 1;
	arc->place.p[arc->place.n] = '\0';
	rc = ctx_owner_begin_run(arc->store, arc->place.p, ctx_time_now(), &owner, err);
	arc->was_cut_off = rc == 1;
	return rc < 0 ? -1 : 0;
}

static int
end_run(struct archiving *arc, struct ctx_err *err)
{
	struct ctx_err left = CTX_ERR_INIT;

	if (arc->place.n == 0 || arc->is_incomplete)
		return 0;
	if (arc->was_cut_off && record_orphans(arc, arc->place.p, err) < 0)
		return -1;
	/* the archives are written and reported, so the next run can clean up after this
	 * one */
	if (ctx_owner_end_run(arc->store, arc->place.p, &left) < 0)
		cli_warn("%s (the next run of ctx-archive cleans up)", left.msg);
	return 0;
}

/* ---- groups of sessions ---- A group is processed in this process, or workers write and
 * verify it and this process marks the sessions. */

struct save_group {
	struct ctx_save v[GROUP_SESSIONS];
	size_t n;
	int64_t messages;
};

static void
group_free(struct save_group *g)
{
	for (size_t i = 0; g != NULL && i < g->n; i++)
		ctx_save_release(&g->v[i]);
	free(g);
}

/* Processes the outcome of one session. */
static int
take_saved(struct archiving *arc, struct ctx_save *w, struct ctx_err *err)
{
	int rc;

	arc->is_incomplete |= w->rc < 0 && w->saved.written;
	if (w->rc == 1) {
		rc = queue_archive_mark(arc, &w->session, &w->saved, false, err);
		memset(&w->saved, 0, sizeof(w->saved));
	} else if (w->rc == 0) {
		rc = ctx_err_set(err, CTX_EANSWER,
		    "session '%s' changed meanwhile: skipped", w->session.session_id);
	} else {
		*err = w->err;
		rc = ctx_err_prefix(
		    err, "session '%s' is unchanged", w->session.session_id);
	}
	return rc < 0 && cli_refused(err) ? refuse(arc, err) : rc;
}

static int
take_group(struct archiving *arc, struct save_group *g, struct ctx_err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < g->n; i++)
		rc = take_saved(arc, &g->v[i], err);
	group_free(g);
	return rc;
}

/* Writes the archives of all sessions in the group. */
static void
write_group(struct save_group *g)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->v[i].rc == 1)
			ctx_save_write(&g->v[i]);
	ctx_save_commit(g->v, g->n);
}

static void
put_save_result(struct ctx_buf *b, const struct ctx_save *w)
{
	ctx_json_print(b, "{'rc':%d", (int64_t)w->rc);
	if (w->rc < 0) {
		ctx_json_print(b, "'code':%d,'msg':%s,'written':%b", (int64_t)w->err.code,
		    w->err.msg, w->saved.written);
	} else if (w->rc == 1) {
		ctx_json_put_key(b, "saved");
		ctx_saved_print(b, &w->saved);
	}
	ctx_json_put_close(b, '}');
}

/* Called in a worker: reads the session of a job as it is now. A large session is split
 * among threads. */
static void
read_job(struct archiving *arc, struct ctx_save *w, struct ctx_span job)
{
	int64_t no = -1, last_seq = -1;
	struct ctx_session *s = &w->session;

	*w = (struct ctx_save){
	    .saved.snapshot = arc->opt.snapshot, .st = arc->store, .err = CTX_ERR_INIT};
	ctx_session_init(s);
	ctx_json_int(ctx_json_get(job, "no"), &no);
	ctx_json_int(ctx_json_get(job, "last_seq"), &last_seq);
	if (arc->store == NULL)
		w->rc = cli_store_open(&arc->store, 0, &w->err);
	if (w->rc == 0)
		w->rc = ctx_places_open(&arc->places, arc->opt.to, true, &w->err);
	if (w->rc == 0)
		w->rc = ctx_store_session_get(arc->store, no, s, &w->err);
	if (w->rc == 1 && (s->last_seq != last_seq || s->status != CTX_STATUS_ACTIVE))
		w->rc = 0;
	w->st = arc->store;
	w->change = cli_common.redact ? cli_redact_json : NULL;
	w->blobs = arc->places.blobs;
	w->threads = s->message_count > LARGE_MESSAGES ? (int)arc->opt.jobs : 0;
}

static void
run_save_job(void *arg, struct ctx_span job, struct ctx_buf *result)
{
	struct archiving *arc = arg;
	struct save_group *g = ctx_mem_new(sizeof(*g));

	CTX_JSON_EACH(it, job)
		read_job(arc, &g->v[g->n++], it.value);
	write_group(g);
	ctx_json_put_open(result, '[');
	for (size_t i = 0; i < g->n; i++)
		put_save_result(result, &g->v[i]);
	ctx_json_put_close(result, ']');
	group_free(g);
}

static void
read_save_result(struct ctx_save *w, struct ctx_span result)
{
	int64_t answer = -1, code = CTX_EIO;
	char *msg;

	ctx_json_int(ctx_json_get(result, "rc"), &answer);
	ctx_json_int(ctx_json_get(result, "code"), &code);
	w->rc = (int)answer;
	if (answer == 1)
		ctx_saved_parse(&w->saved, ctx_json_get(result, "saved"));
	if (answer >= 0)
		return;
	w->saved.written = ctx_json_true(ctx_json_get(result, "written"));
	msg = ctx_json_strdup(ctx_json_get(result, "msg"));
	ctx_err_set(&w->err, (enum ctx_code)code, "%s", msg == NULL ? "" : msg);
	free(msg);
}

static int
take_save_job_result(void *arg, void *tag, struct ctx_span result, struct ctx_err *err)
{
	struct archiving *arc = arg;
	struct save_group *g = tag;
	size_t n = 0;

	if (result.p == NULL) {
		group_free(g);
		return ctx_err_set(err, CTX_EIO, "a worker process ended unexpectedly");
	}
	CTX_JSON_EACH_WHILE(n < g->n, it, result)
		read_save_result(&g->v[n++], it.value);
	return take_group(arc, g, err);
}

static int
give_to_worker(struct archiving *arc, struct save_group *g, struct ctx_err *err)
{
	struct ctx_buf job = CTX_BUF_INIT;
	int rc;

	ctx_json_put_open(&job, '[');
	for (size_t i = 0; i < g->n; i++)
		ctx_json_print(&job, "{'no':%d,'last_seq':%d}", g->v[i].session.no,
		    g->v[i].session.last_seq);
	ctx_json_put_close(&job, ']');
	rc = cli_jobs_put(arc->jobs, ctx_buf_span(&job), g, err);
	ctx_buf_release(&job);
	return rc;
}

static int
end_save_group(void *arg, struct ctx_err *err)
{
	struct archiving *arc = arg;
	struct save_group *g = arc->group;

	arc->group = NULL;
	if (g == NULL)
		return 0;
	if (arc->jobs != NULL)
		return give_to_worker(arc, g, err);
	write_group(g);
	return take_group(arc, g, err);
}

/* Takes over *s. */
static int
add_to_group(struct archiving *arc, struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_save *w;

	if (arc->jobs == NULL &&
	    ctx_places_open(&arc->places, arc->opt.to, true, err) < 0)
		return -1;
	if (arc->group == NULL)
		arc->group = ctx_mem_new(sizeof(*arc->group));
	w = &arc->group->v[arc->group->n++];
	*w = (struct ctx_save){.blobs = arc->places.blobs,
	    .st = arc->store,
	    .change = cli_common.redact ? cli_redact_json : NULL,
	    .session = *s,
	    .saved.snapshot = arc->opt.snapshot,
	    .rc = 1,
	    .err = CTX_ERR_INIT};
	arc->group->messages += s->message_count;
	ctx_session_init(s);
	return arc->group->n == GROUP_SESSIONS || arc->group->messages >= GROUP_MESSAGES
		   ? end_save_group(arc, err)
		   : 0;
}

static int
save_session_archive(struct archiving *arc, struct ctx_session *s, struct ctx_err *err)
{
	bool again = s->status == CTX_STATUS_ARCHIVED;
	struct ctx_saved saved = {.written = false};

	if (again && (arc->opt.snapshot || !arc->opt.cleanup ||
			 (ctx_archive_cleaned(s) &&
			     (!arc->opt.forget || ctx_archive_forgotten(s))))) {
		cli_note("session '%s' is already archived", s->session_id);
		return 0;
	}
	if (arc->opt.dry_run) {
		open_session_record(arc,
		    again               ? "cleaned"
		    : arc->opt.snapshot ? "snapshot"
					: "archived",
		    s);
		ctx_json_add_int(&cli_out.buf, "messages", s->message_count);
		return cli_record_close(err);
	}
	cli_sessions_add(s);
	if (!again)
		return begin_run(arc, err) < 0 ? -1 : add_to_group(arc, s, err);
	if (ctx_save_again(&arc->places, arc->store, s, &saved, err) < 0)
		return ctx_err_prefix(err, "session '%s' is unchanged", s->session_id);
	return queue_archive_mark(arc, s, &saved, true, err);
}

static int
archive_one(void *arg, const struct cli_listed *listed, struct ctx_err *err)
{
	struct archiving *arc = arg;
	struct ctx_session s = CTX_SESSION_INIT;
	int rc = cli_session_find(arc->store, listed->session_id, &s, err);

	if (rc == 0 && !cli_sessions_has(&s)) {
		rc = check_savable_session(arc, &s, listed->last_seq, err);
		if (rc == 0)
			rc = save_session_archive(arc, &s, err);
	}
	ctx_session_release(&s);
	if (rc < 0 && cli_refused(err))
		return refuse(arc, err);
	return rc;
}

/* Returns free space to the file system. If a reader prevents that, the next run does
 * it. */
static int
reclaim_cleaned_space(struct archiving *arc, int64_t messages, struct ctx_err *err)
{
	int64_t bytes = 0;
	int rc = messages > 0 ? ctx_store_reclaim(arc->store, &bytes, err) : 0;

	if (rc < 0 && err->code != CTX_EBUSY)
		return -1;
	if (messages > 0)
		cli_note("%lld message%s removed, %lld byte%s freed", (long long)messages,
		    CTX_PLURAL(messages), (long long)bytes, CTX_PLURAL(bytes));
	return 0;
}

/* Removes temporary files that killed runs left at the destination. Those of a running
 * process are locked or, for uploads, newer. */
static void
sweep_stale_archives(struct archiving *arc)
{
	struct ctx_err err = CTX_ERR_INIT;
	int64_t n = 0;

	if (ctx_places_open(&arc->places, arc->opt.to, false, &err) < 0 ||
	    ctx_blob_sweep(arc->places.blobs, ctx_time_now() - LEFT_MS, &n, &err) < 0)
		cli_warn(
		    "cannot remove temporary files of ctx-archive processes that were killed: %s",
		    err.msg);
	else if (n > 0)
		cli_note(
		    "removed %lld temporary file%s of ctx-archive processes that were killed",
		    (long long)n, CTX_PLURAL(n));
}

/* Makes the store overwrite messages that are cleaned up: freed pages are reused for
 * other rows before they are returned. Returns 1, or -1 on error. */

int
archive(struct archiving *arc, struct ctx_err *err)
{
	struct ctx_mark_options o = {.snapshot = arc->opt.snapshot,
	    .clean = arc->opt.cleanup,
	    .forget = arc->opt.forget,
	    .now = cli_now()};
	int lock = -1, rc;

	if (arc->opt.to == NULL)
		return ctx_err_set(
		    err, CTX_EUSAGE, "no destination: use --to DEST or CTX_ARCHIVE");
	/* before the store is opened, which must not be inherited by another process */
	if (arc->opt.jobs > 1 && !arc->opt.dry_run &&
	    cli_jobs_start(&arc->jobs, (int)arc->opt.jobs, run_save_job,
		take_save_job_result, arc, err) < 0)
		return -1;
	if (cli_store_open(&arc->store, 0, err) < 0)
		return -1;
	arc->marks = ctx_mark_new(arc->store, &o, report_marked_session, arc);
	rc = arc->opt.dry_run ? 1
			      : ctx_store_task(arc->store, "archive", false, &lock, err);
	if (rc == 0)
		rc = ctx_err_set(
		    err, CTX_EBUSY, "another ctx-archive is running on this store");
	if (rc == 1 && arc->opt.cleanup && !arc->opt.dry_run) {
		ctx_store_save_room(arc->store);
		rc = ctx_store_secure(arc->store, err) < 0 ? -1 : 1;
	}
	if (rc == 1)
		rc = cli_sessions_in_groups(
		    arc->store, &arc->opt.session, archive_one, end_save_group, arc, err);
	if (rc == 0 && arc->jobs != NULL)
		rc = cli_jobs_wait(arc->jobs, err);
	cli_jobs_end(arc->jobs);
	if (rc == 0)
		rc = ctx_mark_flush(arc->marks, err);
	if (rc == 0)
		rc = end_run(arc, err);
	progress(true);
	if (rc == 0 && arc->archived > 0)
		sweep_stale_archives(arc);
	if (rc == 0)
		rc = reclaim_cleaned_space(
		    arc, ctx_mark_removed(arc->marks)->messages, err);
	ctx_mark_free(arc->marks);
	if (lock >= 0)
		close(lock);
	return rc;
}
