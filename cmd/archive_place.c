/* ctx-archive: processes all archives in DEST, and archives that were moved. */
#include "archive.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/owned.h"
#include "base/mem.h"
#include "json/json.h"
#include "store/purge.h"

/* ---- all archives in DEST ---- */

static int
take_found_archive(void *arg, const struct ctx_blob *blob, struct ctx_err *err CTX_UNUSED)
{
	struct archiving *arc = arg;

	if (!may_be_own(blob->name))
		return 0;
	/* archives cannot be read while the listing is in progress */
	CTX_MEM_GROW(arc->found, arc->n_found, arc->found_cap);
	arc->found[arc->n_found++] = (struct archive_found){
	    ctx_mem_str(blob->name), blob->size, blob->modified};
	return 0;
}

/* Lists DEST, at the first call only. */
static int
list_found(struct archiving *arc, struct ctx_err *err)
{
	if (ctx_places_open(&arc->places, arc->opt.to, false, err) < 0)
		return -1;
	if (!arc->is_listed &&
	    ctx_blob_list(arc->places.blobs, "", take_found_archive, arc, err) < 0)
		return -1;
	arc->is_listed = true;
	return 0;
}

typedef int found_fn(struct archiving *arc, struct ctx_source *source,
    const char *address, const struct archive_found *found, struct ctx_err *err);

static int
each_found(struct archiving *arc, found_fn *fn, struct ctx_err *err)
{
	struct ctx_buf address = CTX_BUF_INIT;
	int rc = list_found(arc, err);

	for (size_t i = 0; rc == 0 && i < arc->n_found; i++) {
		struct ctx_source src = {
		    .blobs = arc->places.blobs, .name = arc->found[i].name, .fd = -1};
		ctx_buf_reset(&address);
		ctx_blob_address(arc->places.blobs, arc->found[i].name, &address);
		rc = fn(arc, &src, address.p, &arc->found[i], err);
	}
	ctx_buf_release(&address);
	return rc;
}

void
release_found(struct archiving *arc)
{
	for (size_t i = 0; i < arc->n_found; i++)
		free(arc->found[i].name);
	free(arc->found);
	free(arc->has_found);
}

/* Reads the ids of the archive's session from the name, or from the archive if the name
 * was shortened. They are NULL if neither contains them. */
static int
find_archive_session_ids(struct ctx_source *source, const char *name, char **session_id,
    char **tenant_id, struct ctx_err *err)
{
	struct ctx_session of = CTX_SESSION_INIT;
	int rc = 1;

	if (ctx_archive_name_ids(name, session_id, tenant_id) == 1)
		return 0;
	rc = ctx_owned_session(source, &of, err);
	if (rc == 1) {
		*session_id = ctx_mem_str(of.session_id);
		*tenant_id = ctx_mem_str(of.tenant_id);
	}
	ctx_session_release(&of);
	return rc < 0 ? -1 : 0;
}

static int
print_found_archive(struct archiving *arc, struct ctx_source *source, const char *address,
    const struct archive_found *f, struct ctx_err *err)
{
	char *session_id = NULL, *tenant_id = NULL;
	int rc = is_cut_name(f->name) ? is_own(source, address, err) : 1;

	if (rc <= 0)
		return rc;
	rc = find_archive_session_ids(source, f->name, &session_id, &tenant_id, err);
	if (rc == 0) {
		open_record(arc, "listed", session_id);
		ctx_json_print(&cli_out.buf,
		    "'tenant_id':%s,'uri':%s,'bytes':%d,'modified_at':%m", tenant_id,
		    address, f->size, f->modified);
		rc = cli_record_close(err);
	}
	free(session_id);
	free(tenant_id);
	return rc;
}

int
list_place(struct archiving *arc, struct ctx_err *err)
{
	return each_found(arc, print_found_archive, err);
}

/* Returns whether the archive's session is one of the sessions to process. Marks it in
 * has_found; -s may name it more than once. */
static bool
is_looked_for(
    struct archiving *arc, const char *session_id, const char *tenant_id, bool found)
{
	const struct cli_listed *m = arc->missing;
	bool is = false;

	if (m != NULL)
		return strcmp(session_id, m->session_id) == 0 &&
		       (m->tenant == NULL ||
			   strcmp(m->tenant, tenant_id == NULL ? "" : tenant_id) == 0);
	for (size_t i = 0; i < arc->opt.session.n; i++)
		if (strcmp(session_id, arc->opt.session.v[i]) == 0) {
			arc->has_found[i] |= found;
			is = true;
		}
	return is;
}

