/* Summarizes a stored session: reads the texts, makes the summary and stores it. */
#include "window/summarize_work.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "json/json.h"
#include "record/record.h"
#include "store/derived.h"

#define PAGE_BYTES ((size_t)1 << 20) /* bytes of text read at once */
#define CACHE_TTL (INT64_C(30) * 24 * 60 * 60 * 1000)

/* ---- the texts of the messages ---- */

static void
feed_summary_message(
    struct ctx_summarize_work *w, const struct ctx_stored *m, struct ctx_message *view)
{
	struct ctx_stored copy = *m;
	struct ctx_buf message = CTX_BUF_INIT, record = CTX_BUF_INIT;
	struct ctx_err ignored;

	if (w->o->condense_tools) {
		ctx_summarize_condense(&message, m->message, w->o->tokenizer);
		copy.message = ctx_buf_span(&message);
	}
	copy.token_count = ctx_recount_message(w->o->tokenizer, view, copy.message);
	copy.tokenizer = ctx_tokenizer_name(w->o->tokenizer);
	if (ctx_message_parse(view, copy.message, &ignored) == 0) {
		if (w->o->ndjson)
			ctx_stored_print(
			    &record, w->session.session_id, &copy, NULL, CTX_SPAN_NONE);
		ctx_summary_maker_add(
		    w->maker, view, ctx_buf_span(&record), copy.token_count);
	}
	ctx_buf_release(&message);
	ctx_buf_release(&record);
}

/* Returns whether the message is to be summarized. *item advances with the messages. */
static bool
is_wanted(
    struct ctx_summarize_work *w, const struct ctx_stored *m, size_t *item, bool *opening)
{
	const struct ctx_history *h = &w->history;

	*opening = *opening && ctx_role_is_system(m->role);
	if (m->seq <= w->prev.last)
		return !*opening && !ctx_summarize_hidden(w, m->seq) &&
		       !ctx_summarize_pinned(w, m->seq);
	while (*item < h->n && h->items[*item].seq < m->seq)
		(*item)++;
	return *item < h->n && h->items[*item].seq == m->seq &&
	       (w->how[*item] == CTX_COVER_IN || w->how[*item] == CTX_COVER_BOTH);
}

/* Copies about a page of texts, from *next on, so that no transaction is open while exec
 * runs. */
static int
copy_page(struct ctx_summarize_work *w, struct ctx_arena *arena, struct ctx_stored **rows,
    size_t *n, size_t *cap, int64_t *next, size_t *item, bool *opening,
    struct ctx_err *err)
{
	struct ctx_cursor *c;
	struct ctx_stored m;
	int rc = 0;

	*n = 0;
	c = ctx_cursor_open(w->st, &w->session, *next, w->last, false, err);
	*next = w->last + 1;
	while ((rc = ctx_cursor_next(c, &m, err)) == 1) {
		if (arena->used > PAGE_BYTES) {
			*next = m.seq;
			break;
		}
		if (!is_wanted(w, &m, item, opening))
			continue;
		CTX_MEM_GROW(*rows, *n, *cap);
		(*rows)[*n] = m;
		(*rows)[*n].message = ctx_arena_copy(arena, m.message);
		(*rows)[*n].id = ctx_arena_copy(arena, m.id);
		(*rows)[(*n)++].metadata = ctx_arena_copy(arena, m.metadata);
	}
	ctx_cursor_close(c);
	return rc < 0 ? -1 : 0;
}

static int
feed_all(struct ctx_summarize_work *w, struct ctx_err *err)
{
	struct ctx_arena arena = CTX_ARENA_INIT;
	struct ctx_message view = CTX_MESSAGE_INIT;
	struct ctx_stored *rows = NULL;
	int64_t next = w->from_summary ? w->prev.last + 1 : 1;
	size_t n = 0, cap = 0, item = 0;
	bool opening = next == 1;
	int rc = 0;

	while (rc == 0 && next <= w->last) {
		rc = copy_page(w, &arena, &rows, &n, &cap, &next, &item, &opening, err);
		for (size_t i = 0; rc == 0 && i < n; i++)
			feed_summary_message(w, &rows[i], &view);
		ctx_arena_reset(&arena);
	}
	free(rows);
	ctx_message_release(&view);
	ctx_arena_release(&arena);
	return rc;
}

