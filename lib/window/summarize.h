/* Summaries that replace old messages: when a summary is needed, which messages it
 * covers, how long it may be, and the whole procedure for a stored session. The messages
 * stay in the store. */
#ifndef CTX_WINDOW_SUMMARIZE_H
#define CTX_WINDOW_SUMMARIZE_H

#include "select/cover.h"
#include "store/store.h"
#include "summary/make.h"

struct ctx_summarize_options {
	struct ctx_tokenizer *tokenizer;
	struct ctx_cover_options cover;
	/* a summary is needed when this share (0 to 1) of the member budget or of the
	 * member max_turns is used */
	double threshold;
	int64_t budget; /* maximum number of tokens of a request; -1: no limit */
	/* maximum number of turns; -1: no limit. If there is also a budget, the limit
	 * that is reached first counts. */
	int64_t max_turns;
	/* maximum number of tokens of a summary's message; -1: the tokens of the older
	 * summary plus a fifth of the tokens of the messages, within built-in limits */
	int64_t max_tokens;
	bool condense_tools;
	enum ctx_summary_language language; /* language of the built-in summary */
	const struct ctx_span *required;    /* see ctx_summary_make_options */
	size_t n_required;
	int64_t piece;             /* maximum number of tokens to summarize at once */
	ctx_summary_exec_fn *exec; /* external summarizer; NULL: built-in only */
	void *arg;
	/* the command that exec runs; results are cached under this string */
	const char *command;
	bool ndjson;
	int64_t now; /* current time in ms since the epoch */
	bool dry_run;
};

/* ---- for windows and for stored sessions ---- */

/* After this many summaries in a row that were made from the previous summary, the next
 * summary is made from the messages again. */
#define CTX_SUMMARIZE_GENERATIONS 8
/* maximum number of tokens of a condensed tool output */
#define CTX_SUMMARIZE_CONDENSED 200

/* Returns true if a request with this many turns and tokens needs a summary. */
bool ctx_summarize_due(
    const struct ctx_summarize_options *o, int64_t turns, int64_t tokens);

/* Returns the options for ctx_summary_maker_new. The arguments are numbers of tokens:
 * summary is the size of the older summary, messages the size of the messages to replace,
 * and total the size of all text that will be added to the maker. */
struct ctx_summary_make_options ctx_summarize_make_options(
    const struct ctx_summarize_options *o, int64_t summary, int64_t messages,
    int64_t total);

/* ctx_summarize_put_message appends a message that contains the summary text.
 * ctx_summarize_text returns the text of such a message, borrowed from it or decoded into
 * tmp. */
void ctx_summarize_put_message(struct ctx_buf *out, struct ctx_span text);
struct ctx_span ctx_summarize_text(struct ctx_span message, struct ctx_buf *tmp);

/* Appends the member "source" of the summary's record, with the range first to last of
 * the messages that it covers, or without a range if first < 1. */
void ctx_summarize_put_source(struct ctx_buf *out, const struct ctx_summary_made *made,
    int64_t first, int64_t last);

/* Writes one line to *reason that says which methods failed; *reason stays empty if the
 * first method succeeded. ok says whether another method succeeded. */
void ctx_summarize_tell(
    const struct ctx_summary_made *made, bool ok, struct ctx_err *reason);

/* Appends the message with long tool outputs shortened, in a way that depends on the type
 * of the output. */
void ctx_summarize_condense(
    struct ctx_buf *out, struct ctx_span message, struct ctx_tokenizer *t);

/* ---- in the store ---- */

/* Summarizes a session. Returns 1 with the records of the summary and its event appended
 * to out; *reason says which methods of summarizing failed (empty: none failed). Returns
 * 0 if no summary is needed, or if no summary would be shorter than the messages; *reason
 * says which of the two. A summary in use is replaced by the new summary, which covers
 * the old range too. The new summary is made from all the messages if they have at most
 * o->piece tokens; otherwise from the old summary's text and the newer messages, at most
 * CTX_SUMMARIZE_GENERATIONS times in a row. Fails with CTX_EANSWER if the session does
 * not exist, or if another process changed it meanwhile. No lock is held while exec
 * runs. */
int ctx_summarize_session(struct ctx_store *st, const char *session_id,
    const struct ctx_summarize_options *o, struct ctx_buf *out, struct ctx_err *reason,
    struct ctx_err *err);

/* Replaces the summary in use by the previous one, or by none, and appends the event
 * record. Fails with CTX_EANSWER if no summary is in use. */
int ctx_summarize_undo(struct ctx_store *st, const char *session_id, int64_t now,
    bool dry_run, struct ctx_buf *event, struct ctx_err *err);

#endif
