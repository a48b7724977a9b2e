/* ctx-archive: redacts messages in archives. ctx-delete --redact runs this for archives
 * in object storage. */
#include "archive.h"

#include <stdlib.h>
#include <string.h>

#include "archive/rewrite.h"
#include "base/mem.h"

struct rewriting_run {
	struct ctx_redaction what;
	int64_t *seqs;
	size_t n, cap;
};

/* Parses the list of messages: "3,7,8" in ascending order, or "all" with --match. */
static int
read_rewrite_list(
    struct rewriting_run *run, const struct archiving *arc, struct ctx_err *err)
{
	const char *p = arc->opt.rewrite;
	char *end;

	run->what.match = ctx_span_of(arc->opt.match);
	if (strcmp(p, "all") == 0 && run->what.match.n > 0)
		return 0;
	for (;; p = end + 1) {
		long long seq = *p >= '0' && *p <= '9' ? strtoll(p, &end, 10) : 0;
		if (seq < 1 || seq > CTX_SEQ_MAX || (*end != ',' && *end != '\0') ||
		    (run->n > 0 && run->seqs[run->n - 1] >= seq))
			return ctx_err_set(err, CTX_EUSAGE,
			    "--rewrite: '%s' is not a list of message numbers in ascending order",
			    arc->opt.rewrite);
		CTX_MEM_GROW(run->seqs, run->n, run->cap);
		run->seqs[run->n++] = seq;
		if (*end == '\0')
			break;
	}
	run->what.seqs = run->seqs;
	run->what.n = run->n;
	return 0;
}

static int
rewrite_blob(struct archiving *arc, const char *name, const char *address,
    struct ctx_redaction *what, struct ctx_err *err)
{
	struct ctx_source src = {.blobs = arc->places.blobs, .name = name, .fd = -1};
	struct ctx_archive_info info = {.session_id = NULL};
	int rc = check_own(&src, address, err);

	if (rc == 0)
		rc = ctx_rewrite_archive(&src, what, &info, err);
	if (rc < 0)
		return ctx_err_prefix(err, "%s", address);
	open_record(arc, rc == 1 ? "rewritten" : "unchanged", info.session_id);
	add_info(address, &info);
	ctx_archive_info_release(&info);
	return cli_record_close(err);
}

static int
rewrite_operand(struct archiving *arc, const char *operand, struct ctx_redaction *what,
    struct ctx_err *err)
{
	char *real = ctx_place_is_remote(operand) ? ctx_mem_str(operand)
						  : realpath(operand, NULL);
	char *dir = NULL, *name = NULL;
	int rc;

	if (real == NULL)
		return ctx_err_set(err, CTX_EANSWER, "%s: archive not found", operand);
	rc = ctx_place_split(real, &dir, &name, err);
	if (rc == 0)
		rc = ctx_places_open(&arc->places, dir, false, err);
	if (rc == 0)
		rc = rewrite_blob(arc, name, real, what, err);
	free(real);
	free(dir);
	free(name);
	return rc;
}

int
rewrite_archives(struct archiving *arc, int argc, char **argv, struct ctx_err *err)
{
	struct rewriting_run run = {.n = 0};
	int rc = read_rewrite_list(&run, arc, err);

	for (int i = 0; rc == 0 && i < argc; i++) {
		rc = rewrite_operand(arc, argv[i], &run.what, err);
		if (rc < 0 && err->code == CTX_EANSWER)
			rc = refuse(arc, err);
	}
	ctx_redaction_release(&run.what);
	free(run.seqs);
	return rc;
}
