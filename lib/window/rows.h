/* Private to lib/window: the stored messages of a window. They are read newest first;
 * then older messages that the window must contain (system messages, pins) are added. */
#ifndef CTX_WINDOW_ROWS_H
#define CTX_WINDOW_ROWS_H

#include "base/map.h"
#include "store/recount.h"
#include "store/summary.h"
#include "window/window.h"

struct ctx_run; /* defined in window/run.h */

struct ctx_window_row {
	struct ctx_stored m; /* its member seq comes first, for ctx_compare_int64 */
	/* true: the message is beyond the limits of the window, but was read because the
	 * window needs it */
	bool far;
	bool known; /* true: the message's calls and results are known */
	/* index in calls (in struct ctx_window_rows) of the message's first call or
	 * result, and number of its calls and results */
	size_t first_call, n_calls;
};

struct ctx_window_rows {
	struct ctx_window *w;
	struct ctx_store *st; /* NULL if the session is empty */
	const struct ctx_window_options *o;
	struct ctx_tokenizer *t;
	struct ctx_recount *recount; /* NULL if there is no store */
	/* avail: maximum number of tokens for messages; cut_base: as in struct
	 * ctx_policy */
	int64_t avail, cut_base;
	/* true: the stored token count of at least one row was made with another
	 * tokenizer */
	bool recounted;
	/* number of tokens before the window, as in struct ctx_policy */
	int64_t stable_base;
	/* the rows in the order in which they were read; after the last one is read, they
	 * are sorted by sequence number */
	struct ctx_window_row *rows;
	size_t n, cap;
	/* before rows is sorted: maps a sequence number to the index in rows plus 1 */
	struct ctx_map places;
	struct ctx_ref *calls;
	size_t n_calls, cap_calls;
	int64_t near; /* sequence number of the oldest row within the limits */
	struct ctx_seq_range *hidden;
	size_t n_hidden;
	int64_t lowest; /* all visible messages from this sequence number on were read */
	/* the summary replaces the messages up to this sequence number; 0: no summary */
	int64_t covered;
	int64_t summary_tokens;
	struct ctx_run *run; /* NULL: a rolling window, without runs */
	/* sequence number of the message that starts the last turn (-1: no such message).
	 * If the run is cut inside that turn, the turn's additions are carried over to
	 * this message. */
	int64_t carry_to;
};

/* Reads the rows of the window. The members of *l before rows are the inputs. Fills in
 * rows and the members after it, and sets l->w->summary and l->w->request.for_seq. Call
 * inside a read transaction. Texts are in l->w->arena. */
int ctx_window_rows_read(struct ctx_window_rows *l, struct ctx_err *err);
/* Releases all but the rows. */
void ctx_window_rows_release(struct ctx_window_rows *l);

/* Reads the summary that the window contains in place of old messages: the summary in use
 * or, if the window's provider cannot read that summary, the newest earlier summary that
 * the provider can read. Ignores summaries that do not end before message until. Returns
 * 1 with *m filled in, which the caller has zero-filled; 0 if there is no such summary;
 * -1 on error. */
int ctx_window_summary(const struct ctx_window_rows *l, int64_t until,
    struct ctx_store_summary *m, struct ctx_err *err);

/* Returns a copy of the row, which is valid as long as the window exists. */
const struct ctx_stored *ctx_window_keep_row(
    struct ctx_window *w, const struct ctx_stored *row);

/* Sets the row and the source of the last item of w->history. The row must be valid as
 * long as the window exists. */
void ctx_window_note_item(
    struct ctx_window *w, const struct ctx_stored *row, struct ctx_span source);

/* Adds an item without a sequence number, and a row for it, to the window. type and id
 * are the type and the id of the row (struct ctx_stored); source is its source. The
 * message, id and source must be valid as long as the window exists. */
int ctx_window_add(struct ctx_window_rows *l, struct ctx_item *item, int type,
    struct ctx_span id, struct ctx_span source, struct ctx_err *err);

/* Adapts the tokenizer to the model of the last request in the line of runs with the name
 * l->o->run. If that request names no model, uses the model of the session's last request
 * to the provider. Does nothing if l->o->count_for is NULL. */
int ctx_window_count_for_last(struct ctx_window_rows *l, struct ctx_err *err);

#endif
