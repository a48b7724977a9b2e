/* Loads the recent window of a stored session. Reads no more messages than needed. */
#ifndef CTX_WINDOW_WINDOW_H
#define CTX_WINDOW_WINDOW_H

#include "base/arena.h"
#include "record/request.h"
#include "select/select.h"
#include "store/store.h"
#include "store/summary.h"

struct ctx_window_options {
	int64_t max_messages; /* maximum number of messages; -1: no limit */
	int64_t max_turns;    /* maximum number of turns; -1: no limit */
	int64_t budget; /* maximum number of tokens of the whole request; -1: no limit */
	/* number of tokens of the budget to keep free for additions and the answer */
	int64_t reserve;
	/* only messages created at this time (ms since the epoch) or later;
	 * CTX_TIME_NONE: no limit */
	int64_t since;
	/* sequence number of the newest message to include; -1: the session's last */
	int64_t until;
	/* true: if there is a budget, cut the window in large steps, so that consecutive
	 * requests begin with the same messages */
	bool stable;
	/* maximum share of the budget that the window uses after a cut, from 0 to 1 */
	double low_water;
	/* Name of the sequence of runs (--run) to which the request belongs. In a run,
	 * each request continues the previous request. "": the default sequence for the
	 * parameters of the window; NULL: a rolling window, without runs. */
	const char *run;
	bool fresh; /* true: begin a new run with this request */
	/* the store that defines the session's items; NULL: do not check whether the
	 * items still exist */
	struct ctx_store *items;
	struct ctx_span params; /* the request's parameters (JSON), or absent */
	/* true: ignore summaries and use the messages themselves */
	bool no_summary;
	const char *system; /* text of a system message to put first; may be NULL */
	/* system text for a session without a system message; may be NULL */
	const char *default_system;
	const char *provider, *mode; /* for the request record; may be NULL */
	/* A function that adapts the tokenizer to the model of the last similar request
	 * (JSON string, or absent). It is called before anything is counted. NULL: the
	 * tokenizer is not adapted. */
	int (*count_for)(
	    struct ctx_tokenizer *t, struct ctx_span model, struct ctx_err *err);
	int64_t now;
};

struct ctx_window_row; /* defined in window/rows.h */

/* A loaded window. Its history borrows from the arena. */
struct ctx_window {
	struct ctx_session session;
	/* the summary in use; summary.n is 0 if no summary is in use */
	struct ctx_store_summary summary;
	/* the loaded messages; the member keep of an item says whether the message is in
	 * the window */
	struct ctx_history history;
	const struct ctx_stored **rows; /* the messages; parallel to history.items */
	struct ctx_window_row *loaded;  /* the rows that are not in the arena; owned */
	/* for each item of the history that is an added text: the member "source" of its
	 * record, which says where the text comes from; absent for other messages */
	struct ctx_span *sources;
	size_t cap_rows;
	struct ctx_arena arena;
	struct ctx_request request;
};

#define CTX_WINDOW_INIT                                                  \
	{                                                                \
		.session = CTX_SESSION_INIT, .request = CTX_REQUEST_INIT \
	}
void ctx_window_release(struct ctx_window *w);

/* Reads the window of a session, chooses the messages to keep, and builds the request
 * record. The caller fills in w->session before the call. st may be NULL if the session
 * is empty. If the summary in use ends before message o->until, the summary is always in
 * the window. Of the messages that the summary covers, the window contains only opening
 * system messages, pinned messages, and messages on which these or the first message
 * after the summary depend. The cost depends on the size of the window, not on the size
 * of the session. Opens a read transaction. */
int ctx_window_load(struct ctx_window *w, struct ctx_store *st,
    const struct ctx_window_options *o, struct ctx_tokenizer *t, struct ctx_err *err);

/* Appends the window's records: the session, the messages, the request. from: the
 * position of the first record to append (0: the window's first record). Stops when *out
 * has grown by about this number of bytes. Returns the position at which the next call
 * continues, or 0 if all records were appended. */
size_t ctx_window_print(
    struct ctx_buf *out, const struct ctx_window *w, size_t from, size_t bytes);

#endif