/* Returns 1 if the archive is of a session to process and may be read, 0 if not, -1 on
 * error. */
static int
is_asked_for(struct archiving *arc, struct ctx_source *source, const char *address,
    const struct archive_found *f, struct ctx_err *err)
{
	char *session_id = NULL, *tenant_id = NULL;
	int rc;

	if (arc->missing == NULL && arc->opt.session.n == 0)
		return is_own(source, address, err);
	rc = find_archive_session_ids(source, f->name, &session_id, &tenant_id, err);
	if (rc == 0 && session_id != NULL &&
	    is_looked_for(arc, session_id, tenant_id, false))
		rc = is_own(source, address, err);
	if (rc == 1)
		is_looked_for(arc, session_id, tenant_id, true);
	free(session_id);
	free(tenant_id);
	return rc;
}

static int
take_asked_archive(struct archiving *arc, struct ctx_source *source, const char *address,
    const struct archive_found *f, struct ctx_err *err)
{
	int rc = is_asked_for(arc, source, address, f, err);

	if (rc <= 0)
		return rc;
	arc->asked_for++;
	rc = arc->place_fn(arc, source, address, NULL, err);
	return rc < 0 && (err->code == CTX_EANSWER || err->code == CTX_EINPUT)
		   ? refuse(arc, err)
		   : rc;
}

int
with_place(struct archiving *arc, source_fn *fn, struct ctx_err *err)
{
	const struct cli_list *sessions = &arc->opt.session;
	struct ctx_err why;

	arc->place_fn = fn;
	arc->has_found = ctx_mem_new(sessions->n + 1);
	if (each_found(arc, take_asked_archive, err) < 0)
		return -1;
	for (size_t i = 0; i < sessions->n; i++) {
		if (arc->has_found[i])
			continue;
		ctx_err_set(&why, CTX_EANSWER, "no archive of session '%s' in '%s'",
		    sessions->v[i], arc->opt.to);
		refuse(arc, &why);
	}
	if (arc->asked_for == 0 && sessions->n == 0 && !arc->opt.cat)
		return ctx_err_set(err, CTX_EANSWER, "no archives in '%s'", arc->opt.to);
	return 0;
}

int
with_missing(struct archiving *arc, const struct cli_listed *missing, source_fn *fn,
    struct ctx_err *err)
{
	int64_t before = arc->asked_for;
	int rc;

	arc->place_fn = fn;
	arc->missing = missing;
	rc = each_found(arc, take_asked_archive, err);
	arc->missing = NULL;
	return rc < 0 ? -1 : arc->asked_for > before;
}

int
use_place(struct archiving *arc, int argc, struct ctx_err *err)
{
	bool reads = arc->opt.restore || arc->opt.verify || arc->opt.cat;
	struct stat st;
	int rc = 0;

	arc->in_place = cli_flagged(&arc->opt.to);
	if (arc->in_place || !reads || arc->opt.to == NULL || argc > 0 || arc->opt.all ||
	    arc->opt.as != NULL)
		return 0;
	if (arc->opt.session.n > 0)
		rc = cli_store_exists(err);
	else
		rc = !arc->opt.verify || fstat(STDIN_FILENO, &st) < 0 ||
		     !S_ISCHR(st.st_mode);
	arc->in_place = rc == 0;
	return rc < 0 ? -1 : 0;
}

/* ---- archives that were moved ---- */

/* Returns the place as it is written in addresses, whether it exists or not. */
static char *
make_absolute_place(const char *place)
{
	struct ctx_buf b = CTX_BUF_INIT;
	char *here = NULL;

	if (!ctx_place_is_remote(place) && place[0] != '/') {
		here = realpath(".", NULL);
		ctx_buf_addf(&b, "%s/", here != NULL && here[1] != '\0' ? here : "");
	}
	free(here);
	ctx_buf_adds(&b, place);
	while (b.n > 1 && b.p[b.n - 1] == '/')
		b.p[--b.n] = '\0';
	return ctx_buf_detach(&b);
}

static int
check_moved(void *arg, const char *from CTX_UNUSED, const char *to, struct ctx_err *err)
{
	struct archiving *arc = arg;
	struct ctx_source source;
	int rc = ctx_places_find(&arc->places, to, &source, err);

	if (rc == 0)
		rc = source.blobs != NULL
			 ? ctx_blob_exists(source.blobs, source.name, NULL, err)
			 : access(to, F_OK) == 0;
	if (rc != 0)
		return rc < 0 ? -1 : 0;
	ctx_err_set(err, CTX_EANSWER, "archive '%s' does not exist%s", to,
	    arc->opt.keep_going ? "" : ": nothing was changed");
	if (!arc->opt.keep_going)
		return -1;
	refuse(arc, err);
	err->code = CTX_OK;
	return 1;
}

