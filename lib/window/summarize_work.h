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
	/* number of the session's newest event when reading began; a newer event shows
	 * that another process has changed the session */
	int64_t event;
	/* the summary in use; prev.n is 0 if no summary is in use */
	struct ctx_store_summary prev;
	int64_t prev_tokens;
	struct ctx_seq_range *hidden;
	size_t n_hidden;
	int64_t *pins;
	size_t n_pins;
	struct ctx_recount *recount;
	/* the visible messages after those that the summary in use covers, without their
	 * texts */
	struct ctx_history history;
	enum ctx_cover *how;
	struct ctx_arena arena;
	/* number of tokens of the messages that the summary in use covers, but that
	 * requests still contain: system messages at the beginning of the session, and
	 * pinned messages */
	int64_t staying;
	/* in: number of tokens of the messages that the new summary replaces; visible:
	 * number of tokens of all messages in the member "history" */
	int64_t in, visible;
	/* sequence numbers of the first and last message that the new summary covers */
	int64_t first, last;
	/* number of tokens of the session's messages up to and including message number
	 * "last" */
	int64_t originals;
	size_t messages; /* number of messages that the new summary replaces */
	bool from_summary;
	struct ctx_summary_maker *maker;
	struct ctx_summary_made made;
	/* Answers of the external summarizer that are not in the cache yet. key: key of
	 * the cache entry; text: the answer */
	struct answer {
		char key[CTX_HASH_HEX + 1];
		struct ctx_span text;
	} * answers;
	size_t n_answers, cap_answers;
};

/* Returns true if message seq is hidden (ctx_summarize_hidden) or pinned
 * (ctx_summarize_pinned). */
bool ctx_summarize_hidden(const struct ctx_summarize_work *w, int64_t seq);
bool ctx_summarize_pinned(const struct ctx_summarize_work *w, int64_t seq);

/* ctx_summarize_read reads the messages after the summary in use, without their texts.
 * ctx_summarize_plan decides which messages to summarize and returns 1. If there is
 * nothing to summarize, it sets *reason to a text that says why, and returns 0. */
int ctx_summarize_read(
    struct ctx_summarize_work *w, const char *session_id, struct ctx_err *err);
int ctx_summarize_plan(struct ctx_summarize_work *w, struct ctx_err *reason);

#endif
