#include "archive/scrub.h"

#include <string.h>

#include "json/json.h"
#include "store/derived.h"
#include "store/export.h"
#include "store/fulltext.h"
#include "store/purge.h"
#include "store/summary.h"

/* Notes the texts of a request that are not messages of the session. */
static void
note_additions(struct ctx_needles *needles, struct ctx_span request)
{
	struct ctx_span message;

	CTX_JSON_EACH(it, ctx_json_get(request, "messages")) {
		message = ctx_json_type(it.value) == CTX_JSON_OBJECT
			      ? ctx_json_get(it.value, "message")
			      : CTX_SPAN_NONE;
		if (message.p != NULL)
			ctx_needles_add(needles, message);
	}
}

static int
note_scrub_record(
    void *arg, enum ctx_kind kind, struct ctx_span line, struct ctx_err *err CTX_UNUSED)
{
	if (kind == CTX_KIND_REQUEST)
		note_additions(arg, line);
	return 0;
}

static int
note_summary(void *arg, const struct ctx_store_summary *m, struct ctx_err *err CTX_UNUSED)
{
	ctx_needles_add(arg, ctx_span_of(m->message));
	return 0;
}

int
ctx_scrub_note(struct ctx_scrub *s, struct ctx_store *st,
    const struct ctx_session *session, struct ctx_err *err)
{
	if (ctx_store_bodies(st, session, ctx_needles_add, s->needles, err) < 0)
		return -1;
	return ctx_store_summaries(st, session, note_summary, s->needles, err);
}

int
ctx_scrub_note_records(
    struct ctx_scrub *s, const struct ctx_session *session, struct ctx_err *err)
{
	return ctx_store_export(
	    s->st, session, CTX_EXPORT_RECORDS, note_scrub_record, s->needles, err);
}

int
ctx_scrub_note_kept(
    struct ctx_scrub *s, const struct ctx_session *session, struct ctx_err *err)
{
	if (!ctx_derived_exists(s->st))
		return 0;
	return ctx_fulltext_kept_bytes(
	    s->st, session, ctx_needles_add_bytes, s->needles, err);
}

/* ---- the store ---- */

static int
scrub_kinds(struct ctx_store *st, bool again, struct ctx_err *err)
{
	for (const struct ctx_derived_kind *const *k = ctx_derived_kinds; *k != NULL; k++)
		if ((*k)->scrub != NULL && ctx_derived_exists(st) &&
		    (*k)->scrub(st, again, err) < 0)
			return -1;
	return 0;
}

struct store_scan {
	struct ctx_scrub *s;
	struct ctx_needle_scan at;
};

static void
scan_piece(void *arg, struct ctx_span piece, bool first)
{
	struct store_scan *scan = arg;

	if (first)
		memset(&scan->at, 0, sizeof(scan->at));
	ctx_needles_feed(scan->s->needles, &scan->at, piece.p, piece.n, CTX_NEEDLE_FOUND);
	scan->s->bytes_scanned += (int64_t)piece.n;
}

static void
share_text(void *arg, struct ctx_span text)
{
	struct ctx_needle_scan scan = {0};

	ctx_needles_feed(arg, &scan, text.p, text.n, CTX_NEEDLE_SHARED);
}

static bool
are_all_shared(void *arg)
{
	return ctx_needles_survivors(arg) == 0;
}

static bool
find_in_free_piece(void *arg, struct ctx_span piece, bool left)
{
	struct ctx_scrub *s = arg;
	struct ctx_needle_scan scan = {0};

	s->bytes_scanned += (int64_t)piece.n;
	return ctx_needles_feed(
	    s->needles, &scan, piece.p, piece.n, left ? CTX_NEEDLE_FOUND : 0);
}

/* Searches the store's files for needles, and marks those that remaining texts
 * contain. */
static int
scan_store(struct ctx_scrub *s, struct ctx_needle_counts *counts, struct ctx_err *err)
{
	struct store_scan scan = {.s = s};
	struct ctx_store_text_calls texts = {share_text, are_all_shared, s->needles};
	int rc = ctx_store_wipe(s->st, s->everywhere, find_in_free_piece, s, err);

	if (rc == 0 && s->everywhere) {
		s->bytes_scanned = 0;
		rc = ctx_store_bytes(s->st, scan_piece, &scan, err);
	}
	ctx_needles_count(s->needles, counts);
	if (rc == 0 && counts->survivors > 0) {
		rc = ctx_store_texts(s->st, &texts, err);
		ctx_needles_count(s->needles, counts);
	}
	return rc;
}

/* Deleted rows leave copies in the places where they were and from where they were
 * moved. */
int
ctx_scrub_store(struct ctx_scrub *s, bool derived, bool rewrite,
    struct ctx_needle_counts *counts, struct ctx_err *err)
{
	if ((derived && scrub_kinds(s->st, rewrite, err) < 0) ||
	    ctx_store_reclaim(s->st, &s->bytes_returned, err) < 0 ||
	    scan_store(s, counts, err) < 0)
		return -1;
	if (counts->survivors == 0 && !rewrite)
		return 0;
	if (ctx_store_rewrite(s->st, err) < 0)
		return -1;
	ctx_needles_unflag(s->needles, CTX_NEEDLE_FOUND);
	return scan_store(s, counts, err);
}

/* ---- archives ---- */

static int
begin_archive(struct ctx_scrub *s, const struct ctx_record *record, struct ctx_err *err)
{
	struct ctx_session of = CTX_SESSION_INIT, there = CTX_SESSION_INIT;
	int rc = ctx_session_parse(&of, record->line, err);

	if (rc == 0 && of.session_id != NULL)
		rc = ctx_store_session_of(s->st, of.tenant_id != NULL ? of.tenant_id : "",
		    of.session_id, &there, err);
	s->stays = rc == 1;
	s->redacted = rc == 1 && s->redaction != NULL && there.no == s->redacted_no;
	ctx_session_release(&of);
	ctx_session_release(&there);
	return rc < 0 ? -1 : 0;
}

/* Returns true if the record may contain its texts: its session was not removed, and the
 * message was not redacted. */
static bool
is_kept_record(const struct ctx_scrub *s, const struct ctx_record *record)
{
	return s->redacted ? record->kind == CTX_KIND_MESSAGE &&
				 !ctx_redaction_has(s->redaction, record->seq)
			   : s->stays;
}

int
ctx_scrub_archived(
    struct ctx_scrub *s, const struct ctx_record *record, struct ctx_err *err)
{
	struct ctx_needle_scan scan = {0};

	if (record->kind == CTX_KIND_ARCHIVE) {
		s->archives_scanned++;
		s->archives_damaged += ctx_json_is(
		    ctx_json_get(record->line, "action"), "damaged");
		s->stays = s->redacted = false;
		return 0;
	}
	if (record->kind == CTX_KIND_SESSION && begin_archive(s, record, err) < 0)
		return -1;
	ctx_needles_feed(s->needles, &scan, record->line.p, record->line.n,
	    is_kept_record(s, record) ? CTX_NEEDLE_SHARED : CTX_NEEDLE_FOUND);
	s->bytes_scanned += (int64_t)record->line.n;
	return 0;
}
