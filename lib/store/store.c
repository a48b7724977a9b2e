/* Opens the store's two databases: the store itself, and the derived data. */
#include "store/stmt.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/io.h"
#include "base/mem.h"
#include "store/derived.h"
#include "store/mention.h"

static const char store_schema[] = {
#include "store/schema.sql.inc"
};
static const char catalog_schema[] = {
#include "store/schema_catalog.sql.inc"
};
static const char derived_schema[] = {
#include "store/derived_schema.sql.inc"
};

static const char derived_upgrade[] = {
#include "store/derived_upgrade.sql.inc"
};

static const char store_upgrade[] = {
#include "store/upgrade.sql.inc"
};
static const char item_upgrade[] = {
#include "store/upgrade_item.sql.inc"
};

/* Upgrades version 1 to 2. Tables that version 1 created on first use may be missing. */
static int
upgrade_store(struct ctx_db *db, int64_t version CTX_UNUSED, struct ctx_err *err)
{
	if (ctx_db_has_table(db, "item") && ctx_stmt_exec(db, item_upgrade, err) < 0)
		return -1;
	return ctx_stmt_exec(db, store_upgrade, err);
}

/* Upgrades version 2 to 3. The first files of version 2 lack the column spelling. */
static int
upgrade_derived(struct ctx_db *db, int64_t version CTX_UNUSED, struct ctx_err *err)
{
	if (!ctx_db_has_column(db, "seen", "spelling") &&
	    ctx_stmt_exec(db, "ALTER TABLE seen ADD COLUMN spelling TEXT", err) < 0)
		return -1;
	return ctx_stmt_exec(db, derived_upgrade, err);
}

/* Files of other versions are deleted and derived again. */
static const struct ctx_db_kind derived_kind = {
    .what = "derived file",
    .application_id = 0x63747844, /* "ctxD" */
    .version = 3,
    .oldest = 2,
    .oldest_served = 3,
    .derived = true,
    .schema = derived_schema,
    .upgrade = upgrade_derived,
};

static const struct ctx_db_kind store_kind = {
    .what = "store",
    .application_id = 0x63747831, /* "ctx1" */
    .copy_id = 0x63747842,        /* "ctxB" */
    .version = 2,
    .oldest = 1,
    .oldest_served = 2,
    .beside = &derived_kind,
    .schema = store_schema,
    .catalog = catalog_schema,
    .upgrade = upgrade_store,
};

int
ctx_store_open(
    struct ctx_store **out, const struct ctx_store_options *o, struct ctx_err *err)
{
	struct ctx_store *st = ctx_mem_new(sizeof(*st));

	*out = NULL;
	st->tenant = ctx_mem_str(o->tenant);
	st->progress = o->progress;
	if (ctx_db_open(&st->db, &store_kind, o, err) < 0) {
		ctx_store_close(st);
		return -1;
	}
	st->db.tenant = st->tenant;
	st->db.progress = o->progress;
	*out = st;
	return 0;
}

void
ctx_store_close(struct ctx_store *st)
{
	if (st == NULL)
		return;
	ctx_seen_forget_near(st);
	ctx_db_close(&st->db);
	if (st->derived != NULL)
		ctx_db_close(st->derived);
	free(st->derived);
	for (size_t i = 0; i < st->n_tokenizers; i++)
		free(st->tokenizers[i]);
	free(st->tokenizers);
	free(st->tenant);
	free(st);
}

void
ctx_store_set_tenant(struct ctx_store *st, const char *tenant)
{
	char *copy = ctx_mem_str(tenant);

	ctx_seen_forget_near(st);
	free(st->tenant);
	st->tenant = copy;
	st->db.tenant = copy;
	if (st->derived != NULL)
		st->derived->tenant = copy;
}

const char *
ctx_store_tenant(const struct ctx_store *st)
{
	return st->tenant;
}

bool
ctx_store_is_file(const struct ctx_store *st)
{
	return !ctx_db_is_whole(&st->db);
}

const char *
ctx_store_path(const struct ctx_store *st)
{
	return st->db.path;
}

