/* Making one summary of many messages: by an outside summariser when there is one, else
 * by extraction, else by truncation, whichever first passes the guards. Pure but for the
 * outside summariser, which is a function of the caller's. */
#ifndef CTX_SUMMARY_MAKE_H
#define CTX_SUMMARY_MAKE_H

#include "summary/summary.h"

enum ctx_summary_method {
	CTX_SUMMARY_EXEC,
	CTX_SUMMARY_EXTRACTIVE,
	CTX_SUMMARY_TRUNCATION,
};
const char *ctx_summary_method_name(enum ctx_summary_method m); /* "exec", … */

/* Append the summary of input to out; -1 with err set when it can't. input ends with a
 * draft, the built-in summary: as a record {"kind":"draft","text":…}, or as lines that
 * begin with "draft:". */
typedef int ctx_summary_exec_fn(
    void *arg, struct ctx_span input, struct ctx_buf *out, struct ctx_err *err);

struct ctx_summary_make_options {
	struct ctx_tokenizer *tokenizer;
	int64_t max_tokens; /* of the summary's text */
	int64_t replaces;   /* tokens that it takes the place of: it must be shorter */
	bool strict;        /* max_tokens binds exec too, not only replaces */
	enum ctx_summary_language language; /* of the built-in summary */
	const struct ctx_span *required; /* plain text: where the input holds it, so must
					    * the summary */
	size_t n_required;
	int64_t piece; /* tokens that exec can read at once; more is done in pieces, whose
			* summaries are summarised: two levels, never more */
	int64_t total; /* tokens that will be added, about */
	ctx_summary_exec_fn *exec; /* NULL: none */
	void *arg;
	bool ndjson; /* exec reads records, else plain text */
};

struct ctx_summary_made {
	enum ctx_summary_method method;
	struct ctx_buf text;
	struct ctx_buf fallbacks;    /* JSON objects {method, reason}, comma between */
	struct ctx_fact_share facts; /* distinct facts of what was summarised last, and
					* those that the text holds */
	size_t pieces;               /* 1: all at once */
};
void ctx_summary_made_release(struct ctx_summary_made *m);

struct ctx_summary_maker;
/* *o is copied, what it points to borrowed. */
struct ctx_summary_maker *ctx_summary_maker_new(const struct ctx_summary_make_options *o);
void ctx_summary_maker_free(struct ctx_summary_maker *mk); /* NULL is fine */

/* Add a message of so many tokens, and its record (one line of JSON) for exec. */
void ctx_summary_maker_add(struct ctx_summary_maker *mk, const struct ctx_message *m,
    struct ctx_span record, int64_t tokens);

/* Add a summary made before: its text. */
void ctx_summary_maker_add_summary(struct ctx_summary_maker *mk, struct ctx_span text,
    struct ctx_span record, int64_t tokens);

/* 1 and *out (zero-filled by the caller); 0 when no method gives anything that passes
 * the guards: out->fallbacks says why. */
int ctx_summary_maker_end(struct ctx_summary_maker *mk, struct ctx_summary_made *out);

#endif
