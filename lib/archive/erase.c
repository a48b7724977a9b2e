#include "archive/erase.h"

#include <stdlib.h>
#include <string.h>

#include "archive/erase_plan.h"
#include "base/mem.h"
#include "store/export.h"

/* Most sessions that share transactions, and messages that such a transaction removes. */
#define GROUP_SESSIONS 1024
#define GROUP_MESSAGES 60000

struct ctx_erase_waiting {
	struct ctx_session session;
	struct ctx_erase_plan plan;
	/* why the session was skipped; code CTX_OK if it was not */
	struct ctx_err refused;
};

int
ctx_erase_open(struct ctx_erase *e, struct ctx_store *st,
    const struct ctx_erase_calls *calls, struct ctx_err *err)
{
	memset(e, 0, sizeof(*e));
	e->st = e->scrub.st = st;
	e->calls = calls;
	e->scrub.needles = ctx_needles_new();
	ctx_store_save_room(st);
	return ctx_store_secure(st, err);
}

/* Sets e->search. Call before the first session is added. */
static int
decide_search(struct ctx_erase *e, struct ctx_err *err)
{
	bool blank;

	if (ctx_store_is_blank(e->st, &blank, err) < 0)
		return -1;
	e->search = e->scrub.everywhere || !blank;
	e->decided = true;
	return 0;
}

static void
forget_waiting_erasures(struct ctx_erase *e)
{
	for (size_t i = 0; i < e->n_waiting; i++) {
		ctx_erase_plan_release(&e->waiting[i].plan);
		ctx_session_release(&e->waiting[i].session);
	}
	e->n_waiting = 0;
	e->waiting_messages = 0;
}

void
ctx_erase_close(struct ctx_erase *e)
{
	forget_waiting_erasures(e);
	free(e->waiting);
	free(e->erased);
	for (size_t i = 0; i < e->known.n; i++)
		free(e->known.v[i]);
	free(e->known.v);
	ctx_needles_free(e->scrub.needles);
	memset(e, 0, sizeof(*e));
}

/* ---- texts to search for afterwards ---- */

/* Notes the texts in the archive of a cleaned-up session. If the archive can't be read,
 * the session is purged all the same. */
static int
note_archived(struct ctx_erase *e, const struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_session copy = CTX_SESSION_INIT;
	struct ctx_store *archived = NULL;
	struct ctx_err why = CTX_ERR_INIT;
	int rc = ctx_store_session_get(e->st, s->no, &copy, err);

	if (rc == 1 && e->calls->open_archived(&archived, &copy, &why) < 0) {
		e->calls->warn(
		    "the archive cannot be read, so the search does not include texts that only the archive contains: %s",
		    why.msg);
		e->rewrite = true;
	} else if (rc == 1) {
		rc = ctx_scrub_note(
		    &e->scrub, archived != NULL ? archived : e->st, &copy, err);
	}
	ctx_store_close(archived);
	ctx_session_release(&copy);
	return rc < 0 ? -1 : 0;
}

/* Notes the texts of a session. Requests are in the store even after the messages were
 * cleaned up. */
static int
note_texts(struct ctx_erase *e, const struct ctx_session *s, struct ctx_err *err)
{
	bool cleaned = ctx_archive_cleaned(s);

	if (!e->decided && decide_search(e, err) < 0)
		return -1;
	e->rewrite = e->rewrite || ctx_session_purging(s);
	if (!e->search)
		return 0;
	if (cleaned ? note_archived(e, s, err) < 0 ||
			  ctx_scrub_note_kept(&e->scrub, s, err) < 0
		    : ctx_scrub_note(&e->scrub, e->st, s, err) < 0)
		return -1;
	return ctx_scrub_note_records(&e->scrub, s, err);
}

/* ---- a session ---- */

/* Marks the session as deleted. From now on, nobody appends to it, puts it on hold or
 * restores it, and a purge that is interrupted can be found and repeated. Call inside a
 * write transaction. */