/* On a server, session numbers are spread by reversing their 31 bits
 * (engine_pg_schema.sql). */
int64_t
ctx_store_session_order(const struct ctx_store *st, int64_t no)
{
	int64_t order = 0;

	if (!ctx_db_is_whole(&st->db))
		return no;
	for (int i = 0; i < 31; i++)
		order |= (no >> i & 1) << (30 - i);
	return order;
}

int
ctx_store_incarnation(struct ctx_store *st, int64_t *number, struct ctx_err *err)
{
	return ctx_db_incarnation(&st->db, number, err);
}

int
ctx_store_begin(struct ctx_store *st, struct ctx_err *err)
{
	return ctx_db_begin(&st->db, err);
}

int
ctx_store_commit(struct ctx_store *st, struct ctx_err *err)
{
	return ctx_db_commit(&st->db, err);
}

void
ctx_store_rollback(struct ctx_store *st)
{
	ctx_db_rollback(&st->db);
}

int
ctx_store_end(struct ctx_store *st, int rc, struct ctx_err *err)
{
	return ctx_db_end(&st->db, rc, err);
}

int
ctx_store_begin_read(struct ctx_store *st, struct ctx_err *err)
{
	return ctx_db_begin_read(&st->db, err);
}

void
ctx_store_end_read(struct ctx_store *st)
{
	ctx_db_end_read(&st->db);
}

int
ctx_store_read_through(struct ctx_store *st, struct ctx_err *err)
{
	return ctx_db_cache(&st->db, CTX_DB_CACHE_SMALL, err);
}

static const char *const derived_ends[] = {
    "-derived", "-derived-wal", "-derived-shm", NULL};

void
ctx_derived_remove(struct ctx_store *st)
{
	if (ctx_db_is_whole(&st->db))
		return; /* there is no file: the tables are in the store's database */
	if (st->derived != NULL)
		ctx_db_close(st->derived);
	free(st->derived);
	st->derived = NULL;
	ctx_db_remove_files(st->db.path, derived_ends, NULL);
}

/* Returns true if the file is damaged, not just impossible to open at the moment. */
static bool
is_damaged(const struct ctx_db *db, const struct ctx_err *err)
{
	return err->code == CTX_ESTORE && db->h != NULL &&
	       ctx_db_failure(db) != CTX_DB_CANNOT_OPEN;
}

int
ctx_derived_fits(struct ctx_store *st, struct ctx_err *err)
{
	struct ctx_db *derived = ctx_store_derived(st, err), made;
	struct ctx_buf have = CTX_BUF_INIT, want = CTX_BUF_INIT;
	int rc = -1;

	if (derived == NULL)
		return -1;
	if (ctx_db_is_whole(derived))
		return 1;
	if (ctx_db_open_memory(&made, "schema", err) == 0 &&
	    ctx_stmt_exec(&made, derived_schema, err) == 0 &&
	    ctx_db_columns(&made, &want, err) == 0)
		rc = ctx_db_columns(derived, &have, err);
	ctx_db_close(&made);
	if (rc == 0)
		rc = ctx_span_eq(ctx_buf_span(&have), ctx_buf_span(&want));
	ctx_buf_release(&have);
	ctx_buf_release(&want);
	return rc;
}

/* Creates the derived file with the owner of the store. If that fails, opening the file
 * reports why. This process does not have the file open, so closing it drops no locks. */
static void
make_beside(const struct ctx_store *st, const char *path)
{
	int fd = ctx_io_open_beside(path, st->db.path);
	struct stat main, left;

	/* a file that another user left is removed */
	if (fd < 0 && errno == EACCES && access(st->db.path, W_OK) == 0 &&
	    stat(st->db.path, &main) == 0 && lstat(path, &left) == 0 &&
	    left.st_uid != main.st_uid &&
	    (main.st_uid == geteuid() || access(path, R_OK) < 0)) {
		ctx_db_remove_files(st->db.path, derived_ends, NULL);
		fd = ctx_io_open_beside(path, st->db.path);
	}
	if (fd >= 0)
		close(fd);
}

