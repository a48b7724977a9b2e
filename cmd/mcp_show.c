/* ctx-mcp: the tool "show", and sessions as resources. */
#include "mcp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "json/json.h"
#include "record/message.h"
#include "render/transcript.h"
#include "store/export.h"
#include "store/purge.h"

#define SHOWN_TEXT_MAX ((size_t)8 << 10) /* maximum length in bytes of one message */
#define SHOWN_MAX ((size_t)256 << 10)    /* maximum length in bytes of one answer */
/* maximum length in bytes of a call's arguments */
#define ARGUMENTS_MAX ((size_t)1 << 10)
/* maximum length in bytes of a session's records */
#define RESOURCE_MAX ((size_t)16 << 20)
#define RESOURCES_PAGE 100

/* ---- show ---- */

/* Cuts the text to max bytes, between characters, and appends an ellipsis. Returns false
 * if the text was short enough. */
static bool
cut_text(struct ctx_buf *text, size_t max)
{
	if (text->n <= max)
		return false;
	text->n = ctx_utf8_valid(text->p, max);
	ctx_buf_adds(text, "…");
	return true;
}

static void
add_shown_part(struct ctx_buf *text, const struct ctx_part *p)
{
	struct ctx_buf body = CTX_BUF_INIT;

	if (p->type == CTX_PART_THINKING)
		return;
	if (text->n > 0)
		ctx_buf_addc(text, '\n');
	if (p->type == CTX_PART_TEXT) {
		ctx_json_decode(p->body, text);
	} else if (p->type == CTX_PART_TOOL_RESULT) {
		ctx_content_text(p->body, text);
	} else if (p->type == CTX_PART_TOOL_CALL) {
		ctx_buf_adds(text, "[call ");
		if (ctx_json_type(p->name) == CTX_JSON_STRING)
			ctx_json_decode(p->name, text);
		if (ctx_json_type(p->body) == CTX_JSON_STRING)
			ctx_json_decode(p->body, &body);
		else
			ctx_buf_addspan(&body, p->body);
		cut_text(&body, ARGUMENTS_MAX);
		ctx_buf_addf(text, "%s", body.n > 0 ? " " : "");
		ctx_buf_addspan(text, ctx_buf_span(&body));
		ctx_buf_addc(text, ']');
	} else {
		ctx_buf_adds(text, p->type == CTX_PART_IMAGE ? "[image]" : "[other]");
	}
	ctx_buf_release(&body);
}

static void
put_shown_message(struct ctx_buf *out, const struct ctx_stored *m)
{
	struct ctx_message parsed = CTX_MESSAGE_INIT;
	struct ctx_buf text = CTX_BUF_INIT;
	enum ctx_role role = (enum ctx_role)m->role;
	bool cut;

	if (ctx_message_parse(&parsed, m->message, NULL) == 0) {
		role = ctx_message_shown_role(&parsed);
		for (size_t i = 0; i < parsed.n; i++)
			add_shown_part(&text, &parsed.parts[i]);
	}
	cut = cut_text(&text, SHOWN_TEXT_MAX);
	ctx_json_print(out, "{'seq':%d,'role':%s,'created_at':%m,'text':%t", m->seq,
	    ctx_role_name(role), m->created_at, ctx_buf_span(&text));
	ctx_json_print(out, cut ? "'cut':true}" : "}");
	ctx_buf_release(&text);
	ctx_message_release(&parsed);
}

static int
put_shown_messages(struct ctx_store *st, const struct ctx_session *s, int64_t first,
    int64_t limit, struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_cursor *c = ctx_cursor_open(st, s, first, s->last_seq, false, err);
	struct ctx_stored m;
	int64_t next = first;
	size_t before = out->n;
	int rc;

	ctx_json_add_open(out, "messages", '[');
	while (limit-- > 0 && out->n - before < SHOWN_MAX &&
	       (rc = ctx_cursor_next(c, &m, err)) == 1) {
		put_shown_message(out, &m);
		next = m.seq + 1;
	}
	ctx_json_put_close(out, ']');
	if (next <= s->last_seq)
		ctx_json_add_int(out, "next_from", next);
	ctx_cursor_close(c);
	return err->code != CTX_OK ? -1 : 0;
}

int
mcp_show(struct mcp_server *sv, const struct ctx_mcp_call *call, struct ctx_buf *value,
    struct ctx_err *err)
{
	struct ctx_store *archived = NULL;
	struct ctx_session s = CTX_SESSION_INIT;
	char *sid = mcp_text_argument(call, "session_id");
	int64_t limit = mcp_int_argument(call, "limit", 20), first;
	int rc = mcp_find_session(sv, sid, &s, err);

	ctx_json_print(value, "{'session':{");
	mcp_put_session(value, &s);
	ctx_json_put_close(value, '}');
	if (rc == 0)
		rc = cli_archived_open(&archived, &s, err);
	first = s.last_seq > limit ? s.last_seq - limit + 1 : 1;
	if (rc == 0)
		rc = put_shown_messages(archived != NULL ? archived : sv->store, &s,
		    mcp_int_argument(call, "from", first), limit, value, err);
	ctx_json_put_close(value, '}');
	ctx_store_close(archived);
	ctx_session_release(&s);
	free(sid);
	return rc;
}

/* ---- resources ---- */

static const char uri_start[] = "ctx://session/";

/* Appends the URI of a session: the id, in which all characters are escaped that are not
 * unreserved (RFC 3986, section 2.3). */
static void
put_session_uri(struct ctx_buf *uri, const char *session_id)
{
	static const char plain[] =
	    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

	ctx_buf_adds(uri, uri_start);
	for (const char *p = session_id; *p != '\0'; p++)
		if (strchr(plain, *p) != NULL)
			ctx_buf_addc(uri, *p);
		else
			ctx_buf_addf(uri, "%%%02X", (unsigned char)*p);
}

