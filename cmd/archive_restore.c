/* ctx-archive: restores sessions from archives. */
#include "archive.h"

#include <stdlib.h>
#include <unistd.h>

#include "archive/restore.h"
#include "base/buf.h"
#include "base/id.h"
#include "store/purge.h"

static int
report_restored_session(void *arg, const struct ctx_unarchived *u, struct ctx_err *err)
{
	struct archiving *arc = arg;

	if (u->failure != NULL) {
		struct ctx_err why = *u->failure;
		ctx_err_prefix(&why, "%s", u->uri);
		return refuse(arc, &why);
	}
	if (u->left_out > 0)
		cli_warn("%lld request%s of session '%s' skipped: another session has %s",
		    (long long)u->left_out, CTX_PLURAL(u->left_out),
		    u->session->session_id, CTX_PLURAL_OF(u->left_out, "it", "them"));
	open_session_record(arc, "restored", u->session);
	add_info(u->uri, u->info);
	progress(false);
	return cli_record_close(err);
}

static int
restore_one(struct archiving *arc, struct ctx_source *source, const char *uri,
    const struct ctx_session *s, struct ctx_err *err)
{
	char *sha256;
	int rc;

	if (arc->store == NULL && check_own(source, uri, err) < 0)
		return -1;
	sha256 = s == NULL ? NULL : ctx_archive_sha256(s);
	rc = ctx_unarchive_add(arc->unarchive, source, uri, sha256, err);
	free(sha256);
	return rc;
}

/* Restores a session whose messages are still in the store, without reading its archive.
 * Returns 1, 0 if the session is not one of these, -1 on error. */
static int
restore_kept(struct archiving *arc, const struct ctx_session *s, const char *uri,
    struct ctx_err *err)
{
	if (arc->opt.as != NULL || s->status != CTX_STATUS_ARCHIVED ||
	    ctx_archive_cleaned(s))
		return 0;
	return ctx_unarchive_kept(arc->unarchive, s->no, uri, err) < 0 ? -1 : 1;
}

/* Locks the store, so that restores are done one at a time. A second process then finds
 * the session already restored. */
static int
lock_target(struct archiving *arc, struct ctx_err *err)
{
	int rc = arc->opt.dry_run ? 1
				  : ctx_store_task(arc->store, "restore", true,
					&arc->restore_lock, err);

	if (rc == 0)
		rc = ctx_err_set(
		    err, CTX_EBUSY, "another ctx-archive is restoring into this store");
	return rc < 0 ? -1 : 0;
}

static int
open_target(struct archiving *arc, bool create, struct ctx_err *err)
{
	int how = (create ? CLI_CREATE : 0) | CLI_BULK | (arc->in_place ? CLI_EXACT : 0);

	return cli_store_open(&arc->store, how, err) < 0 ? -1 : lock_target(arc, err);
}

/* Creates a new store once an archive was found to be valid. */
static int
open_new_target(void *arg, struct ctx_store **st, struct ctx_err *err)
{
	struct archiving *arc = arg;

	if (open_target(arc, true, err) < 0)
		return -1;
	*st = arc->store;
	return 0;
}

/* Prepares the store to restore into. If it does not exist, archives named as operands go
 * into a new store; in a dry run into one that is deleted at the end. */
static int
prepare_target(struct archiving *arc, int operands, struct ctx_err *err)
{
	int rc;

	if (operands == 0 && !arc->in_place)
		return open_target(arc, false, err);
	rc = cli_store_exists(err);
	if (rc < 0)
		return -1;
	if (rc > 0 || (!arc->opt.dry_run && !arc->in_place && arc->opt.session.n > 0))
		return open_target(arc, !arc->opt.dry_run, err);
	if (!arc->opt.dry_run) /* created when an archive was found to be valid */
		return 0;
	if (cli_scratch_open(&arc->store, err) < 0)
		return -1;
	ctx_store_set_tenant(arc->store, cli_common.tenant);
	return 0;
}

static int
restore_named(struct archiving *arc, int argc, char **argv, struct ctx_err *err)
{
	int rc = arc->in_place
		     ? with_place(arc, restore_one, err)
		     : with_named(arc, argc, argv, restore_one, restore_kept, err);

	if (rc == 0)
		rc = ctx_unarchive_flush(arc->unarchive, err);
	progress(true);
	return rc;
}

int
restore(struct archiving *arc, int argc, char **argv, struct ctx_err *err)
{
	struct ctx_unarchive_options o = {.as = arc->opt.as,
	    .now = cli_now(),
	    .dry_run = arc->opt.dry_run,
	    .event = true,
	    .open = open_new_target};
	int rc;

	if (arc->opt.as != NULL && (size_t)argc + arc->opt.session.n != 1)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--as needs exactly one session or archive");
	if (arc->opt.as != NULL &&
	    ctx_id_check(ctx_span_of(arc->opt.as), "--as", err) < 0) {
		err->code = CTX_EUSAGE;
		return -1;
	}
	arc->restore_lock = -1;
	rc = prepare_target(arc, argc, err);
	if (rc == 0) {
		arc->unarchive = ctx_unarchive_new(
		    arc->store, &o, report_restored_session, arc);
		rc = restore_named(arc, argc, argv, err);
		ctx_unarchive_free(arc->unarchive);
	}
	if (arc->restore_lock >= 0)
		close(arc->restore_lock);
	return rc;
}
