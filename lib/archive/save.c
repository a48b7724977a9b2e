#include "archive/save.h"

#include <stdlib.h>
#include <string.h>

#include "archive/owned.h"
#include "base/mem.h"
#include "json/json.h"
#include "store/purge.h"
#include "store/restore_check.h"

void
ctx_saved_release(struct ctx_saved *saved)
{
	free(saved->uri);
	saved->uri = NULL;
	ctx_archive_info_release(&saved->info);
}

void
ctx_saved_print(struct ctx_buf *out, const struct ctx_saved *saved)
{
	ctx_json_print(out,
	    "{'written':%b,'uri':%s,'stamp':%s,'sha256':%s,'bytes':%d,'messages':%d,"
	    "'records':%d}",
	    saved->written, saved->uri, saved->stamp, saved->info.file_sha256,
	    saved->info.file_bytes, saved->info.counts[CTX_KIND_MESSAGE],
	    saved->info.records);
}

static void
copy_saved_digest(char out[CTX_HASH_HEX + 1], struct ctx_span json)
{
	char *text = ctx_json_strdup(json);

	if (text != NULL && strlen(text) == CTX_HASH_HEX)
		memcpy(out, text, CTX_HASH_HEX + 1);
	free(text);
}

void
ctx_saved_parse(struct ctx_saved *saved, struct ctx_span json)
{
	memset(saved, 0, sizeof(*saved));
	saved->written = ctx_json_true(ctx_json_get(json, "written"));
	saved->uri = ctx_json_strdup(ctx_json_get(json, "uri"));
	copy_saved_digest(saved->stamp, ctx_json_get(json, "stamp"));
	copy_saved_digest(saved->info.file_sha256, ctx_json_get(json, "sha256"));
	ctx_json_int(ctx_json_get(json, "bytes"), &saved->info.file_bytes);
	ctx_json_int(
	    ctx_json_get(json, "messages"), &saved->info.counts[CTX_KIND_MESSAGE]);
	ctx_json_int(ctx_json_get(json, "records"), &saved->info.records);
}

/* ---- records of an archive ---- */

/* The records on their way into an archive. A snapshot must not contain traces of earlier
 * snapshots, so their events are left out, and numbers of events in other records are
 * adjusted. */
struct output {
	struct ctx_archive_writer *w;
	ctx_save_change_fn *change;
	int64_t events;    /* number of events of the session */
	int64_t *left_out; /* numbers (from 1) of events that are left out */
	size_t n, cap;
	struct ctx_buf line;
};

static bool
is_snapshot(struct ctx_span event)
{
	return ctx_json_is(ctx_json_get(event, "event"), "snapshot");
}

static int
count_event(void *arg, struct ctx_span record, int64_t response_seq CTX_UNUSED,
    struct ctx_err *err CTX_UNUSED)
{
	struct output *out = arg;

	out->events++;
	if (is_snapshot(record)) {
		CTX_MEM_GROW(out->left_out, out->n, out->cap);
		out->left_out[out->n++] = out->events;
	}
	return 0;
}

/* Returns a record of hidden messages or of a summary with the number that its event has
 * in the archive. */
static struct ctx_span
renumber_saved_record(struct output *out, struct ctx_span record)
{
	int64_t event = 0, less = 0;

	ctx_json_int(ctx_json_get(record, "event"), &event);
	while ((size_t)less < out->n && out->left_out[less] < event)
		less++;
	if (less == 0)
		return record;
	ctx_buf_reset(&out->line);
	ctx_json_put_open(&out->line, '{');
	CTX_JSON_EACH(it, record) {
		ctx_json_put_name(&out->line, it.key);
		if (ctx_json_is(it.key, "event"))
			ctx_buf_addi(&out->line, event - less);
		else
			ctx_buf_addspan(&out->line, it.value);
	}
	ctx_json_put_close(&out->line, '}');
	return ctx_buf_span(&out->line);
}

