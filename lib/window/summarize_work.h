/* Private to lib/window: the state of one call of ctx_summarize_session. */
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
	/* the session's newest event when reading began; shows later changes */
	int64_t event;
	struct ctx_store_summary prev; /* the summary in use; n is 0 if there is none */
	int64_t prev_tokens;
	struct ctx_seq_range *hidden;
	size_t n_hidden;
	int64_t *pins;
	size_t n_pins;
	struct ctx_recount *recount;
	struct ctx_history history; /* metadata of the messages after prev */
	enum ctx_cover *how;
	struct ctx_arena arena;
	/* tokens of messages in the range of prev that stay visible */
	int64_t staying;
	int64_t in, visible; /* tokens to replace; tokens of all messages after prev */
	int64_t first, last; /* range of messages that the new summary covers */
	int64_t originals;   /* tokens of the session's messages up to last */
	size_t messages;     /* number of messages replaced */
	bool from_summary;
	struct ctx_summary_maker *maker;
	struct ctx_summary_made made;
	/* answers of exec, to be cached: key of the question, and text */
	struct answer {
		char key[CTX_HASH_HEX + 1];
		struct ctx_span text;
	} * answers;
	size_t n_answers, cap_answers;
};

/* Finds the session, which must be active. Fails with CTX_EANSWER if it does not
 * exist. */
int ctx_summarize_find(struct ctx_store *st, const char *session_id,
    struct ctx_session *s, struct ctx_err *err);

int64_t ctx_summarize_count(const struct ctx_summarize_work *w,
    struct ctx_message *scratch, struct ctx_span message);

bool ctx_summarize_hidden(const struct ctx_summarize_work *w, int64_t seq);
bool ctx_summarize_pinned(const struct ctx_summarize_work *w, int64_t seq);

/* ctx_summarize_read reads the metadata of the messages after the summary in use.
 * ctx_summarize_plan decides which messages to summarize; it returns 1, or 0 with the
 * reason in *reason if no summary is needed. */
int ctx_summarize_read(
    struct ctx_summarize_work *w, const char *session_id, struct ctx_err *err);
int ctx_summarize_plan(struct ctx_summarize_work *w, struct ctx_err *reason);

#endif
