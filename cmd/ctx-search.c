#include "cli.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/time.h"
#include "base/utf8.h"
#include "json/json.h"
#include "record/message.h"
#include "record/record.h"
#include "store/fulltext.h"
#include "words/words.h"

#define SNIPPET_BYTES 200

static struct {
	struct ctx_fulltext_options s;
	struct cli_list session, role;
	const char *since, *until;
	int64_t max, context;
	bool raw, any, stale;
} opt = {.max = 10};

static struct cli_option options[] = {
    {"session", 's', "SID", "only in this session (repeatable)", CLI_LIST, &opt.session,
	NULL},
    {"user", 'u', "ID", "only in sessions of this user, or shared with them", CLI_STRING,
	&opt.s.user_id, NULL},
    {"role", 0, "ROLE", "only messages of this role (repeatable)", CLI_LIST, &opt.role,
	NULL},
    {"since", 0, "TIME", "not older: so long ago, or an RFC 3339 time", CLI_STRING,
	&opt.since, NULL},
    {"until", 0, "TIME", "only older ones", CLI_STRING, &opt.until, NULL},
    {"max", 'n', "N", "the best so many (default 10)", CLI_INT, &opt.max, NULL},
    {"context", 0, "N", "so many messages before and after each, too", CLI_INT,
	&opt.context, NULL},
    {"any", 0, NULL, "one of the words is enough", CLI_FLAG, &opt.any, NULL},
    {"fts", 0, NULL, "the query is in FTS5's own syntax", CLI_FLAG, &opt.raw, NULL},
    {"no-catch-up", 0, NULL, "search only what is indexed already", CLI_FLAG, &opt.stale,
	NULL},
    CLI_QUIET_OPTION,
    CLI_STORE_OPTIONS,
    CLI_END,
};

static struct ctx_store *store;
static struct ctx_buf typed;  /* the query as given */
static int64_t (*printed)[2]; /* session number and seq of what is out */
static size_t n_printed, cap_printed;

/* ---- options ---- */

static int
check_roles(struct ctx_err *err)
{
	struct ctx_buf quoted = CTX_BUF_INIT;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < opt.role.n; i++) {
		int role;
		ctx_buf_reset(&quoted);
		ctx_json_put_string(&quoted, ctx_span_of(opt.role.v[i]));
		role = ctx_role_parse(ctx_buf_span(&quoted));
		if (role < 0)
			rc = ctx_err_set(err, CTX_EUSAGE,
			    "--role: '%s' is not system, developer, user, assistant or "
			    "tool",
			    opt.role.v[i]);
		else
			opt.s.roles |= 1U << role;
	}
	ctx_buf_release(&quoted);
	return rc;
}

static int
check_options(int argc, char **argv, struct ctx_err *err)
{
	if (argc == 0)
		return ctx_err_set(
		    err, CTX_EUSAGE, "search for what? (ctx-search QUERY)");
	for (int i = 0; i < argc; i++) {
		if (i > 0)
			ctx_buf_addc(&typed, ' ');
		ctx_buf_adds(&typed, argv[i]);
	}
	if (ctx_utf8_valid(typed.p, typed.n) != typed.n)
		return ctx_err_set(err, CTX_EUSAGE, "the query is not UTF-8");
	if (opt.since != NULL && cli_parse_when(opt.since, &opt.s.since, err) < 0)
		return ctx_err_prefix(err, "--since");
	if (opt.until != NULL && cli_parse_when(opt.until, &opt.s.until, err) < 0)
		return ctx_err_prefix(err, "--until");
	opt.s.max = (size_t)opt.max;
	return check_roles(err);
}

/* ---- output ---- */

/* Remember what was printed; false when it was already. */
static bool
first_time(int64_t no, int64_t seq)
{
	for (size_t i = 0; i < n_printed; i++)
		if (printed[i][0] == no && printed[i][1] == seq)
			return false;
	CTX_MEM_GROW(printed, n_printed, cap_printed);
	printed[n_printed][0] = no;
	printed[n_printed++][1] = seq;
	return true;
}

static void
add_snippet(struct ctx_buf *out, struct ctx_span text)
{
	struct ctx_buf snippet = CTX_BUF_INIT;

	ctx_words_snippet(text, ctx_buf_span(&typed), SNIPPET_BYTES, &snippet);
	ctx_json_add_string(
	    out, "snippet", snippet.n > 0 ? ctx_buf_span(&snippet) : ctx_span_of(""));
	ctx_buf_release(&snippet);
}

/* A message record; of a hit with score and snippet. */
static void
print_message(const struct ctx_session *s, const struct ctx_stored *m,
    const struct ctx_fulltext_hit *hit)
{
	struct ctx_message parsed = CTX_MESSAGE_INIT;
	struct ctx_err ignored = CTX_ERR_INIT;
	struct ctx_buf text = CTX_BUF_INIT;

	ctx_stored_print(&cli_out.buf, s->session_id, m, NULL, CTX_SPAN_NONE);
	if (hit == NULL)
		return;
	cli_out.buf.n -= strlen("}\n");
	ctx_json_add_double(&cli_out.buf, "score", hit->score, 4);
	if (ctx_message_parse(&parsed, m->message, &ignored) == 0) {
		ctx_message_text(&parsed, &text);
		add_snippet(
		    &cli_out.buf, text.n > 0 ? ctx_buf_span(&text) : ctx_span_of(""));
	}
	ctx_buf_adds(&cli_out.buf, "}\n");
	ctx_message_release(&parsed);
	ctx_buf_release(&text);
}

