/* ctx-delete: redacts messages, or a text in messages, for good. */
#include "delete.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "archive/redact.h"
#include "base/buf.h"
#include "base/compare.h"
#include "base/mem.h"
#include "json/json.h"

/* ---- which messages ---- */

struct seq_list {
	int64_t *v;
	size_t n, cap;
};

/* Parses "7" or "3-5". */
static int
add_seq_operand(struct seq_list *list, const char *word, struct ctx_err *err)
{
	char *end = NULL;
	long long first = 0, last = 0;

	if (*word >= '0' && *word <= '9')
		first = last = strtoll(word, &end, 10);
	if (end != NULL && *end == '-' && end[1] >= '0' && end[1] <= '9')
		last = strtoll(end + 1, &end, 10);
	if (end == NULL || *end != '\0' || first < 1 || last < first ||
	    last > CTX_SEQ_MAX || last - first >= 1000000)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--redact: '%s' is not a message number or a range such as 3-5",
		    word);
	for (; first <= last; first++) {
		CTX_MEM_GROW(list->v, list->n, list->cap);
		list->v[list->n++] = first;
	}
	return 0;
}

static int
read_seqs(struct seq_list *list, int argc, char **argv, struct ctx_err *err)
{
	size_t n = 0;

	for (int i = 0; i < argc; i++)
		if (add_seq_operand(list, argv[i], err) < 0)
			return -1;
	if (list->n > 0)
		qsort(list->v, list->n, sizeof(*list->v), ctx_compare_int64);
	for (size_t i = 0; i < list->n; i++)
		if (n == 0 || list->v[n - 1] != list->v[i])
			list->v[n++] = list->v[i];
	list->n = n;
	return 0;
}

/* ---- archives in object storage ---- */

struct remote_rewriting {
	struct ctx_archive_info *info;
};

static int
take_rewritten(void *arg, const struct ctx_record *record, struct ctx_err *err CTX_UNUSED)
{
	struct remote_rewriting *r = arg;
	char *sha256 = ctx_json_strdup(ctx_json_get(record->line, "sha256"));

	if (sha256 != NULL && strlen(sha256) == CTX_HASH_HEX)
		memcpy(r->info->file_sha256, sha256, CTX_HASH_HEX + 1);
	ctx_json_int(ctx_json_get(record->line, "bytes"), &r->info->file_bytes);
	free(sha256);
	return 0;
}

static int
rewrite_remote(void *arg, const char *uri, const struct ctx_redaction *what,
    struct ctx_archive_info *info, struct ctx_err *err)
{
	struct deletion *del = arg;
	struct remote_rewriting r = {info};
	struct ctx_buf seqs = CTX_BUF_INIT;
	const char *args[9] = {"--quiet", "--rewrite"};
	size_t n = 3;
	int rc;

	for (size_t i = 0; i < what->n; i++)
		ctx_buf_addf(&seqs, "%s%lld", i > 0 ? "," : "", (long long)what->seqs[i]);
	if (what->n == 0)
		ctx_buf_adds(&seqs, "all");
	args[2] = seqs.p;
	if (del->opt.match != NULL) {
		args[n++] = "--match";
		args[n++] = del->opt.match;
	}
	args[n++] = "--";
	args[n++] = uri;
	args[n] = NULL;
	rc = cli_read_archive(args, take_rewritten, &r, err);
	ctx_buf_release(&seqs);
	return rc;
}

/* ---- redaction ---- */

static int
print_redaction(struct deletion *del, const struct ctx_redact *job,
    const struct ctx_session *s, struct ctx_err *err)
{
	struct ctx_buf *b = &cli_out.buf;

	open_record(del, "redact", s->session_id);
	ctx_json_add_open(b, "seqs", '[');
	for (size_t i = 0; i < job->what->n; i++)
		ctx_json_put_int(b, job->what->seqs[i]);
	ctx_json_put_close(b, ']');
	if (del->opt.match != NULL)
		ctx_json_add_bool(b, "match", true);
	ctx_json_print(b,
	    "'messages':%d,'requests':%d,'additions':%d,'summaries':%d,'archives':%d",
	    (int64_t)job->what->n, job->done.requests, job->done.additions,
	    job->done.summaries, job->archives);
	return cli_record_close(err);
}

/* Prints notes about the redaction for the user. */
static void
note_redaction(
    const struct deletion *del, const struct ctx_redact *job, const struct ctx_session *s)
{
	if (job->repeated)
		cli_note("an interrupted redaction of session '%s' was completed",
		    s->session_id);
	if (!del->opt.dry_run && ctx_archive_cleaned(s))
		cli_note(
		    "session '%s' is archived: run ctx-check --catch-up to make it searchable again",
		    s->session_id);
}

