/* Private to lib/window: reads the stored messages of a window, newest first. Then reads
 * older messages that the window must also contain, such as system messages and pinned
 * messages. */
#ifndef CTX_WINDOW_ROWS_H
#define CTX_WINDOW_ROWS_H

#include "base/map.h"
#include "store/recount.h"
#include "store/summary.h"
#include "window/window.h"

struct ctx_run; /* defined in window/run.h */

struct ctx_window_row {
	/* must be the first member of the row, because ctx_compare_int64 sorts the rows
	 * by the sequence number at the beginning of struct ctx_stored */
	struct ctx_stored m;
	/* true: the message is outside the limits of the window, but the window needs
	 * it */
	bool far;
	bool known; /* true: first_call and n_calls are set */
	/* The message's calls and results are elements of the array
	 * ctx_window_rows.calls. first_call: index of the first of them; n_calls: number
	 * of them */
	size_t first_call, n_calls;
};

struct ctx_window_rows {
	struct ctx_window *w;
	struct ctx_store *st; /* NULL if the session is empty */
	const struct ctx_window_options *o;
	struct ctx_tokenizer *t;
	struct ctx_recount *recount; /* NULL if there is no store */
	/* avail: maximum number of tokens of the messages; cut_base: see struct
	 * ctx_policy */
	int64_t avail, cut_base;
	/* true: at least one message was counted with another tokenizer when it was
	 * stored */
	bool recounted;
	/* number of tokens of the session's messages before the window
	 * (ctx_stable_base) */
	int64_t stable_base;
	/* the rows, newest first until the last row is read, then sorted by sequence
	 * number */
	struct ctx_window_row *rows;
	size_t n, cap;
	/* maps the sequence number of a row to the row's index in the array "rows", plus
	 * 1; no longer valid once the rows are sorted */
	struct ctx_map places;
	struct ctx_ref *calls;
	size_t n_calls, cap_calls;
	/* sequence number of the oldest message that is within the limits of the
	 * window */
	int64_t near;
	struct ctx_seq_range *hidden;
	size_t n_hidden;
	/* all visible messages from this sequence number to the newest one were read */
	int64_t lowest;
	/* the summary replaces the messages up to this sequence number; 0: no summary */
	int64_t covered;
	int64_t summary_tokens;
	struct ctx_run *run; /* NULL: the window is not part of a run */
	/* sequence number of the message that starts the last turn; -1: no such message.
	 * If the run is cut inside that turn, ctx_run_add_carried is called for this
	 * message. */
	int64_t carry_to;
};

/* Reads the rows of the window. The caller sets the members of *l up to and including
 * stable_base; this function sets the other members, l->w->summary, and
 * l->w->request.for_seq. The texts of the rows are stored in l->w->arena. Call inside a
 * read transaction. */
int ctx_window_rows_read(struct ctx_window_rows *l, struct ctx_err *err);
/* Releases the memory of *l, except l->rows. */
void ctx_window_rows_release(struct ctx_window_rows *l);

/* Reads into *m the summary that the window contains in place of old messages: the
 * summary in use or, if the window's provider cannot read that summary, the newest
 * earlier summary that the provider can read. until: a sequence number; summaries that
 * cover this message or a later one are not used. The caller zero-fills *m before the
 * call. Returns 1 if a summary was read, 0 if not, -1 on error. */
int ctx_window_summary(const struct ctx_window_rows *l, int64_t until,
    struct ctx_store_summary *m, struct ctx_err *err);

/* Returns a copy of the row. The copy is valid as long as the window exists. */
const struct ctx_stored *ctx_window_keep_row(
    struct ctx_window *w, const struct ctx_stored *row);

/* Stores the row and the "source" object of the item that was added last to w->history.
 * The row must stay valid as long as the window exists. */
void ctx_window_note_item(
    struct ctx_window *w, const struct ctx_stored *row, struct ctx_span source);

/* Adds an item without a sequence number to the window, and a row for this item. type,
 * id: values of the row's members with these names (struct ctx_stored); source: the
 * "source" object of the item. The item's message, id and source must stay valid as long
 * as the window exists. */
int ctx_window_add(struct ctx_window_rows *l, struct ctx_item *item, int type,
    struct ctx_span id, struct ctx_span source, struct ctx_err *err);

/* Adapts the tokenizer to the model of the last request in the sequence of runs with the
 * name l->o->run. If that request was sent to another provider or names no model, uses
 * the model of the session's last request to the provider. Does nothing if
 * l->o->count_for is NULL. */
int ctx_window_count_for_last(struct ctx_window_rows *l, struct ctx_err *err);

#endif
