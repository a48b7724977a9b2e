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
	/* number of the session's newest event when reading began; if there is a newer
	 * event later, another process has changed the session */
	int64_t event;
	/* the summary in use; prev.n is 0 if no summary is in use */
	struct ctx_store_summary prev;
	int64_t prev_tokens;
	struct ctx_seq_range *hidden;
	size_t n_hidden;
	int64_t *pins;
	size_t n_pins;
	struct ctx_recount *recount;
	struct ctx_history history; /* metadata of the messages after prev */
	enum ctx_cover *how;
	struct ctx_arena arena;
	/* number of tokens of the messages that are visible although prev covers them */
	int64_t staying;
	/* in: number of tokens of the messages that the new summary replaces; visible:
	 * number of tokens of all messages after prev */
	int64_t in, visible;
	/* sequence numbers of the first and last message that the new summary covers */
	int64_t first, last;
	int64_t originals; /* number of tokens of the session's messages up to last */
	size_t messages;   /* number of messages that the new summary replaces */
	bool from_summary;
	struct ctx_summary_maker *maker;
	struct ctx_summary_made made;
	/* answers of the external summarizer (exec) that must still be cached; key: the
	 * key of the cache entry; text: the answer */
	struct answer {
		char key[CTX_HASH_HEX + 1];
		struct ctx_span text;
	} * answers;
	size_t n_answers, cap_answers;
};

/* ctx_summarize_hidden returns true if message seq is hidden; ctx_summarize_pinned
 * returns true if message seq is pinned. */
bool ctx_summarize_hidden(const struct ctx_summarize_work *w, int64_t seq);
bool ctx_summarize_pinned(const struct ctx_summarize_work *w, int64_t seq);

/* ctx_summarize_read reads the metadata of the messages after the summary in use.
 * ctx_summarize_plan decides which messages to summarize and returns 1. If no message is
 * to be summarized, it sets *reason to a text that says why, and returns 0. */
int ctx_summarize_read(
    struct ctx_summarize_work *w, const char *session_id, struct ctx_err *err);
int ctx_summarize_plan(struct ctx_summarize_work *w, struct ctx_err *reason);

#endif
