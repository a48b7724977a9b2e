#include "archive/restore.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "archive/mark.h"
#include "archive/owned.h"
#include "base/arena.h"
#include "base/mem.h"
#include "store/owner.h"
#include "store/restore_check.h"

#define SMALL_BYTES ((size_t)4 << 20) /* largest archive that is kept in memory */
/* total size of archives that share a transaction */
#define GROUP_BYTES ((size_t)8 << 20)
#define BATCH_RECORDS 4000 /* records of a large archive stored per transaction */
#define BATCH_BYTES ((size_t)4 << 20)

struct waiting_record {
	struct ctx_record record;
	struct ctx_restore_facts facts;
};

/* A verified archive that waits to be stored. */
struct waiting {
	struct ctx_arena arena;
	struct waiting_record *records;
	size_t n, cap;
	bool whole; /* all records of the archive are in memory */
	char *uri;
	struct ctx_archive_info info;
};

struct ctx_unarchive {
	struct ctx_store *st;
	struct ctx_unarchive_options o;
	ctx_unarchive_fn *fn;
	void *arg;
	char *tenant; /* only sessions of this tenant are restored; NULL: all */
	struct waiting *waiting;
	size_t n, cap, bytes;
};

struct ctx_unarchive *
ctx_unarchive_new(struct ctx_store *st, const struct ctx_unarchive_options *o,
    ctx_unarchive_fn *fn, void *arg)
{
	struct ctx_unarchive *u = ctx_mem_new(sizeof(*u));

	u->st = st;
	u->o = *o;
	u->fn = fn;
	u->arg = arg;
	if (st != NULL)
		u->tenant = ctx_mem_str(ctx_store_tenant(st));
	return u;
}

static int
need_target_store(struct ctx_unarchive *u, struct ctx_err *err)
{
	if (u->st != NULL)
		return 0;
	if (u->o.open(u->arg, &u->st, err) < 0)
		return -1;
	u->tenant = ctx_mem_str(ctx_store_tenant(u->st));
	return 0;
}

static void
waiting_release(struct waiting *w)
{
	ctx_arena_release(&w->arena);
	ctx_archive_info_release(&w->info);
	free(w->records);
	free(w->uri);
}

static void
release_waiting_restores(struct ctx_unarchive *u)
{
	for (size_t i = 0; i < u->n; i++)
		waiting_release(&u->waiting[i]);
	u->n = u->bytes = 0;
}

void
ctx_unarchive_free(struct ctx_unarchive *u)
{
	if (u == NULL)
		return;
	release_waiting_restores(u);
	free(u->waiting);
	free(u->tenant);
	free(u);
}

static bool
is_trouble_of_one(const struct ctx_err *err)
{
	return err->code == CTX_EANSWER || err->code == CTX_EINPUT ||
	       err->code == CTX_EUSAGE;
}

static int
report_unarchived_session(struct ctx_unarchive *u, const char *uri,
    const struct ctx_archive_info *info, const struct ctx_restore *r,
    struct ctx_err *failure, struct ctx_err *err)
{
	struct ctx_unarchived out = {.uri = uri, .info = info, .failure = failure};

	if (r != NULL) {
		out.session = ctx_restore_session(r);
		out.left_out = ctx_restore_left_out(r);
	}
	return u->fn(u->arg, &out, err);
}

/* ---- storing ---- */

static int
begin_session(struct ctx_unarchive *u, const struct waiting *w,
    const struct ctx_record *first, struct ctx_restore **r, struct ctx_err *err)
{
	struct ctx_restore_options o = {.as = u->o.as, .trial = u->o.dry_run};
	struct ctx_owner_file file = {w->uri, w->info.file_sha256, CTX_OWNER_RESTORED};
	struct ctx_buf archive = CTX_BUF_INIT;
	char *shown = ctx_mem_str(ctx_store_tenant(u->st));
	int rc;

	ctx_mark_describe(&archive, w->uri, &w->info, CTX_MARK_RESTORING);
	o.archive = archive.p;
	/* the store may be restricted to another tenant by now */
	ctx_store_set_tenant(u->st, u->tenant);
	rc = u->o.event && u->o.as == NULL && !u->o.dry_run
		 ? ctx_owned_source(u->st, first->line, &file, err)
		 : 0;
	if (rc == 0)
		rc = ctx_restore_begin(r, u->st, first->line, &o, err);
	if (rc == 0 && u->o.event && !u->o.dry_run)
		rc = ctx_owner_add(u->st, ctx_restore_session(*r)->no, &file, err);
	ctx_store_set_tenant(u->st, shown);
	free(shown);
	ctx_buf_release(&archive);
	return rc;
}

