/* Decides which items of a request the answer to the request used. Items are the rules,
 * references, tools and prompts of ctx-item. The decision is made from the stored
 * texts. */
#ifndef CTX_STATS_DRAWN_H
#define CTX_STATS_DRAWN_H

#include "store/item.h"

enum ctx_drawn {
	/* not known: the entry of the request is not an item, or the text of the item or
	 * of the answer is missing in the store */
	CTX_DRAWN_UNKNOWN,
	CTX_DRAWN_NO,
	CTX_DRAWN_YES,
};

/* State for calling ctx_drawn_judge for many requests, which must be in the order of
 * ctx_item_requests. Each message of a turn is then read only once, and the memory needed
 * is bounded. */
struct ctx_drawn_run;
struct ctx_drawn_run *ctx_drawn_new(struct ctx_store *st);
void ctx_drawn_free(struct ctx_drawn_run *d);

/* Decides which items of a request the answer used. Sets *out to an array that has one
 * result for each entry of the request record's members "messages" and "in_view", in this
 * order, and *n to the length of the array. The array is valid until the next call.
 * Returns 0, or -1 on error.
 *
 * Texts that are added to one request of a run are repeated in the later requests of the
 * run. Therefore, for a request of a run, "the answer" below means all answers from this
 * request to the end of the turn.
 *
 * A tool was used if the answer, or a later message of the same turn, contains a call of
 * the tool (see ctx_drawn_calls).
 *
 * A rule, reference or prompt was used if the answer repeats three of its unique words or
 * one of its unique special tokens (stats/marks.h). A word is unique if it occurs in the
 * item's name or text and nowhere else in the request. The answer includes its tool calls
 * and their arguments. The item was also used if the answer contains the item's name
 * verbatim, and the name has two words, has a special token, or is a unique word. */
int ctx_drawn_judge(struct ctx_drawn_run *d, const struct ctx_item_request *r,
    const enum ctx_drawn **out, size_t *n, struct ctx_err *err);

/* Returns true if a tool call refers to the tool with this name on this server. called:
 * the name in the tool call; server: the name of the server, or "" if the tool has no
 * server; name: the name of the tool. The three names are plain text, not JSON. The call
 * may use the tool's name alone, or the server's name followed by the tool's name, with
 * or without a prefix. Because providers restrict the characters of names, only letters
 * and digits are compared, and any other characters count as one separator. */
bool ctx_drawn_calls(
    struct ctx_span called, struct ctx_span server, struct ctx_span name);

#endif
