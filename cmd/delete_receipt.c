/* ctx-delete: prints what is left of removed texts. */
#include "delete.h"

#include <stdlib.h>
#include <string.h>

#include "archive/place.h"
#include "base/buf.h"
#include "base/mem.h"
#include "json/json.h"

#define AT_ONCE 256 /* number of archives for one run of ctx-archive */

static int
scan_record(void *arg, const struct ctx_record *record, struct ctx_err *err)
{
	struct deletion *del = arg;

	return ctx_scrub_archived(&del->erase.scrub, record, err);
}

static int
search_archived_copies(
    struct deletion *del, const char *const args[], struct ctx_err *err)
{
	int64_t damaged = del->erase.scrub.archives_damaged;
	int rc = cli_read_archive(args, scan_record, del, err);

	if (rc < 0 && err->code == CTX_EANSWER &&
	    del->erase.scrub.archives_damaged > damaged)
		rc = 0;
	return rc;
}

static int
add_known_erasure(void *arg, const struct ctx_session *s, struct ctx_err *err)
{
	struct deletion *del = arg;

	return ctx_erase_know(&del->erase, s, err);
}

/* Returns whether the archive is in the destination, which is searched as a whole. */
static bool
is_archive_in_destination(const char *uri, const char *destination)
{
	struct ctx_err ignored = CTX_ERR_INIT;
	char *dir = NULL, *name = NULL;
	bool there = destination != NULL &&
		     ctx_place_split(uri, &dir, &name, &ignored) == 0 &&
		     strcmp(dir, destination) == 0;

	free(dir);
	free(name);
	return there;
}

/* Searches the archives that the store's sessions name, some in each run of
 * ctx-archive. */
static int
scan_known(struct deletion *del, const char *destination, struct ctx_err *err)
{
	const char *args[4 + AT_ONCE + 1] = {"--cat", "--keep-going", "--quiet", "--"};
	struct ctx_session_filter f = CTX_SESSION_FILTER_INIT;
	size_t n = 4;
	int rc;

	f.status[0] = f.status[1] = f.status[2] = true;
	rc = cli_each_session(del->store, &f, add_known_erasure, del, err);
	for (size_t i = 0; rc == 0 && i < del->erase.known.n; i++) {
		if (!is_archive_in_destination(del->erase.known.v[i], destination))
			args[n++] = del->erase.known.v[i];
		if (n > 4 && (n == 4 + AT_ONCE || i == del->erase.known.n - 1)) {
			args[n] = NULL;
			rc = search_archived_copies(del, args, err);
			n = 4;
		}
	}
	return rc;
}

/* Searches all archives in the destination and all that the store names. */
static int
scan_archives(struct deletion *del, struct ctx_err *err)
{
	const char *args[] = {"--cat", "--keep-going", "--quiet", "--to",
	    del->opt.archive, cli_common.tenant != NULL ? "--tenant" : NULL,
	    cli_common.tenant, NULL};
	bool remote = del->opt.archive != NULL && ctx_place_is_remote(del->opt.archive);
	char *real = NULL;
	int rc = 0;

	if (del->opt.archive != NULL)
		real = remote ? ctx_mem_str(del->opt.archive)
			      : realpath(del->opt.archive, NULL);
	for (size_t n = real != NULL ? strlen(real) : 0; n > 1 && real[n - 1] == '/'; n--)
		real[n - 1] = '\0';
	if (real != NULL)
		rc = search_archived_copies(del, args, err);
	if (rc == 0 && (del->erase.sessions > 0 || del->opt.redact))
		rc = scan_known(del, real, err);
	free(real);
	if (del->erase.scrub.archives_damaged > 0)
		cli_warn("%lld damaged archive%s could only be searched in part",
		    (long long)del->erase.scrub.archives_damaged,
		    CTX_PLURAL(del->erase.scrub.archives_damaged));
	return rc;
}

static void
add_counts(struct deletion *del, const struct ctx_needle_counts *counts)
{
	struct ctx_buf *b = &cli_out.buf;
	const struct ctx_erase *e = &del->erase;

	ctx_json_print(b,
	    "'sessions':%d,'messages':%d,'requests':%d,'events':%d,'additions':%d,'derived':%d",
	    e->sessions, e->total.messages, e->total.requests, e->total.events,
	    e->total.additions, e->total.derived);
	ctx_json_print(b,
	    "'archives':%d,'archives_left':%d,'archives_missing':%d,'bytes_returned':%d,'bytes_scanned':%d",
	    e->archives, e->left, e->missing, ctx_erase_bytes(e), e->scrub.bytes_scanned);
	ctx_json_print(b,
	    "'archives_scanned':%d,'archives_damaged':%d,'texts':%d,'texts_too_short':%d,'probes':%d",
	    e->scrub.archives_scanned, e->scrub.archives_damaged, counts->texts,
	    counts->too_short, counts->needles);
	/* a tenant must not learn what its texts have in common with those of other
	 * tenants */
	if (cli_common.tenant == NULL)
		ctx_json_add_int(b, "shared", counts->shared);
	ctx_json_add_int(b, "survivors", counts->survivors);
}

/* Lists what cannot be proven: a server shows its rows, but not other data on its
 * disks. */
static void
add_unproven(const struct deletion *del)
{
	if (!ctx_store_is_file(del->store))
		ctx_json_print(&cli_out.buf,
		    "'unproven':['old versions of rows, until VACUUM',"
		    "'write-ahead log, until it is recycled',"
		    "'archived logs, replicas and backups']");
}

/* Prints the receipt even if archives could not be searched, and says so. */
int
print_receipt(struct deletion *del, struct ctx_err *err)
{
	struct ctx_err failure = CTX_ERR_INIT;
	struct ctx_needle_counts counts;
	int rc = scan_archives(del, &failure);

	ctx_needles_count(del->erase.scrub.needles, &counts);
	open_record(del, "receipt", NULL);
	ctx_json_add_time(&cli_out.buf, "created_at", cli_now());
	add_counts(del, &counts);
	add_unproven(del);
	if (rc < 0)
		ctx_json_add_str(&cli_out.buf, "not_scanned",
		    del->opt.archive != NULL ? del->opt.archive : "archives");
	if (cli_record_close(err) < 0)
		return -1;
	if (rc < 0)
		return ctx_err_set(err, failure.code, "cannot search '%s': %s",
		    del->opt.archive != NULL ? del->opt.archive : "archives",
		    failure.msg);
	if (counts.survivors > 0)
		return ctx_err_set(err, CTX_EANSWER,
		    "the store or an archive still contains parts of the removed text");
	return 0;
}
