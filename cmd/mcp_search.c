/* ctx-mcp: the tools "search" and "recall". */
#include "mcp.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/time.h"
#include "cli_search.h"
#include "json/json.h"
#include "recall/recall.h"
#include "record/message.h"
#include "store/purge.h"
#include "words/words.h"

#define SNIPPET_MAX 300 /* bytes */

/* ---- search ---- */

static int
put_match(struct mcp_server *sv, const struct ctx_session *s,
    const struct ctx_fulltext_hit *hit, struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_buf text = CTX_BUF_INIT, snippet = CTX_BUF_INIT;
	char *project = mcp_session_project(s);
	int64_t created_at = CTX_TIME_NONE;
	int role = -1, rc;

	rc = cli_search_text(sv->store, s, hit->seq, &text, &role, &created_at, err);
	if (rc == 1) {
		if (text.n > 0)
			ctx_words_snippet(ctx_buf_span(&text),
			    ctx_buf_span(&cli_search.typed), SNIPPET_MAX, &snippet);
		ctx_json_print(out,
		    "{'session_id':%s,'title':%s,'project':%s,'seq':%d,'role':%s,'created_at':%m",
		    s->session_id, s->title, project, hit->seq,
		    role >= 0 ? ctx_role_name((enum ctx_role)role) : NULL, created_at);
		ctx_json_add_double(out, "score", hit->score, 4);
		ctx_json_print(out, "'snippet':%t}", ctx_buf_span(&snippet));
	}
	free(project);
	ctx_buf_release(&text);
	ctx_buf_release(&snippet);
	return rc < 0 ? -1 : 0;
}

/* Sets the search options from the arguments. The strings are freed when the process
 * ends. */
static int
take_search_arguments(
    struct mcp_server *sv, const struct ctx_mcp_call *call, struct ctx_err *err)
{
	char *query = mcp_text_argument(call, "query");
	char *role = mcp_text_argument(call, "role");

	cli_search_init();
	cli_search.since = mcp_text_argument(call, "since");
	cli_search.until = mcp_text_argument(call, "until");
	cli_search.any = ctx_json_true(ctx_json_get(call->arguments, "any"));
	cli_search.max = mcp_int_argument(call, "limit", 10);
	cli_search.s.user_id = sv->user;
	if (role != NULL)
		cli_list_add(&cli_search.role, role);
	return cli_search_check(1, &query, err);
}

int
mcp_search(struct mcp_server *sv, const struct ctx_mcp_call *call, struct ctx_buf *value,
    struct ctx_err *err)
{
	struct ctx_fulltext_hit *hits = NULL;
	struct ctx_session s;
	int64_t *nos = NULL;
	size_t n = 0;
	int rc = take_search_arguments(sv, call, err);

	if (rc == 0)
		rc = mcp_call_sessions(sv, call, &nos, &cli_search.s.n_sessions, err);
	cli_search.s.sessions = nos;
	if (rc == 0)
		rc = cli_search_find(sv->store, &hits, &n, err);
	ctx_session_init(&s);
	ctx_json_print(value, "{'matches':[");
	for (size_t i = 0; rc >= 0 && i < n; i++) {
		rc = 1;
		if (s.no != hits[i].session_no) {
			ctx_session_release(&s);
			rc = ctx_store_session_numbered(
			    sv->store, hits[i].session_no, &s, err);
		}
		if (rc == 1)
			rc = put_match(sv, &s, &hits[i], value, err);
	}
	ctx_buf_adds(value, "]}");
	ctx_session_release(&s);
	free(hits);
	free(nos);
	return rc < 0 ? -1 : 0;
}

/* ---- recall ---- */

#define TITLE_MAX 80 /* bytes of a title in a heading */

static void
put_heading(struct ctx_buf *out, const struct ctx_session *s)
{
	struct ctx_buf title = CTX_BUF_INIT;

	ctx_buf_addf(out, "## session %s", s->session_id);
	if (s->title != NULL)
		ctx_words_snippet(
		    ctx_span_of(s->title), ctx_span_of(""), TITLE_MAX, &title);
	if (title.n > 0) {
		ctx_buf_adds(out, ": ");
		ctx_buf_addspan(out, ctx_buf_span(&title));
	}
	ctx_buf_addc(out, '\n');
	ctx_buf_release(&title);
}

