#include "base/buf.h"
#include "delete.h"

#include <stdlib.h>
#include <string.h>

#include "archive/place.h"
#include "base/mem.h"
#include "json/json.h"

static struct deletion deletion;

static struct cli_option options[] = {
    {"session", 's', "SID",
	"this session (repeatable; default: the sessions that the input records name)",
	CLI_LIST, &deletion.opt.session, NULL},
    {"user", 'u', "ID", "all sessions of this user; with --purge: all data of the user",
	CLI_STRING, &deletion.opt.user, NULL},
    {"purge", 0, NULL, "remove sessions permanently from the store and from archives",
	CLI_FLAG, &deletion.opt.purge, NULL},
    {"redact", 0, NULL, "remove the messages with these numbers permanently", CLI_FLAG,
	&deletion.opt.redact, NULL},
    {"match", 0, "TEXT",
	"with --redact: remove only this text, from the given messages or, without SEQ, from all",
	CLI_STRING, &deletion.opt.match, NULL},
    {"receipt", 0, NULL,
	"with --purge or --redact: search store and archives for the removed texts, and print a receipt",
	CLI_FLAG, &deletion.opt.receipt, NULL},
    {"to", 0, "DEST", "with --purge or --redact: also search the archives in this place",
	CLI_STRING, &deletion.opt.archive, "CTX_ARCHIVE"},
    {"restore", 0, NULL, "restore deleted sessions that are not purged yet", CLI_FLAG,
	&deletion.opt.restore, NULL},
    {"hold", 0, "REASON", "put sessions on hold: refuse their deletion", CLI_STRING,
	&deletion.opt.hold, NULL},
    {"release", 0, NULL, "release a hold", CLI_FLAG, &deletion.opt.release, NULL},
    {"dry-run", 'n', NULL, "change nothing, only print what would be done", CLI_FLAG,
	&deletion.opt.dry_run, NULL},
    CLI_QUIET_OPTION,
    CLI_STORE_OPTIONS,
    CLI_END,
};

/* ---- records ---- */

void
open_record(struct deletion *del, const char *action, const char *session_id)
{
	cli_record_open("deletion", session_id, action, del->opt.dry_run);
}

static int
add_deletion_event(struct deletion *del, const struct ctx_session *s, const char *what,
    const char *reason, struct ctx_err *err)
{
	struct ctx_buf event = CTX_BUF_INIT;
	int64_t now = cli_now();
	int rc;

	ctx_event_open(&event, s->session_id, now, what);
	ctx_json_print(&event, "'reason':%s}", reason);
	rc = ctx_store_event_add(del->store, s, now, ctx_buf_span(&event), NULL, err);
	ctx_buf_release(&event);
	return rc;
}

/* ---- checks ---- */

void
refuse(struct deletion *del, const struct ctx_err *why)
{
	cli_error(why);
	del->refused++;
}

int
check_deletable_session(struct deletion *del, const struct ctx_session *s,
    int64_t last_seq, struct ctx_err *err)
{
	bool deletes = !del->opt.restore && !del->opt.release && del->opt.hold == NULL;

	if (deletes && s->hold != NULL)
		return ctx_err_set(err, CTX_EANSWER,
		    "session '%s' is on hold (%s): skipped", s->session_id, s->hold);
	if (last_seq >= 0 && s->last_seq != last_seq)
		return ctx_err_set(err, CTX_EANSWER,
		    "session '%s' changed since it was listed: skipped", s->session_id);
	if (!del->opt.purge && ctx_session_purging(s))
		return ctx_err_set(
		    err, CTX_EANSWER, "session '%s' is being purged", s->session_id);
	if (del->opt.restore && s->status != CTX_STATUS_DELETED)
		return ctx_err_set(err, CTX_EANSWER,
		    "session '%s' cannot be restored, because it is not deleted",
		    s->session_id);
	if (del->opt.release && s->hold == NULL)
		return ctx_err_set(
		    err, CTX_EANSWER, "session '%s' is not on hold", s->session_id);
	return 0;
}

