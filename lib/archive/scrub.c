#include "archive/scrub.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "archive/archive.h"
#include "archive/place.h"
#include "archive/save.h"
#include "base/io.h"
#include "json/json.h"
#include "store/derived.h"
#include "store/export.h"
#include "store/purge.h"

#define CHUNK ((size_t)1 << 18)

/* What a request sent beside messages of the log. */
static void
note_additions(struct ctx_needles *needles, struct ctx_span request)
{
	struct ctx_json_iter it;
	struct ctx_span message;

	for (ctx_json_iter_init(&it, ctx_json_get(request, "messages"));
	     ctx_json_iter_next(&it);) {
		message = ctx_json_type(it.value) == CTX_JSON_OBJECT
			      ? ctx_json_get(it.value, "message")
			      : CTX_SPAN_NONE;
		if (message.p != NULL)
			ctx_needles_add(needles, message);
	}
}

static int
note_message(void *arg, enum ctx_kind kind, struct ctx_span line, struct ctx_err *err)
{
	struct ctx_record r;

	if (kind == CTX_KIND_MESSAGE && ctx_record_parse(&r, line, err) < 0)
		return -1;
	if (kind == CTX_KIND_MESSAGE)
		ctx_needles_add(arg, r.message);
	else if (kind == CTX_KIND_REQUEST)
		note_additions(arg, line);
	else if (ctx_json_is(ctx_json_get(line, "kind"), "summary"))
		ctx_needles_add(arg, ctx_json_get(line, "message"));
	return 0;
}

int
ctx_scrub_note(struct ctx_scrub *s, struct ctx_store *st,
    const struct ctx_session *session, struct ctx_err *err)
{
	return ctx_store_export(st, session, CTX_EXPORT_MESSAGES | CTX_EXPORT_RECORDS,
	    note_message, s->needles, err);
}

/* ---- the store ---- */

static int
scrub_kinds(struct ctx_store *st, struct ctx_err *err)
{
	for (const struct ctx_derived_kind *const *k = ctx_derived_kinds; *k != NULL; k++)
		if ((*k)->scrub != NULL && ctx_derived_exists(st) &&
		    (*k)->scrub(st, err) < 0)
			return -1;
	return 0;
}

static int
scan_file(struct ctx_scrub *s, const char *path, struct ctx_err *err)
{
	struct ctx_needle_scan scan = {0};
	struct ctx_buf chunk = CTX_BUF_INIT;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	long n = 0;

	if (fd < 0)
		return errno == ENOENT
			   ? 0
			   : ctx_err_sys(err, CTX_EIO, errno, "cannot open '%s'", path);
	ctx_buf_reserve(&chunk, CHUNK);
	while ((n = ctx_io_read(fd, chunk.p, CHUNK)) > 0) {
		ctx_needles_feed(s->needles, &scan, chunk.p, (size_t)n, CTX_NEEDLE_FOUND);
		s->bytes_scanned += n;
	}
	if (n < 0)
		ctx_err_sys(err, CTX_EIO, errno, "cannot read '%s'", path);
	ctx_buf_release(&chunk);
	close(fd);
	return n < 0 ? -1 : 0;
}

static void
share_text(void *arg, struct ctx_span text)
{
	struct ctx_needle_scan scan = {0};

	ctx_needles_feed(arg, &scan, text.p, text.n, CTX_NEEDLE_SHARED);
}

/* Which needles stand in the store's files, and in none of the texts that stay? */
static int
scan_store(struct ctx_scrub *s, struct ctx_needle_counts *counts, struct ctx_err *err)
{
	char **paths;
	size_t n;
	int rc = ctx_store_files(s->st, &paths, &n);

	for (size_t i = 0; i < n; i++) {
		if (rc == 0)
			rc = scan_file(s, paths[i], err);
		free(paths[i]);
	}
	free(paths);
	ctx_needles_count(s->needles, counts);
	if (rc == 0 && counts->survivors > 0) {
		rc = ctx_store_texts(s->st, share_text, s->needles, err);
		ctx_needles_count(s->needles, counts);
	}
	return rc;
}

/* Deleting rows leaves copies where they once stood and were moved from. */
int
ctx_scrub_store(struct ctx_scrub *s, bool rewrite, struct ctx_needle_counts *counts,
    struct ctx_err *err)
{
	if (scrub_kinds(s->st, err) < 0 ||
	    ctx_store_reclaim(s->st, &s->bytes_returned, err) < 0 ||
	    scan_store(s, counts, err) < 0)
		return -1;
	if (counts->survivors == 0 && !rewrite)
		return 0;
	s->rewritten = true;
	if (ctx_store_rewrite(s->st, err) < 0)
		return -1;
	ctx_needles_unflag(s->needles, CTX_NEEDLE_FOUND);
	return scan_store(s, counts, err);
}

/* ---- archives ---- */

struct scan {
	struct ctx_scrub *s;
	struct ctx_blobs *place;
};

static int
scan_records(struct ctx_scrub *s, struct ctx_archive_reader *r, struct ctx_err *err)
{
	struct ctx_record record;
	struct ctx_session session;
	int flag = 0, rc;

	ctx_session_init(&session);
	while ((rc = ctx_archive_next(r, &record, err)) == 1) {
		struct ctx_needle_scan scan = {0};
		if (flag == 0) {
			char *sid = ctx_json_strdup(record.session_id);
			rc = sid == NULL
				 ? 0
				 : ctx_store_session_find(s->st, sid, &session, err);
			free(sid);
			if (rc < 0)
				break;
			flag = rc == 1 ? CTX_NEEDLE_SHARED : CTX_NEEDLE_FOUND;
		}
		ctx_needles_feed(s->needles, &scan, record.line.p, record.line.n, flag);
		s->bytes_scanned += (int64_t)record.line.n;
	}
	ctx_session_release(&session);
	return rc;
}

static int
scan_archive(void *arg, const struct ctx_blob *blob, struct ctx_err *err)
{
	struct scan *a = arg;
	struct ctx_source src = {.blobs = a->place, .name = blob->name};
	struct ctx_err damage = CTX_ERR_INIT;
	struct ctx_archive_reader *r;
	int rc = ctx_source_open(&src, err);

	if (rc != 1)
		return rc;
	r = ctx_archive_reader_new(CTX_ARCHIVE_LINE_MAX, ctx_source_read, &src);
	rc = scan_records(a->s, r, &damage);
	ctx_archive_reader_free(r);
	ctx_source_close(&src);
	a->s->archives_scanned++;
	if (rc == 0)
		return 0;
	if (damage.code != CTX_EANSWER && damage.code != CTX_EINPUT) {
		*err = damage;
		return -1;
	}
	a->s->archives_damaged++;
	return 0;
}

int
ctx_scrub_archives(struct ctx_scrub *s, struct ctx_blobs *place, struct ctx_err *err)
{
	struct scan a = {s, place};

	return ctx_blob_list(place, "", scan_archive, &a, err);
}