/* Returns an estimate, on the high side, of the tokens of the heading for each
 * sitting. */
static int64_t
estimate_heading_cost(struct ctx_tokenizer *t)
{
	struct ctx_buf text = CTX_BUF_INIT;
	int64_t n;

	ctx_buf_addf(&text, "## session %s: ", "018f0000-0000-7000-8000-000000000000");
	for (int i = 0; i < TITLE_MAX / 5; i++)
		ctx_buf_adds(&text, "word ");
	n = ctx_tokens_text(t, text.p, text.n);
	ctx_buf_release(&text);
	return n;
}

/* Prints the turns, which are sorted by session, with a heading for each session. */
static int
format_evidence(struct mcp_server *sv, struct ctx_recall *r, struct ctx_buf *text,
    struct ctx_buf *ids, struct ctx_err *err)
{
	struct ctx_session s = CTX_SESSION_INIT;
	size_t end;
	int rc = 0;

	for (size_t i = 0; i < r->n && rc >= 0; i = end) {
		struct ctx_recall part = {.turns = r->turns + i};
		for (end = i;
		     end < r->n && r->turns[end].session_no == r->turns[i].session_no;)
			end++;
		part.n = end - i;
		ctx_session_release(&s);
		rc = ctx_store_session_numbered(
		    sv->store, r->turns[i].session_no, &s, err);
		if (rc != 1)
			continue;
		put_heading(text, &s);
		ctx_recall_format(text, &part);
		ctx_json_put_string(ids, ctx_span_of(s.session_id));
	}
	ctx_session_release(&s);
	return rc < 0 ? -1 : 0;
}

static int
select_evidence(struct mcp_server *sv, const struct ctx_mcp_call *call,
    struct ctx_recall_options *o, struct ctx_recall *r, struct ctx_err *err)
{
	struct ctx_session s = CTX_SESSION_INIT;
	int64_t *nos = NULL;
	char *sid = mcp_text_argument(call, "session_id");
	int rc = mcp_call_sessions(sv, call, &nos, &o->n_sessions, err);

	o->sessions = nos;
	o->user_id = sv->user;
	if (rc == 0 && sid != NULL && o->n_sessions == 1) {
		rc = mcp_find_session(sv, sid, &s, err);
		if (rc == 0)
			rc = ctx_recall_select(
			    r, sv->store, ctx_archive_cleaned(&s) ? NULL : &s, o, err);
	} else if (rc == 0 && (nos == NULL || o->n_sessions > 0)) {
		rc = ctx_recall_select(r, sv->store, NULL, o, err);
	}
	ctx_session_release(&s);
	o->sessions = NULL;
	free(nos);
	free(sid);
	return rc;
}

int
mcp_recall(struct mcp_server *sv, const struct ctx_mcp_call *call, struct ctx_buf *value,
    struct ctx_err *err)
{
	char *question = mcp_text_argument(call, "question");
	struct ctx_recall_options o = {.query = ctx_span_of(question),
	    .budget = mcp_int_argument(call, "budget", 2000)};
	struct ctx_recall r = CTX_RECALL_INIT;
	struct ctx_buf text = CTX_BUF_INIT, ids = CTX_BUF_INIT;
	int rc = cli_tokenizer_open(&o.tokenizer, err);

	if (rc == 0) {
		o.sitting_cost = estimate_heading_cost(o.tokenizer);
		rc = select_evidence(sv, call, &o, &r, err);
	}
	ctx_json_put_open(&ids, '[');
	if (rc == 0)
		rc = format_evidence(sv, &r, &text, &ids, err);
	ctx_json_put_close(&ids, ']');
	if (rc == 0)
		ctx_json_print(value, "{'evidence':%t,'tokens':%d,'sessions':%j}",
		    ctx_buf_span(&text),
		    text.n > 0 ? ctx_tokens_text(o.tokenizer, text.p, text.n) : 0,
		    ctx_buf_span(&ids));
	ctx_recall_release(&r);
	ctx_tokenizer_close(o.tokenizer);
	ctx_buf_release(&text);
	ctx_buf_release(&ids);
	free(question);
	return rc;
}
