/* ctx-archive: what is done with archives that are there. */
#include "archive.h"

#include <stdlib.h>
#include <unistd.h>

#include "archive/restore.h"
#include "base/id.h"
#include "base/mem.h"
#include "base/time.h"
#include "json/json.h"
#include "store/purge.h"

/* ---- naming archives ---- */

typedef int source_fn(struct ctx_source *source, const char *uri,
    const struct ctx_session *s, struct ctx_err *err);

static int
with_address(
    const char *uri, const struct ctx_session *s, source_fn *fn, struct ctx_err *err)
{
	struct ctx_source src;

	return ctx_places_find(&places, uri, &src, err) < 0 ? -1 : fn(&src, uri, s, err);
}

/* An operand: a URI, or any file. */
static int
with_operand(const char *operand, source_fn *fn, struct ctx_err *err)
{
	struct ctx_source src = {.path = operand, .fd = -1};
	char *real;
	int rc;

	if (ctx_place_is_remote(operand))
		return with_address(operand, NULL, fn, err);
	real = realpath(operand, NULL);
	rc = fn(&src, real != NULL ? real : operand, NULL, err);
	free(real);
	return rc;
}

static source_fn *session_source;
static struct ctx_unarchive *unarchive; /* NULL: archives are not restored */

/* A session that is in the store still needs no archive. */
static bool
is_kept(const struct ctx_session *s)
{
	return unarchive != NULL && opt.as == NULL && s->status == CTX_STATUS_ARCHIVED &&
	       !ctx_archive_cleaned(s);
}

static int
with_session(const struct ctx_session *s, struct ctx_err *err)
{
	char *uri = ctx_archive_uri(s);
	int rc;

	if (s->status == CTX_STATUS_DELETED)
		rc = cli_deleted(s->session_id, err);
	else if (uri == NULL)
		rc = ctx_err_set(
		    err, CTX_EANSWER, "session '%s' is not archived", s->session_id);
	else if (is_kept(s))
		rc = ctx_unarchive_kept(unarchive, s->no, uri, err);
	else
		rc = with_address(uri, s, session_source, err);
	free(uri);
	if (rc < 0 && (err->code == CTX_EANSWER || err->code == CTX_EINPUT))
		return refuse(err);
	return rc;
}

static int
with_listed(const char *session_id, int64_t last_seq, struct ctx_err *err)
{
	struct ctx_session s;
	int rc;

	(void)last_seq;
	ctx_session_init(&s);
	rc = cli_session_find(store, session_id, &s, err);
	if (rc == 0)
		rc = with_session(&s, err);
	else if (err->code == CTX_EANSWER)
		rc = refuse(err);
	ctx_session_release(&s);
	return rc;
}

/* All that are named: operands, else sessions. */
static int
with_named(int argc, char **argv, source_fn *fn, struct ctx_err *err)
{
	int rc = 0;

	session_source = fn;
	for (int i = 0; rc == 0 && i < argc; i++) {
		rc = with_operand(argv[i], fn, err);
		if (rc < 0 && (err->code == CTX_EANSWER || err->code == CTX_EINPUT))
			rc = refuse(err);
	}
	if (rc == 0 && (argc == 0 || opt.session.n > 0))
		rc = cli_listed(&opt.session, with_listed, err);
	return rc;
}

/* ---- restoring ---- */

static int
restored(void *arg, const struct ctx_unarchived *u, struct ctx_err *err)
{
	(void)arg;
	if (u->failure != NULL) {
		struct ctx_err why = *u->failure;
		ctx_err_prefix(&why, "%s", u->uri);
		return refuse(&why);
	}
	if (u->left_out > 0)
		cli_warn("%lld requests of session '%s' are left out: another session "
			 "has them",
		    (long long)u->left_out, u->session->session_id);
	open_record("restored", u->session->session_id);
	add_info(u->uri, u->info);
	progress(false);
	return cli_record_close(err);
}

static int
restore_one(struct ctx_source *source, const char *uri, const struct ctx_session *s,
    struct ctx_err *err)
{
	char *sha256 = s == NULL ? NULL : ctx_archive_sha256(s);
	int rc = ctx_unarchive_add(unarchive, source, uri, sha256, err);

	free(sha256);
	return rc;
}

