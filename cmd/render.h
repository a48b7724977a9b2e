/* Private to ctx-render: its state, and the functions that its files share. */
#ifndef CTX_CMD_RENDER_H
#define CTX_CMD_RENDER_H

#include "cli.h"

#include "render/form.h"
#include "render/render.h"
#include "render_run.h"
#include "select/account.h"

/* The options on the command line. */
struct render_settings {
	const char *params, *request, *thinking, *cache, *headers, *server;
	int64_t warn;
	bool fix, refused;
	bool batch;
	/* with --batch: the request records, which are written to the file of --request
	 * at the end */
	struct ctx_buf records;
	/* true: the request record was written; without --batch, the file of --request
	 * can hold only one request record */
	bool written;
};

/* The state for rendering one request. */
struct render {
	struct ctx_render_item *items;
	struct ctx_sent *sent;
	size_t n;
	struct ctx_render_options how;
	/* the text format to print; NULL: print a provider's body */
	const struct ctx_render_form *form;
	struct ctx_tokenizer *tokenizer;
	/* true: the request was sent before, and its body is printed again */
	bool replay;
	int64_t tokens;
	struct render_run run;
	struct ctx_request request;
	bool has_request;
	struct ctx_buf body;
	struct ctx_buf fixed; /* the parameters as changed by --fix */
	/* text of a summary that a provider made, for output in a text format */
	struct ctx_buf told;
	struct ctx_render_report report;
};

/* Writes the record of this request to the file of --request, replacing the file's
 * contents (render_record.c). With --batch, adds the record to opt->records instead.
 * Fails with CTX_EINPUT if the input had no request record or, without --batch, if this
 * run has already written a record. */
int render_record_write(
    struct render *r, struct render_settings *opt, struct ctx_err *err);

/* With --batch, turns r->body into a line of a batch file (render_batch.c). Fails with
 * CTX_EINPUT if the input had no request record, and with CTX_EANSWER if the parameters
 * are not allowed in a batch. */
int render_batch_wrap(struct render *r, struct ctx_err *err);
/* Writes the request records of the batch to the file of --request, replacing the file's
 * contents. */
int render_batch_finish(const struct render_settings *opt, struct ctx_err *err);

#endif
