/* ctx-append: one message from the command line or from raw input. */
#include "append.h"

#include <string.h>
#include <unistd.h>

#include "base/io.h"
#include "base/utf8.h"
#include "json/json.h"

int
check_metadata(struct ctx_err *err)
{
	struct ctx_span v;

	if (ctx_json_check(ctx_span_of(opt.metadata), &v, NULL, err) < 0 ||
	    (ctx_json_type(v) != CTX_JSON_OBJECT &&
		ctx_err_set(err, CTX_EINPUT, "not a JSON object") < 0)) {
		err->code = CTX_EUSAGE;
		return ctx_err_prefix(err, "--metadata");
	}
	return 0;
}

int
append_text(struct ctx_err *err)
{
	struct ctx_buf text = CTX_BUF_INIT, line = CTX_BUF_INIT;
	struct ctx_span record;
	int rc = -1;

	if (opt.text != NULL)
		ctx_buf_adds(&text, opt.text);
	else if (ctx_io_read_fd(
		     STDIN_FILENO, &text, (size_t)opt.max_record, "stdin", err) < 0)
		goto done;
	if (opt.text == NULL && text.n > 0 && text.p[text.n - 1] == '\n')
		text.p[--text.n] = '\0';
	if (ctx_utf8_valid(text.p, text.n) != text.n ||
	    memchr(text.p, 0, text.n) != NULL) {
		ctx_err_set(err, CTX_EINPUT, "%s: not UTF-8 text (byte %zu)",
		    opt.text != NULL ? "--text" : "stdin",
		    ctx_utf8_valid(text.p, text.n) + 1);
		goto done;
	}
	ctx_json_put_open(&line, '{');
	ctx_json_add_str(&line, "kind", "message");
	ctx_json_add_str(&line, "id", opt.id);
	ctx_json_add_str(&line, "message_type", opt.type);
	ctx_json_add_raw(&line, "metadata", ctx_span_of(opt.metadata));
	ctx_json_put_key(&line, "message");
	ctx_json_put_open(&line, '{');
	ctx_json_add_str(&line, "role", opt.role);
	ctx_json_add_string(&line, "content", ctx_buf_span(&text));
	ctx_json_put_close(&line, '}');
	ctx_json_put_close(&line, '}');
	record = ctx_buf_span(&line);
	rc = cli_redact_json(&record, err);
	if (rc == 0)
		rc = ctx_ingest_add(&ingest, record, NULL, 0, err);
	if (rc < 0 && line.n <= (size_t)opt.max_record) /* so an option is not fine */
		err->code = CTX_EUSAGE;
	if (rc == 0)
		rc = commit_batch(err);
done:
	ctx_buf_release(&text);
	ctx_buf_release(&line);
	return rc < 0 ? -1 : 0;
}