/* Opens the derived tables in the store's database, on a connection of their own. */
static struct ctx_db *
open_derived_tables(struct ctx_store *st, struct ctx_err *err)
{
	struct ctx_store_options o = {.path = st->db.address,
	    .busy_ms = st->db.busy_ms,
	    .tenant = st->tenant,
	    .times = st->db.times};
	struct ctx_db *db = ctx_mem_new(sizeof(*db));

	if (ctx_db_open(db, &derived_kind, &o, err) == 0)
		return st->derived = db;
	ctx_db_close(db);
	free(db);
	return NULL;
}

/* Returns true if there is no derived file and none can be created; *why is the errno. */
static bool
is_derived_beyond_making(const char *path, int *why)
{
	*why = access(path, F_OK) < 0 && errno == ENOENT ? ctx_io_check_beside(path) : 0;
	return *why != 0;
}

/* Returns true if this process may read the store but not the derived file. Not for a
 * process that may write to the store: data that it erases must not remain in the derived
 * file. */
static bool
is_derived_beyond_reading(const struct ctx_store *st, const char *path, int *why)
{
	struct ctx_buf refused = CTX_BUF_INIT;

	*why = access(st->db.path, W_OK) == 0
		   ? 0
		   : ctx_io_find_refused(path, false, &refused);
	ctx_buf_release(&refused);
	return *why != 0;
}

int
ctx_derived_check_read(struct ctx_store *st, struct ctx_err *err)
{
	if (ctx_store_derived(st, err) == NULL)
		return -1;
	if (!st->derived_refused)
		return 0;
	return ctx_err_sys(
	    err, CTX_ESTORE, st->derived_why, "cannot read '%s-derived'", st->db.path);
}

int
ctx_derived_check_kept(struct ctx_store *st, struct ctx_err *err)
{
	if (ctx_store_derived(st, err) == NULL)
		return -1;
	if (!st->derived->scratch || st->db.scratch)
		return 0;
	return ctx_err_sys(err, CTX_EIO, st->derived_why, "cannot %s '%s'",
	    st->derived_refused ? "read" : "create", st->derived->path);
}

struct ctx_db *
ctx_store_derived(struct ctx_store *st, struct ctx_err *err)
{
	struct ctx_buf path = CTX_BUF_INIT;
	struct ctx_store_options o = {.busy_ms = st->db.busy_ms,
	    .sync = CTX_SYNC_NORMAL,
	    .create = true,
	    .scratch = st->db.scratch,
	    .times = st->db.times};
	struct ctx_db *db;
	int rc;

	if (st->derived != NULL)
		return st->derived;
	if (ctx_db_is_whole(&st->db))
		return open_derived_tables(st, err);
	ctx_buf_addf(&path, "%s-derived", st->db.path);
	o.path = path.p;
	if (is_derived_beyond_making(path.p, &st->derived_why))
		o.scratch = true; /* for this process only */
	else
		make_beside(st, path.p);
	db = ctx_mem_new(sizeof(*db));
	rc = ctx_db_open(db, &derived_kind, &o, err);
	/* a failed read can look like damage: try again before deleting the file */
	for (int looks = 1; rc < 0 && looks < 3 && is_damaged(db, err); looks++) {
		ctx_db_close(db);
		if (looks == 2) {
			ctx_db_remove_files(st->db.path, derived_ends, NULL);
			make_beside(st, path.p);
		}
		err->code = CTX_OK;
		rc = ctx_db_open(db, &derived_kind, &o, err);
	}
	if (rc < 0 && !o.scratch &&
	    is_derived_beyond_reading(st, path.p, &st->derived_why)) {
		ctx_db_close(db);
		o.scratch = st->derived_refused = true;
		err->code = CTX_OK;
		rc = ctx_db_open(db, &derived_kind, &o, err);
	}
	ctx_buf_release(&path);
	/* updating derived data accesses rows all over the indexes */
	if (rc == 0)
		rc = ctx_db_cache(db, CTX_DB_CACHE_LARGE, err);
	if (rc < 0) {
		ctx_db_close(db);
		free(db);
		return NULL;
	}
	return st->derived = db;
}
