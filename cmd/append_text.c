/* ctx-append: stores messages from the command line, or one message of raw input. */
#include "append.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/io.h"
#include "base/utf8.h"
#include "json/json.h"
#include "record/attach.h"

int
check_metadata(struct appending *app, struct ctx_err *err)
{
	struct ctx_span v;

	if (ctx_json_check(ctx_span_of(app->opt.metadata), &v, NULL, err) < 0 ||
	    (ctx_json_type(v) != CTX_JSON_OBJECT &&
		ctx_err_set(err, CTX_EINPUT, "not a JSON object") < 0)) {
		err->code = CTX_EUSAGE;
		return ctx_err_prefix(err, "--metadata");
	}
	return 0;
}

int
check_text(struct appending *app, struct ctx_err *err)
{
	bool tool = strcmp(app->opt.role, "tool") == 0;

	if (app->opt.text.n > 1 && (app->opt.id != NULL || app->opt.call != NULL))
		return ctx_err_set(err, CTX_EUSAGE, "%s can only be used with one --text",
		    app->opt.id != NULL ? "--id" : "--call-id");
	if (tool && app->opt.call == NULL)
		return ctx_err_set(err, CTX_EUSAGE,
		    "--role tool needs --call-id ID, the id of the call to which the result belongs");
	if (!tool && app->opt.call != NULL)
		return ctx_err_set(err, CTX_EUSAGE, "--call-id needs --role tool");
	if (tool && (*app->opt.call == '\0' ||
			ctx_utf8_valid(app->opt.call, strlen(app->opt.call)) !=
			    strlen(app->opt.call)))
		return ctx_err_set(err, CTX_EUSAGE, "--call-id: the id is %s",
		    *app->opt.call == '\0' ? "empty" : "not valid UTF-8");
	return 0;
}

/* Appends the text of a failed call's result, prefixed with "Error: " unless it begins
 * with "error", for formats without a member for failures. */
static void
put_failure(struct ctx_buf *told, struct ctx_span text)
{
	if (text.n < 5 || strncasecmp(text.p, "error", 5) != 0)
		ctx_buf_adds(told, "Error: ");
	ctx_buf_addspan(told, text);
}

/* Writes the result of a call, in the format of the call's message. */
static void
put_text_tool_result(struct appending *app, struct ctx_buf *line, struct ctx_span text,
    const struct ctx_call *call)
{
	struct ctx_buf told = CTX_BUF_INIT;

	if (!call->openai) {
		ctx_json_print(line,
		    "{'role':'user','content':[{'type':'tool_result','tool_use_id':%j,'content':%t",
		    call->id, text);
		ctx_json_print(line, app->opt.error ? "'is_error':true}]}" : "}]}");
		return;
	}
	if (app->opt.error)
		put_failure(&told, text);
	else
		ctx_buf_addspan(&told, text);
	ctx_json_print(line, "{'role':'tool','tool_call_id':%j,'content':%t}", call->id,
	    ctx_buf_span(&told));
	ctx_buf_release(&told);
}

struct text_message {
	const char *role, *id, *metadata;
	const char *from; /* names the text's origin in error messages */
	struct ctx_span text;
	const struct ctx_call *call; /* the call whose result the text is; may be NULL */
	struct ctx_span attached;    /* blocks to put before the text; may be absent */
};

/* Writes the text as a string or, after attached blocks, as a block. */
static void
put_text_content(struct ctx_buf *line, const struct text_message *m)
{
	if (m->attached.n == 0) {
		ctx_json_add_string(line, "content", m->text);
		return;
	}
	ctx_json_add_open(line, "content", '[');
	ctx_buf_addspan(line, m->attached);
	if (m->text.n > 0)
		ctx_json_print(line, "{'type':'text','text':%t}", m->text);
	ctx_json_put_close(line, ']');
}

static void
print_text_message_record(
    struct appending *app, struct ctx_buf *line, const struct text_message *m)
{
	ctx_json_print(line, "{'kind':'message','id':%s,'message_type':%s,'metadata':%j",
	    m->id, app->opt.type == NULL && app->opt.error ? "error" : app->opt.type,
	    ctx_span_of(m->metadata));
	ctx_json_put_key(line, "message");
	if (m->call != NULL) {
		put_text_tool_result(app, line, m->text, m->call);
	} else {
		ctx_json_print(
		    line, "{'role':%s,'tool_call_id':%s", m->role, app->opt.call);
		put_text_content(line, m);
		ctx_json_put_close(line, '}');
	}
	ctx_json_put_close(line, '}');
}

static int
append_text_message(
    struct appending *app, const struct text_message *m, struct ctx_err *err)
{
	struct ctx_span text = m->text;
	struct ctx_buf line = CTX_BUF_INIT;
	struct ctx_span record;
	int rc;

	if (ctx_utf8_valid(text.p, text.n) != text.n || memchr(text.p, 0, text.n) != NULL)
		return ctx_err_set(err, CTX_EINPUT, "%s: not valid UTF-8 (byte %zu)",
		    m->from, ctx_utf8_valid(text.p, text.n) + 1);
	print_text_message_record(app, &line, m);
	record = ctx_buf_span(&line);
	rc = cli_redact_json(&record, err);
	if (rc == 0)
		rc = ctx_append_add(&app->appender, record, NULL, 0, err);
	/* the option's value is then too long */
	if (rc < 0 && line.n <= (size_t)app->opt.max_record)
		err->code = CTX_EUSAGE;
	ctx_buf_release(&line);
	return rc;
}

