/* Private to lib/window: the stored messages of a window. They are read newest first;
 * then older messages that the window must contain (system messages, pins) are added. */
#ifndef CTX_WINDOW_ROWS_H
#define CTX_WINDOW_ROWS_H

#include "store/recount.h"
#include "store/summary.h"
#include "window/window.h"

struct ctx_run; /* defined in run.h */

struct ctx_window_row {
	struct ctx_stored m;
	bool far;   /* read although it is beyond the limits */
	bool known; /* the message's calls and results are known */
	/* range of its calls and results in ctx_window_rows.calls */
	size_t first_call, n_calls;
};

struct ctx_window_rows {
	struct ctx_window *w;
	struct ctx_store *st; /* NULL if the session is empty */
	const struct ctx_window_options *o;
	struct ctx_tokenizer *t;
	struct ctx_recount *recount; /* NULL if there is no store */
	/* tokens: available for messages; base for shortening results (struct
	 * ctx_policy) */
	int64_t avail, cut_base;
	bool recounted;      /* the stored count of a row came from another tokenizer */
	int64_t stable_base; /* tokens before the window, as in struct ctx_policy */
	struct ctx_window_row *rows; /* in reading order; sorted by seq at the end */
	size_t n, cap;
	size_t n_down;   /* rows[0 .. n_down) were read newest first */
	size_t *further; /* indexes of the other rows, sorted by seq */
	size_t n_further, cap_further;
	struct ctx_ref *calls;
	size_t n_calls, cap_calls;
	int64_t near; /* seq of the oldest row within the limits */
	struct ctx_seq_range *hidden;
	size_t n_hidden;
	int64_t lowest;  /* every visible message from this seq on was read */
	int64_t covered; /* the summary replaces messages up to this seq; 0: no summary */
	int64_t summary_tokens;
	struct ctx_run *run; /* NULL: a rolling window, without runs */
	/* seq of the message that keeps the additions of a run that is cut; -1: none */
	int64_t carry_to;
};

/* Reads the rows of the window. Inputs are the members above rows; outputs are rows and
 * the members below it, w->summary and w->request.for_seq. Call inside a read
 * transaction. Texts are in w->arena. */
int ctx_window_rows_read(struct ctx_window_rows *l, struct ctx_err *err);
void ctx_window_rows_release(struct ctx_window_rows *l);

/* Reads the summary that the window shows in place of old messages: the summary in use,
 * or, if the window's provider cannot read that one, the newest earlier one that it can
 * read. The summary must end before message until. Returns 1 and fills in *m, which the
 * caller initialized with zeros; 0 if there is no such summary; -1 on error. */
int ctx_window_summary(const struct ctx_window_rows *l, int64_t until,
    struct ctx_store_summary *m, struct ctx_err *err);

/* Sets the row and the source that belong to the last item of w->history. */
void ctx_window_note_item(
    struct ctx_window *w, const struct ctx_stored *row, struct ctx_span source);

/* Functions of count.c: */

/* Returns the tokens of a message; if it is not a valid message, the tokens of its JSON
 * text. */
int64_t ctx_window_count(
    struct ctx_tokenizer *t, struct ctx_message *scratch, struct ctx_span message);

/* Makes the tokenizer count for the model of the last request of the line or, if that does
 * not name one, of the session's last request to the provider. Does nothing without
 * l->o->count_for. */
int ctx_window_count_for_last(struct ctx_window_rows *l, struct ctx_err *err);

#endif
