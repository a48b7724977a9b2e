/* Private to lib/window: the work of one ctx_summarize_session. */
#ifndef CTX_WINDOW_SUMMARIZE_WORK_H
#define CTX_WINDOW_SUMMARIZE_WORK_H

#include "base/hash.h"
#include "store/recount.h"
#include "store/summary.h"
#include "window/summarize.h"

struct ctx_summarize_work {
	struct ctx_store *st;
	const struct ctx_summarize_options *o;
	struct ctx_session session;
	int64_t event;                 /* its newest, before all was read */
	struct ctx_store_summary prev; /* in use so far; n is 0: none */
	int64_t prev_tokens;
	struct ctx_seq_range *hidden;
	size_t n_hidden;
	int64_t *pins;
	size_t n_pins;
	struct ctx_recount *recount;
	struct ctx_history history; /* envelopes of what is behind prev */
	enum ctx_cover *how;
	struct ctx_arena arena;
	int64_t staying;     /* tokens of what prev covers and that stays */
	int64_t in, visible; /* tokens replaced, and of all behind prev */
	int64_t first, last; /* seq that the new one covers */
	int64_t originals;   /* tokens of the session up to last */
	size_t messages;     /* replaced */
	bool from_summary;
	struct ctx_summary_maker *maker;
	struct ctx_summary_made made;
	/* what exec was asked, for the cache */
	struct answer {
		char key[CTX_HASH_HEX + 1];
		struct ctx_span text;
	} * answers;
	size_t n_answers, cap_answers;
};

/* The session, active; CTX_EANSWER when there is none. */
int ctx_summarize_find(struct ctx_store *st, const char *session_id,
    struct ctx_session *s, struct ctx_err *err);

int64_t ctx_summarize_count(const struct ctx_summarize_work *w,
    struct ctx_message *scratch, struct ctx_span message);

bool ctx_summarize_hidden(const struct ctx_summarize_work *w, int64_t seq);
bool ctx_summarize_pinned(const struct ctx_summarize_work *w, int64_t seq);

/* Read the envelopes of what is behind the summary in use, and decide what is to be
 * summarised: 1; 0 when nothing is due, reason says why. */
int ctx_summarize_read(
    struct ctx_summarize_work *w, const char *session_id, struct ctx_err *err);
int ctx_summarize_plan(struct ctx_summarize_work *w, struct ctx_err *reason);

#endif
