#include "archive.h"

#include <stdlib.h>

#include "base/plural.h"
#include "json/json.h"

#define JOBS_MAX 16

struct archive_options opt = {.jobs = 1, .sample = -1};

static struct cli_option options[] = {
    {"to", 0, "DEST", "a directory or s3://BUCKET/PREFIX", CLI_STRING, &opt.to,
	"CTX_ARCHIVE"},
    {"session", 's', "SID", "the session (repeatable); else those of the records read",
	CLI_LIST, &opt.session, NULL},
    {"cleanup", 0, NULL, "remove what is safe in its archive from the store", CLI_FLAG,
	&opt.cleanup, NULL},
    {"forget", 0, NULL, "with --cleanup: from the full-text index too", CLI_FLAG,
	&opt.forget, NULL},
    {"jobs", 0, "N", "archive in N processes", CLI_INT, &opt.jobs, NULL},
    {"snapshot", 0, NULL, "write the archive and leave the session active", CLI_FLAG,
	&opt.snapshot, NULL},
    {"restore", 0, NULL, "bring sessions back, or the archives named as operands",
	CLI_FLAG, &opt.restore, NULL},
    {"as", 0, "SID", "restore under another id", CLI_STRING, &opt.as, NULL},
    {"verify", 0, NULL, "read archives, and report those damaged or missing", CLI_FLAG,
	&opt.verify, NULL},
    {"all", 0, NULL, "verify the archives of all sessions", CLI_FLAG, &opt.all, NULL},
    {"sample", 0, "N", "verify N of them, chosen by chance", CLI_INT, &opt.sample, NULL},
    {"list", 0, NULL, "print what is archived: of the store, or in DEST", CLI_FLAG,
	&opt.list, NULL},
    {"cat", 0, NULL, "print the records of archives, once verified", CLI_FLAG, &opt.cat,
	NULL},
    {"keep-going", 0, NULL, "with --cat: of damaged archives, too, what can be read",
	CLI_FLAG, &opt.keep_going, NULL},
    {"raw", 0, NULL, "with --cat: print the files as they are, unverified", CLI_FLAG,
	&opt.raw, NULL},
    {"remove", 0, NULL, "remove the archives named as operands", CLI_FLAG, &opt.remove,
	NULL},
    {"relocate", 0, NULL, "the archives of a place are in another one now: OLD NEW",
	CLI_FLAG, &opt.relocate, NULL},
    {"adopt", 0, NULL, "own what the store that wrote this archive has written", CLI_FLAG,
	&opt.adopt, NULL},
    {"dry-run", 'n', NULL, "change nothing, print what would be done", CLI_FLAG,
	&opt.dry_run, NULL},
    CLI_QUIET_OPTION,
    CLI_STORE_OPTIONS,
    CLI_END,
};

struct ctx_store *store;
int64_t refused, unsound;

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

struct ctx_places places = {.open = open_place};

/* ---- output ---- */

void
open_record(const char *action, const char *session_id)
{
	cli_record_open("archive", session_id, action, opt.dry_run);
}

void
add_info(const char *uri, const struct ctx_archive_info *info)
{
	struct ctx_buf *b = &cli_out.buf;

	ctx_json_add_str(b, "uri", uri);
	if (info == NULL)
		return;
	ctx_json_add_str(b, "sha256", info->file_sha256);
	ctx_json_add_int(b, "bytes", info->file_bytes);
	ctx_json_add_int(b, "messages", info->counts[CTX_KIND_MESSAGE]);
	ctx_json_add_int(b, "records", info->records);
}

/* Left alone, and why; the rest goes on. */
int
refuse(const struct ctx_err *why)
{
	cli_error(why);
	refused++;
	return 0;
}

/* A progress line, for people who look at a terminal; done wipes it. */
void
progress(bool done)
{
	if (done)
		cli_progress_end();
	else
		cli_progress(1, "sessions");
}

/* ---- */

