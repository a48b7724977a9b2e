/* ctx-import --append and --sync: stores records. */
#include "base/time.h"
#include "import.h"

#define REFUSED_NAMED 10 /* number of refused records that are reported one by one */

int
open_import_store(struct importing *imp, struct ctx_err *err)
{
	struct ctx_append_options o = {.create = true,
	    .ttl_ms = CTX_TIME_NONE,
	    .ttl_default = true,
	    .if_seq = -1,
	    .now = cli_now(),
	    .silent = true};

	if (cli_check_tenant(err) < 0 || cli_tokenizer_open(&imp->tokenizer, err) < 0)
		return -1;
	ctx_append_init(&imp->appender, &o, imp->tokenizer);
	return cli_store_open(&imp->store, CLI_CREATE | CLI_BULK, err);
}

static int
refuse_import_record(
    void *arg, const struct ctx_pending *p CTX_UNUSED, struct ctx_err *err)
{
	struct importing *imp = arg;

	if (imp->refused++ < REFUSED_NAMED)
		cli_error(err);
	*err = (struct ctx_err)CTX_ERR_INIT;
	return 0;
}

int
flush_import_store(struct importing *imp, struct ctx_err *err)
{
	int rc;

	if (imp->appender.n == 0)
		return 0;
	rc = ctx_store_begin(imp->store, err);
	if (rc == 0)
		rc = ctx_append_apply(&imp->appender, imp->store, &cli_out.buf,
		    refuse_import_record, imp, err);
	if (rc == 0)
		rc = ctx_append_finish(&imp->appender, imp->store, err);
	rc = ctx_store_end(imp->store, rc, err);
	return rc < 0 ? -1 : 0;
}

int
store_import_record(struct importing *imp, struct ctx_span record, struct ctx_err *err)
{
	if (ctx_append_add(&imp->appender, record, NULL, ++imp->taken, err) < 0) {
		if (err->code != CTX_EINPUT)
			return -1;
		return refuse_import_record(imp, NULL, err);
	}
	return ctx_append_full(&imp->appender) ? flush_import_store(imp, err) : 0;
}

void
read_import_sums(const struct importing *imp, struct import_sums *out)
{
	*out = (struct import_sums){
	    imp->appender.added, imp->appender.repeated, imp->refused};
}

void
close_import_store(struct importing *imp)
{
	ctx_append_release(&imp->appender);
	ctx_tokenizer_close(imp->tokenizer);
	ctx_store_close(imp->store);
}
