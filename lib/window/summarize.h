/* Summaries that replace old messages: decides when a summary is needed and how long it
 * may be, and summarizes a stored session. The messages stay in the store. */
#ifndef CTX_WINDOW_SUMMARIZE_H
#define CTX_WINDOW_SUMMARIZE_H

#include "select/cover.h"
#include "store/store.h"
#include "summary/make.h"

struct ctx_summarize_options {
	struct ctx_tokenizer *tokenizer;
	struct ctx_cover_options cover;
	/* share of the token budget or of the maximum number of turns, from 0 to 1; a
	 * summary is needed when this share is used up */
	double threshold;
	int64_t budget; /* maximum number of tokens of a request; -1: no limit */
	/* maximum number of turns; -1: no limit. If there is also a budget, the limit
	 * that is reached first applies. */
	int64_t max_turns;
	/* maximum number of tokens of the message that contains the summary. -1: computed
	 * as the tokens of the older summary plus a fifth of the tokens of the messages,
	 * within built-in limits */
	int64_t max_tokens;
	bool condense_tools;
	enum ctx_summary_language language; /* language of the built-in summary */
	const struct ctx_span *required;    /* see ctx_summary_make_options */
	size_t n_required;
	int64_t piece;             /* maximum number of tokens to summarize at once */
	ctx_summary_exec_fn *exec; /* external summarizer; NULL: built-in only */
	void *arg;
	/* the command of the external summarizer; its answers are cached under this
	 * string */
	const char *command;
	bool ndjson;
	int64_t now; /* current time in ms since the epoch */
	bool dry_run;
};

/* ---- for windows and for stored sessions ---- */

/* maximum number of times in a row that a summary is made from the previous summary; the
 * next summary is made from the messages again */
#define CTX_SUMMARIZE_GENERATIONS 8
/* maximum number of tokens of a condensed tool output */
#define CTX_SUMMARIZE_CONDENSED 200

/* Returns true if messages are to be summarized now. If o has neither a budget nor a
 * maximum number of turns, always returns true. Otherwise returns true if the tokens or
 * the turns have reached o->threshold, a share of the budget or of this maximum. */
bool ctx_summarize_due(
    const struct ctx_summarize_options *o, int64_t turns, int64_t tokens);

/* Returns the options for ctx_summary_maker_new. All sizes are in tokens. summary: size
 * of the older summary; messages: size of the messages to replace; total: size of all
 * texts that will be added to the maker. */
struct ctx_summary_make_options ctx_summarize_make_options(
    const struct ctx_summarize_options *o, int64_t summary, int64_t messages,
    int64_t total);

/* ctx_summarize_put_message appends a message that contains the summary text.
 * ctx_summarize_text returns the text of such a message, borrowed from the message or
 * decoded into *tmp. */
void ctx_summarize_put_message(struct ctx_buf *out, struct ctx_span text);
struct ctx_span ctx_summarize_text(struct ctx_span message, struct ctx_buf *tmp);

/* Appends the "source" object for the record of the summary *made. The object contains
 * the method and the range of messages that the summary covers. first, last: sequence
 * numbers of this range; first = 0: the object gets no range. */
void ctx_summarize_put_source(struct ctx_buf *out, const struct ctx_summary_made *made,
    int64_t first, int64_t last);

/* Sets *reason to one line that says which methods of summarizing failed, and why. Leaves
 * *reason unchanged if no method failed. ok: true if another method succeeded
 * afterwards. */
void ctx_summarize_tell(
    const struct ctx_summary_made *made, bool ok, struct ctx_err *reason);

/* Appends the message with long tool outputs shortened to CTX_SUMMARIZE_CONDENSED tokens.
 * The way in which an output is shortened depends on the type of the output. */
void ctx_summarize_condense(
    struct ctx_buf *out, struct ctx_span message, struct ctx_tokenizer *t);

/* ---- in the store ---- */

/* Summarizes a session. On success, appends the records of the summary and of its event
 * to *out and returns 1; *reason says which methods failed (empty: none). Returns 0 if no
 * summary was made because no summary is needed, or because none would be shorter than
 * the messages; *reason says why.
 *
 * If a summary is in use, the new summary replaces it, and also covers the messages that
 * the old summary covers. The new summary is made from these messages themselves if they
 * have at most o->piece tokens. Otherwise the new summary is made from the old summary
 * and the newer messages. After CTX_SUMMARIZE_GENERATIONS summaries in a row that were
 * made in this way, the next one is made from the messages again.
 *
 * Fails with CTX_EANSWER if the session does not exist, or if another process changed the
 * session meanwhile. No lock is held while the external summarizer runs. */
int ctx_summarize_session(struct ctx_store *st, const char *session_id,
    const struct ctx_summarize_options *o, struct ctx_buf *out, struct ctx_err *reason,
    struct ctx_err *err);

/* Undoes the summary in use: the older summary that it replaced is in use again. If it
 * replaced no summary, no summary is in use afterwards. Appends the event record. Fails
 * with CTX_EANSWER if no summary is in use. */
int ctx_summarize_undo(struct ctx_store *st, const char *session_id, int64_t now,
    bool dry_run, struct ctx_buf *event, struct ctx_err *err);

#endif