static int
check_options(int argc, char **argv, struct ctx_err *err)
{
	int modes = opt.restore + opt.verify + opt.list + opt.cat + opt.remove +
		    opt.relocate + opt.adopt + (opt.snapshot || opt.cleanup);

	if (modes > 1)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--restore, --verify, --list, --cat, --remove, --relocate, --adopt, --snapshot "
		    "and --cleanup exclude each other");
	if (opt.snapshot && opt.cleanup)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--snapshot and --cleanup exclude each other");
	if (opt.as != NULL && !opt.restore)
		return ctx_err_set(err, CTX_EUSAGE, "--as goes with --restore");
	if (opt.forget && !opt.cleanup)
		return ctx_err_set(err, CTX_EUSAGE, "--forget goes with --cleanup");
	if ((opt.all || opt.sample >= 0) && !opt.verify)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--all and --sample go with --verify");
	if (opt.keep_going && !opt.cat && !opt.relocate)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--keep-going goes with --cat and --relocate");
	if (opt.raw && (!opt.cat || opt.keep_going))
		return ctx_err_set(
		    err, CTX_EUSAGE, "--raw goes with --cat, and not with --keep-going");
	if (opt.cat && cli_flagged(&opt.to) && (argc > 0 || opt.session.n > 0))
		return ctx_err_set(
		    err, CTX_EUSAGE, "--cat: of DEST, or of what is named, not both");
	if (cli_flagged(&opt.to) && (opt.remove || opt.relocate || opt.adopt))
		return ctx_err_set(
		    err, CTX_EUSAGE, "--to is not for --remove, --relocate and --adopt");
	if (cli_flagged(&opt.to) && (opt.verify || opt.restore) &&
	    (argc > 0 || opt.all || opt.sample >= 0 || (opt.verify && opt.session.n > 0)))
		return ctx_err_set(err, CTX_EUSAGE,
		    "--to: all that is in DEST, or what is named, not both");
	if (cli_flagged(&opt.to) && opt.as != NULL)
		return ctx_err_set(
		    err, CTX_EUSAGE, "--as goes with one archive, not with --to");
	if (opt.to != NULL && ctx_place_check(opt.to, err) < 0)
		return ctx_err_prefix(err, cli_flagged(&opt.to) ? "--to" : "CTX_ARCHIVE");
	if (opt.jobs < 1 || opt.jobs > JOBS_MAX)
		return ctx_err_set(err, CTX_EUSAGE, "--jobs: from 1 to %d", JOBS_MAX);
	if (opt.remove && argc == 0)
		return ctx_err_set(err, CTX_EUSAGE, "--remove: which archives?");
	if (opt.sample >= 0)
		opt.all = true;
	return opt.restore || opt.verify || opt.cat || opt.remove || opt.relocate ||
		       opt.adopt
		   ? 0
		   : cli_no_operands(argc, argv, err);
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	int rc = check_options(argc, argv, err);

	if (rc < 0)
		return -1;
	if (opt.restore)
		rc = restore(argc, argv, err);
	else if (opt.verify)
		rc = verify(argc, argv, err);
	else if (opt.list)
		rc = list(err);
	else if (opt.cat)
		rc = cat(argc, argv, err);
	else if (opt.remove)
		rc = remove_archives(argc, argv, err);
	else if (opt.relocate)
		rc = relocate(argc, argv, err);
	else if (opt.adopt)
		rc = adopt(argc, argv, err);
	else
		rc = archive(err);
	ctx_places_close(&places);
	ctx_store_close(store);
	if (rc == 0 && unsound > 0)
		return ctx_err_set(err, CTX_EANSWER, "%lld archive%s damaged or missing",
		    (long long)unsound, CTX_PLURAL_OF(unsound, " is", "s are"));
	if (rc == 0 && refused > 0)
		return ctx_err_set(
		    err, CTX_EANSWER, "left alone: %lld", (long long)refused);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-archive",
    .synopsis = "[-s SID] --to DEST [--cleanup [--forget] | --snapshot] [OPTION ...]\n"
		"--restore [-s SID] [--as SID] [--to DEST | FILE | URI ...]\n"
		"--verify [-s SID | --all | --sample N | --to DEST] [FILE | URI ...]\n"
		"--list [--to DEST]\n"
		"--cat [--keep-going] [-s SID | --to DEST] [FILE | URI ...]\n"
		"--remove FILE | URI ...\n"
		"--relocate [--keep-going] OLD NEW\n"
		"--adopt FILE | URI",
    .about =
	"Moves sessions into archives that are verified before anything is removed, and back.",
    .options = options,
    .run = run,
};

int
main(int argc, char **argv)
{
	return cli_main(&command, argc, argv);
}
