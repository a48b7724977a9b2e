/* Full-text search from the command line: see cli_search.h. */
#include "cli_search.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/utf8.h"
#include "json/json.h"
#include "record/message.h"

struct cli_search cli_search = {.max = 10};

void
cli_search_init(void)
{
	cli_search.s.since = cli_search.s.until = CTX_TIME_NONE;
}

static int
check_search_roles(struct ctx_err *err)
{
	struct ctx_buf quoted = CTX_BUF_INIT;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < cli_search.role.n; i++) {
		int role;
		ctx_buf_reset(&quoted);
		ctx_json_put_string(&quoted, ctx_span_of(cli_search.role.v[i]));
		role = ctx_role_parse(ctx_buf_span(&quoted));
		if (role < 0)
			rc = ctx_err_set(err, CTX_EUSAGE,
			    "--role: '%s' is not system, developer, user, assistant or tool",
			    cli_search.role.v[i]);
		else
			cli_search.s.roles |= 1U << role;
	}
	ctx_buf_release(&quoted);
	return rc;
}

int
cli_search_check(int argc, char **argv, struct ctx_err *err)
{
	if (argc == 0)
		return ctx_err_set(err, CTX_EUSAGE, "no query given");
	for (int i = 0; i < argc; i++) {
		if (i > 0)
			ctx_buf_addc(&cli_search.typed, ' ');
		ctx_buf_adds(&cli_search.typed, argv[i]);
	}
	if (ctx_utf8_valid(cli_search.typed.p, cli_search.typed.n) != cli_search.typed.n)
		return ctx_err_set(err, CTX_EUSAGE, "the query is not valid UTF-8");
	if (cli_check_alone("any fts", err) < 0)
		return -1;
	if (cli_search.since != NULL &&
	    cli_parse_when(cli_search.since, &cli_search.s.since, err) < 0)
		return ctx_err_prefix(err, "--since");
	if (cli_search.until != NULL &&
	    cli_parse_when(cli_search.until, &cli_search.s.until, err) < 0)
		return ctx_err_prefix(err, "--until");
	cli_search.s.max = (size_t)cli_search.max;
	return check_search_roles(err);
}

/* Updates the index: for the named sessions only, if there are any, since the others may
 * be many. If that fails, the existing index is searched. */
static void
update_search_index(struct ctx_store *store)
{
	const struct ctx_fulltext_options *o = &cli_search.s;
	struct ctx_err err = CTX_ERR_INIT;

	if (cli_search.stale)
		return;
	if ((o->sessions != NULL
		    ? ctx_fulltext_catch_up_with(store, o->sessions, o->n_sessions, &err)
		    : ctx_fulltext_catch_up(store, NULL, &err)) < 0)
		cli_warn("the newest messages were not searched: %s", err.msg);
}

/* While the index is being rebuilt, it lacks entries that another process has not added
 * yet. */
static int
find_search_hits(struct ctx_store *store, struct ctx_fulltext_hit **hits, size_t *n,
    struct ctx_err *err)
{
	struct ctx_err ignored = CTX_ERR_INIT;
	int64_t before = 0, after = 0;
	int rc;

	ctx_fulltext_made(store, &after, &ignored);
	do {
		before = after;
		free(*hits);
		*hits = NULL;
		update_search_index(store);
		rc = ctx_fulltext_search(store, &cli_search.s, hits, n, err);
	} while (rc == 0 && !cli_search.stale &&
		 ctx_fulltext_made(store, &after, &ignored) == 0 && after != before);
	return rc;
}

/* Warns even if there are matches, because missing entries could have matched too. */
static void
warn_of_missing(struct ctx_store *store)
{
	struct ctx_err ignored = CTX_ERR_INIT;
	int64_t n;

	if (ctx_fulltext_missing(store, &cli_search.s, &n, &ignored) == 0 && n > 0)
		cli_warn("%lld archived session%s not searched (ctx-check --catch-up)",
		    (long long)n, CTX_PLURAL_OF(n, " is", "s are"));
}

static struct ctx_store *searched;
static int64_t *numbers; /* numbers of the named sessions */
static size_t cap_numbers;

static int
take_searched_session(
    void *arg CTX_UNUSED, const struct cli_listed *listed, struct ctx_err *err)
{
	struct ctx_session s = CTX_SESSION_INIT;
	bool twice = false;
	int rc = cli_session_find(searched, listed->session_id, &s, err);

	for (size_t k = 0; k < cli_search.s.n_sessions; k++)
		twice |= numbers[k] == s.no;
	if (rc == 0 && !twice) {
		CTX_MEM_GROW(numbers, cli_search.s.n_sessions, cap_numbers);
		numbers[cli_search.s.n_sessions++] = s.no;
	}
	ctx_session_release(&s);
	return rc;
}

int
cli_search_text(struct ctx_store *st, const struct ctx_session *s, int64_t seq,
    struct ctx_buf *text, int *role, int64_t *created_at, struct ctx_err *err)
{
	struct ctx_message parsed = CTX_MESSAGE_INIT;
	struct ctx_cursor *c = ctx_cursor_open(st, s, seq, seq, false, err);
	struct ctx_stored m;
	int rc = ctx_cursor_next(c, &m, err);

	if (rc == 1 && ctx_message_parse(&parsed, m.message, NULL) == 0) {
		ctx_message_text(&parsed, text);
		*role = ctx_message_shown_role(&parsed);
		*created_at = m.created_at;
	}
	ctx_cursor_close(c);
	ctx_message_release(&parsed);
	if (rc == 1)
		return 1;
	if (rc < 0 && err->code != CTX_EMOVED && err->code != CTX_EANSWER)
		return -1;
	err->code = CTX_OK;
	return ctx_fulltext_kept(st, s->no, seq, text, role, created_at, err);
}

int
cli_search_find(
    struct ctx_store *st, struct ctx_fulltext_hit **hits, size_t *n, struct ctx_err *err)
{
	static const int64_t none = 0;
	struct ctx_buf query = CTX_BUF_INIT;
	int rc = 0;

	*hits = NULL;
	*n = 0;
	searched = st;
	if (cli_search.session.n > 0) {
		rc = cli_sessions(
		    st, &cli_search.session, take_searched_session, NULL, err);
		cli_search.s.sessions = numbers == NULL ? &none : numbers;
	}
	if (cli_search.raw)
		ctx_buf_addspan(&query, ctx_buf_span(&cli_search.typed));
	else
		ctx_fulltext_query(
		    &query, ctx_buf_span(&cli_search.typed), cli_search.any);
	cli_search.s.query = query.p;
	if (rc == 0 && query.n > 0 && cli_search.s.max > 0)
		rc = find_search_hits(st, hits, n, err);
	if (rc == 0 && cli_search.s.query != NULL && query.n > 0)
		warn_of_missing(st);
	cli_search.s.query = NULL;
	free(numbers);
	numbers = NULL;
	ctx_buf_release(&query);
	return rc;
}
