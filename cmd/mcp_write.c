/* ctx-mcp: the tools "append" and "note". */
#include "mcp.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/id.h"
#include "base/mem.h"
#include "base/time.h"
#include "append/append.h"
#include "json/json.h"

/* The state of a call that stores messages. */
struct storing {
	struct mcp_server *sv;
	struct ctx_appender appender;
	struct ctx_buf line, out;
	struct ctx_err refused;
	int64_t first, last; /* sequence numbers */
};

static int
refuse_stored(void *arg, const struct ctx_pending *p CTX_UNUSED, struct ctx_err *err)
{
	struct storing *w = arg;

	w->refused = *err;
	return -1;
}

/* Queues the record in w->line, without its secrets if --redact was given. */
static int
queue_record(struct storing *w, struct ctx_err *err)
{
	struct ctx_span line = ctx_buf_span(&w->line);
	int rc = cli_redact_json(&line, err);

	if (rc == 0)
		rc = ctx_append_add(&w->appender, line, NULL, 0, err);
	ctx_buf_reset(&w->line);
	return rc;
}

/* Queues a session record. A session that is created gets the user and project to which
 * this server is limited, so that its client can see it. */
static int
queue_session(struct storing *w, const char *sid, const char *title, struct ctx_err *err)
{
	ctx_json_print(&w->line,
	    "{'kind':'session','session_id':%s,'title':%s,'user_id':%s", sid, title,
	    w->sv->user);
	if (w->sv->project != NULL)
		ctx_json_print(&w->line, "'metadata':{'cwd':%s}", w->sv->project);
	ctx_json_put_close(&w->line, '}');
	return queue_record(w, err);
}

static int
queue_message(struct storing *w, const char *sid, const char *type, struct ctx_span role,
    struct ctx_span content, struct ctx_err *err)
{
	ctx_json_print(&w->line,
	    "{'kind':'message','session_id':%s,'message_type':%s,'message':{'role':%j,'content':%j}}",
	    sid, type, role, content);
	return queue_record(w, err);
}

static void
read_stored_numbers(struct storing *w)
{
	struct ctx_span rest = ctx_buf_span(&w->out), record;
	int64_t seq;

	while (rest.n > 0 && ctx_json_check_next(rest, &record, &rest, NULL) == 0 &&
	       record.p != NULL)
		if (ctx_json_int(ctx_json_get(record, "seq"), &seq)) {
			if (w->first == 0)
				w->first = seq;
			w->last = seq;
		}
}

static int
store_queued(struct storing *w, struct ctx_err *err)
{
	struct ctx_store *st = w->sv->store;
	int rc;

	if (ctx_store_begin(st, err) < 0)
		return -1;
	rc = ctx_append_apply(&w->appender, st, &w->out, refuse_stored, w, err);
	if (rc == 1) {
		*err = w->refused;
		rc = -1;
	}
	if (rc == 0)
		rc = ctx_append_finish(&w->appender, st, err);
	rc = ctx_store_end(st, rc, err);
	if (rc == 0)
		read_stored_numbers(w);
	return rc;
}

static int
open_storing(struct storing *w, struct mcp_server *sv, struct ctx_tokenizer **tokenizer,
    struct ctx_err *err)
{
	struct ctx_append_options o = {.create = true,
	    .ttl_ms = CTX_TIME_NONE,
	    .if_seq = -1,
	    .now = cli_now(),
	    .max_bytes = CTX_READER_MAX};

	memset(w, 0, sizeof(*w));
	w->sv = sv;
	if (cli_tokenizer_open(tokenizer, err) < 0)
		return -1;
	ctx_append_init(&w->appender, &o, *tokenizer);
	return 0;
}

static void
close_storing(struct storing *w, struct ctx_tokenizer *tokenizer)
{
	ctx_append_release(&w->appender);
	ctx_buf_release(&w->line);
	ctx_buf_release(&w->out);
	ctx_tokenizer_close(tokenizer);
}

