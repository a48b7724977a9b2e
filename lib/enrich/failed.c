/* Retries get the additions of the failed request. */
#include <stdlib.h>
#include <string.h>

#include "enrich/internal.h"
#include "json/json.h"

struct failed {
	struct ctx_enrich *e;
	struct ctx_span run;
	int64_t seq;
};

/* Returns whether two requests belong to the same line. Requests without a run belong to
 * one line. */
static bool
is_same_line(struct ctx_span a, struct ctx_span b)
{
	if (a.p == NULL || b.p == NULL)
		return a.p == b.p;
	return ctx_span_eq(ctx_json_get(a, "name"), ctx_json_get(b, "name")) &&
	       ctx_span_eq(ctx_json_get(a, "front"), ctx_json_get(b, "front"));
}

static int
take_failed_record(void *arg, struct ctx_span record, int64_t response_seq CTX_UNUSED,
    struct ctx_err *err CTX_UNUSED)
{
	struct failed *f = arg;
	int64_t seq = -1;

	/* a request without a mode was made without additions */
	if (!ctx_json_int(ctx_json_get(record, "for_seq"), &seq) || seq != f->seq ||
	    ctx_json_get(record, "mode").p == NULL ||
	    !is_same_line(f->run, ctx_json_get(record, "run")))
		return 0;
	ctx_buf_addspan(&f->e->failed, record);
	return 1;
}

static bool
get_first_seq(struct ctx_span entry, int64_t *seq)
{
	return ctx_json_int(ctx_json_get(entry, "seq"), seq) ||
	       ctx_json_int(ctx_json_get(entry, "first_seq"), seq);
}

/* Returns an iterator over the record's messages, positioned at the additions for message
 * seq: after the last message before it. */
static struct ctx_json_iter
find_failed_additions(struct ctx_span messages, int64_t seq)
{
	struct ctx_json_iter it = ctx_json_iter_of(messages), at = it;
	int64_t first;

	while (
	    ctx_json_iter_next(&it) && (!get_first_seq(it.value, &first) || first < seq))
		if (get_first_seq(it.value, &first))
			at = it;
	return at;
}

bool
ctx_enrich_find_failed(struct ctx_enrich *e, struct ctx_span run)
{
	struct failed f = {e, run, e->messages[e->turn].seq};
	struct ctx_err err = CTX_ERR_INIT;

	if (e->turn + 1 < e->n_messages || f.seq < 1)
		return false;
	if (ctx_store_failed(e->st, e->session, take_failed_record, &f, &err) < 0) {
		ctx_enrich_warn(e, &err);
		return false;
	}
	if (e->failed.n == 0)
		return false;
	e->mode = ctx_json_strdup(ctx_json_get(ctx_buf_span(&e->failed), "mode"));
	return true;
}

void
ctx_enrich_add_failed(struct ctx_enrich *e)
{
	struct ctx_json_iter it = find_failed_additions(
	    ctx_json_get(ctx_buf_span(&e->failed), "messages"), e->messages[e->turn].seq);
	int64_t ignored;

	while (ctx_json_iter_next(&it) && !get_first_seq(it.value, &ignored)) {
		struct ctx_span source = ctx_json_get(it.value, "source");
		struct ctx_span message = ctx_json_get(it.value, "message");
		if (message.p != NULL &&
		    ctx_json_is(ctx_json_get(it.value, "slot"),
			ctx_slot_name(CTX_SLOT_VOLATILE)) &&
		    ctx_enrich_is_enabled(e, source))
			ctx_enrich_add(e, CTX_SLOT_VOLATILE, source, message);
	}
}

struct ctx_span
ctx_enrich_failed(const struct ctx_enrich *e)
{
	return e->failed.n == 0 ? CTX_SPAN_NONE : ctx_buf_span(&e->failed);
}