static int
add_restore_event(struct ctx_unarchive *u, const char *uri,
    const struct ctx_archive_info *info, const struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_buf event = CTX_BUF_INIT;
	int rc;

	if (!u->o.event || u->o.dry_run)
		return 0;
	ctx_mark_event(&event, s->session_id, "restore", u->o.now, uri, info, false);
	rc = ctx_store_event_add(u->st, s, u->o.now, ctx_buf_span(&event), NULL, err);
	ctx_buf_release(&event);
	return rc;
}

static int
finish_session(struct ctx_unarchive *u, const struct waiting *w, struct ctx_restore *r,
    struct ctx_err *err)
{
	if (ctx_restore_finish(r, err) < 0)
		return -1;
	return add_restore_event(u, w->uri, &w->info, ctx_restore_session(r), err);
}

/* Stores a whole small session in the open transaction. The caller frees *r. */
static int
store_small(struct ctx_unarchive *u, const struct waiting *w, struct ctx_restore **r,
    struct ctx_err *err)
{
	if (w->n == 0 || begin_session(u, w, &w->records[0].record, r, err) < 0)
		return -1;
	for (size_t i = 1; i < w->n; i++)
		if (ctx_restore_put(
			*r, &w->records[i].record, &w->records[i].facts, err) < 0)
			return -1;
	return finish_session(u, w, *r, err);
}

/* A dry run only reads. */
static int
begin_transaction(struct ctx_unarchive *u, struct ctx_err *err)
{
	return u->o.dry_run ? 0 : ctx_store_begin(u->st, err);
}

static int
end_transaction(struct ctx_unarchive *u, struct ctx_err *err)
{
	return u->o.dry_run ? 0 : ctx_store_commit(u->st, err);
}

static int
activate_restored_session(
    struct ctx_unarchive *u, struct ctx_session *s, const char *uri, struct ctx_err *err)
{
	struct ctx_owner_file file = {uri, NULL, CTX_OWNER_WRITTEN};
	char *sha256;
	int rc;

	if (s->status != CTX_STATUS_ARCHIVED || ctx_archive_cleaned(s))
		return ctx_err_set(err, CTX_EANSWER,
		    "another process restored session '%s' or removed its messages from the store",
		    s->session_id);
	sha256 = ctx_archive_sha256(s);
	file.sha256 = sha256;
	rc = sha256 == NULL || ctx_owned_is_restoring(s) || u->o.dry_run
		 ? 0
		 : ctx_owner_add(u->st, s->no, &file, err);
	free(sha256);
	s->status = CTX_STATUS_ACTIVE;
	free(s->archive_json);
	s->archive_json = NULL;
	if (u->o.dry_run)
		return 0;
	if (rc < 0 || ctx_store_session_update(u->st, s, err) < 0)
		return -1;
	return add_restore_event(u, uri, NULL, s, err);
}

int
ctx_unarchive_kept(
    struct ctx_unarchive *u, int64_t session_no, const char *uri, struct ctx_err *err)
{
	struct ctx_unarchived out = {.uri = uri};
	struct ctx_session s = CTX_SESSION_INIT;
	int rc;

	if (begin_transaction(u, err) < 0)
		return -1;
	rc = ctx_store_session_get(u->st, session_no, &s, err);
	if (rc >= 0) /* a session that no longer exists is reported as not archived */
		rc = activate_restored_session(u, &s, uri, err);
	if (rc == 0)
		rc = end_transaction(u, err);
	ctx_store_rollback(u->st);
	out.session = &s;
	if (rc == 0)
		rc = u->fn(u->arg, &out, err);
	ctx_session_release(&s);
	return rc;
}

/* Stores the sessions from..to-1 in one transaction. Returns 0 if stored, 1 if one of
 * them can't be restored, -1 on error. */