/* Operands go into a new store where there is none: in a dry run into one in scratch. */
static int
open_target(bool operands, struct ctx_buf *scratch, struct ctx_err *err)
{
	struct ctx_buf path = CTX_BUF_INIT;
	const char *named = cli_common.store;
	int rc = operands && opt.dry_run ? cli_store_exists(err) : 1;
	bool create = operands && (!opt.dry_run || rc == 0);

	if (rc == 0 && (rc = cli_scratch_make(scratch, &path, err)) == 0)
		cli_common.store = path.p;
	if (rc >= 0)
		rc = cli_store_open(&store, (create ? CLI_CREATE : 0) | CLI_BULK, err);
	cli_common.store = named;
	ctx_buf_release(&path);
	return rc;
}

static int
restore_named(
    int argc, char **argv, const struct ctx_unarchive_options *o, struct ctx_err *err)
{
	int rc;

	unarchive = ctx_unarchive_new(store, o, restored, NULL);
	rc = with_named(argc, argv, restore_one, err);
	if (rc == 0)
		rc = ctx_unarchive_flush(unarchive, err);
	progress(true);
	ctx_unarchive_free(unarchive);
	return rc;
}

int
restore(int argc, char **argv, struct ctx_err *err)
{
	struct ctx_unarchive_options o = {
	    .as = opt.as, .now = cli_now(), .dry_run = opt.dry_run, .event = true};
	struct ctx_buf scratch = CTX_BUF_INIT;
	int rc;

	if (opt.as != NULL && (size_t)argc + opt.session.n != 1)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--as goes with one session or archive");
	if (opt.as != NULL && ctx_id_check(ctx_span_of(opt.as), "--as", err) < 0) {
		err->code = CTX_EUSAGE;
		return -1;
	}
	rc = open_target(argc > 0, &scratch, err);
	if (rc == 0)
		rc = restore_named(argc, argv, &o, err);
	if (scratch.n > 0) {
		ctx_store_close(store);
		store = NULL;
		cli_scratch_remove(scratch.p);
	}
	ctx_buf_release(&scratch);
	return rc;
}

/* ---- verifying, printing, removing ---- */

static int64_t sound;

static int
verify_one(struct ctx_source *source, const char *uri, const struct ctx_session *s,
    struct ctx_err *err)
{
	struct ctx_archive_info info;
	char *sha256 = s == NULL ? NULL : ctx_archive_sha256(s);
	int rc = ctx_save_verify(source, sha256, &info, err);

	free(sha256);
	progress(false);
	if (rc == 1) {
		ctx_archive_info_release(&info);
		sound++;
		return 0;
	}
	if (rc < 0 && err->code != CTX_EANSWER && err->code != CTX_EINPUT)
		return -1;
	refused++;
	open_record(rc < 0 ? "damaged" : "missing", s == NULL ? NULL : s->session_id);
	add_info(uri, NULL);
	ctx_json_add_str(
	    &cli_out.buf, "reason", rc < 0 ? err->msg : "there is no such archive");
	return cli_record_close(err);
}

static int
each_archived(
    int (*fn)(const struct ctx_session *s, struct ctx_err *err), struct ctx_err *err)
{
	struct ctx_session_filter f;

	ctx_session_filter_init(&f);
	f.status[CTX_STATUS_ARCHIVED] = true;
	return cli_each_session(store, &f, fn, err);
}

/* Numbers of sessions. */
static struct chosen {
	int64_t *v;
	size_t n, cap, seen;
	uint64_t random;
} chosen;

/* Of all, each with the same chance (reservoir sampling). */
static int
choose(const struct ctx_session *s, struct ctx_err *err)
{
	size_t at = chosen.n;

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
	rc = each_archived(choose, err);
	for (size_t i = 0; rc == 0 && i < chosen.n; i++) {
		ctx_session_init(&s);
		rc = ctx_store_session_get(store, chosen.v[i], &s, err);
		/* one that was restored or purged meanwhile has nothing to verify */
		if (rc == 1)
			rc = s.status == CTX_STATUS_ARCHIVED ? with_session(&s, err) : 0;
		ctx_session_release(&s);
	}
	free(chosen.v);
	return rc;
}

