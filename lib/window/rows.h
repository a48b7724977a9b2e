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
	/* comes first, and begins with seq, so that ctx_compare_int64 sorts rows by
	 * seq */
	struct ctx_stored m;
	/* true: the message is beyond the limits of the window, but was read because the
	 * window needs this message */
	bool far;
	bool known; /* true: first_call and n_calls are set */
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
	/* number of tokens of the session's messages before the window, as in struct
	 * ctx_policy */
	int64_t stable_base;
	/* the rows in the order in which they were read; after the last one is read, they
	 * are sorted by sequence number */
	struct ctx_window_row *rows;
	size_t n, cap;
	/* maps the sequence number of a row to the index of the row in rows, plus 1;
	 * valid until rows is sorted */
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

/* Reads the rows of the window. The caller sets the members of *l that are declared
 * before rows; this function sets rows and the members after it, l->w->summary, and
 * l->w->request.for_seq. The texts of the rows are stored in l->w->arena. Call inside a
 * read transaction. */
int ctx_window_rows_read(struct ctx_window_rows *l, struct ctx_err *err);
/* Releases the memory of *l except the array rows. */
void ctx_window_rows_release(struct ctx_window_rows *l);

/* Reads into *m the summary that the window contains in place of old messages: the
 * summary in use or, if the window's provider cannot read that summary, the newest
 * earlier summary that the provider can read. Ignores summaries that do not end before
 * the message with the sequence number until. The caller zero-fills *m before the call.
 * Returns 1 if there is such a summary, 0 if not, -1 on error. */
int ctx_window_summary(const struct ctx_window_rows *l, int64_t until,
    struct ctx_store_summary *m, struct ctx_err *err);

/* Returns a copy of the row. The copy is valid as long as the window exists. */
const struct ctx_stored *ctx_window_keep_row(
    struct ctx_window *w, const struct ctx_stored *row);

/* Stores the row and the source that belong to the last item of w->history. The row must
 * stay valid as long as the window exists. */
void ctx_window_note_item(
    struct ctx_window *w, const struct ctx_stored *row, struct ctx_span source);

/* Adds an item without a sequence number to the window, together with a row for the item.
 * type and id: members of the row (struct ctx_stored); source: the "source" object of the
 * item. The item's message, id and source must stay valid as long as the window
 * exists. */
int ctx_window_add(struct ctx_window_rows *l, struct ctx_item *item, int type,
    struct ctx_span id, struct ctx_span source, struct ctx_err *err);

/* Adapts the tokenizer to the model of the last request in the line of runs with the name
 * l->o->run. If that request names no model, uses the model of the session's last request
 * to the provider. Does nothing if l->o->count_for is NULL. */
int ctx_window_count_for_last(struct ctx_window_rows *l, struct ctx_err *err);

#endif