/* ---- deletion that can be undone, and holds ---- */

static const char *
set_deletion_state(struct deletion *del, struct ctx_session *s)
{
	s->updated_at = cli_now();
	if (del->opt.hold != NULL || del->opt.release) {
		free(s->hold);
		s->hold = ctx_mem_str(del->opt.hold);
		return del->opt.release ? "release" : "hold";
	}
	if (del->opt.restore) {
		s->status = s->archive_json != NULL ? CTX_STATUS_ARCHIVED
						    : CTX_STATUS_ACTIVE;
		return "undelete";
	}
	s->status = CTX_STATUS_DELETED;
	return "delete";
}

static void
drop_group(struct deletion *del)
{
	ctx_store_rollback(del->store);
	ctx_buf_reset(&cli_out.buf);
	del->changing = false;
}

static int
end_deletion_group(void *arg, struct ctx_err *err)
{
	struct deletion *del = arg;

	ctx_store_end_read(del->store);
	if (!del->changing)
		return 0;
	if (!del->opt.dry_run && ctx_store_commit(del->store, err) < 0) {
		drop_group(del);
		return -1;
	}
	del->changing = false;
	return cli_flush(err);
}

static void
add_deletion_record(struct deletion *del, const struct ctx_session *s, const char *what)
{
	open_record(del, what, s->session_id);
	ctx_json_print(&cli_out.buf,
	    "'tenant_id':%s,'status':%s,'reason':%s,'messages':%d}\n", s->tenant_id,
	    ctx_status_name((enum ctx_status)s->status), del->opt.hold, s->message_count);
}

static int
store_deletion_state(
    struct deletion *del, struct ctx_session *s, const char *what, struct ctx_err *err)
{
	if (del->opt.dry_run) {
		cli_sessions_add(s);
		return 0;
	}
	if (add_deletion_event(del, s, what, del->opt.hold, err) < 0)
		return -1;
	return ctx_store_session_set_state(del->store, s, err);
}

/* Changes one session. If it is refused, nothing was changed and the group continues. A
 * dry run only reads. */
static int
change_session(
    struct deletion *del, const char *session_id, int64_t last_seq, struct ctx_err *err)
{
	struct ctx_session s = CTX_SESSION_INIT;
	const char *what;
	int rc;

	if (!del->changing && !del->opt.dry_run && ctx_store_begin(del->store, err) < 0)
		return -1;
	del->changing = true;
	rc = cli_session_find(del->store, session_id, &s, err);
	if (rc == 0 && del->opt.dry_run && cli_sessions_has(&s))
		set_deletion_state(del, &s); /* the session was named twice */
	if (rc == 0)
		rc = check_deletable_session(del, &s, last_seq, err);
	if (rc == 0 && s.status == CTX_STATUS_DELETED && !del->opt.restore &&
	    !del->opt.release && del->opt.hold == NULL) {
		cli_note("session '%s' is already deleted", session_id);
	} else if (rc == 0) {
		what = set_deletion_state(del, &s);
		rc = store_deletion_state(del, &s, what, err);
		if (rc == 0)
			add_deletion_record(del, &s, what);
	}
	ctx_session_release(&s);
	if (rc < 0 && !cli_refused(err))
		drop_group(del);
	return rc;
}

/* ---- main ---- */

static int
delete_listed_session(void *arg, const struct cli_listed *listed, struct ctx_err *err)
{
	struct deletion *del = arg;
	int rc = del->opt.purge
		     ? purge_session(del, listed->session_id, listed->last_seq, err)
		     : change_session(del, listed->session_id, listed->last_seq, err);

	if (rc < 0 && cli_refused(err)) {
		refuse(del, err);
		err->code = CTX_OK;
		rc = 0;
	}
	if (!del->opt.purge)
		cli_progress(1, "sessions");
	return rc;
}

