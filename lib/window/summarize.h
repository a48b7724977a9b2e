/* Summaries in place of old messages: when one is due, of what, how long; and the whole of
 * it for a stored session, whose messages stay. */
#ifndef CTX_WINDOW_SUMMARIZE_H
#define CTX_WINDOW_SUMMARIZE_H

#include "select/cover.h"
#include "store/store.h"
#include "summary/make.h"

struct ctx_summarize_options {
	struct ctx_tokenizer *tokenizer;
	struct ctx_cover_options cover;
	double threshold;   /* share of budget or max_turns from which a summary is due */
	int64_t budget;     /* tokens; -1: does not matter */
	int64_t max_turns;  /* -1: does not matter; both: whichever is reached first */
	int64_t max_tokens; /* of a summary's message; -1: ctx_summarize_target */
	bool condense_tools;
	enum ctx_summary_language language; /* of the built-in summary */
	const struct ctx_span *required;    /* as ctx_summary_make_options has it */
	size_t n_required;
	int64_t piece;             /* tokens to summarise at once */
	ctx_summary_exec_fn *exec; /* NULL: none */
	void *arg;
	const char *command; /* names what exec runs: results are cached by it */
	bool ndjson;
	int64_t now; /* ms */
	bool dry_run;
};

/* ---- for one that reads a window as for one that reads a store ---- */

#define CTX_SUMMARIZE_GENERATIONS 8 /* summaries made from the one before, at most */
#define CTX_SUMMARIZE_CONDENSED 200 /* tokens that a condensed tool output has */

/* Is a summary due for what a request holds: so many turns and tokens? */
bool ctx_summarize_due(
    const struct ctx_summarize_options *o, int64_t turns, int64_t tokens);

/* How many tokens a summary shall have that replaces one of so many (0: none) and
 * messages of so many: what the older one had and a fifth of the messages, 64 to 2000. */
int64_t ctx_summarize_target(int64_t summary_tokens, int64_t message_tokens);

/* What ctx_summary_maker_new takes; summary: tokens of the older one, messages: those of
 * the messages replaced, total: of all that will be added. */
struct ctx_summary_make_options ctx_summarize_make_options(
    const struct ctx_summarize_options *o, int64_t summary, int64_t messages,
    int64_t total);

/* Append the message that tells the text, and take its text back out (borrowed from
 * message or decoded into tmp). */
void ctx_summarize_put_message(struct ctx_buf *out, struct ctx_span text);
struct ctx_span ctx_summarize_text(struct ctx_span message, struct ctx_buf *tmp);

/* Append the source of its record; first below 1: no range. */
void ctx_summarize_put_source(struct ctx_buf *out, const struct ctx_summary_made *made,
    int64_t first, int64_t last);

/* One line about the methods that were tried in vain before, in reason; nothing when the
 * first one did. ok: did another one do? */
void ctx_summarize_tell(
    const struct ctx_summary_made *made, bool ok, struct ctx_err *reason);

/* Append the message with long tool outputs condensed by type. */
void ctx_summarize_condense(
    struct ctx_buf *out, struct ctx_span message, struct ctx_tokenizer *t);

/* ---- in the store ---- */

/* Summarise a session: 1 and, appended to out, the record of the summary and its event;
 * 0 when nothing is due, or no summary would be shorter. *reason says which of both; with
 * 1, which methods failed, if any did (else its message stays empty). A summary in
 * use is taken over: the new one covers its range too, made from the messages again
 * while they fit into one piece, else from its text and the newer messages, at most
 * CTX_SUMMARIZE_GENERATIONS times in a row. CTX_EANSWER when there is no such session,
 * or it moved on meanwhile. Nothing is locked while exec runs. */
int ctx_summarize_session(struct ctx_store *st, const char *session_id,
    const struct ctx_summarize_options *o, struct ctx_buf *out, struct ctx_err *reason,
    struct ctx_err *err);

/* Use the summary again that the current one took over, or none, and append the event.
 * CTX_EANSWER when there is none in use. */
int ctx_summarize_undo(struct ctx_store *st, const char *session_id, int64_t now,
    bool dry_run, struct ctx_buf *event, struct ctx_err *err);

#endif
