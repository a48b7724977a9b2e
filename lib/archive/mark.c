#include "archive/mark.h"

#include <stdlib.h>

#include "base/mem.h"
#include "json/json.h"
#include "record/record.h"
#include "store/fulltext.h"
#include "store/owner.h"

/* Most sessions that share a transaction, and messages that it removes. */
#define GROUP_SESSIONS 256
#define GROUP_MESSAGES 20000

struct waiting {
	struct ctx_session session;
	struct ctx_saved saved;
	bool again, marked;
	struct ctx_err derived; /* why derived data could not be updated */
};

struct ctx_mark {
	struct ctx_store *st;
	struct ctx_mark_options o;
	ctx_mark_fn *fn;
	void *arg;
	struct waiting waiting[GROUP_SESSIONS];
	size_t n;
	int64_t messages;
	struct ctx_removed removed;
};

struct ctx_mark *
ctx_mark_new(
    struct ctx_store *st, const struct ctx_mark_options *o, ctx_mark_fn *fn, void *arg)
{
	struct ctx_mark *m = ctx_mem_new(sizeof(*m));

	m->st = st;
	m->o = *o;
	m->fn = fn;
	m->arg = arg;
	return m;
}

const struct ctx_removed *
ctx_mark_removed(const struct ctx_mark *m)
{
	return &m->removed;
}

static void
release_waiting_marks(struct ctx_mark *m)
{
	for (size_t i = 0; i < m->n; i++) {
		ctx_session_release(&m->waiting[i].session);
		ctx_saved_release(&m->waiting[i].saved);
	}
	m->n = 0;
	m->messages = 0;
}

void
ctx_mark_free(struct ctx_mark *m)
{
	if (m != NULL)
		release_waiting_marks(m);
	free(m);
}

void
ctx_mark_describe(struct ctx_buf *out, const char *uri,
    const struct ctx_archive_info *info, enum ctx_mark_state state)
{
	static const char *const flags[] = {[CTX_MARK_ARCHIVED] = "}",
	    [CTX_MARK_CLEANED] = "'cleaned':true}",
	    [CTX_MARK_FORGOTTEN] = "'cleaned':true,'forgotten':true}",
	    [CTX_MARK_RESTORING] = "'cleaned':true,'restoring':true}"};

	ctx_json_print(out, "{'uri':%s,'sha256':%s,'bytes':%d,'messages':%d", uri,
	    info->file_sha256, info->file_bytes, info->counts[CTX_KIND_MESSAGE]);
	ctx_json_print(out, flags[state]);
}

void
ctx_mark_event(struct ctx_buf *out, const char *session_id, const char *event,
    int64_t now, const char *uri, const struct ctx_archive_info *info, bool cleaned)
{
	ctx_event_open(out, session_id, now, event);
	ctx_json_print(out, "'uri':%s", uri);
	if (info != NULL)
		ctx_json_print(out, "'sha256':%s,'messages':%d", info->file_sha256,
		    info->counts[CTX_KIND_MESSAGE]);
	ctx_json_print(out, cleaned ? "'cleaned':true}" : "}");
}

struct twin {
	const struct ctx_saved *saved;
	bool found;
};

static int
look_for_twin(void *arg, struct ctx_span record, int64_t response_seq CTX_UNUSED,
    struct ctx_err *err CTX_UNUSED)
{
	struct twin *t = arg;

	if (ctx_json_is(ctx_json_get(record, "event"), "snapshot") &&
	    ctx_json_is(ctx_json_get(record, "uri"), t->saved->uri) &&
	    ctx_json_is(ctx_json_get(record, "sha256"), t->saved->info.file_sha256))
		t->found = true;
	return 0;
}

/* Adds the event of a snapshot, by which a later purge finds the archive. No event is
 * added if an earlier snapshot wrote the same bytes. Returns 1 or -1. */
static int
mark_snapshot(struct ctx_mark *m, const struct waiting *w, struct ctx_span event,
    struct ctx_err *err)
{
	struct twin twin = {&w->saved, false};

	if (ctx_store_events(m->st, &w->session, look_for_twin, &twin, err) < 0)
		return -1;
	if (twin.found)
		return 1;
	return ctx_store_event_add(m->st, &w->session, m->o.now, event, NULL, err) < 0
		   ? -1
		   : 1;
}

