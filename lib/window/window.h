/* Loads the window of a stored session: the newest messages, within limits such as a
 * token budget. Reads no more messages than needed. */
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
	/* number of tokens to keep free for the answer and for texts that are added
	 * later */
	int64_t reserve;
	/* only messages created at this time (ms since the epoch) or later;
	 * CTX_TIME_NONE: no limit */
	int64_t since;
	/* sequence number of the newest message to include; -1: the newest one of the
	 * session */
	int64_t until;
	/* true: if there is a budget, cut the window in large steps, so that consecutive
	 * requests begin with the same messages */
	bool stable;
	/* maximum share of the budget that the window uses after a cut, from 0 to 1 */
	double low_water;
	/* Name of the sequence of runs (--run) to which the request belongs. In a run,
	 * each request continues the previous request. "": the default sequence for this
	 * system text; NULL: the request is not part of a run. */
	const char *run;
	/* true: this request begins a new run and does not continue the previous
	 * request */
	bool fresh;
	/* store in which the session's items are defined; NULL: do not check whether the
	 * items still exist */
	struct ctx_store *items;
	struct ctx_span params; /* the request's parameters (JSON), or absent */
	/* true: use the messages themselves, not the summary that replaces them */
	bool no_summary;
	const char *system; /* text of a system message to put first; may be NULL */
	/* system text for a session without a system message; may be NULL */
	const char *default_system;
	/* provider and mode to store in the request record; each may be NULL */
	const char *provider, *mode;
	/* Called before tokens are counted, to adapt tokenizer t to a model. model: the
	 * model of an earlier request to the provider (JSON string, or absent). If this
	 * member is NULL, the tokenizer is not adapted. */
	int (*count_for)(
	    struct ctx_tokenizer *t, struct ctx_span model, struct ctx_err *err);
	int64_t now;
};

struct ctx_window_row; /* defined in window/rows.h */

/* A loaded window. The messages in its history are stored in its arena. */
struct ctx_window {
	struct ctx_session session;
	/* the summary in use; summary.n is 0 if no summary is in use */
	struct ctx_store_summary summary;
	/* the loaded messages; an item whose member "keep" is true is in the window */
	struct ctx_history history;
	/* rows[i] is the stored message of history.items[i] */
	const struct ctx_stored **rows;
	/* the rows from ctx_window_rows_read; freed by ctx_window_release */
	struct ctx_window_row *loaded;
	/* sources[i] is the "source" object of history.items[i], which says where an
	 * added text comes from; absent if the item is a message of the session */
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
 * is empty. The cost depends on the size of the window, not on the size of the session.
 * Opens a read transaction.
 *
 * The window contains the summary in use if the summary ends before message o->until. Of
 * the messages that the summary covers, the window then contains only the system messages
 * at the beginning of the session, pinned messages, and messages that the window's other
 * messages need (the calls of results, the message that starts a turn). */
int ctx_window_load(struct ctx_window *w, struct ctx_store *st,
    const struct ctx_window_options *o, struct ctx_tokenizer *t, struct ctx_err *err);

/* Appends the window's records: the session, the messages, the request. from: position of
 * the first record to append; 0: the beginning; bytes: stop when about this number of
 * bytes was appended. Returns the position of the next record, or 0 if all records were
 * appended. */
size_t ctx_window_print(
    struct ctx_buf *out, const struct ctx_window *w, size_t from, size_t bytes);

/* Rebuilds the window from which an earlier request was rendered, and appends its
 * records: the session record; the messages (including hidden ones) and the added texts
 * that the request record lists; and the request record itself. record: the request
 * record. Rendering these records gives the same bytes as the earlier request. Fails with
 * CTX_EANSWER if one of the messages is no longer in the store. */
int ctx_replay_print(struct ctx_buf *out, struct ctx_store *st,
    const struct ctx_session *s, struct ctx_span record, struct ctx_err *err);

#endif
