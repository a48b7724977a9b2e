/* ctx-archive: verifies, lists, prints and removes archives. */
#include "archive.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"
#include "store/purge.h"

static int
verify_one(struct archiving *arc, struct ctx_source *source, const char *uri,
    const struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_archive_info info;
	char *sha256;
	int rc;

	if (s == NULL && check_own(source, uri, err) < 0)
		return -1;
	sha256 = s == NULL ? NULL : ctx_archive_sha256(s);
	rc = ctx_save_verify(source, sha256, &info, err);
	free(sha256);
	progress(false);
	if (rc == 1) {
		ctx_archive_info_release(&info);
		arc->sound++;
		return 0;
	}
	if (rc < 0 && err->code != CTX_EANSWER && err->code != CTX_EINPUT)
		return -1;
	arc->unsound++;
	open_session_record(arc, rc < 0 ? "damaged" : "missing", s);
	add_info(uri, NULL);
	ctx_json_add_str(&cli_out.buf, "reason", rc < 0 ? err->msg : "archive not found");
	return cli_record_close(err);
}

static int
each_archived(struct archiving *arc, cli_session_fn *fn, struct ctx_err *err)
{
	struct ctx_session_filter f = CTX_SESSION_FILTER_INIT;

	f.status[CTX_STATUS_ARCHIVED] = true;
	return cli_each_session(arc->store, &f, fn, arc, err);
}

/* Adds a session to the sample: each session has the same chance (reservoir sampling). */
static int
sample_archive_session(
    void *arg, const struct ctx_session *s, struct ctx_err *err CTX_UNUSED)
{
	struct archiving *arc = arg;
	size_t at = arc->chosen.n;

	arc->chosen.seen++;
	if (arc->opt.sample >= 0 && arc->chosen.n == (size_t)arc->opt.sample) {
		arc->chosen.random = arc->chosen.random * 6364136223846793005u +
				     1442695040888963407u;
		at = (size_t)(arc->chosen.random >> 33) % arc->chosen.seen;
		if (at >= arc->chosen.n)
			return 0;
	} else {
		CTX_MEM_GROW(arc->chosen.v, arc->chosen.n, arc->chosen.cap);
		arc->chosen.n++;
	}
	arc->chosen.v[at] = s->no;
	return 0;
}

static int
verify_chosen(struct archiving *arc, struct ctx_err *err)
{
	struct ctx_session s;
	int rc;

	arc->chosen.random = (uint64_t)ctx_time_now() * 2862933555777941757u ^
			     (uint64_t)getpid();
	rc = each_archived(arc, sample_archive_session, err);
	for (size_t i = 0; rc == 0 && i < arc->chosen.n; i++) {
		ctx_session_init(&s);
		rc = ctx_store_session_get(arc->store, arc->chosen.v[i], &s, err);
		/* a session that was restored or purged meanwhile has no archive to
		 * verify */
		if (rc == 1)
			rc = s.status == CTX_STATUS_ARCHIVED
				 ? with_archive_of(arc, &s, verify_one, NULL, err)
				 : 0;
		ctx_session_release(&s);
	}
	free(arc->chosen.v);
	return rc;
}

int
verify(struct archiving *arc, int argc, char **argv, struct ctx_err *err)
{
	int rc;

	if (!arc->in_place && (argc == 0 || arc->opt.session.n > 0 || arc->opt.all) &&
	    cli_store_open(&arc->store, 0, err) < 0)
		return -1;
	if (arc->in_place)
		rc = with_place(arc, verify_one, err);
	else if (arc->opt.all)
		rc = verify_chosen(arc, err);
	else
		rc = with_named(arc, argc, argv, verify_one, NULL, err);
	progress(true);
	if (rc == 0)
		cli_note("%lld intact archive%s, %lld not intact", (long long)arc->sound,
		    CTX_PLURAL(arc->sound), (long long)arc->unsound);
	return rc;
}

static int
print_listed(void *arg, const struct ctx_session *s, struct ctx_err *err)
{
	struct archiving *arc = arg;

	open_session_record(arc, "listed", s);
	ctx_json_put_members(&cli_out.buf, ctx_span_of(s->archive_json), NULL);
	return cli_record_close(err);
}

int
list(struct archiving *arc, struct ctx_err *err)
{
	if (cli_flagged(&arc->opt.to))
		return list_place(arc, err);
	if (cli_store_open(&arc->store, 0, err) < 0)
		return -1;
	return each_archived(arc, print_listed, err);
}

static int
copy_record(void *arg CTX_UNUSED, const struct ctx_record *record, struct ctx_err *err)
{
	ctx_buf_addspan(&cli_out.buf, record->line);
	ctx_buf_addc(&cli_out.buf, '\n');
	return cli_flush_some(err);
}