/* Processes a session of the user, except sessions that are only shared with the user. */
static int
act_on_own(void *arg, const struct ctx_session *s, struct ctx_err *err)
{
	struct deletion *del = arg;

	if (s->user_id == NULL || strcmp(s->user_id, del->opt.user) != 0 ||
	    (del->opt.restore && s->status != CTX_STATUS_DELETED) ||
	    (del->opt.release && s->hold == NULL))
		return 0;
	if (delete_listed_session(
		del, &(struct cli_listed){s->session_id, NULL, -1}, err) < 0)
		return -1;
	return ++del->owned % CLI_GROUP == 0 ? end_deletion_group(del, err) : 0;
}

static int
act_on_user(struct deletion *del, struct ctx_err *err)
{
	struct ctx_err ignored = CTX_ERR_INIT;
	struct ctx_session_filter f = CTX_SESSION_FILTER_INIT;

	f.user_id = del->opt.user;
	f.status[0] = f.status[1] = f.status[2] = true;
	if (cli_each_session(del->store, &f, act_on_own, del, err) < 0) {
		end_deletion_group(del, &ignored);
		return -1;
	}
	return end_deletion_group(del, err);
}

static int
check_options(struct deletion *del, struct ctx_err *err)
{
	bool erases = del->opt.purge || del->opt.redact;

	if (cli_check_alone("purge redact restore hold release", err) < 0 ||
	    cli_check_needs(&del->opt.receipt, erases, "--purge or --redact", err) < 0)
		return -1;
	if (del->opt.match != NULL && (!del->opt.redact || *del->opt.match == '\0'))
		return ctx_err_set(err, CTX_EUSAGE, "%s",
		    del->opt.redact ? "--match: the text must not be empty"
				    : "--match needs --redact");
	if (cli_check_alone("user redact", err) < 0)
		return -1;
	if (erases && del->opt.archive != NULL &&
	    ctx_place_check(del->opt.archive, err) < 0)
		return ctx_err_prefix(err, "--to");
	if (cli_check_alone("user session", err) < 0)
		return -1;
	if (del->opt.hold != NULL && *del->opt.hold == '\0')
		return ctx_err_set(
		    err, CTX_EUSAGE, "--hold: the reason must not be empty");
	return cli_check_needs(&del->opt.archive, erases, "--purge or --redact", err);
}

int
act_on_all(struct deletion *del, struct ctx_err *err)
{
	int rc = del->opt.user != NULL
		     ? act_on_user(del, err)
		     : cli_sessions_in_groups(del->store, &del->opt.session,
			   delete_listed_session, end_deletion_group, del, err);

	cli_progress_end();
	return rc;
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	struct deletion *del = &deletion;
	int rc;

	if (check_options(del, err) < 0)
		return -1;
	if (del->opt.redact)
		return redact_messages(del, argc, argv, err);
	if (cli_no_operands(argc, argv, err) < 0 ||
	    cli_store_open(&del->store, 0, err) < 0)
		return -1;
	if (del->opt.purge)
		rc = purge_all(del, err);
	else
		rc = act_on_all(del, err);
	ctx_store_close(del->store);
	if (rc == 0 && del->opt.user != NULL && del->owned == 0 && !del->user_erased)
		cli_note("nothing to do for user '%s'", del->opt.user);
	if (rc == 0 && del->refused > 0)
		return ctx_err_set(err, CTX_EANSWER, "%lld session%s skipped",
		    (long long)del->refused, CTX_PLURAL(del->refused));
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-delete",
    .synopsis = "[-s SID | -u USER] [OPTION ...]\n"
		"--purge [--receipt] [-s SID | -u USER] [OPTION ...]\n"
		"--redact [--match TEXT] [--receipt] [OPTION ...] SID SEQ | SEQ-SEQ ...\n"
		"--restore [-s SID | -u USER]\n"
		"--hold REASON | --release [-s SID | -u USER]",
    .about =
	"Deletes sessions; --restore restores them, --purge removes them permanently.",
    .options = options,
    .run = run,
};

CLI_MAIN(command)
