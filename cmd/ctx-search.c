#include "cli_search.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "json/json.h"
#include "record/message.h"
#include "words/words.h"

#define SNIPPET_BYTES 200

static int64_t context; /* number of messages to print around each hit */

static struct cli_option options[] = {
    CLI_SEARCH_OPTIONS,
    {"max", 'n', "N", "print at most N messages (default 10)", CLI_INT, &cli_search.max,
	NULL},
    {"context", 0, "N", "also print N messages before and after each match", CLI_INT,
	&context, NULL},
    CLI_QUIET_OPTION,
    CLI_STORE_OPTIONS,
    CLI_END,
};

static struct ctx_store *store;

/* ---- output ---- */

static void
add_snippet(struct ctx_buf *out, struct ctx_span text)
{
	struct ctx_buf snippet = CTX_BUF_INIT;

	ctx_words_snippet(text, ctx_buf_span(&cli_search.typed), SNIPPET_BYTES, &snippet);
	ctx_json_add_string(out, "snippet", ctx_buf_span(&snippet));
	ctx_buf_release(&snippet);
}

/* Appends the tenant, because sessions of several tenants may have the same id. */
static void
add_tenant(struct ctx_buf *out, const struct ctx_session *s)
{
	if (s->tenant_id != NULL && s->tenant_id[0] != '\0')
		ctx_json_add_str(out, "tenant_id", s->tenant_id);
}

/* Prints a message record; for a hit, with score and snippet. */
static void
print_found_message(const struct ctx_session *s, const struct ctx_stored *m,
    const struct ctx_fulltext_hit *hit)
{
	struct ctx_message parsed = CTX_MESSAGE_INIT;
	struct ctx_buf text = CTX_BUF_INIT;

	ctx_stored_print(&cli_out.buf, s->session_id, m, NULL, CTX_SPAN_NONE);
	cli_out.buf.n -= strlen("}\n");
	add_tenant(&cli_out.buf, s);
	if (hit != NULL)
		ctx_json_add_double(&cli_out.buf, "score", hit->score, 4);
	if (hit != NULL && ctx_message_parse(&parsed, m->message, NULL) == 0) {
		ctx_message_text(&parsed, &text);
		add_snippet(&cli_out.buf, ctx_buf_span(&text));
	}
	ctx_buf_adds(&cli_out.buf, "}\n");
	ctx_message_release(&parsed);
	ctx_buf_release(&text);
}

/* Prints what is known about a message whose body is only in the archive. A message that
 * is not a hit is printed only if something is known. */
static int
print_archived(const struct ctx_session *s, int64_t seq,
    const struct ctx_fulltext_hit *hit, struct ctx_err *err)
{
	struct ctx_buf text = CTX_BUF_INIT, *b = &cli_out.buf;
	int64_t created_at;
	int role;
	int rc = ctx_fulltext_kept(store, s->no, seq, &text, &role, &created_at, err);

	if (rc < 0 || (rc == 0 && hit == NULL)) {
		ctx_buf_release(&text);
		return rc;
	}
	ctx_json_print(
	    b, "{'kind':'message','session_id':%s,'seq':%d", s->session_id, seq);
	if (rc == 1)
		ctx_json_print(b, "'created_at':%m,'message':{'role':%s,'content':%t}",
		    created_at, ctx_role_name((enum ctx_role)role), ctx_buf_span(&text));
	else
		ctx_json_print(b, "'message':{}");
	add_tenant(b, s);
	if (hit != NULL)
		ctx_json_add_double(b, "score", hit->score, 4);
	if (hit != NULL && rc == 1)
		add_snippet(b, ctx_buf_span(&text));
	ctx_json_print(b, "'archive':%j}\n", ctx_span_of(s->archive_json));
	ctx_buf_release(&text);
	return 0;
}

/* ---- hits and the messages around them ---- */

/* A hit, sorted by session and message. */
struct place {
	struct ctx_fulltext_hit hit;
	bool done;
};

static int
compare_hit_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->hit.order != y->hit.order)
		return x->hit.order < y->hit.order ? -1 : 1;
	return x->hit.seq < y->hit.seq ? -1 : x->hit.seq > y->hit.seq;
}

/* A range of messages of one session to print, and the hits that are in it. */
struct stretch {
	struct ctx_session *s;
	int64_t next, last;
	struct place *hit, *end;
};

static const struct ctx_fulltext_hit *
take_stretch_hit(struct stretch *t, int64_t seq)
{
	if (t->hit == t->end || t->hit->hit.seq != seq)
		return NULL;
	t->hit->done = true;
	return &t->hit++->hit;
}

/* Prints messages before upto that are not in the store: the index has texts of archived
 * messages. */