/* What is known of a message whose body was archived away. */
static int
print_archived(
    const struct ctx_session *s, const struct ctx_fulltext_hit *hit, struct ctx_err *err)
{
	struct ctx_buf text = CTX_BUF_INIT, *b = &cli_out.buf;
	int64_t created_at;
	int role, rc;

	rc = ctx_fulltext_kept(store, s->no, hit->seq, &text, &role, &created_at, err);
	if (rc < 0)
		return -1;
	ctx_json_put_open(b, '{');
	ctx_json_add_str(b, "kind", "message");
	ctx_json_add_str(b, "session_id", s->session_id);
	ctx_json_add_int(b, "seq", hit->seq);
	if (rc == 1)
		ctx_json_add_time(b, "created_at", created_at);
	ctx_json_put_key(b, "message");
	ctx_json_put_open(b, '{');
	if (rc == 1) {
		ctx_json_add_str(b, "role", ctx_role_name((enum ctx_role)role));
		ctx_json_add_string(
		    b, "content", text.n > 0 ? ctx_buf_span(&text) : ctx_span_of(""));
	}
	ctx_json_put_close(b, '}');
	ctx_json_add_double(b, "score", hit->score, 4);
	if (rc == 1)
		add_snippet(b, text.n > 0 ? ctx_buf_span(&text) : ctx_span_of(""));
	if (s->archive_json != NULL)
		ctx_json_add_raw(b, "archive", ctx_span_of(s->archive_json));
	ctx_json_put_close(b, '}');
	ctx_buf_addc(b, '\n');
	ctx_buf_release(&text);
	return 0;
}

static int
print_around(
    const struct ctx_session *s, const struct ctx_fulltext_hit *hit, struct ctx_err *err)
{
	struct ctx_cursor *c;
	struct ctx_stored m;
	bool found = false;
	int rc;

	if (ctx_cursor_open(&c, store, s, hit->seq - opt.context,
		hit->seq > CTX_SEQ_MAX - opt.context ? CTX_SEQ_MAX
						     : hit->seq + opt.context,
		false, err) < 0)
		return -1;
	while ((rc = ctx_cursor_next(c, &m, err)) == 1) {
		bool is_hit = m.seq == hit->seq;
		found |= is_hit;
		if (first_time(s->no, m.seq))
			print_message(s, &m, is_hit ? hit : NULL);
	}
	ctx_cursor_close(c);
	/* what the store of a session in use does not hold, the index has from elsewhere */
	if (rc == 0 && !found && s->archive_json != NULL && first_time(s->no, hit->seq))
		rc = print_archived(s, hit, err);
	return rc < 0 ? -1 : cli_flush_some(err);
}

static int
print_hits(const struct ctx_fulltext_hit *hits, size_t n, struct ctx_err *err)
{
	struct ctx_session s;
	int rc = 0;

	ctx_session_init(&s);
	for (size_t i = 0; rc >= 0 && i < n; i++) {
		rc = 1;
		if (s.no != hits[i].session_no) {
			ctx_session_release(&s);
			rc = ctx_store_session_numbered(
			    store, hits[i].session_no, &s, err);
		}
		if (rc == 1)
			rc = print_around(&s, &hits[i], err);
	}
	ctx_session_release(&s);
	return rc < 0 ? -1 : 0;
}

/* ---- search ---- */

/* The index is behind, but what it has is worth searching. */
static void
catch_up(void)
{
	struct ctx_err err = CTX_ERR_INIT;

	if (!opt.stale && ctx_fulltext_catch_up(store, NULL, &err) < 0)
		cli_warn("the newest messages are not searched: %s", err.msg);
}

static int
find_sessions(int64_t *numbers, struct ctx_err *err)
{
	struct ctx_session s;
	int rc = 0;

	ctx_session_init(&s);
	for (size_t i = 0; rc == 0 && i < opt.session.n; i++) {
		bool twice = false;
		rc = cli_session_find(store, opt.session.v[i], &s, err);
		for (size_t k = 0; k < opt.s.n_sessions; k++)
			twice |= numbers[k] == s.no;
		if (rc == 0 && !twice)
			numbers[opt.s.n_sessions++] = s.no;
	}
	ctx_session_release(&s);
	return rc;
}

static int
search(struct ctx_err *err)
{
	int64_t *numbers = ctx_mem_new((opt.session.n + 1) * sizeof(*numbers));
	struct ctx_buf query = CTX_BUF_INIT;
	struct ctx_fulltext_hit *hits = NULL;
	size_t n = 0;
	int rc;

	rc = find_sessions(numbers, err);
	if (opt.session.n > 0)
		opt.s.sessions = numbers;
	if (opt.raw)
		ctx_buf_addspan(&query, ctx_buf_span(&typed));
	else
		ctx_fulltext_query(&query, ctx_buf_span(&typed), opt.any);
	opt.s.query = query.p;
	if (rc == 0 && query.n > 0 && opt.s.max > 0) {
		catch_up();
		rc = ctx_fulltext_search(store, &opt.s, &hits, &n, err);
	}
	if (rc == 0)
		rc = print_hits(hits, n, err);
	if (rc == 0 && n == 0)
		rc = 1;
	free(hits);
	free(numbers);
	ctx_buf_release(&query);
	return rc;
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	int rc;

	if (check_options(argc, argv, err) < 0 || cli_store_open(&store, 0, err) < 0)
		return -1;
	rc = search(err);
	ctx_store_close(store);
	free(printed);
	ctx_buf_release(&typed);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-search",
    .synopsis =
	"[-s SID] [-u USER] [--role ROLE] [--context N] [-n N] [OPTION ...] QUERY ...",
    .about = "Finds messages by their words in all sessions, best matches first.",
    .options = options,
    .run = run,
};

int
main(int argc, char **argv)
{
	opt.s.since = opt.s.until = CTX_TIME_NONE;
	return cli_main(&command, argc, argv);
}