static int
store_group(struct ctx_unarchive *u, size_t from, size_t to, struct ctx_err *err)
{
	struct ctx_restore **r = ctx_mem_new((to - from) * sizeof(*r));
	int rc = begin_transaction(u, err);

	for (size_t i = from; rc == 0 && i < to; i++)
		rc = store_small(u, &u->waiting[i], &r[i - from], err);
	if (rc == 0)
		rc = end_transaction(u, err);
	ctx_store_rollback(u->st);
	if (rc < 0 && is_trouble_of_one(err))
		rc = 1;
	for (size_t i = from; i < to; i++) {
		if (rc == 0)
			rc = report_unarchived_session(u, u->waiting[i].uri,
			    &u->waiting[i].info, r[i - from], NULL, err);
		ctx_restore_free(r[i - from]);
	}
	free(r);
	return rc;
}

/* Stores all waiting sessions in one transaction or, if that fails, each in its own. */
int
ctx_unarchive_flush(struct ctx_unarchive *u, struct ctx_err *err)
{
	struct ctx_err failure = CTX_ERR_INIT;
	int rc;

	if (u->n > 0 && need_target_store(u, err) < 0)
		return -1;
	rc = u->n > 1 ? store_group(u, 0, u->n, &failure) : 1;
	if (rc < 0)
		*err = failure;
	for (size_t i = 0; rc > 0 && i < u->n; i++) {
		failure.code = CTX_OK;
		rc = store_group(u, i, i + 1, &failure);
		if (rc < 0)
			*err = failure;
		if (rc > 0 && report_unarchived_session(u, u->waiting[i].uri,
				  &u->waiting[i].info, NULL, &failure, err) < 0)
			rc = -1;
		if (rc == 0)
			rc = 1;
	}
	release_waiting_restores(u);
	return rc < 0 ? -1 : 0;
}

/* ---- large archives ---- */

struct batches {
	struct ctx_unarchive *u;
	struct waiting *w;
	struct ctx_restore *r;
};

static int
store_batch(struct batches *b, struct ctx_err *err)
{
	struct waiting *w = b->w;
	size_t i = 0;
	int rc = 0;

	if (w->n == 0)
		return 0;
	if (ctx_store_begin(b->u->st, err) < 0)
		return -1;
	if (b->r == NULL)
		rc = begin_session(b->u, w, &w->records[i++].record, &b->r, err);
	else
		rc = ctx_restore_go_on(b->r, err);
	for (; rc == 0 && i < w->n; i++)
		rc = ctx_restore_put(b->r, &w->records[i].record, NULL, err);
	rc = ctx_store_end(b->u->st, rc, err);
	w->n = 0;
	ctx_arena_reset(&w->arena);
	return rc;
}

static struct ctx_span
rebase_record_span(struct ctx_span s, const char *from, const char *to)
{
	return s.p == NULL ? s : (struct ctx_span){to + (s.p - from), s.n};
}

/* Copies a record, and the line from which its spans borrow, into w. */
static void
keep_waiting_record(struct waiting *w, const struct waiting_record *kept)
{
	const struct ctx_record *record = &kept->record;
	struct ctx_record *r;
	const char *from = record->line.p,
		   *to = ctx_arena_copy(&w->arena, record->line).p;

	CTX_MEM_GROW(w->records, w->n, w->cap);
	w->records[w->n] = *kept;
	r = &w->records[w->n++].record;
	r->line = rebase_record_span(r->line, from, to);
	r->session_id = rebase_record_span(r->session_id, from, to);
	r->message = rebase_record_span(r->message, from, to);
	r->id = rebase_record_span(r->id, from, to);
	r->metadata = rebase_record_span(r->metadata, from, to);
	r->source = rebase_record_span(r->source, from, to);
	r->tokenizer = rebase_record_span(r->tokenizer, from, to);
}

static int
take_batch_record(void *arg, const struct ctx_record *record, struct ctx_err *err)
{
	struct batches *b = arg;
	struct waiting_record next = {.record = *record};

	keep_waiting_record(b->w, &next);
	return b->w->n >= BATCH_RECORDS || b->w->arena.used >= BATCH_BYTES
		   ? store_batch(b, err)
		   : 0;
}

static int
finish_batches(struct batches *b, struct ctx_err *err)
{
	int rc;

	if (store_batch(b, err) < 0 || ctx_store_begin(b->u->st, err) < 0)
		return -1;
	rc = ctx_restore_go_on(b->r, err);
	if (rc == 0)
		rc = finish_session(b->u, b->w, b->r, err);
	return ctx_store_end(b->u->st, rc, err);
}

/* Stores a large archive, which was verified before: reads it a second time. */
static int
store_large(struct ctx_unarchive *u, struct waiting *w, struct ctx_source *source,
    struct ctx_err *err)
{
	struct batches b = {.u = u, .w = w};
	struct ctx_err failure = CTX_ERR_INIT;
	int rc = ctx_source_records(source, take_batch_record, &b, NULL, &failure);

