#include "window/stable.h"

#include <stdlib.h>

#include "base/compare.h"
#include "base/mem.h"
#include "record/message.h"
#include "record/record.h"

/* an epoch is this many windows long; the search starts at its beginning */
#define EPOCH 4

struct row {
	int64_t seq, turn, sum; /* sum: token_sum */
	int64_t cost, before;   /* tokens of the row; tokens of all rows before it */
	bool border;            /* a window may begin here */
	/* asked: a request may have been made after this message */
	bool assistant, asked;
};

struct search {
	const struct ctx_stable_options *o;
	int64_t back; /* number of epochs to go back */
	bool begun;
	int64_t epoch; /* number of the epoch, from 0 */
	int64_t from;  /* token_sum at which the epoch begins */
	struct row *rows;
	size_t n, cap;
};

/* Returns the tokens of a message as selection counts them: a large result is
 * shortened. */
static int64_t
price_stable_row(const struct search *f, const struct ctx_stored_head *e)
{
	int64_t most = f->o->cut_base / 4 > 64 ? f->o->cut_base / 4 : 64;
	int64_t tokens = e->token_count;

	if (f->o->factor != 1000) /* text and frame are rounded up, each by itself */
		tokens = (tokens * f->o->factor + 999) / 1000 + 1;
	return e->type != CTX_TYPE_TOOL_RESULT || tokens < most ? tokens : most;
}

/* Returns the stored tokens that surely fit into a window. The rounding of single messages
 * takes less than a sixteenth. */
static int64_t
count_stored_room(const struct ctx_stable_options *o)
{
	return o->factor == 1000 ? o->avail : o->avail * 1000 / o->factor * 15 / 16;
}

/* Returns 1 to continue with the next older message. */
static int
take_stable_head(
    void *arg, const struct ctx_stored_head *e, struct ctx_err *err CTX_UNUSED)
{
	struct search *f = arg;
	struct row *row;

	if (!f->begun) {
		int64_t all = e->token_sum + e->token_count;
		int64_t room = count_stored_room(f->o);
		f->begun = true;
		if (all <= room)
			return 0;
		f->epoch = (all - room) / (EPOCH * room) - f->back;
		f->from = f->epoch * EPOCH * room;
	}
	if (e->token_sum < f->from || e->seq <= f->o->covered)
		return 0;
	if (ctx_seq_range_at(f->o->hidden, f->o->n_hidden, e->seq) != NULL)
		return 1;
	CTX_MEM_GROW(f->rows, f->n, f->cap);
	row = &f->rows[f->n++];
	row->seq = e->seq;
	row->turn = e->turn;
	row->sum = e->token_sum;
	row->cost = price_stable_row(f, e);
	row->assistant = e->role == CTX_ROLE_ASSISTANT;
	/* a request is not made before calls are answered, nor between the messages of
	 * one answer */
	row->asked = e->tool_calls == 0 &&
		     !(row->assistant && f->n > 1 && row[-1].assistant);
	row->border = e->type != CTX_TYPE_TOOL_RESULT && e->type != CTX_TYPE_ERROR;
	return 1;
}

static void
put_in_order(struct search *f)
{
	int64_t before = 0;

	for (size_t i = 0; i < f->n / 2; i++) {
		struct row row = f->rows[i];
		f->rows[i] = f->rows[f->n - 1 - i];
		f->rows[f->n - 1 - i] = row;
	}
	for (size_t i = 0; i < f->n; i++) {
		f->rows[i].before = before;
		before += f->rows[i].cost;
	}
}

/* Returns the tokens of the message that begins the turn of row i, which the window
 * includes; 0 if it was not read. */
static int64_t
count_opening_tokens(const struct search *f, size_t i)
{
	int64_t turn = f->rows[i].turn;
	size_t k;

	CTX_BOUND(k, i, f->rows[k].seq < turn);
	return k < i && f->rows[k].seq == turn ? f->rows[k].cost : 0;
}

static int64_t
count_stable_tokens(const struct search *f, size_t first, size_t last)
{
	return f->rows[last].before + f->rows[last].cost - f->rows[first].before +
	       count_opening_tokens(f, first);
}

/* Returns the first row of the window that follows the last row. */
static size_t
find_stable_row(const struct search *f)
{
	size_t first = 0, next = 1; /* there is no border between the two */

	for (size_t i = 0; i < f->n; i++) {
		bool cut = f->rows[i].asked &&
			   count_stable_tokens(f, first, i) > f->o->avail;
		while (cut && next <= i) {
			size_t k = next++;
			if (!f->rows[k].border)
				continue;
			first = k;
			cut = count_stable_tokens(f, k, i) > f->o->low;
		}
	}
	return first;
}

/* Computes the base from the beginning of the last epoch, or of the epoch `back` before
 * it. */
static int
search_stable_base(int64_t *base, int64_t *epoch, int64_t back, struct ctx_store *st,
    const struct ctx_session *s, const struct ctx_stable_options *o, struct ctx_err *err)
{
	struct search f = {.o = o, .back = back};
	int rc = ctx_store_heads(st, s, o->until, take_stable_head, &f, err);

	*base = 0;
	*epoch = f.epoch;
	if (rc == 0 && f.n > 0) {
		size_t first;
		put_in_order(&f);
		first = find_stable_row(&f);
		*base = first > 0 ? f.rows[first].sum : 0;
	}
	free(f.rows);
	return rc;
}

/* A new epoch is used only from its first cut on, so that the cut never moves
 * backward. */
int
ctx_stable_base(int64_t *base, struct ctx_store *st, const struct ctx_session *s,
    const struct ctx_stable_options *o, struct ctx_err *err)
{
	int64_t epoch = 0, back = 0;

	*base = 0;
	if (count_stored_room(o) <= 0)
		return 0;
	do
		if (search_stable_base(base, &epoch, back, st, s, o, err) < 0)
			return -1;
	while (*base == 0 && epoch > 0 && back++ < 1);
	return 0;
}