/* ---- exec, and the cache of its answers ---- */

static void
make_summary_key(
    const struct ctx_summarize_work *w, struct ctx_span input, char key[CTX_HASH_HEX + 1])
{
	uint8_t raw[CTX_HASH_RAW];
	struct ctx_sha256 sha;

	ctx_sha256_start(&sha);
	ctx_sha256_add(&sha, w->o->ndjson ? "ndjson" : "text", w->o->ndjson ? 7 : 5);
	ctx_sha256_add(&sha, w->o->command, strlen(w->o->command) + 1);
	ctx_sha256_add(&sha, input.p, input.n);
	ctx_sha256_end(&sha, raw);
	ctx_hash_hex(raw, sizeof(raw), key);
}

static int
run_exec(void *arg, struct ctx_span input, struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_summarize_work *w = arg;
	struct ctx_err ignored = CTX_ERR_INIT;
	struct answer *a;
	size_t start = out->n;

	CTX_MEM_GROW(w->answers, w->n_answers, w->cap_answers);
	a = &w->answers[w->n_answers];
	make_summary_key(w, input, a->key);
	if (ctx_cache_get(w->st, "summary", a->key, w->o->now, out, &ignored) == 1)
		return 0;
	if (w->o->exec(w->o->arg, input, out, err) < 0)
		return -1;
	a->text = ctx_arena_copy(
	    &w->arena, (struct ctx_span){out->p + start, out->n - start});
	if (a->text.n > 0 && ctx_utf8_valid(a->text.p, a->text.n) == a->text.n &&
	    memchr(a->text.p, 0, a->text.n) == NULL)
		w->n_answers++;
	return 0;
}

/* Prints the summary in use as the record that windows contain. */
static void
put_previous(const struct ctx_summarize_work *w, struct ctx_buf *out)
{
	struct ctx_stored row = {.seq = -1,
	    .created_at = w->prev.created_at,
	    .type = CTX_TYPE_SUMMARY,
	    .token_count = w->prev_tokens,
	    .tokenizer = ctx_tokenizer_name(w->o->tokenizer),
	    .message = ctx_span_of(w->prev.message)};
	struct ctx_buf id = CTX_BUF_INIT;

	ctx_store_summary_id(&id, w->session.session_id, &w->prev);
	row.id = ctx_buf_span(&id);
	ctx_stored_print(out, w->session.session_id, &row,
	    ctx_slot_name(CTX_SLOT_SUMMARY), ctx_span_of(w->prev.source));
	ctx_buf_release(&id);
}

static int
make_summary_text(
    struct ctx_summarize_work *w, struct ctx_err *reason, struct ctx_err *err)
{
	struct ctx_summary_make_options m = ctx_summarize_make_options(w->o,
	    w->prev_tokens, w->in,
	    w->from_summary ? w->prev_tokens + w->in : w->originals);
	struct ctx_buf tmp = CTX_BUF_INIT, record = CTX_BUF_INIT;
	struct ctx_err ignored = CTX_ERR_INIT;
	int rc;

