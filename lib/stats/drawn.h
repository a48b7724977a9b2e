/* Finds which items of a request were used by its answer, as far as stored texts show. */
#ifndef CTX_STATS_DRAWN_H
#define CTX_STATS_DRAWN_H

#include "store/item.h"

enum ctx_drawn {
	/* not an item, or its text or the answer is not in the store (any more) */
	CTX_DRAWN_UNKNOWN,
	CTX_DRAWN_NO,
	CTX_DRAWN_YES,
};

/* State of a pass over requests in the order of ctx_item_requests. Each message of a
 * turn is read once, and memory use is bounded. */
struct ctx_drawn_run;
struct ctx_drawn_run *ctx_drawn_new(struct ctx_store *st);
void ctx_drawn_free(struct ctx_drawn_run *d);

/* Judges every entry of the request's messages, then of its in_view. *out has *n entries and
 * is valid until the next call. For a request of a run, whose later requests hold the same
 * additions, the answer is all the answers of the turn from this one on.
 *
 * A tool was used if the answer, or a later message of its turn, calls it: by its name,
 * or by its server's name and its own. Only letters and digits are compared; other
 * characters, however many, count as a separator, because providers restrict the
 * characters of names. The called name may have a prefix before the server's name.
 *
 * Any other item was used if the answer, calls and arguments included, repeats three
 * words of its name and text, or one special mark (stats/marks.h), that occur nowhere
 * else in the request. It was also used if the answer contains its name as written,
 * and the name has two words or a special mark, or is a word that occurs nowhere else
 * in the request. */
int ctx_drawn_judge(struct ctx_drawn_run *d, const struct ctx_item_request *r,
    const enum ctx_drawn **out, size_t *n, struct ctx_err *err);

/* True if called, the name in a call, means the tool name of server ("": of no
 * server). All are plain text, not JSON. */
bool ctx_drawn_calls(
    struct ctx_span called, struct ctx_span server, struct ctx_span name);

#endif