/* Finds an existing session that the client may see, and restores it if it is
 * archived. */
static int
resume_session(struct mcp_server *sv, const char *sid, struct ctx_err *err)
{
	struct ctx_session s = CTX_SESSION_INIT;
	int rc = mcp_find_session(sv, sid, &s, err);

	ctx_session_release(&s);
	return rc == 0 ? cli_archived_resume(sv->store, sid, err) : rc;
}

int
mcp_append(struct mcp_server *sv, const struct ctx_mcp_call *call, struct ctx_buf *value,
    struct ctx_err *err)
{
	struct ctx_tokenizer *tokenizer = NULL;
	struct ctx_span messages = ctx_json_get(call->arguments, "messages");
	struct storing w;
	char *sid = mcp_text_argument(call, "session_id");
	char *title = mcp_text_argument(call, "title");
	char id[CTX_ID_UUID + 1];
	int rc = open_storing(&w, sv, &tokenizer, err);

	if (rc == 0 && ctx_json_first(messages).p == NULL)
		rc = ctx_err_set(err, CTX_EINPUT, "messages must not be empty");
	if (rc == 0 && sid != NULL && title != NULL)
		rc = ctx_err_set(
		    err, CTX_EUSAGE, "title can only be given for a new session");
	if (rc == 0 && sid != NULL) {
		rc = resume_session(sv, sid, err);
	} else if (rc == 0 && (rc = ctx_id_new(cli_now(), id, err)) == 0) {
		sid = ctx_mem_str(id);
		rc = queue_session(&w, sid, title, err);
	}
	CTX_JSON_EACH_WHILE(rc == 0, it, messages)
		rc = queue_message(&w, sid, NULL, ctx_json_get(it.value, "role"),
		    ctx_json_get(it.value, "content"), err);
	if (rc == 0)
		rc = store_queued(&w, err);
	if (rc == 0)
		ctx_json_print(value, "{'session_id':%s,'first_seq':%d,'last_seq':%d}",
		    sid, w.first, w.last);
	close_storing(&w, tokenizer);
	free(sid);
	free(title);
	return rc;
}

/* Returns the id of the session for notes of this user and project. */
static char *
name_notes(const struct mcp_server *sv)
{
	struct ctx_buf of = CTX_BUF_INIT, id = CTX_BUF_INIT;
	char digest[CTX_HASH_HEX + 1];

	ctx_buf_adds(&id, "notes");
	if (sv->user != NULL || sv->project != NULL) {
		ctx_buf_addf(&of, "%s\n%s", sv->user == NULL ? "" : sv->user,
		    sv->project == NULL ? "" : sv->project);
		ctx_hash_sha256(of.p, of.n, digest);
		ctx_buf_addf(&id, "-%.16s", digest);
	}
	ctx_buf_release(&of);
	return ctx_buf_detach(&id);
}

int
mcp_note(struct mcp_server *sv, const struct ctx_mcp_call *call, struct ctx_buf *value,
    struct ctx_err *err)
{
	struct ctx_tokenizer *tokenizer = NULL;
	struct storing w;
	char *sid = mcp_text_argument(call, "session_id");
	int rc = open_storing(&w, sv, &tokenizer, err);

	if (rc == 0 && sid != NULL) {
		rc = resume_session(sv, sid, err);
	} else if (rc == 0) {
		sid = name_notes(sv);
		rc = cli_archived_resume(sv->store, sid, err);
		if (rc == 0)
			rc = queue_session(&w, sid, "Notes", err);
	}
	if (rc == 0)
		rc = queue_message(&w, sid, "note", ctx_span_of("\"assistant\""),
		    ctx_json_get(call->arguments, "text"), err);
	if (rc == 0)
		rc = store_queued(&w, err);
	if (rc == 0)
		ctx_json_print(value, "{'session_id':%s,'seq':%d}", sid, w.last);
	close_storing(&w, tokenizer);
	free(sid);
	return rc;
}