/* Reads the files of --attach and appends their blocks. */
static int
read_attached(const struct appending *app, struct ctx_buf *blocks, struct ctx_err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < app->opt.attach.n; i++) {
		const char *path = app->opt.attach.v[i], *slash = strrchr(path, '/');
		struct ctx_buf bytes = CTX_BUF_INIT;
		rc = ctx_io_read_file(path, &bytes, (size_t)app->opt.max_record, err);
		if (rc == 0)
			rc = ctx_attach_add(blocks, ctx_buf_span(&bytes),
			    slash != NULL ? slash + 1 : path, err);
		ctx_buf_release(&bytes);
	}
	return rc;
}

int
append_add_text(struct appending *app, struct ctx_span text, const char *from,
    const struct ctx_call *call, struct ctx_err *err)
{
	struct ctx_buf blocks = CTX_BUF_INIT;
	struct text_message m = {
	    app->opt.role, app->opt.id, app->opt.metadata, from, text, call, {NULL, 0}};
	int rc = call == NULL ? read_attached(app, &blocks, err) : 0;

	m.attached = ctx_buf_span(&blocks);
	if (rc == 0)
		rc = append_text_message(app, &m, err);
	ctx_buf_release(&blocks);
	return rc;
}

int
append_question(struct appending *app, const char *request_id, struct ctx_err *err)
{
	struct ctx_buf id = CTX_BUF_INIT;
	int rc;

	if (request_id != NULL)
		ctx_buf_addf(&id, "%s/question", request_id);
	rc = append_text_message(app,
	    &(struct text_message){"user", id.n > 0 ? id.p : NULL, NULL, "--question",
		ctx_span_of(app->opt.question), NULL, {NULL, 0}},
	    err);
	ctx_buf_release(&id);
	return rc;
}

int
append_read_text(struct appending *app, struct ctx_buf *text, struct ctx_err *err)
{
	const char *from = app->opt.text.n > 0     ? "--text"
			   : app->opt.file != NULL ? app->opt.file
						   : "stdin";
	size_t valid;

	if (app->opt.text.n > 0)
		ctx_buf_adds(text, app->opt.text.v[0]);
	else if ((app->opt.file != NULL
			 ? ctx_io_read_file(
			       app->opt.file, text, (size_t)app->opt.max_record, err)
			 : ctx_io_read_fd(STDIN_FILENO, text, (size_t)app->opt.max_record,
			       from, err)) < 0)
		return -1;
	if (app->opt.text.n == 0 && text->n > 0 && text->p[text->n - 1] == '\n')
		text->p[--text->n] = '\0';
	valid = text->n == 0 ? 0 : ctx_utf8_valid(text->p, text->n);
	if (valid != text->n || (text->n > 0 && memchr(text->p, 0, text->n) != NULL))
		return ctx_err_set(
		    err, CTX_EINPUT, "%s: not valid UTF-8 (byte %zu)", from, valid + 1);
	return 0;
}

static int
add_raw(struct appending *app, struct ctx_err *err)
{
	struct ctx_buf text = CTX_BUF_INIT;
	int rc = append_read_text(app, &text, err);

	if (rc == 0)
		rc = append_add_text(app, ctx_buf_span(&text), "stdin", NULL, err);
	ctx_buf_release(&text);
	return rc;
}

static int
append_messages(struct appending *app, struct ctx_err *err)
{
	int rc = app->opt.raw ? add_raw(app, err) : 0;

	for (size_t i = 0; rc == 0 && i < app->opt.text.n; i++)
		rc = append_add_text(
		    app, ctx_span_of(app->opt.text.v[i]), "--text", NULL, err);
	if (rc == 0)
		rc = commit_batch(app, err);
	return rc < 0 ? -1 : 0;
}

/* Stores question and answer together: both or neither. */
static int
append_pair(struct appending *app, struct ctx_err *err)
{
	const char *from = app->opt.raw ? "stdin" : "--text";
	struct ctx_buf text = CTX_BUF_INIT;
	int rc = append_read_text(app, &text, err);

	if (rc == 0 && ctx_span_trim(ctx_buf_span(&text)).n == 0)
		rc = ctx_err_set(
		    err, CTX_EIO, "%s: the answer is empty: nothing was stored", from);
	if (rc == 0)
		rc = append_question(app, NULL, err);
	if (rc == 0)
		rc = append_text_message(app,
		    &(struct text_message){"assistant", NULL, app->opt.metadata, from,
			ctx_buf_span(&text), NULL, {NULL, 0}},
		    err);
	if (rc == 0)
		rc = commit_batch(app, err);
	ctx_buf_release(&text);
	return rc < 0 ? -1 : 0;
}

int
append_text(struct appending *app, struct ctx_err *err)
{
	if (app->opt.question != NULL)
		return append_pair(app, err);
	return append_messages(app, err);
}
