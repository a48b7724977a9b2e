#include "archive.h"

#include <malloc.h>
#include <stdlib.h>

#include "base/buf.h"
#include "json/json.h"

#define JOBS_MAX 16

static const char *
read_environment(const char *name)
{
	return getenv(name);
}

static int
open_place(
    struct ctx_blobs **blobs, const char *destination, bool create, struct ctx_err *err)
{
	return ctx_place_open(blobs, destination, read_environment, create, err);
}

static struct archiving archiving = {
    .opt = {.jobs = 1, .sample = -1}, .places = {.open = open_place}};

static struct cli_option options[] = {
    {"to", 0, "DEST", "a directory or s3://BUCKET/PREFIX", CLI_STRING, &archiving.opt.to,
	"CTX_ARCHIVE"},
    {"session", 's', "SID",
	"this session (repeatable; default: the sessions that the input records name)",
	CLI_LIST, &archiving.opt.session, NULL},
    {"cleanup", 0, NULL, "remove archived messages from the store", CLI_FLAG,
	&archiving.opt.cleanup, NULL},
    {"forget", 0, NULL,
	"with --cleanup: also remove the sessions from the full-text index", CLI_FLAG,
	&archiving.opt.forget, NULL},
    {"jobs", 0, "N", "use N processes for archiving", CLI_INT, &archiving.opt.jobs, NULL},
    {"snapshot", 0, NULL, "write archives but leave the sessions active", CLI_FLAG,
	&archiving.opt.snapshot, NULL},
    CLI_REDACT_OPTIONS,
    {"restore", 0, NULL, "restore sessions, or the archives given as operands", CLI_FLAG,
	&archiving.opt.restore, NULL},
    {"as", 0, "SID", "with --restore: restore under this session id", CLI_STRING,
	&archiving.opt.as, NULL},
    {"verify", 0, NULL, "read archives and report damaged and missing archives", CLI_FLAG,
	&archiving.opt.verify, NULL},
    {"all", 0, NULL, "with --verify: verify the archives of all sessions", CLI_FLAG,
	&archiving.opt.all, NULL},
    {"sample", 0, "N", "with --verify: verify N archives chosen at random", CLI_COUNT,
	&archiving.opt.sample, NULL},
    {"list", 0, NULL, "list archived sessions, or the archives in DEST", CLI_FLAG,
	&archiving.opt.list, NULL},
    {"cat", 0, NULL, "verify archives and print their records", CLI_FLAG,
	&archiving.opt.cat, NULL},
    {"keep-going", 0, NULL,
	"with --cat: also print the readable part of damaged archives", CLI_FLAG,
	&archiving.opt.keep_going, NULL},
    {"raw", 0, NULL, "with --cat: print the files unchanged and unverified", CLI_FLAG,
	&archiving.opt.raw, NULL},
    {"remove", 0, NULL, "remove the archives given as operands", CLI_FLAG,
	&archiving.opt.remove, NULL},
    {"rewrite", 0, "SEQ,...", "redact these messages in the archives given as operands",
	CLI_STRING, &archiving.opt.rewrite, NULL},
    {"match", 0, "TEXT", "with --rewrite: redact only this text", CLI_STRING,
	&archiving.opt.match, NULL},
    {"relocate", 0, NULL, "record that archives were moved from OLD to NEW", CLI_FLAG,
	&archiving.opt.relocate, NULL},
    {"adopt", 0, NULL, "give this store the identity of the store that wrote the archive",
	CLI_FLAG, &archiving.opt.adopt, NULL},
    {"dry-run", 'n', NULL, "change nothing, only print what would be done", CLI_FLAG,
	&archiving.opt.dry_run, NULL},
    CLI_QUIET_OPTION,
    CLI_STORE_OPTIONS,
    CLI_END,
};

/* ---- output ---- */

void
open_record(struct archiving *arc, const char *action, const char *session_id)
{
	cli_record_open("archive", session_id, action, arc->opt.dry_run);
}

