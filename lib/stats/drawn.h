/* Decides which items of a request the answer to the request used. Items are the rules,
 * references, tools and prompts of ctx-item. The decision is made from the stored
 * texts. */
#ifndef CTX_STATS_DRAWN_H
#define CTX_STATS_DRAWN_H

#include "store/item.h"

enum ctx_drawn {
	/* unknown: the entry of the request is not an item, or the text of the item or of
	 * the answer is not (or no longer) in the store */
	CTX_DRAWN_UNKNOWN,
	CTX_DRAWN_NO,
	CTX_DRAWN_YES,
};

/* State of a pass over requests in the order of ctx_item_requests. The pass reads each
 * message of a turn once and uses a bounded amount of memory. */
struct ctx_drawn_run;
struct ctx_drawn_run *ctx_drawn_new(struct ctx_store *st);
void ctx_drawn_free(struct ctx_drawn_run *d);

/* Sets *out to an array with the result for each entry of the members "messages" and
 * "in_view" of the request record, in this order, and *n to its length. The array is
 * valid until the next call. In a run, a later request repeats the texts that were added
 * to earlier requests. Therefore, for a request of a run, "the answer" below means all
 * answers from this request to the end of the turn. Returns 0, or -1 on error.
 *
 * A tool was used if the answer, or a later message of the answer's turn, contains a call
 * of the tool. The call may name the tool by the tool's name, or by the server's name
 * followed by the tool's name; a prefix may stand before the server's name. Only letters
 * and digits are compared, and any sequence of other characters counts as one separator,
 * because providers restrict the characters of names.
 *
 * Other items: an own word of an item is a word of the item's name or text that occurs
 * nowhere else in the request; an own mark is such a special mark (stats/marks.h). The
 * item was used if the answer (including its tool calls and their arguments) repeats
 * three own words or one own mark. The item was also used if the answer contains the
 * item's name verbatim and this name has two words, has a special mark, or is an own
 * word. */
int ctx_drawn_judge(struct ctx_drawn_run *d, const struct ctx_item_request *r,
    const enum ctx_drawn **out, size_t *n, struct ctx_err *err);

/* Returns true if a tool call refers to the tool with this name on this server. called:
 * the name in the tool call; server: the name of the server, or "" if the tool has none.
 * The three names are plain text, not JSON. */
bool ctx_drawn_calls(
    struct ctx_span called, struct ctx_span server, struct ctx_span name);

#endif
