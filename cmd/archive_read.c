/* ctx-archive: what is done with archives that are there. */
#include "archive.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/plural.h"
#include "base/time.h"
#include "json/json.h"
#include "store/purge.h"

static int64_t sound;

static int
verify_one(struct ctx_source *source, const char *uri, const struct ctx_session *s,
    struct ctx_err *err)
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
		sound++;
		return 0;
	}
	if (rc < 0 && err->code != CTX_EANSWER && err->code != CTX_EINPUT)
		return -1;
	unsound++;
	open_record(rc < 0 ? "damaged" : "missing", s == NULL ? NULL : s->session_id);
	add_info(uri, NULL);
	ctx_json_add_str(
	    &cli_out.buf, "reason", rc < 0 ? err->msg : "there is no such archive");
	return cli_record_close(err);
}

static int
each_archived(cli_session_fn *fn, struct ctx_err *err)
{
	struct ctx_session_filter f;

	ctx_session_filter_init(&f);
	f.status[CTX_STATUS_ARCHIVED] = true;
	return cli_each_session(store, &f, fn, NULL, err);
}

/* Numbers of sessions. */
static struct chosen {
	int64_t *v;
	size_t n, cap, seen;
	uint64_t random;
} chosen;

/* Of all, each with the same chance (reservoir sampling). */
static int
sample_archive_session(void *arg, const struct ctx_session *s, struct ctx_err *err)
{
	size_t at = chosen.n;

	(void)arg;
	(void)err;
	chosen.seen++;
	if (opt.sample >= 0 && chosen.n == (size_t)opt.sample) {
		chosen.random = chosen.random * 6364136223846793005u +
				1442695040888963407u;
		at = (size_t)(chosen.random >> 33) % chosen.seen;
		if (at >= chosen.n)
			return 0;
	} else {
		CTX_MEM_GROW(chosen.v, chosen.n, chosen.cap);
		chosen.n++;
	}
	chosen.v[at] = s->no;
	return 0;
}

static int
verify_chosen(struct ctx_err *err)
{
	struct ctx_session s;
	int rc;

	chosen.random = (uint64_t)ctx_time_now() * 2862933555777941757u ^
			(uint64_t)getpid();
	rc = each_archived(sample_archive_session, err);
	for (size_t i = 0; rc == 0 && i < chosen.n; i++) {
		ctx_session_init(&s);
		rc = ctx_store_session_get(store, chosen.v[i], &s, err);
		/* one that was restored or purged meanwhile has nothing to verify */
		if (rc == 1)
			rc = s.status == CTX_STATUS_ARCHIVED
				 ? with_archive_of(&s, verify_one, NULL, err)
				 : 0;
		ctx_session_release(&s);
	}
	free(chosen.v);
	return rc;
}

static int
verify_found(struct ctx_source *source, const char *address,
    const struct archive_found *f, struct ctx_err *err)
{
	int rc = is_own(source, address, err);

	(void)f;
	return rc <= 0 ? rc : verify_one(source, address, NULL, err);
}

int
verify(int argc, char **argv, struct ctx_err *err)
{
	bool in_place = cli_flagged(&opt.to);
	int rc;

	if (!in_place && (argc == 0 || opt.session.n > 0 || opt.all) &&
	    cli_store_open(&store, 0, err) < 0)
		return -1;
	if (in_place)
		rc = each_found(verify_found, err);
	else if (opt.all)
		rc = verify_chosen(err);
	else
		rc = with_named(argc, argv, verify_one, NULL, err);
	progress(true);
	if (rc == 0)
		cli_note("%lld archive%s sound, %lld %s not", (long long)sound,
		    CTX_PLURAL_OF(sound, " is", "s are"), (long long)unsound,
		    CTX_PLURAL_OF(unsound, "is", "are"));
	return rc;
}

static int
print_listed(void *arg, const struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_json_iter it;

	(void)arg;
	open_record("listed", s->session_id);
	if (s->archive_json != NULL)
		for (ctx_json_iter_init(&it, ctx_span_of(s->archive_json));
		     ctx_json_iter_next(&it);) {
			ctx_buf_addc(&cli_out.buf, ',');
			ctx_buf_addspan(&cli_out.buf, it.key);
			ctx_buf_addc(&cli_out.buf, ':');
			ctx_buf_addspan(&cli_out.buf, it.value);
		}
	return cli_record_close(err);
}

int
list(struct ctx_err *err)
{
	if (cli_flagged(&opt.to))
		return list_place(err);
	if (cli_store_open(&store, 0, err) < 0)
		return -1;
	return each_archived(print_listed, err);
}

/* Copy the records that an archive begins with: 0 all of them, -1. */
static int
copy_records(struct ctx_source *source, struct ctx_err *err)
{
	struct ctx_archive_reader *r = ctx_archive_reader_new(
	    CTX_ARCHIVE_LINE_MAX, ctx_source_read, source);
	struct ctx_record record;
	int rc;

	while ((rc = ctx_archive_next(r, &record, err)) == 1) {
		ctx_buf_addspan(&cli_out.buf, record.line);
		ctx_buf_addc(&cli_out.buf, '\n');
		if (cli_flush_some(err) < 0) {
			rc = -1;
			break;
		}
	}
	ctx_archive_reader_free(r);
	return rc;
}

