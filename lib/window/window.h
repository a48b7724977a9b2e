/* Loads the recent window of a stored session. Reads no more messages than needed. */
#ifndef CTX_WINDOW_WINDOW_H
#define CTX_WINDOW_WINDOW_H

#include "base/arena.h"
#include "record/request.h"
#include "select/select.h"
#include "store/store.h"
#include "store/summary.h"

struct ctx_window_options {
	int64_t max_messages; /* the last N messages; -1: no limit */
	int64_t max_turns;    /* the last N turns; -1: no limit */
	int64_t budget;  /* maximum number of tokens of the whole request; -1: no limit */
	int64_t reserve; /* tokens of the budget kept free for additions and the answer */
	int64_t since;   /* ms since the epoch; CTX_TIME_NONE: no limit */
	/* sequence number of the newest message to include; -1: the session's last */
	int64_t until;
	/* with a budget: cut in large steps, so that consecutive requests begin with the
	 * same messages */
	bool stable;
	double low_water; /* share of the budget that a cut leaves, from 0 to 1 */
	/* for append-only requests: the name given with --run, or "" for the default run
	 * of these parameters; NULL: a rolling window */
	const char *run;
	bool fresh; /* begin a new run */
	/* the store that defines the session's items; NULL: do not check whether the
	 * items still exist */
	struct ctx_store *items;
	struct ctx_span params; /* the request's parameters (JSON), or absent */
	/* use the messages themselves even if a summary covers them */
	bool no_summary;
	const char *system; /* text of a system message to put first; may be NULL */
	/* system text for a session without a system message; may be NULL */
	const char *default_system;
	const char *provider, *mode; /* for the request record; may be NULL */
	/* makes the tokenizer count for the model (JSON string, or absent) of the last
	 * request like this one; called before anything is counted. NULL: its counts
	 * stay as they are */
	int (*count_for)(
	    struct ctx_tokenizer *t, struct ctx_span model, struct ctx_err *err);
	int64_t now;
};

/* A loaded window. Its history borrows from the arena. */
struct ctx_window {
	struct ctx_session session;
	/* the summary in use; n is 0 if there is none */
	struct ctx_store_summary summary;
	struct ctx_history history; /* each item says whether it is kept */
	struct ctx_stored *rows;    /* parallel to history.items */
	/* sources of additions; parallel to history.items */
	struct ctx_span *sources;
	size_t cap_rows;
	struct ctx_arena arena;
	struct ctx_request request;
};

void ctx_window_init(struct ctx_window *w);
void ctx_window_release(struct ctx_window *w);

/* Reads the window of w->session (which the caller found), chooses the messages to keep
 * and builds the request record. If a summary in use ends before `until`, it is always
 * included; of the messages that it covers, only these are kept: opening system messages,
 * pinned messages, and messages on which these or the first message after the summary
 * depend. The cost depends on the window's size, not the session's. Opens a read
 * transaction. st may be NULL if the session is empty. */
int ctx_window_load(struct ctx_window *w, struct ctx_store *st,
    const struct ctx_window_options *o, struct ctx_tokenizer *t, struct ctx_err *err);

/* Appends the window's records (session, kept messages, request), starting at position
 * from (0: the first), until out has grown by about bytes. Returns the position to
 * continue at, or 0 if all records are printed. */
size_t ctx_window_print(
    struct ctx_buf *out, const struct ctx_window *w, size_t from, size_t bytes);

#endif