static int
put_saved_record(void *arg, enum ctx_kind kind, struct ctx_span line, struct ctx_err *err)
{
	struct output *out = arg;

	if (out->n > 0 && kind == CTX_KIND_EVENT && is_snapshot(line))
		return 0;
	if (out->n > 0 && kind == CTX_KIND_OTHER)
		line = renumber_saved_record(out, ctx_span_trim(line));
	line = ctx_span_trim(line);
	if (out->change != NULL && out->change(&line, err) < 0)
		return -1;
	return ctx_archive_put(out->w, kind, line, err);
}

/* State of the check of the existing archive with the same name. */
struct old_archive {
	struct ctx_store *st;
	const struct ctx_session *s;
	/* true: the archive is redacted, so its messages are not compared with those of
	 * the session */
	bool redacted;
	bool refused; /* true: the archive must not be replaced */
};

static int
check_old_record(void *arg, const struct ctx_record *record, struct ctx_err *err)
{
	struct old_archive *o = arg;
	struct ctx_session old = CTX_SESSION_INIT;
	int64_t tokens;
	int rc = 1; /* 0: the session lacks a message of the archive */

	if (record->kind == CTX_KIND_MESSAGE) {
		rc = o->redacted ? record->seq <= o->s->last_seq
				 : ctx_store_holds(o->st, o->s, record->seq,
				       record->message, &tokens, err);
	} else if (record->kind == CTX_KIND_SESSION) {
		o->redacted = ctx_owned_redacted(record->line);
		if (ctx_session_parse(&old, record->line, err) < 0)
			rc = -1;
		else if (!ctx_session_is_same(&old, o->s))
			rc = ctx_err_set(
			    err, CTX_EANSWER, "the archive belongs to another session");
		else
			rc = old.last_seq <= o->s->last_seq;
		ctx_session_release(&old);
	}
	if (rc == 0)
		rc = ctx_err_set(err, CTX_EANSWER,
		    "the archive contains messages that the session does not have");
	o->refused = rc < 0;
	return rc < 0 ? -1 : 0;
}

/* Checks the existing archive with the same name. Returns 0 if there is none; 1 if it may
 * be replaced, because this store wrote it and it is an earlier state of the session; -1
 * if not: it belongs to another store, or to a different course of the session (the store
 * was reset to an older copy). Records of a damaged archive are not considered. */
static int
check_old(struct ctx_blobs *blobs, const char *name, struct ctx_store *st,
    const struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_source src = {.blobs = blobs, .name = name};
	struct old_archive o = {.st = st, .s = s};
	struct ctx_err why = CTX_ERR_INIT;
	enum ctx_owned owned;
	int rc = ctx_owned_look(&owned, &src, st, s, err);

	if (rc == 0 && owned == CTX_OWNED_NO)
		return ctx_err_set(
		    err, CTX_EANSWER, "the archive belongs to another store or session");
	if (rc < 0 || owned == CTX_OWNED_MISSING)
		return rc;
	rc = ctx_source_records(&src, check_old_record, &o, NULL, &why);
	if (rc < 0 && !o.refused && why.code != CTX_EIO)
		return 1;
	if (rc < 0)
		*err = why;
	return rc;
}

/* Computes the stamp of the session as it is now. Returns 1 if computed, 0 if the session
 * has changed since s was read or no longer exists, -1 on error. */
static int
stamp_now(struct ctx_store *st, const struct ctx_session *s, char stamp[CTX_HASH_HEX + 1],
    struct ctx_err *err)
{
	struct ctx_session now = CTX_SESSION_INIT;
	int rc = ctx_store_begin_read(st, err);

	if (rc == 0)
		rc = ctx_store_session_get(st, s->no, &now, err);
	if (rc == 1 && ctx_store_stamp(st, &now, stamp, err) < 0)
		rc = -1;
	if (rc == 1 &&
	    (strcmp(now.session_id, s->session_id) != 0 || now.last_seq != s->last_seq))
		rc = 0;
	ctx_store_end_read(st);
	ctx_session_release(&now);
	return rc;
}

/* A session below these limits is read in one snapshot, which ends before anything is
 * written; that takes less time than several snapshots. */
#define SHORT_MESSAGES 200
#define SHORT_TOKENS 20000