void
open_session_record(
    struct archiving *arc, const char *action, const struct ctx_session *s)
{
	open_record(arc, action, s == NULL ? NULL : s->session_id);
	if (s != NULL)
		ctx_json_add_str(&cli_out.buf, "tenant_id", s->tenant_id);
}

void
add_info(const char *uri, const struct ctx_archive_info *info)
{
	ctx_json_add_str(&cli_out.buf, "uri", uri);
	if (info != NULL)
		ctx_json_print(&cli_out.buf,
		    "'sha256':%s,'bytes':%d,'messages':%d,'records':%d",
		    info->file_sha256, info->file_bytes, info->counts[CTX_KIND_MESSAGE],
		    info->records);
}

/* Reports a session or archive that is skipped, and the reason. The run continues. */
int
refuse(struct archiving *arc, const struct ctx_err *why)
{
	cli_error(why);
	arc->refused++;
	return 0;
}

/* Shows a progress line if stderr is a terminal; with done, removes it. */
void
progress(bool done)
{
	if (done)
		cli_progress_end();
	else
		cli_progress(1, "sessions");
}

/* ---- main ---- */

static int
check_archive_form(const struct archiving *arc, struct ctx_err *err)
{
	if (arc->opt.restore)
		return cli_check_form("--restore", "to session restore as dry-run", err);
	if (arc->opt.verify)
		return cli_check_form("--verify", "to session verify all sample", err);
	if (arc->opt.list)
		return cli_check_form("--list", "to list", err);
	if (arc->opt.cat)
		return cli_check_form("--cat", "to session cat keep-going raw", err);
	if (arc->opt.remove)
		return cli_check_form("--remove", "remove dry-run", err);
	if (arc->opt.rewrite != NULL)
		return cli_check_form("--rewrite", "rewrite match", err);
	if (arc->opt.relocate)
		return cli_check_form("--relocate", "relocate keep-going dry-run", err);
	if (arc->opt.adopt)
		return cli_check_form("--adopt", "adopt dry-run", err);
	return cli_check_form(arc->opt.snapshot ? "--snapshot" : "archiving",
	    "to session cleanup forget jobs snapshot dry-run redact redact-rules", err);
}

static int
check_options(struct archiving *arc, int argc, char **argv, struct ctx_err *err)
{
	int modes = arc->opt.restore + arc->opt.verify + arc->opt.list + arc->opt.cat +
		    arc->opt.remove + arc->opt.relocate + arc->opt.adopt +
		    (arc->opt.rewrite != NULL) + (arc->opt.snapshot || arc->opt.cleanup);

	if (modes > 1)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--restore, --verify, --list, --cat, --remove, --rewrite, --relocate, --adopt, --snapshot and --cleanup cannot be used together");
	if (cli_check_alone("snapshot cleanup", err) < 0 ||
	    cli_check_needs(&arc->opt.forget, arc->opt.cleanup, "--cleanup", err) < 0 ||
	    cli_check_alone("raw keep-going", err) < 0)
		return -1;
	if ((arc->opt.all || arc->opt.sample >= 0) &&
	    (argc > 0 || arc->opt.session.n > 0 ||
		(arc->opt.all && arc->opt.sample >= 0)))
		return ctx_err_set(err, CTX_EUSAGE,
		    "--verify: --all, --sample and names (-s or operands) cannot be used together");
	if (arc->opt.cat && cli_flagged(&arc->opt.to) &&
	    (argc > 0 || arc->opt.session.n > 0))
		return ctx_err_set(err, CTX_EUSAGE,
		    "--cat: use either --to or named sessions (-s or operands), not both");
	if (cli_flagged(&arc->opt.to) && (arc->opt.verify || arc->opt.restore) &&
	    (argc > 0 || arc->opt.all || arc->opt.sample >= 0))
		return ctx_err_set(err, CTX_EUSAGE,
		    "--to cannot be used with operands, --all or --sample");
	if (cli_flagged(&arc->opt.to) && arc->opt.as != NULL)
		return ctx_err_set(err, CTX_EUSAGE, "--as cannot be used with --to");
	if (arc->opt.to != NULL && ctx_place_check(arc->opt.to, err) < 0)
		return ctx_err_prefix(err, "--to");
	if (check_archive_form(arc, err) < 0)
		return -1;
	if (arc->opt.jobs < 1 || arc->opt.jobs > JOBS_MAX)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--jobs must be from 1 to %d", JOBS_MAX);
	if (cli_check_needs(&arc->opt.remove, argc > 0, "the archives as operands", err) <
		0 ||
	    cli_check_needs(
		&arc->opt.rewrite, argc > 0, "the archives as operands", err) < 0 ||
	    cli_check_needs(&arc->opt.match, arc->opt.rewrite != NULL, "--rewrite", err) <
		0)
		return -1;
	if (arc->opt.sample >= 0)
		arc->opt.all = true;
	return arc->opt.restore || arc->opt.verify || arc->opt.cat || arc->opt.remove ||
		       arc->opt.relocate || arc->opt.adopt || arc->opt.rewrite != NULL
		   ? 0
		   : cli_no_operands(argc, argv, err);
}