static int
mark_deleted(const struct ctx_erase_plan *p, struct ctx_err *err)
{
	struct ctx_erase *e = p->e;
	const struct ctx_session *s = p->s;
	struct ctx_session now = CTX_SESSION_INIT;
	int rc = ctx_store_session_get(e->st, s->no, &now, err);

	if (rc >= 0)
		rc = ctx_erase_check_unmoved(s, &now, rc, err);
	if (rc == 0)
		rc = ctx_store_mark_purging(e->st, &now, err);
	if (rc == 0)
		rc = ctx_erase_plan_mark(p, err);
	ctx_session_release(&now);
	return rc;
}

/* ---- a group ---- */

/* Finds out which archives there may be of each session, in one read snapshot. */
static int
collect_group(struct ctx_erase *e, struct ctx_err *err)
{
	int rc = ctx_store_begin_read(e->st, err);

	for (size_t i = 0; rc == 0 && i < e->n_waiting; i++) {
		struct ctx_erase_waiting *w = &e->waiting[i];
		w->plan = (struct ctx_erase_plan){.e = e, .s = &w->session};
		rc = ctx_erase_plan_collect(&w->plan, err);
	}
	ctx_store_end_read(e->st);
	return rc;
}

static int
mark_group(struct ctx_erase *e, size_t n, struct ctx_err *err)
{
	int rc = ctx_store_begin(e->st, err);

	for (size_t i = 0; rc == 0 && i < n; i++) {
		struct ctx_erase_waiting *w = &e->waiting[i];
		rc = mark_deleted(&w->plan, err);
		if (rc < 0 && err->code == CTX_EANSWER) {
			w->refused = *err;
			err->code = CTX_OK;
			rc = 0;
		}
	}
	return ctx_store_end(e->st, rc, err);
}

/* Plans and marks the sessions. If a place cannot be reached, the purge stops, and those
 * marked are found by a later purge. */
static int
begin_group(struct ctx_erase *e, struct ctx_err *err)
{
	struct ctx_err failure = CTX_ERR_INIT;
	size_t n = 0; /* sessions that were inspected, including the failed one */

	if (collect_group(e, err) < 0)
		return -1;
	while (n < e->n_waiting && failure.code == CTX_OK)
		ctx_erase_plan_inspect(&e->waiting[n++].plan, &failure);
	if (mark_group(e, n, err) < 0)
		return -1;
	if (failure.code == CTX_OK)
		return 0;
	*err = failure;
	return -1;
}

/* Lists the numbers of the sessions that are not skipped. The caller frees the list. */
static int64_t *
list_waiting(const struct ctx_erase *e, size_t *n)
{
	int64_t *nos = ctx_mem_new(e->n_waiting * sizeof(*nos));

	*n = 0;
	for (size_t i = 0; i < e->n_waiting; i++)
		if (e->waiting[i].refused.code == CTX_OK)
			nos[(*n)++] = e->waiting[i].session.no;
	return nos;
}

static int
erase_rows_once(
    struct ctx_erase *e, int64_t *nos, size_t n, bool give_back, struct ctx_err *err)
{
	struct ctx_removed removed = {.messages = 0};
	int rc = ctx_store_begin(e->st, err);

	if (rc == 0)
		rc = ctx_store_erase(e->st, nos, n, &removed, err);
	if (rc == 0)
		rc = give_back ? ctx_store_commit_erased(e->st, &removed, err)
			       : ctx_store_commit(e->st, err);
	ctx_store_rollback(e->st);
	if (rc < 0)
		return -1;
	e->total.requests += removed.requests;
	e->total.events += removed.events;
	e->total.additions += removed.additions;
	e->total.bytes += removed.bytes;
	return 0;
}