static int
print_missing(struct stretch *t, int64_t upto, struct ctx_err *err)
{
	int rc = 0;

	for (; t->next <= upto && rc == 0; t->next++) {
		const struct ctx_fulltext_hit *hit = take_stretch_hit(t, t->next);
		if (t->s->archive_json != NULL)
			rc = print_archived(t->s, t->next, hit, err);
	}
	return rc;
}

/* messages read at once; no cursor is open while they are printed */
#define CHUNK 256

static int
print_chunk(struct stretch *t, int64_t last, struct ctx_err *err)
{
	struct ctx_cursor *c = ctx_cursor_open(store, t->s, t->next, last, false, err);
	struct ctx_stored m;
	int rc;

	while ((rc = ctx_cursor_next(c, &m, err)) == 1) {
		if (print_missing(t, m.seq - 1, err) < 0)
			rc = -1;
		if (rc < 0)
			break;
		print_found_message(t->s, &m, take_stretch_hit(t, m.seq));
		t->next = m.seq + 1;
	}
	ctx_cursor_close(c);
	if (rc == 0)
		rc = print_missing(t, last, err);
	else if (cli_session_moved(store, t->s, err))
		return 0; /* retry, since the session now has an archive */
	/* the session was purged: treat it as missing */
	else if (err->code == CTX_EANSWER) {
		err->code = CTX_OK;
		t->next = t->last + 1;
		rc = 0;
	}
	return rc < 0 ? -1 : cli_flush_some(err);
}

/* Prints the hit with its context, together with all hits whose context overlaps it, as
 * one range in order. */
static int
print_around(struct ctx_session *s, struct place *places, size_t n, struct place *at,
    struct ctx_err *err)
{
	struct place *from = at, *to = at;
	struct stretch t = {.s = s};
	int rc = 0;

	while (from > places && from[-1].hit.session_no == s->no &&
	       from->hit.seq - from[-1].hit.seq <= 2 * context)
		from--;
	while (to + 1 < places + n && to[1].hit.session_no == s->no &&
	       to[1].hit.seq - to->hit.seq <= 2 * context)
		to++;
	t.hit = from;
	t.end = to + 1;
	t.next = from->hit.seq > context ? from->hit.seq - context : 1;
	t.last = to->hit.seq + context;
	if (t.last > s->last_seq)
		t.last = s->last_seq;
	while (rc == 0 && t.next <= t.last)
		rc = print_chunk(
		    &t, t.last - t.next < CHUNK ? t.last : t.next + CHUNK - 1, err);
	for (; from <= to; from++)
		from->done = true; /* also hits that are not in the store */
	return rc;
}

static int
print_hits(const struct ctx_fulltext_hit *hits, size_t n, struct ctx_err *err)
{
	struct place *places = ctx_mem_new((n + 1) * sizeof(*places));
	struct ctx_session s = CTX_SESSION_INIT;
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		places[i].hit = hits[i];
	qsort(places, n, sizeof(*places), compare_hit_places);
	for (size_t i = 0; rc >= 0 && i < n; i++) {
		struct place key = {.hit = hits[i]};
		struct place *at = bsearch(
		    &key, places, n, sizeof(*places), compare_hit_places);
		rc = 1;
		if (at->done)
			continue;
		if (s.no != hits[i].session_no) {
			ctx_session_release(&s);
			rc = ctx_store_session_numbered(
			    store, hits[i].session_no, &s, err);
		}
		if (rc == 1)
			rc = print_around(&s, places, n, at, err);
	}
	ctx_session_release(&s);
	free(places);
	return rc < 0 ? -1 : 0;
}

static int
search_store(struct ctx_err *err)
{
	struct ctx_fulltext_hit *hits = NULL;
	size_t n = 0;
	int rc = cli_search_find(store, &hits, &n, err);

	if (rc == 0)
		rc = print_hits(hits, n, err);
	if (rc == 0 && n == 0)
		rc = 1;
	free(hits);
	return rc;
}

static int
run(int argc, char **argv, struct ctx_err *err)
{
	int rc;

	if (context > CTX_SEQ_MAX)
		context = CTX_SEQ_MAX;
	if (cli_search_check(argc, argv, err) < 0 || cli_store_open(&store, 0, err) < 0)
		return -1;
	rc = search_store(err);
	ctx_store_close(store);
	ctx_buf_release(&cli_search.typed);
	return rc;
}

static const struct cli_command command = {
    .name = "ctx-search",
    .synopsis =
	"[-s SID] [-u USER] [--role ROLE] [--context N] [-n N] [OPTION ...] QUERY ...",
    .about =
	"Finds messages by their words in all sessions and prints them, best matches first.",
    .options = options,
    .init = cli_search_init,
    .run = run,
};

CLI_MAIN(command)
