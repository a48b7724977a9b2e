/* Private to the window: its rows, read newest first, then what must be there from further
 * up. */
#ifndef CTX_WINDOW_ROWS_H
#define CTX_WINDOW_ROWS_H

#include "store/recount.h"
#include "store/summary.h"
#include "window/window.h"

struct ctx_run; /* see run.h */

struct ctx_window_row {
	struct ctx_stored m;
	bool far;                   /* beyond the limits */
	bool known;                 /* it was looked into: */
	size_t first_call, n_calls; /* in struct ctx_window_rows' calls */
};

struct ctx_window_rows {
	struct ctx_window *w;
	struct ctx_store *st; /* NULL: the session is empty */
	const struct ctx_window_options *o;
	struct ctx_tokenizer *t;
	struct ctx_recount *recount; /* NULL without a store */
	int64_t avail, cut_base;     /* tokens */
	bool recounted;              /* another tokenizer than t had counted a row */
	int64_t stable_base;         /* as in struct ctx_policy */
	struct ctx_window_row *rows; /* as they are read; in the end by seq */
	size_t n, cap;
	size_t n_down; /* the first of them were read downwards; of the others, by seq: */
	size_t *further; /* the index */
	size_t n_further, cap_further;
	struct ctx_ref *calls;
	size_t n_calls, cap_calls;
	int64_t near; /* seq of the oldest within the limits */
	struct ctx_seq_range *hidden;
	size_t n_hidden;
	int64_t lowest;  /* seq down to which all was read */
	int64_t covered; /* seq up to which the summary replaces messages; 0: none */
	int64_t summary_tokens;
	struct ctx_run *run; /* NULL: the window rolls */
	int64_t carry_to;    /* seq of the message that a cut run's additions go to; -1 */
};

/* Reads the rows of the window. Inputs are the members above rows; outputs are rows,
 * the members below it, w->summary and w->request.for_seq. Call inside a read
 * transaction. Texts are in w->arena. */
int ctx_window_rows_read(struct ctx_window_rows *l, struct ctx_err *err);
void ctx_window_rows_release(struct ctx_window_rows *l);

/* Reads the summary that the window shows in place of messages before until: the one in
 * use, or the newest before it that the window's provider can read. Returns 1 with *m
 * filled in (zero-filled by the caller), 0 if there is none, -1 on error. */
int ctx_window_summary(const struct ctx_window_rows *l, int64_t until,
    struct ctx_store_summary *m, struct ctx_err *err);

/* Sets row and source of the item that was added to the history last. */
void ctx_window_note_item(
    struct ctx_window *w, const struct ctx_stored *row, struct ctx_span source);

/* Returns the tokens of the message, or of its text if it is not a valid message. */
int64_t ctx_window_count(
    struct ctx_tokenizer *t, struct ctx_message *scratch, struct ctx_span message);

#endif
