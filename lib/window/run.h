/* Private to lib/window: runs of requests, in which each request continues the one before
 * it. */
#ifndef CTX_WINDOW_RUN_H
#define CTX_WINDOW_RUN_H

#include "base/hash.h"
#include "window/rows.h"

/* The newest answered request of a line, and what it means for the next one. */
struct ctx_run {
	struct ctx_buf record; /* record of that request; empty: none */
	struct ctx_request last;
	const char *cut; /* reason why the next request begins a run; NULL: it need not */
	bool continues;  /* the next request continues the last one */
	bool withheld;   /* the answer to the last request is not sent */
	char front[CTX_HASH_HEX + 1];
	char items[CTX_HASH_HEX + 1]; /* digest of the session's items; "": none */
	int64_t compaction; /* number of the provider's summary in use; 0: none */
	int64_t extra;      /* tokens of the last request outside its messages (tools) */
};

void ctx_run_init(struct ctx_run *run);
void ctx_run_release(struct ctx_run *run);

/* Finds the newest answered request of the line that l->o names, and decides whether the
 * next request can continue it, apart from the budget. Call inside a read transaction. */
int ctx_run_find(struct ctx_run *run, struct ctx_window_rows *l, struct ctx_err *err);

/* After ctx_run_load returned 2: finds the answered request of the run before the last one. */
int ctx_run_find_before(
    struct ctx_run *run, struct ctx_window_rows *l, struct ctx_err *err);

/* Sets run->cut if anything except the budget prevents the next request from continuing
 * the last one, and run->withheld. Call inside a read transaction, after the hidden
 * ranges are read (run_cut.c). */
int ctx_run_cut(struct ctx_run *run, struct ctx_window_rows *l, struct ctx_err *err);

/* True if more than a fifth of the additions in the last request are outdated: the request
 * also holds a newer text of the same item (run_cut.c). */
bool ctx_run_superseded(const struct ctx_run *run);

/* Removes from n entries of a request record the additions that are items and were
 * disabled, or removed from the session. Call inside a read transaction (run_cut.c). */
int ctx_run_drop_gone(const struct ctx_window_rows *l, struct ctx_span *entries,
    size_t *n, struct ctx_err *err);

/* Sets run->items. Call inside a read transaction (run_cut.c). */
int ctx_run_hash_items(
    struct ctx_run *run, const struct ctx_window_rows *l, struct ctx_err *err);

/* Computes the digest of the hidden ranges (run_cut.c). */
void ctx_run_hash_hidden(const struct ctx_window_rows *l, char out[CTX_HASH_HEX + 1]);

/* Fills the window's history: what the last request held, as sent, then its answer and
 * the messages after it. Returns
 * - 1;
 * - 0 if that exceeds the budget: the history is then empty, run->cut is set and
 *   run->continues is false;
 * - 2, with an empty history, if the last request ended with a system message that is allowed
 *   only directly before an answer, and the new request will not contain that answer: the new
 *   request then need not begin like the last one, as after a failed request;
 * - -1 on error. */
int ctx_run_load(struct ctx_run *run, struct ctx_window_rows *l, struct ctx_err *err);

/* Adds the additions of the last request that were made for the turn of message seq, as
 * they were sent, without items that were disabled or removed since. Used when a run is cut
 * inside that turn. */
int ctx_run_add_carried(const struct ctx_run *run, struct ctx_window_rows *l, int64_t seq,
    struct ctx_err *err);

/* Sets the member "run" of the window's request record. */
void ctx_run_note(const struct ctx_run *run, struct ctx_window_rows *l);

#endif