	if (rc == 0)
		rc = ctx_err_set(
		    &failure, CTX_EANSWER, "the archive was deleted while it was read");
	else if (rc == 1)
		rc = finish_batches(&b, &failure);
	if (rc < 0 && !is_trouble_of_one(&failure))
		*err = failure;
	else
		rc = report_unarchived_session(u, w->uri, &w->info, rc < 0 ? NULL : b.r,
		    rc < 0 ? &failure : NULL, err);
	ctx_restore_free(b.r);
	return rc;
}

/* Dry run for a large archive: checks whether its session record would be accepted. */
static int
try_large(struct ctx_unarchive *u, struct waiting *w, const struct ctx_record *first,
    struct ctx_err *err)
{
	struct ctx_err failure = CTX_ERR_INIT;
	struct ctx_restore *r = NULL;
	int rc = begin_session(u, w, first, &r, &failure);

	rc = report_unarchived_session(
	    u, w->uri, &w->info, r, rc < 0 ? &failure : NULL, err);
	ctx_restore_free(r);
	return rc;
}

/* ---- reading ---- */

struct reading_waiting {
	struct waiting *w;
	struct ctx_restore_checks checks;
};

static int
read_waiting_record(void *arg, const struct ctx_record *record, struct ctx_err *err)
{
	struct reading_waiting *r = arg;
	struct waiting *w = r->w;
	struct waiting_record next = {.record = *record};

	if (ctx_restore_checks_add(&r->checks, record, err) < 0)
		return -1;
	next.facts = r->checks.facts;
	w->whole = w->whole &&
		   (w->n == 0 || w->arena.used + record->line.n <= SMALL_BYTES);
	if (w->whole)
		keep_waiting_record(w, &next);
	else
		w->n = 1;
	return 0;
}

/* Verifies the whole archive. Its records are kept in memory up to SMALL_BYTES; the first
 * is always kept. Returns 1, 0 if there is no archive, -1 on error. */
static int
read_archive(struct waiting *w, struct ctx_source *source, struct ctx_err *err)
{
	struct reading_waiting r = {.w = w};
	int rc;

	ctx_restore_checks_init(&r.checks);
	w->whole = true;
	rc = ctx_source_records(source, read_waiting_record, &r, &w->info, err);
	if (rc == 1 && ctx_restore_checks_end(&r.checks, err) < 0)
		rc = -1;
	ctx_restore_checks_release(&r.checks);
	return rc;
}

static int
take_waiting_session(struct ctx_unarchive *u, struct waiting *w,
    struct ctx_source *source, struct ctx_err *err)
{
	if (w->whole) {
		CTX_MEM_GROW(u->waiting, u->n, u->cap);
		u->waiting[u->n++] = *w;
		u->bytes += w->arena.used;
		memset(w, 0, sizeof(*w));
		return u->bytes < GROUP_BYTES && u->o.as == NULL
			   ? 0
			   : ctx_unarchive_flush(u, err);
	}
	if (ctx_unarchive_flush(u, err) < 0 || need_target_store(u, err) < 0)
		return -1;
	assert(w->records != NULL); /* read_archive always keeps the first record */
	if (u->o.dry_run)
		return try_large(u, w, &w->records[0].record, err);
	w->n = 0;
	ctx_arena_reset(&w->arena);
	return store_large(u, w, source, err);
}

int
ctx_unarchive_add(struct ctx_unarchive *u, struct ctx_source *source, const char *uri,
    const char *sha256, struct ctx_err *err)
{
	struct waiting w = {.uri = ctx_mem_str(uri)};
	struct ctx_err failure = CTX_ERR_INIT;
	int rc = read_archive(&w, source, &failure);

	if (rc == 0)
		rc = ctx_err_set(&failure, CTX_EANSWER, "archive not found%s",
		    sha256 == NULL ? " (use -s SID to name a session)" : "");
	if (rc == 1)
		rc = ctx_archive_check_digest(&w.info, sha256, &failure);
	if (rc < 0 && !is_trouble_of_one(&failure))
		*err = failure;
	else if (rc < 0)
		rc = report_unarchived_session(u, uri, NULL, NULL, &failure, err);
	else
		rc = take_waiting_session(u, &w, source, err);
	waiting_release(&w);
	return rc;
}
