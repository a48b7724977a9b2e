/* Decides which items of a request its answer used, judging by the stored texts. */
#ifndef CTX_STATS_DRAWN_H
#define CTX_STATS_DRAWN_H

#include "store/item.h"

enum ctx_drawn {
	/* not an item, or its text or the answer is not (or no longer) in the store */
	CTX_DRAWN_UNKNOWN,
	CTX_DRAWN_NO,
	CTX_DRAWN_YES,
};

/* State of a pass over requests, in the order that ctx_item_requests gives them. Reads
 * each message of a turn once; memory use is bounded. */
struct ctx_drawn_run;
struct ctx_drawn_run *ctx_drawn_new(struct ctx_store *st);
void ctx_drawn_free(struct ctx_drawn_run *d);

/* Judges each entry of the request's messages, then each entry of its in_view. *out has
 * *n results and is valid until the next call. Later requests of a run repeat the
 * additions of earlier ones; so for a request of a run, "the answer" means all answers of
 * the turn from this request on.
 *
 * A tool was used if the answer, or a later message of its turn, calls the tool by its
 * name, or by its server's name and its own name. Only letters and digits are compared;
 * any run of other characters counts as one separator, because providers restrict the
 * characters of names. The called name may have a prefix before the server's name.
 *
 * Any other item was used if the answer, calls and arguments included, repeats three
 * words of the item's name and text, or one special mark (stats/marks.h), that occur
 * nowhere else in the request. It was also used if the answer contains the item's name
 * verbatim, and the name has two words or a special mark, or is a word that occurs
 * nowhere else in the request. */
int ctx_drawn_judge(struct ctx_drawn_run *d, const struct ctx_item_request *r,
    const enum ctx_drawn **out, size_t *n, struct ctx_err *err);

/* Returns true if called, the name in a tool call, refers to the tool with this name and
 * server ("" if the tool has no server). All three are plain text, not JSON. */
bool ctx_drawn_calls(
    struct ctx_span called, struct ctx_span server, struct ctx_span name);

#endif
