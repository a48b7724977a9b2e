#include "store/redaction_copies.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "json/json.h"
#include "store/content.h"
#include "store/row.h"
#include "store/summary.h"

/* Lists the ids of the session's rows that sql selects. */
static int
list_session_rows(struct ctx_store *st, const char *sql, const char *table,
    const struct ctx_session *s, struct ctx_numbers *ids, struct ctx_err *err)
{
	return ctx_stmt_list(&st->db, sql, CTX_VALUES(CTX_SESSION_ROWS(s)),
	    (struct ctx_whole){table, "id", 0, INT64_MAX}, ids, err);
}

static int
read_record_row(struct ctx_store *st, const char *sql, int64_t id, struct ctx_buf *out,
    struct ctx_err *err)
{
	struct ctx_row r = ctx_rows(&st->db, "record", sql, CTX_VALUES(ctx_int(id)), err);

	if (ctx_rows_next(&r))
		ctx_buf_addspan(out, ctx_row_json(&r, 0, "JSON"));
	return ctx_rows_end(&r);
}

/* ---- copies in events ---- */

int
ctx_store_change_events(struct ctx_store *st, const struct ctx_session *s,
    ctx_redaction_event_fn *fn, void *arg, struct ctx_err *err)
{
	struct ctx_numbers ids = {NULL, 0, 0};
	struct ctx_buf record = CTX_BUF_INIT, fresh = CTX_BUF_INIT;
	int rc = list_session_rows(st,
	    "SELECT id FROM event WHERE id BETWEEN ?1 AND ?2 ORDER BY id", "event", s,
	    &ids, err);

	for (size_t i = 0; rc == 0 && i < ids.n; i++) {
		ctx_buf_reset(&record);
		ctx_buf_reset(&fresh);
		rc = read_record_row(
		    st, "SELECT record FROM event WHERE id = ?1", ids.v[i], &record, err);
		if (rc == 0 && fn(arg, ctx_buf_span(&record), &fresh) == 1)
			rc = ctx_stmt_do(&st->db,
			    "UPDATE event SET record = ?2 WHERE id = ?1",
			    CTX_VALUES(ctx_int(ids.v[i]), ctx_text(ctx_buf_span(&fresh))),
			    err);
	}
	free(ids.v);
	ctx_buf_release(&record);
	ctx_buf_release(&fresh);
	return rc;
}

static int
redact_event(void *arg, struct ctx_span record, struct ctx_buf *out)
{
	struct ctx_store_redaction *job = arg;

	if (!ctx_redaction_json(job->what, record, out))
		return 0;
	job->removed(job->arg, record, ctx_buf_span(out));
	return 1;
}

/* ---- summaries of redacted messages ---- */

struct summaries_redaction {
	struct ctx_store_redaction *job;
	struct ctx_session *s;
	struct ctx_store *st;
	/* number of the newest summary, in use or before it, that covers nothing
	 * redacted */
	int64_t usable;
	/* numbers of the summaries that cover a redacted message */
	struct ctx_numbers covering;
};

static int
redact_summary(void *arg, const struct ctx_store_summary *m, struct ctx_err *err)
{
	struct summaries_redaction *r = arg;
	struct ctx_buf fresh = CTX_BUF_INIT;
	bool covers = ctx_redaction_covers(r->job->what, m->first, m->last);
	int rc = 0;

	if (covers) {
		CTX_MEM_GROW(r->covering.v, r->covering.n, r->covering.cap);
		r->covering.v[r->covering.n++] = m->n;
	}
	if (ctx_redaction_summary(
		r->job->what, ctx_span_of(m->message), covers, &fresh)) {
		r->job->removed(
		    r->job->arg, ctx_span_of(m->message), ctx_buf_span(&fresh));
		r->job->summaries++;
		rc = ctx_stmt_do(&r->st->db, "UPDATE summary SET body = ?2 WHERE id = ?1",
		    CTX_VALUES(ctx_int(ctx_row_id(r->s->no, m->n)),
			ctx_text(ctx_buf_span(&fresh))),
		    err);
	}
	ctx_buf_release(&fresh);
	return rc;
}

static bool
is_covering(const struct summaries_redaction *r, int64_t n)
{
	for (size_t i = 0; i < r->covering.n; i++)
		if (r->covering.v[i] == n)
			return true;
	return false;
}

static int
redact_summaries(struct ctx_store *st, struct ctx_session *s,
    struct ctx_store_redaction *job, struct ctx_err *err)
{
	struct summaries_redaction r = {.job = job, .s = s, .st = st};
	int64_t n = s->summary, previous;
	int rc = ctx_store_summaries(st, s, redact_summary, &r, err);

	while (rc >= 0 && n > 0 && is_covering(&r, n)) {
		rc = ctx_stmt_ints(&st->db, "SELECT previous FROM summary WHERE id = ?1",
		    CTX_VALUES(ctx_int(ctx_row_id(s->no, n))), &previous, 1, err);
		n = previous < n ? previous : 0;
	}
	if (rc >= 0 && n != s->summary)
		rc = ctx_store_summary_use(st, s, n, err);
	free(r.covering.v);
	return rc < 0 ? -1 : 0;
}

/* ---- copies in stored requests ---- */