static bool
is_same_place(const char *a, const char *b)
{
	struct stat of_a, of_b;

	return stat(a, &of_a) == 0 && stat(b, &of_b) == 0 && of_a.st_dev == of_b.st_dev &&
	       of_a.st_ino == of_b.st_ino;
}

static int
relocate_all(struct archiving *arc, const char *from, const char *to, struct ctx_err *err)
{
	int64_t n = 0;
	int lock = -1, rc = arc->opt.dry_run ? 1
					     : ctx_store_task(arc->store, "archive",
						   false, &lock, err);

	if (rc == 0)
		rc = ctx_err_set(err, CTX_EBUSY,
		    "another ctx-archive or ctx-delete is running on this store");
	else if (rc == 1)
		rc = ctx_owner_relocate(
		    arc->store, from, to, check_moved, arc, arc->opt.dry_run, &n, err);
	arc->relocated = n;
	if (lock >= 0)
		close(lock);
	return rc;
}

int
relocate(struct archiving *arc, int argc, char **argv, struct ctx_err *err)
{
	char *from, *to, *real, *resolved = NULL;
	int rc;

	if (argc != 2)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--relocate needs two places: the old and the new one");
	if (ctx_place_check(argv[0], err) < 0 || ctx_place_check(argv[1], err) < 0 ||
	    cli_store_open(&arc->store, 0, err) < 0)
		return -1;
	from = make_absolute_place(argv[0]);
	to = make_absolute_place(argv[1]);
	real = ctx_place_is_remote(to) ? ctx_mem_str(to) : realpath(to, NULL);
	if (real == NULL)
		rc = ctx_err_sys(err, CTX_EIO, errno, "cannot open '%s'", to);
	else if (strcmp(from, real) == 0)
		rc = ctx_err_set(err, CTX_EUSAGE, "'%s' and '%s' are the same place",
		    argv[0], argv[1]);
	else
		rc = relocate_all(arc, from, real, err);
	/* addresses do not contain symbolic links */
	if (rc == 0 && arc->relocated == 0 && !ctx_place_is_remote(from) &&
	    (resolved = realpath(from, NULL)) != NULL && strcmp(resolved, real) != 0 &&
	    strcmp(resolved, from) != 0)
		rc = relocate_all(arc, resolved, real, err);
	if (rc == 0 && arc->relocated == 0)
		cli_note("no session is archived in '%s'", from);
	if (rc == 0) {
		if (is_same_place(from, real))
			cli_note(
			    "'%s' and '%s' are two names of the same place", from, real);
		open_record(arc, "relocated", NULL);
		ctx_json_print(
		    &cli_out.buf, "'uri':%s,'addresses':%d", real, arc->relocated);
		rc = cli_record_close(err);
	}
	free(from);
	free(to);
	free(real);
	free(resolved);
	return rc;
}

/* ---- a store that replaces another one ---- */

static int
adopt_one(struct archiving *arc, struct ctx_source *source, const char *uri,
    const struct ctx_session *s CTX_UNUSED, struct ctx_err *err)
{
	struct ctx_session of = CTX_SESSION_INIT;
	char *id = NULL;
	int rc = ctx_owned_session(source, &of, err);

	if (rc == 1 && of.archive_json != NULL)
		id = ctx_json_strdup(ctx_json_get(ctx_span_of(of.archive_json), "store"));
	if (rc >= 0 && (id == NULL || strlen(id) != CTX_ID_UUID))
		rc = ctx_err_set(err, CTX_EANSWER,
		    "%s: the archive does not record which store wrote it", uri);
	if (rc == 1 && !arc->opt.dry_run)
		rc = ctx_owner_adopt(arc->store, id, err);
	if (rc >= 0) {
		open_record(arc, "adopted", NULL);
		ctx_json_print(&cli_out.buf, "'uri':%s,'store':%s", uri, id);
		rc = cli_record_close(err);
	}
	free(id);
	ctx_session_release(&of);
	return rc;
}

int
adopt(struct archiving *arc, int argc, char **argv, struct ctx_err *err)
{
	if (argc != 1)
		return ctx_err_set(err, CTX_EUSAGE, "--adopt needs exactly one archive");
	if (cli_store_open(&arc->store, 0, err) < 0)
		return -1;
	return with_named(arc, argc, argv, adopt_one, NULL, err);
}
