/* Makes one summary of many messages. Tries an external summarizer (if the caller has
 * one), extraction (the built-in summary) and truncation, in this order, and uses the
 * first result that passes the checks. The external summarizer is a function of the
 * caller, and only this function does I/O. */
#ifndef CTX_SUMMARY_MAKE_H
#define CTX_SUMMARY_MAKE_H

#include "summary/summary.h"

enum ctx_summary_method {
	CTX_SUMMARY_EXEC,
	CTX_SUMMARY_EXTRACTIVE,
	CTX_SUMMARY_TRUNCATION,
};
const char *ctx_summary_method_name(enum ctx_summary_method m); /* such as "exec" */

/* The external summarizer. Appends a summary of the input to *out. Returns 0, or -1 with
 * err set. The input ends with a draft: the summary that the built-in method made. There
 * is no draft if the built-in method failed. In NDJSON input, the draft is a record
 * {"kind":"draft","text":…}; in plain text, it is the line "draft:" and all lines after
 * this line. */
typedef int ctx_summary_exec_fn(
    void *arg, struct ctx_span input, struct ctx_buf *out, struct ctx_err *err);

struct ctx_summary_make_options {
	struct ctx_tokenizer *tokenizer;
	int64_t max_tokens; /* token limit of the summary */
	/* number of tokens of the messages and summaries that the summary replaces; the
	 * summary must not have more tokens than this */
	int64_t replaces;
	/* true: the external summarizer must return at most max_tokens tokens; false: it
	 * may return as many tokens as the member "replaces" allows */
	bool strict;
	enum ctx_summary_language language; /* language of the built-in summary */
	/* plain texts that the summary must contain if the input contains them */
	const struct ctx_span *required;
	size_t n_required;
	/* maximum number of tokens that the external summarizer can read at once. Longer
	 * input is split into parts; each part is summarized, and then the summaries of
	 * the parts are summarized together. The summaries are not split again. */
	int64_t piece;
	/* approximate number of tokens of all messages and summaries that will be
	 * added */
	int64_t total;
	ctx_summary_exec_fn *exec; /* NULL if there is no external summarizer */
	void *arg;
	/* true: the external summarizer reads NDJSON records; false: it reads plain
	 * text */
	bool ndjson;
};

struct ctx_summary_made {
	enum ctx_summary_method method;
	struct ctx_buf text;
	/* a JSON object {method, reason} for each method that failed, separated by
	 * commas */
	struct ctx_buf fallbacks;
	/* number of distinct facts (numbers, paths, names, …) in the input, and number of
	 * these facts in the summary */
	struct ctx_fact_share facts;
	/* number of parts into which the input was split for summarizing; 1: the input
	 * was not split */
	size_t pieces;
};
void ctx_summary_made_release(struct ctx_summary_made *m);

struct ctx_summary_maker;
/* Copies *o. Objects to which members of *o point must stay valid until the maker is
 * freed. */
struct ctx_summary_maker *ctx_summary_maker_new(const struct ctx_summary_make_options *o);
void ctx_summary_maker_free(struct ctx_summary_maker *mk); /* mk may be NULL */

/* Adds a message to the input. record: the message's record (one line of JSON), which is
 * passed to the external summarizer; tokens: number of tokens of the message. */
void ctx_summary_maker_add(struct ctx_summary_maker *mk, const struct ctx_message *m,
    struct ctx_span record, int64_t tokens);

/* Adds the text of an earlier summary to the input. The arguments "record" and "tokens"
 * are as for ctx_summary_maker_add. */
void ctx_summary_maker_add_summary(struct ctx_summary_maker *mk, struct ctx_span text,
    struct ctx_span record, int64_t tokens);

/* Makes the summary of all added messages and summaries, and stores it in *out. The
 * caller zero-fills *out before the call. Returns 1 on success. If no method gives a
 * result that passes the checks, returns 0, and out->fallbacks contains the reasons. */
int ctx_summary_maker_end(struct ctx_summary_maker *mk, struct ctx_summary_made *out);

#endif
