/* The recent window of a stored session: reads no more of it than the window needs. */
#ifndef CTX_WINDOW_WINDOW_H
#define CTX_WINDOW_WINDOW_H

#include "base/arena.h"
#include "record/request.h"
#include "select/select.h"
#include "store/store.h"
#include "store/summary.h"

struct ctx_window_options {
	int64_t max_messages;    /* last N messages; -1 no limit */
	int64_t max_turns;       /* last N turns; -1 no limit */
	int64_t budget;          /* tokens of the whole request; -1 no limit */
	int64_t reserve;         /* tokens of it kept free for additions and the answer */
	int64_t since;           /* ms; CTX_TIME_NONE no limit */
	int64_t until;           /* seq of the newest message to look at; -1 the last */
	bool stable;             /* with a budget: cut in large steps, so that consecutive
				      * requests begin alike */
	double low_water;        /* the share of the budget that a cut leaves, 0…1 */
	const char *run;         /* append-only requests: the name of the line, "" for the
				      * one of this front; NULL: a window that rolls */
	bool fresh;              /* the next request begins a run */
	struct ctx_store *items; /* where the session's items are defined; NULL: whether
				  * they still are is not looked at */
	struct ctx_span params;  /* of the request, JSON, or absent */
	bool no_summary;         /* the messages themselves, whatever was summarised */
	const char *system;      /* text of a system message to put first; NULL none */
	const char *default_system;  /* the same, for a session without any; NULL none */
	const char *provider, *mode; /* for the request record; may be NULL */
	int64_t now;
};

/* A loaded window. Its history borrows from the arena. */
struct ctx_window {
	struct ctx_session session;
	struct ctx_store_summary summary; /* in use; n is 0: none */
	struct ctx_history history;       /* each item says whether it is kept */
	struct ctx_stored *rows;          /* beside history.items */
	struct ctx_span *sources;         /* of additions; beside history.items */
	size_t cap_rows;
	struct ctx_arena arena;
	struct ctx_request request;
};

void ctx_window_init(struct ctx_window *w);
void ctx_window_release(struct ctx_window *w);

/* Read the window of w->session (found by the caller), choose what is kept, and make the
 * request record. Where the session has a summary in use that ends before `until`, it is
 * always in, and of the messages that it covers only the opening system messages, pinned
 * ones, and those that these or the first message behind it need. Costs follow the window, not the session. Opens and ends a read
 * transaction of its own. st may be NULL when the session is empty. */
int ctx_window_load(struct ctx_window *w, struct ctx_store *st,
    const struct ctx_window_options *o, struct ctx_tokenizer *t, struct ctx_err *err);

/* Append its records, session, messages kept, request, from a place on, 0 the beginning,
 * until so many bytes are there. Returns the place to go on from; 0: all is there. */
size_t ctx_window_print(
    struct ctx_buf *out, const struct ctx_window *w, size_t from, size_t bytes);

#endif