/* On a full disk, pages are given back later. */
static int
erase_rows(struct ctx_erase *e, int64_t *nos, size_t n, struct ctx_err *err)
{
	int rc = erase_rows_once(e, nos, n, true, err);

	if (rc == 0 || err->code != CTX_EIO)
		return rc;
	err->code = CTX_OK;
	return erase_rows_once(e, nos, n, false, err);
}

static int
erase_waiting(struct ctx_erase *e, struct ctx_err *err)
{
	size_t n;
	int64_t *nos = list_waiting(e, &n);
	int rc = n == 0 ? 0 : ctx_derived_erase(e->st, nos, n, false, &e->total, err);

	if (rc == 0)
		rc = erase_rows(e, nos, n, err);
	free(nos);
	return rc;
}

/* Reports each session. The marking rows of erased sessions are to be deleted at the
 * end. */
static int
tell_group(struct ctx_erase *e, struct ctx_err *err)
{
	for (size_t i = 0; i < e->n_waiting; i++) {
		struct ctx_erase_waiting *w = &e->waiting[i];
		bool gone = w->refused.code == CTX_OK;

		if (gone) {
			e->total.messages += w->session.message_count;
			e->sessions++;
			CTX_MEM_GROW(e->erased, e->n, e->cap);
			e->erased[e->n++] = w->session.no;
		}
		if (e->calls->erased(
			e->calls->arg, &w->session, gone ? NULL : &w->refused, err) < 0)
			return -1;
	}
	return 0;
}

int
ctx_erase_flush(struct ctx_erase *e, struct ctx_err *err)
{
	int rc;

	ctx_store_end_read(e->st);
	if (e->n_waiting == 0)
		return 0;
	rc = begin_group(e, err);
	/* archives are removed after the sessions were marked as deleted */
	for (size_t i = 0; rc == 0 && i < e->n_waiting; i++)
		if (e->waiting[i].refused.code == CTX_OK)
			rc = ctx_erase_plan_remove(&e->waiting[i].plan, err);
	if (rc == 0)
		rc = erase_waiting(e, err);
	if (rc == 0)
		rc = tell_group(e, err);
	forget_waiting_erasures(e);
	return rc;
}

int
ctx_erase_add(struct ctx_erase *e, struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_erase_waiting *w;

	if (ctx_archive_cleaned(s)) /* the archive may have to be downloaded first */
		ctx_store_end_read(e->st);
	if (note_texts(e, s, err) < 0)
		return -1;
	CTX_MEM_GROW(e->waiting, e->n_waiting, e->waiting_cap);
	w = &e->waiting[e->n_waiting++];
	*w = (struct ctx_erase_waiting){.session = *s, .refused = CTX_ERR_INIT};
	e->waiting_messages += s->message_count;
	ctx_session_init(s);
	return e->n_waiting == GROUP_SESSIONS || e->waiting_messages >= GROUP_MESSAGES
		   ? ctx_erase_flush(e, err)
		   : 0;
}

int
ctx_erase_finish(
    struct ctx_erase *e, struct ctx_needle_counts *counts, struct ctx_err *err)
{
	bool blank = true;
	int64_t more = 0;
	int rc = e->decided && !e->search ? ctx_store_is_blank(e->st, &blank, err) : 0;

	/* another program wrote to the files meanwhile */
	e->rewrite = e->rewrite || !blank;
	if (rc == 0)
		rc = ctx_scrub_store(&e->scrub, e->total.derived > 0 || e->rewrite,
		    e->rewrite, counts, err);
	if (rc == 0)
		rc = ctx_store_begin(e->st, err);
	if (rc == 0)
		rc = ctx_store_forget(e->st, e->erased, e->n, err);
	rc = ctx_store_end(e->st, rc, err);
	if (rc == 0)
		rc = ctx_store_reclaim(e->st, &more, err);
	e->scrub.bytes_returned += more;
	return rc;
}

int64_t
ctx_erase_bytes(const struct ctx_erase *e)
{
	return e->total.bytes + e->scrub.bytes_returned;
}
