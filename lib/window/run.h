/* Private to lib/window: runs of requests. In a run, each request continues the previous
 * request. When a run is cut, the next request begins a new run. The runs of a session
 * that have the same name (ctx_window_options.run) form a sequence. */
#ifndef CTX_WINDOW_RUN_H
#define CTX_WINDOW_RUN_H

#include "base/hash.h"
#include "window/rows.h"

/* The newest answered request of a sequence of runs, and whether the next request can
 * continue this request. */
struct ctx_run {
	/* record of the newest answered request; empty: no request was answered yet */
	struct ctx_buf record;
	struct ctx_request last;
	/* reason why the next request must begin a new run; NULL: no reason */
	const char *cut;
	bool continues; /* true: the next request continues the newest answered request */
	/* true: the next request leaves out the answer to the newest answered request */
	bool withheld;
	/* digest of the system text in the options (struct ctx_window_options) */
	char front[CTX_HASH_HEX + 1];
	/* digest of the session's items; "": the session has no items */
	char items[CTX_HASH_HEX + 1];
	/* number of the summary in use if a provider made this summary; otherwise 0 */
	int64_t compaction;
	/* number of tokens of the newest answered request outside its messages, such as
	 * the tokens of tool definitions */
	int64_t extra;
};

void ctx_run_init(struct ctx_run *run);
void ctx_run_release(struct ctx_run *run);

/* Finds the newest answered request in the sequence of runs with the name l->o->run, and
 * decides whether the next request can continue that request. Does not consider the
 * budget yet. Call inside a read transaction. */
int ctx_run_find(struct ctx_run *run, struct ctx_window_rows *l, struct ctx_err *err);

/* Call if ctx_run_load returned 2, so that the request run->last need not be continued.
 * Finds the request before it in the same run, and decides whether the next request can
 * continue that earlier request. */
int ctx_run_find_before(
    struct ctx_run *run, struct ctx_window_rows *l, struct ctx_err *err);

/* Sets run->withheld. Sets run->cut if the next request cannot continue the last request,
 * for example because parameters or items changed; does not check the budget. Call inside
 * a read transaction, after the hidden ranges were read. */
int ctx_run_cut(struct ctx_run *run, struct ctx_window_rows *l, struct ctx_err *err);

/* Returns true if more than a fifth of the tokens of the texts that were added to the
 * last request are outdated. A text is outdated if the request also contains a newer text
 * of the same item. */
bool ctx_run_superseded(const struct ctx_run *run);

/* entries: an array of *n elements of a list in a request record. Removes the elements
 * for items that have been disabled, or removed from the session, since the request was
 * made. Updates *n. Call inside a read transaction. */
int ctx_run_drop_gone(const struct ctx_window_rows *l, struct ctx_span *entries,
    size_t *n, struct ctx_err *err);

/* Sets run->items to the digest of the session's items. Call inside a read
 * transaction. */
int ctx_run_hash_items(
    struct ctx_run *run, const struct ctx_window_rows *l, struct ctx_err *err);

/* Writes the digest of the hidden ranges to out. */
void ctx_run_hash_hidden(const struct ctx_window_rows *l, char out[CTX_HASH_HEX + 1]);

/* Fills the window's history with the messages of the last request, as they were sent,
 * the answer to this request, and the messages after the answer. Returns
 * - 1 on success;
 * - 0, with an empty history, if the run must be cut: the history exceeds the budget, or
 *   a new turn begins and ctx_run_superseded returns true. Sets run->cut, and sets
 *   run->continues to false;
 * - 2, with an empty history, if the last request ended with a system message that is
 *   allowed only directly before an answer, and the new request leaves out that answer.
 *   The new request then need not continue the last one (ctx_run_find_before);
 * - -1 on error. */
int ctx_run_load(struct ctx_run *run, struct ctx_window_rows *l, struct ctx_err *err);

/* Call when a run is cut inside the turn that message seq starts. Adds to the window,
 * unchanged, the texts that the last request contained directly before message seq and
 * that are not messages. Leaves out items that have been disabled or removed since the
 * last request. */
int ctx_run_add_carried(const struct ctx_run *run, struct ctx_window_rows *l, int64_t seq,
    struct ctx_err *err);

/* Sets the member "run" of the window's request record. */
void ctx_run_note(const struct ctx_run *run, struct ctx_window_rows *l);

#endif