int
verify(int argc, char **argv, struct ctx_err *err)
{
	int rc;

	session_source = verify_one;
	if ((argc == 0 || opt.session.n > 0 || opt.all) &&
	    cli_store_open(&store, 0, err) < 0)
		return -1;
	rc = opt.all ? verify_chosen(err) : with_named(argc, argv, verify_one, err);
	progress(true);
	if (rc == 0)
		cli_note("%lld archives are sound, %lld are not", (long long)sound,
		    (long long)refused);
	return rc;
}

static int
print_listed(const struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_json_iter it;

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

static int
print_blob(void *arg, const struct ctx_blob *blob, struct ctx_err *err)
{
	struct ctx_buf address = CTX_BUF_INIT;

	(void)arg;
	(void)err;
	ctx_blob_address(places.blobs, blob->name, &address);
	open_record("listed", NULL);
	ctx_json_add_str(&cli_out.buf, "uri", address.p);
	ctx_json_add_int(&cli_out.buf, "bytes", blob->size);
	ctx_json_add_time(&cli_out.buf, "modified_at", blob->modified);
	ctx_buf_release(&address);
	return cli_record_close(err);
}

int
list(struct ctx_err *err)
{
	if (cli_flagged(&opt.to)) {
		if (ctx_places_open(&places, opt.to, false, err) < 0)
			return -1;
		return ctx_blob_list(places.blobs, "", print_blob, NULL, err);
	}
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
	refused += rc < 0;
	open_record(rc < 0 ? "damaged" : "read", NULL);
	add_info(uri, NULL);
	if (rc < 0)
		ctx_json_add_str(&cli_out.buf, "reason", damage.msg);
	return cli_record_close(err);
}

static int
cat_one(struct ctx_source *source, const char *uri, const struct ctx_session *s,
    struct ctx_err *err)
{
	struct ctx_archive_info info;
	char *sha256;
	int rc;

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

static int
take_name(void *arg, const struct ctx_blob *blob, struct ctx_err *err)
{
	struct cli_list *names = arg;

	(void)err;
	CTX_MEM_GROW(names->v, names->n, names->cap);
	names->v[names->n++] = ctx_mem_str(blob->name);
	return 0;
}

/* What can't be an archive is passed over. */
static int
cat_place(struct ctx_err *err)
{
	struct cli_list names = {NULL, 0, 0};
	struct ctx_buf address = CTX_BUF_INIT;
	int rc = ctx_places_open(&places, opt.to, false, err);

	if (rc == 0)
		rc = ctx_blob_list(places.blobs, "", take_name, &names, err);
	for (size_t i = 0; i < names.n; i++) {
		struct ctx_source src = {
		    .blobs = places.blobs, .name = names.v[i], .fd = -1};
		ctx_buf_reset(&address);
		ctx_blob_address(places.blobs, names.v[i], &address);
		if (rc == 0)
			rc = cat_one(&src, address.p, NULL, err);
		if (rc < 0 && (err->code == CTX_EANSWER || err->code == CTX_EINPUT))
			rc = refuse(err);
		free((char *)names.v[i]);
	}
	free(names.v);
	ctx_buf_release(&address);
	return rc;
}

int
cat(int argc, char **argv, struct ctx_err *err)
{
	if (cli_flagged(&opt.to))
		return cat_place(err);
	if ((argc == 0 || opt.session.n > 0) && cli_store_open(&store, 0, err) < 0)
		return -1;
	return with_named(argc, argv, cat_one, err);
}

/* Only what has the name of an archive in a place is removed. */
int
remove_archives(int argc, char **argv, struct ctx_err *err)
{
	int rc = 0;

	for (int i = 0; rc == 0 && i < argc; i++) {
		char *real = ctx_place_is_remote(argv[i]) ? ctx_mem_str(argv[i])
							  : realpath(argv[i], NULL);
		char *dir = NULL, *name = NULL;
		if (real == NULL && access(argv[i], F_OK) < 0)
			real = ctx_mem_str(argv[i]);
		rc = ctx_place_split(real, &dir, &name, err);
		if (rc == 0)
			rc = ctx_places_open(&places, dir, false, err);
		if (rc == 0 && !opt.dry_run)
			rc = ctx_blob_delete(places.blobs, name, err);
		if (rc == 0) {
			open_record("removed", NULL);
			add_info(real, NULL);
			rc = cli_record_close(err);
		}
		free(real);
		free(dir);
		free(name);
	}
	return rc;
}