static int
mark_one(struct ctx_mark *m, const struct waiting *w, struct ctx_err *err)
{
	const char *what = m->o.snapshot ? "snapshot" : w->again ? "cleanup" : "archive";
	struct ctx_buf archive = CTX_BUF_INIT, event = CTX_BUF_INIT;
	struct ctx_owner_file file = {
	    w->saved.uri, w->saved.info.file_sha256, CTX_OWNER_WRITTEN};
	int rc;

	ctx_mark_describe(&archive, w->saved.uri, &w->saved.info,
	    !m->o.clean   ? CTX_MARK_ARCHIVED
	    : m->o.forget ? CTX_MARK_FORGOTTEN
			  : CTX_MARK_CLEANED);
	ctx_mark_event(&event, w->session.session_id, what, m->o.now, w->saved.uri,
	    &w->saved.info, m->o.clean);
	if (m->o.snapshot)
		rc = mark_snapshot(m, w, ctx_buf_span(&event), err);
	else
		rc = ctx_store_archive(m->st, w->session.no, w->saved.stamp, archive.p,
		    ctx_buf_span(&event), m->o.now, m->o.clean, &m->removed, err);
	/* the file is recorded even if the session has changed, because it exists */
	if (rc >= 0 && ctx_owner_add(m->st, w->session.no, &file, err) < 0)
		rc = -1;
	ctx_buf_release(&archive);
	ctx_buf_release(&event);
	return rc;
}

/* Keeps the texts of messages that are about to be cleaned up, so that they stay
 * searchable. */
static void
keep_words(struct ctx_mark *m)
{
	int64_t no[GROUP_SESSIONS];
	struct ctx_err failed = CTX_ERR_INIT;

	if (!m->o.clean || m->o.forget || m->o.snapshot)
		return;
	for (size_t i = 0; i < m->n; i++)
		no[i] = m->waiting[i].session.no;
	if (ctx_fulltext_keep(m->st, no, m->n, &failed) == 0)
		return;
	ctx_fulltext_not_whole(m->st);
	for (size_t i = 0; i < m->n; i++)
		m->waiting[i].derived = failed;
}

/* Reports the result of one session. A failure to update derived data does not fail the
 * run. */
static int
report_archive_mark(struct ctx_mark *m, const struct waiting *w, struct ctx_err *err)
{
	struct ctx_err derived = w->derived;
	struct ctx_marked out = {.session = &w->session, .saved = &w->saved};

	if (w->marked) {
		out.action = m->o.snapshot ? "snapshot"
			     : w->again    ? "cleaned"
					   : "archived";
		if (derived.code != CTX_OK)
			out.derived = &derived;
	}
	return m->fn(m->arg, &out, err);
}

/* Erases the data derived from the deleted messages. A failure is reported with each
 * session. */
static void
erase_marked_derived(struct ctx_mark *m)
{
	int64_t nos[GROUP_SESSIONS];
	struct ctx_err failed = CTX_ERR_INIT;
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++)
		if (m->waiting[i].marked)
			nos[n++] = m->waiting[i].session.no;
	if (m->o.clean && n > 0 &&
	    ctx_derived_erase(m->st, nos, n, !m->o.forget, &m->removed, &failed) < 0)
		for (size_t i = 0; i < m->n; i++)
			m->waiting[i].derived = failed;
}

int
ctx_mark_flush(struct ctx_mark *m, struct ctx_err *err)
{
	int rc = 0;

	if (m->n == 0)
		return 0;
	keep_words(m);
	if (ctx_store_begin(m->st, err) < 0)
		return -1;
	for (size_t i = 0; rc >= 0 && i < m->n; i++)
		m->waiting[i].marked = (rc = mark_one(m, &m->waiting[i], err)) == 1;
	if (rc >= 0)
		rc = ctx_store_commit(m->st, err);
	ctx_store_rollback(m->st);
	if (rc >= 0)
		erase_marked_derived(m);
	for (size_t i = 0; rc >= 0 && i < m->n; i++)
		rc = report_archive_mark(m, &m->waiting[i], err);
	release_waiting_marks(m);
	return rc < 0 ? -1 : 0;
}

int
ctx_mark_add(struct ctx_mark *m, struct ctx_session *s, struct ctx_saved *saved,
    bool again, struct ctx_err *err)
{
	m->messages += s->message_count;
	m->waiting[m->n++] = (struct waiting){
	    .session = *s, .saved = *saved, .again = again, .derived = CTX_ERR_INIT};
	ctx_session_init(s);
	return m->n == GROUP_SESSIONS || m->messages >= GROUP_MESSAGES
		   ? ctx_mark_flush(m, err)
		   : 0;
}
