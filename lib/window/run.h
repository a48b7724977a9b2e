/* Private to lib/window: runs of requests, in which each continues the one before it. */
#ifndef CTX_WINDOW_RUN_H
#define CTX_WINDOW_RUN_H

#include "base/hash.h"
#include "window/rows.h"

/* The newest answered request of a line, and what follows from it for the next one. */
struct ctx_run {
	struct ctx_buf record; /* of that request; empty: there is none */
	struct ctx_request last;
	const char *cut; /* why the next request begins a run; NULL: it need not */
	bool continues;  /* the next request continues the last one */
	char front[CTX_HASH_HEX + 1];
	char items[CTX_HASH_HEX +
		   1]; /* digest of the session's items; "": there are none */
	int64_t extra; /* tokens of the last request besides its messages: tools */
};

void ctx_run_init(struct ctx_run *run);
void ctx_run_release(struct ctx_run *run);

/* Finds the newest answered request of the line that l->o names, and decides whether the
 * next request can continue it, budget aside. Call inside a read transaction. */
int ctx_run_find(struct ctx_run *run, struct ctx_window_rows *l, struct ctx_err *err);

/* Sets run->cut if anything but the budget keeps the next request from continuing the last
 * one. Call inside a read transaction, with the hidden ranges read (run_cut.c). */
int ctx_run_cut(struct ctx_run *run, struct ctx_window_rows *l, struct ctx_err *err);

/* Is more than a fifth of the additions that the last request holds text of items whose newer
 * text it holds, too (run_cut.c)? */
bool ctx_run_superseded(const struct ctx_run *run);

/* Sets run->items. Call inside a read transaction (run_cut.c). */
int ctx_run_hash_items(
    struct ctx_run *run, const struct ctx_window_rows *l, struct ctx_err *err);

/* The digest of the hidden ranges (run_cut.c). */
void ctx_run_hash_hidden(const struct ctx_window_rows *l, char out[CTX_HASH_HEX + 1]);

/* Fills the window's history: what the last request held, as it was sent, then its answer and
 * what came after it. Returns 1, or 0 if that does not fit the budget: then the history is
 * empty again, run->cut is set and run->continues is false. -1 on errors. */
int ctx_run_load(struct ctx_run *run, struct ctx_window_rows *l, struct ctx_err *err);

/* Adds the additions of the last request that were made for the turn of message seq, as they
 * were sent. For a cut inside that turn. */
int ctx_run_add_carried(const struct ctx_run *run, struct ctx_window_rows *l, int64_t seq,
    struct ctx_err *err);

/* Sets the member "run" of the window's request. */
void ctx_run_note(const struct ctx_run *run, struct ctx_window_rows *l);

#endif
