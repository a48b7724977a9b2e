/* ctx-import --append and --sync: records go into the store. */
#include "base/time.h"
#include "import.h"
#include "ingest/ingest.h"

#define REFUSED_NAMED 10 /* of the refused records, as many are named */

static struct ctx_store *store;
static struct ctx_tokenizer *tokenizer;
static struct ctx_ingest ingest;
static int64_t refused;
static long taken;

int
open_import_store(struct ctx_err *err)
{
	struct ctx_ingest_options o = {.create = true,
	    .ttl_ms = CTX_TIME_NONE,
	    .ttl_default = true,
	    .if_seq = -1,
	    .now = cli_now(),
	    .silent = true};

	if (cli_check_tenant(err) < 0 || cli_tokenizer_open(&tokenizer, err) < 0)
		return -1;
	ctx_ingest_init(&ingest, &o, tokenizer);
	return cli_store_open(&store, CLI_CREATE | CLI_BULK, err);
}

static int
refuse_import_record(void *arg, const struct ctx_pending *p, struct ctx_err *err)
{
	(void)arg;
	(void)p;
	if (refused++ < REFUSED_NAMED)
		cli_error(err);
	*err = (struct ctx_err)CTX_ERR_INIT;
	return 0;
}

int
flush_import_store(struct ctx_err *err)
{
	int rc;

	if (ingest.n == 0)
		return 0;
	rc = ctx_store_begin(store, err);
	if (rc == 0)
		rc = ctx_ingest_apply(
		    &ingest, store, &cli_out.buf, refuse_import_record, NULL, err);
	if (rc == 0)
		rc = ctx_ingest_finish(&ingest, store, err);
	if (rc == 0)
		rc = ctx_store_commit(store, err);
	ctx_store_rollback(store);
	return rc < 0 ? -1 : 0;
}

int
store_import_record(struct ctx_span record, struct ctx_err *err)
{
	if (ctx_ingest_add(&ingest, record, NULL, ++taken, err) < 0) {
		if (err->code != CTX_EINPUT)
			return -1;
		return refuse_import_record(NULL, NULL, err);
	}
	return ctx_ingest_full(&ingest) ? flush_import_store(err) : 0;
}

void
read_import_sums(struct import_sums *out)
{
	*out = (struct import_sums){ingest.added, ingest.repeated, refused};
}

void
close_import_store(void)
{
	ctx_ingest_release(&ingest);
	ctx_tokenizer_close(tokenizer);
	ctx_store_close(store);
}