/* Prints a damaged archive as far as it can be read, and reports how far that is. */
static int
cat_damaged(struct archiving *arc, struct ctx_source *source, const char *uri,
    struct ctx_err *err)
{
	struct ctx_err damage = CTX_ERR_INIT;
	int rc = ctx_source_records(source, copy_record, NULL, NULL, &damage);

	if (rc == 0)
		return 0; /* removed since it was listed */
	if (rc < 0 && damage.code != CTX_EANSWER && damage.code != CTX_EINPUT) {
		*err = damage;
		return -1;
	}
	arc->unsound += rc < 0;
	open_record(arc, rc < 0 ? "damaged" : "read", NULL);
	add_info(uri, NULL);
	if (rc < 0)
		ctx_json_add_str(&cli_out.buf, "reason", damage.msg);
	return cli_record_close(err);
}

/* Prints the bytes of an archive unchanged. */
static int
cat_raw(struct ctx_source *source, const char *uri, struct ctx_err *err)
{
	char chunk[65536];
	long n = -1;
	int rc = ctx_source_open(source, err);

	if (rc == 0)
		rc = ctx_err_set(err, CTX_EANSWER, "%s: archive not found", uri);
	if (rc < 0)
		return -1;
	while (rc >= 0 && (n = ctx_source_read(source, chunk, sizeof(chunk), err)) > 0) {
		ctx_buf_add(&cli_out.buf, chunk, (size_t)n);
		rc = cli_flush_some(err);
	}
	ctx_source_close(source);
	return rc < 0 || n < 0 ? -1 : cli_flush(err);
}

static int
cat_one(struct archiving *arc, struct ctx_source *source, const char *uri,
    const struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_archive_info info;
	char *sha256;
	int rc;

	if ((s == NULL || arc->opt.keep_going) && check_own(source, uri, err) < 0)
		return -1;
	if (arc->opt.raw)
		return cat_raw(source, uri, err);
	if (arc->opt.keep_going)
		return cat_damaged(arc, source, uri, err);
	sha256 = s == NULL ? NULL : ctx_archive_sha256(s);
	rc = ctx_save_verify(source, sha256, &info, err);
	free(sha256);
	if (rc < 0)
		return ctx_err_prefix(err, "%s", uri);
	if (rc == 1) {
		ctx_archive_info_release(&info);
		rc = ctx_source_records(source, copy_record, NULL, NULL, err);
	}
	if (rc == 0)
		return ctx_err_set(err, CTX_EANSWER, "%s: archive not found", uri);
	return rc < 0 ? -1 : 0;
}

int
cat(struct archiving *arc, int argc, char **argv, struct ctx_err *err)
{
	if (arc->in_place)
		return with_place(arc, cat_one, err);
	if ((argc == 0 || arc->opt.session.n > 0) &&
	    cli_store_open(&arc->store, 0, err) < 0)
		return -1;
	return with_named(arc, argc, argv, cat_one, NULL, err);
}

/* Removes an archive unless, by its name or its content, it belongs to another tenant. */
static int
remove_blob(
    struct archiving *arc, const char *name, const char *address, struct ctx_err *err)
{
	struct ctx_source src = {.blobs = arc->places.blobs, .name = name, .fd = -1};

	if (!may_be_own(name))
		return ctx_err_set(err, CTX_EANSWER,
		    "%s: the archive does not belong to tenant '%s'", address,
		    cli_common.tenant);
	if (check_own(&src, address, err) < 0)
		return -1;
	return arc->opt.dry_run ? 0 : ctx_blob_delete(arc->places.blobs, name, err);
}

static int
remove_one(struct archiving *arc, const char *operand, struct ctx_err *err)
{
	char *real = ctx_place_is_remote(operand) ? ctx_mem_str(operand)
						  : realpath(operand, NULL);
	char *dir = NULL, *name = NULL;
	int rc;

	if (real == NULL && access(operand, F_OK) < 0)
		real = ctx_mem_str(operand);
	rc = ctx_place_split(real, &dir, &name, err);
	if (rc == 0)
		rc = ctx_places_open(&arc->places, dir, false, err);
	if (rc == 0)
		rc = remove_blob(arc, name, real, err);
	if (rc == 0) {
		open_record(arc, "removed", NULL);
		add_info(real, NULL);
		rc = cli_record_close(err);
	}
	free(real);
	free(dir);
	free(name);
	return rc;
}

/* Removes the archives that the operands name. Only files that are named like archives in
 * DEST are removed. */
int
remove_archives(struct archiving *arc, int argc, char **argv, struct ctx_err *err)
{
	int rc = 0;

	for (int i = 0; rc == 0 && i < argc; i++) {
		rc = remove_one(arc, argv[i], err);
		if (rc < 0 && err->code == CTX_EANSWER)
			rc = refuse(arc, err);
	}
	return rc;
}