	if (m.exec != NULL) {
		m.exec = run_exec;
		m.arg = w;
	}
	w->maker = ctx_summary_maker_new(&m);
	if (w->from_summary) {
		put_previous(w, &record);
		ctx_summary_maker_add_summary(w->maker,
		    ctx_summarize_text(ctx_span_of(w->prev.message), &tmp),
		    ctx_buf_span(&record), w->prev_tokens);
	}
	rc = feed_all(w, err);
	if (rc == 0)
		rc = ctx_summary_maker_end(w->maker, &w->made);
	if (rc >= 0)
		ctx_summarize_tell(&w->made, rc == 1, reason);
	if (rc >= 0 && reason->msg[0] != '\0')
		ctx_err_prefix(reason, "session '%s'%s", w->session.session_id,
		    rc == 0 ? ": left unchanged" : "");
	/* Only answers from which a summary was made are cached; others may be better at
	 * the next attempt. */
	for (size_t i = 0;
	     rc == 1 && w->made.method == CTX_SUMMARY_EXEC && i < w->n_answers; i++)
		ctx_cache_put(w->st, "summary", w->answers[i].key, w->session.no,
		    w->o->now, CACHE_TTL, w->answers[i].text, &ignored);
	ctx_buf_release(&tmp);
	ctx_buf_release(&record);
	return rc;
}

/* ---- storing ---- */

static void
put_summarize_event(
    struct ctx_buf *b, struct ctx_summarize_work *w, const struct ctx_store_summary *m)
{
	int64_t before = w->visible + w->prev_tokens + w->staying;
	int64_t tokens = ctx_recount_message(
	    w->o->tokenizer, &w->history.scratch, ctx_span_of(m->message));

	ctx_event_open(b, w->session.session_id, w->o->now, "summarize");
	ctx_json_print(b,
	    "'strategy':%s,'first_seq':%d,'last_seq':%d,'messages':%d,'made_from':%s",
	    ctx_summary_method_name(w->made.method), m->first, m->last,
	    (int64_t)w->messages, w->from_summary ? "summary" : "messages");
	if (w->made.pieces > 1)
		ctx_json_add_int(b, "pieces", (int64_t)w->made.pieces);
	ctx_json_print(b,
	    "'tokens_before':%d,'tokens_after':%d,'summary_tokens':%d,'facts':%d,'facts_kept':%d,'fallbacks':[",
	    before, before - w->prev_tokens - w->in + tokens, tokens,
	    (int64_t)w->made.facts.facts, (int64_t)w->made.facts.kept);
	ctx_buf_addspan(b, ctx_buf_span(&w->made.fallbacks));
	ctx_buf_adds(b, "]}");
}

/* Fails if anything that the summary is based on has changed. Later messages do not
 * matter. */
static int
check_unmoved(
    struct ctx_summarize_work *w, const struct ctx_session *s, struct ctx_err *err)
{
	int64_t last;

	if (ctx_store_event_last(w->st, s, &last, err) < 0)
		return -1;
	if (s->no != w->session.no || last != w->event)
		return ctx_err_set(err, CTX_EANSWER,
		    "session '%s' changed meanwhile: skipped", s->session_id);
	return 0;
}

/* Stores the summary and its event. In a dry run, only sets the numbers that they would
 * get. */
static int
store_summary_event(struct ctx_summarize_work *w, struct ctx_store_summary *m,
    struct ctx_span event, struct ctx_err *err)
{
	struct ctx_session s = CTX_SESSION_INIT;
	bool dry_run = w->o->dry_run;
	int64_t id = 0;
	int rc = dry_run ? ctx_store_begin_read(w->st, err) : ctx_store_begin(w->st, err);

	if (rc == 0)
		rc = ctx_store_session_active(w->st, w->session.session_id, &s, err);
	if (rc == 0)
		rc = check_unmoved(w, &s, err);
	if (rc == 0)
		rc = dry_run ? ctx_store_summary_last(w->st, &s, &m->n, err)
			     : ctx_store_event_add(w->st, &s, w->o->now, event, &id, err);
	/* check_unmoved has found the newest event */
	m->event = dry_run ? w->event + 1 : id & CTX_SEQ_MAX;
	if (rc == 0 && !dry_run)
		rc = ctx_store_summary_add(w->st, &s, m, err);
	if (dry_run) {
		ctx_store_end_read(w->st);
		m->n++;
		m->current = true;
	} else {
		rc = ctx_store_end(w->st, rc, err);
	}
	ctx_session_release(&s);
	return rc;
}