/* Makes malloc keep freed memory, because compressors and records allocate large tables
 * for each archive. */
static void
keep_memory(void)
{
#ifdef M_TRIM_THRESHOLD
	mallopt(M_MMAP_THRESHOLD, 16 << 20);
	mallopt(M_TRIM_THRESHOLD, 32 << 20);
#endif
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	struct archiving *arc = &archiving;
	int rc = check_options(arc, argc, argv, err);

	if (rc == 0)
		rc = cli_redact_start(err);
	if (rc < 0 || (rc = use_place(arc, argc, err)) < 0)
		return -1;
	keep_memory();
	if (arc->opt.restore)
		rc = restore(arc, argc, argv, err);
	else if (arc->opt.verify)
		rc = verify(arc, argc, argv, err);
	else if (arc->opt.list)
		rc = list(arc, err);
	else if (arc->opt.cat)
		rc = cat(arc, argc, argv, err);
	else if (arc->opt.remove)
		rc = remove_archives(arc, argc, argv, err);
	else if (arc->opt.rewrite != NULL)
		rc = rewrite_archives(arc, argc, argv, err);
	else if (arc->opt.relocate)
		rc = relocate(arc, argc, argv, err);
	else if (arc->opt.adopt)
		rc = adopt(arc, argc, argv, err);
	else
		rc = archive(arc, err);
	release_found(arc);
	ctx_places_close(&arc->places);
	ctx_store_close(arc->store);
	if (rc == 0 && arc->unsound > 0)
		return ctx_err_set(err, CTX_EANSWER, "%lld archive%s damaged or missing",
		    (long long)arc->unsound, CTX_PLURAL_OF(arc->unsound, " is", "s are"));
	if (rc == 0 && arc->refused > 0)
		return ctx_err_set(
		    err, CTX_EANSWER, "%lld skipped", (long long)arc->refused);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-archive",
    .synopsis = "[-s SID] --to DEST [--cleanup [--forget] | --snapshot] [OPTION ...]\n"
		"--restore [-s SID] [--as SID] [--to DEST | FILE | URI ...]\n"
		"--verify [-s SID] [--to DEST | FILE | URI ...]\n"
		"--verify --all | --sample N\n"
		"--list [--to DEST]\n"
		"--cat [--keep-going] [-s SID | --to DEST] [FILE | URI ...]\n"
		"--remove FILE | URI ...\n"
		"--rewrite SEQ,... [--match TEXT] FILE | URI ...\n"
		"--relocate [--keep-going] OLD NEW\n"
		"--adopt FILE | URI",
    .about =
	"Moves sessions into archives and back; an archive is verified before anything is removed.",
    .options = options,
    .run = run,
};

CLI_MAIN(command)
