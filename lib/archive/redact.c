#include "archive/redact.h"

#include <stdlib.h>
#include <string.h>

#include "archive/erase_plan.h"
#include "archive/place.h"
#include "archive/rewrite.h"
#include "base/mem.h"
#include "json/json.h"
#include "store/derived.h"
#include "store/fulltext.h"
#include "store/purge.h"

void
ctx_redact_release(struct ctx_redact *job)
{
	free(job->seqs);
	memset(job, 0, sizeof(*job));
}

/* ---- texts to search for afterwards ---- */

/* With match, adds needles that contain the removed text, together with the text around
 * it if it is short. */
static void
note_changed_bytes(
    struct ctx_needles *needles, struct ctx_span before, struct ctx_span after)
{
	size_t first = 0, end = 0;

	while (first < before.n && first < after.n && before.p[first] == after.p[first])
		first++;
	while (end < before.n - first && end + first < after.n &&
	       before.p[before.n - 1 - end] == after.p[after.n - 1 - end])
		end++;
	end = before.n - end;
	if (end >= CTX_NEEDLE_BYTES)
		ctx_needles_add(
		    needles, (struct ctx_span){
				 before.p + end - CTX_NEEDLE_BYTES, CTX_NEEDLE_BYTES});
	if (first + CTX_NEEDLE_BYTES <= before.n)
		ctx_needles_add_bytes(
		    needles, (struct ctx_span){before.p + first, CTX_NEEDLE_BYTES});
}

static void
note_redacted(void *arg, struct ctx_span before, struct ctx_span after)
{
	struct ctx_redact *job = arg;
	struct ctx_needles *needles = job->e->scrub.needles;

	if (before.n == 0)
		return;
	if (job->what->match.p != NULL && after.p != NULL)
		note_changed_bytes(needles, before, after);
	else
		ctx_needles_add(needles, before);
}

/* ---- choice of messages ---- */

struct choosing {
	struct ctx_redact *job;
	size_t n, cap;
	/* number of messages that are redacted already or do not contain the text */
	size_t clean;
	struct ctx_buf fresh;
};

static void
take_chosen(struct choosing *c, int64_t seq, struct ctx_span message)
{
	if (!ctx_redaction_message(c->job->what, message, &c->fresh)) {
		c->clean++;
		return;
	}
	CTX_MEM_GROW(c->job->seqs, c->n, c->cap);
	c->job->seqs[c->n++] = seq;
}

static int
take_archived_choice(
    void *arg, int64_t seq, struct ctx_span message, struct ctx_err *err CTX_UNUSED)
{
	struct choosing *c = arg;

	take_chosen(c, seq, message);
	if (ctx_redaction_message(c->job->what, message, &c->fresh))
		note_redacted(c->job, message, ctx_buf_span(&c->fresh));
	ctx_redaction_learn(c->job->what, message);
	return 0;
}

static int
choose_archived(struct choosing *c, const struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_places places = {.open = ctx_place_open_dir};
	struct ctx_source source = {.fd = -1};
	char *uri = ctx_archive_uri(s);
	int rc = uri == NULL
		     ? 0
		     : ctx_erase_source_find(c->job->e, &places, uri, &source, err);

	if (rc == 1)
		rc = ctx_rewrite_messages(
		    &source, c->job->what, take_archived_choice, c, err);
	else if (rc == 0)
		rc = ctx_err_set(err, CTX_EIO,
		    "the archive that the store recorded for session '%s' does not exist",
		    s->session_id);
	if (rc < 0)
		ctx_err_prefix(err, "session '%s'", s->session_id);
	ctx_erase_source_release(&source);
	ctx_places_close(&places);
	free(uri);
	return rc;
}

static int
choose_stored(struct choosing *c, const struct ctx_session *s, struct ctx_err *err)
{
	const struct ctx_redaction *what = c->job->what;
	int64_t first = what->n > 0 ? what->seqs[0] : 1,
		last = what->n > 0 ? what->seqs[what->n - 1] : s->last_seq;
	struct ctx_cursor *cursor;
	struct ctx_stored m;
	int rc;

	if (last > s->last_seq)
		last = s->last_seq;
	if (first > last)
		return 0;
	cursor = ctx_cursor_open(c->job->e->st, s, first, last, false, err);
	while ((rc = ctx_cursor_next(cursor, &m, err)) == 1)
		if (ctx_redaction_has(what, m.seq))
			take_chosen(c, m.seq, m.message);
	ctx_cursor_close(cursor);
	return rc;
}

/* Checks that all named messages exist and, with match, that at least one contains the
 * text. */