static int
redact_request(struct ctx_store *st, const struct ctx_session *s, int64_t id,
    struct ctx_store_redaction *job, struct ctx_err *err)
{
	struct ctx_buf stored = CTX_BUF_INIT, whole = CTX_BUF_INIT, fresh = CTX_BUF_INIT;
	int rc = read_record_row(
	    st, "SELECT record FROM request WHERE id = ?1", id, &stored, err);

	if (rc == 0)
		rc = ctx_content_unpack(st, s->no, ctx_buf_span(&stored), &whole, err);
	if (rc == 0 && ctx_redaction_request(job->what, ctx_buf_span(&whole), &fresh)) {
		job->requests++;
		rc = ctx_store_request_replace(st, s, id, ctx_buf_span(&fresh), err);
	}
	ctx_buf_release(&stored);
	ctx_buf_release(&whole);
	ctx_buf_release(&fresh);
	return rc;
}

/* Adds the digests of the texts to which a stored record refers. */
static void
note_used_texts(struct ctx_map *used, struct ctx_span record)
{
	struct ctx_buf tmp = CTX_BUF_INIT;

	CTX_JSON_EACH(it, ctx_json_get(record, "messages")) {
		struct ctx_span sha256 = ctx_json_text(
		    ctx_json_get(it.value, "sha256"), &tmp);
		if (sha256.p != NULL)
			*ctx_map_at(
			    used, ctx_hash_bytes(0, sha256.p, sha256.n), NULL, NULL) = 1;
	}
	ctx_buf_release(&tmp);
}

struct text_release {
	struct ctx_store_redaction *job;
	struct ctx_map used;
	struct ctx_buf unused; /* digests of unused texts, each with a newline */
};

/* Removes texts to which no request of the session refers any more. */
static int
release_unused_texts(struct ctx_store *st, const struct ctx_session *s,
    struct text_release *r, struct ctx_err *err)
{
	struct ctx_row row = ctx_rows(&st->db, "content",
	    "SELECT sha256, body FROM content WHERE session_no = ?1",
	    CTX_VALUES(ctx_int(s->no)), err);
	int rc;

	while (ctx_rows_next(&row)) {
		struct ctx_span sha256 = ctx_stmt_span(row.q, 0);
		if (sha256.p == NULL ||
		    ctx_map_get(
			&r->used, ctx_hash_bytes(0, sha256.p, sha256.n), NULL, NULL) != 0)
			continue;
		r->job->removed(r->job->arg, ctx_stmt_span(row.q, 1), CTX_SPAN_NONE);
		r->job->additions++;
		ctx_buf_addspan(&r->unused, sha256);
		ctx_buf_addc(&r->unused, '\n');
	}
	rc = ctx_rows_end(&row);
	for (char *p = r->unused.p, *end; rc == 0 && p != NULL && *p != '\0';
	     p = end + 1) {
		end = strchr(p, '\n');
		rc = ctx_stmt_do(&st->db,
		    "DELETE FROM content WHERE session_no = ?1 AND sha256 = ?2",
		    CTX_VALUES(ctx_int(s->no),
			ctx_text((struct ctx_span){p, (size_t)(end - p)})),
		    err);
	}
	return rc;
}

static int
redact_requests(struct ctx_store *st, const struct ctx_session *s,
    struct ctx_store_redaction *job, struct ctx_err *err)
{
	struct ctx_numbers ids = {NULL, 0, 0};
	struct text_release r = {.job = job, .unused = CTX_BUF_INIT};
	struct ctx_buf record = CTX_BUF_INIT;
	int rc = list_session_rows(st,
	    "SELECT id FROM request WHERE id BETWEEN ?1 AND ?2 ORDER BY id", "request", s,
	    &ids, err);

	for (size_t i = 0; rc == 0 && i < ids.n; i++)
		rc = redact_request(st, s, ids.v[i], job, err);
	for (size_t i = 0; rc == 0 && i < ids.n; i++) {
		ctx_buf_reset(&record);
		rc = read_record_row(st, "SELECT record FROM request WHERE id = ?1",
		    ids.v[i], &record, err);
		note_used_texts(&r.used, ctx_buf_span(&record));
	}
	if (rc == 0)
		rc = release_unused_texts(st, s, &r, err);
	free(ids.v);
	ctx_map_release(&r.used);
	ctx_buf_release(&r.unused);
	ctx_buf_release(&record);
	return rc;
}

/* ---- the session ---- */

static void
redact_member(char **text, struct ctx_store_redaction *job, bool json)
{
	struct ctx_buf fresh = CTX_BUF_INIT;
	struct ctx_span before = ctx_span_of(*text);

	if (*text != NULL && (json ? ctx_redaction_json(job->what, before, &fresh)
				   : ctx_redaction_text(job->what, before, &fresh))) {
		job->removed(job->arg, before, ctx_buf_span(&fresh));
		free(*text);
		*text = fresh.n > 0 ? ctx_span_dup(ctx_buf_span(&fresh)) : NULL;
	}
	ctx_buf_release(&fresh);
}

int
ctx_store_redact_copies(struct ctx_store *st, struct ctx_session *s,
    struct ctx_store_redaction *job, struct ctx_err *err)
{
	int rc = redact_requests(st, s, job, err) < 0 ||
			 redact_summaries(st, s, job, err) < 0
		     ? -1
		     : ctx_store_change_events(st, s, redact_event, job, err);

	redact_member(&s->title, job, false);
	redact_member(&s->topic, job, false);
	redact_member(&s->metadata_json, job, true);
	redact_member(&s->preferences_json, job, true);
	return rc;
}
