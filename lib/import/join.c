/* Joins the pieces of messages. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "import/internal.h"
#include "json/json.h"
#include "record/message.h"

#define HELD ((size_t)64 << 20) /* maximum number of bytes of queued pieces */

static void
release_import_piece(struct import_piece *p)
{
	free(p->session);
	free(p->key);
	ctx_buf_release(&p->record);
	ctx_buf_release(&p->content);
}

void
ctx_import_held_release(struct import_held *h)
{
	for (size_t i = 0; i < h->n; i++)
		release_import_piece(&h->v[i]);
	free(h->v);
	memset(h, 0, sizeof(*h));
}

/* Appends the elements of a content; a string becomes one text block. */
static void
add_joined_content(struct ctx_buf *b, struct ctx_span content)
{
	if (ctx_json_type(content) == CTX_JSON_STRING)
		ctx_message_put_text(b, content);
	CTX_JSON_EACH(it, content)
		ctx_json_put_raw(b, it.value);
}

static int
give_import_piece(
    struct import_piece *p, ctx_import_fn *fn, void *arg, struct ctx_err *err)
{
	struct ctx_span record = ctx_buf_span(&p->record);
	struct ctx_span message = ctx_json_get(record, "message");
	struct ctx_buf b = CTX_BUF_INIT;
	int rc;

	if (p->content.n == 0)
		return fn(arg, record, err);
	/* several pieces: the record of the first piece, with the content of all */
	ctx_json_put_open(&b, '{');
	ctx_json_put_members(&b, record, "message");
	ctx_json_add_open(&b, "message", '{');
	ctx_json_put_members(&b, message, "content");
	ctx_json_add_open(&b, "content", '[');
	ctx_buf_addspan(&b, ctx_buf_span(&p->content));
	ctx_buf_adds(&b, "]}}");
	rc = fn(arg, ctx_buf_span(&b), err);
	ctx_buf_release(&b);
	return rc;
}

/* Passes the queued messages of a session to fn; those of all sessions if session is
 * NULL. */
static int
flush_import_pieces(struct import_held *h, const char *session, ctx_import_fn *fn,
    void *arg, struct ctx_err *err)
{
	size_t kept = 0;
	int rc = 0;

	for (size_t i = 0; i < h->n; i++) {
		struct import_piece *p = &h->v[i];
		if (session != NULL && strcmp(p->session, session) != 0) {
			h->v[kept++] = *p;
			continue;
		}
		if (rc == 0)
			rc = give_import_piece(p, fn, arg, err);
		h->bytes -= p->record.n + p->content.n;
		release_import_piece(p);
	}
	h->n = kept;
	return rc;
}

int
ctx_import_held_flush(
    struct import_held *h, ctx_import_fn *fn, void *arg, struct ctx_err *err)
{
	return flush_import_pieces(h, NULL, fn, arg, err);
}

static struct import_piece *
find_import_piece(struct import_held *h, const char *session)
{
	for (size_t i = 0; i < h->n; i++)
		if (strcmp(h->v[i].session, session) == 0)
			return &h->v[i];
	return NULL;
}

/* Takes the usage of a later piece, since usage grows from piece to piece. If the record
 * has no metadata yet, takes the later piece's whole metadata. */
static void
take_usage(struct ctx_buf *record, struct ctx_span from)
{
	struct ctx_span metadata = ctx_json_get(from, "metadata");
	struct ctx_span usage = ctx_json_get(metadata, "usage");
	struct ctx_span whole = ctx_buf_span(record);
	struct ctx_span own = ctx_json_get(whole, "metadata"),
			old = ctx_json_get(own, "usage");
	struct ctx_buf b = CTX_BUF_INIT;

	if (usage.p == NULL || (own.p != NULL && old.p == NULL))
		return;
	if (own.p == NULL) {
		ctx_buf_add(&b, whole.p, whole.n - 1);
		ctx_json_print(&b, "'metadata':%j}", metadata);
	} else {
		ctx_buf_add(&b, whole.p, (size_t)(old.p - whole.p));
		ctx_buf_addspan(&b, usage);
		ctx_buf_add(
		    &b, old.p + old.n, (size_t)(whole.p + whole.n - (old.p + old.n)));
	}
	ctx_buf_release(record);
	*record = b;
}

static void
extend_import_piece(struct import_held *h, struct import_piece *p, struct ctx_span record)
{
	struct ctx_span message;
	size_t before = p->record.n + p->content.n;

	take_usage(&p->record, record);
	message = ctx_json_get(ctx_buf_span(&p->record), "message");
	if (p->content.n == 0)
		add_joined_content(&p->content, ctx_json_get(message, "content"));
	add_joined_content(
	    &p->content, ctx_json_get(ctx_json_get(record, "message"), "content"));
	h->bytes += p->record.n + p->content.n - before;
}

static void
hold_import_piece(struct import_held *h, struct import_piece *p)
{
	CTX_MEM_GROW(h->v, h->n, h->cap);
	h->v[h->n++] = *p;
	h->bytes += p->record.n;
}

int
ctx_import_held_add(struct import_held *h, struct ctx_span record, ctx_import_fn *fn,
    void *arg, struct ctx_err *err)
{
	struct import_piece p = {NULL, NULL, CTX_BUF_INIT, CTX_BUF_INIT};
	struct import_piece *open;
	bool between = ctx_json_true(ctx_json_get(record, "between"));
	int rc = 0;

	if (ctx_json_member(
		&p.session, ctx_json_get(record, "session_id"), "session_id", err) < 0)
		return -1;
	if (p.session == NULL)
		return ctx_err_set(err, CTX_EINPUT, "a message record has no session_id");
	p.key = ctx_json_strdup(ctx_json_get(record, "join"));
	open = find_import_piece(h, p.session);
	if (open != NULL && p.key != NULL && strcmp(open->key, p.key) == 0) {
		extend_import_piece(h, open, record);
		release_import_piece(&p);
		return 0;
	}
	if (ctx_json_true(ctx_json_get(record, "usage_only"))) {
		/* not a piece of a queued message; a message without a key means that the
		 * queued one is complete */
		if (p.key == NULL)
			rc = flush_import_pieces(h, p.session, fn, arg, err);
		release_import_piece(&p);
		return rc;
	}
	ctx_json_put_open(&p.record, '{');
	CTX_JSON_EACH(it, record)
		if (!ctx_json_is(it.key, "join") && !ctx_json_is(it.key, "between"))
			ctx_json_put_member(&p.record, it.key, it.value);
	ctx_json_put_close(&p.record, '}');
	if (open != NULL && between && h->bytes < HELD) {
		hold_import_piece(h, &p);
		return 0;
	}
	if (open != NULL)
		rc = flush_import_pieces(h, p.session, fn, arg, err);
	if (rc == 0 && p.key != NULL) {
		hold_import_piece(h, &p);
		return 0;
	}
	if (rc == 0)
		rc = give_import_piece(&p, fn, arg, err);
	release_import_piece(&p);
	return rc;
}