static int
write_records(struct ctx_blob_put *put, struct ctx_store *st, const struct ctx_session *s,
    int threads, ctx_save_change_fn *change, struct ctx_saved *saved, struct ctx_err *err)
{
	struct ctx_archive_writer *w = ctx_archive_writer_new(
	    s->session_id, threads, ctx_blob_put_write, put);
	struct output out = {.w = w, .change = change};
	struct ctx_session as_active = *s;
	struct ctx_buf archive = CTX_BUF_INIT;
	struct ctx_owner owner = {.copied = false};
	bool is_short = s->message_count <= SHORT_MESSAGES &&
			s->token_count <= SHORT_TOKENS;
	int rc = is_short ? ctx_store_begin_read(st, err) : 0;

	if (rc == 0)
		rc = ctx_owner_get(st, &owner, err);
	ctx_owned_print(&archive, &owner, change != NULL);
	as_active.status = CTX_STATUS_ACTIVE;
	as_active.archive_json = archive.p;
	if (rc == 0 && saved->snapshot)
		rc = ctx_store_events(st, s, count_event, &out, err);
	if (rc == 0)
		rc = ctx_store_export(
		    st, &as_active, CTX_EXPORT_ALL, put_saved_record, &out, err);
	if (is_short)
		ctx_store_end_read(st);
	if (rc == 0)
		rc = ctx_archive_finish(w, &saved->info, err);
	ctx_archive_writer_free(w);
	free(out.left_out);
	ctx_buf_release(&out.line);
	ctx_buf_release(&archive);
	return rc;
}

/* Writes the archive. Returns 1 if written, 0 if the session changed between the first
 * and the last stamp, -1 on error. Nothing is committed in the latter cases: an existing
 * archive stays. With exclusive, an archive that another store wrote meanwhile stays
 * too. */
static int
write_archive(struct ctx_save *w, bool exclusive, struct ctx_err *err)
{
	char after[CTX_HASH_HEX + 1];
	struct ctx_saved *saved = &w->saved;
	int rc = stamp_now(w->st, &w->session, saved->stamp, err);

	if (rc != 1 || ctx_blob_put_open(w->blobs, w->name, exclusive, &w->put, err) < 0)
		return rc == 1 ? -1 : rc;
	rc = write_records(w->put, w->st, &w->session, w->threads, w->change, saved, err);
	if (rc == 0)
		rc = stamp_now(w->st, &w->session, after, err);
	if (rc == 1 && strcmp(saved->stamp, after) != 0)
		rc = 0;
	if (rc != 1) {
		ctx_blob_put_abort(w->put);
		w->put = NULL;
	}
	return rc;
}

static int
check_saved_record(void *checks, const struct ctx_record *record, struct ctx_err *err)
{
	return ctx_restore_checks_add(checks, record, err);
}

int
ctx_save_verify(struct ctx_source *source, const char *sha256,
    struct ctx_archive_info *info, struct ctx_err *err)
{
	struct ctx_restore_checks checks;
	int rc;

	ctx_restore_checks_init(&checks);
	rc = ctx_source_records(source, check_saved_record, &checks, info, err);
	if (rc == 1 && (ctx_restore_checks_end(&checks, err) < 0 ||
			   ctx_archive_check_digest(info, sha256, err) < 0)) {
		ctx_archive_info_release(info);
		rc = -1;
	}
	ctx_restore_checks_release(&checks);
	return rc;
}

static int
read_back(struct ctx_blobs *blobs, const char *name, const struct ctx_session *s,
    struct ctx_saved *saved, struct ctx_err *err)
{
	struct ctx_source src = {.blobs = blobs, .name = name};
	struct ctx_archive_info info = {.session_id = NULL};
	int rc = ctx_save_verify(&src, saved->info.file_sha256, &info, err);

	if (rc == 0)
		return ctx_err_set(err, CTX_EANSWER,
		    "the archive disappeared right after it was written");
	if (rc < 0)
		return -1;
	if (memcmp(info.counts, saved->info.counts, sizeof(info.counts)) != 0 ||
	    info.counts[CTX_KIND_MESSAGE] != s->message_count)
		rc = ctx_err_set(err, CTX_EANSWER,
		    "the archive contains only %lld of the session's %lld messages",
		    (long long)info.counts[CTX_KIND_MESSAGE],
		    (long long)s->message_count);
	ctx_archive_info_release(&info);
	return rc;
}