/* Returns the id in the URI of a session as a heap string; NULL if it is not such a
 * URI. */
static char *
parse_session_uri(const char *uri)
{
	static const char digits[] = "0123456789abcdef";
	struct ctx_buf id = CTX_BUF_INIT;
	const char *p;

	if (uri == NULL || strncmp(uri, uri_start, strlen(uri_start)) != 0)
		return NULL;
	for (p = uri + strlen(uri_start); *p != '\0'; p++) {
		const char *high, *low;
		if (*p != '%') {
			ctx_buf_addc(&id, *p);
			continue;
		}
		high = p[1] == '\0' ? NULL : strchr(digits, p[1] | 0x20);
		low = high == NULL || p[2] == '\0' ? NULL : strchr(digits, p[2] | 0x20);
		if (low == NULL || (high == digits && low == digits)) {
			ctx_buf_release(&id);
			return NULL;
		}
		ctx_buf_addc(&id, (char)((high - digits) << 4 | (low - digits)));
		p += 2;
	}
	return ctx_buf_detach(&id);
}

struct resource_page {
	struct ctx_buf *out;
	int64_t n, last;
	bool more;
};

static int
put_resource(void *arg, struct ctx_session *s, struct ctx_err *err)
{
	struct resource_page *page = arg;
	struct ctx_buf about = CTX_BUF_INIT, uri = CTX_BUF_INIT;

	if (page->n == RESOURCES_PAGE) {
		page->more = true;
		return ctx_err_set(err, CTX_EMOVED, "the page is full");
	}
	page->n++;
	page->last = s->no;
	put_session_uri(&uri, s->session_id);
	ctx_buf_addf(&about, "%lld messages", (long long)s->message_count);
	if (s->agent != NULL)
		ctx_buf_addf(&about, ", agent %s", s->agent);
	ctx_json_print(page->out,
	    "{'uri':%s,'name':%s,'title':%s,'description':%s,'mimeType':'text/markdown'}",
	    uri.p, s->session_id, s->title, about.p);
	ctx_buf_release(&about);
	ctx_buf_release(&uri);
	return 0;
}

/* Parses a cursor, which is the number of the last session on the previous page. */
static int
parse_cursor(struct ctx_span cursor, int64_t *after, struct ctx_err *err)
{
	char *text = ctx_json_strdup(cursor), *end;
	int rc = 0;

	*after = 0;
	if (cursor.p != NULL) {
		*after = text == NULL ? -1 : strtoll(text, &end, 16);
		if (*after <= 0 || *end != '\0')
			rc = ctx_err_set(err, CTX_EINPUT, "invalid cursor");
	}
	free(text);
	return rc;
}

int
mcp_list_resources(struct mcp_server *sv, const struct ctx_mcp_call *call,
    struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_session_filter f = CTX_SESSION_FILTER_INIT;
	struct resource_page page = {.out = out};
	char cursor[20];
	int rc = parse_cursor(call->cursor, &f.after_no, err);

	ctx_json_add_open(out, "resources", '[');
	if (rc == 0)
		rc = mcp_each_session(sv, &f, NULL, put_resource, &page, err);
	ctx_json_put_close(out, ']');
	if (page.more) {
		snprintf(cursor, sizeof(cursor), "%llx", (unsigned long long)page.last);
		ctx_json_add_str(out, "nextCursor", cursor);
		err->code = CTX_OK;
		rc = 0;
	}
	return rc;
}

struct reading {
	struct ctx_transcript transcript;
	size_t bytes;
};

static int
add_resource_record(
    void *arg, enum ctx_kind kind, struct ctx_span line, struct ctx_err *err)
{
	struct reading *r = arg;

	r->bytes += line.n;
	if (r->bytes > RESOURCE_MAX)
		return ctx_err_set(err, CTX_EIO,
		    "the session is too large for a resource: read it with the show tool");
	line = ctx_span_trim(line);
	if (cli_redact_json(&line, err) < 0)
		return -1;
	return ctx_transcript_add(&r->transcript, kind, line, err);
}

static int
read_session_text(struct mcp_server *sv, struct ctx_session *s, struct ctx_buf *text,
    struct ctx_err *err)
{
	struct ctx_store *archived = NULL;
	struct reading r;
	int rc = cli_archived_open(&archived, s, err);

	memset(&r, 0, sizeof(r));
	if (rc == 0)
		rc = ctx_store_export(archived != NULL ? archived : sv->store, s,
		    CTX_EXPORT_ALL, add_resource_record, &r, err);
	if (rc == 0)
		rc = ctx_transcript_print(
		    &r.transcript, CTX_TRANSCRIPT_MARKDOWN, text, err);
	ctx_transcript_release(&r.transcript);
	ctx_store_close(archived);
	return rc;
}

int
mcp_read_resource(struct mcp_server *sv, const struct ctx_mcp_call *call,
    struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_buf text = CTX_BUF_INIT;
	struct ctx_session s = CTX_SESSION_INIT;
	char *uri = ctx_json_strdup(call->uri), *sid = parse_session_uri(uri);
	int rc = sid == NULL ? ctx_err_set(err, CTX_EANSWER, "no resource '%s'",
				   uri == NULL ? "" : uri)
			     : mcp_find_session(sv, sid, &s, err);

	if (rc == 0 && (rc = read_session_text(sv, &s, &text, err)) == 0)
		ctx_json_print(out,
		    "'contents':[{'uri':%j,'mimeType':'text/markdown','text':%t}]",
		    call->uri, ctx_buf_span(&text));
	ctx_session_release(&s);
	ctx_buf_release(&text);
	free(uri);
	free(sid);
	return rc;
}
