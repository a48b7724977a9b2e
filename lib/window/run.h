/* Private to lib/window: runs of requests. In a run, each request continues the previous
 * request. The runs of a session with the same name (member run of struct
 * ctx_window_options) follow each other and form a line. */
#ifndef CTX_WINDOW_RUN_H
#define CTX_WINDOW_RUN_H

#include "base/hash.h"
#include "window/rows.h"

/* The newest answered request of a line of runs, and what decides whether the next
 * request can continue it. */
struct ctx_run {
	/* record of the newest answered request; empty: there is no such request */
	struct ctx_buf record;
	struct ctx_request last;
	/* reason why the next request must begin a new run; NULL: there is no such
	 * reason */
	const char *cut;
	bool continues; /* true: the next request continues the newest answered request */
	bool withheld;  /* true: the answer to the newest answered request is not sent */
	char front[CTX_HASH_HEX + 1]; /* digest of the system text in the options */
	/* digest of the session's items; "": the session has no items */
	char items[CTX_HASH_HEX + 1];
	/* number of the summary in use if the provider made this summary; otherwise 0 */
	int64_t compaction;
	/* number of tokens of the newest answered request that do not belong to messages,
	 * such as the tokens of tools */
	int64_t extra;
};

void ctx_run_init(struct ctx_run *run);
void ctx_run_release(struct ctx_run *run);

/* Finds the newest answered request of the line with the name l->o->run, and decides
 * whether the next request can continue it. Does not consider the budget yet. Call inside
 * a read transaction. */
int ctx_run_find(struct ctx_run *run, struct ctx_window_rows *l, struct ctx_err *err);

/* After ctx_run_load returned 2: finds the answered request that precedes run->last in
 * its run. */
int ctx_run_find_before(
    struct ctx_run *run, struct ctx_window_rows *l, struct ctx_err *err);

/* Sets run->withheld. If the next request cannot continue the last request, for a reason
 * other than the budget, sets run->cut to this reason. Call inside a read transaction,
 * after the hidden ranges are read. (This function and the four functions below are in
 * run_cut.c.) */
int ctx_run_cut(struct ctx_run *run, struct ctx_window_rows *l, struct ctx_err *err);

/* Returns true if more than a fifth of the texts that were added to the last request are
 * outdated. A text is outdated if the request also contains a newer text of the same
 * item. */
bool ctx_run_superseded(const struct ctx_run *run);

/* Removes from the array entries the entries of items that have been disabled or removed
 * from the session since the request was made, and updates *n, the length of the array.
 * An entry is an element of a list in the request record. Call inside a read
 * transaction. */
int ctx_run_drop_gone(const struct ctx_window_rows *l, struct ctx_span *entries,
    size_t *n, struct ctx_err *err);

/* Sets run->items to the digest of the session's items. Call inside a read
 * transaction. */
int ctx_run_hash_items(
    struct ctx_run *run, const struct ctx_window_rows *l, struct ctx_err *err);

/* Writes the digest of the hidden ranges to out. */
void ctx_run_hash_hidden(const struct ctx_window_rows *l, char out[CTX_HASH_HEX + 1]);

/* Fills in the window's history: the messages of the last request, as they were sent,
 * then the answer to this request, then the messages after the answer. Returns
 * - 1 on success;
 * - 0 if the run must be cut, because the history exceeds the budget, or because a new
 *   turn begins and too many added texts are outdated (ctx_run_superseded): the history
 *   is then empty, run->cut is set and run->continues is false;
 * - 2, with an empty history, if the last request ended with a system message that is
 *   allowed only directly before an answer, and the new request will not contain that
 *   answer: the new request then need not begin like the last one, as after a failed
 *   request;
 * - -1 on error. */
int ctx_run_load(struct ctx_run *run, struct ctx_window_rows *l, struct ctx_err *err);

/* Called when a run is cut inside a turn. seq: the sequence number of the message that
 * starts this turn. Adds to the window the additions that the last request contained for
 * this turn, in the form in which they were sent. Leaves out items that have been
 * disabled or removed since the last request. */
int ctx_run_add_carried(const struct ctx_run *run, struct ctx_window_rows *l, int64_t seq,
    struct ctx_err *err);

/* Sets the member "run" of the window's request record. */
void ctx_run_note(const struct ctx_run *run, struct ctx_window_rows *l);

#endif
