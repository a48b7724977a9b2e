/* ctx-delete: purges sessions. */
#include "delete.h"

#include <unistd.h>

#include "base/buf.h"
#include "json/json.h"

/* Removes an archive in object storage by running ctx-archive. */
static int
remove_remote(const char *uri, struct ctx_err *err)
{
	const char *args[] = {"--remove", "--", uri, NULL};

	return cli_run_archive(args, err);
}

static void
add_purge_record(struct deletion *del, const struct ctx_session *s)
{
	open_record(del, "purge", s->session_id);
	ctx_json_print(
	    &cli_out.buf, "'tenant_id':%s,'messages':%d", s->tenant_id, s->message_count);
}

/* Keeps the record of an erased session until the end of the purge. */
static int
tell_erased(void *arg, const struct ctx_session *s, const struct ctx_err *refused,
    struct ctx_err *err CTX_UNUSED)
{
	struct deletion *del = arg;

	cli_progress(1, "sessions");
	if (refused != NULL) {
		refuse(del, refused);
		return 0;
	}
	add_purge_record(del, s);
	cli_record_end();
	ctx_buf_addspan(&del->done, ctx_buf_span(&cli_out.buf));
	ctx_buf_reset(&cli_out.buf);
	return 0;
}

int
purge_session(
    struct deletion *del, const char *session_id, int64_t last_seq, struct ctx_err *err)
{
	struct ctx_session s = CTX_SESSION_INIT;
	int rc;

	/* until input is waited for: sessions are read in one snapshot */
	if (ctx_store_begin_read(del->store, err) < 0)
		return -1;
	rc = cli_session_find(del->store, session_id, &s, err);
	if (rc == 0 && cli_sessions_has(&s)) {
		ctx_session_release(&s);
		return 0;
	}
	if (rc == 0)
		rc = check_deletable_session(del, &s, last_seq, err);
	if (rc == 0 && del->opt.dry_run) {
		add_purge_record(del, &s);
		rc = cli_record_close(err);
	} else if (rc == 0) {
		cli_sessions_add(&s);
		rc = ctx_erase_add(&del->erase, &s, err);
	}
	ctx_session_release(&s);
	return rc;
}

/* Erases the user's data outside of sessions. */
static int
erase_user(struct deletion *del, struct ctx_err *err)
{
	int64_t rows = 0;
	int rc;

	if (!del->opt.purge || del->opt.user == NULL)
		return 0;
	if (del->opt.dry_run)
		rc = ctx_store_count_user(del->store, del->opt.user, &rows, err);
	else
		rc = ctx_store_begin(del->store, err);
	if (rc == 0 && !del->opt.dry_run)
		rc = ctx_store_erase_user(del->store, del->opt.user, &rows, err);
	if (rc == 0 && !del->opt.dry_run)
		rc = ctx_store_commit(del->store, err);
	ctx_store_rollback(del->store);
	if (rc < 0 || rows == 0)
		return rc;
	open_record(del, "purge", NULL);
	ctx_json_print(&cli_out.buf, "'user_id':%s,'rows':%d", del->opt.user, rows);
	del->user_erased = true;
	return cli_record_close(err);
}

/* Prints the records after the data was erased. */
static int
finish_purge(struct deletion *del, struct ctx_err *err)
{
	struct ctx_needle_counts counts = {.survivors = 0};
	int rc = ctx_erase_flush(&del->erase, err);

	cli_progress_end();
	if (rc == 0 && (del->erase.sessions > 0 || del->user_erased))
		rc = ctx_erase_finish(&del->erase, &counts, err);
	if (rc == 0) {
		ctx_buf_addspan(&cli_out.buf, ctx_buf_span(&del->done));
		rc = cli_flush(err);
	}
	if (rc == 0 && del->opt.receipt)
		rc = print_receipt(del, err);
	else if (rc == 0 && counts.survivors > 0)
		rc = ctx_err_set(err, CTX_EANSWER,
		    "the store or an archive still contains parts of the removed text");
	if ((rc == 0 || err->code == CTX_EANSWER) && del->erase.missing > 0)
		rc = ctx_err_set(err, CTX_EIO,
		    "%lld archive%s not found (perhaps moved to another place)",
		    (long long)del->erase.missing, CTX_PLURAL(del->erase.missing));
	if (del->opt.receipt)
		return rc;
	if (rc == 0 && (del->erase.sessions > 0 || del->user_erased))
		cli_note("%lld byte%s freed", (long long)ctx_erase_bytes(&del->erase),
		    CTX_PLURAL(ctx_erase_bytes(&del->erase)));
	return rc;
}

int
purge_all(struct deletion *del, struct ctx_err *err)
{
	struct ctx_erase_calls calls = {remove_remote, cli_archived_open,
	    cli_fetch_archive, tell_erased, del, cli_warn};
	int lock = -1, rc;

	if (del->opt.dry_run)
		return act_on_all(del, err) < 0 ? -1 : erase_user(del, err);
	rc = ctx_store_task(del->store, "archive", false, &lock, err);
	if (rc == 0)
		rc = ctx_err_set(err, CTX_EBUSY,
		    "another ctx-archive or ctx-delete is running on this store");
	else if (rc == 1)
		rc = ctx_erase_open(&del->erase, del->store, &calls, err);
	del->erase.destination = del->opt.archive;
	del->erase.scrub.everywhere = del->opt.receipt;
	if (rc == 0)
		rc = act_on_all(del, err);
	if (rc == 0)
		rc = erase_user(del, err);
	if (rc == 0)
		rc = finish_purge(del, err);
	ctx_erase_close(&del->erase);
	ctx_buf_release(&del->done);
	if (lock >= 0)
		close(lock);
	return rc;
}