static int
check_choice(const struct choosing *c, const struct ctx_session *s, struct ctx_err *err)
{
	const struct ctx_redaction *what = c->job->what;

	for (size_t i = 0; i < what->n; i++)
		if (what->seqs[i] > s->last_seq)
			return ctx_err_set(err, CTX_EANSWER,
			    "session '%s' has no message %lld", s->session_id,
			    (long long)what->seqs[i]);
	if (what->match.p != NULL && c->n == 0)
		return ctx_err_set(err, CTX_EANSWER,
		    what->n == 1
			? "session '%s': the message does not exist or does not contain the text"
			: "session '%s': no message contains the text",
		    s->session_id);
	return 0;
}

/* Reduces what->seqs to the messages that change. A redaction that was interrupted is
 * repeated with all named messages. */
static int
choose_messages(struct ctx_redact *job, const struct ctx_session *s, struct ctx_err *err)
{
	struct choosing c = {.job = job};
	int pending = ctx_store_redact_pending(job->e->st, s, job->what, err), rc;

	if (pending < 0)
		return -1;
	rc = ctx_archive_cleaned(s) ? choose_archived(&c, s, err)
				    : choose_stored(&c, s, err);
	job->repeated = pending == 1;
	if (rc == 0 && !job->repeated)
		rc = check_choice(&c, s, err);
	if (rc == 0 && !job->repeated) {
		job->what->seqs = job->seqs;
		job->what->n = c.n;
	}
	ctx_buf_release(&c.fresh);
	return rc < 0 ? -1 : 0;
}

/* ---- the store ---- */

static int
check_unmoved(const struct ctx_session *s, const struct ctx_session *now, int found,
    struct ctx_err *err)
{
	found = found == 1 && ctx_archive_cleaned(now) == ctx_archive_cleaned(s);
	if (ctx_erase_check_unmoved(s, now, found, err) < 0)
		return -1;
	if (ctx_session_purging(now))
		return ctx_err_set(
		    err, CTX_EANSWER, "session '%s' is being purged", s->session_id);
	return 0;
}

/* Redacts the rows in one transaction. The counts of an archived session are updated with
 * its archive. */
static int
redact_in_store(struct ctx_redact *job, const struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_store *st = job->e->st;
	struct ctx_session now = CTX_SESSION_INIT;
	int rc = ctx_store_begin(st, err), found;

	if (rc == 0) {
		found = ctx_store_session_get(st, s->no, &now, err);
		rc = found < 0 ? -1 : check_unmoved(s, &now, found, err);
	}
	if (rc == 0)
		rc = ctx_store_redact(st, &now, &job->done, err);
	if (rc == 0 && !job->dry_run)
		rc = ctx_store_commit(st, err);
	ctx_store_rollback(st);
	ctx_session_release(&now);
	return rc;
}

/* Removes the messages from the full-text index, then redacts them. The open transaction
 * of the derived file keeps others from indexing them meanwhile. */
static int
redact_indexed(struct ctx_redact *job, const struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_store *st = job->e->st;
	int rc,
	    held = job->dry_run ? 0 : ctx_derived_erase_begin(st, s, &job->e->total, err);

	if (held < 0)
		return -1;
	rc = redact_in_store(job, s, err);
	if (held == 1)
		rc = ctx_derived_end(st, rc, err);
	return rc;
}

/* ---- archives ---- */

/* Updates the members of the session's archive JSON that change with the file. */
static void
update_archive_member(
    struct ctx_session *s, const char *uri, const struct ctx_archive_info *info)
{
	struct ctx_span archive = ctx_span_of(s->archive_json);
	struct ctx_buf b = CTX_BUF_INIT;

	if (s->archive_json == NULL || !ctx_json_is(ctx_json_get(archive, "uri"), uri))
		return;
	ctx_json_put_open(&b, '{');
	CTX_JSON_EACH(it, archive) {
		if (ctx_json_is(it.key, "sha256"))
			ctx_json_add_str(&b, "sha256", info->file_sha256);
		else if (ctx_json_is(it.key, "bytes"))
			ctx_json_add_int(&b, "bytes", info->file_bytes);
		else
			ctx_json_put_member(&b, it.key, it.value);
	}
	ctx_json_put_close(&b, '}');
	free(s->archive_json);
	s->archive_json = ctx_buf_detach(&b);
	if (ctx_archive_cleaned(s))
		s->token_count = info->token_count;
}

