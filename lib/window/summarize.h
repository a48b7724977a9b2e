/* Summaries that replace old messages: when one is needed, what it covers, how long it
 * may be, and the whole procedure for a stored session, whose messages stay. */
#ifndef CTX_WINDOW_SUMMARIZE_H
#define CTX_WINDOW_SUMMARIZE_H

#include "select/cover.h"
#include "store/store.h"
#include "summary/make.h"

struct ctx_summarize_options {
	struct ctx_tokenizer *tokenizer;
	struct ctx_cover_options cover;
	/* share of budget or max_turns at which a summary is needed */
	double threshold;
	int64_t budget; /* tokens; -1: no limit */
	/* -1: no limit; with both limits, whichever is reached first */
	int64_t max_turns;
	int64_t
	    max_tokens; /* of a summary's message; -1: the older summary's plus a fifth of the messages' */
	bool condense_tools;
	enum ctx_summary_language language; /* of the built-in summary */
	const struct ctx_span *required;    /* see ctx_summary_make_options */
	size_t n_required;
	int64_t piece;             /* tokens to summarise at once */
	ctx_summary_exec_fn *exec; /* NULL: none */
	void *arg;
	const char *command; /* identifies what exec runs; results are cached under it */
	bool ndjson;
	int64_t now; /* ms */
	bool dry_run;
};

/* ---- shared by readers of windows and of stores ---- */

/* most summaries in a row that are made from the previous one */
#define CTX_SUMMARIZE_GENERATIONS 8
#define CTX_SUMMARIZE_CONDENSED 200 /* tokens of a condensed tool output */

/* True if what a request holds (turns, tokens) needs a summary. */
bool ctx_summarize_due(
    const struct ctx_summarize_options *o, int64_t turns, int64_t tokens);

/* Makes the options for ctx_summary_maker_new. summary: tokens of the older summary;
 * messages: tokens of the messages replaced; total: tokens of everything that will be
 * added. */
struct ctx_summary_make_options ctx_summarize_make_options(
    const struct ctx_summarize_options *o, int64_t summary, int64_t messages,
    int64_t total);

/* ctx_summarize_put_message appends the message for a summary text; ctx_summarize_text
 * returns the text of such a message, borrowed from it or decoded into tmp. */
void ctx_summarize_put_message(struct ctx_buf *out, struct ctx_span text);
struct ctx_span ctx_summarize_text(struct ctx_span message, struct ctx_buf *tmp);

/* Appends the member "source" of the summary's record, with the range first to last of the
 * messages that it covers; without a range if first is below 1. */
void ctx_summarize_put_source(struct ctx_buf *out, const struct ctx_summary_made *made,
    int64_t first, int64_t last);

/* Describes in reason, in one line, which methods failed before; empty if the first one
 * succeeded. ok: another method succeeded. */
void ctx_summarize_tell(
    const struct ctx_summary_made *made, bool ok, struct ctx_err *reason);

/* Appends the message with long tool outputs condensed by type. */
void ctx_summarize_condense(
    struct ctx_buf *out, struct ctx_span message, struct ctx_tokenizer *t);

/* ---- in the store ---- */

/* Summarises a session. Returns 1 with the records of the summary and its event appended
 * to out; 0 when no summary is needed or none would be shorter; *reason tells which. With
 * 1, *reason tells which methods failed (empty if none). A summary in use is replaced by
 * the new one, which covers its range too: made from the messages again while they fit
 * into one piece, else from its text and the newer messages, at most
 * CTX_SUMMARIZE_GENERATIONS times in a row. CTX_EANSWER when the session does not exist
 * or changed meanwhile. No lock is held while exec runs. */
int ctx_summarize_session(struct ctx_store *st, const char *session_id,
    const struct ctx_summarize_options *o, struct ctx_buf *out, struct ctx_err *reason,
    struct ctx_err *err);

/* Selects the summary that the current one replaced, or none, and appends the event.
 * CTX_EANSWER when no summary is in use. */
int ctx_summarize_undo(struct ctx_store *st, const char *session_id, int64_t now,
    bool dry_run, struct ctx_buf *event, struct ctx_err *err);

#endif
