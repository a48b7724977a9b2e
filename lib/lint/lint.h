/* Lint: would a provider accept this? Checks transcripts and request bodies against the
 * rules that ctx-lint(1) lists by id, and repairs them. Written apart from selection and
 * rendering, whose judge it is: it shares no code with them. Pure: no I/O. */
#ifndef CTX_LINT_LINT_H
#define CTX_LINT_LINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "provider/provider.h"
#include "tokens/tokens.h"

/* What was read. */
struct ctx_lint_counts {
	size_t bodies;
	size_t messages; /* outside bodies */
};

struct ctx_lint_options {
	/* whose rules; CTX_PROVIDER_NONE: by the shape of what is read */
	enum ctx_provider rules;
	bool soft;                       /* rules give way to a body of another shape */
	int64_t budget;                  /* tokens of a body; less than 0: not checked */
	bool whole_histories;            /* the budget is that of a history, too */
	struct ctx_tokenizer *tokenizer; /* counts for the budget; NULL: not checked */
	bool check_model;                /* the parameters, by the model table */
	struct ctx_span models;          /* the user's table of models, or absent */
	struct ctx_lint_counts *counts;  /* raised by what is read, or NULL */
};

#define CTX_LINT_OPTIONS_INIT              \
	{                                  \
		.rules = CTX_PROVIDER_NONE \
	}

struct ctx_lint_diagnostic {
	const char *rule;     /* "oa-orphan-result" */
	const char *provider; /* "openai", …; "all" for rules of every provider */
	bool error;           /* else a warning */
	size_t line;          /* of the text, from 1 */
	long index;       /* of the message in its transcript, from 0; -1: the whole */
	const char *text; /* one line of UTF-8, valid during the call */
};

typedef void ctx_lint_sink(void *arg, const struct ctx_lint_diagnostic *d);

/* Check a whole text. It is a sequence of JSON values, on lines of their own or pretty
 * printed: message records and bare messages (together one transcript; a session record
 * begins the next), arrays of messages, and request bodies ({messages}, {contents},
 * {input}). Records of other kinds and additions (records with a slot) are not judged.
 * Diagnostics come in the order of the text; sink may be NULL. Returns how many were
 * errors, or -1 with CTX_EINPUT when the text cannot be read as any of these. */
int ctx_lint_check(struct ctx_span text, const struct ctx_lint_options *o,
    ctx_lint_sink *sink, void *arg, struct ctx_err *err);

/* Does the value begin a document of its own: a session record, or a request body? */
bool ctx_lint_begins(struct ctx_span value);

/* The same as ctx_lint_check, for text that must be one request body. */
int ctx_lint_body(struct ctx_span body, const struct ctx_lint_options *o,
    ctx_lint_sink *sink, void *arg, struct ctx_err *err);

/* Appends the parameters (a JSON object) of a request by the rules, with the members that its
 * model or API refuses dropped, renamed or lowered, where that changes no meaning. models is
 * the user's table, or absent. fixed is called with what was changed, left with what would
 * still be refused; either may be NULL. Returns how many of these are errors. */
int ctx_lint_params_fix(struct ctx_span params, enum ctx_provider rules,
    struct ctx_span models, struct ctx_buf *out, ctx_lint_sink *fixed,
    ctx_lint_sink *left, void *arg);

/* A member of the parameters that holds the system text of another API, or NULL. */
const char *ctx_lint_params_foreign(struct ctx_span params, enum ctx_provider rules);

/* Tokens of a request body, as a budget is checked against; -1 with CTX_EINPUT when body is
 * none. */
int64_t ctx_lint_body_tokens(
    struct ctx_span body, struct ctx_tokenizer *t, struct ctx_err *err);

/* Calls fn with each message, content or item of a request body, in order: its JSON, its
 * role and parts (a string input of Responses is a user's), and the tokens that it adds to
 * the request. Both are valid during the call. CTX_EINPUT when body is not a request body. */
typedef void ctx_lint_item_fn(
    void *arg, struct ctx_span value, const struct ctx_message *m, int64_t tokens);
int ctx_lint_body_items(struct ctx_span body, struct ctx_tokenizer *t,
    ctx_lint_item_fn *fn, void *arg, struct ctx_err *err);

/* Append the text with the smallest change that satisfies the rules. What needs none
 * comes back byte for byte; a second repair changes nothing. sink gets what was wrong
 * with the input. Returns how many errors are left in what was appended (a budget, a
 * limit of the provider and an image without data can't be repaired), or -1. */
int ctx_lint_repair(struct ctx_span text, const struct ctx_lint_options *o,
    struct ctx_buf *out, ctx_lint_sink *sink, void *arg, struct ctx_err *err);

#endif
