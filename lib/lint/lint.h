/* Checks transcripts and request bodies, and repairs them. The rules in ctx-lint(1) say
 * what a provider accepts. Lint is also a test of selection and rendering, so it shares
 * no code with them. Lint does no I/O. */
#ifndef CTX_LINT_LINT_H
#define CTX_LINT_LINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "provider/provider.h"
#include "tokens/tokens.h"

/* Counts of what the input contains. */
struct ctx_lint_counts {
	size_t bodies;
	size_t messages; /* number of messages that are not in a request body */
};

struct ctx_lint_options {
	/* the provider whose rules apply; CTX_PROVIDER_NONE: the provider to whose
	 * format the input belongs */
	enum ctx_provider rules;
	/* true: the provider above is only a preference; a body that is clearly for
	 * another provider is checked against the rules of that provider */
	bool soft;
	int64_t budget; /* token limit of a body; negative: not checked */
	/* true: the budget limits not only bodies, but also histories, that is,
	 * sequences of messages outside of bodies */
	bool whole_histories;
	/* counts tokens for the budget; NULL: the budget is not checked */
	struct ctx_tokenizer *tokenizer;
	/* Adapts the tokenizer to the model named in a body (JSON string, or absent).
	 * May be NULL. */
	void (*count_for)(struct ctx_tokenizer *t, struct ctx_span model);
	/* true: check the parameters against the model table */
	bool check_model;
	struct ctx_span models; /* the user's own model table, or absent */
	/* totals to which each check adds the counts of its input; may be NULL */
	struct ctx_lint_counts *counts;
};

#define CTX_LINT_OPTIONS_INIT              \
	{                                  \
		.rules = CTX_PROVIDER_NONE \
	}

struct ctx_lint_diagnostic {
	const char *rule; /* id of the rule, such as "oa-orphan-result" */
	/* name of the provider; "all" for rules of every provider */
	const char *provider;
	bool error;  /* false: a warning */
	size_t line; /* number of the line in the input, counted from 1 */
	/* index of the message in its transcript, counted from 0; -1: the diagnostic is
	 * about the whole transcript */
	long index;
	/* description of the problem: one line of UTF-8, valid during the call */
	const char *text;
};

typedef void ctx_lint_sink(void *arg, const struct ctx_lint_diagnostic *d);

/* Checks a text: a sequence of JSON values, one per line or pretty-printed. A value is a
 * message record, a bare message, an array of messages, or a request body ({messages},
 * {contents}, {input}). Consecutive message records and bare messages form one
 * transcript; a session record starts the next transcript. Records of other kinds, and
 * messages that were added to a window (records with a slot), are not checked.
 *
 * Calls the function "sink" (may be NULL) with each diagnostic, in the order of the text.
 * Returns the number of errors, or -1 with CTX_EINPUT if the text cannot be read. */
int ctx_lint_check(struct ctx_span text, const struct ctx_lint_options *o,
    ctx_lint_sink *sink, void *arg, struct ctx_err *err);

/* Returns true if the value starts a new document, because it is a session record or a
 * request body. */
bool ctx_lint_begins(struct ctx_span value);

/* Like ctx_lint_check, but for a text that must be exactly one request body. */
int ctx_lint_body(struct ctx_span body, const struct ctx_lint_options *o,
    ctx_lint_sink *sink, void *arg, struct ctx_err *err);

/* Appends a repaired copy of the parameters of a request. params: the parameters, a JSON
 * object; rules: the provider whose rules apply; models: the user's own model table, or
 * absent. A member that the model or the API refuses is dropped, renamed or lowered in
 * value, but only if this does not change the meaning of the request. fixed: called for
 * each change; left: called for each problem that remains; both may be NULL. Returns the
 * number of remaining errors. */
int ctx_lint_params_fix(struct ctx_span params, enum ctx_provider rules,
    struct ctx_span models, struct ctx_buf *out, ctx_lint_sink *fixed,
    ctx_lint_sink *left, void *arg);

/* Finds a parameter for system text that belongs to another provider's API. params: the
 * parameters, a JSON object; rules: the provider of the request. Returns the name of the
 * parameter, or NULL if there is no such parameter. */
const char *ctx_lint_params_foreign(struct ctx_span params, enum ctx_provider rules);

/* Returns the number of tokens of a request body that count against a token budget, or -1
 * with CTX_EINPUT if the JSON is not a request body. */
int64_t ctx_lint_body_tokens(
    struct ctx_span body, struct ctx_tokenizer *t, struct ctx_err *err);

typedef void ctx_lint_item_fn(
    void *arg, struct ctx_span value, const struct ctx_message *m, int64_t tokens);
/* Calls fn for each message, content or item of a request body, in order. value: the
 * message's JSON; m: the parsed message; both are valid only during the call; tokens: the
 * number of tokens that the message adds to the request. If the member "input" of a
 * Responses body is a string, this string counts as one user message. Returns -1 with
 * CTX_EINPUT if the JSON is not a request body. */
int ctx_lint_body_items(struct ctx_span body, struct ctx_tokenizer *t,
    ctx_lint_item_fn *fn, void *arg, struct ctx_err *err);

/* Appends a copy of the text that obeys the rules, with as few changes as possible. Text
 * without violations is copied byte for byte, and a second repair changes nothing. Calls
 * the function "sink" with each problem of the input. Returns the number of errors that
 * remain in the output, or -1 with CTX_EINPUT if the text cannot be read. Three kinds of
 * problems cannot be repaired: a body over the budget, a body over a limit of the
 * provider, and an image without data. */
int ctx_lint_repair(struct ctx_span text, const struct ctx_lint_options *o,
    struct ctx_buf *out, ctx_lint_sink *sink, void *arg, struct ctx_err *err);

#endif
