/* ctx-grep: prints, for people, the lines of messages that contain the words of a
 * query. */
#include "cli_search.h"
#include "cli_term.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "record/message.h"
#include "record/short_id.h"
#include "render/view.h"
#include "store/store.h"

static int64_t context;

static struct cli_option options[] = {
    {"context", 'C', "N", "lines of context before and after each match (default 0)",
	CLI_INT, &context, NULL},
    {"max", 'n', "N", "print the N best matching messages (default 20)", CLI_INT,
	&cli_search.max, NULL},
    CLI_SEARCH_OPTIONS,
    CLI_QUIET_OPTION,
    CLI_TERM_OPTIONS,
    CLI_STORE_OPTIONS,
    CLI_END,
};

static struct ctx_store *store;
static struct ctx_term term;
static struct ctx_short_ids short_ids;

/* ---- texts ---- */

static int
print_found(const struct ctx_session *s, int64_t seq, struct ctx_err *err)
{
	struct ctx_grep_message m = {.session_id = s->session_id, .seq = seq};
	struct ctx_grep_options o = {.term = &term,
	    .query = ctx_buf_span(&cli_search.typed),
	    .context = (size_t)context};
	struct ctx_buf text = CTX_BUF_INIT;
	int role = CTX_ROLE_USER;
	int rc = cli_search_text(store, s, seq, &text, &role, &m.created_at, err);

	if (rc == 1) {
		m.role = (enum ctx_role)role;
		m.text = ctx_buf_span(&text);
		ctx_grep_print(&cli_out.buf, &m, &o);
	}
	ctx_buf_release(&text);
	return rc < 0 ? -1 : cli_flush_some(err);
}

/* ---- sessions ---- */

/* On a terminal, the lines of a session are preceded by its short id and title. */
static int
print_session_head(const struct ctx_session *s, bool first, struct ctx_err *err)
{
	struct ctx_buf title = CTX_BUF_INIT, line = CTX_BUF_INIT, *out = &cli_out.buf;

	if (term.columns == 0)
		return 0;
	if (ctx_store_title(store, s, &title, err) < 0)
		return -1;
	if (!first)
		ctx_buf_addc(out, '\n');
	ctx_term_clean_line(&line, &term, ctx_short_id(&short_ids, s->session_id));
	ctx_buf_adds(&line, "  ");
	ctx_term_clean_line(&line, &term, ctx_buf_span(&title));
	ctx_term_style(out, &term, CTX_STYLE_BOLD);
	ctx_term_put_cut(out, &term, ctx_buf_span(&line), (size_t)term.columns);
	ctx_term_style(out, &term, CTX_STYLE_PLAIN);
	ctx_buf_addc(out, '\n');
	ctx_buf_release(&title);
	ctx_buf_release(&line);
	return 0;
}

static int
compare_seqs(const void *a, const void *b)
{
	const struct ctx_fulltext_hit *x = a, *y = b;

	return (x->seq > y->seq) - (x->seq < y->seq);
}

/* Moves the hits of one session from the list to own, in the order of the session. */
static size_t
take_session_hits(struct ctx_fulltext_hit *hits, size_t n, struct ctx_fulltext_hit *own)
{
	int64_t no = hits[0].session_no;
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (hits[i].session_no == no) {
			own[k++] = hits[i];
			hits[i].session_no = 0;
		}
	qsort(own, k, sizeof(*own), compare_seqs);
	return k;
}

static int
print_session_hits(
    const struct ctx_fulltext_hit *own, size_t n, bool first, struct ctx_err *err)
{
	struct ctx_session s = CTX_SESSION_INIT;
	int rc = ctx_store_session_numbered(store, own[0].session_no, &s, err);

	if (rc == 1 && print_session_head(&s, first, err) < 0)
		rc = -1;
	for (size_t i = 0; rc == 1 && i < n; i++)
		if (print_found(&s, own[i].seq, err) < 0)
			rc = -1;
	ctx_session_release(&s);
	return rc < 0 ? -1 : 0;
}

/* Prints all hits, beginning with the session of the best match. */
static int
print_all_hits(struct ctx_fulltext_hit *hits, size_t n, struct ctx_err *err)
{
	struct ctx_fulltext_hit *own = ctx_mem_new((n + 1) * sizeof(*own));
	int rc = 0;

	if (term.columns > 0)
		rc = cli_term_short_ids(store, &short_ids, err);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		size_t k;
		if (hits[i].session_no == 0)
			continue;
		k = take_session_hits(hits + i, n - i, own);
		rc = print_session_hits(own, k, i == 0, err);
	}
	free(own);
	return rc;
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	struct ctx_fulltext_hit *hits = NULL;
	size_t n = 0, max;
	int rc;

	if (cli_search_check(argc, argv, err) < 0 || cli_term_open(&term, err) < 0 ||
	    cli_store_open(&store, 0, err) < 0)
		return -1;
	max = cli_search.s.max;
	/* ask for one more hit than needed, to know whether there are more */
	cli_search.s.max += max < SIZE_MAX;
	cli_term_page();
	rc = cli_search_find(store, &hits, &n, err);
	if (rc == 0)
		rc = print_all_hits(hits, n < max ? n : max, err);
	if (rc == 0 && n > max)
		cli_note("only the best %zu matches are shown (--max N shows more)", max);
	if (rc == 0 && n == 0)
		rc = 1;
	free(hits);
	ctx_short_ids_release(&short_ids);
	ctx_store_close(store);
	ctx_buf_release(&cli_search.typed);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-grep",
    .synopsis = "[-C N] [-s SID] [-u USER] [--role ROLE] [-n N] [OPTION ...] WORD ...",
    .about = "Finds messages by their words and prints the matching lines for reading.",
    .options = options,
    .run = run,
};

int
main(int argc, char **argv)
{
	cli_search_init();
	cli_search.max = 20;
	return cli_main(&command, argc, argv);
}
