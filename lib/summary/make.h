/* Makes one summary of many messages: by an external summariser if given, else by
 * extraction, else by truncation; the first result that passes the checks is used. Pure,
 * except for the external summariser, which is the caller's function. */
#ifndef CTX_SUMMARY_MAKE_H
#define CTX_SUMMARY_MAKE_H

#include "summary/summary.h"

enum ctx_summary_method {
	CTX_SUMMARY_EXEC,
	CTX_SUMMARY_EXTRACTIVE,
	CTX_SUMMARY_TRUNCATION,
};
const char *ctx_summary_method_name(enum ctx_summary_method m); /* "exec", … */

/* Appends the summary of input to out; returns -1 with err set on failure. input ends
 * with a draft, the built-in summary: as a record {"kind":"draft","text":…}, or as lines
 * that start with "draft:". */
typedef int ctx_summary_exec_fn(
    void *arg, struct ctx_span input, struct ctx_buf *out, struct ctx_err *err);

struct ctx_summary_make_options {
	struct ctx_tokenizer *tokenizer;
	int64_t max_tokens; /* of the summary's text */
	int64_t replaces;   /* tokens that the summary replaces: it must be shorter */
	bool strict;        /* max_tokens applies to exec too, not only replaces */
	enum ctx_summary_language language; /* of the built-in summary */
	/* plain texts that the summary must contain if the input does */
	const struct ctx_span *required;
	size_t n_required;
	/* most tokens that exec can read at once; longer input is summarised in pieces
	 * and the summaries again, in at most two levels */
	int64_t piece;
	int64_t total;             /* approximate number of tokens that will be added */
	ctx_summary_exec_fn *exec; /* NULL: none */
	void *arg;
	bool ndjson; /* exec reads records; false: plain text */
};

struct ctx_summary_made {
	enum ctx_summary_method method;
	struct ctx_buf text;
	/* JSON objects {method, reason}, separated by commas */
	struct ctx_buf fallbacks;
	/* distinct facts of the summarised input, and how many of them the text
	 * contains */
	struct ctx_fact_share facts;
	size_t pieces; /* 1: all at once */
};
void ctx_summary_made_release(struct ctx_summary_made *m);

struct ctx_summary_maker;
/* *o is copied; what it points to is borrowed. */
struct ctx_summary_maker *ctx_summary_maker_new(const struct ctx_summary_make_options *o);
void ctx_summary_maker_free(struct ctx_summary_maker *mk); /* NULL is fine */

/* Adds a message with its number of tokens and its record (one line of JSON) for exec. */
void ctx_summary_maker_add(struct ctx_summary_maker *mk, const struct ctx_message *m,
    struct ctx_span record, int64_t tokens);

/* Adds the text of an earlier summary. */
void ctx_summary_maker_add_summary(struct ctx_summary_maker *mk, struct ctx_span text,
    struct ctx_span record, int64_t tokens);

/* Returns 1 with *out filled in (zero-filled by the caller), or 0 if no method gives a
 * result that passes the checks; out->fallbacks gives the reasons. */
int ctx_summary_maker_end(struct ctx_summary_maker *mk, struct ctx_summary_made *out);

#endif