void
ctx_save_write(struct ctx_save *w)
{
	struct ctx_buf name = CTX_BUF_INIT, address = CTX_BUF_INIT;
	const struct ctx_session *s = &w->session;

	ctx_archive_name(&name, s->created_at, ctx_span_of(s->session_id), s->tenant_id);
	w->name = ctx_buf_detach(&name);
	ctx_blob_address(w->blobs, w->name, &address);
	w->saved.uri = ctx_buf_detach(&address);
	w->rc = check_old(w->blobs, w->name, w->st, s, &w->err);
	if (w->rc < 0)
		ctx_err_prefix(&w->err, "'%s'", w->saved.uri);
	else
		w->rc = write_archive(w, w->rc == 0, &w->err);
}

static void
finish_archive_save(struct ctx_save *w, const struct ctx_blob_done *done)
{
	w->put = NULL;
	w->rc = done->rc < 0 ? -1 : 1;
	/* the file may exist, even if its directory was not synced */
	w->saved.written = done->rc != 1;
	if (done->rc < 0)
		w->err = done->err;
	if (done->rc == 1)
		w->rc = ctx_err_set(&w->err, CTX_EANSWER,
		    "another process wrote an archive with this name");
	else if (done->rc == 0 && (w->rc = read_back(w->blobs, w->name, &w->session,
				       &w->saved, &w->err)) < 0)
		ctx_err_prefix(&w->err, "'%s'", w->saved.uri);
}

void
ctx_save_commit(struct ctx_save *v, size_t n)
{
	struct ctx_blob_put **puts = ctx_mem_new((n + 1) * sizeof(*puts));
	struct ctx_blob_done *done = ctx_mem_new((n + 1) * sizeof(*done));
	size_t n_puts = 0;

	for (size_t i = 0; i < n; i++)
		if (v[i].put != NULL)
			puts[n_puts++] = v[i].put;
	ctx_blob_puts_commit(puts, n_puts, done);
	n_puts = 0;
	for (size_t i = 0; i < n; i++)
		if (v[i].put != NULL)
			finish_archive_save(&v[i], &done[n_puts++]);
	free(puts);
	free(done);
}

void
ctx_save_release(struct ctx_save *w)
{
	ctx_blob_put_abort(w->put);
	ctx_session_release(&w->session);
	ctx_saved_release(&w->saved);
	free(w->name);
	memset(w, 0, sizeof(*w));
}

int
ctx_save_verify_session(struct ctx_places *places, const struct ctx_session *s,
    struct ctx_archive_info *info, struct ctx_err *err)
{
	char *uri = ctx_archive_uri(s), *sha256 = ctx_archive_sha256(s);
	struct ctx_archive_info own = {.records = 0};
	struct ctx_source src;
	int rc;

	if (uri == NULL)
		rc = ctx_err_set(
		    err, CTX_EANSWER, "session '%s' is not archived", s->session_id);
	else
		rc = ctx_places_find(places, uri, &src, err);
	if (rc == 0)
		rc = ctx_save_verify(&src, sha256, &own, err);
	if (rc == 1 && info != NULL)
		*info = own;
	else if (rc == 1)
		ctx_archive_info_release(&own);
	free(uri);
	free(sha256);
	return rc;
}

int
ctx_save_again(struct ctx_places *places, struct ctx_store *st,
    const struct ctx_session *s, struct ctx_saved *saved, struct ctx_err *err)
{
	int rc;

	memset(saved, 0, sizeof(*saved));
	rc = ctx_save_verify_session(places, s, &saved->info, err);
	if (rc == 0)
		rc = ctx_err_set(
		    err, CTX_EANSWER, "the session's archive does not exist");
	if (rc == 1 && ctx_store_stamp(st, s, saved->stamp, err) < 0)
		rc = -1;
	saved->uri = ctx_archive_uri(s);
	if (rc < 0)
		ctx_saved_release(saved);
	return rc;
}