static int
finish_redact(struct deletion *del, struct ctx_redact *job, const struct ctx_session *s,
    struct ctx_err *err)
{
	struct ctx_erase *e = &del->erase;
	int rc;

	e->archives = job->archives;
	e->total.messages = (int64_t)job->what->n;
	e->total.requests = job->done.requests;
	e->total.additions = job->done.additions;
	rc = print_redaction(del, job, s, err);
	if (rc == 0)
		note_redaction(del, job, s);
	if (rc == 0 && del->opt.receipt)
		rc = print_receipt(del, err);
	else if (rc == 0 && job->counts.survivors > 0)
		rc = ctx_err_set(err, CTX_EANSWER,
		    "the store or an archive still contains parts of the removed text");
	if ((rc == 0 || err->code == CTX_EANSWER) && e->missing > 0)
		rc = ctx_err_set(err, CTX_EIO,
		    "%lld archive%s not redacted: repeat the command when the archives can be read",
		    (long long)e->missing, CTX_PLURAL_OF(e->missing, " is", "s are"));
	return rc;
}

static int
redact_session(struct deletion *del, const struct ctx_session *s,
    struct ctx_redaction *what, struct ctx_err *err)
{
	struct ctx_redact job = {.e = &del->erase,
	    .what = what,
	    .now = cli_now(),
	    .dry_run = del->opt.dry_run,
	    .rewrite_remote = rewrite_remote,
	    .arg = del};
	int rc = check_deletable_session(del, s, -1, err);

	if (rc == 0 && s->status == CTX_STATUS_DELETED)
		rc = cli_deleted(s->session_id, err);
	if (rc == 0)
		rc = ctx_redact_session(&job, s, err);
	if (rc == 0 && what->n == 0 && !job.repeated)
		cli_note("these messages are already redacted");
	else if (rc == 0)
		rc = finish_redact(del, &job, s, err);
	ctx_redact_release(&job);
	return rc;
}

static int
redact_found(struct deletion *del, const char *session_id, struct ctx_redaction *what,
    struct ctx_err *err)
{
	struct ctx_erase_calls calls = {
	    .fetch_remote = cli_fetch_archive, .arg = del, .warn = cli_warn};
	struct ctx_session s = CTX_SESSION_INIT;
	int lock = -1, rc;

	rc = ctx_store_task(del->store, "archive", false, &lock, err);
	if (rc == 0)
		rc = ctx_err_set(err, CTX_EBUSY,
		    "another ctx-archive or ctx-delete is running on this store");
	else if (rc == 1)
		rc = cli_session_find(del->store, session_id, &s, err);
	if (rc == 0)
		rc = ctx_erase_open(&del->erase, del->store, &calls, err);
	if (rc == 0) {
		del->erase.destination = del->opt.archive;
		del->erase.scrub.everywhere = del->opt.receipt;
		rc = redact_session(del, &s, what, err);
	}
	ctx_erase_close(&del->erase);
	ctx_session_release(&s);
	if (lock >= 0)
		close(lock);
	return rc;
}

/* Parses "SID SEQ ..." or "-s SID SEQ ..."; with --match the numbers may be omitted. */
int
redact_messages(struct deletion *del, int argc, char **argv, struct ctx_err *err)
{
	struct ctx_redaction what = {.match = ctx_span_of(del->opt.match)};
	struct seq_list list = {NULL, 0, 0};
	int rc;

	if (del->opt.session.n == 0 && argc > 0) {
		cli_list_add(&del->opt.session, *argv++);
		argc--;
	} else if (del->opt.session.n == 0 && cli_session_default() != NULL) {
		cli_list_add(&del->opt.session, cli_session_default());
	}
	if (del->opt.session.n != 1 || (argc == 0 && del->opt.match == NULL))
		return ctx_err_set(err, CTX_EUSAGE,
		    "--redact needs one session and the numbers of the messages to redact");
	rc = read_seqs(&list, argc, argv, err);
	what.seqs = list.v;
	what.n = list.n;
	if (rc == 0)
		rc = cli_store_open(&del->store, 0, err);
	if (rc == 0)
		rc = redact_found(del, del->opt.session.v[0], &what, err);
	ctx_store_close(del->store);
	ctx_redaction_release(&what);
	free(list.v);
	return rc;
}
