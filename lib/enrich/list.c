/* The list of additions, and the list of candidates that were not added. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "enrich/internal.h"
#include "json/json.h"

void
ctx_enrich_add(struct ctx_enrich *e, enum ctx_slot slot, struct ctx_span source,
    struct ctx_span message)
{
	CTX_MEM_GROW(e->list, e->n, e->cap);
	e->list[e->n++] = (struct ctx_addition){.slot = slot,
	    .source = ctx_span_dup(source),
	    .message = ctx_span_dup(message)};
}

void
ctx_enrich_put_message(struct ctx_buf *b, struct ctx_span text)
{
	ctx_json_print(b, "{'role':'system','content':%t}", text);
}

void
ctx_enrich_add_system(struct ctx_enrich *e, enum ctx_slot slot, struct ctx_span source,
    struct ctx_span text)
{
	struct ctx_buf message = CTX_BUF_INIT;

	ctx_enrich_put_message(&message, text);
	ctx_enrich_add(e, slot, source, ctx_buf_span(&message));
	ctx_buf_release(&message);
}

void
ctx_enrich_pass(struct ctx_enrich *e, bool crowded, struct ctx_span what)
{
	CTX_MEM_GROW(e->passed, e->n_passed, e->cap_passed);
	e->passed[e->n_passed++] = (struct ctx_passed){ctx_span_dup(what), crowded};
}

void
ctx_enrich_drop_last(struct ctx_enrich *e)
{
	e->n--;
	free(e->list[e->n].source);
	free(e->list[e->n].message);
}

void
ctx_enrich_move_last(struct ctx_enrich *e, size_t where)
{
	struct ctx_addition last = e->list[e->n - 1];

	memmove(
	    &e->list[where + 1], &e->list[where], (e->n - 1 - where) * sizeof(*e->list));
	e->list[where] = last;
}
