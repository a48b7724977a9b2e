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
	/* true: the message was read although it is beyond the limits of the window */
	bool far;
	bool known; /* true: the message's calls and results are known */
	/* index of the message's first call or result in the member calls of struct
	 * ctx_window_rows, and their number */
	size_t first_call, n_calls;
};

struct ctx_window_rows {
	struct ctx_window *w;
	struct ctx_store *st; /* NULL if the session is empty */
	const struct ctx_window_options *o;
	struct ctx_tokenizer *t;
	struct ctx_recount *recount; /* NULL if there is no store */
	/* avail: number of tokens that messages may use; cut_base: as in struct
	 * ctx_policy */
	int64_t avail, cut_base;
	/* true: the stored token count of some row came from another tokenizer */
	bool recounted;
	/* as the member stable_base of struct ctx_policy: number of tokens before the
	 * window */
	int64_t stable_base;
	/* the rows in the order in which they were read; sorted by sequence number at the
	 * end */
	struct ctx_window_row *rows;
	size_t n, cap;
	struct ctx_map places; /* index in rows + 1, by sequence number, before sorting */
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

/* Reads the rows of the window. The members of *l above rows are the inputs. Fills in
 * rows and the members below it, and sets l->w->summary and l->w->request.for_seq. Call
 * inside a read transaction. Texts are in l->w->arena. */
int ctx_window_rows_read(struct ctx_window_rows *l, struct ctx_err *err);
/* Releases all but the rows. */
void ctx_window_rows_release(struct ctx_window_rows *l);

/* Reads the summary that the window shows in place of old messages: the summary in use
 * or, if the window's provider cannot read that summary, the newest earlier summary that
 * it can read. Only summaries that end before the message with the sequence number until
 * are considered. Returns 1 and fills in *m, which the caller initialized with zeros; 0
 * if there is no such summary; -1 on error. */
int ctx_window_summary(const struct ctx_window_rows *l, int64_t until,
    struct ctx_store_summary *m, struct ctx_err *err);

/* Returns a copy of the row that lives as long as the window. */
const struct ctx_stored *ctx_window_keep_row(
    struct ctx_window *w, const struct ctx_stored *row);

/* Sets the row and the source of the last item of w->history. The row must live as long
 * as the window. */
void ctx_window_note_item(
    struct ctx_window *w, const struct ctx_stored *row, struct ctx_span source);

/* Adds an item without a sequence number, and its row, to the window. type and id are
 * members of the row (struct ctx_stored); source is the source of the row. The message,
 * id and source must live as long as the window. */
int ctx_window_add(struct ctx_window_rows *l, struct ctx_item *item, int type,
    struct ctx_span id, struct ctx_span source, struct ctx_err *err);

/* Makes the tokenizer count for the model of the last request in the line of runs that
 * l->o->run names. If that request names no model, uses the model of the session's last
 * request to the provider. Does nothing if l->o->count_for is NULL. */
int ctx_window_count_for_last(struct ctx_window_rows *l, struct ctx_err *err);

#endif