/* As far as it can be read, and how far that is. */
static int
cat_damaged(struct ctx_source *source, const char *uri, struct ctx_err *err)
{
	struct ctx_err damage = CTX_ERR_INIT;
	int rc = ctx_source_open(source, err);

	if (rc <= 0)
		return rc; /* gone since it was listed */
	rc = copy_records(source, &damage);
	ctx_source_close(source);
	if (rc < 0 && damage.code != CTX_EANSWER && damage.code != CTX_EINPUT) {
		*err = damage;
		return -1;
	}
	unsound += rc < 0;
	open_record(rc < 0 ? "damaged" : "read", NULL);
	add_info(uri, NULL);
	if (rc < 0)
		ctx_json_add_str(&cli_out.buf, "reason", damage.msg);
	return cli_record_close(err);
}

/* Its bytes, whatever they are. */
static int
cat_raw(struct ctx_source *source, const char *uri, struct ctx_err *err)
{
	char chunk[65536];
	long n = -1;
	int rc = ctx_source_open(source, err);

	if (rc == 0)
		rc = ctx_err_set(err, CTX_EANSWER, "%s: there is no such archive", uri);
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
cat_one(struct ctx_source *source, const char *uri, const struct ctx_session *s,
    struct ctx_err *err)
{
	struct ctx_archive_info info;
	char *sha256;
	int rc;

	if ((s == NULL || opt.keep_going) && check_own(source, uri, err) < 0)
		return -1;
	if (opt.raw)
		return cat_raw(source, uri, err);
	if (opt.keep_going)
		return cat_damaged(source, uri, err);
	sha256 = s == NULL ? NULL : ctx_archive_sha256(s);
	rc = ctx_save_verify(source, sha256, &info, err);
	free(sha256);
	if (rc == 1) {
		ctx_archive_info_release(&info);
		rc = ctx_source_open(source, err);
	}
	if (rc == 0)
		rc = ctx_err_set(err, CTX_EANSWER, "there is no such archive");
	if (rc < 0)
		return ctx_err_prefix(err, "%s", uri);
	rc = copy_records(source, err);
	ctx_source_close(source);
	return rc;
}

/* What can't be an archive is passed over. */
static int
cat_found(struct ctx_source *source, const char *address, const struct archive_found *f,
    struct ctx_err *err)
{
	int rc = is_own(source, address, err);

	(void)f;
	if (rc == 1)
		rc = cat_one(source, address, NULL, err);
	if (rc < 0 && (err->code == CTX_EANSWER || err->code == CTX_EINPUT))
		rc = refuse(err);
	return rc;
}

int
cat(int argc, char **argv, struct ctx_err *err)
{
	if (cli_flagged(&opt.to))
		return each_found(cat_found, err);
	if ((argc == 0 || opt.session.n > 0) && cli_store_open(&store, 0, err) < 0)
		return -1;
	return with_named(argc, argv, cat_one, NULL, err);
}

/* Of nobody else, by name and by what is in it. */
static int
remove_blob(const char *name, const char *address, struct ctx_err *err)
{
	struct ctx_source src = {.blobs = places.blobs, .name = name, .fd = -1};

	if (!may_be_own(name))
		return ctx_err_set(err, CTX_EANSWER, "%s: not an archive of tenant '%s'",
		    address, cli_common.tenant);
	if (check_own(&src, address, err) < 0)
		return -1;
	return opt.dry_run ? 0 : ctx_blob_delete(places.blobs, name, err);
}

static int
remove_one(const char *operand, struct ctx_err *err)
{
	char *real = ctx_place_is_remote(operand) ? ctx_mem_str(operand)
						  : realpath(operand, NULL);
	char *dir = NULL, *name = NULL;
	int rc;

	if (real == NULL && access(operand, F_OK) < 0)
		real = ctx_mem_str(operand);
	rc = ctx_place_split(real, &dir, &name, err);
	if (rc == 0)
		rc = ctx_places_open(&places, dir, false, err);
	if (rc == 0)
		rc = remove_blob(name, real, err);
	if (rc == 0) {
		open_record("removed", NULL);
		add_info(real, NULL);
		rc = cli_record_close(err);
	}
	free(real);
	free(dir);
	free(name);
	return rc;
}

/* Only what has the name of an archive in a place is removed. */
int
remove_archives(int argc, char **argv, struct ctx_err *err)
{
	int rc = 0;

	for (int i = 0; rc == 0 && i < argc; i++) {
		rc = remove_one(argv[i], err);
		if (rc < 0 && err->code == CTX_EANSWER)
			rc = refuse(err);
	}
	return rc;
}