static int
record_rewritten(struct ctx_redact *job, const struct ctx_session *s, const char *uri,
    const struct ctx_archive_info *info, struct ctx_err *err)
{
	struct ctx_store *st = job->e->st;
	struct ctx_owner_file file = {uri, info->file_sha256, CTX_OWNER_WRITTEN};
	struct ctx_session now = CTX_SESSION_INIT;
	int rc = ctx_store_begin(st, err);

	if (rc == 0)
		rc = ctx_store_session_get(st, s->no, &now, err) == 1 ? 0 : -1;
	if (rc == 0) {
		update_archive_member(&now, uri, info);
		rc = ctx_store_session_update(st, &now, err);
	}
	if (rc == 0)
		rc = ctx_owner_add(st, s->no, &file, err);
	rc = ctx_store_end(st, rc, err);
	ctx_session_release(&now);
	return rc;
}

static int
rewrite_one(struct ctx_redact *job, const char *uri, struct ctx_archive_info *info,
    struct ctx_err *err)
{
	struct ctx_places places = {.open = ctx_place_open_dir};
	struct ctx_source source;
	int rc;

	if (ctx_place_is_remote(uri))
		return job->rewrite_remote(job->arg, uri, job->what, info, err);
	rc = ctx_places_find(&places, uri, &source, err);
	if (rc == 0 && source.blobs == NULL)
		rc = ctx_err_set(
		    err, CTX_EANSWER, "the archive is not in an archive directory");
	if (rc == 0)
		rc = ctx_rewrite_archive(&source, job->what, info, err);
	ctx_places_close(&places);
	return rc;
}

static int
rewrite_entry(struct ctx_redact *job, const struct ctx_session *s,
    const struct ctx_erase_entry *entry, struct ctx_err *err)
{
	struct ctx_archive_info info = {.session_id = NULL};
	struct ctx_err why = CTX_ERR_INIT;
	int rc;

	if (entry->owned == CTX_OWNED_MISSING && !entry->recorded)
		return 0;
	if (entry->owned == CTX_OWNED_NO) {
		job->e->calls->warn(
		    "archive '%s' of session '%s' was not written by this store: not redacted",
		    entry->uri, s->session_id);
		job->e->left++;
		return 0;
	}
	if (entry->owned == CTX_OWNED_MISSING)
		rc = ctx_err_set(&why, CTX_EANSWER, "it does not exist");
	else
		rc = rewrite_one(job, entry->uri, &info, &why);
	if (rc < 0) {
		job->e->calls->warn(
		    "archive '%s' was not redacted: %s", entry->uri, why.msg);
		job->e->missing++;
		return 0;
	}
	job->archives++;
	rc = record_rewritten(job, s, entry->uri, &info, err);
	ctx_archive_info_release(&info);
	return rc;
}

/* ---- a session ---- */

static int
finish_redaction(struct ctx_redact *job, const struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_store *st = job->e->st;
	int64_t no = s->no;
	int rc = ctx_derived_erase(st, &no, 1, false, &job->e->total, err);

	/* the interrupted run may have left words in the index that no message has any
	 * more */
	if (rc == 0 && job->repeated)
		rc = ctx_fulltext_forget_words(st, err);
	if (rc == 0)
		rc = ctx_scrub_store(
		    &job->e->scrub, true, job->repeated, &job->counts, err);
	if (rc == 0 && job->e->missing > 0)
		return 0;
	if (rc == 0)
		rc = ctx_store_begin(st, err);
	if (rc == 0)
		rc = ctx_store_redact_finish(st, s, job->what, err);
	return ctx_store_end(st, rc, err);
}

int
ctx_redact_session(
    struct ctx_redact *job, const struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_erase_plan plan = {.e = job->e, .s = s};
	int rc = choose_messages(job, s, err);

	job->done = (struct ctx_store_redaction){
	    .what = job->what, .removed = note_redacted, .arg = job, .now = job->now};
	job->e->scrub.redaction = job->what;
	job->e->scrub.redacted_no = s->no;
	if (rc < 0 || (job->what->n == 0 && !job->repeated))
		return rc;
	if (!job->dry_run)
		rc = ctx_erase_plan_collect(&plan, err);
	if (rc == 0)
		rc = ctx_erase_plan_inspect(&plan, err);
	if (rc == 0 && ctx_archive_cleaned(s))
		rc = ctx_scrub_note_kept(&job->e->scrub, s, err);
	if (rc == 0)
		rc = redact_indexed(job, s, err);
	if (job->dry_run)
		return rc;
	for (size_t i = 0; rc == 0 && i < plan.n; i++)
		rc = rewrite_entry(job, s, &plan.v[i], err);
	if (rc == 0)
		rc = finish_redaction(job, s, err);
	ctx_erase_plan_release(&plan);
	return rc;
}
