/* Finds which items of a request its answer used, as far as the store shows. */
#ifndef CTX_STATS_DRAWN_H
#define CTX_STATS_DRAWN_H

#include "store/item.h"

enum ctx_drawn {
	/* not an item, or its text or the answer is not in the store (any more) */
	CTX_DRAWN_UNKNOWN,
	CTX_DRAWN_NO,
	CTX_DRAWN_YES,
};

/* A pass over requests in the order of ctx_item_requests. Messages of a turn are read
 * once, and memory is bounded. */
struct ctx_drawn_run;
struct ctx_drawn_run *ctx_drawn_new(struct ctx_store *st);
void ctx_drawn_free(struct ctx_drawn_run *d);

/* Judge every entry of the request's messages: *out, valid until the next call, has *n.
 *
 * A tool was drawn on when the answer, or a message behind it up to the next that begins a
 * turn, calls it: by its name alone or behind that of its server. Compared are letters and
 * digits; what stands between them, however much, is a separator, since providers allow
 * few characters in names. More may stand before the server's name.
 *
 * Any other item was drawn on when the answer, calls and arguments included, has from its
 * name and text three words, or one special mark (stats/marks.h), that nothing else in the
 * request has; or its name as it is written, where that has two words or a special mark,
 * or is a word that nothing else in the request has. */
int ctx_drawn_judge(struct ctx_drawn_run *d, const struct ctx_item_request *r,
    const enum ctx_drawn **out, size_t *n, struct ctx_err *err);

/* True if a call of that name calls the tool. Plain text; server may be "". */
bool ctx_drawn_calls(
    struct ctx_span called, struct ctx_span server, struct ctx_span name);

#endif
