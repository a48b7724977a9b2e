/* Private to lib/window: the state of one ctx_summarize_session. */
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
	/* the session's newest event before everything was read */
	int64_t event;
	struct ctx_store_summary prev; /* the summary in use; n is 0: none */
	int64_t prev_tokens;
	struct ctx_seq_range *hidden;
	size_t n_hidden;
	int64_t *pins;
	size_t n_pins;
	struct ctx_recount *recount;
	struct ctx_history history; /* heads of the messages after prev */
	enum ctx_cover *how;
	struct ctx_arena arena;
	/* tokens of messages that prev covers but that stay visible */
	int64_t staying;
	int64_t in, visible; /* tokens to replace, and of all messages after prev */
	int64_t first, last; /* the range that the new summary covers */
	int64_t originals;   /* tokens of the session up to last */
	size_t messages;     /* replaced */
	bool from_summary;
	struct ctx_summary_maker *maker;
	struct ctx_summary_made made;
	/* questions put to exec, for the cache */
	struct answer {
		char key[CTX_HASH_HEX + 1];
		struct ctx_span text;
	} * answers;
	size_t n_answers, cap_answers;
};

/* Finds the active session. CTX_EANSWER when there is none. */
int ctx_summarize_find(struct ctx_store *st, const char *session_id,
    struct ctx_session *s, struct ctx_err *err);

int64_t ctx_summarize_count(const struct ctx_summarize_work *w,
    struct ctx_message *scratch, struct ctx_span message);

bool ctx_summarize_hidden(const struct ctx_summarize_work *w, int64_t seq);
bool ctx_summarize_pinned(const struct ctx_summarize_work *w, int64_t seq);

/* ctx_summarize_read reads the heads of the messages after the summary in use;
 * ctx_summarize_plan decides what to summarise. Returns 1, or 0 when no summary is
 * needed, with the reason in reason. */
int ctx_summarize_read(
    struct ctx_summarize_work *w, const char *session_id, struct ctx_err *err);
int ctx_summarize_plan(struct ctx_summarize_work *w, struct ctx_err *reason);

#endif