static int
finish_stored_summary(
    struct ctx_summarize_work *w, struct ctx_buf *out, struct ctx_err *err)
{
	struct ctx_buf message = CTX_BUF_INIT, source = CTX_BUF_INIT,
		       event = CTX_BUF_INIT;
	struct ctx_store_summary m = {.previous = w->prev.n,
	    .first = w->first,
	    .last = w->last,
	    .generation = w->from_summary ? w->prev.generation + 1 : 0,
	    .created_at = w->o->now};
	int rc;

	ctx_summarize_put_message(&message, ctx_buf_span(&w->made.text));
	ctx_summarize_put_source(&source, &w->made, m.first, m.last);
	m.message = ctx_buf_detach(&message);
	m.source = ctx_buf_detach(&source);
	put_summarize_event(&event, w, &m);
	rc = store_summary_event(w, &m, ctx_buf_span(&event), err);
	if (rc == 0) {
		ctx_store_summary_print(out, w->session.session_id, &m);
		ctx_buf_addspan(out, ctx_buf_span(&event));
		ctx_buf_addc(out, '\n');
	}
	ctx_buf_release(&event);
	ctx_store_summary_release(&m);
	return rc;
}

int
ctx_summarize_session(struct ctx_store *st, const char *session_id,
    const struct ctx_summarize_options *o, struct ctx_buf *out, struct ctx_err *reason,
    struct ctx_err *err)
{
	struct ctx_summarize_work w = {.st = st, .o = o, .session = CTX_SESSION_INIT};
	int rc = ctx_summarize_read(&w, session_id, err);

	if (rc == 0)
		rc = ctx_summarize_plan(&w, reason);
	if (rc == 1)
		rc = make_summary_text(&w, reason, err);
	if (rc == 1 && finish_stored_summary(&w, out, err) < 0)
		rc = -1;
	free(w.hidden);
	free(w.pins);
	free(w.how);
	free(w.answers);
	ctx_summary_maker_free(w.maker);
	ctx_summary_made_release(&w.made);
	ctx_store_summary_release(&w.prev);
	ctx_history_release(&w.history);
	ctx_arena_release(&w.arena);
	ctx_session_release(&w.session);
	return rc;
}

int
ctx_summarize_undo(struct ctx_store *st, const char *session_id, int64_t now,
    bool dry_run, struct ctx_buf *event, struct ctx_err *err)
{
	struct ctx_store_summary m = {0};
	struct ctx_session s = CTX_SESSION_INIT;
	struct ctx_buf b = CTX_BUF_INIT;
	int rc = dry_run ? ctx_store_begin_read(st, err) : ctx_store_begin(st, err);

	if (rc == 0)
		rc = ctx_store_session_active(st, session_id, &s, err);
	if (rc == 0)
		rc = ctx_store_summary_current(st, &s, &m, err);
	if (rc == 0)
		rc = ctx_err_set(
		    err, CTX_EANSWER, "session '%s' has no summary in use", session_id);
	if (rc == 1) {
		ctx_event_open(&b, s.session_id, now, "undo");
		ctx_json_print(&b, "'undone':'summarize','first_seq':%d,'last_seq':%d}",
		    m.first, m.last);
		rc = dry_run
			 ? 0
			 : ctx_store_event_add(st, &s, now, ctx_buf_span(&b), NULL, err);
	}
	if (rc == 0 && !dry_run)
		rc = ctx_store_summary_use(st, &s, m.previous, err);
	if (dry_run)
		ctx_store_end_read(st);
	else
		rc = ctx_store_end(st, rc, err);
	if (rc == 0) {
		ctx_buf_addspan(event, ctx_buf_span(&b));
		ctx_buf_addc(event, '\n');
	}
	ctx_buf_release(&b);
	ctx_store_summary_release(&m);
	ctx_session_release(&s);
	return rc;
}
